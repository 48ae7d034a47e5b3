"""Parameters of cloth, from captures of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TypeAlias

from taffeta._taffeta import fit_captures
from taffeta.errors import InvalidInput

_Path: TypeAlias = str | PathLike[str]

# The keys of scenes for what a fit finds as a ratio to the density.
_KEYS = {
    "alpha": "cloth.damping_kg_m2_s",
    "delta": "cloth.virtual_density_kg_m2",
    "kappa": "cloth.bending_N_m",
    "beta": "cloth.bending_damping_N_m_s",
}


@dataclass(frozen=True)
class Estimate:
    """What is known of a parameter.

    Attributes:
        value: The value with the least error.
        interval: Between these it is, 95 times in a hundred.
        identified: Whether the captures tell it.
    """

    value: float
    interval: tuple[float, float]
    identified: bool


@dataclass(frozen=True)
class CaptureError:
    """How far a simulation is from its capture, over all markers and frames.

    Attributes:
        rms: Root of the mean square distance, m.
        mean: Mean distance, m.
    """

    rms: float
    mean: float


@dataclass(frozen=True)
class Fit:
    """What a fit found.

    Attributes:
        estimates: What is known of each parameter that was looked for, by its name.
        parameters: All parameters of the simulations with the least error: ``density`` ρ (kg/m²), and ``alpha`` α/ρ (1/s), ``delta``
            δ/ρ, ``mu`` μ, ``kappa`` κ/ρ (m⁴/s²) and ``beta`` β/ρ (m⁴/s).
        rms: Root of the mean square distance of all captures together, m.
        captures: How far each simulation is from its capture, by the id of the capture.
        warnings: What the captures do not tell.
        evaluations: Simulations that it took.
    """

    estimates: dict[str, Estimate]
    parameters: dict[str, float]
    rms: float
    captures: dict[str, CaptureError]
    warnings: tuple[str, ...]
    evaluations: int

    @property
    def overrides(self) -> dict[str, float]:
        """The cloth by the keys of scenes, for ``overrides`` of ``Simulation``. Friction belongs to an obstacle and is not among them."""
        density = self.parameters["density"]
        keys = {key: self.parameters[name] * density for name, key in _KEYS.items()}
        return {"cloth.density_kg_m2": density} | keys


def fit(
    captures: _Path | Sequence[_Path],
    parameters: Sequence[str] | None = None,
    *,
    others: Mapping[str, float] | None = None,
    generations: int = 14,
    replicates: int = 40,
    seed: int = 1,
    refinement: int | None = None,
    dt: float | None = None,
    rest: bool = False,
    journal: _Path | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> Fit:
    """The parameters with which simulations come closest to captures of real cloth, and how well they are known.

    Uses all cores, and comes to the same bits as the command ``taffeta fit``, whatever their number.

    Args:
        captures: A capture or several of the same cloth: TOML files, a depth camera's JSON files, or folders of either.
        parameters: What to find: some of "alpha", "delta", "mu", "kappa", "beta"; by default alpha and delta, and mu if a friction is
            not known.
        others: Values of parameters that are not looked for, by their names, and "density".
        generations: Of the search; 0 begins at the given values and only goes down from there.
        replicates: How often noise is drawn again, for the intervals: 10 or more.
        seed: What chance is drawn with.
        refinement: Edges of the mesh between two markers; by default what the capture says, or 2.
        dt: Length of a step, s; by default what the capture says, or 0.01.
        rest: Begin in equilibrium in the first pose of the hands, not in the shape that was seen first.
        journal: A file for what was evaluated: a fit that was ended early goes on from it.
        progress: Is called with how many simulations are done, about how many there will be, and the least error so far, m.
    """
    paths = [captures] if isinstance(captures, str | PathLike) else list(captures)
    if isinstance(parameters, str):
        raise InvalidInput(f"parameters is a text: give a list, as in [{parameters!r}]")
    for name, number in (("generations", generations), ("replicates", replicates), ("seed", seed)):
        if number < 0:
            raise InvalidInput(f"{name} is {number}: give 0 or more")
    text = fit_captures(
        [os.fspath(path) for path in paths],
        None if parameters is None else list(parameters),
        dict(others or {}),
        generations=generations,
        replicates=replicates,
        seed=seed,
        refinement=refinement,
        dt=dt,
        rest=rest,
        journal=None if journal is None else os.fspath(journal),
        progress=progress,
    )
    found = json.loads(text)
    return Fit(
        estimates={
            one["name"]: Estimate(one["value"], (one["interval"][0], one["interval"][1]), one["identified"])
            for one in found["estimates"]
        },
        parameters=found["parameters"],
        rms=found["rms"],
        captures={one["id"]: CaptureError(one["rms"], one["mean"]) for one in found["captures"]},
        warnings=tuple(found["warnings"]),
        evaluations=found["evaluations"],
    )
