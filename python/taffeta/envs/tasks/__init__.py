"""The tasks."""

from __future__ import annotations

from taffeta.envs.task import Task
from taffeta.envs.tasks.drag import Drag
from taffeta.envs.tasks.fling import Fling
from taffeta.envs.tasks.fold import FoldDiagonal, FoldHalf
from taffeta.envs.tasks.hang import Hang
from taffeta.envs.tasks.swing import Swing
from taffeta.envs.tasks.tablecloth import Tablecloth

#: All tasks, by their names.
TASKS: dict[str, Task] = {
    task.name: task for task in (Swing(), FoldHalf(), FoldDiagonal(), Fling(), Drag(), Hang(), Tablecloth())
}


def task_named(name: str) -> Task:
    """The task of a name, such as ``"FoldHalf"`` or ``"taffeta/FoldHalf-v0"``."""
    short = name.removeprefix("taffeta/").removesuffix("-v0")
    if short not in TASKS:
        raise ValueError(f"there is no task {name!r}: give one of {', '.join(TASKS)}")
    return TASKS[short]


__all__ = ["TASKS", "Drag", "Fling", "FoldDiagonal", "FoldHalf", "Hang", "Swing", "Tablecloth", "task_named"]
