"""What can go wrong: every error of taffeta is a :class:`Error`."""

from __future__ import annotations


class Error(Exception):
    """Any error of taffeta."""


class SceneError(Error):
    """A scene that cannot be read or built; the message names the key, where it stands and what to do."""


class InvalidInput(Error, ValueError):
    """An argument that cannot be used: of the wrong shape or type, not finite, or out of range."""


class Busy(Error, RuntimeError):
    """The object is at work in another thread: wait for that call, or give each thread an object of its own."""


class RecordingError(Error):
    """A recording that cannot be written or read."""


class StepRefused(Error):
    """A step that could not be taken. The simulation is as it was before that step.

    Attributes:
        reason: What went wrong, in one word or a few with hyphens, for programs: ``"not-solved"``, ``"squeezed"``...
        time: Time at the start of the step, s.
        steps: Steps that the same call had taken before.
        nodes: Nodes that are concerned, if any are known.
        obstacles: Names of the obstacles that are concerned.
        details: Numbers by their names, such as ``depth`` (m) or ``pressure`` (Pa).
    """

    reason: str
    time: float
    steps: int
    nodes: tuple[int, ...]
    obstacles: tuple[str, ...]
    details: dict[str, float]

    def __init__(
        self,
        message: str,
        reason: str = "",
        time: float = 0.0,
        steps: int = 0,
        nodes: tuple[int, ...] = (),
        obstacles: tuple[str, ...] = (),
        details: dict[str, float] | None = None,
    ) -> None:
        # All of it goes to the base class, so that a pickled error comes back with its attributes.
        super().__init__(message, reason, time, steps, tuple(nodes), tuple(obstacles), dict(details or {}))
        self.reason = reason
        self.time = time
        self.steps = steps
        self.nodes = tuple(nodes)
        self.obstacles = tuple(obstacles)
        self.details = dict(details or {})

    def __str__(self) -> str:
        return str(self.args[0])
