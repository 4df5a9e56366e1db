"""Where two pictures differ, for people: as readers see them, within limits, whatever the files hold."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from evaluator.session import picture_difference
from evaluator.session.picture_difference import PictureDifference, difference_picture


def png(levels: Any, mode: str | None = None) -> bytes:
    file = io.BytesIO()
    picture = Image.fromarray(np.asarray(levels, dtype=np.uint8))
    (picture.convert(mode) if mode else picture).save(file, "PNG")
    return file.getvalue()


def square(size: int = 20, *, begin: int = 5, end: int = 10) -> Any:
    levels = np.full((size, size, 3), 255)
    levels[begin:end, begin:end] = 0
    return levels


def drawn(difference: PictureDifference) -> Any:
    assert difference.picture is not None
    return np.asarray(Image.open(io.BytesIO(difference.picture)))


def test_only_pixels_that_differ_are_red_and_their_share_is_told() -> None:
    found = difference_picture(png(square()), png(square(end=12)))
    picture = drawn(found)
    assert picture.shape == (20, 20, 3)
    red = (picture[..., 0] == 255) & (picture[..., 1] < 200)
    wanted = np.zeros((20, 20), bool)
    wanted[5:12, 5:12] = True
    wanted[5:10, 5:10] = False
    assert (red == wanted).all()
    assert found.share == pytest.approx((49 - 25) / 400)
    assert not found.is_resized
    assert difference_picture(png(square()), png(square())).share == 0


def test_pictures_of_all_kinds_are_compared_as_on_a_white_page() -> None:
    file = io.BytesIO()
    Image.fromarray((square()[..., 0] * 257).astype(np.uint16)).save(file, "PNG")
    others = [png(square(), mode) for mode in ("L", "LA", "RGBA", "1", "P")]
    for other in (*others, file.getvalue()):
        assert difference_picture(png(square()), other).share == 0
    clear = np.zeros((20, 20, 4))
    clear[5:10, 5:10, 3] = 255
    assert difference_picture(png(square()), png(clear)).share == 0


def test_a_picture_of_another_size_is_brought_to_the_expected_one() -> None:
    found = difference_picture(png(square()), png(np.repeat(np.repeat(square(), 2, axis=0), 2, axis=1)))
    assert (found.share, found.is_resized, drawn(found).shape) == (0, True, (20, 20, 3))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def claiming(width: int, height: int, *more: bytes) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    body = chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(more) + body


def test_hostile_pictures_are_refused_in_words() -> None:
    for hostile, why in (
        (b"", "cannot be read"),
        (b"<svg onload=alert(1)>", "cannot be read"),
        (claiming(2_000, 1_001), "is too large"),
        (claiming(2**31 - 1, 2**31 - 1), "is too large"),
        (claiming(100, 100)[:60], "cannot be read"),
        (claiming(10, 10, chunk(b"IHDR", struct.pack(">IIBBBBB", 9_000, 9_000, 8, 2, 0, 0, 0))), "cannot be read"),
        (png(square()) + bytes(picture_difference.MAX_DIFFERENCE_BYTES), "is too large"),
    ):
        found = difference_picture(png(square()), hostile)
        assert found.picture is None
        assert f"the found picture {why}" in found.why
        assert "the expected picture" in difference_picture(hostile, png(square())).why
