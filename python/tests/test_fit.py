"""Fits of captures from Python are those of the command."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from pathlib import Path

import pytest

import taffeta

# Short: what a fit finds is tested with the library.
EFFORT = {"generations": 1, "replicates": 10}


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture of simulated cloth, whose parameters are known."""
    import os

    command = os.environ.get("TAFFETA_COMMAND")
    if command is None:
        pytest.skip("TAFFETA_COMMAND does not say where the command is")
    folder = tmp_path_factory.mktemp("twins")
    arguments = [command, "twin", str(folder), "--fabric", "wool", "--scenario", "tablecloth-low", "--quiet"]
    subprocess.run(arguments, check=True, capture_output=True)
    return folder / "wool-tablecloth-low.toml"


def test_a_fit_is_that_of_the_command(capture: Path, command: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int, float]] = []
    journal = tmp_path / "journal.csv"
    found = taffeta.fit(
        capture, ["alpha", "delta"], **EFFORT, journal=journal, progress=lambda *told: seen.append(told)
    )
    arguments = [command, "fit", str(capture), "--params", "alpha,delta", "--generations", "1", "--replicates", "10"]
    said = subprocess.run([*arguments, "--json", "--quiet", "--out", str(tmp_path / "fit")], check=True, capture_output=True)
    same = json.loads(said.stdout)
    for one in same["parameters"]:
        estimate = found.estimates[one["name"]]
        assert (estimate.value, *estimate.interval) == (one["value"], one["low"], one["high"])
        assert estimate.interval[0] < estimate.value < estimate.interval[1]
    assert found.parameters == same["all_parameters"]
    assert found.rms == same["rms_error_m"]
    assert found.captures["wool-tablecloth-low"].rms == same["captures"][0]["rms_error_m"]
    assert found.overrides["cloth.damping_kg_m2_s"] == pytest.approx(same["absolute"]["alpha_kg_m2_s"])
    assert [told[0] for told in seen] == sorted(told[0] for told in seen)
    assert seen[-1][0] == found.evaluations
    assert seen[-1][2] <= seen[0][2]
    # What it found is a cloth.
    assert taffeta.Simulation("swing", found.overrides).get("cloth.damping_kg_m2_s") == found.overrides["cloth.damping_kg_m2_s"]
    # A journal goes on where it was, and is of one fit.
    assert taffeta.fit(capture, ["alpha", "delta"], **EFFORT, journal=journal) == found
    with pytest.raises(taffeta.Error, match="journal"):
        taffeta.fit(capture, ["alpha"], **EFFORT, journal=journal)


def test_a_callback_and_ctrl_c_end_a_fit_early(capture: Path) -> None:
    import _thread

    def stop(done: int, expected: int, best: float) -> None:
        raise LookupError("enough")

    begun = time.perf_counter()
    with pytest.raises(LookupError, match="enough"):
        taffeta.fit(capture, ["alpha"], progress=stop)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        taffeta.fit(capture, ["alpha"], generations=10_000)
    assert time.perf_counter() - begun < 5.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"parameters": ["gamma"]}, "there is no parameter"),
        ({"parameters": "alpha"}, "give a list"),
        ({"parameters": []}, "no parameters"),
        ({"replicates": 3}, "too few for an interval"),
        ({"generations": -1}, "generations is -1"),
        ({"others": {"delta": 7.0}}, "delta is to begin at 7"),
        ({"others": {"x": 1.0}}, "there is no parameter"),
    ],
)
def test_what_cannot_be_fitted_is_refused(capture: Path, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(taffeta.InvalidInput, match=said):
        taffeta.fit(capture, **arguments)  # type: ignore[arg-type]


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(taffeta.InvalidInput, match="cannot read"):
        taffeta.fit(tmp_path / "none.toml")
    with pytest.raises(taffeta.InvalidInput, match="no capture"):
        taffeta.fit([])
