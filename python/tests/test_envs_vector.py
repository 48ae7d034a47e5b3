"""Vectors of environments: the same as single ones, whatever the way in which episodes begin again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_envs import jump, still, strict_swing

gymnasium = pytest.importorskip("gymnasium")

from taffeta.envs import TASKS, ClothEnv, ClothVectorEnv, expert  # noqa: E402
from taffeta.envs.vector import AutoresetMode  # noqa: E402

MODES = ["NextStep", "SameStep", "Disabled"]


def same(one: Any, other: Any) -> bool:
    """Whether observations have the same bits."""
    if isinstance(one, dict):
        return all(same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other))


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_vector_comes_to_the_bits_of_single_environments(name: str, threads: int) -> None:
    envs = ClothVectorEnv(name, 3, observation="mesh", threads=threads)
    singles = [ClothEnv(name, observation="mesh") for _ in range(3)]
    observed, infos = envs.reset(seed=5)
    for k, single in enumerate(singles):
        observation, info = single.reset(seed=5 + k)
        assert same(observed[k], observation)
        assert all(infos[key][k] == value for key, value in info.items())
    rng = np.random.default_rng(0)
    for _ in range(12):
        actions = rng.uniform(-1, 1, (3, 8)).astype(np.float32)
        observed, rewards, terminated, truncated, infos = envs.step(actions)
        for k, single in enumerate(singles):
            observation, reward, over, cut, info = single.step(actions[k])
            assert same(observed[k], observation)
            assert (rewards[k], terminated[k], truncated[k]) == (reward, over, cut)
            assert all(infos[key][k] == value and infos[f"_{key}"][k] for key, value in info.items())


def test_pictures_are_those_of_single_environments() -> None:
    envs = ClothVectorEnv("Hang", 2, observation="image", render_mode="rgb_array", width=60, height=40)
    single = ClothEnv("Hang", observation="image", render_mode="rgb_array", width=60, height=40)
    observed, _ = envs.reset(seed=3)
    single.reset(seed=4)
    observed, *_ = envs.step(np.stack([still(closed=True)] * 2))
    observation, *_ = single.step(still(closed=True))
    assert same({key: values[1] for key, values in observed.items()}, observation)
    pictures = envs.render()
    assert pictures is not None and len(pictures) == 2
    assert np.array_equal(pictures[1], single.render())
    assert ClothVectorEnv("Hang", 1).render() is None


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_begin_again_as_gymnasium_says(mode: str) -> None:
    """The reference is gymnasium's own vector of single environments."""
    sync_vector = gymnasium.vector.SyncVectorEnv
    if not hasattr(gymnasium.vector, "AutoresetMode"):
        pytest.skip("this gymnasium has one mode only")
    make = [lambda limit=limit: ClothEnv("Drag", time_limit_s=limit) for limit in (0.15, 0.15, 0.15)]
    reference = sync_vector(make, autoreset_mode=AutoresetMode(mode))
    envs = ClothVectorEnv("Drag", 3, time_limit_s=0.15, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] == AutoresetMode(mode)
    one, other = envs.reset(seed=[4, 9, 1]), reference.reset(seed=[4, 9, 1])
    assert np.array_equal(one[0], other[0])
    rng = np.random.default_rng(0)
    cuts = 0
    for _ in range(10):
        actions = rng.uniform(-1, 1, (3, 8)).astype(np.float32)
        one, other = envs.step(actions), reference.step(actions)
        for mine, theirs in zip(one[:4], other[:4], strict=True):
            assert np.array_equal(mine, theirs)
        assert one[4].keys() == other[4].keys()
        assert np.array_equal(one[4]["place_distance_m"], other[4]["place_distance_m"])
        assert np.array_equal(one[4]["_place_distance_m"], other[4]["_place_distance_m"])
        cuts += int(one[3].sum())
        if "final_obs" in one[4]:
            assert mode == "SameStep" and one[3].all()
            assert all(same(one[4]["final_obs"][k], other[4]["final_obs"][k]) for k in range(3))
            mine, theirs = one[4]["final_info"], other[4]["final_info"]
            assert np.array_equal(mine["place_distance_m"], theirs["place_distance_m"])
    assert cuts == (6 if mode == "NextStep" else 9)


