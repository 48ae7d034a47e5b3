"""Many environments at once, stepped by all cores."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from enum import Enum
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array

from taffeta import Batch
from taffeta.envs.env import ClothEnv, check_render_mode
from taffeta.envs.episode import STEPS, Episode
from taffeta.envs.observe import action_space, observation_space, observe, picture
from taffeta.envs.task import Task
from taffeta.envs.tasks import task_named


class _AutoresetMode(Enum):
    """What `gymnasium` 1.0 does not have yet."""

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


AutoresetMode: Any = getattr(gymnasium.vector, "AutoresetMode", _AutoresetMode)

_Mask = npt.NDArray[np.bool_]


class ClothVectorEnv(gymnasium.vector.VectorEnv[Any, npt.NDArray[np.float32], npt.NDArray[Any]]):
    """As many environments of a task as wanted, on a :class:`taffeta.Batch`: the same bits as single ones, on all cores.

    Args:
        task: The name of the task, one of :data:`taffeta.envs.TASKS`; or a :class:`taffeta.envs.Task`.
        num_envs: How many.
        observation: ``"keypoints"``, ``"mesh"`` or ``"image"``.
        time_limit_s: After which time an episode is truncated, s; by default that of the task.
        autoreset_mode: What follows the end of an episode: ``"NextStep"`` resets in the next step, whose action is not used;
            ``"SameStep"`` at once, with what was observed last in ``final_obs`` and ``final_info`` of the infos; ``"Disabled"``
            leaves it to ``reset(options={"reset_mask": mask})``.
        threads: How many threads step them; by default as many as there are cores.
        render_mode: ``"rgb_array"``, or None.
        width: Width of the pictures of :meth:`render`.
        height: Their height.
    """

    def __init__(
        self,
        task: str | Task,
        num_envs: int = 1,
        observation: str = "keypoints",
        time_limit_s: float | None = None,
        autoreset_mode: str | Enum = "NextStep",
        threads: int | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}: give 1 or more")
        self.task = task if isinstance(task, Task) else task_named(task)
        self.num_envs = num_envs
        self.single_observation_space = observation_space(self.task, observation)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        check_render_mode(render_mode, ClothEnv.metadata)
        self.render_mode = render_mode
        self._mode = AutoresetMode(autoreset_mode.value if isinstance(autoreset_mode, Enum) else autoreset_mode)
        self.metadata = {**ClothEnv.metadata, "autoreset_mode": self._mode}
        self._kind = observation
        self._time_limit = time_limit_s
        self._threads = threads
        self._size = (width, height)
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self._episodes: list[Episode] = []
        self._batch: Batch | None = None
        self._observed: list[Any] = []
        self._over: _Mask = np.zeros(num_envs, dtype=np.bool_)

    @property
    def episodes(self) -> Sequence[Episode]:
        """The episode of each environment, which says all there is to know, to experts for instance."""
        if not self._episodes:
            raise gymnasium.error.ResetNeeded("there are no episodes: call reset first")
        return self._episodes

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes.

        Args:
            seed: A seed for each environment; or one number, from which they count: environment k has ``seed + k``.
            options: ``{"reset_mask": mask}`` resets those of a mask of shape (num_envs,) only.
        """
        for k, single in enumerate(self._seeds(seed)):
            if single is not None:
                self._generators[k], _ = seeding.np_random(single)
        mask = self._reset_mask(options)
        infos: dict[str, Any] = {}
        chosen = [int(k) for k in np.flatnonzero(mask)]
        self._begin(chosen)
        for k in chosen:
            infos = self._add_info(infos, self._episodes[k].info, k)
        return self._observations(), infos

    def step(
        self, actions: npt.NDArray[np.float32]
    ) -> tuple[Any, npt.NDArray[np.float64], _Mask, _Mask, dict[str, Any]]:
        """Takes an action in each environment, for 0.05 s."""
        episodes, batch = self.episodes, self._batch
        assert batch is not None
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions have shape {actions.shape}: give {self.action_space.shape}")
        again = [int(k) for k in np.flatnonzero(self._over)]
        if again and self._mode == AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded(f"the episodes {again} are over: reset them with a reset_mask")
        acting = [k for k in range(self.num_envs) if not self._over[k]]
        self._begin(again)
        for k in acting:
            episodes[k].command(actions[k])
        if acting:
            batch.restore(acting, [episodes[k].sim for k in acting])
            batch.step(steps=STEPS, ids=acting)
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), dtype=np.bool_)
        errors = batch.errors
        for k in acting:
            episodes[k].sim = batch[k]
            rewards[k], terminated[k], truncated[k] = episodes[k].finish(errors[k])
            self._observed[k] = observe(episodes[k], self._kind)
        infos = self._end(terminated | truncated)
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture of each environment, of shape (height, width, 3)."""
        if self.render_mode is None:
            return None
        return tuple(picture(episode.sim, self.task, *self._size) for episode in self.episodes)

    def _end(self, over: _Mask) -> dict[str, Any]:
        """Has episodes that are over begin again, if that is to be at once, and says what there is to say of all."""
        infos: dict[str, Any] = {}
        ended = [int(k) for k in np.flatnonzero(over)]
        self._over = over
        if self._mode == AutoresetMode.SAME_STEP:
            for k in ended:
                final = {"final_obs": self._observed[k], "final_info": self._episodes[k].info}
                infos = self._add_info(infos, final, k)
            self._begin(ended)
        for k, episode in enumerate(self._episodes):
            infos = self._add_info(infos, episode.info, k)
        return infos

    def _begin(self, chosen: list[int]) -> None:
        """Begins episodes of some environments."""
        begun = {k: Episode(self.task, self._generator(k), self._time_limit) for k in chosen}
        if self._batch is None:
            self._episodes = [begun[k] for k in range(self.num_envs)]
            self._batch = Batch([episode.sim for episode in self._episodes], threads=self._threads)
            self._observed = [None] * self.num_envs
        elif chosen:
            # Also what has failed goes on by this.
            self._batch.restore(chosen, [begun[k].sim for k in chosen])
        for k in chosen:
            self._episodes[k] = begun[k]
            self._observed[k] = observe(begun[k], self._kind)
            self._over[k] = False

    def _generator(self, k: int) -> np.random.Generator:
        generator = self._generators[k]
        if generator is None:
            generator, _ = seeding.np_random(None)
            self._generators[k] = generator
        return generator

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + k for k in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"there are {len(seed)} seeds for {self.num_envs} environments: give one for each")
        return list(seed)

    def _reset_mask(self, options: dict[str, Any] | None) -> _Mask:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        mask = np.asarray(mask)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask must be of bool, of shape ({self.num_envs},), and true somewhere")
        if self._batch is None and not mask.all():
            raise gymnasium.error.ResetNeeded("there are no episodes: reset all of them first")
        return mask

    def _observations(self) -> Any:
        space: Any = self.single_observation_space
        empty: Any = create_empty_array(space, self.num_envs)
        return deepcopy(concatenate(space, self._observed, empty))
