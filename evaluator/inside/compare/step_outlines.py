"""Histograms that are drawn as one outline, read as the bars that they stand for.

`hist(histtype="step")` draws the tops of the bars, open below; "stepfilled" goes back along their lower ends; `stairs`
says values and edges.
"""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluator.inside.compare.figure_numbers import floats

_LEAST: Final = 2  # bars: one alone may be any rectangle
_POLYGON: Final = "matplotlib.patches.Polygon"
_Facts = Mapping[str, Any]
_Bar = tuple[float, float, float, float]
"""Where it begins and ends along the axis, and its lower and upper end."""


def with_steps(axes: _Facts) -> _Facts:
    """Return the facts of a plot whose outlines of histograms are groups of bars; other polygons are only counted."""
    groups, others = list(axes["bars"]), Counter[str](axes["others"])
    for polygon in axes["polygons"]:
        group = _outlined(polygon)
        if group is None:
            others[_POLYGON] += 1
        else:
            groups.append(_drawn(group, axes))
    groups += [_drawn(_stairs(stairs), axes) for stairs in axes["stairs"]]
    return {**axes, "bars": groups, "others": dict(others)}


def _drawn(group: _Facts, axes: _Facts) -> _Facts:
    """Return a group without its empty bars where they would not be drawn as bars: along a logarithmic axis."""
    along, size = ("x", "width") if group["orientation"] == "horizontal" else ("y", "height")
    if axes[along]["scale"] != "log":
        return group
    return {**group, "bars": [bar for bar in group["bars"] if bar[size]]}


def _outlined(polygon: _Facts) -> _Facts | None:
    """Return the bars of which a polygon is the outline, upright or lying; None where it is no such outline."""
    x, y = floats(polygon["x"]), floats(polygon["y"])
    if not all(map(math.isfinite, (*x, *y))):
        return None
    for lies, along, up in ((False, x, y), (True, y, x)):
        bars = _bars(along, up)
        if bars:
            return _group(polygon, bars, lies=lies)
    return None


def _bars(along: Sequence[float], up: Sequence[float]) -> list[_Bar]:
    """Return the bars below an outline that goes up and along by turns; none where it does not."""
    is_closed = len(along) % 4 == 1
    count = len(along) // 4 if is_closed else len(along) // 2 - 1
    if count < _LEAST or (not is_closed and len(along) % 2):
        return []
    edges, tops = along[0 : 2 * count + 2 : 2], up[1 : 2 * count + 1 : 2]
    goes_along = list(edges) == list(along[1 : 2 * count + 2 : 2]) and list(tops) == list(up[2 : 2 * count + 2 : 2])
    if not goes_along or any(end <= begin for begin, end in itertools.pairwise(edges)):
        return []
    bottoms = _bottoms(along, up, edges) if is_closed else [up[-1]] * count if up[0] == up[-1] else []
    return list(zip(edges, edges[1:], bottoms, tops, strict=False))


def _bottoms(along: Sequence[float], up: Sequence[float], edges: Sequence[float]) -> list[float]:
    """Return the lower ends of bars, along which a closed outline goes back; none where it goes elsewhere."""
    count = len(edges) - 1
    back, lower = along[2 * count + 1 :][::-1], up[2 * count + 1 :][::-1]
    goes_back = list(back[::2]) == list(edges[:count]) and list(back[1::2]) == list(edges[1:])
    return list(lower[::2]) if goes_back and list(lower[::2]) == list(lower[1::2]) else []


def _stairs(stairs: _Facts) -> _Facts:
    values, edges, baselines = (floats(stairs[name]) for name in ("values", "edges", "baseline"))
    lower = baselines if len(baselines) > 1 else (baselines or [0.0]) * len(values)
    bars = [bar for bar in zip(edges, edges[1:], lower, values, strict=False) if all(map(math.isfinite, bar))]
    return _group(stairs, bars, lies=stairs["orientation"] == "horizontal")


def _group(look: _Facts, bars: Sequence[_Bar], *, lies: bool) -> _Facts:
    names = ("y", "height", "x", "width") if lies else ("x", "width", "y", "height")
    told = [dict(zip(names, (begin, end - begin, low, top - low), strict=True)) for begin, end, low, top in bars]
    looks = {name: look[name] for name in ("color", "edge", "hatch")}
    orientation = "horizontal" if lies else "vertical"
    return {"label": look["label"], "orientation": orientation, "bars": [{**bar, **looks} for bar in told]}
