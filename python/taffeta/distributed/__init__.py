"""Many simulations: on the cores of this machine, or on a cluster of Ray by the same call.

- :func:`sweep`: a scene with parameters that vary; a table of metrics,
- :func:`rollouts`: what comes of many plans from one state,
- ``python -m taffeta.sweep``: a sweep from the command line.

What is computed depends on nothing but what is given, so that it comes to the same bits wherever it is computed.
"""

from taffeta.distributed.metrics import METRICS
from taffeta.distributed.plans import Rollouts, rollouts
from taffeta.distributed.sweeps import sweep
from taffeta.distributed.table import Table

__all__ = ["METRICS", "Rollouts", "Table", "rollouts", "sweep"]
