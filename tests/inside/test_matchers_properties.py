"""Laws that hold for every value that can be decoded, under any options."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluator.inside.codec.decode.decoded import ABSENT, FAILED, OVER_LIMIT, Opaque
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.match_model import Answer, MatchOptions, Rules
from evaluator.inside.compare.matchers import compare
from evaluator.inside.compare.published_tables import equals_itself

pytestmark = pytest.mark.slow

FLAGS = (
    *("ignore_order", "ignore_index", "ignore_names", "ignore_dtypes"),
    *("match_partial", "type_only", "value_only", "strict_type"),
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**300, max_value=10**301),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.datetimes(timezones=st.sampled_from([None, dt.UTC])),
    st.timedeltas(),
    st.sampled_from([pd.NaT, pd.NA, np.datetime64("NaT"), np.timedelta64(3, "s"), np.float32("nan"), np.int8(-3)]),
    st.sampled_from([pd.Timestamp("2024-02-29", tz="Asia/Tokyo"), pd.Period("2024-01", "M"), pd.Interval(0, 1.5)]),
    st.sampled_from([np.dtype("int64"), pd.CategoricalDtype(["a"]), range(3), slice(1, None)]),
)
hashables = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.tuples(st.integers())
)
arrays = st.one_of(
    hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(max_dims=2, max_side=4, min_side=0)),
    st.lists(scalars, max_size=4).map(lambda items: _object_array(items)),
    hnp.arrays(np.dtype([("a", "<i4"), ("b", "<f8")]), 3),
)
columns = st.one_of(
    st.lists(st.integers(-9, 9), min_size=4, max_size=4),
    st.lists(st.floats(), min_size=4, max_size=4),
    st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=4, max_size=4),
    st.lists(scalars, min_size=4, max_size=4).map(lambda items: pd.Series(items, dtype=object)),
    st.lists(st.sampled_from(["a", "b", None]), min_size=4, max_size=4).map(pd.Categorical),
    st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=4, max_size=4).map(lambda v: pd.array(v, dtype="Int64")),
    st.just(pd.to_datetime(["2024-01-01", None, "2024-01-03", "2020-02-02"])),
    st.just([[1, 2], {"a": 1}, None, {1, 2}]),
)
indexes = st.one_of(
    st.just(pd.RangeIndex(4)),
    st.lists(st.integers(0, 3), min_size=4, max_size=4).map(lambda v: pd.Index(v, name="k")),
    st.lists(hashables, min_size=4, max_size=4).map(lambda v: pd.Index(v, dtype=object)),
    st.just(pd.date_range("2024-01-01", periods=4, freq="D", name="day")),
    st.just(pd.MultiIndex.from_product([["x", "y"], [1, 2]], names=["l", None])),
    st.just(pd.IntervalIndex.from_breaks([0, 1, 2, 3, 4])),
)
names = st.one_of(st.none(), st.text(max_size=3), st.integers(0, 3))
series = st.builds(lambda c, i, n: pd.Series(c, name=n).set_axis(i), columns, indexes, names)


def _object_array(items: list[Any]) -> Any:
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


def _frame(parts: list[Any], labels: list[Any], index: Any) -> pd.DataFrame:
    frame = pd.concat([pd.Series(part).reset_index(drop=True) for part in parts], axis=1)
    return frame.set_axis(labels[: len(parts)], axis=1).set_axis(index)


frames = st.builds(_frame, st.lists(columns, min_size=1, max_size=3), st.lists(names, min_size=3, max_size=3), indexes)
tables = st.one_of(series, frames, indexes)
values = st.recursive(
    st.one_of(scalars, arrays, tables),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(hashables, inner, max_size=3),
        st.sets(hashables, max_size=4),
        st.frozensets(hashables, max_size=4),
    ),
    max_leaves=6,
)
flags = st.fixed_dictionaries({name: st.booleans() for name in FLAGS})


def _options(chosen: dict[str, bool], **more: Any) -> MatchOptions:
    return MatchOptions(**chosen, **more)  # pyrefly: ignore[bad-argument-type]  # names are generated


def _copy(value: Any) -> Any:
    """Rebuild containers and tables, so that nothing can match by being the same object."""
    if isinstance(value, (list, tuple)):
        return type(value)(_copy(item) for item in value)
    if isinstance(value, dict):
        return {_copy(key): _copy(item) for key, item in value.items()}
    if isinstance(value, (pd.DataFrame, pd.Series, pd.Index, np.ndarray)):
        return value.copy()
    return float(str(value)) if isinstance(value, float) and not isinstance(value, np.generic) else value


@given(value=values, chosen=flags, metrictol=st.one_of(st.none(), st.floats(0, 2)))
def test_every_value_matches_itself_under_any_options(value: Any, chosen: dict[str, bool], metrictol: Any) -> None:
    comparison = compare(value, _copy(value), _options(chosen, metrictol=metrictol))
    assert comparison.answer is Answer.YES, comparison


@given(value=values, chosen=flags, rules=st.sampled_from(Rules))
def test_what_is_missing_and_an_opaque_object_equal_nothing(value: Any, chosen: dict[str, bool], rules: Rules) -> None:
    opaque = Opaque("sklearn.linear_model._base.LinearRegression")
    for nothing in (ABSENT, OVER_LIMIT, FAILED, opaque):
        for expected, found in ((value, nothing), (nothing, value), (nothing, nothing), ([nothing], [nothing])):
            are_lists = isinstance(expected, list) and isinstance(found, list)
            if not chosen["type_only"] or not (nothing is opaque or are_lists):
                assert compare(expected, found, _options(chosen, rules=rules)).answer is Answer.NO, nothing


@given(one=values, other=values, chosen=flags, rules=st.sampled_from(Rules))
def test_comparing_never_raises(one: Any, other: Any, chosen: dict[str, bool], rules: Rules) -> None:
    comparison = compare(one, other, _options(chosen, rules=rules))
    assert len(comparison.reason) < 5_000


@given(one=values, other=values)
def test_equality_without_options_is_symmetric(one: Any, other: Any) -> None:
    options = MatchOptions(rtol=0.0)  # the relative tolerance is of the expected value
    strict = [compare(a, b, options).answer is Answer.YES for a, b in ((one, other), (other, one))]
    assert strict[0] == strict[1]


@given(value=st.floats(-1e6, 1e6), chosen=flags.filter(lambda f: not f["type_only"]), step=st.floats(0.001, 10))
def test_a_number_beyond_the_tolerance_is_wrong(value: float, chosen: dict[str, bool], step: float) -> None:
    found = value + step + 2e-5 * abs(value)
    assert compare(value, found, _options(chosen)).answer is Answer.NO


@given(frame=frames, chosen=flags.filter(lambda f: not (f["type_only"] or f["match_partial"])), row=st.integers(0, 3))
def test_a_table_with_one_number_changed_is_wrong(frame: pd.DataFrame, chosen: dict[str, bool], row: int) -> None:
    expected = frame.assign(number=[1.0, 2.0, 3.0, 4.0])
    found = expected.assign(number=[1.0 + 10 * (row == i) + i for i in range(4)])
    assert compare(expected, found, _options(chosen)).answer is Answer.NO


@given(frame=frames, items=st.lists(st.one_of(scalars, st.lists(scalars, max_size=2)), max_size=6), seed=st.randoms())
def test_another_order_matches_where_order_is_ignored(frame: pd.DataFrame, items: list[Any], seed: Any) -> None:
    order = list(range(len(frame)))
    seed.shuffle(order)
    assert compare(frame, frame.iloc[order], MatchOptions(ignore_order=True)).answer is Answer.YES
    assert compare(items, seed.sample(items, len(items)), MatchOptions(ignore_order=True)).answer is Answer.YES


SURE: tuple[dict[Any, Any], ...] = (
    {"a": [1, 2], "b": ["x", "y"], "c": [0.5, float("inf")], "d": [True, False]},
    {"a": pd.to_datetime(["2024-01-01", "2024-01-02"])},
    {"a": pd.Series(["x", "y"], dtype=object)},
)
UNSURE: tuple[dict[Any, Any], ...] = (
    *({"a": [0.5, float("nan")]}, {"a": ["x", None]}, {"a": pd.to_datetime(["2024-01-01", None])}),
    *({"a": [[1], [2]]}, {"a": ["x", 1]}, {"a": pd.Series([1, 2], dtype="Int64")}, {("a", 1): [1, 2]}),
)


def test_gaps_objects_and_names_unlike_themselves_are_left_to_pandas() -> None:
    assert all(equals_itself(pd.DataFrame(columns)) for columns in SURE)
    assert not any(equals_itself(pd.DataFrame(columns)) for columns in UNSURE)
    assert not any(equals_itself(value) for value in (1, pd.DataFrame(SURE[0])["a"]))
    for axis in (0, 1):
        for name in ((1, float("nan")), Decimal("NaN"), np.float32("nan"), float("nan"), ("a",)):
            table = pd.DataFrame({"a": [1, 2]}).rename_axis("known", axis=axis)
            assert equals_itself(table)
            table.axes[axis].name = name
            assert not equals_itself(table), name


@pytest.mark.parametrize(
    "labels",
    [
        pd.Index([["a"], ["b"]], dtype=object),
        pd.Index([{"a": 1}, {"b": 1}], dtype=object),
        np.array([1, 2], ">i8"),
        pd.MultiIndex(levels=[["a", "a"]], codes=[[0, 1]], verify_integrity=False),
    ],
)
def test_tables_with_labels_that_cannot_be_looked_up_are_looked_at(labels: Any) -> None:
    table = pd.DataFrame([[1, 2], [3, 4]])
    table.columns = labels
    assert find_incomparable(table) is None
    assert equals_itself(table) in (True, False)
    for rules in Rules:
        compare(table, table.copy(), MatchOptions(rules=rules))
