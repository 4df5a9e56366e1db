"""Whether two figures show the same: their facts beside each other, whatever the pictures look like.

Facts are those of `evaluator.inside.export.figures`, decoded; those of a submission are hostile, but data.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from evaluator.inside.compare.box_plots import read_box_plots
from evaluator.inside.compare.figure_layout import (
    arrangement,
    by_place,
    other_circle,
    other_names_of_bars,
    other_widths,
)
from evaluator.inside.compare.figure_names import renamed
from evaluator.inside.compare.figure_numbers import (
    Numbers,
    angle_of,
    bars_of,
    box_of,
    equal,
    floats,
    is_dotted,
    line_of,
    offsets_of,
    plain,
)
from evaluator.inside.compare.step_outlines import with_steps

_FIELDS: Final = 16  # along each side of a coarse image, at most
_IMAGE_ATOL: Final = 0.03  # of a field of a coarse image, whose levels are 0 to 1
_FILLED_BOX: Final = "matplotlib.patches.PathPatch"
_Facts = Mapping[str, Any]


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
    if found["library"] != expected["library"]:
        return _altered(expected["library"], found["library"])
    if not set(found["own_drawing"]) <= set(expected["own_drawing"]):
        return "the figure is drawn by functions of its own, so that its data say nothing of what it shows"
    if found["is_covered"] and not expected["is_covered"]:
        return "the figure is covered or hidden"
    ours, theirs = _seen(expected), _seen(found)
    if len(ours) != len(theirs):
        return f"{_counted(len(ours), 'plot')} expected in the figure, {len(theirs)} found"
    if arrangement(ours) != arrangement(theirs):
        return "the plots of the figure are arranged otherwise"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), start=1):
        for kind in wanted:
            what = _CHECKS[kind](one, other)
            if what:
                return f"plot {number}: {what}" if len(ours) > 1 else what
    titles = [found["title"], *(theirs[0]["titles"] if len(theirs) == 1 else ())]
    return _titles([expected["title"]], titles, "title of the figure") if "labels" in wanted else ""


def _altered(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return which part of matplotlib is another one than where the reference was drawn."""
    altered = next((name for name in expected if found.get(name) != expected[name]), "")
    return f"the cell altered what draws and reads figures: functions of matplotlib.{altered}"


def _seen(figure: _Facts) -> list[_Facts]:
    """Return what the figure shows, row by row; the title of a figure with one plot is that of the plot, too."""
    seen: list[_Facts] = by_place([with_steps(axes) for axes in figure["axes"] if axes["is_visible"]])
    if len(seen) == 1 and not any(map(plain, seen[0]["titles"])):
        seen = [{**seen[0], "titles": [figure["title"]]}]
    return seen


def _data(expected: _Facts, found: _Facts) -> str:
    for name, read in _READERS.items():
        what = _alike(read(expected), read(found))
        if what:
            return f"the {name} differ: {what}"
    told = _lacking(expected, found) or _no_rule(expected, found) or other_circle(expected, found)
    told = told or other_widths(expected, found) or other_names_of_bars(expected, found)
    return told or _other_order(expected, found) or _other_image(expected, found)


def _lacking(expected: _Facts, found: _Facts) -> str:
    """Return which kind of artist is missing of those that are only counted; more of them are welcome."""
    boxes = bool(_box_plots(expected))
    lacks = (kind for kind, count in expected["others"].items() if found["others"].get(kind, 0) < count)
    kind = next((kind for kind in lacks if not (boxes and kind == _FILLED_BOX)), None)
    return "" if kind is None else f"there are fewer artists of the kind {kind.rpartition('.')[2]} than expected"


def _no_rule(expected: _Facts, found: _Facts) -> str:
    """Return whether a straight line across the whole plot is missing; more of them, such as one at 0, are welcome."""
    left = [line_of(line) for line in found["lines"] if line.get("is_rule")]
    for rule in (line_of(line) for line in expected["lines"] if line.get("is_rule")):
        if not any(equal(rule, other) for other in left):
            return "there is no line across the plot where one is expected"
    return ""


