"""JSON out of a sandbox: what it says can be written down."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.session.cell_report import MAX_JSON_DEPTH, NestedTooDeeplyError, read_hostile_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_honest_values_arrive_as_they_are(value: object) -> None:
    for ascii_only in (True, False):
        assert read_hostile_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize(
    "body", [b'{"a\\ud800": ["\\udfff\\ud83d", "\\ud83d\\ude00"]}', b'{"a\xed\xa0\x80": ["??", "\xf0\x9f\x98\x80"]}']
)
def test_halves_of_surrogate_pairs_become_question_marks(body: bytes) -> None:
    assert read_hostile_json(body) == {"a?": ["??", "😀"]}


def test_what_is_nested_too_deeply_is_refused_whatever_it_is_nested_in() -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        assert read_hostile_json(opening * MAX_JSON_DEPTH + b"1" + closing * MAX_JSON_DEPTH)
        for depth in (MAX_JSON_DEPTH + 1, 520, 990, 200_000):
            with pytest.raises(NestedTooDeeplyError):
                read_hostile_json(opening * depth + b"1" + closing * depth)


def test_numbers_that_are_no_json_become_none() -> None:
    value = read_hostile_json(b'[NaN, Infinity, {"a": -Infinity}, 1e999, -1e999, 1.5, 2]')
    assert value == [None, None, {"a": None}, None, None, 1.5, 2]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xff", b"nul"])
def test_anything_else_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of whatever kind
        read_hostile_json(body)
