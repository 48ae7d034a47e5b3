"""One simulation of a sweep: what it is given, and what comes of it. Nothing here knows where it runs."""

from __future__ import annotations

import hashlib
import json
import time
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import Any

import taffeta
from taffeta.distributed.metrics import Metric

# Changes when the same job comes to have another meaning, so that old results are not taken for new ones.
FORMAT = 1

@dataclass(frozen=True)
class Work:
    """What all jobs of a sweep have in common.

    Attributes:
        scene: The scene as it was given, apart from its file; or None if there is a state. Not with its defaults filled in: what a
            parameter such as a fabric changes by default is to change with it.
        files: The texts of the files that the scene refers to.
        overrides: What is the same in all jobs.
        resolved: The scene with all its defaults filled in, so that results are not taken for those of a shipped scene that has changed.
        state: A simulation as bytes, from which all jobs go on.
        seconds: How long each simulation goes on, s; None for the length of the scene.
        metrics: What is measured at the end.
    """

    scene: str | dict[str, Any] | None
    files: dict[str, str]
    overrides: dict[str, Any]
    resolved: str
    state: bytes | None
    seconds: float | None
    metrics: dict[str, Metric]

    def identity(self) -> str:
        """A hash of all that the results depend on besides the parameters."""
        parts: dict[str, Any] = {
            "format": FORMAT,
            "version": taffeta.__version__,
            "scene": self.resolved,
            "given": self.scene,
            "files": self.files,
            "overrides": self.overrides,
            "state": None if self.state is None else hashlib.sha256(self.state).hexdigest(),
            "seconds": self.seconds,
            "metrics": {name: _meaning(metric) for name, metric in self.metrics.items()},
        }
        return _hash(parts)


@dataclass(frozen=True)
class Result:
    """What came of a job.

    Attributes:
        parameters: The values that were set.
        metrics: What was measured; empty if it failed.
        error: Why it failed, or None.
        final: Whether it would fail again: then there is no use in trying.
        digest: A hash of where the cloth is and how it moves in the end, to the last bit.
        seconds: Wall time that it took, s.
    """

    parameters: dict[str, Any]
    metrics: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    final: bool = True
    digest: str | None = None
    seconds: float = 0.0


def name_of(identity: str, parameters: Mapping[str, Any]) -> str:
    """The name of a job: the same for the same work with the same parameters, in whatever order."""
    return _hash({"work": identity, "parameters": dict(parameters)})[:32]


def run(work: Work, parameters: Mapping[str, Any]) -> Result:
    """Does a job."""
    begun = time.perf_counter()
    given = dict(parameters)
    try:
        sim = _start(work, given)
        seconds = sim.duration if work.seconds is None else work.seconds
        sim.step(max(1, round(seconds / sim.dt)))
        measured = {name: float(metric(sim)) for name, metric in work.metrics.items()}
    except taffeta.Error as error:
        return Result(given, error=f"{type(error).__name__}: {error}", seconds=time.perf_counter() - begun)
    except Exception as error:  # Of a metric of the caller's: the others are to go on, and this one can be tried again.
        why = f"{type(error).__name__}: {error}"
        return Result(given, error=why, final=False, seconds=time.perf_counter() - begun)
    bits = sim.positions.tobytes() + sim.velocities.tobytes()
    return Result(given, measured, digest=hashlib.sha256(bits).hexdigest()[:16], seconds=time.perf_counter() - begun)


def run_all(work: Work, several: Sequence[Mapping[str, Any]]) -> list[Result]:
    """Does some jobs, one after the other."""
    return [run(work, parameters) for parameters in several]


def plain(value: Any) -> Any:
    """A value as JSON and TOML have it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, PathLike):
        return str(value)
    if isinstance(value, bool | int | float | str):
        return value
    raise taffeta.InvalidInput(f"{value!r} is no value of a scene: give numbers, texts, true or false, or lists of them")


def _start(work: Work, parameters: dict[str, Any]) -> taffeta.Simulation:
    if work.scene is not None:
        return taffeta.Simulation(work.scene, work.overrides | parameters, work.files)
    assert work.state is not None
    sim = taffeta.Simulation.from_bytes(work.state)
    for name, value in parameters.items():
        sim.set(name, value)
    return sim


def _meaning(metric: Metric) -> str:
    """What a metric computes, as far as a name and its compiled code tell."""
    if isinstance(metric, partial):
        return f"{_meaning(metric.func)}{metric.args}{sorted(metric.keywords.items())}"
    code = getattr(metric, "__code__", None)
    name = f"{getattr(metric, '__module__', '')}:{getattr(metric, '__qualname__', repr(type(metric)))}"
    return name if code is None else f"{name}:{_hash(_code(code))[:16]}"


def _code(code: types.CodeType) -> list[Any]:
    constants = [_code(part) if isinstance(part, types.CodeType) else repr(part) for part in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names)]


def _hash(thing: Any) -> str:
    return hashlib.sha256(json.dumps(thing, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
