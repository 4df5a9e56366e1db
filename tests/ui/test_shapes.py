"""The shape of a column in block characters."""

from authoring.ui.shapes import BINS, shape_of


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
