"""Folding a towel on a table: in half, or by the diagonal."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from taffeta import Camera
from taffeta.envs.task import (
    Floats,
    Frame,
    Measure,
    Setup,
    State,
    Task,
    any_cloth,
    any_frame,
    between,
    box,
    flat_cloth,
    largest_distance,
    scene_of,
    table,
)

#: How far a corner may be from its goal after a fold in half, m.
HALF_CORNER_M = 0.02

#: What the towel and its goal, seen from above, must have in common, over what is in one of them at least.
HALF_OVERLAP = 0.9

#: How far a corner may be from its goal after a fold by the diagonal, m.
DIAGONAL_CORNER_M = 0.025

#: The overlap is measured from this largest distance of a corner on, m: it costs as much as a few steps.
NEAR_M = 0.05


class _Fold(Task):
    """A towel lies flat on a table; the hands are open, each near one of its lower corners."""

    goal_size: ClassVar[int] = 12
    speed: ClassVar[float] = 1.0
    time_limit: ClassVar[float] = 5.0

    #: How the cells of the mesh are cut into triangles.
    triangles: ClassVar[str] = "none"

    def draw(self, rng: np.random.Generator, size: tuple[float, float]) -> tuple[Setup, Floats]:
        """A start without a goal, and where the corners are."""
        frame, material = any_frame(rng), any_cloth(rng)
        cloth = flat_cloth(self, material, frame, size)
        cloth["grid"]["triangles"] = self.triangles
        corners = corners_of(frame, size)
        hands = corners[:2] + rng.uniform([-0.05, -0.05, 0.02], [0.05, 0.05, 0.1], (2, 3))
        scene = scene_of(self.time_limit, cloth, table(between(rng, 0.3, 0.8)))
        workspace = box((-0.7, -0.7, 0.001), (0.7, 0.7, 0.6))
        return Setup(scene, frame, size, hands, (-1, -1), workspace, np.zeros(12)), corners

    def camera(self) -> Camera:
        """Close by."""
        return Camera(eye=[0.7, -0.9, 0.8], target=[0.0, 0.0, 0.05], fov_deg=30.0)


class FoldHalf(_Fold):
    """The two lower corners are to lie on the two upper ones."""

    name: ClassVar[str] = "FoldHalf"
    grid: ClassVar[tuple[int, int]] = (11, 11)
    metric: ClassVar[str] = "corner_distance_m"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws width and length 0.3 to 0.45 m, fabric, bending, friction, place and direction, and where the hands are."""
        start, corners = self.draw(rng, (between(rng, 0.3, 0.45), between(rng, 0.3, 0.45)))
        goal = corners[[2, 3, 2, 3]]
        middle = (corners[:2] + corners[2:]) / 2
        polygon = np.array([middle[0], middle[1], corners[3], corners[2]])[:, :2]
        return _with_goal(start, goal, {"polygon": polygon})

    def measure(self, state: State, setup: Setup) -> Measure:
        """The largest distance of a corner from its goal, and the overlap with half of the towel."""
        distance = largest_distance(state.positions[self.corners], setup.goal.reshape(4, 3))
        metrics = {self.metric: distance}
        if distance <= NEAR_M:
            metrics["overlap"] = state.sim.overlap(setup.extra["polygon"])
        folded = distance <= HALF_CORNER_M and metrics["overlap"] >= HALF_OVERLAP
        return Measure(metrics, 1.0 - distance / setup.size[1], folded and state.open and state.rests)


class FoldDiagonal(_Fold):
    """The lower left corner is to lie on the upper right one, and the others are to stay.

    The mesh is cut along the fold, as a cell of a coarse mesh does not fold across itself.
    """

    name: ClassVar[str] = "FoldDiagonal"
    grid: ClassVar[tuple[int, int]] = (9, 9)
    triangles: ClassVar[str] = "backward"
    metric: ClassVar[str] = "corner_distance_m"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws the side, 0.3 to 0.45 m, fabric, bending, friction, place and direction, and where the hands are."""
        side = between(rng, 0.3, 0.45)
        start, corners = self.draw(rng, (side, side))
        return _with_goal(start, corners[[3, 1, 2, 3]], {})

    def measure(self, state: State, setup: Setup) -> Measure:
        """The largest distance of a corner from its goal."""
        distance = largest_distance(state.positions[self.corners], setup.goal.reshape(4, 3))
        success = distance <= DIAGONAL_CORNER_M and state.open and state.rests
        diagonal = float(np.hypot(*setup.size))
        return Measure({self.metric: distance}, 1.0 - distance / diagonal, success)


def corners_of(frame: Frame, size: tuple[float, float]) -> Floats:
    """Places of the corners of a sheet that lies flat in the middle of a frame, in the order of `Task.corners`."""
    x, y = size[0] / 2, size[1] / 2
    return np.array([frame.place(*corner, 0.001) for corner in ((-x, -y), (x, -y), (-x, y), (x, y))])


def _with_goal(start: Setup, goal: Floats, extra: dict[str, Floats]) -> Setup:
    return Setup(start.scene, start.frame, start.size, start.hands, start.held, start.workspace, goal.ravel(), extra)
