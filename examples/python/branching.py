"""Branching: futures of one state that differ in what nobody knows, the friction of the table.

A towel is folded up to the middle. From there 32 futures go on with another friction each, all from the very same state. A copy costs some tens of
microseconds, and the future with the friction of the present goes on as the present does, to the bit.

    python examples/python/branching.py
"""

from __future__ import annotations

import time

import folding
import numpy as np

import taffeta


def main(futures: int = 32) -> folding.Floats:
    """The errors of the fold by friction, mm."""
    sim = folding.random_start(0)
    targets = folding.Course.of(sim).targets(np.zeros((1, folding.PLAN_SIZE)))[0]
    half = folding.PARTS // 2
    for target in targets[:half]:
        sim.move(target, steps=folding.PART_STEPS, interpolation="linear")
        sim.step(folding.PART_STEPS)

    begun = time.perf_counter()
    batch = taffeta.Batch(sim, futures)
    print(f"{futures} copies of the state in {1e3 * (time.perf_counter() - begun):.2f} ms")
    present = float(sim.get("obstacle.table.friction"))
    frictions = np.linspace(0.1, 0.9, futures)
    frictions[0] = present
    batch.set("obstacle.table.friction", frictions)
    for target in targets[half:]:
        batch.step(np.broadcast_to(target, (futures, 2, 3)), steps=folding.PART_STEPS, interpolation="linear")
    batch.release()
    batch.step(steps=folding.SETTLE_STEPS)
    errors = folding.error_mm(batch.positions)

    for target in targets[half:]:
        sim.move(target, steps=folding.PART_STEPS, interpolation="linear")
        sim.step(folding.PART_STEPS)
    folding.finish(sim)
    assert np.array_equal(sim.positions, batch.positions[0]), "the future of the present's friction is the present's"
    for friction, error in sorted(zip(frictions.tolist(), errors.tolist(), strict=True)):
        print(f"friction {friction:.2f}: {error:6.1f} mm")
    return errors


if __name__ == "__main__":
    main()
