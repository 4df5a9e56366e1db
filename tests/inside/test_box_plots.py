"""Box plots are read out of the lines of a plot, whatever else is drawn."""

import time
from collections.abc import Mapping
from typing import Any

from evaluator.inside.compare.box_plots import read_box_plots

Line = Mapping[str, Any]
MAX_S = 5.0  # each line beside each other one would take minutes


def box(middle: float, *, low: float = 0.0) -> list[Line]:
    """Return the lines of a box: two whiskers, caps, a median, an outline, and two values outside."""
    left, right = middle - 0.2, middle + 0.2
    flats = [{"x": [left, right], "y": [low + value] * 2} for value in (0, 2.5, 4)]
    stems = [{"x": [middle] * 2, "y": [low + one, low + end]} for one, end in ((1, 0), (3, 4))]
    outline = {"x": [left, right, right, left, left], "y": [low + value for value in (1, 1, 3, 3, 1)]}
    return [*flats, *stems, outline, {"x": [middle, middle], "y": [low - 7, float("inf")]}]


def test_a_box_says_its_whiskers_quartiles_median_and_what_lies_outside() -> None:
    other = {"x": [1, 2, 3], "y": [4, 5, 6]}
    found = read_box_plots([*box(2), other, *box(1, low=10)])
    first = [10, 11, 12.5, 13, 14, 3, float("inf")]
    second = [0, 1, 2.5, 3, 4, -7, float("inf")]
    assert found.boxes == [[(0.0, 0.0, v) for v in first], [(0.0, 1.0, v) for v in second]]
    assert found.rest == [other]


def test_the_middle_of_a_median_may_be_rounded() -> None:
    median = {"x": [0.1, 0.5 + 1e-12], "y": [2, 2]}
    stems: list[Line] = [{"x": [0.3, 0.3], "y": [1, 0]}, {"x": [0.3, 0.3], "y": [3, 4]}]
    assert read_box_plots([*stems, median]).boxes == [[(0.0, 0.0, value) for value in (0, 1, 2, 3, 4)]]
    wide = {"x": [0.1, 0.6], "y": [2, 2]}
    assert read_box_plots([*stems, wide]) == ([], [*stems, wide])


def test_many_short_lines_and_many_boxes_are_read_at_once() -> None:
    pairs: list[Line] = [{"x": [place, place], "y": [0, 1]} for place in range(10_000) for _ in range(2)]
    boxes = [line for place in range(3_000) for line in box(place)]
    start = time.monotonic()
    assert read_box_plots(pairs).boxes == []
    assert len(read_box_plots(boxes).boxes) == 3_000
    assert time.monotonic() - start < MAX_S
