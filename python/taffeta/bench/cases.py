"""The scenes that are measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import taffeta


@dataclass(frozen=True)
class Case:
    """A shipped scene, or a finer mesh of one."""

    name: str
    scene: str
    overrides: dict[str, Any] = field(default_factory=dict)

    def simulation(self) -> taffeta.Simulation:
        """The start of the scene."""
        return taffeta.Simulation(self.scene, self.overrides)


CASES = (
    Case("swing 7x9", "swing"),
    Case("swing 20x28", "swing", {"cloth.grid.nodes": [20, 28]}),
    Case("sphere 20x20", "drop-sphere"),
)
