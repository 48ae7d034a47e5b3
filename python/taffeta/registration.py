"""Tells ``gymnasium`` which environments there are, where it is installed."""

from __future__ import annotations

#: Names of the tasks of `taffeta.envs`, which is imported only when one of them is made.
TASK_NAMES = ("Swing", "FoldHalf", "FoldDiagonal", "Fling", "Drag", "Hang", "Tablecloth")


def register_environments() -> bool:
    """Registers ``"taffeta/Swing-v0"`` and the others; returns whether there is a ``gymnasium`` to register them with."""
    try:
        import gymnasium
    except ImportError:
        return False
    for task in TASK_NAMES:
        name = f"taffeta/{task}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="taffeta.envs:ClothEnv",
                vector_entry_point="taffeta.envs:ClothVectorEnv",
                kwargs={"task": task},
            )
    return True
