"""A scene with parameters that vary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import taffeta
from taffeta.distributed import jobs
from taffeta.distributed.jobs import Result, Work
from taffeta.distributed.metrics import METRICS, USUAL, Metric
from taffeta.distributed.pool import Pool, make_pool
from taffeta.distributed.progress import Bar
from taffeta.distributed.store import Store
from taffeta.distributed.table import Table

Scene: TypeAlias = str | PathLike[str] | dict[str, Any] | taffeta.Simulation
Metrics: TypeAlias = Sequence[str] | Mapping[str, Metric] | Metric

# Jobs are bundled so that a task takes at least as long, s: to hand one over costs a millisecond or two on a cluster.
SHORTEST_TASK = 0.05

# Tasks that wait for each worker, so that none is idle while results are taken in.
_WAITING = 2


def sweep(
    scene: Scene,
    parameters: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]],
    *,
    metrics: Metrics | None = None,
    seconds: float | None = None,
    overrides: Mapping[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    processes: bool = False,
    ray: str | None = None,
    progress: bool | None = None,
) -> Table:
    """Simulates a scene with every combination of values of some parameters, and measures what comes of it.

    A job that fails says why in its row, and the others go on. With ``out``, the result of each job is a file that is written when it
    is done: a sweep that was ended early goes on when it is called again, and one with more values does what is new.

    Args:
        scene: Anything that ``Simulation`` takes as a scene; or a ``Simulation``, from whose state every job goes on.
        parameters: Values by the keys of scenes (of a ``Simulation``: by the names that its ``set`` takes), all combinations of
            which are simulated; or a list of combinations.
        metrics: Names out of ``METRICS``; functions of a ``Simulation`` by the names of their columns; or one function.
        seconds: How long each simulation goes on, s; by default as long as the scene.
        overrides: Keys of the scene that are the same in all jobs.
        out: A folder for the results.
        workers: How many jobs at a time; by default as many as there are cores.
        processes: Run in processes of this machine instead of threads: for metrics that compute much in Python.
        ray: The address of a cluster of Ray, or "auto": the one that can be found, or one that is started on this machine.
        progress: Whether to show a bar; by default where the terminal is looked at.
    """
    work = _work(scene, dict(overrides or {}), _metrics(metrics), seconds)
    points = _points(parameters)
    columns = tuple(points[0])
    identity = work.identity()
    names = [jobs.name_of(identity, point) for point in points]
    store = None if out is None else Store(Path(out))
    found: dict[int, Result] = {}
    if store is not None:
        loaded = ((k, store.load(name)) for k, name in enumerate(names))
        # What did not fail for good is tried again.
        found = {k: result for k, result in loaded if result is not None and (result.error is None or result.final)}
    bar = Bar(len(points), progress)
    bar.add(len(found), sum(result.error is not None for result in found.values()))
    missing = [k for k in range(len(points)) if k not in found]
    try:
        for k, result in _results(work, points, missing, workers, processes, ray):
            found[k] = result
            if store is not None:
                store.save(names[k], result)
            bar.add(1, int(result.error is not None))
    finally:
        bar.close()
    return Table(columns, tuple(work.metrics), tuple(_row(found[k], columns, tuple(work.metrics)) for k in range(len(points))))


def _results(
    work: Work, points: list[dict[str, Any]], missing: list[int], workers: int | None, processes: bool, ray: str | None
) -> Iterator[tuple[int, Result]]:
    """Has jobs done somewhere, and yields what comes of them, in the order in which they are done."""
    if not missing:
        return
    pool = make_pool(workers, processes, ray)
    try:
        yield from _bundled(pool, work, points, missing)
    finally:
        pool.close()


def _bundled(pool: Pool, work: Work, points: list[dict[str, Any]], missing: list[int]) -> Iterator[tuple[int, Result]]:
    """The same in tasks that grow until they are long enough to be worth handing over."""
    shared = pool.share(work)
    waiting, bundles, tasks = iter(missing), dict[int, list[int]](), itertools.count()
    left, done, spent = len(missing), 0, 0.0
    while left:
        while len(bundles) < _WAITING * pool.workers:
            size = 1 if not done else math.ceil(SHORTEST_TASK * done / max(spent, 1e-9))
            # Not so long that some workers have nothing to do in the end.
            bundle = list(itertools.islice(waiting, max(1, min(size, left // (_WAITING * pool.workers)))))
            if not bundle:
                break
            task = next(tasks)
            bundles[task] = bundle
            pool.submit(task, jobs.run_all, shared, [points[k] for k in bundle])
        for task, results, error in pool.finished():
            bundle = bundles.pop(task)
            if error is not None:
                # Such as a worker that was killed, again and again: it is not known which of the jobs did it.
                why = f"{type(error).__name__}: {error}".split("\n")[0]
                results = [Result(points[k], error=why, final=False) for k in bundle]
            for k, result in zip(bundle, results, strict=True):
                left, done, spent = left - 1, done + 1, spent + result.seconds
                yield k, result


def _work(scene: Scene, overrides: dict[str, Any], metrics: dict[str, Metric], seconds: float | None) -> Work:
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise taffeta.InvalidInput(f"seconds is {seconds}: give a positive number, or leave it out for the length of the scene")
    if isinstance(scene, taffeta.Simulation):
        if overrides:
            raise taffeta.InvalidInput("overrides are for scenes, and this is a Simulation: change it with set")
        return Work(None, {}, {}, scene.toml, scene.to_bytes(), seconds, metrics)
    # Built once here, so that what is wrong with all jobs is said at once.
    start = taffeta.Simulation(scene, overrides)
    same = {key: jobs.plain(value) for key, value in overrides.items()}
    return Work(_apart(scene), start.files, same, start.toml, None, seconds, metrics)


def _apart(scene: str | PathLike[str] | dict[str, Any]) -> str | dict[str, Any]:
    """A scene that needs no file of its own, which may not be there where jobs run."""
    if isinstance(scene, dict):
        return {key: jobs.plain(value) for key, value in scene.items()}
    if isinstance(scene, str) and ("\n" in scene or "=" in scene or scene in taffeta.scenes()):
        return scene
    return Path(scene).read_text(encoding="utf-8")


def _metrics(given: Metrics | None) -> dict[str, Metric]:
    if given is None:
        given = USUAL
    if callable(given):
        return {getattr(given, "__name__", "metric"): given}
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, str):
        raise taffeta.InvalidInput(f"metrics is a text: give a list, as in [{given!r}]")
    else:
        unknown = next((name for name in given if name not in METRICS), None)
        if unknown is not None:
            raise taffeta.InvalidInput(f"there is no metric {unknown!r}: there are {', '.join(METRICS)}")
        named = {name: METRICS[name] for name in given}
    if not named:
        raise taffeta.InvalidInput("there is nothing to measure: name a metric")
    return named


def _points(parameters: Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All combinations of values, the last parameter changing fastest."""
    if isinstance(parameters, Mapping):
        for name, values in parameters.items():
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise taffeta.InvalidInput(f"{name} is {values!r}: give a list of its values")
        axes = {name: [jobs.plain(value) for value in values] for name, values in parameters.items()}
        points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    else:
        points = [{name: jobs.plain(value) for name, value in point.items()} for point in parameters]
    if not points or not points[0]:
        raise taffeta.InvalidInput("there is nothing to vary: give values of a parameter")
    odd = next((k for k, point in enumerate(points) if point.keys() != points[0].keys()), None)
    if odd is not None:
        raise taffeta.InvalidInput(f"point {odd} has {', '.join(points[odd])}, and point 0 {', '.join(points[0])}: give each the same")
    return points


def _row(result: Result, parameters: tuple[str, ...], metrics: tuple[str, ...]) -> dict[str, Any]:
    values = {name: result.parameters[name] for name in parameters}
    measured = {name: result.metrics.get(name) for name in metrics}
    return values | measured | {"error": result.error, "digest": result.digest, "seconds": result.seconds}
