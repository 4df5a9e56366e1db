"""Likeness of two PNG pictures: structural similarity with the preprocessing of CIBench (arXiv:2407.10499).

The found picture is resized to the height and width of the expected one, its aspect ignored; then a 7 x 7 uniform
window over each channel, mean over channels.
"""

import struct
import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

PNG: Final = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS: Final = 16_000_000
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_RESIZING: Final = 1e10  # products: some ten seconds
_HEADER: Final = struct.Struct(">8sI4sII")
_WINDOW: Final = 7
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
_SAMPLE: Final = _WINDOW**2 / (_WINDOW**2 - 1)


class BadPictureError(Exception):
    """A picture that cannot be compared; its text says why, as one word."""


@dataclass(frozen=True)
class Likeness:
    """How alike two pictures are."""

    score: float  # in [-1, 1]; 0 where they cannot be compared
    why: str = ""  # unreadable-expected | unreadable | too-large | channels | too-small; empty: they were compared


def check_png(data: bytes) -> tuple[int, int]:
    """Return width and height (pixels) as a PNG's header says, before anything is decoded.

    Raises:
        BadPictureError: If it is no PNG (unreadable), or too large.
    """
    if len(data) < _HEADER.size:
        raise BadPictureError("unreadable")
    mark, length, kind, width, height = _HEADER.unpack_from(data)
    if mark != PNG or length != 13 or kind != b"IHDR" or not width or not height:
        raise BadPictureError("unreadable")
    if width * height > MAX_PIXELS or len(data) > MAX_BYTES:
        raise BadPictureError("too-large")
    if _chunk_kinds(data).count(b"IHDR") != 1:  # a decoder may believe another one than we do
        raise BadPictureError("unreadable")
    return width, height


def _chunk_kinds(data: bytes) -> list[bytes]:
    """Return the kinds of a PNG's chunks, as far as their lengths lead."""
    kinds, position = [], len(PNG)
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        kinds.append(kind)
        position += 12 + length
    return kinds


def read_png(data: bytes) -> Any:
    """Return a picture as an array (height, width) or (height, width, channels).

    Raises:
        BadPictureError: If it cannot be decoded, or is too large.
    """
    check_png(data)
    from imageio.v3 import imread  # late, with what it brings: only pictures need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(imread(data, extension=".png", index=0))  # of an animated one the first picture
    except Exception as error:
        raise BadPictureError("unreadable") from error


def likeness(expected: bytes, found: bytes, *, sound: bool) -> Likeness:
    """Compare two PNG files.

    Args:
        expected: The target.
        found: What is compared with it.
        sound: Pictures are laid on white and levels rounded; the published preprocessing keeps alpha as a channel and
            truncates levels, which lowers 24 of 256 by one.
    """
    try:
        target = read_png(expected)
    except BadPictureError as error:
        return Likeness(0.0, "unreadable-expected" if str(error) == "unreadable" else str(error))
    try:
        picture = read_png(found)
    except BadPictureError as error:
        return Likeness(0.0, str(error))
    if sound:
        target, picture = on_white(target), on_white(picture)
    if picture.ndim != target.ndim or picture.shape[2:] != target.shape[2:]:
        return Likeness(0.0, "channels")
    if _resizing_cost(picture.shape, target.shape) > MAX_RESIZING:
        return Likeness(0.0, "too-large")
    try:
        return Likeness(_similarity(_resized(picture, target.shape[:2], sound=sound), target))
    except ValueError:  # a side is shorter than the window
        return Likeness(0.0, "too-small")


def _resizing_cost(found: tuple[int, ...], wanted: tuple[int, ...]) -> float:
    """Return how many products anti-aliasing takes: its kernel is four times as wide as a side shrinks."""
    width = sum(4 * max(0.0, one / other - 1) for one, other in zip(found[:2], wanted[:2], strict=True))
    return width * float(np.prod(found))