def _other_order(expected: _Facts, found: _Facts) -> str:
    """Return whether the same names stand along an axis in another order, at the same bars or points."""
    for axis in ("x", "y"):
        ours, theirs = (_names(axes, axis)[:: -1 if _runs_backwards(axes, axis) else 1] for axes in (expected, found))
        if ours != theirs and sorted(ours) == sorted(theirs):
            return f"the names along the {axis} axis stand in another order"
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text.replace("\u2212", "-").replace(",", ""))
    except ValueError:
        return False
    return True


def _other_image(expected: _Facts, found: _Facts) -> str:
    """Return whether images, in order, show something else: coarsely, as fine parts are compared as a picture."""
    for one, other in zip(_thumbnails(expected), _thumbnails(found), strict=False):
        if one.shape != other.shape or np.abs(one - other).max(initial=0.0) > _IMAGE_ATOL:
            return "the image shows something else"
    return ""


def _lines(axes: _Facts) -> list[Numbers]:
    """Return the points of every line that is drawn as one: no part of a box plot, no rule across the whole plot.

    A line without a point that could be seen, as seaborn leaves for the error of a single value, is none.
    """
    lines = [line_of(line) for line in _unboxed(axes) if not is_dotted(line) and not line.get("is_rule")]
    return [line for line in lines if any(math.isfinite(x) and math.isfinite(y) for x, y in line)]


def _box_plots(axes: _Facts) -> list[Numbers]:
    """Return what the boxes of box plots say, from left to right or from the bottom up as seen."""
    boxes: list[Numbers] = read_box_plots(axes["lines"]).boxes
    if boxes and _runs_backwards(axes, "y" if boxes[0][0][0] else "x"):
        boxes = [[(lies, len(boxes) - 1 - place, value) for lies, place, value in box] for box in boxes]
    return boxes


def _unboxed(axes: _Facts) -> list[_Facts]:
    return read_box_plots(axes["lines"]).rest


def _bars(axes: _Facts) -> list[Numbers]:
    """Return where bars stand, where they begin, and how long they are: how broad they are is a matter of taste."""
    found = [bar for group in axes["bars"] for bar in bars_of(group)]
    turned = [bar for kind, name in ((0.0, "x"), (1.0, "y")) for bar in _turned(axes, name, found, kind)]
    return [sorted(turned)] if turned else []


def _turned(axes: _Facts, name: str, bars: Numbers, kind: float) -> Numbers:
    """Return the bars of one direction, in the order as seen where an axis with names runs backwards."""
    chosen = [bar for bar in bars if bar[0] == kind]
    if not chosen or not _runs_backwards(axes, name):
        return chosen
    total = min(bar[1] for bar in chosen) + max(bar[1] for bar in chosen)
    return [(bar[0], total - bar[1], *bar[2:]) for bar in chosen]


def _runs_backwards(axes: _Facts, name: str) -> bool:
    begin, end = (float(limit) for limit in axes[name]["limits"])
    return begin > end and not all(map(_is_number, _names(axes, name)))


def _names(axes: _Facts, name: str) -> list[str]:
    """Return the texts along an axis, as they stand in the figure."""
    return [plain(text) for text in axes[name]["ticks"] if plain(text)]


def _boxes(axes: _Facts) -> list[Numbers]:
    """Return the rectangles that are no bars, but for those without extent, which seaborn leaves for its legends."""
    barred = {box_of(bar) for group in axes["bars"] for bar in group["bars"]}
    found = sorted(box for box in map(box_of, axes["rectangles"]) if box not in barred and (box[2] or box[3]))
    return [found] if found else []


def _wedges(axes: _Facts) -> list[Numbers]:
    """Return how large the parts of a pie are, wherever it begins."""
    angles = sorted(map(angle_of, axes["wedges"]))
    found: Numbers = [(angle,) for angle in angles]
    return [found] if found else []


