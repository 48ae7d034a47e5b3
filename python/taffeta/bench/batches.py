"""Simulated seconds per second of wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import taffeta
from taffeta.bench.cases import Case


@dataclass(frozen=True)
class Throughput:
    """What so many simulations of a whole scene came to."""

    simulations: int
    threads: int
    simulated_per_s: float
    strain: float
    refused: int

    def as_dict(self) -> dict[str, Any]:
        """The numbers by their names."""
        return asdict(self)


def fill(seconds: float, threads: int, run: Callable[[int], float]) -> tuple[int, float]:
    """How many runs at once fill so many seconds of wall time, a multiple of the threads, and the time that they took.

    Args:
        seconds: What is to be filled, about.
        threads: How many of the runs go on at a time.
        run: Does so many runs, and returns the seconds that this took.
    """
    count, taken = threads, run(threads)
    # The first estimate is of cold caches, and the second one may be of a few milliseconds.
    for _ in range(2):
        wanted = threads * max(1, round(seconds * count / threads / max(taken, 1e-6)))
        if wanted <= count:
            break
        count, taken = wanted, run(wanted)
    return count, taken


def throughput(case: Case, threads: int, seconds: float) -> Throughput:
    """Batches of one scene, from its start to its end."""
    start = case.simulation()
    steps = round(start.duration / start.dt)
    last: list[taffeta.Batch] = []

    def run(count: int) -> float:
        batch = taffeta.Batch(start, count, threads=threads)
        begun = time.perf_counter()
        batch.step(steps=steps)
        taken = time.perf_counter() - begun
        last[:] = [batch]
        return taken

    count, taken = fill(seconds, threads, run)
    batch = last[0]
    strain = max(report.max_edge_strain for report in batch.reports if report is not None)
    return Throughput(count, threads, count * start.duration / taken, strain, int(batch.failed.sum()))
