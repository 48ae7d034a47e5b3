"""The benchmark measures what it says."""

from __future__ import annotations

import json

import pytest

from taffeta.bench import batches, peer
from taffeta.bench.__main__ import main
from taffeta.bench.cases import CASES


def test_the_benchmark_prints_what_it_measured(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--seconds", "0.02", "--only", "swing 7x9", "--threads", "2", "--no-peer", "--command", command]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (scene,) = result["scenes"]
    assert [figure["threads"] for figure in scene["taffeta"]] == [1, 2]
    for figure in scene["taffeta"]:
        assert figure["simulated_per_s"] > 10
        assert 0 < figure["strain"] < 5.1e-4
        assert figure["refused"] == 0
    overhead = result["overhead"]
    assert overhead["processes"] == 2
    # Bounds that hold on a busy machine; what is promised is measured by the benchmark itself.
    assert 0.2 < overhead["batch_over_processes"] < 5
    assert overhead["loop_step_s"] < 3 * overhead["command_step_s"] + 1e-4


def test_runs_are_repeated_until_they_fill_the_time() -> None:
    asked = []

    def run(count: int) -> float:
        asked.append(count)
        return 0.01 * count / 4

    assert batches.fill(1.0, 4, run) == (400, pytest.approx(1.0))
    assert asked == [4, 400]
    assert batches.fill(0.001, 4, run)[0] == 4


def test_mujoco_has_the_same_scenes() -> None:
    if not peer.is_installed():
        pytest.skip("the package mujoco is not installed")
    (figure,) = peer.measure(CASES[0], 0.01, [1], 0.01)
    assert figure.simulated_per_s > 1
    assert 1e-5 < figure.strain < 5e-3


def test_what_cannot_be_measured_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in ((["--seconds", "0"], "give 0.01"), (["--threads", "0"], "give 1 or more"), (["--only", "x"], "invalid choice")):
        with pytest.raises(SystemExit):
            main(arguments)
        assert said in capsys.readouterr().err
