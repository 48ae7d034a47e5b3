"""Flinging a sheet flat on a table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from taffeta import Camera
from taffeta.envs.task import (
    Measure,
    Setup,
    State,
    Task,
    any_cloth,
    any_frame,
    between,
    box,
    hanging_cloth,
    scene_of,
    table,
)

#: The share of the sheet's area that it must cover.
COVERAGE = 0.85

#: Lying is, with every node lower than this, m.
LOW_M = 0.05


class Fling(Task):
    """A sheet hangs above a table from two hands that are close together; it is to lie there spread out, let go of and at rest."""

    name: ClassVar[str] = "Fling"
    grid: ClassVar[tuple[int, int]] = (11, 11)
    goal_size: ClassVar[int] = 2
    speed: ClassVar[float] = 2.0
    time_limit: ClassVar[float] = 5.0
    metric: ClassVar[str] = "coverage"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws width 0.35 to 0.5 m, length 0.4 to 0.55 m, fabric, friction, and how close the hands are: 50 to 80 % of the width."""
        frame, material = any_frame(rng), any_cloth(rng)
        size = (between(rng, 0.35, 0.5), between(rng, 0.4, 0.55))
        radius = _radius(between(rng, 0.5, 0.8)) * size[0]
        hem = between(rng, 0.02, 0.1)
        cloth = hanging_cloth(self, material, frame, size, hem, radius)
        scene = scene_of(self.time_limit, cloth, table(between(rng, 0.4, 0.8)))
        chord = 2.0 * radius * np.sin(size[0] / (2.0 * radius))
        hands = np.array([frame.place(side * chord / 2, 0.0, hem + size[1]) for side in (-1.0, 1.0)])
        _, _, left, right = self.corners
        workspace = box((-0.7, -0.7, 0.001), (0.7, 0.7, 0.8))
        return Setup(scene, frame, size, hands, (int(left), int(right)), workspace, np.array(size))

    def measure(self, state: State, setup: Setup) -> Measure:
        """What the sheet covers of the table, over its area.

        While it is held or in the air, that is what its quads would cover beside each other: at least as much, and quick to know.
        """
        area = setup.size[0] * setup.size[1]
        spread = self._spread(state) / area
        lies = state.open and float(state.positions[:, 2].max()) < LOW_M
        coverage = state.sim.covered_area() / area if lies else min(spread, 1.0)
        success = lies and state.rests and coverage >= COVERAGE
        return Measure({self.metric: coverage, "lies": float(lies)}, coverage if lies else coverage - 0.2, success)

    def _spread(self, state: State) -> float:
        columns, rows = self.grid
        places = state.positions[:, :2].reshape(rows, columns, 2)
        one, other = places[1:, 1:] - places[:-1, :-1], places[1:, :-1] - places[:-1, 1:]
        return float(0.5 * np.abs(one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]).sum())

    def camera(self) -> Camera:
        """From where all of the way is seen."""
        return Camera(eye=[1.4, -1.7, 1.2], target=[0.0, 0.0, 0.25], fov_deg=32.0)


def _radius(chord: float) -> float:
    """The radius of the arc of length 1 that has a chord."""
    low, high = 1e-3, np.pi
    for _ in range(60):
        half = (low + high) / 2
        low, high = (half, high) if np.sin(half) / half > chord else (low, half)
    return 0.5 / low
