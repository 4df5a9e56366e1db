"""The two YAML parsers say the same of every text: values, lines, faults, in plain words with line and column."""

import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import yaml
from hypothesis import given
from hypothesis import strategies as st

from evaluator.language.yaml_text.events import build_document
from evaluator.language.yaml_text.reader import YamlDocument

ROOT = Path(__file__).parents[2]
LEAST_TEXTS = 250
PARTS = (
    *("\n", "\n  ", "\n    ", "\n- ", "\n  - ", "\n\n", " ", ": ", ":", " #", "#", "- ", "-", "? ", "?", ", ", ","),
    *("[", "]", "{", "}", "'", '"', "|", "|-", "|+", "|2", ">", "> ", "&a ", "*a ", "!", "!!str ", "%", "@", "`", "~"),
    *("null", "true", "1", "1.5", "0x1", "a", "b: c", "<<", "=", "\\", "\\n", "\\x41", "\\/", "---\n", "...\n", "::"),
    *("a:b", "http://x", "\t", "\r", "\x85", "\u2028", "\ufeff", "\x00", "\xa0", "\xe9", "\u4e2d", "\U0001f600"),
)


def by_pyyaml_alone(text: str) -> YamlDocument:
    with patch.object(yaml, "__with_libyaml__", False):
        return build_document(text)


def same(text: str) -> bool:
    return repr(build_document(text)) == repr(by_pyyaml_alone(text))  # as text: 1 is not True, nan is itself


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_texts_of_signs_are_read_alike(text: str) -> None:
    assert same(text)


def test_what_they_read_differently_is_read_by_pyyaml() -> None:
    texts = ("?", "[a?b]", "{a?1}", "|#", ">-# a", "a: {b: \n }", "[a: # c\n , b]", "<<:", "'<<': 1", "{a: !x b?}")
    for text in (*texts, "[!!str,a]", "{a: !!int,b: 1}"):
        assert same(text), text


def test_the_texts_of_our_files_are_read_alike() -> None:
    texts = {
        text
        for folder in ("problemsets", "seeds", "tests/golden")
        for path in (ROOT / folder).rglob("*.py")
        for text in re.findall(r'"""(.*?)"""', path.read_text("utf-8", "replace"), re.DOTALL)
    }
    texts |= {path.read_text("utf-8") for path in (ROOT / "problemsets").rglob("*.yaml")}
    assert len(texts) >= LEAST_TEXTS
    assert [text for text in sorted(texts)[::3] if not same(text)] == []


def test_without_libyaml_texts_are_read_as_well() -> None:
    code = (
        "import sys\n"
        "sys.modules['yaml._yaml'] = sys.modules['yaml.cyaml'] = None\n"
        "from evaluator.language.yaml_text.events import build_document\n"
        "import yaml\n"
        "assert not yaml.__with_libyaml__\n"
        "assert build_document('a: [1]').value == {'a': [1]}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_an_escape_that_is_no_character_or_number_is_a_fault_with_its_line() -> None:
    for escape in ("\\U00110000", "\\UFFFFFFFF"):
        (fault,) = build_document(f'a: 1\nb: "{escape}"').faults
        assert (fault.line, fault.what) == (2, f"{escape} is no character")
    assert build_document('a: "\\U0001F600"').value == {"a": "\U0001f600"}
    for text in ("a: !!int ''", "a: !!float ''"):
        assert [fault.code for fault in build_document(text).faults] == ["yaml-bad-value"]


REFUSED = (
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
)


def test_what_yaml_refuses_is_told_in_plain_words() -> None:
    for text, line, what, fix in REFUSED:
        (fault,) = build_document(text).faults
        assert (fault.code, fault.line) == ("yaml-syntax", line), text
        assert what in fault.what
        assert fix in fault.fix


@given(st.text(alphabet="a1:-#[]{}'\"|>&*!%@`,? \t\n", max_size=60))
def test_any_text_is_read_or_refused_with_a_line_of_its_own(text: str) -> None:
    for fault in build_document(text).faults:
        assert 1 <= fault.line <= text.count("\n") + 1
        assert fault.what
        assert fault.fix