def _points(axes: _Facts) -> list[Numbers]:
    """Return the points of all collections together: one with many colours shows what many with one colour do."""
    found = [point for collection in axes["points"] for point in offsets_of(collection)]
    for line in _unboxed(axes):
        if is_dotted(line):
            found += [point for point in line_of(line) if all(map(math.isfinite, point))]
    return [sorted(found)] if found else []


def _segments(axes: _Facts) -> list[Numbers]:
    """Return the ends of the straight lines of all collections together, in whichever direction they were drawn."""
    found: Numbers = []
    for collection in axes["segments"]:
        for x, y, to_x, to_y in np.asarray(collection["ends"], dtype=np.float64).reshape(-1, 4):
            ends = sorted([(float(x), float(y)), (float(to_x), float(to_y))])
            found.append((*ends[0], *ends[1]))
    return [sorted(found)] if found else []


def _images(axes: _Facts) -> list[Numbers]:
    """Return how large images and meshes are; fine parts of what they hold are compared as a picture."""
    shapes = [tuple(float(side) for side in image["shape"]) for image in (*axes["images"], *axes["meshes"])]
    return [shapes] if shapes else []


def _thumbnails(axes: _Facts) -> list["np.ndarray[Any, Any]"]:
    """Return what images and meshes show, coarsely; other numbers or types may stand for the same."""
    return [_as_seen(axes, image) for image in (*axes["images"], *axes["meshes"])]


def _as_seen(axes: _Facts, image: _Facts) -> "np.ndarray[Any, Any]":
    """Return a coarse image with its upper rows first, wherever the axes begin."""
    fields = np.asarray(floats(image["thumbnail"]))
    bottom, top = (float(limit) for limit in axes["y"]["limits"])
    if top < bottom or not fields.size:
        return fields
    return fields.reshape(min(_FIELDS, int(image["shape"][0])), -1)[::-1].ravel()


_READERS: Final[Mapping[str, Callable[[_Facts], list[Numbers]]]] = {
    "lines": _lines,
    "bars": _bars,
    "box plots": _box_plots,
    "boxes": _boxes,
    "parts of the pie": _wedges,
    "points": _points,
    "segments": _segments,
    "images": _images,
}


def _alike(expected: list[Numbers], found: list[Numbers]) -> str:
    """Return how rows of numbers differ, each of ours with one of theirs; empty where none does."""
    if len(expected) != len(found):
        return f"{len(expected)} expected, {len(found)} found"
    left = list(found)
    for ours in expected:
        alike = next((position for position, theirs in enumerate(left) if equal(ours, theirs)), None)
        if alike is None:
            sizes = {len(theirs) for theirs in left}
            return "other values" if len(ours) in sizes else f"{len(ours)} expected, {min(sizes)} found"
        del left[alike]
    return ""


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
    what = "bar" if expected["bars"] else "box" if _box_plots(expected) else ""
    for name in ("x", "y") if what else ():
        names = [text for text in _names(expected, name) if not _is_number(text)]
        told = told or _titles(names, _names(found, name), f"{what} along the {name} axis with the name")
    ours, theirs = (axes["legend"] or {"texts": ()} for axes in (expected, found))
    told = told or _titles(ours["texts"], theirs["texts"], "text in the legend")
    for kind, key, what in (("wedges", "label", "part of the pie"), ("texts", "text", "text in the plot")):
        one, other = ([artist[key] for artist in axes[kind]] for axes in (expected, found))
        told = told or _titles(one, other, what)
    return told or renamed(expected, found)


def _titles(expected: Iterable[Any], found: Iterable[Any], what: str) -> str:
    there = {plain(text) for text in found}
    lacking = [text for text in expected if plain(text) and plain(text) not in there]
    return f"there is no {what} {str(lacking[0])[:80]!r}" if lacking else ""


_CHECKS: Final[Mapping[str, Callable[[_Facts, _Facts], str]]] = {"data": _data, "scales": _scales, "labels": _labels}
