"""What the YAML parser refuses is said in plain words, with its line and its column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.language.yaml_text.events import build_document


@pytest.mark.parametrize(
    ("text", "line", "what", "fix"),
    [
        ("id: x\ntags: [a\nnotes: y", 2, "the bracket '[' in column 7 is not closed", "write ']'"),
        ("a: {b: 1", 1, "the bracket '{' in column 4 is not closed", "write '}'"),
        ("tags: [a, b # c]\nid: x", 1, "is not closed: what follows '#' is a comment", "in quotes"),
        ("tags: [a: b: c]", 1, "one ':' too many in column 12", "in quotes"),
        ("tags: [1}", 1, "',' or ']' is missing before column 9", "by commas"),
        ('tags: [a,\n  "b" "c"]', 2, "',' or ']' is missing before column 7", "by commas"),
        ('tags: [a,\n  "]" {c: [1]}\n  ]\nid: x', 2, "',' or ']' is missing before column 7", "by commas"),
        ("a: {b: 1,\n  c: d: e}", 2, "one ':' too many in column 7", "in quotes"),
        ("tags: [a,\nid: x\nmore: [b]", 1, "the bracket '[' in column 7 is not closed", "write ']'"),
        ("a: [1]]", 1, "the bracket ']' in column 7 closes nothing", "remove it"),
        ('id: x\nnotes: "open\ntags: [a]', 2, 'the quote " in column 8 is not closed', 'write "'),
        ("notes: 'it's'", 1, "the quote ' in column 11 ends the text, and more follows", "twice"),
        ('notes: "\\q"', 1, "cannot be read: found unknown escape", "backslash twice"),
        ("notes: first: second", 1, "a second ':' in column 13", "follows the first ':' in quotes"),
        ("a: 1\n  b: 2", 2, "indented further than the one above", "as far as the line above"),
        ("a:\n  b: 1\n c: 2", 3, "the indentation is that of no line above", "the same number of spaces"),
        ("- a\nb: 1", 2, "a key stands where the list above goes on", "indent the list"),
        ("a:\n\tb: 1", 2, "a tab stands in column 1", "indent with spaces"),
        ("notes: @x", 1, "text cannot begin with '@', as in column 8", "in quotes"),
        ("a: 1\nkey", 2, "the line has no ':'", "'key: value'"),
        ("key:1\nb: 1", 2, "the line above has no ':'", "'key: value'"),
        ("a: - b", 1, "a list begins behind a key, in column 4", "on the next line"),
        ("a: |x\n b", 1, "column 5", "correct the YAML"),
    ],
)
def test_what_yaml_refuses_is_told_in_plain_words(text: str, line: int, what: str, fix: str) -> None:
    (fault,) = build_document(text).faults
    assert (fault.code, fault.line) == ("yaml-syntax", line)
    assert what in fault.what
    assert fix in fault.fix


@given(st.text(alphabet="a1:-#[]{}'\"|>&*!%@`,? \t\n", max_size=60))
def test_any_text_is_read_or_refused_with_a_line_of_its_own(text: str) -> None:
    for fault in build_document(text).faults:
        assert 1 <= fault.line <= text.count("\n") + 1
        assert fault.what
        assert fault.fix
