"""The expert for `Hang`: the towel is drawn over the bar until as much hangs behind it as in front."""

from __future__ import annotations

import numpy as np

from taffeta.envs.episode import Episode
from taffeta.envs.experts.motions import CLOSED, OPEN, Script, apart, go, wait
from taffeta.envs.task import Floats
from taffeta.envs.tasks.hang import RADIUS_M

UP = np.array([0.0, 0.0, 1.0])


def hang(episode: Episode) -> Script:
    """Up, over the bar, down behind it."""
    setup, frame = episode.setup, episode.setup.frame
    width, length = setup.size
    bar = setup.goal[:3]

    def at(ahead: float, height: float) -> Floats:
        return apart(bar + ahead * frame.ahead + height * UP, frame.across, width)

    here = float((episode.hands.places.mean(axis=0) - bar) @ frame.ahead)
    yield from go(episode, at(here, 0.15), CLOSED, speed=0.6)
    yield from go(episode, at(0.1, 0.15), CLOSED, speed=0.4)
    yield from go(episode, at(0.5 * length, 0.08), CLOSED, speed=0.4)
    yield from go(episode, at(RADIUS_M + 0.02, 0.02 - 0.5 * length), CLOSED, speed=0.4)
    yield from wait(episode, 0.3, CLOSED)
    yield from wait(episode, 10.0, OPEN)
