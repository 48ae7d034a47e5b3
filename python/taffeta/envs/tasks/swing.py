"""Swinging a hem to a point in the air."""

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

#: How far the middle of the hem may be from the point, m.
HEM_M = 0.03

#: How far the hands can go from where they begin, along each axis, m. A hem that only hangs does not reach the point.
ROOM_M = 0.15


class Swing(Task):
    """A sheet hangs from two hands; the middle of its hem is to come to a point that it reaches only by swinging."""

    name: ClassVar[str] = "Swing"
    grid: ClassVar[tuple[int, int]] = (7, 9)
    goal_size: ClassVar[int] = 3
    speed: ClassVar[float] = 1.0
    time_limit: ClassVar[float] = 10.0
    metric: ClassVar[str] = "hem_distance_m"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws width 0.35 to 0.45 m, length 0.5 to 0.65 m, fabric, and the point: 35° to 50° off the vertical."""
        frame, material = any_frame(rng, yaw_deg=30.0), any_cloth(rng)
        material["damping_kg_m2_s"] = between(rng, 0.05, 0.15)
        size = (between(rng, 0.35, 0.45), between(rng, 0.5, 0.65))
        angle = np.radians(between(rng, 35.0, 50.0)) * rng.choice([-1.0, 1.0])
        reach = size[1] * between(rng, 0.95, 1.0)
        top = size[1]
        cloth = hanging_cloth(self, material, frame, size, 0.0)
        hands = np.array([frame.place(-size[0] / 2, 0.0, top), frame.place(size[0] / 2, 0.0, top)])
        goal = frame.place(0.0, reach * np.sin(angle), top - reach * np.cos(angle))
        _, _, left, right = self.corners
        scene = scene_of(self.time_limit, cloth, {"floor": {"shape": "floor", "height_m": -0.3}})
        workspace = np.array([hands.min(axis=0) - ROOM_M, hands.max(axis=0) + ROOM_M])
        return Setup(scene, frame, size, hands, (int(left), int(right)), workspace, goal)

    def measure(self, state: State, setup: Setup) -> Measure:
        """The distance of the middle of the hem from the point."""
        hem = state.positions[self.grid[0] // 2]
        distance = float(np.linalg.norm(hem - setup.goal))
        return Measure({self.metric: distance}, 1.0 - distance / setup.size[1], distance <= HEM_M)

    def camera(self) -> Camera:
        """From the side of the swing."""
        return Camera(eye=[1.9, -1.1, 0.7], target=[0.0, 0.0, 0.35], fov_deg=36.0)
