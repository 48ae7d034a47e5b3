"""Whatever way a simulation is run, it comes to the same bits."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import FLOOR, GRIPPER, bits, sheet

import taffeta


@pytest.mark.parametrize("scene", ["swing", "pinch"])
def test_the_command_and_python_come_to_the_same_bits(command: str, scene: str, tmp_path: Path) -> None:
    overrides = {"duration_s": 0.5, "frame_interval_s": 0.05}
    settings = [text for key, value in overrides.items() for text in ("--set", f"{key}={value}")]
    folder = tmp_path / "run"
    subprocess.run([command, "run", scene, *settings, "--out", str(folder), "--quiet"], check=True, capture_output=True)
    recorded = np.load(folder / "positions.npy")
    sim = taffeta.Simulation(scene, overrides)
    steps = round(0.05 / sim.dt)
    assert len(recorded) == 11
    for k, frame in enumerate(recorded):
        assert frame.tobytes() == sim.positions.tobytes(), f"frame {k}"
        sim.step(steps)


def busy() -> taffeta.Simulation:
    """A simulation in which everything that is saved plays a part."""
    free = {"ball": {"shape": "sphere", "radius_m": 0.02, "body": "free", "mass_kg": 0.02, "place_m": [0.1, 0.1, 0.08]}}
    plate = {"plate": {"shape": "box", "size_m": [0.1, 0.1, 0.02], "place_m": [0.1, 0.05, 0.03]}}
    held = {"corner": {"corner": "bottom-left"}}
    scene = sheet(obstacle=FLOOR | free | plate, gripper=GRIPPER, held=held)
    sim = taffeta.Simulation(scene)
    sim.set("obstacle.plate.friction", 0.7)
    sim.set("gripper.left.force_N", 6.0)
    sim.set("gravity_m_s2", [0.5, 0.0, -9.0])
    sim.close_gripper("left")
    sim.hold([4], exact=True)
    sim.hold([2], max_force=3.0)
    sim.step(8)
    sim.release([0])
    sim.move(sim.hand_targets + [0.0, 0.0, 0.05], steps=30)
    sim.move_obstacle("plate", [0.1, 0.05, 0.04], steps=25)
    place, _ = sim.gripper_pose("left")
    sim.move_gripper("left", place + [0, 0, 0.02], steps=25)
    sim.step(10)
    return sim


def test_saves_copies_and_pickles_go_on_to_the_same_bits() -> None:
    sim = busy()
    saved, before = sim.save(), bits(sim)
    fresh = taffeta.Simulation(sim.toml)
    fresh.restore(saved)
    others = [sim.copy(), copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim)), fresh]
    others.append(taffeta.Simulation.from_bytes(sim.to_bytes()))
    for other in others:
        assert bits(other) == before
        assert list(other.hands) == [4, 2]
        assert other.get("obstacle.plate.friction") == 0.7
    sim.step(30)
    assert bits(sim) != before
    for k, other in enumerate(others):
        other.step(30)
        assert bits(other) == bits(sim), k
        assert other.grip("left").opening == sim.grip("left").opening
    sim.restore(saved)
    assert bits(sim) == before
    sim.step(30)
    assert bits(sim) == bits(fresh)


def test_to_restore_what_was_saved_before_takes_back_what_was_done_since() -> None:
    plain = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER, held={"corner": {"corner": "bottom-left"}}))
    saved = plain.save()
    plain.step(20)
    expected = bits(plain)
    plain.set("obstacle.floor.friction", 0.0)
    plain.hold([7])
    plain.release([0])
    plain.close_gripper("left")
    plain.move_gripper("left", [0, 0, 1], steps=5)
    plain.move_obstacle("floor", [0, 0, -1], steps=5)
    plain.step(5)
    plain.restore(saved)
    plain.step(20)
    assert bits(plain) == expected


def test_another_process_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    sim = busy()
    saved = tmp_path / "sim.pickle"
    saved.write_bytes(pickle.dumps(sim))
    code = (
        "import pickle, sys; sim = pickle.loads(open(sys.argv[1], 'rb').read()); sim.step(12); "
        "sys.stdout.buffer.write(sim.positions.tobytes())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(saved)], check=True, capture_output=True)
    sim.step(12)
    assert done.stdout == sim.positions.tobytes()


def test_files_of_a_scene_travel_with_a_pickle(tmp_path: Path) -> None:
    text = taffeta.obj_text([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]], [[0, 1, 2], [0, 2, 3]])
    file = tmp_path / "mesh.obj"
    file.write_text(text)
    scene = tmp_path / "scene.toml"
    scene.write_text('duration_s = 1\ndt_s = 0.01\n[cloth.obj]\npath = "mesh.obj"\n')
    sim = taffeta.Simulation(scene)
    pickled = pickle.dumps(sim)
    file.unlink()
    back = pickle.loads(pickled)
    back.step(3)
    sim.step(3)
    assert bits(back) == bits(sim)


def test_what_was_not_saved_so_is_refused_and_changes_nothing(swing: taffeta.Simulation) -> None:
    saved = swing.save()
    swing.step(3)
    before = bits(swing)
    other = taffeta.Simulation("swing", {"cloth.grid.nodes": [4, 4]}).save()
    damaged = bytearray(saved)
    damaged[len(saved) // 2] ^= 1
    for bad, said in (
        (b"", "not bytes that taffeta saved"),
        (b"x" * 100, "not bytes that taffeta saved"),
        (saved[:-5], "damaged"),
        (bytes(damaged), "damaged"),
        (saved[:8] + b"\xff" + saved[9:], "format 255"),
        (other, None),
        (swing.to_bytes(), None),
    ):
        with pytest.raises(taffeta.InvalidInput, match=said):
            swing.restore(bad)
        with pytest.raises(taffeta.InvalidInput):
            taffeta.Simulation.from_bytes(bad[:-1])
        assert bits(swing) == before
    with pytest.raises(TypeError):
        swing.restore("text")  # type: ignore[arg-type]
