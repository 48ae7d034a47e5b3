"""Sampling MPC: a towel is folded by trying many futures of its very state, and going on with the best.

Before some of the parts of the fold the cross-entropy method looks for the plan with the least error: it tries plans in a batch of branches,
keeps the best ones, and draws the next ones from around them. The first part of the best plan is done, and so on.

    python examples/python/mpc_fold.py --starts 10 --samples 24 --rounds 2
"""

from __future__ import annotations

import argparse
import time

import folding
import numpy as np

import taffeta

# How far plans are spread at first, m: along and across for each hand, and in height.
SPREAD = np.array([0.01, 0.03, 0.01, 0.03, 0.03])


def fold(sim: taffeta.Simulation, samples: int, rounds: int, replans: int, seed: int = 0) -> float:
    """Folds, and says how well, mm.

    Args:
        sim: The start, with hands at the near corners.
        samples: Plans that are tried at a time.
        rounds: How often they are drawn again from around the best.
        replans: In how many of the parts it is planned again.
        seed: What chance is drawn with.
    """
    chance = np.random.default_rng(seed)
    course, best = folding.Course.of(sim), np.zeros(folding.PLAN_SIZE)
    looks = set(np.linspace(0, folding.PARTS, replans, endpoint=False).astype(int).tolist())
    for part in range(folding.PARTS):
        if part in looks:
            spread = SPREAD * (1 - part / folding.PARTS)
            for _ in range(rounds):
                # The best so far is among them, so that it gets no worse.
                plans = np.vstack([best, chance.normal(best, spread, (samples - 1, folding.PLAN_SIZE))])
                errors = folding.outcomes(sim, course.targets(plans, part))
                elite = plans[np.argsort(errors)[: max(2, samples // 6)]]
                best, spread = elite[0], np.maximum(elite.std(axis=0), 0.1 * spread)
        target = course.targets(best[None], part)[0, 0]
        sim.move(target, steps=folding.PART_STEPS, interpolation="linear")
        sim.step(folding.PART_STEPS)
    return folding.finish(sim)


def main(arguments: list[str] | None = None) -> list[tuple[float, float]]:
    """Compares the planner with the scripted fold from some random starts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--replans", type=int, default=4)
    given = parser.parse_args(arguments)
    pairs = []
    for seed in range(given.starts):
        sim, begun = folding.random_start(seed), time.perf_counter()
        pairs.append((folding.scripted(sim.copy()), fold(sim, given.samples, given.rounds, given.replans)))
        seconds = time.perf_counter() - begun
        print(f"start {seed}: scripted {pairs[-1][0]:6.1f} mm, planned {pairs[-1][1]:6.1f} mm, {seconds:.1f} s", flush=True)
    means = np.mean(pairs, axis=0)
    print(f"mean:    scripted {means[0]:6.1f} mm, planned {means[1]:6.1f} mm")
    return pairs


if __name__ == "__main__":
    main()
