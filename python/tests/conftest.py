"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taffeta

ROOT = Path(__file__).parents[2]


@pytest.fixture
def swing() -> taffeta.Simulation:
    """A sheet of 63 nodes that swings from its upper corners, nodes 56 and 62."""
    return taffeta.Simulation("swing")


@pytest.fixture
def fold() -> taffeta.Simulation:
    """A sheet of 20×20 nodes on a table, one corner of which is folded over."""
    return taffeta.Simulation("fold")


@pytest.fixture
def command() -> str:
    """The command `taffeta`, where the caller of the tests has built it."""
    path = os.environ.get("TAFFETA_COMMAND")
    if path is None:
        pytest.skip("TAFFETA_COMMAND does not say where the command is")
    return path


def sheet(**tables: Any) -> dict[str, Any]:
    """A small level sheet in the air, and whatever else is given."""
    grid = {"nodes": [5, 5], "size_m": [0.2, 0.2], "row_axis": [0, 1, 0], "corner_m": [0, 0, 0.05]}
    return {"duration_s": 1, "dt_s": 0.01, "cloth": {"grid": grid}, **tables}


FLOOR = {"floor": {"shape": "floor"}}
GRIPPER = {"left": {"place_m": [0.1, 0.2, 0.05], "rotation_axis": [1, 0, 0], "rotation_deg": 90}}


def bits(sim: taffeta.Simulation) -> bytes:
    """Where the cloth is and how it moves, to the last bit."""
    return sim.positions.tobytes() + sim.velocities.tobytes() + np.float64(sim.time).tobytes()
