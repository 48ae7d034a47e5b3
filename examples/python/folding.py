"""The task of the examples: a towel on a table, whose near hem is to be laid on its far hem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import taffeta

Floats = npt.NDArray[np.float64]

# Nodes of a side, and its length, m.
SIDE, LENGTH = 12, 0.4

NEAR = [0, SIDE - 1]
FAR = [SIDE * (SIDE - 1), SIDE * SIDE - 1]

# A fold goes through so many points, with so many steps of 10 ms to each; then the hands let go, and the towel comes to rest.
PARTS, PART_STEPS, SETTLE_STEPS = 8, 12, 30

# What a plan may change, each in metres: where the left and the right hand end, along and across the fold, and how high they go.
PLAN_SIZE = 5


def scene(friction: float, density: float, bending: float) -> dict[str, object]:
    """The towel, flat on its table."""
    grid = {"nodes": [SIDE, SIDE], "size_m": [LENGTH, LENGTH], "corner_m": [-LENGTH / 2, -LENGTH / 2, 0.001], "row_axis": [0, 1, 0]}
    cloth = {"density_kg_m2": density, "bending_N_m": bending, "thickness_m": 0.002, "grid": grid}
    table = {"shape": "table", "size_m": [0.9, 0.9], "friction": friction}
    # A planner tries what may not be possible, and is to hear how bad it was.
    return {"duration_s": 3.0, "dt_s": 0.01, "cloth": cloth, "obstacle": {"table": table}, "solver": {"on_failure": "degrade"}}


def random_start(seed: int) -> taffeta.Simulation:
    """A towel of some fabric on some table; two hands have its near corners in the air and have dragged it askew."""
    chance = np.random.default_rng(seed)
    sim = taffeta.Simulation(scene(chance.uniform(0.2, 0.7), chance.uniform(0.1, 0.3), chance.uniform(1e-5, 5e-5)))
    sim.hold(NEAR)
    corners = sim.hand_targets
    for _ in range(2):
        aside = np.column_stack([chance.uniform(0.0, 0.05, 2) * [1, -1], chance.uniform(-0.03, 0.06, 2), chance.uniform(0.04, 0.12, 2)])
        sim.move(corners + aside, steps=25)
        sim.step(25)
    return sim


@dataclass(frozen=True)
class Course:
    """Where a fold begins and ends: places of the two hands, of shape (2, 3), m."""

    begin: Floats
    end: Floats

    @classmethod
    def of(cls, sim: taffeta.Simulation) -> Course:
        """From where the hands are to where the far corners are."""
        return cls(sim.hand_targets, sim.positions[FAR] + [0.0, 0.0, 0.006])

    def targets(self, plans: Floats, done: int = 0) -> Floats:
        """Where the hands are to be at the end of each part that is left: of shape (plans, parts, 2, 3), m.

        A plan of zeros is the scripted fold, half a circle.

        Args:
            plans: Of shape (plans, PLAN_SIZE).
            done: Parts that are done.
        """
        s = np.arange(done + 1, PARTS + 1) / PARTS
        way = self.begin + (self.end - self.begin) * ((1 - np.cos(np.pi * s)) / 2)[:, None, None]
        paths = np.broadcast_to(way, (len(plans), *way.shape)).copy()
        paths[..., :2] += plans[:, None, :4].reshape(-1, 1, 2, 2) * s[:, None, None]
        radius = np.linalg.norm(self.end - self.begin, axis=1).mean() / 2
        paths[..., 2] += np.maximum(radius + plans[:, 4, None, None], 0.0) * np.sin(np.pi * s)[None, :, None]
        return paths


def error_mm(positions: Floats) -> Floats:
    """Mean distance of the near corners from the far ones, seen from above, mm."""
    off = positions[..., NEAR, :2] - positions[..., FAR, :2]
    return np.asarray(1e3 * np.linalg.norm(off, axis=-1).mean(axis=-1))


def finish(sim: taffeta.Simulation) -> float:
    """Lets go, waits, and says how well the towel is folded, mm."""
    sim.release()
    sim.step(SETTLE_STEPS)
    return float(error_mm(sim.positions))


def scripted(sim: taffeta.Simulation) -> float:
    """The fold that does not look: mm."""
    for target in Course.of(sim).targets(np.zeros((1, PLAN_SIZE)))[0]:
        sim.move(target, steps=PART_STEPS, interpolation="linear")
        sim.step(PART_STEPS)
    return finish(sim)


def outcomes(sim: taffeta.Simulation, paths: Floats) -> Floats:
    """What comes of paths from the very state of a simulation, all of them side by side: mm, infinite for those that fail."""
    futures = taffeta.Batch(sim, len(paths))
    for part in range(paths.shape[1]):
        futures.step(paths[:, part], steps=PART_STEPS, interpolation="linear")
    futures.release()
    futures.step(steps=SETTLE_STEPS)
    return np.where(futures.failed, np.inf, error_mm(futures.positions))
