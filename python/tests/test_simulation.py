"""Simulations: made from whatever describes a scene, stepped, and looked at."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import FLOOR, ROOT, bits, sheet

import taffeta


def test_a_scene_is_a_name_a_file_a_text_or_a_dict(tmp_path: Path) -> None:
    file = ROOT / "scenes" / "swing.toml"
    text = file.read_text()
    sims = [taffeta.Simulation(source) for source in ("swing", str(file), file, text)]
    for sim in sims:
        sim.step(3)
        assert bits(sim) == bits(sims[0])
    assert [sim.name for sim in sims] == ["swing", "swing", "swing", "scene"]
    assert taffeta.Simulation(sims[0].toml).toml == sims[0].toml
    made = taffeta.Simulation(sheet(obstacle=FLOOR))
    assert (made.nodes, made.grid, made.obstacles) == (25, (5, 5), ["floor"])


def test_overrides_are_those_of_the_command() -> None:
    overrides = {"cloth.fabric": "denim", "cloth.grid.nodes": [3, 3], "cloth.self_collision": False, "duration_s": 2}
    sim = taffeta.Simulation("swing", overrides)
    assert sim.nodes == 9
    assert sim.get("cloth.density_kg_m2") == 0.3046
    assert sim.duration == 2.0
    assert "cloth.self_friction" not in sim.parameters()
    numbers = {"cloth.grid.nodes": np.array([3, 4]), "cloth.density_kg_m2": np.float64(0.2)}
    assert taffeta.Simulation("swing", numbers).nodes == 12


def test_a_mesh_of_arrays_becomes_a_cloth() -> None:
    x, y = np.meshgrid(np.linspace(0, 0.3, 4), np.linspace(0, 0.2, 3))
    vertices = np.stack([x.ravel(), y.ravel(), np.full(12, 0.1)], axis=1)
    faces = [[r * 4 + c, r * 4 + c + 1, r * 4 + c + 5, r * 4 + c + 4] for r in range(2) for c in range(3)]
    scene = {"duration_s": 1, "dt_s": 0.01, "cloth": {"obj": {"path": "mesh.obj"}}}
    sim = taffeta.Simulation(scene, files={"mesh.obj": taffeta.obj_text(vertices, faces)})
    assert np.array_equal(sim.positions, vertices)
    assert np.array_equal(sim.elements, faces)
    assert sim.node_masses.sum() == pytest.approx(0.06 * sim.get("cloth.density_kg_m2"))


@pytest.mark.parametrize(
    ("scene", "overrides", "said"),
    [
        ("swng", None, 'did you mean "swing"'),
        ("no/such.toml", None, "no/such.toml"),
        ("duration_s = ", None, "line 1"),
        ("swing", {"cloth.fabrc": 1}, "did you mean `fabric`"),
        ("swing", {"cloth.density_kg_m2": -1.0}, "set by overrides: cloth.density_kg_m2"),
        ("swing", {"dt_s.x": 1}, 'overrides["dt_s.x"]'),
        ({"duration_s": 1}, None, "dt_s"),
        (sheet(obstacle={"box": {"shape": "box", "size_m": [1, 1, 1]}}), None, "inside obstacle 0"),
    ],
)
def test_what_is_wrong_with_a_scene_is_named(scene: object, overrides: dict[str, object] | None, said: str) -> None:
    with pytest.raises(taffeta.SceneError) as caught:
        taffeta.Simulation(scene, overrides)  # type: ignore[arg-type]
    assert said in str(caught.value)


@pytest.mark.parametrize("scene", [5, None, {1: 2}, {"a": object()}, {"a": {"b": None}}, {"a": 2**70}])
def test_what_is_no_scene_is_refused(scene: object) -> None:
    with pytest.raises(taffeta.InvalidInput):
        taffeta.Simulation(scene)  # type: ignore[arg-type]
    endless: dict[str, object] = {}
    endless["self"] = endless
    with pytest.raises(taffeta.InvalidInput, match="nested"):
        taffeta.Simulation(endless)


def test_the_report_of_several_steps_sums_work_and_keeps_the_worst(swing: taffeta.Simulation) -> None:
    alone = swing.copy()
    single = [alone.step().as_dict() for _ in range(20)]
    together = swing.step(20)
    for name in ("substeps", "iterations", "factorisations"):
        assert getattr(together, name) == sum(report[name] for report in single)
    for name in ("max_edge_strain", "max_lag", "residual", "unbalanced"):
        assert getattr(together, name) == max(report[name] for report in single)
    assert together.kinetic_energy == single[-1]["kinetic_energy"]
    assert together.energy == single[-1]["energy"]
    assert (together.steps, alone.step().steps) == (20, 1)
    assert swing.report is not None
    assert swing.report.as_dict() == together.as_dict()
    assert taffeta.Simulation("swing").report is None


def test_places_and_velocities_are_copies_and_can_be_set(swing: taffeta.Simulation) -> None:
    before = swing.positions
    before += 1.0
    assert not np.array_equal(swing.positions, before)
    swing.positions = before
    swing.velocities = np.full((63, 3), 0.1)
    assert np.array_equal(swing.positions, before)
    assert np.array_equal(swing.velocities, np.full((63, 3), 0.1))
    out = np.empty((63, 3))
    assert swing.read_positions(out) is out
    assert np.array_equal(out, before)
    swing.read_velocities(out)
    assert (out == 0.1).all()


def test_free_fall_is_that_of_a_stone() -> None:
    sim = taffeta.Simulation(sheet(), {"cloth.damping_kg_m2_s": 0})
    start = sim.positions
    sim.step(10)
    # Implicit Euler: h² g (1 + 2 + … + n).
    fallen = start[:, 2] - sim.positions[:, 2]
    assert np.allclose(fallen, 9.81 * 0.01**2 * 55, rtol=1e-6)


def test_ctrl_c_ends_a_long_call_between_steps(swing: taffeta.Simulation) -> None:
    import _thread

    timer = threading.Timer(0.2, _thread.interrupt_main)
    start = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        swing.step(100_000_000)
    assert time.perf_counter() - start < 5.0
    assert swing.steps > 0
    swing.step()


def test_two_threads_at_once_are_told_so(swing: taffeta.Simulation) -> None:
    done = threading.Event()

    def work() -> None:
        swing.step(20_000)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    refused = False
    while not done.is_set() and not refused:
        try:
            swing.time  # noqa: B018
        except taffeta.Busy as error:
            assert "another thread" in str(error)
            refused = True
    thread.join()
    assert refused
    assert swing.steps == 20_000


def test_a_refused_step_says_why_and_changes_nothing() -> None:
    sim = taffeta.Simulation(sheet())
    sim.hold([0, 4], exact=True)
    sim.step(2)
    far = sim.hand_targets + [[0, 0, 0], [1.0, 0, 0]]
    sim.move(far, steps=20, interpolation="linear")
    with pytest.raises(taffeta.StepRefused) as caught:
        sim.step(20)
    error = caught.value
    assert error.reason == "out-of-reach"
    assert set(error.nodes) == {0, 4}
    assert error.details["distance"] > error.details["available"] > 0.19
    assert sim.steps == 2 + error.steps
    assert error.time == pytest.approx(sim.time)
    assert "bring the targets closer" in str(error)
    before = bits(sim)
    with pytest.raises(taffeta.StepRefused):
        sim.step()
    assert bits(sim) == before
    sim.release([4])
    sim.step(5)


def test_errors_survive_a_pickle() -> None:
    import pickle

    error = taffeta.StepRefused("why", "not-solved", 0.5, 3, (1, 2), ("table",), {"strain": 1.0})
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.reason, back.time, back.steps) == ("why", "not-solved", 0.5, 3)
    assert (back.nodes, back.obstacles, back.details) == ((1, 2), ("table",), {"strain": 1.0})
    assert isinstance(taffeta.InvalidInput("x"), ValueError)


BAD_ARRAYS = [
    np.zeros((62, 3)),
    np.zeros((63, 2)),
    np.zeros(63),
    np.zeros((1, 63, 3)),
    np.full((63, 3), np.nan),
    np.full((63, 3), np.inf),
    np.zeros((63, 3), dtype=complex),
    np.full((63, 3), "x"),
    np.full((63, 3), None),
    [[1, 2, 3], [1, 2]],
    "positions",
    None,
    object(),
]


@pytest.mark.parametrize("bad", BAD_ARRAYS, ids=range(len(BAD_ARRAYS)))
def test_arrays_that_cannot_be_used_are_refused(swing: taffeta.Simulation, bad: object) -> None:
    before = bits(swing)
    for name in ("positions", "velocities"):
        with pytest.raises(taffeta.InvalidInput, match=name):
            setattr(swing, name, bad)
    assert bits(swing) == before


def test_arrays_of_other_types_and_layouts_are_read(swing: taffeta.Simulation) -> None:
    places = np.arange(189.0).reshape(63, 3)
    for same in (places.astype(np.float32), np.asfortranarray(places), places.astype(int), places.tolist()):
        swing.positions = same
        assert np.array_equal(swing.positions, places)
    swing.positions = np.repeat(places, 2, axis=0)[::2]
    assert np.array_equal(swing.positions, places)
    with pytest.raises(taffeta.InvalidInput, match=r"NaN at \[62, 2\]"):
        places[62, 2] = np.nan
        swing.positions = places


def test_arrays_to_write_to_must_fit(swing: taffeta.Simulation) -> None:
    locked = np.zeros((63, 3))
    locked.flags.writeable = False
    for bad in (np.zeros((63, 3), dtype=np.float32), np.zeros((62, 3)), np.zeros((3, 63)).T, locked, [0.0], None):
        with pytest.raises(taffeta.InvalidInput, match="out"):
            swing.read_positions(bad)  # type: ignore[arg-type]


def test_steps_that_cannot_be_counted_are_refused(swing: taffeta.Simulation) -> None:
    with pytest.raises(taffeta.InvalidInput):
        swing.step(-1)
    with pytest.raises(TypeError):
        swing.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        swing.step(2**80)
    assert swing.step(0).steps == 0


def test_everything_public_is_documented() -> None:
    for name in taffeta.__all__:
        item = getattr(taffeta, name)
        if isinstance(item, type):
            assert item.__doc__, name
            for attribute, value in vars(item).items():
                if not attribute.startswith("_") and not isinstance(value, (str, int)):
                    assert value.__doc__, f"{name}.{attribute}"
