"""What counts as success: the thresholds of the tasks, from both sides. Whoever changes one of them changes what results mean."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("gymnasium")

from taffeta.envs import TASKS, ClothEnv, expert  # noqa: E402
from taffeta.envs.episode import Episode  # noqa: E402
from taffeta.envs.task import Floats, Setup, State  # noqa: E402


@cache
def done(name: str) -> Episode:
    """An episode in which the expert has succeeded."""
    env, act = ClothEnv(name), expert(name)
    env.reset(seed=4)
    over = False
    while not over:
        *_, over, cut, info = env.step(act(env))
        over = over or cut
    assert info["success"]
    return env.episode


def succeeds(name: str, setup: Setup, state: State) -> bool:
    return TASKS[name].measure(state, setup).success


def away(place: Floats, goal: Floats, distance: float) -> Floats:
    """A goal that is so far from a place, on the side on which it is anyway."""
    direction = goal - place
    return place + distance * direction / np.linalg.norm(direction)


def test_swing_to_30_mm() -> None:
    episode = done("Swing")
    hem = episode.positions[episode.task.grid[0] // 2]
    for distance, success in ((0.0299, True), (0.0301, False)):
        assert succeeds("Swing", replace(episode.setup, goal=away(hem, episode.setup.goal, distance)), episode.state) == success


@pytest.mark.parametrize(("name", "threshold"), [("FoldHalf", 0.020), ("FoldDiagonal", 0.025)])
@pytest.mark.parametrize("corner", range(4))
def test_fold_to_so_many_mm_at_every_corner(name: str, threshold: float, corner: int) -> None:
    episode = done(name)
    place = episode.positions[episode.task.corners[corner]]
    for distance, success in ((threshold - 1e-4, True), (threshold + 1e-4, False)):
        goal = episode.setup.goal.reshape(4, 3).copy()
        goal[corner] = away(place, place + np.array([0.0, 1.0, 0.0]), distance)
        assert succeeds(name, replace(episode.setup, goal=goal.ravel()), episode.state) == success


def test_fold_in_half_to_an_overlap_of_nine_tenths() -> None:
    episode = done("FoldHalf")
    near, far = np.split(episode.setup.extra["polygon"], 2)
    seen = set()
    for longer in np.linspace(0.0, 0.2, 21):
        polygon = np.concatenate([near, far + longer * (far - near[::-1])])
        overlap = episode.sim.overlap(polygon)
        success = succeeds("FoldHalf", replace(episode.setup, extra={"polygon": polygon}), episode.state)
        assert success == (overlap >= 0.9)
        seen.add(success)
    assert seen == {True, False}


def test_fling_to_a_coverage_of_85_percent() -> None:
    episode = done("Fling")
    covered = episode.sim.covered_area()
    for coverage, success in ((0.851, True), (0.849, False)):
        assert succeeds("Fling", replace(episode.setup, size=(covered / coverage, 1.0)), episode.state) == success


def test_drag_to_20_mm_and_5_degrees() -> None:
    episode = done("Drag")
    x, y, yaw = TASKS["Drag"].pose(episode.positions, episode.setup)  # type: ignore[attr-defined]
    five = np.radians(5.0)
    for goal, success in (
        ([x + 0.0199, y, yaw + 0.99 * five], True),
        ([x, y - 0.0199, yaw - 0.99 * five], True),
        ([x + 0.0201, y, yaw], False),
        ([x, y, yaw + 1.01 * five], False),
        ([x, y, yaw + 1.01 * five - 2.0 * np.pi], False),
        ([x, y, yaw + 0.99 * five - 2.0 * np.pi], True),
    ):
        assert succeeds("Drag", replace(episode.setup, goal=np.array(goal)), episode.state) == success


def test_hang_for_3_s() -> None:
    episode = done("Hang")
    assert succeeds("Hang", episode.setup, replace(episode.state, open_s=3.0))
    assert not succeeds("Hang", episode.setup, replace(episode.state, open_s=2.95))
    on_floor = episode.positions - np.array([0.0, 0.0, episode.positions[:, 2].min()])
    assert not succeeds("Hang", episode.setup, replace(episode.state, positions=on_floor))
    beside = episode.positions + 0.5 * episode.setup.frame.ahead
    assert not succeeds("Hang", episode.setup, replace(episode.state, positions=beside))


def test_tablecloth_to_20_mm_at_every_node_of_the_lower_half() -> None:
    episode = done("Tablecloth")
    for node in range(35):
        place = episode.positions[node]
        for distance, success in ((0.0199, True), (0.0201, False)):
            places = episode.setup.extra["places"].copy()
            places[node] = place + np.array([distance, 0.0, 0.0])
            assert succeeds("Tablecloth", replace(episode.setup, extra={"places": places}), episode.state) == success


@pytest.mark.parametrize("name", ["FoldHalf", "FoldDiagonal", "Fling", "Drag", "Hang"])
def test_nothing_is_done_that_is_still_held(name: str) -> None:
    episode = done(name)
    assert not succeeds(name, episode.setup, replace(episode.state, open=False))


@pytest.mark.parametrize("name", ["FoldHalf", "FoldDiagonal", "Fling", "Drag", "Tablecloth"])
def test_nothing_is_done_that_still_moves(name: str) -> None:
    episode = done(name)
    velocities = np.zeros_like(episode.state.velocities)
    velocities[3, 1] = 0.11
    assert not succeeds(name, episode.setup, replace(episode.state, velocities=velocities))
    assert succeeds(name, episode.setup, replace(episode.state, velocities=0.5 * velocities))
