"""CMA-ES on a small policy: one look at the towel decides how it is folded.

The policy is linear: from what can be seen and measured at the start (friction, density, where the hands are) to the plan of the fold. All
candidates of a generation fold all towels of the training side by side, in one batch. What counts is how it folds towels that it has not seen,
next to the fold that a person would write.

    pip install cma
    python examples/python/cma_policy.py --generations 20
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import cma
import folding
import numpy as np

import taffeta

FEATURES = 6
SCALE = 0.02


def features(sim: taffeta.Simulation) -> folding.Floats:
    """What the policy knows of a towel: numbers of about one."""
    begin, far = sim.hand_targets, sim.positions[folding.FAR]
    friction, density = float(sim.get("obstacle.table.friction")), float(sim.get("cloth.density_kg_m2"))
    reach = (far - begin)[:, 1] / folding.LENGTH - 0.9
    return np.array([1.0, friction / 0.5 - 1.0, density / 0.2 - 1.0, *(10.0 * reach), begin[:, 2].mean() / 0.08 - 1.0])


def plan(weights: folding.Floats, sim: taffeta.Simulation) -> folding.Floats:
    """The plan of a policy for a towel."""
    return np.asarray(SCALE * weights.reshape(folding.PLAN_SIZE, FEATURES) @ features(sim))


def errors(policies: Sequence[folding.Floats], sims: Sequence[taffeta.Simulation]) -> folding.Floats:
    """How each policy folds each towel, mm: of shape (policies, towels)."""
    paths = [folding.Course.of(sim).targets(plan(weights, sim)[None])[0] for weights in policies for sim in sims]
    batch = taffeta.Batch([sim for _ in policies for sim in sims])
    for targets in np.stack(paths, axis=1):
        batch.step(targets, steps=folding.PART_STEPS, interpolation="linear")
    batch.release()
    batch.step(steps=folding.SETTLE_STEPS)
    # A fold that cannot be done counts as one that was not begun.
    found = np.where(batch.failed, 1e3 * folding.LENGTH, folding.error_mm(batch.positions))
    return found.reshape(len(policies), len(sims))


def train(towels: int, generations: int, population: int, seed: int = 1) -> folding.Floats:
    """The policy that folds the towels of the training best, as far as was looked."""
    sims = [folding.random_start(1000 + k) for k in range(towels)]
    options = {"popsize": population, "seed": seed, "verbose": -9, "CMA_diagonal": True}
    search = cma.CMAEvolutionStrategy(np.zeros(folding.PLAN_SIZE * FEATURES), 0.5, options)
    for generation in range(generations):
        asked = search.ask()
        losses = errors(asked, sims).mean(axis=1)
        search.tell(asked, losses.tolist())
        print(f"generation {generation}: best {losses.min():.1f} mm, mean {losses.mean():.1f} mm", flush=True)
    # The middle of what is looked at is less of a lucky guess than the best that was seen.
    return np.asarray(search.result.xfavorite)


def main(arguments: list[str] | None = None) -> tuple[float, float]:
    """Trains, and compares on towels that were not in the training: mean errors of the scripted fold and of the policy, mm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towels", type=int, default=6)
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--population", type=int, default=10)
    parser.add_argument("--held-out", type=int, default=10)
    given = parser.parse_args(arguments)
    policy = train(given.towels, given.generations, given.population)
    unseen = [folding.random_start(k) for k in range(given.held_out)]
    scripted, trained = errors([np.zeros_like(policy), policy], unseen).mean(axis=1)
    print(f"{given.held_out} towels that were not in the training: scripted {scripted:.1f} mm, trained {trained:.1f} mm")
    return float(scripted), float(trained)


if __name__ == "__main__":
    main()
