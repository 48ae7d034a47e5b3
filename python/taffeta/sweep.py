"""``python -m taffeta.sweep``: a scene with parameters that vary, as a table and a plot."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import taffeta
from taffeta.distributed import METRICS, Table, sweep
from taffeta.distributed.metrics import USUAL, Metric

# The exit code after Ctrl-C, as shells have it.
ENDED_EARLY = 130

_EXAMPLES = """examples:
  python -m taffeta.sweep slide --set obstacle.plane.friction=0.1:1.0:10
  python -m taffeta.sweep my.toml --set cloth.fabric=wool,denim --set dt_s=0.005,0.01 --metric covered_area_m2
  python -m taffeta.sweep swing --set "cloth.grid.nodes=[[7, 9], [14, 18]]" --metric my_module:my_function
"""


def values_of(text: str) -> tuple[str, list[Any]]:
    """A key and its values: ``key=low:high:count``, evenly spaced, or ``key=a,b,c``."""
    key, equals, given = text.partition("=")
    if not equals or not key or not given:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=LOW:HIGH:COUNT or KEY=A,B,C")
    parts = given.split(":")
    if len(parts) == 3:
        try:
            low, high, count = float(parts[0]), float(parts[1]), int(parts[2])
        except ValueError:
            raise argparse.ArgumentTypeError(f"{given!r} is not LOW:HIGH:COUNT, such as 0.1:1.0:10") from None
        if count < 1 or not np.isfinite([low, high]).all():
            raise argparse.ArgumentTypeError(f"{given!r} has no values: give finite ends, and a count of 1 or more")
        return key, np.linspace(low, high, count).tolist()
    if given.startswith("["):
        values = _json(given)
        return key, values if isinstance(values, list) and values and isinstance(values[0], list) else [values]
    return key, [_json(part) for part in given.split(",")]


def metric_of(text: str) -> tuple[str, Metric]:
    """A metric by its name, or a function by its place: ``module:function``."""
    if text in METRICS:
        return text, METRICS[text]
    module, colon, name = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"there is no metric {text!r}: there are {', '.join(METRICS)}; or give module:function")
    try:
        sys.path.insert(0, "")
        function: Metric = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be had: {error}") from None
    finally:
        sys.path.remove("")
    return name, function


def main(arguments: list[str] | None = None) -> int:
    """Runs a sweep, and writes what came of it."""
    parser = argparse.ArgumentParser(
        prog="python -m taffeta.sweep", description=__doc__, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scene", help="a shipped scene, or the path of one")
    parser.add_argument("--set", dest="axes", type=values_of, action="append", required=True, metavar="KEY=VALUES", help="LOW:HIGH:COUNT or A,B,C; all combinations are simulated")
    parser.add_argument("--override", type=values_of, action="append", default=[], metavar="KEY=VALUE", help="a key of the scene that is the same in all jobs")
    parser.add_argument("--metric", type=metric_of, action="append", metavar="NAME", help=f"what is measured: {', '.join(METRICS)}, or module:function (default: {', '.join(USUAL)})")
    parser.add_argument("--seconds", type=float, help="how long each simulation goes on, s (default: as long as the scene)")
    parser.add_argument("--out", type=Path, help="the folder for results (default: sweeps/SCENE); run again, it goes on there")
    parser.add_argument("--workers", type=int, help="how many jobs at a time (default: as many as there are cores)")
    parser.add_argument("--processes", action="store_true", help="processes instead of threads")
    parser.add_argument("--ray", metavar="ADDRESS", help="a cluster of Ray; auto: the one that can be found, or one that is started here")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    given = parser.parse_args(arguments)
    several = next((key for key, values in given.override if len(values) != 1), None)
    if several is not None:
        parser.error(f"--override {several} has several values: use --set to vary it")
    out = given.out or Path("sweeps") / Path(given.scene).stem
    try:
        table = sweep(
            given.scene,
            dict(given.axes),
            metrics=None if given.metric is None else dict(given.metric),
            seconds=given.seconds,
            overrides={key: values[0] for key, values in given.override},
            out=out / "jobs",
            workers=given.workers,
            processes=given.processes,
            ray=given.ray,
            progress=False if given.quiet else None,
        )
    except taffeta.Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"ended early: run it again to go on with what is in {out}", file=sys.stderr)
        return ENDED_EARLY
    write(table, out)
    for row in table.failed:
        print(f"failed: {', '.join(f'{name} = {row[name]}' for name in table.parameters)}: {row['error']}", file=sys.stderr)
    return 1 if len(table.failed) == len(table) else 0


def write(table: Table, out: Path) -> None:
    """The table and the plot, as far as there are packages for them."""
    table.to_csv(out / "table.csv")
    print(out / "table.csv")
    for name, package, make in (("table.parquet", "pyarrow", table.to_parquet), ("plot.png", "matplotlib", table.plot)):
        try:
            make(out / name)
            print(out / name)
        except taffeta.Error:
            print(f"no {name}: the package {package} is not installed", file=sys.stderr)


def _json(text: str) -> Any:
    """A number, a text in quotes, true, false or a list; anything else is a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _leave(code: int) -> None:
    """Ends the program. Jobs that are half done are not waited for after Ctrl-C: what is on disk is whole."""
    if code == ENDED_EARLY:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    _leave(main())
