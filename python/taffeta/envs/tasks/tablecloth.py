"""Laying half of a sheet on a table: the task of the paper."""

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
    largest_distance,
    scene_of,
    table,
)

#: How far a node of the lower half may be from where it is to lie, m.
PLACE_M = 0.02


class Tablecloth(Task):
    """An A2 sheet hangs above a table from two hands; its lower half is to lie flat, its hem on a line, while the hands keep the rest."""

    name: ClassVar[str] = "Tablecloth"
    grid: ClassVar[tuple[int, int]] = (7, 9)
    goal_size: ClassVar[int] = 3
    speed: ClassVar[float] = 1.0
    time_limit: ClassVar[float] = 6.0
    metric: ClassVar[str] = "node_distance_m"

    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws the size to 10 %, fabric, friction 0.5 to 1, the height of the hem, and the goal: up to 10 cm from below the hem."""
        frame, material = any_frame(rng), any_cloth(rng)
        scale = between(rng, 0.9, 1.1)
        size = (0.42 * scale, 0.594 * scale)
        hem = between(rng, 0.05, 0.12)
        cloth = hanging_cloth(self, material, frame, size, hem)
        scene = scene_of(self.time_limit, cloth, table(between(rng, 0.5, 1.0)))
        hands = np.array([frame.place(side * size[0] / 2, 0.0, hem + size[1]) for side in (-1.0, 1.0)])
        ahead = between(rng, -0.1, 0.1)
        line = frame.place(0.0, ahead, 0.001)
        rows = self.grid[1] // 2 + 1
        x, y = np.linspace(-0.5, 0.5, self.grid[0]) * size[0], -np.linspace(0.0, 0.5, rows) * size[1]
        places = np.array([[frame.place(column, ahead + row, 0.001) for column in x] for row in y]).reshape(-1, 3)
        _, _, left, right = self.corners
        workspace = box((-0.8, -0.8, 0.001), (0.8, 0.8, 1.0))
        goal = np.array([line[0], line[1], frame.yaw])
        return Setup(scene, frame, size, hands, (int(left), int(right)), workspace, goal, {"places": places})

    def measure(self, state: State, setup: Setup) -> Measure:
        """The largest distance of a node of the lower half, hem and middle included, from where it is to lie."""
        places = setup.extra["places"]
        distance = largest_distance(state.positions[: len(places)], places)
        return Measure({self.metric: distance}, 1.0 - distance / setup.size[1], distance <= PLACE_M and state.rests)

    def camera(self) -> Camera:
        """From where all of the way is seen."""
        return Camera(eye=[1.5, -1.4, 1.0], target=[0.0, -0.1, 0.25], fov_deg=36.0)
