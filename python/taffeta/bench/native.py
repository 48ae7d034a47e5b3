"""Python next to the command on the same scene."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import taffeta
from taffeta.bench.cases import Case

# How often each is measured, in turn: the fastest counts, because machines are shared.
ROUNDS = 5


@dataclass(frozen=True)
class Overhead:
    """Times of a step, s, and what the cores of the machine do together."""

    command_step_s: float
    one_call_step_s: float
    loop_step_s: float
    processes: int
    processes_s: float
    batch_s: float

    @property
    def batch_over_processes(self) -> float:
        """How much of what as many native processes do a batch does."""
        return self.processes_s / self.batch_s

    def as_dict(self) -> dict[str, Any]:
        """The numbers by their names."""
        return asdict(self) | {"batch_over_processes": self.batch_over_processes}


def find_command(given: str | None = None) -> str | None:
    """The command ``taffeta``: the one that is given, that of ``TAFFETA_COMMAND``, or one on the path."""
    return given or os.environ.get("TAFFETA_COMMAND") or shutil.which("taffeta")


def overhead(case: Case, command: str, cores: int, seconds: float) -> Overhead:
    """How much slower steps are that are asked for one by one, and a batch than processes."""
    start = case.simulation()
    start.step(5)
    steps = 200
    while (taken := _one_call(start, steps)) < 0.2 * seconds:
        steps = max(2 * steps, round(steps * 0.3 * seconds / max(taken, 1e-6)))
    alone, one, loop, together, batch = [], [], [], [], []
    for _ in range(ROUNDS):
        alone += _processes(case, command, 1, steps * start.dt)
        one.append(_one_call(start, steps))
        loop.append(_loop(start, steps))
        together.append(max(_processes(case, command, cores, steps * start.dt)))
        batch.append(_batch(case, cores, steps))
    return Overhead(min(alone) / steps, min(one) / steps, min(loop) / steps, cores, min(together), min(batch))


def _one_call(start: taffeta.Simulation, steps: int) -> float:
    sim = start.copy()
    begun = time.perf_counter()
    sim.step(steps)
    return time.perf_counter() - begun


def _loop(start: taffeta.Simulation, steps: int) -> float:
    sim = start.copy()
    begun = time.perf_counter()
    for _ in range(steps):
        sim.step()
    return time.perf_counter() - begun


def _batch(case: Case, threads: int, steps: int) -> float:
    batch = taffeta.Batch(case.simulation(), threads, threads=threads)
    begun = time.perf_counter()
    batch.step(steps=steps)
    return time.perf_counter() - begun


def _processes(case: Case, command: str, count: int, duration: float) -> list[float]:
    """Wall time of the steps in each of so many runs at once, one thread each, which record their first and last frame only."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [command, "run", case.scene, "--quiet", "--json"]
        for key, value in (case.overrides | {"duration_s": duration, "frame_interval_s": duration}).items():
            arguments += ["--set", f"{key}={value}"]
        environment = os.environ | {"RAYON_NUM_THREADS": "1"}
        runs = [
            subprocess.Popen(
                [*arguments, "--out", str(Path(folder) / str(k))], stdout=subprocess.PIPE, text=True, env=environment
            )
            for k in range(count)
        ]
        said = [run.communicate()[0] for run in runs]
        failed = next((run.returncode for run in runs if run.returncode != 0), None)
        if failed is not None:
            raise taffeta.Error(f"{' '.join(arguments)} ended with exit code {failed}: run it to see why")
        return [float(json.loads(text)["wall_s"]) for text in said]
