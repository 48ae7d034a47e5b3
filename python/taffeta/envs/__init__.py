"""Tasks with cloth for ``gymnasium``: environments, vectors of them, and scripted experts.

>>> import gymnasium, taffeta
>>> env = gymnasium.make("taffeta/FoldHalf-v0")
>>> envs = gymnasium.make_vec("taffeta/FoldHalf-v0", num_envs=8)

Needs ``gymnasium``: ``pip install taffeta[gymnasium]``.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as _error:
    raise ImportError("taffeta.envs needs gymnasium: pip install taffeta[gymnasium]") from _error

from taffeta.envs.env import ClothEnv
from taffeta.envs.experts import Expert, expert
from taffeta.envs.task import Frame, Measure, Setup, State, Task
from taffeta.envs.tasks import TASKS
from taffeta.envs.vector import ClothVectorEnv

__all__ = [
    "TASKS",
    "ClothEnv",
    "ClothVectorEnv",
    "Expert",
    "Frame",
    "Measure",
    "Setup",
    "State",
    "Task",
    "expert",
]
