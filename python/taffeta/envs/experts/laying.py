"""The experts for `Fling` and `Tablecloth`: a hem that is let down stays where it touches, and the hands draw back from it."""

from __future__ import annotations

import numpy as np

from taffeta.envs.episode import Episode
from taffeta.envs.experts.motions import CLOSED, OPEN, Script, apart, follow, go, smooth, through, wait
from taffeta.envs.task import Floats

UP = np.array([0.0, 0.0, 1.0])

#: Length of the sheet of the published motion, m.
PUBLISHED_LENGTH_M = 0.594

#: By how much the published motion draws the hem back, as measured here, m.
DRAWN_BACK_M = 0.096


def fling(episode: Episode) -> Script:
    """Draws the upper corners apart, swings the sheet ahead, and lays it down while it comes back."""
    frame, (width, length) = episode.setup.frame, episode.setup.size
    middle = episode.hands.places.mean(axis=0)
    middle[2] = min(length + 0.06, 0.75)
    yield from go(episode, apart(middle, frame.across, 0.995 * width), CLOSED, speed=0.6)
    yield from wait(episode, 0.2, CLOSED)

    def at(ahead: float, height: float) -> Floats:
        return apart(middle + ahead * frame.ahead + (height - middle[2]) * UP, frame.across, 0.995 * width)

    top = float(middle[2])
    ahead = through([at(0.0, top), at(0.25, top), at(0.3, top)])
    yield from follow(episode, lambda s: ahead(smooth(s)), 0.4, CLOSED)
    back = through([at(0.3, top), at(0.05, 0.9 * top), at(0.3 - 0.6 * length, 0.55 * top), at(0.3 - 0.95 * length, 0.005)])
    yield from follow(episode, lambda s: back(smooth(s)), 1.0, CLOSED)
    yield from wait(episode, 0.2, CLOSED)
    yield from wait(episode, 10.0, OPEN)


def tablecloth(episode: Episode) -> Script:
    """Lets the hem down on its line, goes round it at the length of the sheet, and lowers the half that is next to it."""
    setup, frame = episode.setup, episode.setup.frame
    width, length = setup.size
    scale = length / PUBLISHED_LENGTH_M
    # The hem touches the table without weight at first, and is drawn back with the hands until enough lies there.
    line = np.array([setup.goal[0], setup.goal[1], 0.0]) + DRAWN_BACK_M * scale * frame.ahead

    def at(ahead: float, height: float) -> Floats:
        return apart(line + ahead * frame.ahead + height * UP, frame.across, width)

    here = episode.hands.places.mean(axis=0)
    yield from go(episode, at(0.0, float(here[2])), CLOSED, speed=0.3)
    yield from wait(episode, 0.4, CLOSED)
    # As the published motion, for a sheet whose hem began 0.1 m above the table.
    offsets = np.array([[0.0, -0.098], [-0.152, -0.124], [-0.295, -0.184], [-0.415, -0.282], [-0.497, -0.494]])
    points = [at(y * scale, (0.694 + z) * scale) for y, z in offsets]
    yield from go(episode, points[0], CLOSED, speed=0.25)
    for point, speed in zip(points[1:], (0.5, 0.4, 0.35, 0.2), strict=True):
        yield from go(episode, point, CLOSED, speed=speed, near=0.02)
    yield from wait(episode, 10.0, CLOSED)
