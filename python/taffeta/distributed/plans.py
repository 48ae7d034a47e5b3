"""What comes of many plans from one state."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import taffeta
from taffeta.distributed.pool import Pool, make_pool
from taffeta.distributed.sweeps import SHORTEST_TASK

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rollouts:
    """What came of plans, in their order.

    Attributes:
        positions: Where the nodes are in the end, m: of shape (plans, nodes, 3).
        velocities: How they move then, m/s.
        failed: Which plans ended in a step that was refused; their cloth is as it was before it.
        reasons: Why, as texts; None for those that did not fail.
        values: What ``metric`` returned for each, nan for those that failed; None without a metric.
    """

    positions: _Floats
    velocities: _Floats
    failed: npt.NDArray[np.bool_]
    reasons: tuple[str | None, ...]
    values: _Floats | None


def rollouts(
    start: taffeta.Simulation,
    targets: npt.ArrayLike,
    *,
    steps: int,
    settle: int = 0,
    metric: Callable[[taffeta.Simulation], float] | None = None,
    workers: int | None = None,
    ray: str | None = None,
) -> Rollouts:
    """Simulates many plans from one state.

    Args:
        start: Where all of them begin; its hands are what moves.
        targets: Where the hands are to be, m: of shape (plans, parts, hands, 3). Each part takes ``steps`` steps.
        steps: Steps of each part.
        settle: Steps after the last part, without hands.
        metric: A function of each simulation in the end.
        workers: How many cores; by default all.
        ray: The address of a cluster of Ray, or "auto": the one that can be found, or one that is started on this machine.
    """
    plans = np.asarray(targets, dtype=np.float64)
    hands = len(start.hands)
    if plans.ndim != 4 or plans.shape[2:] != (hands, 3) or 0 in plans.shape[:2]:
        raise taffeta.InvalidInput(f"targets has shape {plans.shape}: give (plans, parts, {hands}, 3), one or more of each")
    if steps < 1 or settle < 0:
        raise taffeta.InvalidInput(f"steps is {steps} and settle {settle}: give 1 or more, and 0 or more")
    state = start.to_bytes()
    if ray is None:
        # All cores of this machine share one batch.
        return _simulate(state, plans, steps, settle, metric, workers)
    pool = make_pool(workers, False, ray)
    try:
        return _spread(pool, start, state, plans, steps, settle, metric)
    finally:
        pool.close()


def _spread(
    pool: Pool,
    start: taffeta.Simulation,
    state: bytes,
    plans: _Floats,
    steps: int,
    settle: int,
    metric: Callable[[taffeta.Simulation], float] | None,
) -> Rollouts:
    """Plans in tasks that are long enough to be worth handing over."""
    trial, begun = start.copy(), time.perf_counter()
    try:
        trial.step(3)
    except taffeta.StepRefused:
        pass
    each = (time.perf_counter() - begun) / 3 * (plans.shape[1] * steps + settle)
    size = min(max(math.ceil(SHORTEST_TASK / max(each, 1e-9)), math.ceil(len(plans) / (4 * pool.workers))), len(plans))
    shared, parts, left = pool.share(state), dict[int, Rollouts](), 0
    for task, first in enumerate(range(0, len(plans), size)):
        pool.submit(task, _simulate, shared, plans[first : first + size], steps, settle, metric, 1)
        left += 1
    while left:
        for task, part, error in pool.finished():
            if error is not None:
                raise taffeta.Error(f"plans {task * size} to {task * size + size - 1} could not be simulated: {error}") from error
            parts[task], left = part, left - 1
    ordered = [parts[task] for task in sorted(parts)]
    values = [part.values for part in ordered if part.values is not None]
    return Rollouts(
        np.concatenate([part.positions for part in ordered]),
        np.concatenate([part.velocities for part in ordered]),
        np.concatenate([part.failed for part in ordered]),
        tuple(reason for part in ordered for reason in part.reasons),
        np.concatenate(values) if values else None,
    )


def _simulate(
    state: bytes, plans: _Floats, steps: int, settle: int, metric: Callable[[Any], float] | None, threads: int | None
) -> Rollouts:
    """Some plans, in one batch."""
    batch = taffeta.Batch(taffeta.Simulation.from_bytes(state), len(plans), threads=threads)
    for part in range(plans.shape[1]):
        batch.step(plans[:, part], steps=steps)
    if settle:
        batch.release()
        batch.step(steps=settle)
    failed = batch.failed
    values = None
    if metric is not None:
        values = np.array([np.nan if failed[k] else metric(batch[k]) for k in range(len(batch))], dtype=np.float64)
    return Rollouts(batch.positions, batch.velocities, failed, tuple(batch.reasons), values)
