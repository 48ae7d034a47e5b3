"""The code and the tables of the page about environments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

gymnasium = pytest.importorskip("gymnasium")

from taffeta.envs import TASKS, ClothEnv  # noqa: E402

PAGE = ROOT / "docs" / "environments.md"


def test_the_code_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"```python\n(.*?)```", text, re.DOTALL))
    assert len(blocks) == text.count("```python") == 5
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
    assert (tmp_path / "tablecloth.png").stat().st_size > 1000


def test_the_tables_say_what_is() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, task in TASKS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `taffeta/{name}-v0`"))
        assert f"`{task.metric}`" in row
        assert row.endswith(f"| {task.time_limit:g} s |")
        _, info = ClothEnv(name).reset(seed=0)
        assert task.metric in info
    nodes = {name: f"{task.grid[0]}×{task.grid[1]}" for name, task in TASKS.items()}
    assert f"| FoldHalf, FoldDiagonal | {nodes['FoldHalf']}, {nodes['FoldDiagonal']} |" in text
    for name in ("Swing", "Fling", "Drag", "Hang", "Tablecloth"):
        assert f"| {name} | {nodes[name]} |" in text
    speeds = {name: task.speed for name, task in TASKS.items()}
    assert (speeds.pop("Fling"), speeds.pop("Drag")) == (2.0, 0.5)
    assert set(speeds.values()) == {1.0}
