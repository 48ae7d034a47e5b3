"""The expert for `Swing`: it swings evenly, and corrects its stroke and its height by how the hem missed the point."""

from __future__ import annotations

import numpy as np

from taffeta.envs.episode import CONTROL_S, Episode
from taffeta.envs.experts.motions import CLOSED, Script, action_towards
from taffeta.envs.tasks.swing import ROOM_M

#: What is taken of a miss for the next swing.
SHARE = 0.5

#: Stroke of the hands at first, m.
STROKE_M = 0.08


def swing(episode: Episode) -> Script:
    """Moves the hands to and fro at the frequency of a pendulum as long as the sheet."""
    setup, frame, hem = episode.setup, episode.setup.frame, episode.task.grid[0] // 2
    length = setup.size[1]
    goal = frame.local(setup.goal)
    side = float(np.sign(goal[1]))
    frequency = float(np.sqrt(9.81 / length))
    stroke, height, phase = STROKE_M, 0.0, 0.0
    nearest, miss = np.inf, np.zeros(3)
    while True:
        away = frame.local(episode.positions[hem]) - goal
        if np.linalg.norm(away) < nearest:
            nearest, miss = float(np.linalg.norm(away)), away
        phase += frequency * CONTROL_S
        if phase > 2.0 * np.pi:
            phase -= 2.0 * np.pi
            stroke = float(np.clip(stroke - SHARE * side * miss[1] * 0.4, 0.02, 0.95 * ROOM_M))
            height = float(np.clip(height - SHARE * miss[2], -ROOM_M, ROOM_M))
            nearest = np.inf
        offset = side * stroke * np.sin(phase) * frame.ahead + np.array([0.0, 0.0, height])
        yield action_towards(episode, setup.hands + offset, CLOSED)
