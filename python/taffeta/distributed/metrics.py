"""What can be measured at the end of a job, by name. Functions of a module, so that another process finds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

import taffeta

Metric: TypeAlias = Callable[[taffeta.Simulation], float]


def covered_area(sim: taffeta.Simulation) -> float:
    """What the cloth covers seen from above, m²."""
    return sim.covered_area()


def lowest(sim: taffeta.Simulation) -> float:
    """Height of the lowest node, m."""
    return float(sim.positions[:, 2].min())


def highest(sim: taffeta.Simulation) -> float:
    """Height of the highest node, m."""
    return float(sim.positions[:, 2].max())


def mean_height(sim: taffeta.Simulation) -> float:
    """Mean height of the nodes, m."""
    return float(sim.positions[:, 2].mean())


def fastest(sim: taffeta.Simulation) -> float:
    """Speed of the fastest node, m/s."""
    return float(np.linalg.norm(sim.velocities, axis=1).max())


def self_intersections(sim: taffeta.Simulation) -> float:
    """Edges that pass through a triangle of the cloth."""
    return float(sim.self_intersections())


def of_report(name: str, sim: taffeta.Simulation) -> float:
    """A number of the report of all steps."""
    assert sim.report is not None, "a job takes a step at least"
    return float(sim.report.as_dict()[name])


#: Metrics by their names: of the cloth at the end, or, as far as they are the largest or a sum, of all steps.
METRICS: dict[str, Metric] = {
    "covered_area_m2": covered_area,
    "lowest_m": lowest,
    "highest_m": highest,
    "mean_height_m": mean_height,
    "fastest_m_s": fastest,
    "self_intersections": self_intersections,
    "max_edge_strain": partial(of_report, "max_edge_strain"),
    "max_pressure_Pa": partial(of_report, "max_pressure"),
    "max_lag_m": partial(of_report, "max_lag"),
    "kinetic_energy_J": partial(of_report, "kinetic_energy"),
    "degraded": partial(of_report, "degraded"),
}

# What is measured unless something else is asked for.
USUAL = ("covered_area_m2", "mean_height_m", "max_edge_strain")
