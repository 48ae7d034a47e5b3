"""Pictures as files and side by side, without any other package."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from taffeta.errors import InvalidInput

_Picture = npt.NDArray[np.uint8]

# Grey between pictures that are laid side by side, pixels.
_GAP = 4
_GREY = 200


def png(picture: npt.ArrayLike) -> bytes:
    """A picture as a PNG file.

    >>> from pathlib import Path
    >>> size = Path("swing.png").write_bytes(taffeta.png(taffeta.Simulation("swing").render()))

    Args:
        picture: What ``render`` returns: of shape (height, width, 3) and uint8.
    """
    pixels = _checked(picture)
    height, width = pixels.shape[:2]
    # Each row begins with the number of its filter: 0, none.
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def save_png(path: str | PathLike[str], picture: npt.ArrayLike) -> None:
    """Writes a picture as a PNG file."""
    Path(path).write_bytes(png(picture))


def tile(pictures: Sequence[npt.ArrayLike], columns: int | None = None) -> _Picture:
    """Pictures of one size, row by row in one picture.

    Args:
        pictures: At least one.
        columns: How many stand beside each other; by default about as many as rows.
    """
    checked = [_checked(picture) for picture in pictures]
    if not checked:
        raise InvalidInput("there is no picture to lay out: give one or more")
    odd = next((k for k, picture in enumerate(checked) if picture.shape != checked[0].shape), None)
    if odd is not None:
        raise InvalidInput(f"picture {odd} has shape {checked[odd].shape}, and picture 0 {checked[0].shape}: draw them equally large")
    if columns is not None and columns < 1:
        raise InvalidInput(f"columns is {columns}: give 1 or more")
    across = min(len(checked), columns or int(np.ceil(np.sqrt(len(checked)))))
    down = -(-len(checked) // across)
    height, width = checked[0].shape[:2]
    sheet = np.full((down * (height + _GAP) - _GAP, across * (width + _GAP) - _GAP, 3), _GREY, dtype=np.uint8)
    for k, picture in enumerate(checked):
        top, left = k // across * (height + _GAP), k % across * (width + _GAP)
        sheet[top : top + height, left : left + width] = picture
    return sheet


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _checked(picture: npt.ArrayLike) -> _Picture:
    pixels = np.asarray(picture)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or 0 in pixels.shape:
        raise InvalidInput(f"a picture has the shape (height, width, 3) and is of uint8, not {pixels.shape} of {pixels.dtype}")
    return pixels
