"""Results on disk: one file for each job, there when it is whole."""

from __future__ import annotations

import json
import math
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from taffeta.distributed.jobs import Result


class Store:
    """A folder with a file for every job that is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def load(self, name: str) -> Result | None:
        """The result of a job, if it is there. A file that cannot be read counts as none: the job is done again."""
        try:
            found = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            found["metrics"] = {key: _number(value) for key, value in found["metrics"].items()}
            return Result(**found)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def save(self, name: str, result: Result) -> None:
        """Writes a result at one stroke: whoever else writes the same file writes the same."""
        found = asdict(result)
        found["metrics"] = {key: _text(value) for key, value in result.metrics.items()}
        handle, draft = tempfile.mkstemp(dir=self.folder, prefix=f".{name}-", suffix=".draft")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=1, allow_nan=False, sort_keys=True)
            os.replace(draft, self.folder / f"{name}.json")
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise


def _text(value: float) -> Any:
    """A number as JSON has it; those that are not finite as texts."""
    return value if math.isfinite(value) else repr(value)


def _number(value: Any) -> float:
    return float(value)
