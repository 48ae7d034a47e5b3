"""Environments with cloth: what gymnasium asks of them, and what they promise."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import taffeta

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from taffeta.envs import TASKS, ClothEnv, expert  # noqa: E402
from taffeta.envs.episode import Episode  # noqa: E402
from taffeta.envs.evaluate import evaluate, main  # noqa: E402
from taffeta.envs.hands import LEASH_M, REACH_M  # noqa: E402
from taffeta.envs.tasks import swing  # noqa: E402
from taffeta.registration import TASK_NAMES  # noqa: E402


def strict_swing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the simulations of `Swing` refuse what they cannot solve."""
    lenient = swing.scene_of
    monkeypatch.setattr(swing, "scene_of", lambda *given: {**lenient(*given), "solver": {"on_failure": "refuse"}})


def jump(episode: Episode) -> None:
    """Holds a node exactly, and somewhere else all at once: what a simulation refuses."""
    episode.sim.hold([0], exact=True)
    episode.sim.move(np.vstack([episode.sim.hand_targets[:2], [[0, 0, 50.0]]]), steps=1)
    episode.hands._move = lambda *_: None  # type: ignore[method-assign]


def still(closed: bool) -> np.ndarray:
    """Both hands stay."""
    return np.array([0, 0, 0, 1 if closed else -1] * 2, dtype=np.float32)


def test_all_tasks_are_registered() -> None:
    assert list(TASK_NAMES) == list(TASKS)
    for name in TASKS:
        spec = gymnasium.spec(f"taffeta/{name}-v0")
        assert spec.kwargs == {"task": name}
        assert spec.vector_entry_point is not None


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_no_fault(name: str) -> None:
    check_env(gymnasium.make(f"taffeta/{name}-v0", render_mode="rgb_array", width=64, height=48).unwrapped)


