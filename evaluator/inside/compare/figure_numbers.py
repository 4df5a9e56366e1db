"""Numbers of what figures show, and whether they are the same."""

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

RTOL: Final = 1e-6
"""Relative tolerance of what is drawn."""
_ROUND_TRIP: Final = 1e-9  # of the largest expected x, y: what sums of such numbers lose
_THIN: Final = 0.01  # of the space between bars: what is thinner is not seen
_SPACES: Final = re.compile(r"\s+")
_Facts = Mapping[str, Any]
Numbers = list[tuple[float, ...]]


def line_of(line: _Facts) -> Numbers:
    """Return the points of a line."""
    return list(zip(floats(line["x"]), floats(line["y"]), strict=True))


def is_dotted(line: _Facts) -> bool:
    """Return whether a line is drawn as its markers alone: as points."""
    return line["style"] in ("None", "", " ") and line["marker"] not in ("None", "", " ")


def bars_of(group: _Facts) -> Numbers:
    """Return the bars of a group: whether they lie, where their middle is, where they begin, how long they are."""
    found: Numbers = []
    broad: list[float] = []
    for bar in group["bars"]:
        x, y, width, height = (float(bar[name]) for name in ("x", "y", "width", "height"))
        lies = group["orientation"] == "horizontal"
        broad.append(abs(height if lies else width))
        found.append((1.0, y + height / 2, x, width) if lies else (0.0, x + width / 2, y, height))
    middles = sorted({bar[1] for bar in found})
    spacing = min((b - a for a, b in itertools.pairwise(middles)), default=0.0)
    return [bar for bar, size in zip(found, broad, strict=True) if size >= spacing * _THIN]


def box_of(rectangle: _Facts) -> tuple[float, ...]:
    """Return where a rectangle begins, and its width and height."""
    return tuple(float(rectangle[name]) for name in ("x", "y", "width", "height"))


def angle_of(wedge: _Facts) -> float:
    """Return how large a part of a pie is."""
    return abs(float(wedge["angles"][1]) - float(wedge["angles"][0]))


def offsets_of(collection: _Facts) -> Numbers:
    """Return the points of a collection that could be seen."""
    offsets = np.asarray(collection["offsets"], dtype=np.float64).reshape(-1, 2)
    return [(float(x), float(y)) for x, y in offsets if math.isfinite(x) and math.isfinite(y)]


def floats(values: Any) -> list[float]:
    """Return values as a flat list of numbers."""
    return [float(value) for value in np.asarray(values, dtype=np.float64).ravel()]


def equal(expected: Numbers, found: Numbers) -> bool:
    """Return whether rows of numbers are the same but for rounding."""
    if len(expected) != len(found) or {len(row) for row in expected} != {len(row) for row in found}:
        return False
    one, other = np.array(expected, dtype=np.float64), np.array(found, dtype=np.float64)
    sizes = np.where(np.isfinite(one), np.abs(one), 0.0).max(
        axis=0, initial=0.0
    )  # of each column: years say nothing of y
    near = np.isclose(other, one, rtol=RTOL, atol=_ROUND_TRIP * np.maximum(sizes, 1e-3), equal_nan=True)
    return bool(near.all())


def plain(text: Any) -> str:
    """Return a text as it is compared: without capitals and spaces around it."""
    return _SPACES.sub(" ", str(text)).strip().casefold()
