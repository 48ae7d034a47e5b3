"""Hands, obstacles and grippers that are moved from Python."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FLOOR, GRIPPER, bits, sheet

import taffeta


def test_hands_move_smoothly_to_their_targets_and_stay_there() -> None:
    sim = taffeta.Simulation(sheet())
    sim.hold([0, 4], exact=True)
    start = sim.positions[[0, 4]]
    sim.move(start + [0, 0, 0.1], steps=20)
    places = [start]
    for _ in range(25):
        sim.step()
        places.append(sim.positions[[0, 4]])
    height = np.array(places)[:, 0, 2] - start[0, 2]
    s = np.minimum(np.arange(26) / 20, 1.0)
    assert np.allclose(height, 0.1 * s * s * (3 - 2 * s), atol=1e-12)
    assert np.array_equal(sim.hand_targets, start + [0, 0, 0.1])
    sim.move(start, seconds=0.1, interpolation="linear")
    sim.step(5)
    assert sim.positions[0, 2] == pytest.approx(start[0, 2] + 0.05)


def test_a_new_target_begins_where_the_hand_is() -> None:
    sim = taffeta.Simulation(sheet())
    sim.hold(2, targets=[[0.1, 0.0, 0.15]], steps=10, interpolation="linear")
    sim.step(5)
    here = sim.hand_targets
    assert here[0, 2] == pytest.approx(0.1)
    sim.move(here, steps=1)
    sim.step(3)
    assert np.array_equal(sim.hand_targets, here)


def test_a_hand_takes_over_from_the_scene_without_a_jump(swing: taffeta.Simulation) -> None:
    swing.step(30)
    assert list(swing.held) == [56, 62]
    before = swing.velocities[56]
    swing.hold(swing.held)
    assert list(swing.hands) == [56, 62]
    report = swing.step()
    # The scene's hand would have gone on; this one stays where that one was.
    assert np.linalg.norm(swing.velocities[56]) < np.linalg.norm(before)
    assert report.max_lag < 2e-3
    swing.release()
    assert list(swing.hands) == []
    assert list(swing.held) == []
    swing.step(20)
    assert np.all(swing.hand_forces == 0.0)
    assert swing.velocities[:, 2].mean() < -1.0, "the sheet falls"


def test_hands_carry_the_weight_of_what_hangs_from_them() -> None:
    sim = taffeta.Simulation("swing")
    sim.hold(sim.held)
    sim.step(600)
    weight = 9.81 * sim.node_masses.sum()
    assert sim.hand_forces[:, 2].sum() == pytest.approx(weight, rel=0.02)
    assert np.allclose(sim.held_forces.sum(axis=0), sim.hand_forces.sum(axis=0))
    ends, tension = sim.tensions
    assert ends.shape == (len(tension), 2)
    assert sim.node_tensions.max() == pytest.approx(tension.max())


def test_how_a_hand_holds_is_heeded() -> None:
    weak = taffeta.Simulation(sheet())
    weak.hold([0], targets=[[0, 0, 0.5]], steps=10, max_force=0.01)
    weak.step(10)
    assert weak.report is not None
    assert weak.report.max_lag > 0.1
    assert np.linalg.norm(weak.hand_forces[0]) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda sim: sim.hold([25]), "0 to 24"),
        (lambda sim: sim.hold([-1]), "nodes has -1"),
        (lambda sim: sim.hold([1, 1]), "twice"),
        (lambda sim: sim.hold([0.5]), "whole numbers"),
        (lambda sim: sim.hold([[0, 1]]), "flat list"),
        (lambda sim: sim.hold(np.ones(24, dtype=bool)), "mask"),
        (lambda sim: sim.hold("all"), "whole numbers"),
        (lambda sim: sim.hold([0], stiffness=-1.0), "stiffness"),
        (lambda sim: sim.hold([0], damping=float("nan")), "damping"),
        (lambda sim: sim.hold([0], max_force=0.0), "max_force"),
        (lambda sim: sim.hold([0], exact=True, max_force=1.0), "exact"),
        (lambda sim: sim.hold([0], targets=[[0, 0]]), r"\(1, 3\)"),
        (lambda sim: sim.move(np.zeros((1, 3))), r"\(0, 3\)"),
        (lambda sim: sim.move(np.zeros((0, 3)), steps=0), "1 or more"),
        (lambda sim: sim.move(np.zeros((0, 3)), steps=1, seconds=1.0), "one of them"),
        (lambda sim: sim.move(np.zeros((0, 3)), seconds=float("nan")), "seconds"),
        (lambda sim: sim.move(np.zeros((0, 3)), interpolation="cubic"), "smooth"),
        (lambda sim: sim.release([99]), "0 to 24"),
        (lambda sim: sim.obstacle_pose("table"), "it has none"),
        (lambda sim: sim.move_gripper("left", [0, 0, 0]), "no gripper"),
        (lambda sim: sim.grip("left"), "no gripper"),
    ],
)
def test_what_cannot_be_done_is_refused(call: object, said: str) -> None:
    sim = taffeta.Simulation(sheet())
    with pytest.raises(taffeta.InvalidInput, match=said):
        call(sim)  # type: ignore[operator]


def test_nodes_are_named_by_numbers_or_by_a_mask() -> None:
    sim = taffeta.Simulation(sheet())
    mask = np.zeros(25, dtype=bool)
    mask[[3, 7]] = True
    sim.hold(mask)
    sim.hold(np.int64(9))
    sim.hold(np.array([1, 2], dtype=np.uint8))
    sim.hold([])
    assert list(sim.hands) == [3, 7, 9, 1, 2]


def test_an_obstacle_goes_where_it_is_sent_and_carries_the_cloth() -> None:
    plate = {"plate": {"shape": "box", "size_m": [0.4, 0.4, 0.02], "place_m": [0.1, 0.1, 0.03]}}
    sim = taffeta.Simulation(sheet(obstacle=plate))
    sim.step(30)
    weight = 9.81 * sim.node_masses.sum()
    force, torque = sim.obstacle_wrench("plate")
    assert force[2] == pytest.approx(-weight, rel=0.05)
    assert np.abs(torque).max() < 0.1 * weight
    before = sim.positions[:, 2].mean()
    sim.move_obstacle("plate", [0.1, 0.1, 0.13], seconds=0.5)
    sim.step(60)
    place, turn = sim.obstacle_pose("plate")
    assert np.array_equal(place, [0.1, 0.1, 0.13])
    assert np.array_equal(turn, [1, 0, 0, 0])
    assert sim.positions[:, 2].mean() == pytest.approx(before + 0.1, abs=2e-3)
    contacts = sim.contacts
    assert set(contacts["obstacle"]) == {0}
    assert set(contacts["kind"]) == {0}
    assert contacts["normal_force"].sum() == pytest.approx(weight, rel=0.05)
    assert np.allclose(contacts["place"][:, 2], 0.14, atol=1e-3)
    normal, friction = sim.contact_forces
    assert normal[:, 2].sum() == pytest.approx(contacts["normal_force"].sum())
    assert friction.shape == (25, 3)
    assert sim.clearances.min() == 0.0
    half = np.sqrt(0.5)
    sim.move_obstacle("plate", rotation=[half, 0, 0, half], steps=40)
    sim.step(40)
    place, turn = sim.obstacle_pose("plate")
    assert np.array_equal(place, [0.1, 0.1, 0.13])
    assert np.allclose(turn, [half, 0, 0, half])
    with pytest.raises(taffeta.InvalidInput, match="zero"):
        sim.move_obstacle("plate", rotation=[0, 0, 0, 0])


def test_a_free_body_cannot_be_sent() -> None:
    ball = {"ball": {"shape": "sphere", "radius_m": 0.02, "body": "free", "mass_kg": 0.1, "place_m": [0, 0, 0.5]}}
    sim = taffeta.Simulation(sheet(obstacle=ball))
    with pytest.raises(taffeta.InvalidInput, match="free"):
        sim.move_obstacle("ball", [0, 0, 1])


def test_a_gripper_closes_lifts_and_lets_go() -> None:
    sim = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER))
    assert sim.grippers == ["left"]
    assert sim.obstacles == ["floor", "left.a", "left.b"]
    assert not sim.grip("left").closed
    sim.hold([0, 4, 20, 24])
    sim.close_gripper("left")
    sim.step(40)
    grip = sim.grip("left")
    assert grip.closed
    assert grip.layers >= 1
    assert grip.normal_force.min() == pytest.approx(10.0, rel=0.05)
    sim.release()
    place, _ = sim.gripper_pose("left")
    sim.move_gripper("left", place + [0, 0, 0.2], seconds=0.6)
    sim.step(100)
    assert sim.positions[:, 2].max() > 0.2, "the cloth hangs from the gripper"
    sim.open_gripper("left")
    assert not sim.grip("left").closed
    sim.step(100)
    assert sim.grip("left").opening > 0.03
    assert sim.positions[:, 2].max() < 0.1, "the cloth lies on the floor"
    # Told again, while it does so anyway.
    sim.open_gripper("left")
    sim.close_gripper("left")
    sim.open_gripper("left")
    sim.step(3)
    assert sim.grip("left").opening > 0.03
    with pytest.raises(taffeta.InvalidInput, match="finger"):
        sim.move_obstacle("left.a", [0, 0, 0])


def test_parameters_have_the_names_of_scenes_and_act_at_once() -> None:
    sim = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER))
    for name in sim.parameters():
        value = sim.get(name)
        sim.set(name, value)
        assert np.array_equal(sim.get(name), value), name
    sim.set("gravity_m_s2", [0, 0, 0])
    before = bits(sim)
    sim.step()
    assert np.array_equal(np.frombuffer(before[:600]), sim.positions.ravel()), "nothing falls"
    sim.set("obstacle.floor.friction", 0.9)
    assert sim.get("obstacle.floor.friction") == 0.9
    sim.set("cloth.compression_Pa", np.inf)
    for name, value, said in (
        ("obstacle.flor.friction", 1, 'did you mean "obstacle.floor.friction"'),
        ("friction", 1, "did you mean"),
        ("cloth.density_kg_m2", -1, "positive"),
        ("cloth.density_kg_m2", [1, 2], "one"),
        ("cloth.density_kg_m2", "heavy", "array of numbers"),
        ("gravity_m_s2", 1.0, "three numbers"),
        ("gravity_m_s2", [0, 0, np.nan], "finite"),
    ):
        with pytest.raises(taffeta.InvalidInput, match=said):
            sim.set(name, value)
