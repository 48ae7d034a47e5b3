"""Pictures of simulations."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import FLOOR, sheet

import taffeta


def test_a_picture_shows_the_cloth_where_the_camera_looks(swing: taffeta.Simulation) -> None:
    picture = swing.render(160, 120, supersample=1)
    assert (picture.shape, picture.dtype) == ((120, 160, 3), np.uint8)
    assert np.array_equal(picture, swing.render(160, 120, swing.camera(aspect=4 / 3), supersample=1))
    away = taffeta.Camera(eye=[0, -3, 0.3], target=[0, -6, 0.3])
    empty = swing.render(160, 120, away, supersample=1)
    # Red cloth against grey.
    redness = picture[..., 0].astype(int) - picture[..., 2]
    assert (np.abs(redness) > 20).mean() > 0.2
    assert (np.abs(empty[..., 0].astype(int) - empty[..., 2]) > 20).mean() == 0.0


def test_obstacles_are_in_the_picture() -> None:
    ball = {"ball": {"shape": "sphere", "radius_m": 0.05, "place_m": [0.1, 0.1, 0.2]}}
    alone, both = (taffeta.Simulation(sheet(obstacle=obstacle)) for obstacle in (FLOOR, FLOOR | ball))
    camera = alone.camera()
    assert not np.array_equal(alone.render(80, 60, camera), both.render(80, 60, camera))


def test_a_camera_says_where_it_is() -> None:
    camera = taffeta.Camera([1, 2, 3], [0, 0, 0], fov_deg=40)
    assert (camera.eye, camera.target, camera.up, camera.fov_deg) == ((1, 2, 3), (0, 0, 0), (0, 0, 1), 40)
    assert repr(pickle.loads(pickle.dumps(camera))) == repr(camera)


def test_what_cannot_be_drawn_is_refused(swing: taffeta.Simulation) -> None:
    with pytest.raises(taffeta.InvalidInput, match="between 1 and"):
        swing.render(0, 10)
    with pytest.raises(taffeta.InvalidInput, match="supersample"):
        swing.render(10, 10, supersample=9)
    with pytest.raises(taffeta.InvalidInput, match="camera"):
        swing.render(10, 10, taffeta.Camera([0, 0, 0], [0, 0, 0]))
    with pytest.raises(taffeta.InvalidInput, match="eye"):
        taffeta.Camera([0, 0], [0, 0, 0])
    with pytest.raises(taffeta.InvalidInput, match="finite"):
        swing.camera(azimuth=float("nan"))
    with pytest.raises(OverflowError):
        swing.render(-1, 10)
