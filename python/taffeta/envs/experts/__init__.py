"""Scripted experts: one for each task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taffeta.envs.episode import ACTION_SIZE, Episode
from taffeta.envs.experts.dragging import drag
from taffeta.envs.experts.folding import fold_diagonal, fold_half
from taffeta.envs.experts.hanging import hang
from taffeta.envs.experts.laying import fling, tablecloth
from taffeta.envs.experts.motions import Action, Script
from taffeta.envs.experts.swinging import swing
from taffeta.envs.tasks import task_named

SCRIPTS: dict[str, Callable[[Episode], Script]] = {
    "Swing": swing,
    "FoldHalf": fold_half,
    "FoldDiagonal": fold_diagonal,
    "Fling": fling,
    "Drag": drag,
    "Hang": hang,
    "Tablecloth": tablecloth,
}


class Expert:
    """A scripted policy for a task: called with an environment, it says the next action.

    It looks at the episode itself, where every node is known, and not at observations.
    """

    def __init__(self, task: str) -> None:
        self._script = SCRIPTS[task_named(task).name]
        self._episode: Episode | None = None
        self._actions: Script = iter(())

    def __call__(self, env: Any) -> Action:
        """The next action, of shape (8,), for an environment, which may be wrapped, or for one of the `episodes` of a vector of them."""
        episode: Episode = env if isinstance(env, Episode) else env.unwrapped.episode
        if episode is not self._episode:
            self._episode, self._actions = episode, self._script(episode)
        return next(self._actions, np.zeros(ACTION_SIZE, dtype=np.float32))


def expert(task: str) -> Expert:
    """The scripted expert of a task, such as ``"FoldHalf"``; every environment needs one of its own.

    >>> env = gymnasium.make("taffeta/Swing-v0")
    >>> policy = taffeta.envs.expert("Swing")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(policy(env))
    """
    return Expert(task)
