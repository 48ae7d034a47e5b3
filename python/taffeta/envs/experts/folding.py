"""The experts for `FoldHalf` and `FoldDiagonal`: corners go over in half circles, and are let go of above where they are to lie."""

from __future__ import annotations

import numpy as np

from taffeta.envs.episode import Episode
from taffeta.envs.experts.motions import CLOSED, OPEN, Script, follow, go, smooth, wait
from taffeta.envs.task import Floats

UP = np.array([0.0, 0.0, 1.0])

#: How high above the corner below a corner is let go of: the thickness of the cloth, m.
DROP_M = 0.002


def arc(start: Floats, end: Floats, fraction: float, height: float = 1.0) -> Floats:
    """Half circles from starts to ends, over a fraction of them; flattened by a height below 1."""
    angle = np.pi * fraction
    radius = 0.5 * np.linalg.norm((end - start)[..., :2], axis=-1, keepdims=True)
    places: Floats = start + (end - start) * 0.5 * (1.0 - np.cos(angle)) + UP * radius * height * np.sin(angle)
    return places


def fold_half(episode: Episode) -> Script:
    """Both lower corners."""
    corners = episode.positions[episode.task.corners]
    yield from go(episode, corners[:2], OPEN)
    yield from wait(episode, 0.1, CLOSED)
    start, end = episode.hands.places.copy(), corners[2:] + DROP_M * UP
    yield from follow(episode, lambda s: arc(start, end, smooth(s), 0.8), 2.0, CLOSED)
    yield from wait(episode, 0.2, CLOSED)
    yield from wait(episode, 10.0, OPEN)


def fold_diagonal(episode: Episode) -> Script:
    """One lower corner; the other hand stays away."""
    corners = episode.positions[episode.task.corners]
    away = episode.hands.places[1] + 0.1 * UP
    yield from go(episode, np.array([corners[0], away]), OPEN)
    left = (True, False)
    yield from wait(episode, 0.1, left)
    start, end = episode.hands.places[0].copy(), corners[3] + DROP_M * UP
    yield from follow(episode, lambda s: np.array([arc(start, end, smooth(s), 0.72), away]), 2.0, left)
    yield from wait(episode, 0.2, left)
    yield from wait(episode, 10.0, OPEN)
