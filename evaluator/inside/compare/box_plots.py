"""Box plots among the lines of a plot: what each box says, whoever drew it and however wide.

matplotlib, pandas and seaborn put boxes at other places and in other widths; what they say is where the whiskers, the
quartiles and the median lie, which values lie outside, and which box stands where.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

_CLOSED: Final = 5  # points of the outline of a box, at least; notches have more
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
        found = {middle: box for middle in _middles(drawn) if (box := _box(drawn, middle)) is not None}
        if found:
            rows: list[_Numbers] = [
                [(float(lies), float(place), value) for value in found[middle]]
                for place, middle in enumerate(sorted(found))
            ]
            return BoxPlots(rows, [line for line, d in zip(lines, drawn, strict=True) if not _belongs(d, found)])
    return BoxPlots([], list(lines))


def _turned(line: Mapping[str, Any], *, lies: bool) -> _Line:
    x, y = ([float(value) for value in line[name]] for name in ("x", "y"))
    return list(zip(x, y, strict=True)) if lies else list(zip(y, x, strict=True))


def _middles(drawn: Sequence[_Line]) -> list[float]:
    """Return where two whiskers stand."""
    stems = [line[0][1] for line in drawn if _is_stem(line)]
    return [middle for middle in dict.fromkeys(stems) if stems.count(middle) == 2]


def _is_stem(line: _Line) -> bool:
    return len(line) == 2 and line[0][1] == line[1][1] and _is_finite(line)


def _is_finite(line: _Line) -> bool:
    return all(math.isfinite(part) for point in line for part in point)


def _box(drawn: Sequence[_Line], middle: float) -> list[float] | None:
    """Return ends of whiskers, quartiles, median and what lies outside; None where there is no median."""
    stems = [line for line in drawn if _is_stem(line) and line[0][1] == middle]
    (low, high), ends = sorted(line[0][0] for line in stems), sorted(line[1][0] for line in stems)
    flats = [line[0][0] for line in drawn if _is_flat(line, middle)]
    for end in ends:  # caps
        if len(flats) > 1 and end in flats:
            flats.remove(end)
    if len(flats) != 1 or not ends[0] <= low <= flats[0] <= high <= ends[1]:
        return None
    dots = [value for line in drawn if _are_dots(line, middle) for value, _ in line]
    return [ends[0], low, flats[0], high, ends[1], *sorted(v for v in dots if not ends[0] <= v <= ends[1])]


def _is_flat(line: _Line, middle: float) -> bool:
    if len(line) != 2 or line[0][0] != line[1][0] or line[0][1] == line[1][1] or not _is_finite(line):
        return False
    return math.isclose((line[0][1] + line[1][1]) / 2, middle, abs_tol=1e-9)


def _are_dots(line: _Line, middle: float) -> bool:
    return bool(line) and not _is_stem(line) and all(across == middle for _, across in line)


def _belongs(line: _Line, middles: Mapping[float, Any]) -> bool:
    """Return whether a line is a part of one of the boxes, its outline included."""
    if not line:
        return True
    return any(
        (_is_stem(line) and line[0][1] == middle)
        or _is_flat(line, middle)
        or _are_dots(line, middle)
        or (len(line) >= _CLOSED and line[0] == line[-1] and _is_around(line, middle))
        for middle in middles
    )


def _is_around(line: _Line, middle: float) -> bool:
    across = [place for _, place in line]
    return math.isclose((min(across) + max(across)) / 2, middle, abs_tol=1e-9)
