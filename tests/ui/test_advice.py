"""Messages in the app name pages and buttons where they name commands elsewhere."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.workspace import Workspace
from authoring.ui.advice import ELSEWHERE, WAYS, in_app
from authoring.ui.shell.navigation import PAGES

ROOT = Path(__file__).parents[2]
LEAST_NAMED = 25  # commands in messages


def named_commands() -> Iterator[tuple[str, str]]:
    """Yield file and command for each command that a string of the program names, the terminal's own part left out."""
    for folder in ("authoring", "evaluator"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "cli" in path.relative_to(ROOT).parts or path.name == "advice.py":
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    for found in re.finditer(r"\bbenchwright ([a-z]+(?:-[a-z]+)*)\b(?! is| has)", node.value):
                        yield path.name, found[1]


def test_each_command_that_a_message_names_has_a_way_in_the_app_or_a_reason_for_none() -> None:
    named = [(path, command) for path, command in named_commands() if not is_documentation(path, command)]
    assert len(named) >= LEAST_NAMED
    assert {command for _, command in named} <= set(WAYS) | ELSEWHERE
    assert {way.page for way in WAYS.values()} <= {page.name for page in PAGES}
    assert not set(WAYS) & ELSEWHERE


def is_documentation(path: str, command: str) -> bool:
    """Tell docstrings that only speak of a command from what people read on a page."""
    text = next(found.read_text() for found in ROOT.rglob(path) if ".venv" not in found.parts)
    strings = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    documented = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return all(each in documented for each in strings if f"benchwright {command}" in each)


@pytest.mark.parametrize(
    ("said", "told", "page"),
    [
        ("see benchwright roundtable resolve", "see the item on the page Roundtable, Settle it", "roundtable"),
        ("run it first: benchwright dry-run a-1@2", "run it first: Dry run on the problemset's page", "queue"),
        ("see 'benchwright suggestion list'", "see Suggestions on the problemset's page", "queue"),
        (
            "run in one that has it: benchwright env create NAME -r requirements.txt, then --environment NAME",
            "run in one that has it: Environments under Settings",
            "settings",
        ),
        (
            "rename these columns: `benchwright seed show` lists them",
            "rename these columns: the page Seeds & ideas lists them",
            "seeds",
        ),
        (
            "name the folder that `benchwright run --out` wrote",
            "name the folder that `benchwright run --out` wrote",
            "",
        ),
        (
            "make it: benchwright env create coml --for-agent coml",
            "make it: Environments under Settings",
            "settings",
        ),
        ("leave it out", "leave it out", ""),
    ],
)
def test_a_command_becomes_the_words_of_the_app(said: str, told: str, page: str) -> None:
    words, way = in_app(said)
    assert words == told
    assert (way.page if way else "") == page


def test_a_message_that_names_a_command_draws_the_way_there(
    workspace: Workspace, open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    from authoring.ui import state

    real = state.take_flashes
    told = [state.Notice("error", "there is no item 9", fix="list them: benchwright roundtable list")]
    monkeypatch.setattr(state, "take_flashes", lambda: [*real(), *told])
    app = open_page()
    assert r"To fix it: list them\: the page Roundtable" in app.error[0].value
    assert "Go to Roundtable" in [link.proto.label for link in app.get("page_link")]
