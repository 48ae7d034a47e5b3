"""Batches: the same as single simulations, whatever the number of threads."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from conftest import FLOOR, GRIPPER, bits, sheet

import taffeta


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_batch_comes_to_the_bits_of_single_simulations(threads: int) -> None:
    source = taffeta.Simulation(sheet(obstacle=FLOOR))
    source.hold([0, 4])
    source.step(3)
    batch = taffeta.Batch(source, 5, threads=threads)
    assert (len(batch), batch.threads) == (5, threads)
    rng = np.random.default_rng(1)
    singles = [source.copy() for _ in range(5)]
    for k, friction in enumerate(np.linspace(0.1, 0.9, 5)):
        singles[k].set("obstacle.floor.friction", friction)
    batch.set("obstacle.floor.friction", np.linspace(0.1, 0.9, 5))
    for _ in range(4):
        targets = batch.hand_targets + rng.uniform(-0.02, 0.02, (5, 2, 3))
        failed = batch.step(targets, steps=5)
        assert not failed.any()
        for single, target in zip(singles, targets, strict=True):
            single.move(target, steps=5)
            single.step(5)
    for k, single in enumerate(singles):
        assert bits(batch[k]) == bits(single)
    assert np.array_equal(batch.positions, np.stack([single.positions for single in singles]))
    assert np.array_equal(batch.velocities, np.stack([single.velocities for single in singles]))
    assert np.array_equal(batch.times, [single.time for single in singles])
    reports = batch.reports
    for k, single in enumerate(singles):
        assert reports[k].as_dict() == single.report.as_dict()  # type: ignore[union-attr]


def test_only_some_are_stepped_reset_and_restored() -> None:
    batch = taffeta.Batch("swing", 4, threads=2)
    start = batch.positions
    batch.step(steps=5)
    batch.step(steps=2, ids=[1, 3])
    assert np.allclose(batch.times, [0.05, 0.07, 0.05, 0.07])
    saved = batch.save([1])
    batch.step(steps=3, ids=np.array([False, True, False, False]))
    ahead = batch.positions[1]
    batch.reset([0, 2])
    assert np.array_equal(batch.positions[[0, 2]], start[[0, 2]])
    batch.restore([0, 1], saved * 2)
    assert np.allclose(batch.times, [0.07, 0.07, 0.0, 0.07])
    batch.step(steps=3, ids=[0, 1])
    assert np.array_equal(batch.positions[0], ahead)
    assert np.array_equal(batch.positions[1], ahead)
    batch.restore(None, batch[0])
    assert np.array_equal(batch.positions, np.repeat(ahead[None], 4, axis=0))
    batch.reset()
    assert np.array_equal(batch.positions, start)


def test_a_refused_step_concerns_its_own_simulation() -> None:
    source = taffeta.Simulation(sheet())
    source.hold([0, 4], exact=True)
    batch = taffeta.Batch(source, 3, threads=2)
    targets = batch.hand_targets
    targets[1, 1, 0] += 1.0
    failed = batch.step(targets, steps=20)
    assert list(failed) == [False, True, False]
    assert list(batch.failed) == [False, True, False]
    reasons, errors = batch.reasons, batch.errors
    assert reasons[0] is None and errors[2] is None
    assert reasons[1] is not None and "bring the targets closer" in reasons[1]
    assert isinstance(errors[1], taffeta.StepRefused)
    assert errors[1].reason == "out-of-reach"
    assert np.allclose(batch.times[[0, 2]], 0.2)
    stuck = batch.times[1]
    assert batch.step(steps=2)[1]
    assert np.allclose(batch.times, [0.22, stuck, 0.22])
    batch.reset([1])
    assert not batch.failed.any()
    batch.step()
    assert batch.times[1] == 0.01


def test_sources_may_differ() -> None:
    other = taffeta.Simulation("swing", {"cloth.fabric": "denim"})
    other.step(4)
    batch = taffeta.Batch(["swing", other])
    batch.step()
    assert np.allclose(batch.times, [0.01, 0.05])
    assert list(batch.get("cloth.density_kg_m2")) == [0.1804, 0.3046]
    mixed = taffeta.Batch([sheet(), "swing"])
    mixed.step()
    assert mixed[0].nodes == 25
    with pytest.raises(taffeta.InvalidInput, match="25 nodes"):
        mixed.positions  # noqa: B018


def test_arrays_are_written_in_place() -> None:
    batch = taffeta.Batch(sheet(), 3)
    out = np.empty((3, 25, 3))
    assert batch.read_positions(out) is out
    assert np.array_equal(out, batch.positions)
    batch.positions = out + 1.0
    assert np.array_equal(batch.positions, out + 1.0)
    batch.velocities = np.full((3, 25, 3), 0.5)
    assert (batch.read_velocities(out) == 0.5).all()
    locked = np.zeros((3, 25, 3))
    locked.flags.writeable = False
    for bad in (np.zeros((3, 25, 3), dtype=np.float32), np.zeros((2, 25, 3)), np.zeros((3, 3, 25)).swapaxes(1, 2), locked):
        with pytest.raises(taffeta.InvalidInput, match="out"):
            batch.read_positions(bad)


def test_parameters_are_set_for_all_or_for_each() -> None:
    batch = taffeta.Batch(sheet(obstacle=FLOOR), 3)
    batch.set("obstacle.floor.friction", 0.4)
    assert list(batch.get("obstacle.floor.friction")) == [0.4, 0.4, 0.4]
    batch.set("obstacle.floor.friction", [0.1, 0.2], ids=[2, 0])
    assert list(batch.get("obstacle.floor.friction")) == [0.2, 0.4, 0.1]
    batch.set("gravity_m_s2", [0, 0, -1])
    assert np.array_equal(batch.get("gravity_m_s2"), [[0, 0, -1]] * 3)
    batch.set("gravity_m_s2", np.eye(3))
    assert np.array_equal(batch.get("gravity_m_s2"), np.eye(3))
    for values, said in (([0.5, -1.0, 0.5], "0 or a positive"), ([1, 2], "3 of them"), (np.nan, "0 or a positive")):
        with pytest.raises(taffeta.InvalidInput, match=said):
            batch.set("obstacle.floor.friction", values)
    assert list(batch.get("obstacle.floor.friction")) == [0.2, 0.4, 0.1], "all or none"
    batch.reset()
    assert list(batch.get("obstacle.floor.friction")) == [0.3, 0.3, 0.3]


def test_grippers_of_a_batch_do_what_single_ones_do() -> None:
    source = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER))
    source.hold([0, 4])
    batch = taffeta.Batch(source, 3, threads=2)
    batch.close_gripper("left", [0, 1])
    place, _ = source.gripper_pose("left")
    batch.step(steps=30)
    batch.open_gripper("left", [1])
    batch.move_gripper("left", np.array([place, place, place]) + [0, 0, 0.01], steps=10)
    batch.step(steps=30)
    assert [grip.closed for grip in batch.grips("left")] == [True, False, False]
    source.close_gripper("left")
    source.step(30)
    source.move_gripper("left", place + [0, 0, 0.01], steps=10)
    source.step(30)
    assert bits(batch[0]) == bits(source)


def test_what_can_be_asked_of_a_batch_is_what_single_simulations_say() -> None:
    plate = {"plate": {"shape": "box", "size_m": [0.4, 0.4, 0.02], "place_m": [0.1, 0.1, 0.03]}}
    source = taffeta.Simulation(sheet(obstacle=plate))
    source.hold([0, 24])
    batch = taffeta.Batch(source, 2, threads=2)
    goals = np.array([[0.1, 0.1, 0.03], [0.1, 0.1, 0.04]])
    half = np.sqrt(0.5)
    batch.move_obstacle("plate", goals, [[1, 0, 0, 0], [half, 0, 0, half]], steps=20)
    batch.step(steps=25)
    for k, turn in enumerate(([1, 0, 0, 0], [half, 0, 0, half])):
        single = source.copy()
        single.move_obstacle("plate", goals[k], turn, steps=20)
        single.step(25)
        assert bits(batch[k]) == bits(single)
        force, torque = single.obstacle_wrench("plate")
        forces, torques = batch.obstacle_wrenches("plate")
        assert np.array_equal(forces[k], force)
        assert np.array_equal(torques[k], torque)
        assert np.array_equal(batch.hand_forces[k], single.hand_forces)
        assert np.array_equal(batch.hand_targets[k], single.hand_targets)
        assert np.array_equal(batch.node_tensions[k], single.node_tensions)
        assert np.linalg.norm(force) > 0.0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda batch: batch.step(np.zeros((3, 1, 3))), "no hands"),
        (lambda batch: batch.step(ids=[3]), "0 to 2"),
        (lambda batch: batch.step(ids=[-1]), "ids has -1"),
        (lambda batch: batch.step(ids=[1, 1]), "twice"),
        (lambda batch: batch.step(steps=-1), "0 or more"),
        (lambda batch: batch.restore(None, [b""]), "1 states for 3"),
        (lambda batch: batch.restore([0], b"x"), "not bytes"),
        (lambda batch: batch.restore([0], 5), "Simulation"),
        (lambda batch: setattr(batch, "positions", np.zeros((3, 24, 3))), r"\(3, 25, 3\)"),
        (lambda batch: taffeta.Batch(sheet()), "n is missing"),
        (lambda batch: taffeta.Batch(sheet(), 0), "give 1 to"),
        (lambda batch: taffeta.Batch([]), "list is empty"),
        (lambda batch: taffeta.Batch([sheet()], 2), "leave n out"),
        (lambda batch: taffeta.Batch(sheet(), 1, threads=0), "threads"),
        (lambda batch: taffeta.Batch(batch[0], 1, overrides={"dt_s": 1}), "overrides"),
        (lambda batch: batch.hold([25]), "0 to 24"),
        (lambda batch: batch.move_gripper("left", np.zeros((3, 3))), "no gripper"),
        (lambda batch: batch.get("friction"), "no parameter"),
    ],
)
def test_what_cannot_be_done_is_refused(call: object, said: str) -> None:
    batch = taffeta.Batch(sheet(), 3, threads=1)
    with pytest.raises(taffeta.InvalidInput, match=said):
        call(batch)  # type: ignore[operator]
    with pytest.raises(IndexError):
        batch[3]
    assert len(list(batch)) == 3


def test_ctrl_c_ends_a_long_call() -> None:
    import _thread

    batch = taffeta.Batch("swing", 3, threads=2)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        batch.step(steps=100_000_000)
    assert time.perf_counter() - start < 5.0
    assert not batch.step().any()


def test_two_threads_at_once_are_told_so() -> None:
    batch = taffeta.Batch("swing", 2, threads=1)
    done = threading.Event()

    def work() -> None:
        batch.step(steps=10_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    refused = False
    while not done.is_set() and not refused:
        try:
            batch.times  # noqa: B018
        except taffeta.Busy:
            refused = True
    thread.join()
    assert refused


def test_branches_of_a_folded_state_are_cheap(fold: taffeta.Simulation) -> None:
    fold.step(80)
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        batch = taffeta.Batch(fold, 64)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.064
    batch.step(ids=[0, 63])
    fold.step()
    assert bits(batch[63]) == bits(fold) == bits(batch[0])


def test_resets_do_not_let_memory_grow() -> None:
    resource = pytest.importorskip("resource")
    batch = taffeta.Batch(sheet(obstacle=FLOOR), 4, threads=1)

    def work(count: int) -> int:
        for _ in range(count):
            batch.step()
            batch.reset()
            batch.positions  # noqa: B018
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    resets = int(os.environ.get("TAFFETA_RESETS", "2000"))
    before = work(200)
    assert work(resets) - before < 4096, "kB"
