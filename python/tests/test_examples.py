"""The examples run, in short forms, and do what they say."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

EXAMPLES = ROOT / "examples" / "python"

sys.path.insert(0, str(EXAMPLES))


def test_a_planner_folds_no_worse_than_the_script_that_it_begins_with() -> None:
    import mpc_fold

    for scripted, planned in mpc_fold.main(["--starts", "2", "--samples", "6", "--rounds", "1", "--replans", "1"]):
        assert planned <= scripted
        assert 0 <= planned < 100


def test_paths_go_from_the_hands_to_the_far_corners() -> None:
    import folding

    sim = folding.random_start(3)
    course = folding.Course.of(sim)
    (path,) = course.targets(np.zeros((1, folding.PLAN_SIZE)))
    assert path.shape == (folding.PARTS, 2, 3)
    assert np.allclose(path[-1], course.end)
    assert path[folding.PARTS // 2 - 1, :, 2].min() > 0.15
    # What is left of a path that has begun is what was left of it.
    assert np.array_equal(course.targets(np.full((1, folding.PLAN_SIZE), 0.01), 3)[0], course.targets(np.full((1, folding.PLAN_SIZE), 0.01))[0, 3:])
    # The same seed is the same towel.
    assert np.array_equal(folding.random_start(3).positions, sim.positions)


def test_branches_with_the_friction_of_the_present_are_the_present() -> None:
    import branching

    errors = branching.main(futures=6)
    assert len(set(errors.tolist())) > 1, "friction matters"


def test_a_policy_is_trained() -> None:
    pytest.importorskip("cma")
    import cma_policy

    scripted, trained = cma_policy.main(["--towels", "2", "--generations", "2", "--population", "4", "--held-out", "2"])
    assert 0 < scripted < 200
    assert 0 < trained < 400


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_something(notebook: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    # The kernel is another process.
    paths = [str(ROOT / "python"), str(EXAMPLES), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(command).parent), os.environ["PATH"]]))
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    book = nbformat.read(notebook, as_version=4)
    client = nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = json.dumps([cell.get("outputs", []) for cell in book.cells if cell.cell_type == "code"])
    assert "iframe" in shown


def test_notebooks_are_kept_without_what_they_showed() -> None:
    notebooks = sorted(EXAMPLES.glob("*.ipynb"))
    assert len(notebooks) == 2
    for notebook in notebooks:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells if cell["cell_type"] == "code")
