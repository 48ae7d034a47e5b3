"""Recordings: written by Python, and read by it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import FLOOR, GRIPPER, sheet

import taffeta


def test_what_was_recorded_is_read_as_it_was(tmp_path: Path) -> None:
    sim = taffeta.Simulation(sheet(obstacle=FLOOR, gripper=GRIPPER))
    sim.hold([0, 4])
    sim.step(2)
    frames, reports = [sim.positions], []
    with sim.record(tmp_path / "run", frame_steps=5) as recorder:
        assert recorder.path == tmp_path / "run"
        for _ in range(4):
            sim.step(3)
            frames.append(sim.positions)
            assert sim.report is not None
            reports.append(sim.report)
    sim.step()
    recording = taffeta.Recording(tmp_path / "run")
    assert len(recording) == 4
    assert np.allclose(recording.times, [0.02, 0.05, 0.10, 0.14])
    assert recording.positions.shape == recording.velocities.shape == (4, 25, 3)
    assert np.array_equal(recording.positions[0], frames[0])
    assert np.array_equal(recording.positions[1], frames[1])
    assert np.array_equal(recording.positions[-1], frames[-1])
    assert np.array_equal(recording.positions[-1], np.load(tmp_path / "run" / "positions.npy")[-1])
    assert np.array_equal(np.flatnonzero(recording.held[1]), [0, 4])
    assert recording.obstacle_poses.shape == (4, 3, 7)
    assert np.array_equal(recording.elements, sim.elements)
    report = recording.report
    assert len(report["time_s"]) == 12
    assert report["max_edge_strain"].max() == max(report.max_edge_strain for report in reports)
    assert recording.summary is not None
    assert (recording.summary["steps"], recording.summary["by_hand"]) == (12, True)
    assert recording.failure is None
    start = recording.simulation()
    assert start.time == 0.0
    assert np.array_equal(start.faces, sim.faces)
    assert recording.toml == sim.toml


def test_the_command_reads_what_python_records(command: str, tmp_path: Path) -> None:
    sim = taffeta.Simulation("swing")
    with sim.record(tmp_path / "run"):
        sim.step(20)
    check = subprocess.run([command, "check-recording", str(tmp_path / "run")], capture_output=True, text=True)
    assert check.returncode == 0, check.stderr
    resumed = subprocess.run([command, "run", "--resume", str(tmp_path / "run")], capture_output=True, text=True)
    assert resumed.returncode != 0


def test_python_reads_what_the_command_records(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    arguments = [command, "run", "swing", "--set", "duration_s=0.2", "--out", str(folder), "--quiet"]
    subprocess.run(arguments, check=True, capture_output=True)
    recording = taffeta.Recording(folder)
    sim = recording.simulation()
    sim.step(20)
    assert np.array_equal(recording.positions[-1], sim.positions)


def test_a_recording_that_goes_on_or_was_cut_short_can_be_read(tmp_path: Path) -> None:
    sim = taffeta.Simulation("swing")
    recorder = sim.record(tmp_path / "run")
    sim.step(3)
    assert len(taffeta.Recording(tmp_path / "run")) >= 1
    with pytest.raises(taffeta.InvalidInput, match="already"):
        sim.record(tmp_path / "other")
    with pytest.raises(taffeta.InvalidInput, match="being recorded"):
        sim.restore(sim.save())
    recorder.stop()
    recorder.stop()
    with pytest.raises(taffeta.RecordingError, match="overwrite=True"):
        sim.record(tmp_path / "run")
    with sim.record(tmp_path / "run", overwrite=True):
        sim.step()
    assert len(taffeta.Recording(tmp_path / "run").report["time_s"]) == 1
    copy = sim.copy()
    copy.step()


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(taffeta.RecordingError, match="positions|elements"):
        taffeta.Recording(tmp_path)
    with pytest.raises(taffeta.InvalidInput, match="frame_steps"):
        taffeta.Simulation("swing").record(tmp_path / "run", frame_steps=0)
