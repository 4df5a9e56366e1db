"""Bad addresses, damaged data and a workspace in trouble: each is told in place with its remedy, the rest works."""

import base64
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, dry_runs, problemsets, releases, revisions, runs
from authoring.store.database import connections
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.leases import lease_problemset
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui import workplace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
OURS = "the fault is ours"
NONSENSE = ("no-such-thing", "987654321", "9" * 40, "-1", "1.5", "x" * 3000, "' OR 1=1 --", "\u202e<b>x</b>")
PARAMETERS = {
    "queue": ("q_page", "q_status", "q_owner", "q_family", "q_text"),
    "problemset": ("set", "rev"),
    "editor": ("set", "pid", "rev"),
    "compare": ("set", "pid", "a", "b"),
    "seeds": ("seed", "sketch"),
    "guide": ("v",),
    "bootstrap": ("plan",),
    "roundtable": ("set",),
    "runs": ("run", "attempt", "job", "a", "b", "view", "r_tab", "r_verdict", "r_set", "r_text", "r_release"),
    "experiments": ("experiment",),
    "releases": ("release",),
}


def png(width: int, height: int) -> str:
    """Return a picture that has only a header."""
    size = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + size).decode()


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {name.replace("_", "/", 1): value for name, value in data.items()}}


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


DEEP: Any = "end"
for _ in range(400):
    DEEP = {"layer": [DEEP]}
MONSTERS: dict[str, dict[str, Any]] = {
    "20 MB of text": stream("x" * 20_000_000),
    "two million lines": stream("a\n" * 2_000_000),
    "a picture of 100 megapixels": shown(image_png=png(10_000, 10_000)),
    "a picture that is none": shown(image_png="this is no base64 !!"),
    "a picture of wrong type": shown(image_png=["a", 3]),
    "enormous HTML": shown(text_html="<table>" + "<tr><td>1</td></tr>" * 400_000 + "</table>"),
    "HTML that nests deeply": shown(text_html="<div>" * 50_000),
    "deep JSON": shown(**{"application_vnd.vegalite.v5+json": DEEP}),
    "JSON that is a number": shown(**{"application_vnd.vegalite.v5+json": 7}),
    "an output without a type": {"data": None},
    "data that is a list": {"output_type": "display_data", "data": [1, 2]},
}


def test_a_stale_or_mistyped_link_is_a_sentence_with_a_way_on(open_page: Open, draft: Revision, said: Said) -> None:
    """Every parameter of every page; the other parameters lead to what exists."""
    app = open_page()
    for page, names in PARAMETERS.items():
        for name in names:
            for value in NONSENSE:
                app.query_params.clear()
                if name in ("pid", "rev", "a", "b") and page != "runs":
                    app.query_params["set"] = str(draft.problemset_id)
                app.query_params[name] = value
                if page == "runs" and name in ("a", "b"):
                    app.query_params["b" if name == "a" else "a"] = "1"
                app.switch_page(f"authoring/ui/pages/{page}.py").run()
                where = f"{page}, {name}={value[:20]}"
                assert not app.exception, where
                assert OURS not in said(app), f"{where}: {[error.value for error in app.error]}"
                assert len(app.error) <= 1, where
                assert len(said(app)) < 20_000, where


def test_an_address_with_the_name_of_a_set_is_as_good_as_one_with_its_number(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_name, pid="p1")
    lease_problemset(workspace, draft.problemset_id, holder="mei", lease_s=60)
    app.text_area[1].set_value("sales.units.max()").run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    row = problemsets.find(workspace, draft.problemset_id)
    assert (row.head_number, [each.value for each in app.error]) == (2, [])
    assert row.held_until is not None
    assert row.held_until > connections.timestamp(shift_s=120), "the claim was extended"


