"""Tasks with cloth for ``gymnasium``: environments, vectors of them, and scripted experts.

>>> import gymnasium, taffeta
>>> env = gymnasium.make("taffeta/FoldHalf-v0")
>>> envs = gymnasium.make_vec("taffeta/FoldHalf-v0", num_envs=8)

Needs ``gymnasium``: ``pip install taffeta[gymnasium]``.
"""

from taffeta.envs.env import ClothEnv
from taffeta.envs.experts import Expert, expert
from taffeta.envs.tasks import TASKS

__all__ = ["TASKS", "ClothEnv", "Expert", "expert"]