@pytest.mark.parametrize("observation", ["mesh", "image"])
@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_no_fault_with_any_observation(observation: str) -> None:
    check_env(gymnasium.make("taffeta/Hang-v0", observation=observation).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", TASKS)
def test_an_expert_succeeds_and_chance_does_not(name: str) -> None:
    good = evaluate(name, "expert", seeds=3)
    assert good.success_rate == 1.0, good
    assert good.refused == good.degraded == 0
    chance = evaluate(name, "random", seeds=3)
    assert chance.success_rate == 0.0, chance


@pytest.mark.parametrize("name", TASKS)
def test_success_is_what_the_thresholds_say(name: str) -> None:
    """The thresholds of the tasks, once more: whoever changes one of them changes what results mean."""
    env, act = ClothEnv(name), expert(name)
    env.reset(seed=4)
    succeeded = False
    while not succeeded:
        _, reward, terminated, truncated, info = env.step(act(env))
        within = {
            "Swing": lambda i: i["hem_distance_m"] <= 0.03,
            "FoldHalf": lambda i: i["corner_distance_m"] <= 0.02 and i["overlap"] >= 0.9,
            "FoldDiagonal": lambda i: i["corner_distance_m"] <= 0.025,
            "Fling": lambda i: i["coverage"] >= 0.85 and i["lies"] == 1.0,
            "Drag": lambda i: i["place_distance_m"] <= 0.02 and i["angle_deg"] <= 5.0,
            "Hang": lambda i: i["hanging_s"] >= 3.0,
            "Tablecloth": lambda i: i["node_distance_m"] <= 0.02,
        }[name](info)
        succeeded = info["success"]
        assert within or not succeeded
        assert terminated == succeeded
        assert (reward > 0.9) == succeeded, "what is near is worth little, what is done is worth 1"
        assert not truncated
    if name not in ("Swing", "Tablecloth"):
        assert env.episode.state.open and env.episode.state.rests


def test_the_same_seed_and_actions_give_the_same_bits() -> None:
    def run(seed: int) -> list[bytes]:
        env = gymnasium.make("taffeta/FoldHalf-v0", observation="mesh")
        rng = np.random.default_rng(0)
        seen = [env.reset(seed=seed)[0].tobytes()]
        for _ in range(15):
            observation, reward, _, _, info = env.step(rng.uniform(-1, 1, 8).astype(np.float32))
            seen += [observation.tobytes(), np.float64(reward).tobytes(), repr(info).encode()]
        return seen

    assert run(7) == run(7)
    assert run(7)[0] != run(8)[0]


def test_a_second_episode_follows_from_the_seed_of_the_first() -> None:
    first, second = ClothEnv("Drag"), ClothEnv("Drag")
    one = [first.reset(seed=3)[0], first.reset()[0]]
    other = [second.reset(seed=3)[0], second.reset()[0]]
    assert np.array_equal(one, other)
    assert not np.array_equal(one[0], one[1])


@pytest.mark.parametrize("name", TASKS)
def test_seeds_change_cloth_start_and_goal(name: str) -> None:
    setups = [TASKS[name].setup(np.random.default_rng(seed)) for seed in range(6)]
    for what in ("size", "goal", "hands"):
        values = {repr(np.round(getattr(setup, what), 6).tolist()) for setup in setups}
        assert len(values) == 6, what
    assert len({setup.scene["cloth"]["bending_N_m"] for setup in setups}) == 6
    assert len({setup.scene["cloth"]["fabric"] for setup in setups}) > 1


def test_observations_say_where_hands_goal_and_cloth_are() -> None:
    env = ClothEnv("FoldHalf")
    observation, _ = env.reset(seed=1)
    episode, task = env.episode, env.task
    assert np.allclose(observation[:6].reshape(2, 3), episode.setup.hands)
    assert list(observation[6:10]) == [0, 0, 0, 0]
    assert observation[10] == 0.0
    assert np.allclose(observation[11:23], episode.setup.goal)
    assert np.allclose(observation[23:50].reshape(9, 3), episode.sim.positions[task.keypoints], atol=1e-6)
    assert np.all(observation[50:] == 0.0)
    assert list(task.keypoints) == [0, 5, 10, 55, 60, 65, 110, 115, 120]
    for _ in range(10):
        observation, *_ = env.step(still(closed=True))
    assert list(observation[6:8]) == [1, 1]
    assert observation[10] == pytest.approx(10 / 100)


def test_a_picture_and_the_state_are_observed() -> None:
    env = ClothEnv("Swing", observation="image")
    observation, _ = env.reset(seed=1)
    assert observation["image"].shape == (96, 96, 3)
    assert observation["image"].std() > 5.0, "there is something to see"
    assert observation["state"].shape == (14,)
    keypoints, _ = ClothEnv("Swing").reset(seed=1)
    assert np.array_equal(observation["state"], keypoints[:14])


def test_hands_take_the_nearest_node_within_reach_and_let_go() -> None:
    env = ClothEnv("FoldHalf")
    env.reset(seed=2)
    hands, sim = env.episode.hands, env.episode.sim
    corners = sim.positions[env.task.corners]
    hands.places = np.array([corners[0] + [0, 0, 0.9 * REACH_M], corners[1] + [0, 0, 1.1 * REACH_M]])
    env.step(still(closed=True))
    assert hands.nodes == [0, -1]
    assert list(hands.closed) == [True, True]
    assert list(sim.hands) == [0]
    hands.places[1] = corners[1]
    env.step(still(closed=True))
    assert hands.nodes == [0, -1], "a hand that is closed already takes nothing"
    env.step(still(closed=False))
    assert hands.nodes == [-1, -1]
    assert list(sim.hands) == []
    hands.places[:] = corners[0]
    env.step(still(closed=True))
    assert hands.nodes[0] == 0
    assert hands.nodes[1] != 0, "one node, one hand"


def test_actions_are_velocities() -> None:
    env = ClothEnv("Drag")
    env.reset(seed=2)
    before = env.episode.hands.places.copy()
    env.step(np.array([0.5, -1, 0.25, -1, -0.5, 0, 7, -1], dtype=np.float32))
    speeds = (env.episode.hands.places - before) / 0.05
    assert np.allclose(speeds, [[0.25, -0.5, 0.125], [-0.25, 0, 0.5]], atol=1e-9)
    assert env.episode.sim.time == pytest.approx(0.05)


def test_hands_stay_in_their_workspace_and_near_what_they_hold() -> None:
    env = ClothEnv("Swing")
    env.reset(seed=2)
    low, high = env.episode.setup.workspace
    apart = np.array([-1, 0, 0, 1, 1, 0, 0, 1], dtype=np.float32)
    for _ in range(30):
        env.step(apart)
        hands = env.episode.hands
        assert np.all(hands.places >= low) and np.all(hands.places <= high)
        behind = np.linalg.norm(hands.places - env.episode.sim.positions[hands.nodes], axis=1)
        assert behind.max() <= LEASH_M + 0.05 * env.task.speed + 1e-3
    assert env.episode.degraded == 0
    assert not env.episode.refused


def test_an_episode_is_truncated_at_its_time_limit() -> None:
    env = gymnasium.make("taffeta/Hang-v0", time_limit_s=0.2)
    env.reset(seed=0)
    ends = [env.step(still(closed=True))[2:4] for _ in range(4)]
    assert ends == [(False, False)] * 3 + [(False, True)]


def test_a_refused_step_ends_the_episode_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    strict_swing(monkeypatch)
    env = ClothEnv("Swing")
    env.reset(seed=0)
    jump(env.episode)
    _, reward, terminated, truncated, info = env.step(still(closed=True))
    assert terminated and not truncated
    assert info["refused"] == "held-jumps"
    assert not info["success"]
    assert reward < 0.5
    _, info = env.reset(seed=0)
    assert info["refused"] == ""
    assert not env.step(still(closed=True))[2]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ClothEnv("Iron"), "Swing, FoldHalf"),
        (lambda: ClothEnv("Swing", observation="points"), "keypoints, mesh, image"),
        (lambda: ClothEnv("Swing", render_mode="human"), "rgb_array"),
        (lambda: expert("Iron"), "no task"),
        (lambda: evaluate("Swing", "wild", seeds=1), "expert, random"),
    ],
)
def test_what_there_is_not_is_refused(call: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_an_environment_must_be_reset_first() -> None:
    env = ClothEnv("Swing")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(still(closed=True))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="not finite"):
        env.step(np.full(8, np.nan, dtype=np.float32))


def test_pictures_are_of_the_size_that_was_asked_for() -> None:
    env = ClothEnv("Hang", render_mode="rgb_array", width=80, height=50)
    env.reset(seed=0)
    picture = env.render()
    assert picture is not None and picture.shape == (50, 80, 3)
    assert picture.std() > 5.0, "there is something to see"
    blind = ClothEnv("Hang")
    blind.reset(seed=0)
    assert blind.render() is None


def test_the_command_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tasks", "Tablecloth", "--seeds", "2", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert [result["policy"] for result in results] == ["expert", "random"]
    assert [result["success_rate"] for result in results] == [1.0, 0.0]
    assert main(["--tasks", "Tablecloth", "--seeds", "1"]) == 0
    assert "node_distance_m" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--tasks", "Iron"])


def test_the_module_does_without_gymnasium() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None
import taffeta
taffeta.Simulation("swing").step()
try:
    import taffeta.envs
except ImportError as error:
    assert "pip install taffeta[gymnasium]" in str(error)
else:
    raise SystemExit("it was imported")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_module_does_not_import_the_environments() -> None:
    code = "import sys, taffeta; assert 'gymnasium' in sys.modules and 'taffeta.envs' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert taffeta.scenes()
