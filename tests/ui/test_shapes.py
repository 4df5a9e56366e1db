"""The shape of a column in block characters."""

from typing import Any

import pytest

from authoring.ui.drawing.shapes import BINS, shape_of
from authoring.ui.seeds.plots import plot_of


def test_numbers_become_a_histogram_that_is_high_where_most_of_them_are() -> None:
    column = {"role": "number", "min": 0, "max": 100, "quantiles": {"0.25": 2.0, "0.5": 4.0, "0.95": 10.0}}
    shape = shape_of(column)
    assert len(shape) == BINS
    assert shape[0] == "█"
    assert shape[-1] == "▁"
    ties = {"role": "number", "min": 2007, "max": 2009, "quantiles": {"0.25": 2007.0, "0.5": 2008.0, "0.75": 2009.0}}
    assert shape_of(ties)[0] == shape_of(ties)[-1] == "█"


def test_categories_become_bars_of_their_counts() -> None:
    assert shape_of({"role": "category", "top": [["a", 8], ["b", 4], ["c", 0]]}) == "█▅▁"


def test_a_column_without_a_shape_and_a_hostile_one_have_none() -> None:
    assert shape_of({"role": "text"}) == ""
    assert shape_of({"role": "number", "min": 3, "max": 3, "quantiles": {}}) == ""
    assert shape_of({"role": "number", "min": "<b>", "max": 9, "quantiles": {"x": 1}}) == ""
    assert shape_of({"role": "category", "top": [["a", "<script>"], "bc", 7]}) == ""
    assert len(shape_of({"role": "number", "min": 0.0, "max": 9.0, "quantiles": {"0.5": "<i>", "nan": 3.0}})) == BINS


def test_a_column_of_numbers_is_plotted_from_its_quantiles_and_others_from_their_frequent_values() -> None:
    number = {"role": "number", "min": 0, "max": 12, "quantiles": {"0.5": 3.0}, "name": "x"}
    plot = plot_of(number, 10)
    assert plot is not None
    values = plot.spec["data"]["values"]
    assert (len(values), values[0]["from"], values[-1]["to"]) == (12, 0, 12)
    assert sum(value["share"] for value in values) == pytest.approx(1, abs=0.01)
    assert plot.words.startswith("from 0 to 12, half of them up to 3; most (17%) from ")
    plot = plot_of({"role": "category", "top": [["a", 6], ["b\u202e", 3], ["", 1]]}, 10)
    assert plot is not None
    assert plot.words.startswith("most frequent: a, b")
    assert "\u202e" not in str(plot.spec)
    assert plot.words.endswith("the first in 6 (60% of rows)")
    assert plot_of({"role": "date", "min": "2001"}, 10) is None


@pytest.mark.parametrize(
    "column",
    [
        {"role": "number", "min": "x", "max": 3},
        {"role": "number", "min": 0, "max": 1, "quantiles": ["x"]},
        {"role": "category", "top": [["a"], "b", ["c", "many"], ["https://example.org/x.png", 2]]},
    ],
)
def test_a_hostile_profile_gives_no_plot_or_one_of_plain_text(column: dict[str, Any]) -> None:
    plot = plot_of(column, 0)
    assert plot is None or "url" not in str(plot.spec)
