"""A single environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from taffeta import StepRefused
from taffeta.envs.episode import CONTROL_S, STEPS, Episode
from taffeta.envs.observe import action_space, observation_space, observe, picture
from taffeta.envs.task import Task
from taffeta.envs.tasks import task_named


class ClothEnv(gymnasium.Env[Any, npt.NDArray[np.float32]]):
    """A task with cloth, for ``gymnasium``.

    Args:
        task: The name of the task, one of :data:`taffeta.envs.TASKS`; or a :class:`taffeta.envs.Task`.
        observation: ``"keypoints"``, ``"mesh"`` or ``"image"``.
        time_limit_s: After which time an episode is truncated, s; by default that of the task.
        render_mode: ``"rgb_array"``, or None.
        width: Width of the pictures of :meth:`render`.
        height: Their height.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": round(1 / CONTROL_S)}

    def __init__(
        self,
        task: str | Task,
        observation: str = "keypoints",
        time_limit_s: float | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        self.task = task if isinstance(task, Task) else task_named(task)
        self.observation_space = observation_space(self.task, observation)
        self.action_space = action_space()
        check_render_mode(render_mode, self.metadata)
        self.render_mode = render_mode
        self._kind = observation
        self._time_limit = time_limit_s
        self._size = (width, height)
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The episode, which says all there is to know, to experts for instance."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("there is no episode: call reset first")
        return self._episode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, which follows from the seed alone. There are no options."""
        super().reset(seed=seed)
        self._episode = Episode(self.task, self.np_random, self._time_limit)
        return observe(self._episode, self._kind), self._episode.info

    def step(self, action: npt.NDArray[np.float32]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes an action, for 0.05 s."""
        episode = self.episode
        episode.command(action)
        refused = None
        try:
            episode.sim.step(STEPS)
        except StepRefused as error:
            refused = error
        reward, terminated, truncated = episode.finish(refused)
        return observe(episode, self._kind), reward, terminated, truncated, episode.info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture, of shape (height, width, 3)."""
        return picture(self.episode.sim, self.task, *self._size) if self.render_mode else None


def check_render_mode(mode: str | None, metadata: dict[str, Any]) -> None:
    """Refuses modes that there are not."""
    modes = metadata["render_modes"]
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode is {mode!r}: give one of {', '.join(modes)}, or None")
