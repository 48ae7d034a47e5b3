"""What simulations, batches and recordings show in notebooks."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path

import pytest
from conftest import FLOOR, sheet

import taffeta
from taffeta import notebook


def page_in(shown: str) -> str:
    """The page in a frame."""
    frame = re.search(r'<iframe sandbox="allow-scripts" [^>]*srcdoc="([^"]*)"></iframe>', shown)
    assert frame is not None
    return html.unescape(frame[1])


def test_a_simulation_shows_the_cloth_as_it_is(swing: taffeta.Simulation) -> None:
    first = swing.to_html()
    assert swing.to_html() == first
    swing.step(20)
    shown = swing._repr_html_()
    assert "t = 0.2000 s" in shown
    assert page_in(shown) == swing.to_html() != first
    assert first.startswith("<!doctype html>")
    assert first.count('id="film"') == 1
    assert not re.search(r'(src|href)="https?:', first), "it would need a network"


def test_a_live_page_has_the_scene_and_its_files(tmp_path: Path) -> None:
    text = taffeta.obj_text([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]], [[0, 1, 2], [0, 2, 3]])
    sim = taffeta.Simulation({"duration_s": 1, "dt_s": 0.01, "cloth": {"obj": {"path": "mesh.obj"}}}, files={"mesh.obj": text})
    assert sim.files == {"mesh.obj": text}
    page = sim.to_html(live=True)
    assert 'id="scene"' in page
    assert "v 0.1 0.1 0" in page


def test_a_recording_is_played_with_as_many_frames_as_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = taffeta.Simulation(sheet(obstacle=FLOOR))
    with sim.record(tmp_path / "run", frame_steps=1):
        sim.step(20)
    recording = taffeta.Recording(tmp_path / "run")
    whole = page_in(recording._repr_html_())
    assert whole == recording.to_html()
    monkeypatch.setattr(notebook, "MOST_PLACES", 100)
    assert page_in(recording._repr_html_()) == recording.to_html(every=6) != whole
    with pytest.raises(taffeta.InvalidInput, match="every is 0"):
        recording.to_html(0)


def test_a_batch_shows_pictures_of_its_first_simulations() -> None:
    batch = taffeta.Batch(sheet(obstacle=FLOOR), 14, threads=1)
    shown = batch._repr_html_()
    assert "the first 12 are shown" in shown
    data = re.search(r"base64,([^\"]+)\"", shown)
    assert data is not None
    assert base64.b64decode(data[1]).startswith(b"\x89PNG")
    batch.hold([0, 4], exact=True)
    batch.step(batch.hand_targets + [[[-1, 0, 0], [1, 0, 0]]], steps=2)
    assert batch.failed.all()
    assert "failed: 0, 1, 2" in batch._repr_html_()
