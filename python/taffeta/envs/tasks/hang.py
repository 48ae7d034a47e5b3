"""Hanging a towel on a bar."""

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
    hanging_cloth,
    scene_of,
)

#: For how long it must hang after it was let go of, s.
HANGING_S = 3.0

#: Radius of the bar, m.
RADIUS_M = 0.015

#: Length of the bar, m.
LENGTH_M = 0.6


class Hang(Task):
    """A towel hangs from two hands beside a bar, and is to hang on the bar when it is let go of."""

    name: ClassVar[str] = "Hang"
    grid: ClassVar[tuple[int, int]] = (7, 11)
    goal_size: ClassVar[int] = 4
    speed: ClassVar[float] = 1.0
    time_limit: ClassVar[float] = 8.0
    metric: ClassVar[str] = "hanging_s"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws width 0.25 to 0.35 m, length 0.45 to 0.6 m, fabric, friction 0.4 to 0.8, and the height and distance of the bar."""
        frame, material = any_frame(rng), any_cloth(rng)
        size = (between(rng, 0.25, 0.35), between(rng, 0.45, 0.6))
        height, distance = between(rng, 0.7, 0.9), between(rng, 0.12, 0.25)
        hem = height - size[1] * between(rng, 0.8, 1.0)
        cloth = hanging_cloth(self, material, frame, size, hem)
        middle = frame.place(0.0, distance, height)
        bar = {
            "shape": "stick",
            "radius_m": RADIUS_M,
            "points_m": [(-0.5 * LENGTH_M * frame.across).tolist(), (0.5 * LENGTH_M * frame.across).tolist()],
            "place_m": middle.tolist(),
            "friction": between(rng, 0.4, 0.8),
        }
        scene = scene_of(self.time_limit, cloth, {"bar": bar, "floor": {"shape": "floor", "friction": 0.5}})
        hands = np.array([frame.place(side * size[0] / 2, 0.0, hem + size[1]) for side in (-1.0, 1.0)])
        _, _, left, right = self.corners
        workspace = np.array([[-0.8, -0.8, 0.0], [0.8, 0.8, 1.6]])
        goal = np.array([*middle, frame.yaw])
        return Setup(scene, frame, size, hands, (int(left), int(right)), workspace, goal)

    def measure(self, state: State, setup: Setup) -> Measure:
        """For how long it has hung without a hand: nothing of it on the floor, some of it as high as the bar, some on either side."""
        heights = state.positions[:, 2]
        bar = setup.goal[:3]
        beyond = (state.positions - bar) @ setup.frame.ahead
        on_bar = heights.max() > bar[2] and heights.min() > 0.01 and beyond.min() < 0.0 < beyond.max()
        hanging = state.open_s if state.open and on_bar else 0.0
        above = float(np.clip(heights.min() / 0.1, 0.0, 1.0))
        share = float(np.mean(beyond > 0.0)) if heights.max() > bar[2] else 0.0
        closeness = 0.5 * above * min(2.0 * share, 2.0 - 2.0 * share) + 0.5 * min(hanging / HANGING_S, 1.0)
        return Measure({self.metric: hanging}, closeness, hanging >= HANGING_S - 1e-9)

    def camera(self) -> Camera:
        """At the height of the bar."""
        return Camera(eye=[1.6, -1.6, 1.2], target=[0.0, 0.1, 0.55], fov_deg=36.0)
