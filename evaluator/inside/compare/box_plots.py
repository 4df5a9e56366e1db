"""Box plots among the lines of a plot: what each box says, whoever drew it and however wide.

matplotlib, pandas and seaborn put boxes at other places and in other widths; what they say is where the whiskers, the
quartiles and the median lie, which values lie outside, and which box stands where.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

_CLOSED: Final = 5  # points of the outline of a box, at least; notches have more
_ROUNDING: Final = 1e-9  # of the middle of a box
_Numbers = list[tuple[float, ...]]
_Line = list[tuple[float, float]]  # along the values, across them


class BoxPlots(NamedTuple):
    """The boxes of a plot, and the lines that belong to none."""

    boxes: list[_Numbers]  # of each box in order: whether they lie, its place, one value in each row
    rest: list[Mapping[str, Any]]


def read_box_plots(lines: Sequence[Mapping[str, Any]]) -> BoxPlots:
    """Part the lines of a plot into boxes and others.

    A box has two whiskers at its middle, each with an end at a quartile, and a median across; caps, an outline, dots
    for values outside and a mark for the mean may be there or not. Boxes lie where their values run along x.
    """
    for lies in (False, True):
        drawn = [_turned(line, lies=lies) for line in lines]
        parts = _parts(drawn)
        found = {middle: box for middle in parts.stems if (box := _box(parts, middle)) is not None}
        if found:
            rows: list[_Numbers] = [
                [(float(lies), float(place), value) for value in found[middle]]
                for place, middle in enumerate(sorted(found))
            ]
            middles = _Middles(found)
            return BoxPlots(rows, [line for line, d in zip(lines, drawn, strict=True) if not _belongs(d, middles)])
    return BoxPlots([], list(lines))


class _Middles:
    """Where boxes stand, to look up what stands there without a look at each of them."""

    def __init__(self, places: Iterable[float]) -> None:
        self._ordered = sorted(places)
        self._known = frozenset(self._ordered)

    def __contains__(self, place: float) -> bool:
        return place in self._known

    def near(self, place: float) -> list[float]:
        """Return those that a place equals but for rounding."""
        if not math.isfinite(place):
            return []
        reach = 2 * _ROUNDING * max(1.0, abs(place))
        first, end = bisect_left(self._ordered, place - reach), bisect_right(self._ordered, place + reach)
        return [one for one in self._ordered[first:end] if math.isclose(place, one, abs_tol=_ROUNDING)]


class _Parts(NamedTuple):
    """The lines that may be parts of boxes, by the middle of the box."""

    stems: Mapping[float, list[_Line]]  # two each: the whiskers
    flats: Mapping[float, list[float]]  # where medians and caps lie
    dots: Mapping[float, list[float]]


def _parts(drawn: Sequence[_Line]) -> _Parts:
    stems: dict[float, list[_Line]] = {}
    for line in drawn:
        if _is_stem(line):
            stems.setdefault(line[0][1], []).append(line)
    stems = {middle: each for middle, each in stems.items() if len(each) == 2}
    middles = _Middles(stems)
    flats: dict[float, list[float]] = {}
    dots: dict[float, list[float]] = {}
    for line in drawn:
        if _is_flat(line):
            for middle in middles.near(_middle_of(line)):
                flats.setdefault(middle, []).append(line[0][0])
        elif _are_dots(line) and line[0][1] in middles:
            dots.setdefault(line[0][1], []).extend(value for value, _ in line)
    return _Parts(stems, flats, dots)


def _turned(line: Mapping[str, Any], *, lies: bool) -> _Line:
    x, y = ([float(value) for value in line[name]] for name in ("x", "y"))
    return list(zip(x, y, strict=True)) if lies else list(zip(y, x, strict=True))


def _is_stem(line: _Line) -> bool:
    return len(line) == 2 and line[0][1] == line[1][1] and _is_finite(line)


def _is_finite(line: _Line) -> bool:
    return all(math.isfinite(part) for point in line for part in point)


def _is_flat(line: _Line) -> bool:
    return len(line) == 2 and line[0][0] == line[1][0] and line[0][1] != line[1][1] and _is_finite(line)


def _are_dots(line: _Line) -> bool:
    """Return whether a line stays at one place, and is no whisker."""
    return bool(line) and not _is_stem(line) and all(across == line[0][1] for _, across in line)


def _is_outline(line: _Line) -> bool:
    return len(line) >= _CLOSED and line[0] == line[-1]


def _middle_of(line: _Line) -> float:
    across = [place for _, place in line]
    return (min(across) + max(across)) / 2


def _box(parts: _Parts, middle: float) -> list[float] | None:
    """Return ends of whiskers, quartiles, median and what lies outside; None where there is no median."""
    stems = parts.stems[middle]
    (low, high), ends = sorted(line[0][0] for line in stems), sorted(line[1][0] for line in stems)
    flats = list(parts.flats.get(middle, ()))
    for end in ends:  # caps
        if len(flats) > 1 and end in flats:
            flats.remove(end)
    if len(flats) != 1 or not ends[0] <= low <= flats[0] <= high <= ends[1]:
        return None
    dots = parts.dots.get(middle, ())
    return [ends[0], low, flats[0], high, ends[1], *sorted(v for v in dots if not ends[0] <= v <= ends[1])]


def _belongs(line: _Line, middles: _Middles) -> bool:
    """Return whether a line is a part of one of the boxes, its outline included."""
    if not line:
        return True
    if _is_stem(line) or _are_dots(line):
        at_one = line[0][1] in middles
        return at_one or (_is_outline(line) and bool(middles.near(_middle_of(line))))
    return (_is_flat(line) or _is_outline(line)) and bool(middles.near(_middle_of(line)))
