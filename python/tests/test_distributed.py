"""Sweeps and rollouts on this machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import FLOOR, sheet

import taffeta
from taffeta.distributed import rollouts, sweep
from taffeta.sweep import main

FRICTION = {"obstacle.floor.friction": [0.1, 0.5], "cloth.fabric": ["wool", "denim"]}
SCENE = sheet(obstacle=FLOOR, held={"corner": {"corner": "bottom-left"}})


def weight(sim: taffeta.Simulation) -> float:
    return float(9.81 * sim.node_masses.sum())


def failing(sim: taffeta.Simulation) -> float:
    if sim.get("obstacle.floor.friction") == 0.5:
        raise RuntimeError("a metric that cannot be had")
    return 1.0


def same(first: dict[str, object], second: dict[str, object]) -> bool:
    """Whether two rows are equal but for the time that they took."""
    return {**first, "seconds": 0} == {**second, "seconds": 0}


def test_every_combination_is_simulated_and_comes_to_the_bits_of_a_single_simulation() -> None:
    table = sweep(SCENE, FRICTION, seconds=0.3, metrics={"weight": weight, "low": lambda sim: sim.positions[:, 2].min()})
    assert table.parameters == tuple(FRICTION)
    assert [(row["obstacle.floor.friction"], row["cloth.fabric"]) for row in table.rows] == [
        (0.1, "wool"),
        (0.1, "denim"),
        (0.5, "wool"),
        (0.5, "denim"),
    ]
    # What a fabric changes by default changes with it.
    assert table.column("weight")[1] == pytest.approx(table.column("weight")[0] * 0.3046 / 0.1804)
    alone = taffeta.Simulation(SCENE, {"obstacle.floor.friction": 0.5, "cloth.fabric": "wool"})
    alone.step(30)
    assert table.rows[2]["low"] == alone.positions[:, 2].min()
    single = sweep(SCENE, FRICTION, seconds=0.3, metrics={"weight": weight, "low": lambda sim: sim.positions[:, 2].min()}, workers=1)
    assert all(same(*rows) for rows in zip(table.rows, single.rows, strict=True))


def test_processes_come_to_the_same_bits() -> None:
    threads, processes = (sweep(SCENE, FRICTION, seconds=0.1, processes=processes, workers=2) for processes in (False, True))
    assert not threads.failed
    assert [row["digest"] for row in threads.rows] == [row["digest"] for row in processes.rows]


def test_a_state_goes_on_with_parameters_that_vary() -> None:
    sim = taffeta.Simulation(SCENE)
    sim.step(10)
    table = sweep(sim, {"obstacle.floor.friction": np.linspace(0.1, 0.3, 3)}, seconds=0.2, metrics=["mean_height_m"])
    sim.set("obstacle.floor.friction", 0.2)
    sim.step(20)
    assert table.rows[1]["mean_height_m"] == sim.positions[:, 2].mean()


def test_a_sweep_is_resumed_and_does_what_is_new(tmp_path: Path) -> None:
    calls: list[float] = []

    def metric(sim: taffeta.Simulation) -> float:
        calls.append(sim.time)
        return sim.covered_area()

    values = {"cloth.damping_kg_m2_s": [0.0, 0.1, 0.2]}
    first = sweep(SCENE, values, seconds=0.1, metrics=metric, out=tmp_path)
    assert len(calls) == 3
    files = list(tmp_path.glob("*.json"))
    assert len(files) == 3
    assert not list(tmp_path.glob(".*")), "drafts are left"
    assert all(same(*rows) for rows in zip(first.rows, sweep(SCENE, values, seconds=0.1, metrics=metric, out=tmp_path).rows, strict=True))
    assert len(calls) == 3
    more = sweep(SCENE, {"cloth.damping_kg_m2_s": [0.2, 0.3]}, seconds=0.1, metrics=metric, out=tmp_path)
    assert len(calls) == 4
    assert same(more.rows[0], first.rows[2])
    # A file that was cut short, another duration and another scene are done again.
    files[0].write_text("{")
    sweep(SCENE, values, seconds=0.1, metrics=metric, out=tmp_path)
    assert len(calls) == 5
    sweep(SCENE, values, seconds=0.11, metrics=metric, out=tmp_path)
    sweep(SCENE, values, seconds=0.1, metrics=metric, out=tmp_path, overrides={"cloth.drag": 0.1})
    assert len(calls) == 11


def test_a_job_that_fails_says_why_and_the_others_go_on(tmp_path: Path) -> None:
    table = sweep(SCENE, {"cloth.density_kg_m2": [0.2, -1.0]}, seconds=0.1, out=tmp_path)
    assert [row["error"] is None for row in table.rows] == [True, False]
    assert "SceneError" in table.failed[0]["error"]
    assert "cloth.density_kg_m2" in table.failed[0]["error"]
    assert np.isnan(table.column("covered_area_m2")).tolist() == [False, True]
    # What is wrong with a metric may be put right: such a job is tried again, and one that is refused is not.
    table = sweep(SCENE, {"obstacle.floor.friction": [0.5, 0.6]}, seconds=0.1, metrics=failing, out=tmp_path)
    assert "RuntimeError: a metric that cannot be had" in table.rows[0]["error"]
    stored = [json.loads(file.read_text()) for file in tmp_path.glob("*.json")]
    assert sorted(entry["final"] for entry in stored) == [False, True, True, True]


def test_short_jobs_are_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    from taffeta.distributed import jobs

    sizes: list[int] = []
    run_all = jobs.run_all

    def counted(work: jobs.Work, several: list[dict[str, object]]) -> list[jobs.Result]:
        sizes.append(len(several))
        return run_all(work, several)

    monkeypatch.setattr(jobs, "run_all", counted)
    table = sweep(SCENE, {"cloth.damping_kg_m2_s": np.linspace(0, 0.2, 200)}, seconds=0.01, metrics=["lowest_m"], workers=1)
    assert len(table) == sum(sizes) == 200
    assert max(sizes) > 10


def test_a_table_is_written_for_other_programs(tmp_path: Path) -> None:
    table = sweep(SCENE, FRICTION, seconds=0.05)
    table.to_csv(tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0] == "obstacle.floor.friction,cloth.fabric,covered_area_m2,mean_height_m,max_edge_strain,error,digest,seconds"
    assert float(lines[3].split(",")[2]) == table.rows[2]["covered_area_m2"]
    assert "<th>cloth.fabric</th>" in table._repr_html_()
    with pytest.raises(taffeta.InvalidInput, match="there is no column"):
        table.column("x")


def test_the_command_line_writes_what_it_can(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["swing", "--set", "cloth.damping_kg_m2_s=0:0.4:3", "--set", "cloth.fabric=wool,denim", "--seconds", "0.1", "--out"]
    assert main([*arguments, str(tmp_path), "--metric", "fastest_m_s", "--override", "cloth.grid.nodes=[4, 5]"]) == 0
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 7
    out, err = capsys.readouterr()
    for name, package in (("table.parquet", "pyarrow"), ("plot.png", "matplotlib")):
        assert (tmp_path / name).exists() == (name in out) == (package not in err)
    assert main(["swing", "--set", "dt_s=-1", "--out", str(tmp_path)]) == 1
    assert "failed: dt_s = -1: SceneError" in capsys.readouterr().err
    assert main(["swng", "--set", "dt_s=0.01", "--out", str(tmp_path)]) == 2
    assert 'did you mean "swing"' in capsys.readouterr().err
    for bad, said in ((["--set", "x"], "KEY=LOW:HIGH:COUNT"), (["--set", "x=1:2:a"], "LOW:HIGH:COUNT"), (["--set", "x=1", "--metric", "y"], "no metric")):
        with pytest.raises(SystemExit):
            main(["swing", *bad])
        assert said in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_ctrl_c_ends_a_sweep_that_goes_on_when_it_is_run_again(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "taffeta.sweep", "swing", "--set", "cloth.damping_kg_m2_s=0:0.5:40", "--out", str(tmp_path)]
    run = subprocess.Popen([*arguments, "--seconds", "20"], stderr=subprocess.PIPE, text=True)
    begun = time.monotonic()
    while not list(tmp_path.glob("jobs/*.json")) and time.monotonic() - begun < 30:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=10)
    assert run.returncode == 130, err
    assert "run it again" in err
    done = {file.name: file.stat().st_mtime_ns for file in tmp_path.glob("jobs/*.json")}
    assert 0 < len(done) < 40
    assert subprocess.run([*arguments, "--seconds", "20"], capture_output=True).returncode == 0
    after = {file.name: file.stat().st_mtime_ns for file in tmp_path.glob("jobs/*.json")}
    assert len(after) == 40
    assert done.items() <= after.items()
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 41


def test_rollouts_are_those_of_single_simulations() -> None:
    sim = taffeta.Simulation(SCENE)
    sim.hold([20, 24])
    sim.step(3)
    plans = sim.hand_targets + np.random.default_rng(1).normal(0, 0.02, (6, 2, 2, 3)) + [0, 0, 0.05]
    plans[4, 1, 0] = [5.0, 0.0, 0.0]
    found = rollouts(sim, plans, steps=10, settle=5, metric=lambda sim: float(sim.positions[:, 2].max()))
    assert found.values is not None
    for k in (0, 5):
        alone = sim.copy()
        for targets in plans[k]:
            alone.move(targets, steps=10)
            alone.step(10)
        alone.release()
        alone.step(5)
        assert np.array_equal(found.positions[k], alone.positions)
        assert np.array_equal(found.velocities[k], alone.velocities)
        assert found.values[k] == alone.positions[:, 2].max()
    assert not found.failed[0]
    assert found.reasons[0] is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sweep(SCENE, {}), "nothing to vary"),
        (lambda: sweep(SCENE, {"dt_s": []}), "nothing to vary"),
        (lambda: sweep(SCENE, {"dt_s": 0.01}), "give a list"),
        (lambda: sweep(SCENE, {"dt_s": "0.01"}), "give a list"),
        (lambda: sweep(SCENE, {"dt_s": [object()]}), "no value"),
        (lambda: sweep(SCENE, [{"dt_s": 0.01}, {"duration_s": 1}]), "point 1"),
        (lambda: sweep(SCENE, {"dt_s": [0.01]}, metrics=["height"]), "no metric 'height'"),
        (lambda: sweep(SCENE, {"dt_s": [0.01]}, metrics=[]), "nothing to measure"),
        (lambda: sweep(SCENE, {"dt_s": [0.01]}, seconds=0), "seconds"),
        (lambda: sweep(SCENE, {"dt_s": [0.01]}, workers=0), "workers"),
        (lambda: sweep(SCENE, {"dt_s": [0.01]}, processes=True, ray="auto"), "leave processes out"),
        (lambda: sweep(taffeta.Simulation(SCENE), {"dt_s": [0.01]}, overrides={"dt_s": 1}), "overrides"),
        (lambda: rollouts(taffeta.Simulation(SCENE), np.zeros((2, 1, 1, 3)), steps=1), r"\(plans, parts, 0, 3\)"),
        (lambda: rollouts(taffeta.Simulation(SCENE), np.zeros((2, 1, 0, 3)), steps=0), "steps is 0"),
    ],
)
def test_what_cannot_be_done_is_refused(call: object, said: str) -> None:
    with pytest.raises(taffeta.InvalidInput, match=said):
        call()  # type: ignore[operator]
