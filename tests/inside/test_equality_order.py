"""Values in another order at any size, and keys and labels that are equal within the tolerance (docs/dseal.md)."""

import datetime as dt
import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.inside.comparing import says, sound

pytestmark = pytest.mark.slow

MANY = 200
RECORDS = pd.DataFrame({"n": np.arange(MANY) % 15, "m": np.arange(MANY) // 15, "city": ["Oslo", "Roma"] * (MANY // 2)})


def shuffled(values: Any) -> list[Any]:
    parts = list(values)
    return random.Random(3).sample(parts, len(parts))


def noisy(number: float, place: int) -> float:
    return number + random.Random(place).choice([-1e-13, 0.0, 1e-13])


def test_many_records_in_another_order_are_the_same_records() -> None:
    records = RECORDS.to_dict("records")
    found = [dict(reversed(record.items())) for record in shuffled(records)]
    assert sound(records, found, ignore_order=True).answer == "yes"
    assert says(sound(records, found)) == ("partial", "ORDER")
    found[0] = {**found[0], "n": -1}
    assert sound(records, found, ignore_order=True).answer == "no"
    swapped = [{**record, "n": record["m"], "m": record["n"]} for record in records]
    assert sound(records, swapped, ignore_order=True).answer == "no"


def test_many_sets_in_another_order_are_the_same_sets() -> None:
    sets = [frozenset([i, i + 8, i + 16]) for i in range(MANY)]
    found = [frozenset([i + 16, i + 8, i]) for i in range(MANY)]
    assert any(str(one) != str(other) for one, other in zip(sets, found, strict=True))
    assert sound(sets, found[::-1], ignore_order=True).answer == "yes"
    assert sound({*sets}, {*shuffled(found)}).answer == "yes"
    assert sound(sets, [*found[:0:-1], frozenset({0, 8, -1})], ignore_order=True).answer == "no"


def test_many_rows_in_another_order_are_the_same_rows_within_the_tolerance() -> None:
    rows = [(i % 9 / 10, i) for i in range(MANY)]
    found = [(noisy(rate, i), i) for rate, i in shuffled(rows)]
    assert sound({*rows}, {*found}).answer == "yes"
    assert sound(rows, found, ignore_order=True).answer == "yes"
    assert sound(rows, [*found[1:], (found[0][0] + 0.01, found[0][1])], ignore_order=True).answer == "no"


def test_parts_of_many_lists_stand_in_any_order_where_deep_says_so() -> None:
    lists = [[[i, i * 7 % MANY / 7], [i % 3, "x"]] for i in range(MANY)]
    found = [[part[::-1] for part in parts] for parts in shuffled(lists)]
    assert sound(lists, found, ignore_order=True, deep=True).answer == "yes"
    assert sound(lists, found, ignore_order=True).answer == "no"
    found[0] = [[-1, 0], ["x", 1]]
    assert sound(lists, found, ignore_order=True, deep=True).answer == "no"


def test_many_labelled_values_may_come_as_a_table() -> None:
    size = 5_000
    many = pd.Series(np.random.default_rng(7).random(size), index=np.arange(size) * 2, name="rate")
    levels = many.set_axis(pd.MultiIndex.from_arrays([many.index // 10, many.index % 10], names=["ten", "one"]))
    for expected, found in (
        *((many, many.to_frame()), (many, many.sample(frac=1, random_state=1).to_frame())),
        *((levels, levels.reset_index()), (levels, levels.to_frame())),
    ):
        comparison = sound(expected, found)
        assert says(comparison) == ("partial", "CONTAINER")
        assert comparison.reason == "the same values in another container: DataFrame for Series"
        assert sound(expected + 1, found).answer == "no"


ROUNDED = 0.1 + 0.2


@pytest.mark.parametrize(
    ("expected", "found", "answer"),
    [
        ({(ROUNDED, 1): 1, (0.3, 2): 2}, {(0.3, 1): 1, (0.3, 2): 2}, "yes"),
        ({(ROUNDED, 1): 1, (0.3, 2): 2}, {(0.3, 1): 2, (0.3, 2): 1}, "no"),
        ({ROUNDED: 1, 0.5: 2}, {0.5: 2, 0.3: 1, 0.7: 3}, "partial"),
        *(({ROUNDED: 1, "b": 2}, {0.4: 1, "b": 2, "c": 3}, "no"), ({0.3: 1, ROUNDED: 2}, {ROUNDED: 2, 0.3: 1}, "yes")),
        ({i / 7: i for i in range(MANY)}, {noisy(i / 7, i): i for i in reversed(range(MANY))}, "yes"),
        (pd.DataFrame({ROUNDED: [1]}), pd.DataFrame({0.3: [1]}), "yes"),
        (pd.DataFrame({(ROUNDED, "a"): [1]}), pd.DataFrame({(0.3, "a"): [1]}), "yes"),
        (pd.DataFrame({0.1: [1]}), pd.DataFrame({0.3: [1]}), "no"),
        (pd.DataFrame({1: [1]}), pd.DataFrame({True: [1]}), "no"),
    ],
)
def test_keys_and_labels_of_columns_are_equal_within_the_tolerance(expected: Any, found: Any, answer: str) -> None:
    assert sound(expected, found).answer == answer


DAY, MIDNIGHT = dt.date(2024, 1, 5), pd.Timestamp("2024-01-05")


@pytest.mark.parametrize(
    ("expected", "found"), [({DAY: 1}, {MIDNIGHT: 1}), ({(DAY, "a"): 1, "b": 2}, {"b": 2, (MIDNIGHT, "a"): 1})]
)
def test_a_date_as_a_key_is_a_date_for_midnight(expected: Any, found: Any) -> None:
    for pair in ((expected, found), (found, expected)):
        assert says(sound(*pair)) == ("partial", "DTYPE")
        assert sound(*pair, ignore_dtypes=True).answer == "yes"
    assert sound({DAY: 1}, {MIDNIGHT + pd.Timedelta("1h"): 1}).answer == "no"


def test_a_score_that_may_be_better_is_no_key_no_member_and_no_label() -> None:
    assert sound({"f1": 0.9}, {"f1": 5.0}, metrictol=1.0).answer == "yes"
    assert sound({1: 0.9}, {5: 0.9}, metrictol=1.0).answer == "no"
    assert sound({(1.5, "a"): 0.9}, {(5.5, "a"): 0.9}, metrictol=1.0).answer == "no"
    assert sound({0.9}, {5.0}, metrictol=1.0).answer == "no"
    assert sound([0.9], {5.0}, metrictol=1.0).answer == "no"
    assert sound(pd.Series([0.9], index=[1.5]), pd.Series([0.9], index=[5.5]), metrictol=1.0).answer != "yes"
    mixed = [pd.Series([0.9, 0.8], index=pd.Index(["a", label], dtype=object)) for label in (1.5, 5.5)]
    assert sound(*mixed, metrictol=1.0).answer != "yes"


@pytest.mark.parametrize("expected", [pd.Series([3.0, 4.0]), pd.DataFrame({"a": [3.0, 4.0], "b": ["x", "y"]})])
def test_any_order_loosens_numbers_of_rows_and_no_other_labels(expected: Any) -> None:
    animals, others = (expected.set_axis(labels, axis=0) for labels in (["ant", "bee"], ["cow", "dog"]))
    assert says(sound(animals, others, ignore_order=True)) == ("partial", "INDEX")
    assert sound(animals, animals.iloc[::-1], ignore_order=True).answer == "yes"
    numbered = expected.set_axis([7, 5], axis=0)
    for found in (numbered, numbered.iloc[::-1]):
        assert sound(expected, found, ignore_order=True).answer == "yes"
        assert sound(expected, found, ignore_order=True, equality={"index": "wrong"}).answer == "no"
    assert sound(animals, others, ignore_order=True, ignore_index=True).answer == "yes"
