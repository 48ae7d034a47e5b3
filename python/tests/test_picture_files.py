"""Pictures as files and side by side."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import taffeta


def test_a_png_holds_every_pixel(tmp_path: Path) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    taffeta.save_png(tmp_path / "noise.png", picture)
    data = (tmp_path / "noise.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(name + body),)
        chunks[name] = body
        at += 12 + length
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (5, 7, 8, 2, 0, 0, 0)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(7, 16)
    assert (rows[:, 0] == 0).all()
    assert np.array_equal(rows[:, 1:].reshape(7, 5, 3), picture)


def test_pictures_are_laid_row_by_row() -> None:
    pictures = [np.full((4, 6, 3), k, dtype=np.uint8) for k in range(5)]
    sheet = taffeta.tile(pictures, columns=3)
    assert sheet.shape == (4 + 4 + 4, 6 + 4 + 6 + 4 + 6, 3)
    assert (sheet[:4, :6] == 0).all()
    assert (sheet[:4, 20:] == 2).all()
    assert (sheet[8:, 10:16] == 4).all()
    assert taffeta.tile(pictures[:1]).shape == (4, 6, 3)


def test_what_is_no_picture_is_refused() -> None:
    picture = np.zeros((4, 6, 3), dtype=np.uint8)
    for bad in (picture[0], picture.astype(float), picture[..., :2], picture[:0]):
        with pytest.raises(taffeta.InvalidInput, match="a picture has the shape"):
            taffeta.png(bad)
    with pytest.raises(taffeta.InvalidInput, match="picture 1 has shape"):
        taffeta.tile([picture, picture[:3]])
    with pytest.raises(taffeta.InvalidInput, match="no picture"):
        taffeta.tile([])
    with pytest.raises(taffeta.InvalidInput, match="columns"):
        taffeta.tile([picture], columns=0)
