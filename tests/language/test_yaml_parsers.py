"""The two YAML parsers say the same of every text: values, lines, faults."""

import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
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
SETTINGS = (
    "query: |\n  How many?\nvalidator: {namespace_check: {a: [1, 'b']}}\ntags:\n  - x\n  - 2.0\nprobes:\n  n: len(a)\n"
)


def by_pyyaml_alone(text: str) -> YamlDocument:
    with patch.object(yaml, "__with_libyaml__", False):
        return build_document(text)


def same(text: str) -> bool:
    return repr(build_document(text)) == repr(by_pyyaml_alone(text))  # as text: 1 is not True, nan is itself


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_texts_of_signs_are_read_alike(text: str) -> None:
    assert same(text)


@given(st.integers(0, len(SETTINGS)), st.integers(0, 3), st.sampled_from(PARTS))
def test_settings_with_a_change_are_read_alike(place: int, dropped: int, put: str) -> None:
    assert same(SETTINGS[:place] + put + SETTINGS[place + dropped :])


@pytest.mark.parametrize(
    "text",
    [
        "?",
        "[a?b]",
        "{a?1}",
        "|#",
        ">-# a",
        "a: {b: \n }",
        "[a: # c\n , b]",
        "<<:",
        "'<<': 1",
        "{a: !x b?}",
        "[!!str,a]",
        "{a: !!int,b: 1}",
    ],
)
def test_what_they_read_differently_is_read_by_pyyaml(text: str) -> None:
    assert same(text)


def test_the_texts_of_our_files_are_read_alike() -> None:
    texts = {
        text
        for folder in ("problemsets", "seeds", "tests/golden")
        for path in (ROOT / folder).rglob("*.py")
        for text in re.findall(r'"""(.*?)"""', path.read_text("utf-8", "replace"), re.DOTALL)
    }
    texts |= {path.read_text("utf-8") for path in (ROOT / "problemsets").rglob("*.yaml")}
    assert len(texts) >= LEAST_TEXTS
    assert [text for text in texts if not same(text)] == []


def test_libyaml_is_asked_where_it_is_there() -> None:
    with patch.object(yaml, "SafeLoader", None):
        assert not yaml.__with_libyaml__ or build_document("a: 1").value == {"a": 1}


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


@pytest.mark.parametrize("escape", ["\\U00110000", "\\UFFFFFFFF"])
def test_an_escape_that_is_no_character_is_a_fault_with_its_line(escape: str) -> None:
    (fault,) = build_document(f'a: 1\nb: "{escape}"').faults
    assert (fault.line, fault.what) == (2, f"{escape} is no character")
    assert build_document('a: "\\U0001F600"').value == {"a": "\U0001f600"}


@pytest.mark.parametrize("text", ["a: !!int ''", "a: !!float ''"])
def test_nothing_is_no_number(text: str) -> None:
    assert [fault.code for fault in build_document(text).faults] == ["yaml-bad-value"]
