"""How often the experts succeed, and how often chance does: ``python -m taffeta.envs.evaluate``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from taffeta.envs.env import ClothEnv
from taffeta.envs.experts import expert
from taffeta.envs.tasks import TASKS, task_named

#: What acts: the scripted expert, or actions that are all equally likely.
POLICIES = ("expert", "random")


@dataclass(frozen=True)
class Result:
    """What came of a number of episodes.

    Attributes:
        task: The task.
        policy: Who acted.
        episodes: How many there were, with the seeds from 0 on.
        success_rate: The share of them that succeeded.
        metric: The name of what the task is measured by, which ends with its unit.
        median: Its median at the end of an episode.
        refused: How many ended since a step could not be taken.
        degraded: Steps that were not solved, but taken as well as they could be.
        episodes_per_s: How fast it went, on one core.
    """

    task: str
    policy: str
    episodes: int
    success_rate: float
    metric: str
    median: float
    refused: int
    degraded: int
    episodes_per_s: float


def evaluate(
    task: str, policy: str = "expert", seeds: int = 50, progress: Callable[[int], None] | None = None
) -> Result:
    """Plays episodes of a task with the seeds from 0 on.

    Args:
        task: Its name.
        policy: ``"expert"`` or ``"random"``.
        seeds: How many episodes.
        progress: Called with the number of episodes that are over.
    """
    if policy not in POLICIES:
        raise ValueError(f"policy is {policy!r}: give one of {', '.join(POLICIES)}")
    env, metric = ClothEnv(task), task_named(task).metric
    infos = []
    begun = time.perf_counter()
    for seed in range(seeds):
        infos.append(play(env, policy, seed))
        if progress is not None:
            progress(seed + 1)
    return Result(
        task=env.task.name,
        policy=policy,
        episodes=seeds,
        success_rate=float(np.mean([info["success"] for info in infos])),
        metric=metric,
        median=float(np.median([info[metric] for info in infos])),
        refused=sum(info["refused"] != "" for info in infos),
        degraded=sum(info["degraded"] for info in infos),
        episodes_per_s=seeds / (time.perf_counter() - begun),
    )


def play(env: ClothEnv, policy: str, seed: int) -> dict[str, Any]:
    """Plays an episode, and returns its last info."""
    _, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    act = expert(env.task.name)
    over = False
    while not over:
        action = act(env) if policy == "expert" else env.action_space.sample()
        _, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    return info


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Its exit code is 1 if an expert succeeds in less than 90 %, or chance in more than 10 %."""
    parser = argparse.ArgumentParser(prog="python -m taffeta.envs.evaluate", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), metavar="TASK", help=f"some of {', '.join(TASKS)}")
    parser.add_argument("--seeds", type=int, default=50, help="episodes of each task and policy (50)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        parser.error(f"--seeds is {options.seeds}: give 1 or more")
    try:
        tasks = [task_named(name).name for name in options.tasks]
    except ValueError as error:
        parser.error(str(error))
    results = []
    if not options.json:
        print(_HEADER)
    for task in tasks:
        for policy in POLICIES:
            result = evaluate(task, policy, options.seeds, _progress(f"{task}, {policy}", options.seeds))
            results.append(result)
            if not options.json:
                print(_row(result), flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    good = [r.success_rate >= 0.9 if r.policy == "expert" else r.success_rate <= 0.1 for r in results]
    return 0 if all(good) else 1


_HEADER = f"{'task':14}{'policy':8}{'success':>9}{'median':>10}  {'of':18}{'refused':>8}{'degraded':>9}{'episodes/s':>12}"


def _row(result: Result) -> str:
    success, speed = f"{100 * result.success_rate:.0f} %", f"{result.episodes_per_s:.1f}"
    name = f"{result.task:14}{result.policy:8}"
    return f"{name}{success:>9}{result.median:>10.4f}  {result.metric:18}{result.refused:>8}{result.degraded:>9}{speed:>12}"


def _progress(what: str, count: int) -> Callable[[int], None] | None:
    """Says on the terminal how far it is, if there is one."""
    if not sys.stderr.isatty():
        return None

    def show(done: int) -> None:
        print(f"\r\x1b[K{what}: {done} of {count}" if done < count else "\r\x1b[K", end="", file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(main())
