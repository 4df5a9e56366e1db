"""Where things stand in a figure: plots beside each other, parts around a circle, names under bars, their widths."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluator.inside.compare.figure_numbers import Numbers, angle_of, equal, plain

_WIDTH: Final = 0.2  # by which bars that touch each other may be broader or narrower
_TOUCH: Final = 1e-6
_Facts = Mapping[str, Any]


def by_place(plots: Sequence[_Facts]) -> list[_Facts]:
    """Return plots from the top row to the bottom one, from left to right."""
    rows: list[list[_Facts]] = []
    for plot in sorted(plots, key=lambda plot: -_span(plot, 1)[1]):
        low, high = _span(plot, 1)
        if rows and (low + high) / 2 > _span(rows[-1][0], 1)[0]:
            rows[-1].append(plot)
        else:
            rows.append([plot])
    return [plot for row in rows for plot in sorted(row, key=lambda plot: round(_span(plot, 0)[0], 3))]


def arrangement(plots: Sequence[_Facts]) -> list[str]:
    """Return how each plot stands to the one before: beside it, below it, or over the same place."""
    found = []
    for one, other in itertools.pairwise(plots):
        beside = _span(one, 0)[1] <= _span(other, 0)[0] + _TOUCH
        below = _span(one, 1)[0] >= _span(other, 1)[1] - _TOUCH
        found.append("below" if below else "beside" if beside else "over")
    return found


def _span(plot: _Facts, side: int) -> tuple[float, float]:
    begin, length = float(plot["position"][side]), float(plot["position"][side + 2])
    return begin, begin + length


def other_circle(expected: _Facts, found: _Facts) -> str:
    """Return whether the parts of a pie follow each other otherwise; where it begins and its direction are free."""
    ours, theirs = (_circle(axes) for axes in (expected, found))
    if len(ours) < 4 or len(ours) != len(theirs):  # three parts stand in every order, seen from some side
        return ""
    turns = [[*each[start:], *each[:start]] for each in (theirs, theirs[::-1]) for start in range(len(theirs))]
    return "" if any(equal(ours, turn) for turn in turns[:2000]) else "the parts of the pie stand in another order"


def _circle(axes: _Facts) -> Numbers:
    wedges = sorted(axes["wedges"], key=lambda wedge: min(float(angle) for angle in wedge["angles"]))
    return [(angle_of(wedge),) for wedge in wedges]


def other_widths(expected: _Facts, found: _Facts) -> str:
    """Return whether bars that touch each other, as those of histograms do, are of another width."""
    ours, theirs = (_spans(axes) for axes in (expected, found))
    if len(ours) < 2 or len(ours) != len(theirs):
        return ""
    if any(abs(one[1] - other[0]) > _TOUCH * abs(other[1] - other[0]) for one, other in itertools.pairwise(ours)):
        return ""
    for (begin, end), (low, high) in zip(ours, theirs, strict=True):
        if abs((high - low) - (end - begin)) > (_WIDTH + _TOUCH) * (end - begin):
            return "the bars are of another width"
    return ""


def _spans(axes: _Facts) -> list[tuple[float, float]]:
    spans = []
    for group in axes["bars"]:
        at, size = ("y", "height") if group["orientation"] == "horizontal" else ("x", "width")
        ends = [(float(bar[at]), float(bar[at]) + float(bar[size])) for bar in group["bars"]]
        spans += [(min(each), max(each)) for each in ends if all(map(math.isfinite, each))]
    return sorted(spans)


def other_names_of_bars(expected: _Facts, found: _Facts) -> str:
    """Return which bar bears another name: where the reference names each of them, and the other figure does, too."""
    for axis in ("x", "y"):
        ours, theirs = (_names_of_bars(axes, axis) for axes in (expected, found))
        if ours is None or theirs is None or sorted(set(ours)) != sorted(set(ours) & set(theirs)):
            continue
        if ours != theirs:
            return f"the names along the {axis} axis stand in another order"
    return ""


def _names_of_bars(axes: _Facts, axis: str) -> list[str] | None:
    """Return the name that stands nearest to each bar along an axis, as seen; None where one has none."""
    lies = "horizontal" if axis == "y" else "vertical"
    groups = [group for group in axes["bars"] if group["orientation"] == lies]
    at, size = ("y", "height") if axis == "y" else ("x", "width")
    bars = [(float(bar[at]), abs(float(bar[size]))) for group in groups for bar in group["bars"]]
    places = [float(place) for place in axes[axis]["places"]]
    ticks = [(place, plain(text)) for place, text in zip(places, axes[axis]["ticks"], strict=False) if plain(text)]
    names = []
    for begin, width in sorted(bars):
        near = min(ticks, key=lambda tick: abs(tick[0] - begin - width / 2), default=None)
        if near is None or abs(near[0] - begin - width / 2) > width / 2:
            return None
        names.append(near[1])
    low, high = (float(limit) for limit in axes[axis]["limits"])
    return names[::-1] if low > high else names
