"""Two hands that move, close on the nearest node, and let go of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from taffeta import Simulation
from taffeta.envs.task import Floats

#: A hand that closes takes the nearest node within this distance, m.
REACH_M = 0.03

#: How far a hand can get ahead of the node that it holds, m: what it holds with is then at its limit.
LEASH_M = 0.02

#: The largest force of a hand, N.
MAX_FORCE_N = 50.0


class Hands:
    """Where two hands are, whether they are closed, and what they hold.

    Attributes:
        places: Where they are, of shape (2, 3), m.
        closed: Whether each is closed.
        nodes: The node that each holds; -1 for none.
    """

    def __init__(self, sim: Simulation, places: Floats, held: tuple[int, int], workspace: Floats) -> None:
        self.places = np.array(places, dtype=np.float64)
        self.nodes = [-1, -1]
        self.closed: npt.NDArray[np.bool_] = np.array([node >= 0 for node in held])
        self._workspace = workspace
        positions = sim.positions
        for hand, node in enumerate(held):
            if node >= 0:
                self._take(sim, hand, node, positions)

    @property
    def holds(self) -> npt.NDArray[np.bool_]:
        """Whether each holds a node."""
        return np.array([node >= 0 for node in self.nodes])

    def command(self, sim: Simulation, velocities: Floats, close: npt.NDArray[np.bool_], steps: int) -> None:
        """Has hands close or open now, and move during the next steps.

        Args:
            sim: The simulation, which is not stepped.
            velocities: Of shape (2, 3), m/s.
            close: Whether each is to be closed.
            steps: For how many steps.
        """
        positions = sim.positions
        for hand in range(2):
            if close[hand] and not self.closed[hand]:
                node = self._nearest(hand, positions)
                if node >= 0:
                    self._take(sim, hand, node, positions)
            elif not close[hand] and self.nodes[hand] >= 0:
                sim.release([self.nodes[hand]])
                self.nodes[hand] = -1
        self.closed = np.array(close, dtype=bool)
        self._move(sim, velocities, positions, steps)

    def _nearest(self, hand: int, positions: Floats) -> int:
        distances = np.linalg.norm(positions - self.places[hand], axis=1)
        other = self.nodes[1 - hand]
        if other >= 0:
            distances[other] = np.inf
        node = int(distances.argmin())
        return node if distances[node] <= REACH_M else -1

    def _take(self, sim: Simulation, hand: int, node: int, positions: Floats) -> None:
        sim.hold([node], max_force=MAX_FORCE_N)
        self.nodes[hand] = node
        self.places[hand] = positions[node]

    def _move(self, sim: Simulation, velocities: Floats, positions: Floats, steps: int) -> None:
        low, high = self._workspace
        places = np.clip(self.places + velocities * (steps * sim.dt), low, high)
        for hand, node in enumerate(self.nodes):
            if node >= 0:
                # From where the cloth let the hand get, so that it does not run away from what it cannot move.
                behind = self.places[hand] - positions[node]
                distance = float(np.linalg.norm(behind))
                if distance > LEASH_M:
                    places[hand] -= (1.0 - LEASH_M / distance) * behind
        self.places = places
        hands = [self.nodes.index(int(node)) for node in sim.hands]
        if hands:
            sim.move(places[hands], steps=steps, interpolation="linear")
