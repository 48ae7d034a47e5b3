"""MuJoCo on the same scenes, where the package ``mujoco`` is installed.

Its cloth is a flex of triangles with a Young's modulus, where taffeta's threads do not stretch; its corners are tied to moving bodies by soft
constraints; nothing of it collides with itself. So it has less to do than taffeta, and its cloth stretches and sinks in.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taffeta.bench.batches import fill
from taffeta.bench.cases import Case

# Pa and m: the stiffest with which steps of 10 ms are stable in all cases; and 1/s.
YOUNG, THICKNESS, DAMPING = 1e7, 1e-3, 1e-3

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Peer:
    """What so many rollouts of a whole scene came to."""

    version: str
    dt: float
    rollouts: int
    threads: int
    simulated_per_s: float
    strain: float
    depth: float

    def as_dict(self) -> dict[str, Any]:
        """The numbers by their names."""
        return asdict(self)


def is_installed() -> bool:
    """Whether there is a MuJoCo that can do rollouts."""
    try:
        import mujoco
        from mujoco import rollout
    except ImportError:
        return False
    return mujoco is not None and hasattr(rollout, "Rollout")


class _World:
    """A scene of taffeta, as far as MuJoCo can have it."""

    def __init__(self, case: Case, dt: float) -> None:
        import mujoco

        sim = case.simulation()
        assert sim.grid is not None
        self.duration, self.steps = sim.duration, round(sim.duration / dt)
        places, (columns, rows) = sim.positions, sim.grid
        along, across = places[1] - places[0], places[columns] - places[0]
        held = places[sim.held]
        bodies = [f'<body name="hand{k}" mocap="true" pos="{_text(place)}"/>' for k, place in enumerate(held)]
        if "sphere" in sim.obstacles:
            centre, _ = sim.obstacle_pose("sphere")
            self.ball: tuple[_Floats, float] | None = (centre, 0.3)
            friction = f"{sim.get('obstacle.sphere.friction')} 0.005 0.0001"
            bodies.append(f'<geom type="sphere" size="{self.ball[1]}" pos="{_text(centre)}" friction="{friction}"/>')
            contact = f'<contact selfcollide="none" friction="{friction}"/>'
        else:
            self.ball = None
            contact = '<contact selfcollide="none" contype="0" conaffinity="0"/>'
        turn = "0.70710678 0.70710678 0 0" if abs(across[2]) > 0 else "1 0 0 0"
        grid = (
            f'<flexcomp name="cloth" type="grid" dim="2" count="{columns} {rows} 1" radius="0.0005" mass="{sim.node_masses.sum()}" '
            f'spacing="{np.linalg.norm(along)} {np.linalg.norm(across)} 1" pos="{_text((places[0] + places[-1]) / 2)}" quat="{turn}">'
            f'<elasticity young="{YOUNG}" poisson="0.3" thickness="{THICKNESS}" damping="{DAMPING}" elastic2d="stretch"/>{contact}</flexcomp>'
        )
        head = f'<mujoco><option timestep="{dt}" solver="Newton" integrator="discrete"/><size memory="500M"/>'
        world = f"<worldbody>{''.join(bodies)}{grid}</worldbody>"
        bare = mujoco.MjModel.from_xml_string(f"{head}{world}</mujoco>")
        data = mujoco.MjData(bare)
        mujoco.mj_forward(bare, data)
        nodes = [int(np.argmin(np.linalg.norm(data.flexvert_xpos - place, axis=1))) for place in held]
        names = [bare.body(int(bare.flex_vertbodyid[node])).name for node in nodes]
        ties = [f'<connect body1="hand{k}" body2="{name}" anchor="0 0 0"/>' for k, name in enumerate(names)]
        self.model = mujoco.MjModel.from_xml_string(f"{head}{world}<equality>{''.join(ties)}</equality></mujoco>")
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        # The motion of the scene "swing".
        t = dt * np.arange(self.steps)
        self.controls = np.repeat(held[None], self.steps, axis=0)
        self.controls[:, :, 1] += (0.1 * np.sin(2 * np.pi * t) * np.minimum(t / 0.5, 1.0))[:, None]

    def rollout(self, count: int, threads: int) -> float:
        """Seconds that so many rollouts take."""
        import mujoco
        from mujoco import rollout

        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.zeros(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, start, kind)
        control = np.repeat(self.controls.reshape(1, self.steps, -1), count, axis=0)
        data = [mujoco.MjData(self.model) for _ in range(threads)]
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
            begun = time.perf_counter()
            if self.controls.shape[1]:
                spec = mujoco.mjtState.mjSTATE_MOCAP_POS
                pool.rollout(self.model, data, np.tile(start, (count, 1)), control, control_spec=spec)
            else:
                pool.rollout(self.model, data, np.tile(start, (count, 1)), nstep=self.steps)
            return time.perf_counter() - begun

    def quality(self) -> tuple[float, float]:
        """Largest strain of an edge along warp or weft, and how deep nodes are in the sphere, m."""
        import mujoco

        model, data = self.model, mujoco.MjData(self.model)
        mujoco.mj_forward(model, data)
        places, edges = data.flexvert_xpos.copy(), model.flex_edge
        ways = places[edges[:, 1]] - places[edges[:, 0]]
        edges = edges[(np.abs(ways) > 1e-6).sum(axis=1) == 1]
        lengths = np.linalg.norm(places[edges[:, 1]] - places[edges[:, 0]], axis=1)
        strain = depth = 0.0
        for k in range(self.steps):
            if self.controls.shape[1]:
                data.mocap_pos[:] = self.controls[k]
            mujoco.mj_step(model, data)
            places = data.flexvert_xpos
            now = np.linalg.norm(places[edges[:, 1]] - places[edges[:, 0]], axis=1)
            strain = max(strain, float(np.abs(now / lengths - 1).max()))
            if self.ball is not None:
                depth = max(depth, float((self.ball[1] - np.linalg.norm(places - self.ball[0], axis=1)).max()))
        return strain, depth


def measure(case: Case, dt: float, threads: list[int], seconds: float) -> list[Peer]:
    """Rollouts of one scene, from its start to its end, for each number of threads."""
    import mujoco

    world = _World(case, dt)
    strain, depth = world.quality()
    peers = []
    for count in threads:
        rollouts, taken = fill(seconds, count, lambda n, count=count: world.rollout(n, count))  # type: ignore[misc]
        rate = rollouts * world.duration / taken
        peers.append(Peer(mujoco.__version__, dt, rollouts, count, rate, strain, depth))
    return peers


def _text(place: _Floats) -> str:
    return " ".join(repr(float(number)) for number in place)
