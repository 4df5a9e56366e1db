"""Rules of the app's code and configuration: what is drawn from where, and who may call what."""

import ast
import importlib
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from authoring.ui.boundary import writes
from authoring.ui.wording import verdict_chip
from evaluator.reporting.verdict_marks import VERDICTS, mark_of
from evaluator.scoring import Verdict

ROOT = Path(__file__).parents[2]
UI = ROOT / "authoring" / "ui"
PAGES = sorted((UI / "pages").glob("*.py"))
SOURCES = [ROOT / "app.py", *sorted(UI.rglob("*.py"))]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def calls_of(path: Path) -> set[str]:
    return {ast.unparse(node.func) for node in nodes_of(path) if isinstance(node, ast.Call)}


def test_nothing_unsafe_is_drawn_or_executed_and_no_thread_started() -> None:
    assert len(SOURCES) >= 100
    forbidden = ("unsafe_allow_html", "unsafe_allow_javascript", "st.iframe", "components.v1", "declare_component")
    for path in SOURCES:
        text = path.read_text()
        assert [word for word in forbidden if word in text] == [], path
        if path.name != "state.py":
            assert "session_state" not in text, path
            assert "st.query_params" not in text, path
    drawing = {path.name for path in SOURCES if "st.html" in calls_of(path)}
    assert drawing == {"frame.py", "outputs.py", "differences.py", "row_list.py", "set_comments.py"}
    for path in SOURCES:
        imports = [node for node in nodes_of(path) if isinstance(node, ast.Import)]
        imported = {name.name.partition(".")[0] for node in imports for name in node.names}
        assert not imported & {"threading", "multiprocessing", "concurrent"}, path
        assert not calls_of(path) & {"exec", "eval", "compile"}, path


def test_the_configuration_keeps_the_browser_at_home() -> None:
    text = (ROOT / ".streamlit" / "config.toml").read_text()
    config = tomllib.loads(text)
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert config["server"]["showEmailPrompt"] is False
    assert config["browser"]["gatherUsageStats"] is False
    assert "://" not in text
    assert "http" not in (UI / "app.css").read_text()


HARMLESS = {("state", "copy_to_param"), ("st", "login"), ("st", "logout")}  # they change nothing but the tab


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def callbacks_of(path: Path) -> Iterator[str]:
    """Yield what a file passes as `on_click` and the like, without names that are parameters."""
    nodes = nodes_of(path)
    parameters = {argument.arg for node in nodes if isinstance(node, ast.arguments) for argument in node.args}
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg in ("on_click", "on_change", "on_submit", "on_select"):
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            if not isinstance(value, ast.Constant) and (name := ast.unparse(value)) not in parameters:
                yield name


def resolve(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def home_of(path: Path, name: str) -> ModuleType:
    """Return the module in which a callback is looked up: a page is a script, whose imports are looked up instead."""
    if path not in PAGES:
        return importlib.import_module(module_of(path))
    imports = [node for node in nodes_of(path) if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname or alias.name: node.module for node in imports for alias in node.names}
    return importlib.import_module(str(imported[name.partition(".")[0]]))


def test_every_callback_says_who_may_call_it() -> None:
    looked_at = 0
    for path in SOURCES:
        for name in callbacks_of(path):
            if path.stem not in ("server", "__init__") and tuple(name.split(".")[-2:]) not in HARMLESS:
                assert getattr(resolve(home_of(path, name), name), "roles", ()), f"wrap {name} of {path} in @writes"
                looked_at += 1
    assert looked_at >= 100
    with pytest.raises(AssertionError, match="say who may"):
        writes()


def test_every_verdict_has_an_icon_a_sign_and_a_colour_of_its_own() -> None:
    assert set(VERDICTS) == set(Verdict)
    marks = [mark_of(verdict) for verdict in VERDICTS]
    assert len({mark.sign for mark in marks}) == len({mark.colour for mark in marks}) == len(VERDICTS)
    chips = [verdict_chip(verdict) for verdict in (*VERDICTS, "none")]
    assert len({chip.icon for chip in chips}) == len(chips)
    assert mark_of("MADE_UP") == mark_of("UNKNOWN")
