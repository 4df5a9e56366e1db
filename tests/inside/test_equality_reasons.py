"""What people are told of two values, and that labels count wherever the values stand (docs/dseal.md, section 8)."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from tests.inside.comparing import says, sound

CITY = pd.Series([17, 9, 30], index=pd.Index(["Oslo", "Paris", "Rome"], name="city"), name="qty")
LOWER = CITY.rename(index=str.lower)
FRAME = pd.DataFrame({"id": [1, 2], "who": ["ann", "bob"], "qty": [3, 4]})


ANYHOW: tuple[dict[str, Any], ...] = (
    {"match_partial": True},
    {"equality": {"container": "correct", "extra": "correct"}},
)


def test_no_option_for_containers_or_surplus_makes_other_labels_right() -> None:
    for table in (LOWER.reset_index(), LOWER.to_frame(), LOWER.to_frame().assign(price=1.5)):
        assert "under other row labels" in sound(CITY, table).reason
        assert [sound(CITY, table, **options).answer for options in ({}, *ANYHOW)] == ["partial"] * 3
        assert sound(CITY, table, equality={"index": "wrong"}).answer == "no"
    assert sound(CITY, CITY.reset_index(), **ANYHOW[1]).answer == "yes"  # the same labels are right
    for options in ANYHOW:
        assert sound(CITY, CITY.reset_index().assign(price=1.5), **options).answer == "yes"


def test_exchanged_labels_of_one_column_are_other_values() -> None:
    exchanged = CITY.set_axis(CITY.index[[1, 0, 2]])
    for found in (exchanged, exchanged.to_frame()):
        assert sound(CITY, found).answer == "no"
        assert sound(CITY, found, equality={"index": "correct", "container": "correct"}).answer == "no"
        assert sound(CITY, found, equality={"container": "correct"}, ignore_index=True).answer == "yes"
    assert sound(CITY.to_frame(), exchanged).answer == "no"
    assert sound(CITY, CITY.to_frame().iloc[::-1]).answer == "partial"


def test_other_keys_are_other_values_in_a_dict_and_beside_one() -> None:
    assert sound(CITY.to_dict(), LOWER.to_dict()).answer == "no"
    assert sound(CITY.to_dict(), LOWER).answer == "no"
    assert sound(CITY, LOWER.to_dict()).answer == "no"
    assert sound(CITY, CITY.to_dict()).answer == "partial"
    assert sound(CITY, LOWER.to_dict(), ignore_index=True).answer == "partial"


def test_a_column_that_became_the_index_is_another_index() -> None:
    for label in FRAME.columns:
        for expected, found in ((FRAME, FRAME.set_index(label)), (FRAME.set_index(label), FRAME)):
            comparison = sound(expected, found)
            assert says(comparison) == ("partial", "INDEX")
            assert "order" not in comparison.reason


def test_a_text_that_says_a_number_says_it_within_the_tolerance() -> None:
    for number, text, answer in (
        *((291.21000000000004, "291.21", "yes"), (4, "4", "yes"), (4, "4.0", "yes"), (4, "5", "no")),
        *((4, "four", "no"), (2**60 + 1, str(2**60), "no"), (1.5, "1.6", "no"), (1.0, "1" * 100, "no")),
    ):
        assert sound(number, text, ignore_dtypes=True).answer == answer, text
        assert sound(pd.Series([number]), pd.Series([text]), ignore_dtypes=True).answer == answer, text
        assert sound(number, text).answer == "no", text


def test_values_that_differ_are_counted_with_those_that_are_missing() -> None:
    shifted = CITY.cumsum().astype(float).shift(1)
    assert (
        "3 of 3 values differ, first in place 0: expected 17.0, got a missing value"
        in sound(CITY.cumsum().astype(float), shifted).reason
    )
    assert "2 of 3 values differ" in sound(pd.Series([1.0, np.nan, 3.0]), pd.Series([2.0, 2.0, 3.0])).reason


REASONS = {
    "in another container: dict for Series": (CITY, CITY.to_dict()),
    "entry 'Rome': expected 30, got 31": (CITY, {**CITY.to_dict(), "Rome": 31}),
    "under other column labels: 'name' for 'who'": (FRAME, FRAME.rename(columns={"who": "name"})),
    "and more: 'tax'": (FRAME, FRAME.assign(tax=1)),
    "and more: 'b'": ({"a": 1}, {"a": 1, "b": 2}),
    "under other row labels: 'rome' for 'Rome'": (CITY, CITY.rename(index={"Rome": "rome"})),
    "expected 4 (int), got '4' (str)": (4, "4"),
}


def test_the_reason_names_what_differs() -> None:
    for told, pair in REASONS.items():
        assert told in sound(*pair).reason


UNEQUAL: tuple[tuple[Any, Any], ...] = (
    (np.array(["2024"], "M8[Y]"), np.array(["2024-01-01T22:10"], "M8[m]")),
    (np.array(["2024-01"], "M8[M]"), np.array(["2024-02-01"], "M8[D]")),
    (np.array([100.0, 50.0]), np.array([100.75, 50.25], "float16")),
    (100.0, np.float16(100.75)),
    (sparse.csr_matrix([[1.0, 0.5]]), sparse.csr_matrix([[1.0, 0.0]])),
)
EQUAL: tuple[tuple[Any, Any], ...] = (
    (np.array(["2024"], "M8[Y]"), np.array(["2024-01-01"], "M8[D]")),
    (np.array(["2024-02"], "M8[M]"), np.array(["2024-02-01"], "M8[ns]")),
    (np.array([0.1, 2.0]), np.array([0.1, 2.0], "float16")),
    (sparse.csr_matrix([[1.0, 1e-12]]), sparse.csr_matrix([[1.0, 0.0]])),
    (pd.Timestamp("2024-01-05", tz="UTC"), pd.Timestamp("2024-01-05", tz="Etc/Greenwich")),
)


def test_units_and_precisions_are_no_difference_but_values_are_both_ways() -> None:
    for pairs, answer in ((UNEQUAL, "no"), (EQUAL, "yes")):
        for one, other in pairs:
            assert sound(one, other).answer == sound(other, one).answer == answer, (one, other)


def test_a_score_is_measured_alike_wherever_it_stands() -> None:
    holders = (float, lambda s: [s], lambda s: np.array([s]), lambda s: pd.Series([s]), lambda s: pd.DataFrame([s]))
    for held in holders:
        for score, answer in ((0.95, "yes"), (0.82, "yes"), (0.8, "no"), (float("inf"), "no")):
            assert sound(held(0.9), held(score), metrictol=0.9).answer == answer, held(score)


def test_a_float_half_way_between_two_integers_is_neither_of_them() -> None:
    for number in (3, 200_000, 2**40):
        for half in (number + 0.5, number - 0.5):
            pairs = ((number, half), (half, number), (np.array([number]), np.array([half])))
            for expected, found in (*pairs, ([number] * 60, [half] * 60)):
                assert sound(expected, found).answer == "no"
    assert sound(200_000, 200_000.4).answer == "yes"
    assert sound(np.array([200_000]), np.array([200_000.4])).answer == "yes"
