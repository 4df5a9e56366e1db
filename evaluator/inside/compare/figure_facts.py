"""Whether two figures show the same: their facts beside each other, whatever the pictures look like.

Facts are those of `evaluator.inside.export.figures`, decoded; those of a submission are hostile, but data.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

RTOL: Final = 1e-6
"""Relative tolerance of what is drawn; absolute ones are this part of the largest expected number."""
_ROUND_TRIP: Final = 1e-9
_SPACES: Final = re.compile(r"\s+")
_Facts = Mapping[str, Any]
_Numbers = list[tuple[float, ...]]


def difference(expected: Sequence[Any], found: Sequence[Any], wanted: Sequence[str]) -> str:
    """Return what differs first between the figures of two cells, for people; empty where they agree.

    Args:
        expected: Facts of the reference's figures, in order.
        found: Facts of the submission's figures; in any order.
        wanted: What must agree: some of data, scales, labels.
    """
    if len(expected) != len(found):
        return f"{_counted(len(expected), 'figure')} expected, {len(found)} found"
    left = list(found)
    for number, one in enumerate(expected, start=1):
        told = [_figure(one, other, wanted) for other in left]
        alike = next((position for position, what in enumerate(told) if not what), None)
        if alike is None:
            where = f"figure {number}: " if len(expected) > 1 else ""
            return where + told[0]
        del left[alike]
    return ""


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _figure(expected: _Facts, found: _Facts, wanted: Sequence[str]) -> str:
    if expected["cut"] or found["cut"]:
        return "the figure is too large for its facts to be read"
    ours, theirs = _seen(expected), _seen(found)
    if len(ours) != len(theirs):
        return f"{_counted(len(ours), 'plot')} expected in the figure, {len(theirs)} found"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        for kind in wanted:
            what = _CHECKS[kind](one, other)
            if what:
                return f"plot {number}: {what}" if len(ours) > 1 else what
    return _titles([expected["title"]], [found["title"]], "title of the figure") if "labels" in wanted else ""


def _seen(figure: _Facts) -> list[_Facts]:
    return [axes for axes in figure["axes"] if axes["is_visible"]]


def _data(expected: _Facts, found: _Facts) -> str:
    for name, read in _READERS.items():
        what = _alike(read(expected), read(found))
        if what:
            return f"the {name} differ: {what}"
    return ""


def _lines(axes: _Facts) -> list[_Numbers]:
    """Return the points of every line that has some; where a line passes twice, once."""
    return [list(zip(_floats(line["x"]), _floats(line["y"]), strict=True)) for line in axes["lines"] if len(line["x"])]


def _bars(axes: _Facts) -> list[_Numbers]:
    """Return where bars stand, where they begin, and how long they are: how broad they are is a matter of taste."""
    found: _Numbers = []
    for group in axes["bars"]:
        for bar in group["bars"]:
            x, y, width, height = (float(bar[name]) for name in ("x", "y", "width", "height"))
            lies = group["orientation"] == "horizontal"
            found.append((1.0, y + height / 2, x, width) if lies else (0.0, x + width / 2, y, height))
    return [sorted(found)] if found else []


def _boxes(axes: _Facts) -> list[_Numbers]:
    """Return the rectangles that are no bars."""
    barred = {tuple(_box(bar)) for group in axes["bars"] for bar in group["bars"]}
    found = sorted(box for box in map(_box, axes["rectangles"]) if box not in barred)
    return [found] if found else []


def _box(rectangle: _Facts) -> tuple[float, ...]:
    return tuple(float(rectangle[name]) for name in ("x", "y", "width", "height"))


def _wedges(axes: _Facts) -> list[_Numbers]:
    """Return how large the parts of a pie are, wherever it begins."""
    angles = sorted(abs(float(wedge["angles"][1]) - float(wedge["angles"][0])) for wedge in axes["wedges"])
    found: _Numbers = [(angle,) for angle in angles]
    return [found] if found else []


def _points(axes: _Facts) -> list[_Numbers]:
    """Return the points of all collections together: one with many colours shows what many with one colour do."""
    found: _Numbers = []
    for collection in axes["points"]:
        offsets = np.asarray(collection["offsets"], dtype=np.float64).reshape(-1, 2)
        found += [(float(x), float(y)) for x, y in offsets if math.isfinite(x) and math.isfinite(y)]
    return [sorted(found)] if found else []


def _images(axes: _Facts) -> list[_Numbers]:
    """Return how large images and meshes are; what they hold is compared as a picture."""
    shapes = [tuple(float(side) for side in image["shape"]) for image in (*axes["images"], *axes["meshes"])]
    return [shapes] if shapes else []


_READERS: Final[Mapping[str, Callable[[_Facts], list[_Numbers]]]] = {
    "lines": _lines,
    "bars": _bars,
    "boxes": _boxes,
    "parts of the pie": _wedges,
    "points": _points,
    "images": _images,
}


def _floats(values: Any) -> list[float]:
    return [float(value) for value in np.asarray(values, dtype=np.float64).ravel()]


def _alike(expected: list[_Numbers], found: list[_Numbers]) -> str:
    """Return how rows of numbers differ, each of ours with one of theirs; empty where none does."""
    if len(expected) != len(found):
        return f"{len(expected)} expected, {len(found)} found"
    left = list(found)
    for ours in expected:
        alike = next((position for position, theirs in enumerate(left) if _equal(ours, theirs)), None)
        if alike is None:
            sizes = {len(theirs) for theirs in left}
            return "other values" if len(ours) in sizes else f"{len(ours)} expected, {min(sizes)} found"
        del left[alike]
    return ""


def _equal(expected: _Numbers, found: _Numbers) -> bool:
    if len(expected) != len(found) or {len(row) for row in expected} != {len(row) for row in found}:
        return False
    one, other = np.array(expected, dtype=np.float64), np.array(found, dtype=np.float64)
    size = np.nanmax(np.abs(one[np.isfinite(one)]), initial=0.0) if one.size else 0.0
    return bool(np.allclose(other, one, rtol=RTOL, atol=max(RTOL * float(size), _ROUND_TRIP), equal_nan=True))


def _scales(expected: _Facts, found: _Facts) -> str:
    for name in ("x", "y"):
        one, other = expected[name]["scale"], found[name]["scale"]
        if one != other:
            return f"the {name} axis is {other!s:.20}, where {one} is expected"
    return ""


def _labels(expected: _Facts, found: _Facts) -> str:
    """Return which title, label or legend text is not there; more of them are welcome."""
    told = _titles(expected["titles"], found["titles"], "title")
    for name in ("x", "y"):
        told = told or _titles([expected[name]["label"]], [found[name]["label"]], f"label of the {name} axis")
    ours, theirs = (axes["legend"] or {"texts": ()} for axes in (expected, found))
    return told or _titles(ours["texts"], theirs["texts"], "text in the legend")


def _titles(expected: Iterable[Any], found: Iterable[Any], what: str) -> str:
    there = {_plain(text) for text in found}
    lacking = [text for text in expected if _plain(text) and _plain(text) not in there]
    return f"there is no {what} {str(lacking[0])[:80]!r}" if lacking else ""


def _plain(text: Any) -> str:
    return _SPACES.sub(" ", str(text)).strip().casefold()


_CHECKS: Final[Mapping[str, Callable[[_Facts, _Facts], str]]] = {"data": _data, "scales": _scales, "labels": _labels}
