"""What names in a figure stand for: entries of legends by how they look, and what bears a label of its own."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from evaluator.inside.compare.figure_numbers import (
    Numbers,
    angle_of,
    bars_of,
    box_of,
    equal,
    is_dotted,
    line_of,
    offsets_of,
    plain,
)

_SHADE: Final = 0.01  # by which a part of a colour may differ
_ASIDE: Final = 1e-3  # from the middle of a part, of the distance
_Facts = Mapping[str, Any]


def renamed(expected: _Facts, found: _Facts) -> str:
    """Return which name in a legend stands for other data than it should; names whose data are not told pass."""
    ours, theirs = (_named(axes) for axes in (expected, found))
    other = next((name for name in ours if name in theirs and not equal(ours[name], theirs[name])), None)
    if other is not None:
        return f"{other[:80]!r} in the legend stands for other data"
    unseen = next((name for name in _by_legend(expected) if name in _unseen(found)), None)
    return "" if unseen is None else f"nothing in the plot has the colour of {unseen[:80]!r} in the legend"


def _named(axes: _Facts) -> dict[str, Numbers]:
    """Return the data of everything that has a name: by a legend, as it is seen there, or else of its own."""
    named: dict[str, Numbers] = {}
    for line in axes["lines"]:
        named[plain(line["label"])] = sorted(_seen(line_of(line)))
    named |= {plain(collection["label"]): sorted(offsets_of(collection)) for collection in axes["points"]}
    named |= {plain(group["label"]): sorted(bars_of(group)) for group in axes["bars"]}
    named |= {_name_beside(wedge, axes): [(angle_of(wedge),)] for wedge in axes["wedges"]}
    named |= _by_legend(axes)
    return {name: numbers for name, numbers in named.items() if numbers and name and not name.startswith("_")}


def _by_legend(axes: _Facts) -> dict[str, Numbers]:
    """Return the data of what looks like the entries of a legend, but for entries that nothing looks like."""
    return {name: shown for name, look in _entries(axes) if (shown := _shown_like(axes, look))}


def _unseen(axes: _Facts) -> set[str]:
    """Return the entries of a legend whose colours nothing has, in a plot of which all colours are told."""
    if axes["others"] or axes["segments"] or axes["meshes"] or axes["images"]:
        return set()
    return {name for name, look in _entries(axes) if look["colors"] and not _shown_like(axes, look)}


def _entries(axes: _Facts) -> Iterator[tuple[str, _Facts]]:
    legend = axes["legend"] or {"texts": (), "handles": ()}
    for text, look in zip(legend["texts"], legend["handles"], strict=False):
        yield plain(text), look


def _name_beside(wedge: _Facts, axes: _Facts) -> str:
    """Return the text that stands farthest out in the direction of a part of a pie, or else the label it bears."""
    (x, y), middle = wedge["center"], math.radians(sum(float(angle) for angle in wedge["angles"]) / 2)
    beside = []
    for text in axes["texts"]:
        right, up = float(text["position"][0]) - float(x), float(text["position"][1]) - float(y)
        along, across = (
            right * math.cos(middle) + up * math.sin(middle),
            up * math.cos(middle) - right * math.sin(middle),
        )
        if along > float(wedge["radius"]) and abs(across) < _ASIDE * along:
            beside.append((along, plain(text["text"])))
    return max(beside)[1] if beside else plain(wedge["label"])


def _seen(numbers: Numbers) -> Numbers:
    return [row for row in numbers if all(map(math.isfinite, row))]


def _shown_like(axes: _Facts, look: _Facts) -> Numbers:
    """Return the data of all that has the colour of an entry in a legend; styles and hatches count where they tell."""
    for color in look["colors"]:
        bars = [bar for group in axes["bars"] for bar in _bars_like(group, color, {})]
        if bars:
            edged = [bar for group in axes["bars"] for bar in _bars_like(group, color, look)]
            return sorted(edged or bars)
        wedges: Numbers = [(angle_of(one),) for one in axes["wedges"] if _is_like(one["color"], color)]
        if wedges:
            return sorted(wedges)
        collections = [(each, points) for each in axes["points"] if (points := _points_like(each, color))]
        shaped = [(each, points) for each, points in collections if each["shape"] == look["shape"]]
        points = [point for _, those in shaped or collections for point in those]
        lines = [line for line in axes["lines"] if _is_like(_color_of(line), color) and _seen(line_of(line))]
        styled = [line for line in lines if (line["style"], line["marker"]) == (look["style"], look["marker"])]
        points += [point for line in styled or lines for point in _seen(line_of(line))]
        if points:
            return sorted(points)
        boxes = [box_of(one) for one in axes["rectangles"] if _is_like(one["color"], color)]
        if boxes:
            return sorted(boxes)
    return []


def _color_of(line: _Facts) -> Any:
    return line["marker_color"] if is_dotted(line) else line["color"]


def _is_like(one: Any, other: Any) -> bool:
    return all(abs(float(a) - float(b)) <= _SHADE for a, b in zip(one[:3], other[:3], strict=True))


def _bars_like(group: _Facts, color: Sequence[float], look: _Facts) -> Numbers:
    """Return the bars of a colour, and of the edge and hatch of a look, if it has any."""
    bars = [bar for bar in group["bars"] if _is_like(bar["color"], color)]
    if look:
        bars = [bar for bar in bars if bar["hatch"] == look["hatch"] and _has_edge(bar, look)]
    return bars_of({**group, "bars": bars})


def _has_edge(bar: _Facts, look: _Facts) -> bool:
    return bool(look["edge"]) and _is_like(bar["edge"], look["edge"])


def _points_like(collection: _Facts, color: Sequence[float]) -> Numbers:
    offsets = np.asarray(collection["offsets"], dtype=np.float64).reshape(-1, 2)
    colors = np.asarray(collection["colors"], dtype=np.float64).reshape(-1, 4)
    if not len(colors):
        return []
    alike = [_is_like(row, color) for row in colors]
    return [
        (float(x), float(y))
        for place, (x, y) in enumerate(offsets)
        if alike[place % len(alike)] and math.isfinite(x) and math.isfinite(y)
    ]
