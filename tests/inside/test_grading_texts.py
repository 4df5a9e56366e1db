"""Scores of numbers, texts and closing answers: the values that the definitions give, and the laws that hold."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.inside.grading.texts import (
    answer_as_published,
    answer_soundly,
    final_answer,
    numbers_in,
    numeric_as_published,
    numeric_soundly,
    rouge_1,
)


def test_the_published_score_of_numbers_is_containment() -> None:
    for expected, found, score in (
        *(("42", "42", 1), ("42", "0.42", 1), ("5", "0.25", 1), ("42.00", "42.0", 0)),
        *(("42", "7", 0), ("2", "1", 0), ("", "x", 1), ("42\n", "42", 1)),
    ):
        assert numeric_as_published(expected, found) == score, (expected, found)


NUMBERS = (
    *(("42", "42", 1), ("42", "0.42", 0), ("5", "0.25", 0), ("42.00", "42.0", 1), ("", "x", 0), ("", " ", 1)),
    *(("0.30000000000000004", "0.3", 1), ("0.3", "0.3001", 0), ("(1, 2.5)", "[1.0 2.5]", 1), ("1 2", "2 1", 0)),
    *(("1 2", "1", 0), ("the mean is 3.5", "mean: 3.50", 1), ("1,234", "1234", 1), ("1,234", "1", 0)),
    *(("nan", "NaN", 1), ("inf", "-inf", 0), ("1e-3", "0.001", 1), ("True", "False", 0), ("True", "True", 1)),
    *(("column1", "column2", 0), ("-5", "5", 0), ("rejected: True, p = 0.03", "rejected: False, p = 0.03", 0)),
    *(("(True, 0.03)", "(np.True_, 0.03)", 1), ("(True, 0.03)", "significant, p = 0.03", 1)),
    *(("True 1 False 2", "False 1 True 2", 0), ("mean 3.0, max 5.0", "max 3.0, mean 5.0", 0)),
    *(("mean 3.0, max 5.0", "Mean: 3 / Max: 5", 1), ("mean 3.0, max 5.0", "average 3, largest 5", 1)),
    ("a    3\nb    5\ndtype: int64", "b    3\na    5\ndtype: int64", 0),
    ("a    3\nb    5\nName: n, dtype: int64", "a    3\nb    5\ndtype: int64", 1),
    *(("0 a 3\n1 b 5", "0 b 3\n1 a 5", 0), ("a 3\nb 3", "b 3\na 3", 1), ("a: 3, b: 5", "3 a, 5 b", 1)),
    *(("3 a, 5 b", "3 b, 5 a", 0), ("g\na 1.75\nb 3.5\nName: v, dtype: float64", "b 1.75 a 3.5", 0)),
    ("g\na 1.75\nb 3.5\nName: v, dtype: float64", "a 1.75 b 3.5", 1),
    *(("There are 3 men and 5 women.", "3 women, 5 men", 0), ("There are 3 men and 5 women.", "3 men, 5 women", 1)),
    ("   n\na  3\nb  5", "the group a has 3, the group b has 5", 1),
)


def test_the_sound_score_of_numbers_compares_all_of_them_in_order() -> None:
    assert [row for row in NUMBERS if numeric_soundly(row[0], row[1]) != row[2]] == []


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=8))
def test_numbers_are_like_themselves_however_they_are_written(values: list[float]) -> None:
    assert numeric_soundly(repr(values), "\n".join(map(str, values))) == 1
    moved = [value + 1 + abs(value) if math.isfinite(value) and abs(value) < 1e300 else 0.5 for value in values]
    assert numeric_soundly(repr(values), repr(moved)) == 0


def test_digits_within_names_are_no_numbers() -> None:
    assert numbers_in("x1 y_2 3x v4.5 nano inform 6") == [3, 6]


LIKENESS = (
    *(("a b d", "a b c", 2 / 3), ("Mean age: 29.70", "mean age 29.7", 0.75), ("a b", "a a a", 0.4)),
    *(("the cat sat on the mat", "the cat is on the mat", 5 / 6), ("[1, 2, 3]", "1 2 3 4", 6 / 7)),
    *(
        ("snake_case_name 1", "snake case name 1", 1),
        ("-3.5", "3.5", 1),
        ("均值 3", "中位数 3", 1),
        ("苹果", "苹果", 0),
    ),
    ("x", "", 0),
)


def test_the_published_likeness_of_texts_is_rouge_1() -> None:
    for expected, found, score in LIKENESS:
        assert rouge_1(expected, found, sound=False) == pytest.approx(score, abs=1e-9), (expected, found)


def test_the_sound_likeness_counts_characters_of_chinese() -> None:
    for expected, found, score in (("苹果", "苹果", 1), ("均值 3", "中位数 3", 2 / 7), ("苹果", "香蕉", 0)):
        assert rouge_1(expected, found, sound=True) == pytest.approx(score, abs=1e-9), expected


WORDS = st.lists(st.sampled_from(["a", "b1", "c", "dd", "7"]), max_size=12)


@given(WORDS, WORDS)
def test_likeness_is_the_harmonic_mean_of_clipped_counts(expected: list[str], found: list[str]) -> None:
    overlap = (Counter(expected) & Counter(found)).total()
    score = 2 * overlap / (len(expected) + len(found)) if overlap else 0.0
    for sound in (False, True):
        assert rouge_1(" ".join(expected), " ".join(found), sound=sound) == pytest.approx(score, abs=1e-9)


ANSWERS = (
    *(("The answer is 42.", 42, 42), ("$1,234", 1, 1234), ("is 3.50", 3, 3.5), ("is 0.50", 0, 0.5)),
    *(("is .5", 0.5, 0.5), ("$18.00", 18, 18), ("is -7", -7, -7), ("9, not 8.", 8, 8), ("is 70 - 20 = 50", 50, 50)),
    *(("\\boxed{5}", 5, 5), ("50%", None, 50), ("x=5", None, 5), ("**5**", None, 5), ("5", None, 5)),
    *(("is 8\nthen done", None, 8), ("is 5 .", 5, 5), ("is 5 , well", None, 5), ("none", None, None)),
    *(("Final Answer: 7\nThat took 3 steps", 3, 7), ("it costs -$5.00", 5, -5), ("1,234.50 km", None, 1234.5)),
)


def test_the_answer_of_a_word_problem() -> None:
    for text, published, sound in ANSWERS:
        assert (answer_as_published(text), answer_soundly(text)) == (published, sound), text


def test_a_closing_answer_is_compared_by_value() -> None:
    assert final_answer("so #### 18", "The total is $18.00", sound=True) == 1
    assert final_answer("so #### 18", "The total is $18.00", sound=False) == 1
    assert final_answer("so #### 18", "18 apples, or 19", sound=True) == 0
    assert final_answer("no number", "18", sound=True) is None
    assert final_answer("5", "5", sound=False) is None  # the published extraction sees none at the start of a text
    assert final_answer("is 3", "nothing", sound=False) == 0
    assert final_answer("#### 1,234", "it is 1234", sound=True) == 1


def test_an_answer_of_very_many_digits_is_no_error() -> None:
    assert answer_as_published("is " + "9" * 5000) == math.inf
    assert final_answer("is 3", "is " + "9" * 5000, sound=True) == 0


CLOSING = (
    *(("#### 1/2", "The answer is 2", 0), ("#### 1/2", "Final Answer: 0.5", 1), ("#### 2", "#### 3/2", 0)),
    *(("#### 1.5", "#### 1 1/2 pounds", 1), ("#### -0.5", "#### -1 / 2", 1), ("#### 6", "so it is 18/3", 1)),
    *(("#### 0", "#### 1/0", 1), ("#### 12", "Final Answer: 3 or 12", 0)),
    *(("#### 12", "Final Answer: 3, 7, or 12", 0), ("#### 12", "It is 3 or 12", 0), ("#### 4", "#### 1, 2, 3, 4", 0)),
    *(("#### 4", "#### $4 or 4.00", 1), ("#### 12", "Final Answer: 12, for 3 or 4 people", 0)),
    *(("#### 5", "on day 3, 5 apples", 1), ("#### 1, 2, 3, 4", "#### 1, 2, 3, 4", 1)),
    *(("#### 1,234,567", "#### 1,234,567", 1), ("#### 4", "Final Answer: 3, 4", 1)),  # a place and an amount
)


def test_a_closing_answer_is_one_number_fractions_too() -> None:
    for expected, found, score in CLOSING:
        assert final_answer(expected, found, sound=True) == score, (expected, found)
