"""Observations: a few points of the cloth, all of its nodes, or a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from taffeta import Simulation
from taffeta.envs.episode import ACTION_SIZE, Episode
from taffeta.envs.task import Task

#: What can be observed.
KINDS = ("keypoints", "mesh", "image")

#: Width and height of the picture that is observed.
IMAGE_SIZE = 96

#: Beyond this, m and m/s, numbers are cut off.
BOUND = 50.0

#: Places of the hands, whether they are closed, whether they hold, and the time.
_HAND_NUMBERS = 6 + 2 + 2 + 1


def action_space() -> spaces.Space[Any]:
    """For each hand its velocity along x, y and z as a share of the largest, and whether it is closed: above 0."""
    return spaces.Box(-1.0, 1.0, (ACTION_SIZE,), np.float32)


def observation_space(task: Task, kind: str) -> spaces.Space[Any]:
    """The space of the observations of a task."""
    if kind not in KINDS:
        raise ValueError(f"observation is {kind!r}: give one of {', '.join(KINDS)}")
    state = _HAND_NUMBERS + task.goal_size
    if kind == "image":
        image = spaces.Box(0, 255, (IMAGE_SIZE, IMAGE_SIZE, 3), np.uint8)
        return spaces.Dict({"image": image, "state": spaces.Box(-BOUND, BOUND, (state,), np.float32)})
    nodes = task.grid[0] * task.grid[1] if kind == "mesh" else len(task.keypoints)
    return spaces.Box(-BOUND, BOUND, (state + 6 * nodes,), np.float32)


def observe(episode: Episode, kind: str) -> Any:
    """What is observed of an episode.

    Numbers are, in this order: the places of the hands (m), whether they are closed, whether they hold a node, the share of the time
    limit that has passed, the goal, and, unless there is a picture, the places (m) and the velocities (m/s) of the nodes.
    """
    hands = episode.hands
    state = [hands.places.ravel(), hands.closed, hands.holds, [episode.elapsed], episode.setup.goal]
    if kind == "image":
        return {"image": picture(episode.sim, episode.task, IMAGE_SIZE, IMAGE_SIZE), "state": _numbers(state)}
    nodes = slice(None) if kind == "mesh" else episode.task.keypoints
    return _numbers([*state, episode.state.positions[nodes].ravel(), episode.state.velocities[nodes].ravel()])


def picture(sim: Simulation, task: Task, width: int, height: int) -> npt.NDArray[np.uint8]:
    """A picture of a task."""
    return sim.render(width, height, task.camera(), supersample=2)


def _numbers(parts: list[Any]) -> npt.NDArray[np.float32]:
    joined = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
    numbers: npt.NDArray[np.float32] = np.clip(joined, -BOUND, BOUND).astype(np.float32)
    return numbers
