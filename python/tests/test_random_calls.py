"""Random calls with random arguments: exceptions of taffeta and nothing else, and a simulation that is sound afterwards."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from conftest import FLOOR, GRIPPER, sheet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import taffeta

#: How many examples there are; each is of some 10 calls.
EXAMPLES = int(os.environ.get("TAFFETA_CALLS", "150"))

#: Besides those of taffeta: what Python raises where an argument is not even of the right kind.
ALLOWED = (taffeta.Error, TypeError, OverflowError)

SIM = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER))
START = SIM.copy()
SAVED = SIM.save()
BATCH = taffeta.Batch(SIM, 2, threads=1)

odd = st.sampled_from([0.0, -1.0, 1e-300, 1e300, np.inf, np.nan, 2**70, -5, "", "\0", b"", None, True, object(), [], {}, SIM])


def array(*shapes: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Arrays that are often of one of these shapes, and small numbers in them."""
    shape = st.sampled_from([*shapes] * 6 + [(), (0,), (3,), (0, 3), (2, 3), (25, 3), (1, 1, 1, 1)])
    return st.builds(lambda shape, value, step: value + step * np.arange(np.prod(shape, dtype=int)).reshape(shape), shape, st.floats(-0.1, 0.1), st.floats(-0.01, 0.01))


nodes = st.one_of(st.integers(-1, 25), st.lists(st.integers(0, 24), max_size=3, unique=True), st.just(np.arange(25) < 2))
steps = st.one_of(st.integers(1, 5), st.integers(-1, 5))
some = st.one_of(st.none(), st.lists(st.integers(-1, 2), max_size=2, unique=True), st.just(np.array([True, False])))
gripper = st.sampled_from(["left", "left", "left", "right"])
obstacle = st.sampled_from(["floor", "floor", "left.a", "table"])
parameter = st.sampled_from([*SIM.parameters(), "friction"])
value = st.one_of(st.floats(0, 0.5), st.floats(), array((3,), (2,), (2, 3)))
travel = {"steps": steps, "interpolation": st.sampled_from(["smooth", "linear", "cubic"])}
holding = {"exact": st.booleans(), "stiffness": st.floats(-1, 1e5), "damping": st.floats(), "max_force": st.floats(0, 200)}
pose = {"position": array((3,)), "rotation": array((4,))}

#: Methods, and what they are called with.
Calls = dict[str, dict[str, st.SearchStrategy[Any]]]
SIM_CALLS: Calls = {
    "step": {"n": st.integers(-1, 3)},
    "read_positions": {"out": array((25, 3))},
    "hold": {"nodes": nodes, "targets": array((1, 3), (2, 3)), **travel, **holding},
    "move": {"targets": array((0, 3), (1, 3), (2, 3)), **travel, "seconds": st.floats(-1, 1)},
    "release": {"nodes": nodes},
    "obstacle_pose": {"name": obstacle},
    "move_obstacle": {"name": obstacle, **pose, **travel},
    "gripper_pose": {"name": gripper},
    "move_gripper": {"name": gripper, **pose, **travel},
    "close_gripper": {"name": gripper},
    "open_gripper": {"name": gripper},
    "grip": {"name": gripper},
    "get": {"name": parameter},
    "set": {"name": parameter, "value": value},
    "obstacle_wrench": {"name": obstacle},
    "overlap": {"polygon": array((3, 2), (4, 2))},
    "restore": {"saved": st.one_of(st.just(SAVED), st.binary(max_size=40))},
    "camera": {"azimuth": st.floats(), "aspect": st.floats()},
    "render": {"width": st.integers(-1, 8), "height": st.integers(-1, 8), "supersample": st.integers(0, 9)},
    "self_intersections": {},
    "copy": {},
    "to_bytes": {},
}
BATCH_CALLS: Calls = {
    "step": {"targets": array((2, 1, 3), (2, 0, 3)), "steps": st.integers(-1, 3), "ids": some},
    "reset": {"ids": some},
    "save": {"ids": some},
    "restore": {"ids": some, "states": st.one_of(st.just(SAVED), st.just([SAVED, SIM]), st.binary(max_size=40))},
    "read_velocities": {"out": array((2, 25, 3))},
    "set": {"name": parameter, "values": value, "ids": some},
    "get": {"name": parameter},
    "hold": {"nodes": nodes, "ids": some, **holding},
    "release": {"nodes": nodes, "ids": some},
    "move_gripper": {"name": gripper, "positions": array((2, 3)), "rotations": array((2, 4)), "ids": some, **travel},
    "close_gripper": {"name": gripper, "ids": some},
    "open_gripper": {"name": gripper, "ids": some},
    "grips": {"name": gripper},
}
PROPERTIES = {True: ["hands", "hand_targets", "failed", "reasons", "errors", "reports", "times"], False: ["contacts", "hand_forces", "tensions", "held", "clearances"]}


@st.composite
def arguments(draw: st.DrawFn, known: Mapping[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    """Most of what a method takes, now and then something odd."""
    given = {name: draw(st.one_of(*[strategy] * 9, odd)) for name, strategy in known.items()}
    left_out = draw(st.sets(st.sampled_from(sorted(known)), max_size=len(known))) if known else set()
    return {name: value for name, value in given.items() if name not in left_out or name in ("name", "nodes", "out", "states")}


def calls_of(methods: Calls) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    return st.one_of(*[st.tuples(st.just(name), arguments(known)) for name, known in methods.items()])


calls = st.lists(
    st.one_of(
        st.tuples(st.just(False), calls_of(SIM_CALLS)),
        st.tuples(st.just(True), calls_of(BATCH_CALLS)),
        st.tuples(st.booleans(), st.tuples(st.sampled_from(["positions", "velocities"]), array((25, 3), (2, 25, 3)))),
    ),
    min_size=4,
    max_size=16,
)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(calls)
def test_no_call_does_harm(made: list[tuple[bool, tuple[str, Any]]]) -> None:
    for on_batch, (name, given) in made:
        target: Any = BATCH if on_batch else SIM
        try:
            if isinstance(given, dict):
                getattr(target, name)(**given)
            else:
                setattr(target, name, given)
        except ALLOWED:
            pass
    for on_batch, names in PROPERTIES.items():
        for name in names:
            try:
                getattr(BATCH if on_batch else SIM, name)
            except taffeta.InvalidInput:
                assert name.startswith("hand"), "simulations of a batch may hold different numbers of nodes"
    # Whatever was done is taken back, and what follows is what would have followed.
    SIM.restore(SAVED)
    BATCH.reset()
    expected = START.copy()
    expected.step(2)
    SIM.step(2)
    BATCH.step(steps=2)
    assert np.array_equal(SIM.positions, expected.positions)
    assert np.array_equal(BATCH.positions, np.stack([expected.positions] * 2))
