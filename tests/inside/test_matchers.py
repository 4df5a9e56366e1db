"""Scalars, arrays and containers: dseal.md, section 4, under both rule sets."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evaluator.inside.codec.decode.decoded import Opaque
from evaluator.inside.compare.match_model import AuthorFaultError, Cause, MatchOptions, Rules, read_match_options
from tests.inside.comparing import published, says, sound

NAN = float("nan")
BOTH = (sound, published)
DAY = pd.Timestamp("2024-01-01")


EQUAL: tuple[tuple[Any, Any], ...] = (
    *((True, True), (True, np.True_), (np.False_, False), (1, 1.0), (1, np.int8(1)), (100_000.0, 100_000.9)),
    *((0, 1e-9), (math.inf, math.inf), ("abc", "abc"), (None, None), (b"a", b"a"), (range(3), range(3))),
    *((DAY, DAY.to_pydatetime()), (np.dtype("int64"), np.dtype("int64"))),
)
UNEQUAL: tuple[tuple[Any, Any], ...] = (
    *((True, False), (True, 1), (1, True), (0.0, False), (True, "True"), (True, None)),  # booleans are no numbers
    *((100_000.0, 100_002), (0, 1e-7), (math.inf, -math.inf), (math.inf, 1e308), (1e308, math.inf)),
    *((1, NAN), (NAN, 1), (1, "1"), ("1", 1), (1, None), (1, [2]), ("abc", "abd"), (None, "None")),
    *((DAY, DAY + pd.Timedelta("1D")), (DAY, DAY.tz_localize("UTC")), (np.dtype("int64"), np.dtype("int32"))),
    (pd.CategoricalDtype(["a"]), pd.CategoricalDtype(["b"])),
)


@pytest.mark.parametrize("judge", BOTH)
def test_single_values_match_by_kind_and_within_the_tolerance(judge: Any) -> None:
    assert [pair for pair in EQUAL if judge(*pair).answer != "yes"] == []
    assert [pair for pair in UNEQUAL if judge(*pair).answer != "no"] == []


def test_integers_are_soundly_equal_exactly_unless_a_tolerance_is_set() -> None:
    assert sound(100_000, 100_001).answer == "no"
    assert sound([100_000] * 80, [100_001] * 80).answer == "no"
    assert sound(np.array([100_000]), np.array([100_001])).answer == "no"
    assert sound(np.array([2**63], "u8"), np.array([-(2**63)])).answer == "no"
    assert sound(100_000, 100_001, rtol=1e-5, tolerances_set=frozenset({"rtol"})).answer == "yes"
    assert published(100_000, 100_001).answer == "yes"
    assert sound(100_000.0, 100_001).answer == sound([100_000.0] * 80, [100_001] * 80).answer == "no"
    assert sound(100_000.3, 100_000).answer == sound([100_000.3] * 80, [100_000] * 80).answer == "yes"


def test_tolerances_are_options() -> None:
    assert sound(100.0, 101.0, rtol=0.02).answer == "yes"
    assert sound(100.0, 101.0, atol=1.0, rtol=0.0).answer == "yes"
    assert sound(1e-32, 1e-33, atol=0.0).answer == "no"


def test_the_tolerance_is_relative_to_the_expected_number() -> None:
    assert sound(0.9, 1.0, rtol=0.105, atol=0.0).answer == "no"
    assert sound(1.0, 0.9, rtol=0.105, atol=0.0).answer == "yes"


def test_nan_equals_nan_only_under_the_sound_rules() -> None:
    assert sound(NAN, np.float32("nan")).answer == "yes"
    assert sound([1, NAN], [1, NAN]).answer == "yes"
    assert published(NAN, float("nan")).answer == "no"


def test_complex_numbers_match_within_the_tolerance_under_the_sound_rules() -> None:
    assert sound(1 + 2j, np.complex64(1 + 2j)).answer == "yes"
    assert sound(1 + 2j, 1 + 2.1j).answer == "no"
    assert sound(complex(NAN, 1), complex(NAN, 1)).answer == "yes"


def test_integers_of_any_size_are_numbers_under_the_sound_rules() -> None:
    assert sound(10**400, 10**400).answer == "yes"
    assert sound(10**400, 10**400 + 1).answer == "no"
    with_rtol = {"rtol": 1e-5, "tolerances_set": frozenset({"rtol"})}
    assert sound(10**400, 10**400 + 1, **with_rtol).answer == "yes"
    assert sound(10**400, 2 * 10**400, **with_rtol).answer == "no"
    assert sound(10**400, 1.5).answer == "no"


def test_a_metric_may_fall_short_by_its_tolerance() -> None:
    for expected, found, by_sound, by_published in (
        *((0.8, 0.73, "yes", "yes"), (0.8, 0.71, "no", "no"), (0.8, 5, "yes", "yes"), (0.8, "high", "no", "no")),
        *((0.8, NAN, "no", "yes"), (NAN, 0.8, "no", "yes"), (-10.0, -10.0, "yes", "no"), (-10.0, -10.9, "yes", "no")),
        *((-10.0, -11.1, "no", "no"), (-10.0, -1.0, "yes", "yes"), (0.8, math.inf, "no", "yes")),
        *((math.inf, math.inf, "yes", "yes"), (0.8, -math.inf, "no", "no")),
    ):
        assert sound(expected, found, metrictol=0.9).answer == by_sound, (expected, found)
        assert published(expected, found, metrictol=0.9).answer == by_published, (expected, found)


def test_metric_tolerances_reach_into_dicts_by_position() -> None:
    expected = {"accuracy": 0.8, "precision": 0.9}
    assert sound(expected, {"a": 0.73, "p": 0.82}, metrictol=0.9, ignore_index=True).answer == "yes"


@pytest.mark.parametrize(
    ("expected", "found", "answer", "cause"),
    [
        *((np.array([1, 2]), np.array([1, 2]), "yes", None), (np.array([1, 2]), np.array([1.0, 2.0]), "yes", None)),
        (np.array([1.0, 2.0]), np.array([1.0, 2.00001]), "yes", None),
        (np.array([1, 2]), np.array([1, 3]), "no", "VALUE"),
        (np.array([1.0, NAN]), np.array([1.0, NAN]), "yes", None),
        (np.array([1.0, NAN]), np.array([1.0, 0.0]), "no", "VALUE"),
        (np.array([1.0, math.inf]), np.array([1.0, -math.inf]), "no", "VALUE"),
        (np.array([1.0, math.inf]), np.array([1.0, 1e308]), "no", "VALUE"),
        (np.array([1, 2]), np.array([[1, 2]]), "partial", "CONTAINER"),
        (np.array([1, 2]), np.array([[1, 3]]), "no", "TYPE"),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2, 3, 4]]), "no", "SHAPE"),
        (np.array([1, 2]), [1, 2], "partial", "CONTAINER"),
        (np.array([1, 2]), pd.Series([1, 2]), "partial", "CONTAINER"),
        (np.array(["a"]), np.array(["a"], dtype=object), "yes", None),
        (np.array(["a"]), np.array(["b"]), "no", "VALUE"),
        (np.array([1, "a"], dtype=object), np.array([True, "a"], dtype=object), "no", "VALUE"),
        (np.array([[1], {"a": 2}], dtype=object), np.array([[1], {"a": 2}], dtype=object), "yes", None),
        (np.array(["NaT", 1], "M8[s]"), np.array(["NaT", 1], "M8[ms]"), "no", "VALUE"),
        (np.array(["NaT", "2024"], "M8[s]"), np.array(["NaT", "2024"], "M8[ms]"), "yes", None),
        (np.ma.array([1, 2], mask=[False, True]), np.ma.array([1, 9], mask=[False, True]), "yes", None),
        (np.ma.array([1, 2], mask=[False, True]), np.array([1, 2]), "no", "VALUE"),
        (np.array([(1, NAN)], "i4,f8"), np.array([(1, NAN)], "i4,f8"), "yes", None),
        (np.array([(1, NAN)], "i4,f8"), np.array([(2, NAN)], "i4,f8"), "no", "VALUE"),
    ],
)
def test_arrays_match_by_shape_and_values(expected: Any, found: Any, answer: str, cause: str | None) -> None:
    assert says(sound(expected, found)) == (answer, cause)


def test_strict_type_compares_the_dtype_of_arrays() -> None:
    one, other = np.array([1, 2]), np.array([1.0, 2.0])
    assert says(sound(one, other, strict_type=True)) == ("partial", "DTYPE")
    assert says(sound(np.int64(1), 1, strict_type=True)) == ("partial", "DTYPE")
    assert says(sound([1, 2], (1, 2), strict_type=True)) == ("yes", None)
    assert says(published(one, other, strict_type=True)) == ("no", None)


def test_bare_arrays_strings_and_sets_have_no_published_cause() -> None:
    array = np.array([1, 2])
    for pair in ((array, array + 1), (array, array[None]), ("a", "b"), ({1, 2}, {1, 3}), (None, "x")):
        assert says(published(*pair)) == ("no", None), pair
    assert says(sound("a", "b")) == ("no", "VALUE")
    assert says(sound("a", b"a")) == ("no", "TYPE")


def test_sparse_matrices_match_by_shape_and_elements() -> None:
    one = sparse.csr_matrix(np.array([[0, 1.0], [2.0, 0]]))
    assert sound(one, sparse.csr_matrix(np.array([[0, 1.0], [2.0, 0]]))).answer == "yes"
    assert published(one, one.copy()).answer == "yes"
    assert sound(one, one.tocsc()).answer == "yes"
    assert says(sound(one, one * 2)) == ("no", "VALUE")
    assert says(sound(one, sparse.csr_matrix((3, 3)))) == ("no", "SHAPE")
    assert says(sound(one, one.toarray())) == ("partial", "CONTAINER")
    assert says(sound(one, 2 * one.toarray()))[0] == "no"
    moved = sparse.csr_matrix(np.array([[1.0, 0], [0, 2.0]]))
    assert published(one, moved).answer == "no"


def test_sparse_matrices_are_soundly_compared_like_arrays() -> None:
    ones = sparse.csr_matrix(np.array([[0, 1], [100_000, 0]]))
    stored = sparse.csr_matrix((np.array([0, 1, 100_000]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert stored.nnz == 3
    assert says(sound(ones, stored)) == says(sound(stored, ones)) == ("yes", None)
    off_by_one = sparse.csr_matrix(np.array([[0, 1], [100_001, 0]]))
    assert says(sound(ones, off_by_one)) == ("no", "VALUE")
    assert sound(ones, off_by_one, rtol=1e-5, tolerances_set=frozenset({"rtol"})).answer == "yes"
    assert published(ones, off_by_one).answer == "yes"
    assert says(sound(ones, ones.astype(float))) == ("yes", None)
    assert says(sound(ones, ones.astype(float), ignore_dtypes=False)) == ("partial", "DTYPE")
    assert says(sound(ones.astype(bool), ones.astype(bool).astype(int))) == ("no", "DTYPE")
    with_gap = sparse.csr_matrix(np.array([[NAN, 1.0]]))
    assert (sound(with_gap, with_gap * 1.0).answer, published(with_gap, with_gap * 1.0).answer) == ("yes", "no")


@pytest.mark.parametrize("judge", BOTH)
def test_containers_match_element_by_element(judge: Any) -> None:
    for expected, found, answer, cause in (
        *(([1, 2], (1, 2), "yes", None), ([1, [2, "a"]], (1, (2.0, "a")), "yes", None), ({1, 2}, {2, 1}, "yes", None)),
        *(([1, 2], [1, 2, 3], "no", "VALUE"), ([1, 2], [2, 1], "partial", None), ([1, 2], [1, "2"], "no", "VALUE")),
        *(([1, 2], {1: 3}, "no", "TYPE"), ({"a": 1}, {"a": 1.0}, "yes", None), ({"a": 1}, {"b": 1}, "no", "VALUE")),
        *(({"a": 1, "b": 2}, {"b": 2, "a": 1}, "yes", None), ({"a": 1}, {"a": 2}, "no", "VALUE")),
        ([pd.Series([1])], [pd.Series([1])], "yes", None),
        ([pd.DataFrame({"a": [1]})], [pd.DataFrame({"a": [1], "b": [2]})], "no", None),
    ):
        said = says(judge(expected, found))
        assert said[0] == answer, (expected, found)
        assert cause in (None, said[1]), (expected, found)


def test_a_mismatch_inside_a_container_is_at_least_a_value_mismatch() -> None:
    assert says(published([pd.Series([1])], [7])) == ("no", "VALUE")
    assert says(published([pd.DataFrame({"a": [1]})], [pd.DataFrame({"a": [1, 2]})])) == ("no", "SHAPE")


def test_order_is_ignored_by_type_and_value() -> None:
    assert sound([3, "a", 1, None], ["a", None, 1, 3], ignore_order=True).answer == "yes"
    assert sound([{"a": 1}, {"a": 0}], [{"a": 0}, {"a": 1}], ignore_order=True).answer == "yes"
    assert sound([[1, 2], [0]], [[0], [1, 2]], ignore_order=True).answer == "yes"
    assert sound([[1, 2], [0]], [[0], [2, 1]], ignore_order=True).answer == "no"
    assert sound([[1, 2], [0]], [[0], [2, 1]], ignore_order=True, deep=True).answer == "yes"
    assert published([[1, 2], [0]], [[0], [2, 1]], ignore_order=True).answer == "yes"
    assert sound([("A", "B")], [("B", "A")], ignore_order=True).answer == "no"
    assert sound([1, 1, 2], [1, 2, 2], ignore_order=True).answer == "no"


def test_elements_without_an_order_are_no_under_the_published_rules() -> None:
    one, other = [{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 3}]
    assert published(one, one).answer == "yes"
    assert says(published(one, other)) == ("no", None)
    assert says(sound(one, other)) == ("no", "VALUE")


def test_ignoring_the_index_of_a_dict_compares_values_in_order() -> None:
    assert sound({"a": 1, "b": 2}, {"x": 1, "y": 2}, ignore_index=True).answer == "yes"
    assert sound({"a": 1, "b": 2}, {"x": 2, "y": 1}, ignore_index=True).answer == "no"
    assert sound({"a": 1, "b": 2}, {"x": 1}, ignore_index=True).answer == "no"


def test_keys_that_only_look_equal_do_not_match_under_the_sound_rules() -> None:
    assert sound({1: "a"}, {True: "a"}).answer == "no"
    assert sound({"1": "a"}, {1: "a"}).answer == "no"
    assert sound({1: "a"}, {1.0: "a"}).answer == "yes"
    assert sound({(1, NAN): 2}, {(1, NAN): 2}).answer == "yes"
    assert sound({1, 2}, {True, 2}).answer == "no"
    assert published({1: "a"}, {True: "a"}).answer == "yes"


def test_long_lists_of_numbers_are_compared_quickly_and_exactly() -> None:
    numbers = [float(i) for i in range(20_000)]
    assert sound(numbers, [x * (1 + 1e-9) for x in numbers]).answer == "yes"
    found = numbers.copy()
    found[-1] = 0.0
    assert says(sound(numbers, found)) == ("no", "VALUE")
    assert "first in place 19999" in sound(numbers, found).reason


def test_values_that_are_not_there_equal_their_like_under_the_sound_rules() -> None:
    for value in (pd.NaT, pd.NA, np.datetime64("NaT")):
        assert sound(value, value).answer == "yes"
    for expected, found in ((pd.NaT, pd.NA), (NAN, pd.NA), (pd.NaT, NAN), ([1, None], [1, NAN])):
        assert sound(expected, found).answer == "yes"
    for expected, found in ((None, NAN), (NAN, None), (NAN, 0.0), ([1, None], [1, 0])):
        assert sound(expected, found).answer == "no"


@pytest.mark.parametrize(
    ("expected", "by_sound", "by_published"),
    [
        *((pd.DataFrame({"a": [1]}), "TYPE", "TYPE"), (5, "TYPE", "TYPE"), (True, "TYPE", "TYPE")),
        *((np.array([1]), "TYPE", "TYPE"), ([1], "TYPE", "TYPE"), ("text", "TYPE", None)),
        ([1, "text"], "VALUE", "VALUE"),
    ],
)
def test_an_object_of_an_unknown_type_is_a_wrong_type(expected: Any, by_sound: Any, by_published: Any) -> None:
    opaque = Opaque("pandas.io.formats.style.Styler")
    found = [1, opaque] if isinstance(expected, list) and len(expected) == 2 else opaque
    assert says(sound(expected, found)) == ("no", by_sound)
    assert says(published(expected, found)) == ("no", by_published)


@pytest.mark.parametrize("judge", BOTH)
def test_type_only_compares_exact_types_and_nothing_else(judge: Any) -> None:
    assert judge("a", "b", type_only=True).answer == "yes"
    assert judge(1, True, type_only=True).answer == "no"
    assert judge(pd.DataFrame(), pd.Series(dtype=float), type_only=True).answer == "no"
    model = "sklearn.linear_model._base.LinearRegression"
    assert judge(Opaque(model), Opaque(model, attributes={"coef_": 1}), type_only=True).answer == "yes"
    assert judge(Opaque(model), Opaque("fake.LinearRegression"), type_only=True).answer == "no"


@pytest.mark.parametrize("judge", BOTH)
def test_value_only_compares_nested_lists(judge: Any) -> None:
    for expected, found in (
        *((pd.DataFrame({"a": [1]}), [1]), (pd.DataFrame({"a": [1]}), np.array([1.0])), (pd.Series([1, 2]), (1, 2))),
        *((pd.DataFrame({"a": [1, 2], "b": [3, 4]}), [[1, 3], [2, 4]]), (pd.Index(["a", "b"]), ["a", "b"])),
        *((5, [[5]]), (np.array(3), 3)),
    ):
        assert judge(expected, found, value_only=True).answer == "yes", (expected, found)
        assert judge(expected, [99, 98, 97], value_only=True).answer == "no", expected


def test_the_loose_comparison_ignores_order_names_and_dtypes() -> None:
    assert MatchOptions(ignore_index=True).loosened() == MatchOptions(
        ignore_index=True, ignore_order=True, ignore_names=True, ignore_dtypes=True, match_partial=True
    )


def test_the_rule_set_chooses_which_cause_counts() -> None:
    expected = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    found = pd.DataFrame({"x": [1, 2, 3], "y": [3, 4, 5]})
    assert says(sound(expected, found)) == ("no", "SHAPE")
    assert published(expected, found).loose_causes is not None
    found = pd.DataFrame({"a": ["1", "2"], "b": [3, 4]})
    assert (says(sound(expected, found)), says(published(expected, found))[0]) == (("no", "DTYPE"), "partial")


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        ({"ignore_ordr": True}, "no matcher option 'ignore_ordr'"),
        *(({"ignore_order": "yes"}, "must be true or false"), ({"rtol": "much"}, "must be a finite number")),
        *(({"rtol": float("inf")}, "must be a finite number"), ({"atol": -1}, "must be a finite number")),
        *(({"atol": True}, "must be a finite number"), ({"compare_fn": {}, "rtol": 1}, "beside other options")),
        ([1], "must be a mapping"),
    ],
)
def test_options_that_do_not_fit_are_the_authors_error(raw: Any, what: str) -> None:
    with pytest.raises(AuthorFaultError, match=what):
        read_match_options(raw, rules=Rules.SOUND, where="result")


def test_options_are_read_as_written() -> None:
    options = read_match_options({"compare_fn": {"rtol": "1e-3", "ignore_order": True}}, rules=Rules.SOUND, where="")
    assert options == MatchOptions(rtol=1e-3, ignore_order=True, tolerances_set=frozenset({"rtol"}))
    assert read_match_options({"metrictol": None}, rules=Rules.SOUND, where="") == MatchOptions()


def test_reasons_are_short_and_harmless() -> None:
    comparison = sound("a" * 10_000, "b\x1b[2J‮" + "c" * 10_000)
    assert len(comparison.reason) < 300
    assert comparison.reason.isprintable()
    assert Cause.VALUE in comparison.causes
