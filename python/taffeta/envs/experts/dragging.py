"""The expert for `Drag`: it leads the front edge so that the cloth follows to its goal."""

from __future__ import annotations

from taffeta.envs.episode import Episode
from taffeta.envs.experts.motions import CLOSED, OPEN, Script, follow, go, smooth, wait
from taffeta.envs.task import Floats, Frame
from taffeta.envs.tasks.fold import corners_of


def drag(episode: Episode) -> Script:
    """Takes the front corners, and leads them to where they are at the goal."""
    setup = episode.setup
    goal = Frame(*(float(number) for number in setup.goal))
    yield from go(episode, episode.positions[episode.task.corners[2:]], OPEN)
    yield from wait(episode, 0.1, CLOSED)
    begun = setup.frame

    def path(fraction: float) -> Floats:
        s = smooth(fraction)
        x, y = begun.x + s * (goal.x - begun.x), begun.y + s * (goal.y - begun.y)
        return corners_of(Frame(x, y, begun.yaw + s * (goal.yaw - begun.yaw)), setup.size)[2:]

    yield from follow(episode, path, 4.0, CLOSED)
    yield from wait(episode, 0.2, CLOSED)
    yield from wait(episode, 10.0, OPEN)
