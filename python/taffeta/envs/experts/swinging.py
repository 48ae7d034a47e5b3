"""The expert for `Swing`: it pumps with the swing, and lifts the hands to the circle on which the point lies."""

from __future__ import annotations

import numpy as np

from taffeta.envs.episode import Episode
from taffeta.envs.experts.motions import CLOSED, Script, action_towards
from taffeta.envs.tasks.swing import ROOM_M


def swing(episode: Episode) -> Script:
    """Drives the hands at the frequency of the pendulum, a quarter of a period ahead of the hem."""
    setup, task = episode.setup, episode.task
    start = setup.hands.copy()
    middle = start.mean(axis=0)
    goal = setup.frame.local(setup.goal) - setup.frame.local(middle)
    hem = task.grid[0] // 2
    while True:
        away = setup.frame.local(episode.positions[hem]) - setup.frame.local(episode.hands.places.mean(axis=0))
        speed = episode.state.velocities[hem] @ setup.frame.ahead
        length = float(np.hypot(away[1], away[2]))
        # Hands that are ahead while the hem swings ahead feed the swing; at first the hem rests.
        y = 0.9 * ROOM_M * np.tanh(2.0 * speed + 0.2)
        z = goal[2] + np.sqrt(max(length**2 - (goal[1] - y) ** 2, 0.0))
        offset = y * setup.frame.ahead + np.array([0.0, 0.0, np.clip(z, -ROOM_M, ROOM_M)])
        yield action_towards(episode, start + offset, CLOSED)
