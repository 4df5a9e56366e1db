"""Rules of the app's code: who may import Streamlit, how long a page may be, what must never be written."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UI = ROOT / "authoring" / "ui"
PAGES = sorted((UI / "pages").glob("*.py"))
SOURCES = [ROOT / "app.py", *sorted(UI.rglob("*.py"))]
FORBIDDEN = ("unsafe_allow_html", "unsafe_allow_javascript", "st.iframe", "components.v1", "declare_component")


def calls_of(path: Path) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)}


def test_app_py_is_an_entry_and_nothing_more() -> None:
    assert len((ROOT / "app.py").read_text().splitlines()) <= 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_fits_on_a_screen_and_holds_no_logic_of_its_own(page: Path) -> None:
    text = page.read_text()
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 80
    assert not any(isinstance(node, ast.Try) for node in ast.walk(tree))
    assert ast.get_docstring(tree)
    assert "__main__" not in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_holds_no_sql(page: Path) -> None:
    assert not re.search(r"\b(SELECT|INSERT|UPDATE|DELETE|FROM|PRAGMA)\b", page.read_text())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_unsafe_is_drawn(path: Path) -> None:
    text = path.read_text()
    assert [word for word in FORBIDDEN if word in text] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_only_state_py_touches_the_state_of_a_tab(path: Path) -> None:
    if path.name != "state.py":
        text = path.read_text()
        assert "session_state" not in text
        assert "st.query_params" not in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_server_starts_no_threads_and_executes_no_problem_code(path: Path) -> None:
    imported = {
        name.name.partition(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import)
        for name in node.names
    }
    assert not imported & {"threading", "multiprocessing", "concurrent"}
    assert not calls_of(path) & {"exec", "eval", "compile"}


def test_a_module_that_says_so_gets_along_without_streamlit() -> None:
    told = {path: ast.get_docstring(ast.parse(path.read_text())) or "" for path in SOURCES}
    named = [path for path, text in told.items() if "no streamlit" in text.lower()]
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in named]
    assert len(modules) >= 12
    program = f"""import importlib, sys
for name in {modules}:
    importlib.import_module(name)
    if "streamlit" in sys.modules:
        sys.exit(f"{{name}} imports it")"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_html_is_drawn_from_few_places_only() -> None:
    drawing = {path.name for path in SOURCES if "st.html" in calls_of(path)}
    assert drawing == {"frame.py", "outputs.py", "differences.py", "row_list.py", "set_comments.py"}


def test_the_configuration_keeps_the_browser_at_home() -> None:
    import tomllib

    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
    assert config["server"]["showEmailPrompt"] is False
    assert config["browser"]["gatherUsageStats"] is False
    assert "://" not in (ROOT / ".streamlit" / "config.toml").read_text()
    assert "http" not in (UI / "app.css").read_text()
