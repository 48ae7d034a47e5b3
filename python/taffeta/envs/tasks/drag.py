"""Dragging a cloth along a table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

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
    scene_of,
    table,
)
from taffeta.envs.tasks.fold import corners_of

#: How far the middle of the cloth may be from the goal, m.
PLACE_M = 0.02

#: By how much it may be turned against the goal, degrees.
ANGLE_DEG = 5.0


class Drag(Task):
    """A cloth lies on a table, and is to lie a few decimetres ahead, turned; the hands are open, each near one of its front corners."""

    name: ClassVar[str] = "Drag"
    grid: ClassVar[tuple[int, int]] = (9, 9)
    goal_size: ClassVar[int] = 3
    speed: ClassVar[float] = 0.5
    time_limit: ClassVar[float] = 8.0
    metric: ClassVar[str] = "place_distance_m"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws the sides, 0.25 to 0.4 m, fabric, friction 0.2 to 0.6, and the goal: 0.15 to 0.3 m ahead, up to 8 cm aside, up to 30°."""
        frame, material = any_frame(rng), any_cloth(rng)
        size = (between(rng, 0.25, 0.4), between(rng, 0.25, 0.4))
        cloth = flat_cloth(self, material, frame, size)
        scene = scene_of(self.time_limit, cloth, table(between(rng, 0.2, 0.6)))
        hands = corners_of(frame, size)[2:] + rng.uniform([-0.05, -0.05, 0.02], [0.05, 0.05, 0.1], (2, 3))
        middle = frame.place(between(rng, -0.08, 0.08), between(rng, 0.15, 0.3), 0.0)
        yaw = frame.yaw + np.radians(between(rng, -30.0, 30.0))
        goal = np.array([middle[0], middle[1], yaw])
        workspace = box((-0.9, -0.9, 0.001), (0.9, 0.9, 0.5))
        return Setup(scene, frame, size, hands, (-1, -1), workspace, goal)

    def measure(self, state: State, setup: Setup) -> Measure:
        """How far the middle of the nodes is from the goal, and by how much the cloth is turned: by its best fit to a flat one."""
        pose = self.pose(state.positions, setup)
        distance = float(np.linalg.norm(pose[:2] - setup.goal[:2]))
        turned = float(abs(np.degrees(np.angle(np.exp(1j * (pose[2] - setup.goal[2]))))))
        success = distance <= PLACE_M and turned <= ANGLE_DEG and state.open and state.rests
        away = float(np.hypot(setup.goal[0] - setup.frame.x, setup.goal[1] - setup.frame.y))
        closeness = 1.0 - distance / away - turned / 90.0
        return Measure({self.metric: distance, "angle_deg": turned}, closeness, success)

    def pose(self, positions: Floats, setup: Setup) -> Floats:
        """Middle of the nodes (x and y, m) and angle (rad) of the flat cloth that fits them best."""
        columns, rows = self.grid
        width, length = setup.size
        x, y = np.meshgrid(np.linspace(-0.5, 0.5, columns) * width, np.linspace(-0.5, 0.5, rows) * length)
        middle = positions[:, :2].mean(axis=0)
        away = positions[:, :2] - middle
        flat = x.ravel() + 1j * y.ravel()
        angle = np.angle(np.sum((away[:, 0] + 1j * away[:, 1]) * flat.conj()))
        return np.array([middle[0], middle[1], angle])
