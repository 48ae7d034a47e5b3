"""What scripts are made of: to go somewhere, to follow a path, to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from taffeta.envs.episode import CONTROL_S, Episode
from taffeta.envs.task import Floats

Action: TypeAlias = npt.NDArray[np.float32]

#: A script: action by action. It reads the state of the episode that it was begun with.
Script: TypeAlias = Iterator[Action]

#: Hands that are both closed, and both open.
CLOSED = (True, True)
OPEN = (False, False)


def action_towards(episode: Episode, places: Floats, closed: tuple[bool, bool], speed: float = np.inf) -> Action:
    """The action that brings both hands nearer to places, in straight lines, so that they arrive together."""
    ways = places - episode.hands.places
    longest = float(np.linalg.norm(ways, axis=1).max())
    if longest > speed * CONTROL_S:
        ways = ways * (speed * CONTROL_S / longest)
    velocities = ways / (CONTROL_S * episode.task.speed)
    velocities = velocities / max(1.0, float(np.abs(velocities).max()))
    return np.column_stack([velocities, np.where(closed, 1.0, -1.0)]).ravel().astype(np.float32)


def go(episode: Episode, places: Floats, closed: tuple[bool, bool], speed: float = np.inf, near: float = 2e-3) -> Script:
    """Brings the hands to places (m), at some speed (m/s)."""
    for _ in range(400):
        if np.linalg.norm(places - episode.hands.places, axis=1).max() <= near:
            return
        yield action_towards(episode, places, closed, speed)


def follow(episode: Episode, path: Callable[[float], Floats], seconds: float, closed: tuple[bool, bool]) -> Script:
    """Has the hands follow a path of the fraction of the time that has passed."""
    count = max(1, round(seconds / CONTROL_S))
    for k in range(count):
        yield action_towards(episode, path((k + 1) / count), closed)


def wait(episode: Episode, seconds: float, closed: tuple[bool, bool]) -> Script:
    """Has the hands stay where they are; and close or open first."""
    yield from follow(episode, lambda _: episode.hands.places, seconds, closed)


def smooth(fraction: float) -> float:
    """From 0 to 1, beginning and ending at rest."""
    return fraction * fraction * (3.0 - 2.0 * fraction)


def through(points: list[Floats]) -> Callable[[float], Floats]:
    """The path along straight lines from point to point, at an even speed."""
    array = np.array(points)
    lengths = np.linalg.norm(np.diff(array, axis=0), axis=-1).max(axis=-1)
    times = np.concatenate([[0.0], np.cumsum(lengths)])
    times = times / times[-1]

    def path(fraction: float) -> Floats:
        k = int(np.clip(np.searchsorted(times, fraction, side="right") - 1, 0, len(lengths) - 1))
        s = (fraction - times[k]) / (times[k + 1] - times[k])
        place: Floats = array[k] + s * (array[k + 1] - array[k])
        return place

    return path


def apart(middle: Floats, across: Floats, width: float) -> Floats:
    """Places of two hands beside a middle, a width apart (m)."""
    return np.array([middle - 0.5 * width * across, middle + 0.5 * width * across])
