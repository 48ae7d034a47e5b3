"""What a task is: how an episode of it begins, what is measured, and when it is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from taffeta import Camera, Simulation

Floats: TypeAlias = npt.NDArray[np.float64]

#: Length of a step of the simulation, s.
STEP_S = 0.01


@dataclass(frozen=True)
class Frame:
    """A place on the ground and a direction: where the things of a task stand, and how they are turned about the vertical.

    Attributes:
        x: Place along the world's x axis, m.
        y: Place along the world's y axis, m.
        yaw: Angle about z, rad.
    """

    x: float
    y: float
    yaw: float

    @property
    def across(self) -> Floats:
        """Its x axis, in the world."""
        return np.array([np.cos(self.yaw), np.sin(self.yaw), 0.0])

    @property
    def ahead(self) -> Floats:
        """Its y axis, in the world."""
        return np.array([-np.sin(self.yaw), np.cos(self.yaw), 0.0])

    def place(self, x: float, y: float, z: float) -> Floats:
        """A place that is given in it, in the world, m."""
        return np.array([self.x, self.y, z]) + x * self.across + y * self.ahead

    def local(self, places: Floats) -> Floats:
        """Places of the world, seen in it, m."""
        away = places - np.array([self.x, self.y, 0.0])
        return np.stack([away @ self.across, away @ self.ahead, away[..., 2]], axis=-1)


@dataclass(frozen=True)
class Setup:
    """What a seed decides.

    Attributes:
        scene: The scene, as :class:`taffeta.Simulation` takes it.
        frame: Where the start of the cloth stands.
        size: Width and length of the cloth, m.
        hands: Where the two hands begin, of shape (2, 3), m.
        held: The node that each hand holds at the start; -1 for none.
        workspace: Lowest and highest place that a hand can go to, of shape (2, 3), m.
        goal: The numbers of the goal, which are part of the observation.
        extra: Other arrays that the task needs to measure.
    """

    scene: dict[str, Any]
    frame: Frame
    size: tuple[float, float]
    hands: Floats
    held: tuple[int, int]
    workspace: Floats
    goal: Floats
    extra: dict[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """What there is to measure after an action.

    Attributes:
        sim: The simulation. It is not to be changed.
        positions: Places of the nodes, m.
        velocities: Velocities of the nodes, m/s.
        open: Whether no hand holds cloth.
        open_s: For how long no hand has held cloth, s.
    """

    sim: Simulation
    positions: Floats
    velocities: Floats
    open: bool
    open_s: float

    @property
    def rests(self) -> bool:
        """Whether no node is faster than 0.1 m/s."""
        return bool(np.linalg.norm(self.velocities, axis=1).max() < 0.1)


@dataclass(frozen=True)
class Measure:
    """How well the cloth is where it is to be.

    Attributes:
        metrics: Numbers by their names, which end with their unit.
        closeness: 1 at the goal, about 0 at the start: the reward is what an action adds to it.
        success: Whether the task is done.
    """

    metrics: dict[str, float]
    closeness: float
    success: bool


class Task(ABC):
    """A task. It has no state: that of an episode is in :class:`~taffeta.envs.episode.Episode`."""

    #: How it is called.
    name: ClassVar[str]
    #: Columns and rows of nodes; both odd, so that there is a node in the middle.
    grid: ClassVar[tuple[int, int]]
    #: Numbers in the goal.
    goal_size: ClassVar[int]
    #: Velocity of a hand along each axis for an action of 1, m/s.
    speed: ClassVar[float]
    #: How long an episode is at most, s.
    time_limit: ClassVar[float]
    #: The metric that the task is about.
    metric: ClassVar[str]

    @abstractmethod
    def setup(self, rng: np.random.Generator) -> Setup:
        """Draws a start and a goal."""

    @abstractmethod
    def measure(self, state: State, setup: Setup) -> Measure:
        """Measures what has been reached."""

    def camera(self) -> Camera:
        """Where pictures are taken from."""
        return Camera(eye=[0.8, -1.0, 1.0], target=[0.0, 0.1, 0.0], fov_deg=38.0)

    @property
    def corners(self) -> npt.NDArray[np.int64]:
        """The nodes at the corners: bottom left and right, top left and right."""
        columns, rows = self.grid
        return np.array([0, columns - 1, columns * (rows - 1), columns * rows - 1])

    @property
    def keypoints(self) -> npt.NDArray[np.int64]:
        """The corners, the middles of the sides, and the middle: row by row."""
        columns, rows = self.grid
        across, along = np.array([0, columns // 2, columns - 1]), np.array([0, rows // 2, rows - 1])
        nodes: npt.NDArray[np.int64] = (columns * along[:, None] + across).ravel()
        return nodes


def between(rng: np.random.Generator, low: float, high: float) -> float:
    """A number of a range, all equally likely."""
    return float(rng.uniform(low, high))


def any_frame(rng: np.random.Generator, away: float = 0.05, yaw_deg: float = 15.0) -> Frame:
    """A frame near the origin."""
    turn = np.radians(yaw_deg)
    return Frame(between(rng, -away, away), between(rng, -away, away), between(rng, -turn, turn))


def any_cloth(rng: np.random.Generator, bending: tuple[float, float] = (1e-5, 1e-4)) -> dict[str, Any]:
    """What a cloth is made of: its fabric, its bending stiffness (N m), its friction on itself."""
    low, high = np.log(bending)
    return {
        "fabric": str(rng.choice(["polyester", "wool", "denim"])),
        "bending_N_m": float(np.exp(between(rng, low, high))),
        "self_friction": between(rng, 0.2, 0.5),
        "thickness_m": 0.002,
    }


def scene_of(time_limit: float, cloth: dict[str, Any], obstacles: dict[str, Any]) -> dict[str, Any]:
    """A scene whose steps are taken as well as they can be where they cannot be solved."""
    scene: dict[str, Any] = {"duration_s": time_limit, "dt_s": STEP_S, "cloth": cloth}
    if obstacles:
        scene["obstacle"] = obstacles
    return {**scene, "solver": {"on_failure": "degrade"}}


def flat_cloth(
    task: Task, material: dict[str, Any], frame: Frame, size: tuple[float, float], height: float = 0.001
) -> dict[str, Any]:
    """A cloth that lies level, its middle at the origin of a frame."""
    corner = frame.place(-size[0] / 2, -size[1] / 2, height)
    grid = {
        "nodes": list(task.grid),
        "size_m": list(size),
        "corner_m": corner.tolist(),
        "column_axis": frame.across.tolist(),
        "row_axis": frame.ahead.tolist(),
    }
    return {**material, "grid": grid}


def hanging_cloth(
    task: Task,
    material: dict[str, Any],
    frame: Frame,
    size: tuple[float, float],
    hem: float,
    radius: float | None = None,
) -> dict[str, Any]:
    """A cloth that hangs, the middle of its hem above the origin of a frame at some height, bent round a cylinder of some radius."""
    corner = frame.place(-size[0] / 2, 0.0, hem)
    grid = {
        "nodes": list(task.grid),
        "size_m": list(size),
        "corner_m": corner.tolist(),
        "column_axis": frame.across.tolist(),
        "row_axis": [0.0, 0.0, 1.0],
    }
    if radius is not None:
        grid["cylinder_radius_m"] = radius
    return {**material, "grid": grid}


def table(friction: float) -> dict[str, Any]:
    """A table whose top is at height 0, and whose edges are far away: a plane is also drawn ten times as fast."""
    return {"table": {"shape": "floor", "friction": friction}}


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Floats:
    """A workspace."""
    return np.array([low, high], dtype=np.float64)


def largest_distance(places: Floats, goals: Floats) -> float:
    """The largest distance of places from their goals, m."""
    return float(np.linalg.norm(places - goals, axis=-1).max())
