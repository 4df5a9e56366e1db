"""Formatting a cell's code: by ruff's own rules, or told why not."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from authoring.revising.code_format import formatted
from evaluator.errors import ContentError, ToolkitError


def test_code_is_formatted_and_ends_as_it_did() -> None:
    assert formatted("x=[1,2]\ny = x [0]\ny") == "x = [1, 2]\ny = x[0]\ny"
    assert formatted("x=1\n") == "x = 1\n"
    assert formatted("") == ""
    assert formatted("--help") == "--help"  # a text, not an argument


def test_a_semicolon_that_keeps_the_last_value_from_being_shown_stays() -> None:
    assert formatted("df.plot( );") == "df.plot();"
    assert formatted("x=1;y=2\n( x,\n y );\n\n") == "x = 1\ny = 2\n(x, y);\n"
    assert formatted("x=[1,2]\r\nx;\r\n") == "x = [1, 2]\r\nx;\r\n"
    assert formatted("a;b\n# so;") == "a\nb\n# so;"
    assert formatted("a\nf( 'é' ); # why;\n# so\n") == 'a\nf("é");  # why;\n# so\n'
    assert formatted("x='a\u2028\x85b'\nf( x );") == 'x = "a\u2028\x85b"\nf(x);'
    assert formatted(made := "# fmt: off\ndf.plot();\n") == made


def test_no_configuration_of_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ruff.toml").write_text('[format]\nquote-style = "single"\n')
    monkeypatch.chdir(tmp_path)
    assert formatted("x='a'") == 'x = "a"'


def test_code_that_does_not_parse_is_told_with_line_and_column() -> None:
    with pytest.raises(ContentError, match="invalid syntax, column 5") as refused:
        formatted("x = 1\ny = = 2", where="Problem 3")
    assert refused.value.where == "Problem 3, line 2"


def test_lines_of_ipython_are_not_formatted() -> None:
    with pytest.raises(ContentError, match="lines of IPython"):
        formatted("%time x=1")


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: Any, **options: Any) -> None:
        assert options["timeout"] == 5
        raise subprocess.TimeoutExpired("ruff", 5)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(ToolkitError, match="longer than 5 s"):
        formatted("x = 1")