def test_a_head_that_no_longer_parses_is_told_wherever_it_is_shown(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    broken = revisions.save(
        workspace, draft.problemset_id, '# %%\n"""\nquery: [\n"""\n(((\n', base_revision_id=draft.id, author="lee"
    )
    places: dict[str, dict[str, str | int]] = {
        "problemset": {"set": draft.problemset_id},
        "editor": {"set": draft.problemset_id, "pid": "p1"},
        "compare": {"set": draft.problemset_id, "a": draft.id, "b": broken.id},
        "releases": {},
        "roundtable": {"set": draft.problemset_id},
        "queue": {},
    }
    for page, parameters in places.items():
        app = open_page(page, **parameters)
        assert OURS not in said(app), page
        assert said(app).strip(), page
    assert "Repair" in said(open_page("editor", set=draft.problemset_id))


@pytest.mark.parametrize("kind", MONSTERS)
def test_an_output_out_of_all_bounds_is_capped_in_its_place(
    kind: str, open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    fine = stream("and this is still shown\n")
    problem = DryRunProblem(1, "p1", 0.1, "CORRECT", "WRONG_OUTPUT", outputs=[MONSTERS[kind], fine])
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="s", problems=[problem], summary={})
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert OURS not in said(app)
    assert app.header[0].value == "Problem 1 of 2"
    drawn = [str(element.proto.body) for element in app.get("html")]
    assert any("and this is still shown" in body for body in drawn)
    assert sum(map(len, drawn)) < 3_000_000


@pytest.mark.parametrize(
    "damage", ["no such folder", "records that are no JSON", "details that are no JSON", "a folder in place of a file"]
)
def test_a_run_whose_folder_is_damaged_still_shows_what_the_workspace_knows(
    damage: str, open_page: Open, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    folder = tmp_path / "run"
    if damage != "no such folder":
        folder.mkdir()
        names = ("records.jsonl", "manifest.json") if damage.startswith("records") else ("details.jsonl",)
        for name in names:
            if damage.startswith("a folder"):
                (folder / name).mkdir()
            else:
                (folder / name).write_bytes(b'{"half": \xff\n\x00')
    run = runs.insert(workspace, release="shop 1.0", agent="oracle", out_dir=str(folder), summary={"refused": "odd"})
    record = {"problemset": "s", "index": 1, "question": "why?", "code": "1", "verdict": "CRASH", "marks": 3}
    index_attempts(workspace, run, [record])
    for parameters in ({"run": run}, {"run": run, "r_tab": "Charts"}, {"run": run, "attempt": 1}):
        app = open_page("runs", **parameters)
        assert OURS not in said(app), parameters
    assert "CRASH" in said(open_page("runs", run=run, attempt=1))


def test_a_release_whose_files_are_damaged_says_so(
    open_page: Open, draft: Revision, workspace: Workspace, tmp_path: Path, said: Said
) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    for name in ("_manifest.yaml", "README.md", "checksums.txt", "shop-sales.py"):
        (folder / name).write_bytes(b"\xff\x00[{")
    items = [(draft.id, "shop-sales")]
    release = releases.insert(workspace, name="shop", version="1.0", digest="d", path=str(folder), items=items)
    for parameters in ({}, {"release": release}):
        app = open_page("releases", **parameters)
        assert OURS not in said(app), parameters


def test_unsaved_texts_that_fit_nothing_any_more_do_no_harm(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    rows = [
        ("mei", draft.problemset_id, "gone", "code", "of a problem that is gone"),
        ("mei", draft.problemset_id, "p1", "no-such-field", "of a field that never was"),
        ("mei", draft.problemset_id, "p1", "code", "\x00 \u202e not \ud7ff code ((("),
        ("mei", draft.problemset_id, "p2", "settings", "validator: {" * 200),
    ]
    with workspace.write() as db:
        for number, row in enumerate(rows, start=900):
            values = [*row, draft.id, number, "a tab that is gone", "not a time"]
            db.execute("INSERT INTO autosave VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    for page in ("editor", "problemset", "queue", "compare"):
        app = open_page(page, set=draft.problemset_id, pid="p1")
        assert OURS not in said(app), page
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    assert OURS not in said(app)
    assert len(autosaves.select(workspace, "mei", draft.problemset_id)) == len(rows)  # nothing is thrown away


@pytest.fixture
def locked(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another program holds the workspace's write lock."""
    monkeypatch.setattr(workplace, "PATIENCE_S", 0.2)
    holding = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        " print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holding, str(workspace.database_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        yield
        holder.communicate()


def test_a_workspace_locked_by_another_program_can_be_read_and_says_why_it_is_not_written(
    open_page: Open, draft: Revision, locked: None, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert app.header[0].value == "Problem 1 of 2"
    app.text_area[1].set_value("typed()").run()
    (error,) = app.error
    assert "stayed locked by another process" in error.value
    assert "To fix it" in error.value
    assert app.text_area[1].value == "typed()"  # still on the screen
    assert OURS not in said(app)


def test_a_workspace_that_goes_away_under_the_app_is_named_and_not_made_anew(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    aside = workspace.root.with_name("moved-aside")
    workspace.root.rename(aside)
    app.run()
    assert "there is no workspace in" in app.error[0].value
    assert not workspace.root.exists()
    workspace.root.mkdir()  # an empty folder in its place is no workspace either
    app.run()
    assert "there is no workspace in" in app.error[0].value
    shutil.rmtree(workspace.root)
    aside.rename(workspace.root)
    app.run()
    assert not app.error
    assert app.header[0].value == "Problem 1 of 2"


def test_a_newer_program_that_changes_the_workspace_under_the_app_is_told(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    with workspace.write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    app.run()
    (error,) = app.error
    assert "99" in error.value
    assert "To fix it" in error.value


def test_a_full_disk_is_told_and_the_text_stays_on_the_screen(
    open_page: Open, draft: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    connect = connections.connect

    def full(*arguments: Any, **options: Any) -> Any:
        db = connect(*arguments, **options)
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count={pages}")
        return db

    monkeypatch.setattr(connections, "connect", full)
    text = "x = 1\n" * 40_000
    app.text_area[1].set_value(text).run()
    assert "the disk is full" in app.error[0].value
    assert "To fix it" in app.error[0].value
    assert app.text_area[1].value == text
    monkeypatch.setattr(connections, "connect", connect)
    app.text_area[1].set_value(text + "y = 2").run()
    assert [saved.text for saved in autosaves.select(workspace, "mei", draft.problemset_id)] == [text + "y = 2"]


@pytest.mark.parametrize("saved_elsewhere", [False, True])
def test_a_disk_on_which_nothing_can_be_read_either_costs_no_text(
    open_page: Open, draft: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, saved_elsewhere: bool
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    other = open_page("editor", set=draft.problemset_id, pid="p1")
    connect = connections.connect

    def full(*_: Any, **__: Any) -> Any:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(connections, "connect", full)
    app.text_area[1].set_value("typed").run()
    assert "the disk is full" in app.error[0].value
    assert not app.text_area, "the page has no field any more"
    monkeypatch.setattr(connections, "connect", connect)
    if saved_elsewhere:
        other.text_area[1].set_value("other").run()
    app.run()
    assert app.text_area[1].value == "typed"
    app.button(key=f"save:{draft.problemset_id}").click().run()
    if saved_elsewhere:
        assert "Another tab of yours has saved a different text" in "".join(each.value for each in app.warning)
        assert problemsets.find(workspace, draft.problemset_id).head_number == 1
    else:
        assert "\ntyped\n" in revisions.find(workspace, draft.problemset_name).text


def test_a_seed_that_is_gone_leaves_its_sketches_and_problemsets_readable(
    open_page: Open, seed: int, workspace: Workspace, said: Said
) -> None:
    revision = problemsets.create(
        workspace, name="orphan", text="# %%\n1\n", author="a", origin=Origin.PERSON, seed_id=seed
    )
    raw = sqlite3.connect(workspace.database_path)  # as a program that does not look at references would
    raw.execute("DELETE FROM seed WHERE id = ?", [seed])
    raw.commit()
    raw.close()
    for page, parameters in (
        ("seeds", {"sketch": 1}),
        ("seeds", {}),
        ("problemset", {"set": revision.problemset_id}),
        ("editor", {"set": revision.problemset_id}),
        ("queue", {}),
        ("releases", {}),
    ):
        app = open_page(page, **parameters)
        assert OURS not in said(app), page
        assert said(app).strip()
