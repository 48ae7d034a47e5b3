"""Sweeps and rollouts on a cluster of Ray, where it is installed: a machine goes away, and the bits stay the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FLOOR, sheet

import taffeta
from taffeta.distributed import rollouts, sweep

SCENE = sheet(obstacle=FLOOR, held={"corner": {"corner": "bottom-left"}})

# What Ray itself leaves open is not what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two machines, as far as Ray can tell, with a core each."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def test_a_machine_that_is_killed_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    values = {"cloth.damping_kg_m2_s": np.linspace(0.0, 0.4, 40)}
    how = {"seconds": 10.0, "metrics": ["mean_height_m", "max_edge_strain"]}
    done = threading.Event()
    seen: list[int] = []

    def kill() -> None:
        # In the middle: when some results are there.
        while not done.is_set() and (count := len(list(tmp_path.glob("*.json")))) < 6:
            time.sleep(0.01)
        seen.append(count)
        cluster.remove_node(second, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    far = sweep(SCENE, values, out=tmp_path, ray="auto", **how)
    done.set()
    killer.join()
    assert seen[0] < 40, "the machine was killed while there was work"
    near = sweep(SCENE, values, **how)
    assert not far.failed, far.failed
    assert [row["digest"] for row in far.rows] == [row["digest"] for row in near.rows]
    assert np.array_equal(far.column("mean_height_m"), near.column("mean_height_m"))
    assert len(list(tmp_path.glob("*.json"))) == 40


def test_plans_come_to_the_same_bits(cluster: Any) -> None:
    sim = taffeta.Simulation(SCENE)
    sim.hold([20, 24])
    plans = sim.hand_targets + np.random.default_rng(1).normal(0, 0.02, (20, 2, 2, 3)) + [0, 0, 0.05]
    near = rollouts(sim, plans, steps=10, settle=5)
    far = rollouts(sim, plans, steps=10, settle=5, ray="auto")
    assert np.array_equal(near.positions, far.positions)
    assert np.array_equal(near.velocities, far.velocities)
    assert near.reasons == far.reasons


def test_metrics_of_the_caller_and_failures_come_back(cluster: Any) -> None:
    factor = 2.0
    table = sweep(SCENE, {"cloth.density_kg_m2": [0.2, -1.0]}, seconds=0.1, metrics=lambda sim: factor * sim.dt, ray="auto")
    assert table.rows[0][table.metrics[0]] == 0.02
    assert "SceneError" in table.rows[1]["error"]
