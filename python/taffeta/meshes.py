"""Meshes from arrays, for scenes that are made in Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from taffeta.errors import InvalidInput


def obj_text(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    uv: npt.ArrayLike | None = None,
) -> str:
    """The text of a Wavefront OBJ file, to be given to a scene by ``files``.

    >>> text = obj_text([[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 1, 2]])
    >>> scene = {"duration_s": 1.0, "dt_s": 0.01, "cloth": {"obj": {"path": "sheet.obj"}}}
    >>> sim = taffeta.Simulation(scene, files={"sheet.obj": text})

    Args:
        vertices: Places of the corners, of shape (n, 3).
        faces: Corners of each triangle or quad, counted from 0, of shape (m, 3) or (m, 4); -1 as the fourth is none.
        uv: Texture coordinates of the corners, of shape (n, 2), for cloth that is flat in them (``rest = "uv"``).
    """
    places = _numbers(vertices, "vertices", 3)
    corners = np.asarray(faces)
    if corners.ndim != 2 or corners.shape[1] not in (3, 4) or corners.dtype.kind not in "iu":
        raise InvalidInput(f"faces must be whole numbers of shape (m, 3) or (m, 4), not of shape {corners.shape}")
    fourth_missing = corners.shape[1] == 4 and corners[:, 3] == -1
    inside = (corners >= 0) & (corners < len(places))
    if corners.shape[1] == 4:
        inside[:, 3] |= fourth_missing
    if not inside.all():
        raise InvalidInput(f"face {int(np.argmin(inside.all(axis=1)))} has a corner that is not one of 0 to {len(places) - 1}")
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in places.tolist()]
    if uv is not None:
        texture = _numbers(uv, "uv", 2)
        if len(texture) != len(places):
            raise InvalidInput(f"uv has {len(texture)} rows for {len(places)} vertices: give as many")
        lines += [f"vt {u!r} {v!r}" for u, v in texture.tolist()]
    for face in corners.tolist():
        numbers = [corner + 1 for corner in face if corner >= 0]
        lines.append("f " + " ".join(f"{k}/{k}" if uv is not None else str(k) for k in numbers))
    return "\n".join(lines) + "\n"


def _numbers(values: npt.ArrayLike, name: str, width: int) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of numbers: {error}") from None
    if array.ndim != 2 or array.shape[1] != width:
        raise InvalidInput(f"{name} has shape {array.shape}: give (n, {width})")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} has a number that is not finite")
    return array
