"""What came of a sweep, as a table."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import taffeta

# Rows that a notebook shows.
_SHOWN = 20


@dataclass(frozen=True)
class Table:
    """A row for each job of a sweep, in the order of its parameters.

    Attributes:
        parameters: Names of the columns that were varied.
        metrics: Names of the columns that were measured.
        rows: The values by their columns: besides those ``error`` (a text, or None), ``digest`` (of the last state, to the bit) and
            ``seconds`` (wall time).
    """

    parameters: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.parameters, *self.metrics, "error", "digest", "seconds")

    @property
    def failed(self) -> tuple[dict[str, Any], ...]:
        """The rows of jobs that failed."""
        return tuple(row for row in self.rows if row["error"] is not None)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column as an array: of numbers with nan for what failed, unless it holds something else."""
        if name not in self.columns:
            raise taffeta.InvalidInput(f"there is no column {name!r}: there are {', '.join(self.columns)}")
        values = [row[name] for row in self.rows]
        if name in self.metrics:
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        return np.array(values, dtype=None if name in self.parameters else object)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Writes it as comma-separated values, numbers to the last bit."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        Path(path).write_text(text.getvalue(), encoding="utf-8")

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Writes it as Parquet; needs the package pyarrow."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise taffeta.Error("Parquet needs the package pyarrow: install it, or use to_csv") from None
        columns = {name: [row[name] for row in self.rows] for name in self.columns}
        pyarrow.parquet.write_table(pyarrow.table(columns), str(path))

    def plot(self, path: str | PathLike[str], metrics: Sequence[str] | None = None) -> None:
        """Draws each metric against the first parameter, a line for each value of the others; needs the package matplotlib."""
        try:
            import matplotlib
            from matplotlib.figure import Figure
        except ImportError:
            raise taffeta.Error("plots need the package matplotlib: install it, or use to_csv") from None
        assert matplotlib is not None
        drawn = list(metrics or self.metrics)
        first, others = self.parameters[0], self.parameters[1:]
        figure = Figure(figsize=(6.4, 2.8 * len(drawn)), layout="constrained")
        for name, axes in zip(drawn, np.atleast_1d(figure.subplots(len(drawn), 1, sharex=True)), strict=True):
            lines: dict[str, list[tuple[Any, float]]] = {}
            for row, value in zip(self.rows, self.column(name), strict=True):
                label = ", ".join(f"{other} = {row[other]}" for other in others)
                lines.setdefault(label, []).append((row[first] if not isinstance(row[first], list) else str(row[first]), value))
            for label, points in lines.items():
                axes.plot(*zip(*points, strict=True), marker=".", label=label or None)
            axes.set_ylabel(name)
            axes.grid(alpha=0.3)
        axes.set_xlabel(first)
        if others and len(lines) <= 12:
            axes.legend(fontsize="small")
        figure.savefig(str(path), dpi=120)

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        cell = "".join
        head = cell(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = cell(
            f"<tr>{cell(f'<td>{html.escape(_short(row[name]))}</td>' for name in self.columns)}</tr>" for row in self.rows[:_SHOWN]
        )
        rest = f"<p>and {len(self) - _SHOWN} more rows</p>" if len(self) > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _short(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