def test_without_autoreset_a_mask_says_which_begin_again() -> None:
    envs = ClothVectorEnv("Drag", 3, time_limit_s=0.1, autoreset_mode="Disabled")
    first, _ = envs.reset(seed=[1, 2, 3])
    actions = np.stack([still(closed=False)] * 3)
    envs.step(actions)
    last, _, _, truncated, _ = envs.step(actions)
    assert truncated.all()
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
        envs.step(actions)
    mask = np.array([True, False, True])
    observed, infos = envs.reset(seed=[1, None, None], options={"reset_mask": mask})
    assert np.array_equal(observed[0], first[0])
    assert np.array_equal(observed[1], last[1])
    assert not np.array_equal(observed[2], last[2])
    assert list(infos["_success"]) == list(mask)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"\[1\]"):
        envs.step(actions)
    envs.reset(options={"reset_mask": ~mask})
    assert not envs.step(actions)[3].any()


@pytest.mark.parametrize("mode", MODES)
def test_a_refused_step_concerns_its_own_environment(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    strict_swing(monkeypatch)
    envs = ClothVectorEnv("Swing", 3, autoreset_mode=mode)
    envs.reset(seed=0)
    jump(envs.episodes[1])
    actions = np.stack([still(closed=True)] * 3)
    _, _, terminated, _, infos = envs.step(actions)
    assert list(terminated) == [False, True, False]
    said = infos["final_info"] if mode == "SameStep" else infos
    assert said["refused"][1] == "held-jumps"
    if mode == "Disabled":
        envs.reset(options={"reset_mask": terminated})
    _, _, terminated, _, infos = envs.step(actions)
    assert not terminated.any()
    assert list(infos["refused"]) == ["", "", ""]


def test_experts_act_in_vectors() -> None:
    envs = gymnasium.make_vec("taffeta/Tablecloth-v0", num_envs=3, autoreset_mode="SameStep")
    policies = [expert("Tablecloth") for _ in range(3)]
    envs.reset(seed=0)
    succeeded = np.zeros(3, dtype=bool)
    for _ in range(120):
        actions = np.stack([act(episode) for act, episode in zip(policies, envs.unwrapped.episodes, strict=True)])
        *_, infos = envs.step(actions)
        if "final_info" in infos:
            succeeded |= infos["final_info"]["success"]
    assert succeeded.all()


@pytest.mark.filterwarnings("error")
def test_make_vec_makes_these_vectors() -> None:
    envs = gymnasium.make_vec("taffeta/Swing-v0", num_envs=2, observation="mesh")
    assert isinstance(envs.unwrapped, ClothVectorEnv)
    observed, _ = envs.reset(seed=1)
    assert observed in envs.observation_space
    assert observed.shape == (2, *envs.single_observation_space.shape)
    others = gymnasium.make_vec("taffeta/Swing-v0", num_envs=2, vectorization_mode="sync", observation="mesh")
    assert np.array_equal(others.reset(seed=1)[0], observed)
    envs.close()
    others.close()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda envs: envs.reset(seed=[1, 2, 3]), "3 seeds for 2"),
        (lambda envs: envs.reset(options={"reset_mask": np.zeros(2, dtype=bool)}), "true somewhere"),
        (lambda envs: envs.reset(options={"reset_mask": np.ones(3, dtype=bool)}), r"\(2,\)"),
        (lambda envs: envs.step(np.zeros((3, 8))), r"\(2, 8\)"),
        (lambda _: ClothVectorEnv("Swing", 0), "num_envs is 0"),
        (lambda _: ClothVectorEnv("Swing", 1, autoreset_mode="Never"), "Never"),
    ],
)
def test_what_cannot_be_done_is_refused(call: Any, said: str) -> None:
    envs = ClothVectorEnv("Swing", 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros((2, 8), dtype=np.float32))
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=said):
        call(envs)
