"""``python -m taffeta.bench``: how fast batches are, what a call costs, and others beside them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from taffeta.bench import native, peer
from taffeta.bench.batches import throughput
from taffeta.bench.cases import CASES

# With these MuJoCo is measured, s.
PEER_STEPS = (0.01, 0.004)


def main(arguments: list[str] | None = None) -> int:
    """Measures, and prints tables or JSON."""
    parser = argparse.ArgumentParser(prog="python -m taffeta.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--seconds", type=float, default=3.0, help="wall time of each figure, about (default: 3)")
    parser.add_argument("--only", choices=[case.name for case in CASES], action="append", help="some of the scenes")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of the second figure (default: all cores)")
    parser.add_argument("--command", help="the command taffeta, to compare with (default: TAFFETA_COMMAND, or on the path)")
    parser.add_argument("--no-peer", action="store_true", help="leave out MuJoCo")
    given = parser.parse_args(arguments)
    if not 0.01 <= given.seconds <= 600:
        parser.error(f"--seconds is {given.seconds}: give 0.01 to 600")
    if given.threads < 1:
        parser.error(f"--threads is {given.threads}: give 1 or more")
    cases = [case for case in CASES if not given.only or case.name in given.only]
    counts = sorted({1, given.threads})
    with_peer = not given.no_peer and peer.is_installed()
    command = native.find_command(given.command)

    def say(text: str) -> None:
        if not given.json:
            print(text, flush=True)

    result: dict[str, Any] = {"load": os.getloadavg() if hasattr(os, "getloadavg") else None, "scenes": [], "overhead": None}

    say(f"Simulated seconds per second, with {' and '.join(map(str, counts))} threads; largest strain of an edge\n")
    say(f"{'scene':<14}{'system':<22}" + "".join(f"{count:>4} threads" for count in counts) + f"{'strain':>11}{'depth':>9}")
    for case in cases:
        own = [throughput(case, count, given.seconds) for count in counts]
        say(_row(case.name, "taffeta", [figure.simulated_per_s for figure in own], own[0].strain, None))
        entry: dict[str, Any] = {"name": case.name, "taffeta": [figure.as_dict() for figure in own], "mujoco": []}
        for dt in PEER_STEPS if with_peer else ():
            others = peer.measure(case, dt, counts, given.seconds)
            label = f"mujoco {others[0].version}, {1e3 * dt:g} ms"
            say(_row("", label, [figure.simulated_per_s for figure in others], others[0].strain, others[0].depth))
            entry["mujoco"] += [figure.as_dict() for figure in others]
        result["scenes"].append(entry)
    if not with_peer and not given.no_peer:
        print("MuJoCo is not measured: the package mujoco is not installed", file=sys.stderr)
    if command is None:
        print("the command is not measured: give --command, or put taffeta on the path", file=sys.stderr)
    else:
        figure = native.overhead(CASES[0], command, given.threads, given.seconds)
        result["overhead"] = figure.as_dict()
        say(f"\nA step of {CASES[0].name}, µs, the best of {native.ROUNDS} rounds")
        for label, seconds in (
            ("the command", figure.command_step_s),
            ("sim.step(n)", figure.one_call_step_s),
            ("sim.step(), in a loop", figure.loop_step_s),
        ):
            say(f"{label:<24}{1e6 * seconds:8.2f}")
        share = f"{figure.batch_over_processes:.3f}"
        say(f"\nA batch on {figure.processes} threads does {share} of what {figure.processes} processes of the command do")
    if given.json:
        print(json.dumps(result, indent=2))
    return 0


def _row(name: str, system: str, rates: list[float], strain: float, depth: float | None) -> str:
    """A line of the table."""
    deep = "" if not depth else f"{1e3 * depth:6.1f} mm"
    return f"{name:<14}{system:<22}" + "".join(f"{rate:12.1f}" for rate in rates) + f"{100 * strain:9.4f} %{deep:>9}"


if __name__ == "__main__":
    sys.exit(main())
