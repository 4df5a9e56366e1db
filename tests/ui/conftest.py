"""A workspace with something in it, and the app on top of it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from authoring.store import problemsets
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.ui.acts import ROOT, Desk, Open, configure_model, judge, shown_page, stream

TEXT = '''# %%
import pandas as pd

sales = pd.DataFrame({"shop": ["a", "b", "a"], "units": [1, 2, 3]})

# %%
"""
query: How many units were sold in each shop?
"""
sales.groupby("shop")["units"].sum()

# %%
"""
query: Which shop sold most?
"""
sales.groupby("shop")["units"].sum().idxmax()
'''


def wait_for(runner: LocalScriptRunner, timeout: float) -> None:
    """Sleep until a page is drawn, where Streamlit looks every millisecond."""
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    assert not runner._script_thread.is_alive(), "the page is not drawn in time"


@pytest.fixture(scope="session", autouse=True)
def cheap_runs() -> Iterator[None]:
    """Let no page look through all installed packages, nor do what shows nothing: it takes longer than the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)  # no package here brings a component
        patch.setattr(local_script_runner, "require_widgets_deltas", wait_for)
        yield


@pytest.fixture(scope="session")
def served_workspace(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace in which the shipped seeds count as loaded and people write in plain editors."""
    root = shutil.copytree(empty_workspace, tmp_path_factory.mktemp("served") / "workspace")
    ws = Workspace.open(root)
    set_setting(ws, "shipped_seeds", "loaded")
    set_setting(ws, "plain_editors", {"mei": True, "lee": True})  # code editors: test_code_editor.py
    return root


@pytest.fixture
def ws(served_workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A copy of that workspace, which the app serves; a tenth is saved where one connection stays open."""
    root = shutil.copytree(served_workspace, tmp_path / "workspace")
    monkeypatch.setenv("BENCHWRIGHT_WORKSPACE", str(root))
    monkeypatch.setenv("BENCHWRIGHT_USER", "mei")
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "none")  # pages must not start a process to ask for one
    for name in ("BENCHWRIGHT_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    opened = Workspace.open(root)
    with closing(opened.watch()) as watch:
        watch.version()
        yield opened


@pytest.fixture
def draft(ws: Workspace) -> Revision:
    """A problemset of two problems after one setup cell; the second problem fails its dry run."""
    revision = problemsets.create(ws, name="shop-sales", text=TEXT, author="template", origin=Origin.TEMPLATE)
    error = {"name": "KeyError", "message": "'units'", "traceback": "KeyError: 'units'"}
    reasons = {"reference": "KeyError: 'units'"}
    judge(
        ws,
        revision.id,
        DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=[stream("shop totals\n")]),
        DryRunProblem(2, "p2", 0.01, "CRASH", "NOT_JUDGED", error=error, reasons=reasons),
    )
    return revision


@pytest.fixture
def seed(ws: Workspace) -> int:
    """A profiled seed with one sketch."""
    file = SeedFile("sales.csv", ws.put_bytes(b"shop,units\na,1\n"), 15, "csv")
    column = {"name": "shop", "dtype": "str", "role": "category", "missing": 0, "distinct": 1, "samples": ["a"]}
    profile = {
        "tables": [{"file": "sales.csv", "reader": "read_csv", "rows": 1, "columns": [column]}],
        "traps": [{"code": "like-names", "file": "sales.csv", "column": "shop", "count": 1, "text": "beware"}],
    }
    seed_id = insert_seed(ws, name="sales", files=[file], profile=profile, facts=SeedFacts(licence="CC0-1.0"))
    items = [SketchItem(number, f"idea {number}", ("sum",), (1,) if number > 1 else ()) for number in (1, 2, 3)]
    insert_sketch(ws, seed_id=seed_id, author="template", rng_seed=0, items=items, provenance={})
    return seed_id


@pytest.fixture(autouse=True)
def environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for environments with nothing in it: those of this machine are not shown."""
    folder = tmp_path / "environments"
    monkeypatch.setenv("BENCHWRIGHT_ENVIRONMENTS", str(folder))
    return folder


@pytest.fixture
def open_page(ws: Workspace) -> Callable[..., AppTest]:
    """Open a page of the app with query parameters; it must not raise."""
    del ws

    def open_(page: str = "", **parameters: str | int) -> AppTest:
        return shown_page(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120), page, parameters)

    return open_


@pytest.fixture
def open_tab(open_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page with one of its tabs chosen."""
    import streamlit as st

    wanted: list[str] = []
    real = st.tabs

    def tabs(names: list[str], **options: object) -> object:
        found = next((name for name in names if name.partition(" (")[0] in wanted), None)
        return real(names, **{**options, "default": found})  # pyrefly: ignore[bad-argument-type]

    monkeypatch.setattr(st, "tabs", tabs)

    def open_(page: str, tab: str, **parameters: str | int) -> AppTest:
        wanted[:] = [tab]
        return open_page(page, **parameters)

    return open_


@pytest.fixture
def sign_in(ws: Workspace) -> Callable[..., AppTest]:
    """Open the app where people sign in, as somebody."""
    del ws

    def sign_in_(email: str = "", page: str = "", *, verified: bool = True, **parameters: str | int) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.secrets["auth"] = {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "x"}
        app.user = {"is_logged_in": bool(email), **({"email": email, "email_verified": verified} if email else {})}
        return shown_page(app, page, parameters)

    return sign_in_


@pytest.fixture
def desk(open_page: Open, ws: Workspace, draft: Revision) -> Desk:
    return Desk(ws, draft, open_page)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is configured; nobody asks it."""
    configure_model(monkeypatch)
