"""Messages in the app name pages and buttons where they name commands elsewhere."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from authoring.ui import state
from authoring.ui.advice import ELSEWHERE, WAYS, in_app
from authoring.ui.shell.navigation import PAGES

ROOT = Path(__file__).parents[2]
LEAST_NAMED = 25  # commands in messages
DOCUMENTED = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Told(NamedTuple):
    """What a module says in strings, and which of them document it."""

    name: str
    strings: list[str]
    documented: set[str | None]


def modules() -> Iterator[Told]:
    """Yield what each module of the program says, the terminal's own part left out."""
    for folder in ("authoring", "evaluator"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text()
            if "cli" in path.relative_to(ROOT).parts or path.name == "advice.py" or "benchwright " not in text:
                continue
            nodes = list(ast.walk(ast.parse(text)))
            yield Told(
                path.name,
                [each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)],
                {ast.get_docstring(each, clean=False) for each in nodes if isinstance(each, DOCUMENTED)},
            )


def named_commands() -> Iterator[tuple[str, str]]:
    """Yield file and command for each command that a string of the program names for people to read on a page."""
    for told in modules():
        for text in told.strings:
            for found in re.finditer(r"\bbenchwright ([a-z]+(?:-[a-z]+)*)\b(?! is| has)", text):
                if not is_documentation(told, found[1]):
                    yield told.name, found[1]


def test_each_command_that_a_message_names_has_a_way_in_the_app_or_none() -> None:
    named = list(named_commands())
    assert len(named) >= LEAST_NAMED
    assert {command for _, command in named} <= set(WAYS) | ELSEWHERE
    assert {way.page for way in WAYS.values()} <= {page.name for page in PAGES}
    assert not set(WAYS) & ELSEWHERE


def is_documentation(told: Told, command: str) -> bool:
    """Tell docstrings, and comments of files that are written, from what people read on a page."""
    return all(
        each in told.documented or each.startswith("# ") for each in told.strings if f"benchwright {command}" in each
    )


def test_a_command_becomes_the_words_of_the_app() -> None:
    create = "benchwright env create NAME -r requirements.txt, then --environment NAME"
    cases = [
        ("see benchwright roundtable resolve", "see the item on the page Roundtable, Settle it", "roundtable"),
        ("run it first: benchwright dry-run a-1@2", "run it first: Dry run on the problemset's page", "queue"),
        ("see 'benchwright suggestion list'", "see Suggestions on the problemset's page", "queue"),
        (f"run in one that has it: {create}", "run in one that has it: Environments under Settings", "settings"),
        ("rename: `benchwright seed show` lists them", "rename: the page Seeds & ideas lists them", "seeds"),
        ("the folder that `benchwright run --out` wrote", "the folder that `benchwright run --out` wrote", ""),
        ("make it: benchwright env create coml --for-agent coml", "make it: Environments under Settings", "settings"),
        ("leave it out", "leave it out", ""),
    ]
    for said, told, page in cases:
        words, way = in_app(said)
        assert (words, way.page if way else "") == (told, page)


def test_a_message_that_names_a_command_draws_the_way_there(
    open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = state.take_flashes
    told = [state.Notice("error", "there is no item 9", fix="list them: benchwright roundtable list")]
    monkeypatch.setattr(state, "take_flashes", lambda: [*real(), *told])
    app = open_page()
    assert r"To fix it: list them\: the page Roundtable" in app.error[0].value
    assert "Go to Roundtable" in [link.proto.label for link in app.get("page_link")]
