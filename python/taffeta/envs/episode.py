"""One episode of a task: what an environment does, apart from stepping the simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from taffeta import Simulation, StepRefused
from taffeta.envs.hands import Hands
from taffeta.envs.task import STEP_S, Floats, Measure, Setup, State, Task

#: Steps of the simulation for an action.
STEPS = 5

#: Time from one action to the next, s.
CONTROL_S = STEPS * STEP_S

#: Numbers of an action: for each hand three velocities, and whether it is closed.
ACTION_SIZE = 8

#: What is added to the reward when the task is done.
SUCCESS_REWARD = 1.0


class Episode:
    """The state of an episode.

    Whoever steps it calls :meth:`command`, steps :attr:`sim` by :data:`STEPS`, and calls :meth:`finish`.

    Attributes:
        task: The task.
        setup: What the seed decided.
        sim: The simulation.
        hands: The hands.
        actions: Actions taken.
        degraded: Steps that were not solved, but taken as well as they could be.
        refused: Why a step was not taken at all, which ends the episode; empty if none was.
        state: What was measured last.
        measure: The outcome of that.
    """

    def __init__(self, task: Task, rng: np.random.Generator, time_limit: float | None = None) -> None:
        self.task = task
        self.setup: Setup = task.setup(rng)
        self.sim = Simulation(self.setup.scene)
        self.hands = Hands(self.sim, self.setup.hands, self.setup.held, self.setup.workspace)
        self.limit = max(1, round((time_limit or task.time_limit) / CONTROL_S))
        self.actions = 0
        self.degraded = 0
        self.refused = ""
        self._open_for = 0
        self.state, self.measure = self._measure()

    def command(self, action: npt.ArrayLike) -> None:
        """Has the hands begin what an action says."""
        numbers = np.clip(np.asarray(action, dtype=np.float64).reshape(2, 4), -1.0, 1.0)
        if not np.isfinite(numbers).all():
            raise ValueError(f"action has a number that is not finite: {numbers.ravel().tolist()}")
        self.hands.command(self.sim, self.task.speed * numbers[:, :3], numbers[:, 3] > 0.0, STEPS)

    def finish(self, refused: StepRefused | None) -> tuple[float, bool, bool]:
        """Measures after the steps of an action.

        Args:
            refused: The error of the step that could not be taken, if there was one.

        Returns:
            The reward, whether the episode has terminated, and whether it is cut off by the time limit.
        """
        self.actions += 1
        report = self.sim.report
        self.degraded += report.degraded if report is not None else 0
        self.refused = refused.reason if refused is not None else ""
        before = self.measure.closeness
        self._open_for = 0 if self.hands.holds.any() else self._open_for + 1
        self.state, self.measure = self._measure()
        done = self.measure.success and not self.refused
        reward = self.measure.closeness - before + (SUCCESS_REWARD if done else 0.0)
        return reward, done or bool(self.refused), self.actions >= self.limit

    def _measure(self) -> tuple[State, Measure]:
        free = not self.hands.holds.any()
        state = State(self.sim, self.sim.positions, self.sim.velocities, free, self._open_for * CONTROL_S)
        return state, self.task.measure(state, self.setup)

    @property
    def info(self) -> dict[str, Any]:
        """What ``info`` of an environment says."""
        return {
            "success": bool(self.measure.success and not self.refused),
            "refused": self.refused,
            "degraded": self.degraded,
            **self.measure.metrics,
        }

    @property
    def positions(self) -> Floats:
        """Places of the nodes, m."""
        return self.state.positions

    @property
    def elapsed(self) -> float:
        """The share of the time limit that has passed, 0 to 1."""
        return min(1.0, self.actions / self.limit)
