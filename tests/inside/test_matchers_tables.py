"""DataFrame, Series and Index: dseal.md, section 4, rule 7, and partial matches."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import FAILED, Opaque
from tests.inside.comparing import published, says, sound

FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
FLOATS = pd.Series([1.5, 2.5, 3.5], index=pd.Index([1, 2, 3], name="k"), name="v")


both = pytest.mark.parametrize("judge", [sound, published])


@both
def test_equal_tables_match(judge: Any) -> None:
    for table in (FRAME, FLOATS, FRAME.index, FRAME.columns, FRAME.set_index("b"), FRAME.iloc[:0]):
        assert says(judge(table, table.copy())) == ("yes", None)


@pytest.mark.parametrize(
    ("found", "by_sound", "by_published"),
    [
        (FRAME.assign(a=[1, 2, 4]), ("no", "VALUE"), ("no", "VALUE")),
        (FRAME.assign(b=["x", "y", "Z"]), ("no", "VALUE"), ("no", "VALUE")),
        (FRAME.assign(a=[1.0, 2.0, 3.0]), ("yes", None), ("partial", None)),
        (FRAME.iloc[::-1], ("partial", "ORDER"), ("partial", None)),
        (FRAME.rename(columns={"b": "c"}), ("partial", "NAME"), ("partial", None)),
        (FRAME[["b", "a"]], ("partial", "ORDER"), ("partial", None)),
        (FRAME.set_axis([5, 6, 7]), ("partial", "INDEX"), ("partial", None)),
        (FRAME.rename_axis("k"), ("yes", None), ("partial", None)),
        (FRAME.assign(c=1), ("partial", "EXTRA"), ("partial", "PARTIAL_MATCH")),
        (FRAME.iloc[:2], ("no", "SHAPE"), ("no", "SHAPE")),
    ],
)
def test_frames_differ_in_many_ways(found: Any, by_sound: Any, by_published: Any) -> None:
    assert says(sound(FRAME, found)) == by_sound
    assert says(published(FRAME, found)) == by_published


def test_other_containers_of_the_same_values_are_told_from_other_types() -> None:
    for found in (FRAME["a"], [1, 2, 3], None):
        assert says(sound(FRAME, found)) == says(published(FRAME, found)) == ("no", "TYPE")
    rows = list(FRAME.itertuples(index=False, name=None))
    dicts = (FRAME.to_dict("list"), FRAME.to_dict("records"), FRAME.to_dict())
    of_frame = [(FRAME, found) for found in (FRAME.to_numpy(), *dicts, FRAME.to_records(index=False), rows)]
    for expected, found in (*of_frame, *((FLOATS, other) for other in (pd.Index(FLOATS), [*FLOATS], FLOATS.to_dict()))):
        assert says(sound(expected, found)) == ("partial", "CONTAINER")
        assert says(published(expected, found)) == ("no", "TYPE")


@pytest.mark.parametrize(
    ("found", "by_sound", "by_published"),
    [
        (FLOATS.rename("w"), ("yes", None), ("partial", None)),
        (FLOATS.reset_index(drop=True), ("partial", "INDEX"), ("partial", None)),
        (FLOATS.iloc[::-1], ("partial", "ORDER"), ("partial", None)),
        *((FLOATS + 1, ("no", "VALUE"), ("no", "VALUE")), (FLOATS.iloc[:2], ("no", "SHAPE"), ("no", "VALUE"))),
        (FLOATS.astype(str), ("no", "DTYPE"), ("partial", None)),
        (FLOATS.to_frame(), ("partial", "CONTAINER"), ("partial", "PARTIAL_MATCH")),
        (FLOATS.reset_index(), ("partial", "CONTAINER"), ("partial", "PARTIAL_MATCH")),
        (pd.Series(0, index=[1.5, 2.5, 3.5]), ("partial", "EXTRA"), ("partial", "PARTIAL_MATCH")),
    ],
)
def test_series_differ_in_many_ways(found: Any, by_sound: Any, by_published: Any) -> None:
    assert says(sound(FLOATS, found)) == by_sound
    assert says(published(FLOATS, found)) == by_published


def test_indexes_are_compared_as_they_are() -> None:
    index = pd.Index([1, 2, 3], name="k")
    for judge in (sound, published):
        assert says(judge(index, index.copy())) == ("yes", None)
        assert says(judge(index, pd.Index([1, 2, 4], name="k"))) == ("no", "VALUE")
    assert says(sound(index, index.rename("other"))) == ("yes", None)
    assert says(sound(index, index.rename("other"), ignore_names=False)) == ("partial", "NAME")
    assert says(sound(index, index.astype("int32"))) == ("yes", None)
    assert says(sound(index, index.to_series())) == ("partial", "CONTAINER")
    assert says(sound(index, index[::-1])) == ("partial", "ORDER")
    assert says(published(index, index.rename("other"))) == ("no", "VALUE")
    assert says(published(index, index.astype("int32"))) == ("no", "DTYPE")
    assert says(published(index, index.to_series())) == ("no", "TYPE")


def test_a_column_in_the_index_is_another_index_under_the_sound_rules() -> None:
    assert says(sound(FRAME, FRAME.set_index("a"))) == ("partial", "INDEX")
    assert says(sound(FRAME.set_index("a"), FRAME)) == ("partial", "INDEX")
    assert says(published(FRAME, FRAME.set_index("a"))) == ("no", "COLUMNS")
    assert says(published(FRAME[["a"]], FRAME.set_index("a"))) == ("partial", "PARTIAL_MATCH")


def test_objects_that_cannot_be_compared_spoil_a_table() -> None:
    opaque = Opaque("shop.Order")
    for judge in (sound, published):
        for table in (
            pd.Series([opaque, 1], dtype=object),
            pd.DataFrame({"a": [opaque, opaque]}),
            pd.Series([1, 2], index=pd.Index([opaque, FAILED], dtype=object)),
            pd.Series(pd.Categorical([1, 2], categories=pd.Index([1, 2, opaque], dtype=object))),
            np.array([opaque, 1], dtype=object),
        ):
            assert judge(table, table.copy()).answer == "no"


def test_a_list_equals_a_column_or_the_index_of_a_table_in_part() -> None:
    for found in (FRAME, FRAME.set_index("a")["b"]):
        assert says(sound([1, 2, 3], found)) == ("partial", "EXTRA")
    assert says(sound([1, 2, 3], FRAME["a"])) == ("partial", "CONTAINER")
    assert says(sound([1, 2, 4], FRAME)) == ("no", "TYPE")


def test_a_partial_match_may_be_asked_for() -> None:
    assert says(sound(FRAME, FRAME.assign(c=1), match_partial=True, ignore_index=True)) == ("yes", None)


def test_a_table_of_everything_is_no_partial_match_under_the_sound_rules() -> None:
    everything = pd.DataFrame({f"c{i}": FRAME["a"] + i for i in range(60)})
    expected = pd.DataFrame({"c7": FRAME["a"] + 7})
    assert says(published(expected, everything)) == ("partial", "PARTIAL_MATCH")
    assert says(sound(expected, everything)) == ("no", "SHAPE")
    assert says(sound(list(expected["c7"]), everything)) == ("no", "TYPE")
    assert says(sound({"a": 1}, {f"{i}": 1 for i in range(60)} | {"a": 1})) == ("no", "VALUE")


def test_ignoring_names_takes_over_those_of_the_axes() -> None:
    one = FRAME.set_axis([7, 8, 9]).rename_axis("k")
    assert sound(one, one.rename_axis("j").rename(columns={"a": "A"}), ignore_names=True).answer == "yes"
    assert sound(FRAME, FRAME[["b", "a"]], ignore_names=True).answer == "yes"
    assert sound(FLOATS, FLOATS.rename("w").rename_axis("j"), ignore_names=True).answer == "yes"
    named_axis = FRAME.rename_axis(columns="cols")
    assert published(FRAME, named_axis, ignore_names=True).answer != "yes"
    assert says(sound(named_axis, FRAME)) == says(sound(FRAME, named_axis)) == ("yes", None)
    assert says(published(FRAME, named_axis))[0] != "yes"
    assert says(sound(named_axis, FRAME, ignore_names=False)) == ("partial", "NAME")
    assert published(pd.Index([1], name="a"), pd.Index([1], name="b"), ignore_names=True).answer == "no"


def test_ignoring_the_index_keeps_the_order() -> None:
    assert sound(FRAME, FRAME.set_axis([7, 8, 9]), ignore_index=True).answer == "yes"
    assert sound(FRAME, FRAME.iloc[::-1], ignore_index=True).answer == "partial"
    assert says(sound(FRAME, FRAME.assign(c=1), ignore_index=True)) == ("partial", "EXTRA")
    surplus = FRAME.assign(c=1)
    assert says(published(FRAME.assign(d=1), surplus, ignore_index=True)) == ("partial", None)
    assert says(sound(FRAME.assign(d=2), surplus, ignore_index=True)) == ("no", "COLUMNS")


def test_ignoring_order_sorts_rows_by_all_columns() -> None:
    expected = pd.DataFrame({"k": [1, 1, 2], "v": [0.3, 0.1, 0.2]})
    assert sound(expected, expected.iloc[[2, 1, 0]], ignore_order=True).answer == "yes"
    swapped = expected.assign(v=[0.2, 0.1, 0.3])
    assert sound(expected, swapped, ignore_order=True).answer == "no"


def test_rounding_does_not_change_the_order_of_rows() -> None:
    expected = pd.DataFrame({"x": [0.1 + 0.2, 0.3], "k": ["a", "b"]})
    found = pd.DataFrame({"x": [0.3, 0.1 + 0.2], "k": ["a", "b"]})
    assert sound(expected, found, ignore_order=True).answer == "yes"


def test_a_frame_that_cannot_be_sorted_is_no_under_the_published_rules() -> None:
    mixed = pd.DataFrame({"a": pd.Series([1, "x", None, (1,)], dtype=object)})
    assert published(mixed, mixed.copy(), ignore_order=True).answer == "no"
    assert sound(mixed, mixed.iloc[[2, 0, 1, 3]], ignore_order=True).answer == "yes"


def test_columns_of_one_name_are_soundly_compared_by_position() -> None:
    twins = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    assert sound(twins, twins.iloc[::-1]).answer == "partial"
    assert sound(twins, twins[["a"]].iloc[:, ::-1]).answer == "no"


def test_casting_keeps_values_under_the_sound_rules() -> None:
    for expected, found, by_sound, by_published in (
        *(([1, 2], [1.0, 2.0], "yes", "yes"), ([1, 2], ["1", "2"], "yes", "yes"), ([1.0, 2.0], [1, 2], "yes", "yes")),
        *((["a", "b"], pd.Categorical(["a", "b"]), "yes", "yes"), ([1, 2], [1.7, 2.0], "no", "yes")),
        *(([True, True], [5.0, 1.0], "no", "yes"), ([True, False], [1, 0], "yes", "yes")),
        (["a", "b"], pd.Series(["a", "b"], dtype=object), "yes", "yes"),
        ([True, True], pd.Series(["False", "x"], dtype=object), "no", "yes"),
        *((pd.Categorical(["a", None]), ["a", "b"], "no", "yes"), ([1, 2], ["1", "two"], "no", "no")),
    ):
        pair = pd.Series(expected), pd.Series(found)
        assert sound(*pair, ignore_dtypes=True).answer == by_sound, pair
        assert published(*pair, ignore_dtypes=True).answer == by_published, pair


def test_dates_are_not_cut_by_casting_under_the_sound_rules() -> None:
    expected = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02"])).astype("M8[s]")
    close = pd.Series(pd.to_datetime(["2024-01-01 00:00:00.4", "2024-01-02 00:00:00.0"])).astype("M8[ns]")
    assert sound(expected, close, ignore_dtypes=True).answer == "no"
    assert sound(expected, expected.astype("M8[ns]"), ignore_dtypes=True).answer == "yes"


def test_tolerances_reach_tables_under_the_sound_rules_where_they_are_set() -> None:
    found = FLOATS + 0.1
    with_rtol = {"rtol": 0.1, "tolerances_set": frozenset({"rtol"})}
    assert sound(FLOATS, found, **with_rtol).answer == "yes"
    assert published(FLOATS, found, **with_rtol).answer == "no"
    counts = pd.Series([1_000_000])
    assert sound(counts, counts + 1).answer == "no"
    assert sound(counts, counts + 1, rtol=1e-5, tolerances_set=frozenset({"rtol"})).answer == "yes"


def test_missing_values_match_missing_values() -> None:
    table = pd.DataFrame({"x": [1.0, np.nan], "s": ["a", None], "d": pd.to_datetime(["2024-01-01", None])})
    for judge in (sound, published):
        assert judge(table, table.copy()).answer == "yes"
        assert judge(table, table.fillna({"x": 0.0})).answer == "no"


@both
def test_missing_values_of_object_columns_are_all_the_same(judge: Any) -> None:
    def column(*cells: Any) -> pd.Series:
        return pd.Series(cells, dtype=object, name="s")

    expected = column("a", None, 3)
    for gap in (None, np.nan, pd.NA, pd.NaT):
        found = column("a", gap, 3)
        assert judge(expected, found).answer == judge(expected.to_frame(), found.to_frame()).answer == "yes"
        assert judge(expected, found.set_axis([0, 1, 5])).answer != "yes"
        assert judge(expected, column("a", gap, 4)).answer == "no"
    assert judge(expected, column("a", "None", 3)).answer == "no"


def test_true_is_not_one_in_object_columns_under_the_sound_rules() -> None:
    one, other = pd.Series([1, "a"], dtype=object), pd.Series([True, "a"], dtype=object)
    assert sound(one, other).answer == "no"
    assert published(one, other).answer == "yes"


@pytest.mark.parametrize(
    ("expected", "found", "by_sound", "by_published"),
    [
        (FRAME, FRAME.assign(a=["1", "2", "9"]), "DTYPE", "VALUE"),
        (FRAME, FRAME.rename(columns={"b": "c"}).assign(a=[7, 8, 9]), "COLUMNS", "VALUE"),
        (FRAME, FRAME.drop(columns="b"), "SHAPE", "COLUMNS"),
        (FRAME, FRAME.iloc[:2].assign(a=[1.5, 2.5]), "SHAPE", "SHAPE"),
        (FLOATS, FLOATS.astype(str) + "x", "DTYPE", "DTYPE"),
        (FLOATS, (FLOATS + 1).rename("w").reset_index(drop=True), "VALUE", "VALUE"),
    ],
)
def test_causes_of_tables(expected: Any, found: Any, by_sound: str, by_published: str) -> None:
    assert says(sound(expected, found)) == ("no", by_sound)
    assert says(published(expected, found)) == ("no", by_published)


def test_the_reason_names_the_first_cell_that_differs() -> None:
    reason = sound(FRAME, FRAME.assign(a=[1, 5, 3])).reason
    assert reason == "column 'a': 1 of 3 values differ, first in place 1: expected 2, got 5"


def test_a_large_table_is_judged_quickly() -> None:
    expected = pd.DataFrame({"a": np.arange(60_000), "s": np.arange(60_000).astype(str)})
    assert sound(expected, expected.copy()).answer == "yes"
    assert says(sound(expected, expected.assign(a=expected["a"] + 1))) == ("no", "VALUE")
    assert sound(expected, expected.iloc[::-1]).answer == "partial"


DAYS = pd.date_range("2024-01-01", periods=3, name="day")


def test_the_frequency_of_an_index_does_not_count_under_the_sound_rules() -> None:
    without = pd.DatetimeIndex(list(DAYS), name="day")
    series, frame = pd.Series([1.5, 2.5, 3.5], DAYS), pd.DataFrame({"a": [1, 2, 3]}, DAYS)
    assert says(sound(DAYS, without)) == ("yes", None)
    for table in (series, frame):
        assert says(sound(table, table.set_axis(without, axis=0))) == ("yes", None)
    assert says(published(series, series.set_axis(without)))[0] != "yes"


def test_resolutions_of_times_and_dtypes_of_labels_do_not_count() -> None:
    days = pd.Series(DAYS.as_unit("us"), name="day")
    for unit in ("s", "ms", "ns"):
        found = days.astype(f"datetime64[{unit}]")
        assert says(sound(days, found)) == says(sound(pd.Index(days), pd.Index(found))) == ("yes", None)
        assert says(published(days, found))[0] != "yes"
    for dtype in ("int32", "float64", "object", "category"):
        found = FLOATS.set_axis(FLOATS.index.astype(dtype))
        assert says(sound(FLOATS, found)) == says(sound(FLOATS, found, ignore_dtypes=True)) == ("yes", None)
        assert says(sound(FLOATS, found, ignore_dtypes=False)) == ("partial", "DTYPE")


def test_times_that_a_coarser_resolution_cuts_differ() -> None:
    expected = pd.Series(pd.to_datetime(["2024-01-01 12:00:00"])).astype("datetime64[s]")
    assert says(sound(expected, expected.astype("datetime64[us]") + pd.Timedelta(microseconds=1)))[0] == "no"
    zoned = expected.dt.tz_localize("Europe/Oslo")
    assert says(sound(zoned, zoned.astype("datetime64[us, Europe/Oslo]"))) == ("yes", None)
    assert says(sound(zoned, expected.astype("datetime64[us]")))[0] == "no"


def test_other_labels_differ_though_dtypes_are_ignored() -> None:
    for labels in (["1", "2", "3"], [1, 2, 4], [1.0, 2.0, 3.4], [True, False, True]):
        assert says(sound(FLOATS, FLOATS.set_axis(pd.Index(labels, name="k")), ignore_dtypes=True))[0] != "yes"