def on_white(picture: Any) -> Any:
    """Return three channels of 8 bits: what a reader sees on a white page."""
    depth = 65535.0 if picture.dtype == np.uint16 else 1.0 if picture.dtype == bool else 255.0
    levels = picture.astype(np.float64) / depth
    if levels.ndim == 2:
        levels = levels[..., None]
    if levels.shape[-1] in (2, 4):
        levels, alpha = levels[..., :-1], levels[..., -1:]
        levels = levels * alpha + (1 - alpha)
    if levels.shape[-1] == 1:
        levels = np.repeat(levels, 3, axis=-1)
    return np.rint(255 * levels).astype(np.uint8)


def _resized(picture: Any, shape: tuple[int, ...], *, sound: bool) -> Any:
    from skimage.transform import resize  # late: only pictures need it

    levels = 255 * resize(picture, shape)
    return (np.rint(levels) if sound else levels).astype(np.uint8)


def _similarity(picture: Any, target: Any) -> float:
    """Return the mean over channels.

    Raises:
        ValueError: If a side is shorter than the window.
    """
    if target.dtype != np.uint8 or picture.dtype != np.uint8 or target.ndim == 2:
        return _similarity_of_rare(picture, target)
    if min(target.shape[:2]) < _WINDOW:
        raise ValueError("a side is shorter than the window")
    scores: list[float] = []
    for channel in range(target.shape[-1]):  # plots are mostly grey: equal channels are compared once
        same = next((each for each in range(channel) if _equal(picture, target, channel, each)), None)
        scores.append(_of_channel(picture[..., channel], target[..., channel]) if same is None else scores[same])
    return float(sum(scores) / len(scores))


def _equal(picture: Any, target: Any, one: int, other: int) -> bool:
    return all(np.array_equal(each[..., one], each[..., other]) for each in (picture, target))


def _of_channel(picture: Any, target: Any) -> float:
    """Return the mean similarity of all whole windows of two channels.

    Sums of whole numbers are exact. A window in which nothing differs is as similar as can be, which is most of two
    plots on white: only the others are worked out.
    """
    windows = (target.shape[0] - _WINDOW + 1) * (target.shape[1] - _WINDOW + 1)
    differs = picture != target
    rows, columns = _around(differs.any(axis=1)), _around(differs.any(axis=0))
    one, other = picture[rows, columns].astype(np.int32), target[rows, columns].astype(np.int32)
    differing = np.flatnonzero(_window_sums(differs[rows, columns])) if one.size else np.arange(0)
    if not differing.size:
        return 1.0

    def means(values: Any) -> Any:
        return _window_sums(values).ravel()[differing] / float(_WINDOW**2)

    mean, target_mean = means(one), means(other)
    product = mean * target_mean
    squares = mean * mean + target_mean * target_mean
    variances = _SAMPLE * (means(one * one + other * other) - squares)
    covariance = _SAMPLE * (means(one * other) - product)
    similar = (2 * product + _C1) * (2 * covariance + _C2) / ((squares + _C1) * (variances + _C2))
    return float((similar.sum() + windows - differing.size) / windows)


def _around(differs: Any) -> slice:
    """Return the rows, or columns, of all windows that reach one that differs."""
    found = np.flatnonzero(differs)
    return slice(max(0, found[0] - _WINDOW + 1), found[-1] + _WINDOW) if found.size else slice(0, 0)


def _window_sums(values: Any) -> Any:
    """Return the sums over all whole windows; they fit 32 bits, so that running sums may wrap round."""
    for axis in (0, 1):
        values = _differences(np.cumsum(values, axis=axis, dtype=np.int32), axis)
    return values


def _differences(running: Any, axis: int) -> Any:
    last = np.moveaxis(running, axis, 0)
    sums = last[_WINDOW - 1 :].copy()
    sums[1:] -= last[:-_WINDOW]
    return np.moveaxis(sums, 0, axis)


def _similarity_of_rare(picture: Any, target: Any) -> float:
    """Compare what plots are not: other depths, and grey, of which the published call takes columns for channels."""
    from skimage.metrics import structural_similarity  # late: hardly ever needed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(structural_similarity(picture, target, channel_axis=-1))
