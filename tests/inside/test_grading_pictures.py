"""Likeness of pictures: closed forms, the published library call on random pictures, hostile files."""

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import structural_similarity
from skimage.transform import resize

from evaluator.inside.grading.pictures import BadPictureError, Likeness, check_png, likeness

SIZE = 32
RANDOM_PICTURES = 36


def png(levels: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(levels, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def plain(*levels: int, size: int = SIZE) -> bytes:
    return png(np.full((size, size, len(levels)), levels))


def published(expected: bytes, found: bytes) -> float:
    return likeness(expected, found, sound=False).score


def with_square(size: int, begin: int, end: int) -> bytes:
    levels = np.full((size, size, 4), 255)
    levels[begin:end, begin:end, :3] = 0
    return png(levels)


WHITE = plain(255, 255, 255, 255)
GREY = png(np.full((SIZE, SIZE), 9))


def test_plain_pictures_have_a_closed_form() -> None:
    for expected, found, score in (
        *((plain(100, 100, 100), plain(200, 200, 200), 0.800026), (plain(0, 0, 0, 255), WHITE, 0.250075)),
        *((plain(100, 100, 100, 255), WHITE, 0.759851), (plain(200, 200, 200, 255), WHITE, 0.978399)),
        *((plain(254, 254, 254, 255), WHITE, 0.999994), (WHITE, plain(255, 255, 255, 0), 0.750025)),
        (plain(255, 255, 255), plain(255, 255, 255, size=64), 1),
    ):
        assert published(expected, found) == pytest.approx(score, abs=5e-7)


def test_columns_against_their_inverse_are_as_unlike_as_can_be() -> None:
    columns = np.zeros((64, 64, 3))
    columns[:, ::2] = 255
    assert published(png(columns), png(255 - columns)) == pytest.approx(-0.956558, abs=5e-7)


def test_a_square_is_looked_for_where_it_is_expected() -> None:
    for found, score, within in (
        *((with_square(64, 16, 48), 1, 1e-9), (plain(255, 255, 255, 255, size=64), 0.678825, 5e-7)),
        *((with_square(64, 20, 52), 0.729152, 5e-7), (with_square(128, 32, 96), 0.979035, 1e-4)),
        (with_square(32, 8, 24), 0.937636, 1e-4),
    ):
        assert published(with_square(64, 16, 48), found) == pytest.approx(score, abs=within)


def test_random_pictures_score_as_the_published_harness_scores_them() -> None:
    random = np.random.default_rng(5)
    for number in range(RANDOM_PICTURES):
        channels = ((), (3,), (4,))[number % 3]
        shape = (*random.integers(7, 60, 2), *channels)
        other = shape if number % 2 else (*random.integers(7, 60, 2), *channels)
        expected, found = random.integers(0, 256, shape), random.integers(0, 256, other)
        if number % 5 == 0:
            found = np.full(other, 200)
        if number % 7 == 0 and channels:
            expected[..., 1], found[..., 1] = expected[..., 0], found[..., 0]
        picture = (255 * resize(found.astype(np.uint8), shape[:2])).astype(np.uint8)
        score = structural_similarity(picture, expected.astype(np.uint8), channel_axis=-1)
        assert published(png(expected), png(found)) == pytest.approx(score, abs=1e-9)


def test_what_cannot_be_compared_scores_nothing_and_says_why() -> None:
    for expected, found, why in (
        *((plain(9, 9, 9), WHITE, "channels"), (GREY, plain(9, 9, 9, 9), "channels"), (WHITE, b"", "unreadable")),
        *((plain(9, 9, 9, size=6), plain(9, 9, 9, size=6), "too-small"), (WHITE, WHITE[:60], "unreadable")),
        *((WHITE, b"GIF89a" + WHITE, "unreadable"), (WHITE[:60], WHITE, "unreadable-expected")),
    ):
        assert likeness(expected, found, sound=False) == Likeness(0.0, why)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded() -> None:
    head = struct.pack(">IIBBBBB", 6000, 5000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    file = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    with pytest.raises(BadPictureError, match="too-large"):
        check_png(file)
    assert likeness(WHITE, file, sound=False) == Likeness(0.0, "too-large")


def test_the_sound_reading_lays_pictures_on_white_and_keeps_levels() -> None:
    transparent = np.full((SIZE, SIZE, 4), 0)
    assert likeness(plain(255, 255, 255), png(transparent), sound=True).score == 1
    for level in (33, 37, 41, 244):
        assert likeness(plain(*[level] * 3), plain(*[level] * 3), sound=True).score == 1
        assert likeness(plain(*[level] * 3), plain(*[level] * 3), sound=False).score < 1
    assert likeness(png(np.full((SIZE, SIZE), 80)), plain(80, 80, 80), sound=True).score == 1


def test_a_picture_is_always_as_like_itself_as_truncation_leaves_it() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        picture = png(random.integers(0, 256, (20, 30, 4)))
        assert published(picture, picture) > 0.9999
        assert likeness(picture, picture, sound=True).score == 1
