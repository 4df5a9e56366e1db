"""Whatever an address, an output, a folder, a disk or a workspace brings: a sentence with a way on; no text is lost."""

import base64
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from authoring.store import autosaves, dry_runs, problemsets, releases, revisions, runs
from authoring.store.database import connections
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.leases import lease_problemset
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.workspace import Workspace
from tests.ui.acts import OURS, Open, errors, press, said

CODE = 1  # the text area of the editor
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
    "help": ("doc",),
}
LEADS_BACK = {  # page and parameter -> the page that it leads to where there is no such thing
    **{("problemset", "set"): "queue", ("editor", "set"): "queue", ("compare", "set"): "queue"},
    **{("roundtable", "set"): "roundtable", ("seeds", "seed"): "seeds", ("seeds", "sketch"): "seeds"},
    **{("bootstrap", "plan"): "bootstrap", ("guide", "v"): "guide"},
}


def look_at_nonsense(open_page: Open, draft: Revision, values: Iterator[tuple[str, ...]]) -> None:
    """Open each page with each of its parameters, with the next values; the others lead to what exists."""
    app = open_page()
    for page, names in PARAMETERS.items():
        for name in names:
            for value in next(values):
                app.query_params.clear()
                if name in ("pid", "rev", "a", "b") and page != "runs":
                    app.query_params["set"] = str(draft.problemset_id)
                app.query_params[name] = value
                if page == "runs" and name in ("a", "b"):
                    app.query_params["b" if name == "a" else "a"] = "1"
                app.switch_page(f"authoring/ui/pages/{page}.py").run()
                where = f"{page}, {name}={value[:20]}"
                assert not app.exception, where
                assert OURS not in said(app), f"{where}: {errors(app)}"
                assert len(app.error) <= 1, where
                assert len(said(app)) < 20_000, where
                if (page, name) in LEADS_BACK:
                    assert "no such" in said(app) or "there is no" in said(app) or "no problemset" in said(app), where
                    links = [link.proto for link in app.main.get("page_link") if not link.proto.query_string]
                    assert LEADS_BACK[page, name] in [link.page or "queue" for link in links], where


def test_a_stale_or_mistyped_link_is_a_sentence_with_a_way_on(open_page: Open, draft: Revision) -> None:
    look_at_nonsense(open_page, draft, ((value,) for value in cycle(NONSENSE)))


@pytest.mark.deep
def test_every_link_with_every_nonsense_is_a_sentence_with_a_way_on(open_page: Open, draft: Revision) -> None:
    look_at_nonsense(open_page, draft, cycle([NONSENSE]))


def test_a_place_that_the_sentence_names_is_not_named_again(open_page: Open, draft: Revision) -> None:
    app = open_page("problemset", set=99)
    assert app.error[0].value.startswith("**no problemset has the id 99**  \nTo fix it: ")


def test_the_name_of_a_set_is_as_good_as_its_number(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_name, pid="p1")
    lease_problemset(workspace, draft.problemset_id, holder="mei", lease_s=60)
    app.text_area[CODE].set_value("sales.units.max()").run()
    press(app, f"save:{draft.problemset_id}")
    row = problemsets.find(workspace, draft.problemset_id)
    assert (row.head_number, errors(app)) == (2, "")
    assert str(row.held_until) > connections.timestamp(shift_s=120), "the claim was extended"


# Outputs


def png(width: int, height: int, data: bytes = b"") -> str:
    """Return a picture of a header, and whatever follows it."""
    size = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + size + data).decode()


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {name.replace("_", "/", 1): value for name, value in data.items()}}


def stream(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def nested(depth: int) -> Any:
    return {"layer": [nested(depth - 1)]} if depth else "end"


def test_an_output_out_of_all_bounds_is_capped(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    monsters = [
        stream("x" * 20_000_000),
        {"data": None},
        shown(image_png=png(10_000, 10_000)),
        shown(image_png=["a", 3]),
        shown(image_png=png(9, 9, b"no picture at all")),
        shown(text_html="<table>" + "<tr><td>1</td></tr>" * 400_000 + "</table>"),
        shown(**{"application_vnd.vegalite.v5+json": nested(400)}),
        {"output_type": "display_data", "data": [1, 2]},
    ]
    outputs = [*monsters, stream("and this is still shown\n")]
    problem = DryRunProblem(1, "p1", 0.1, "CORRECT", "WRONG_OUTPUT", outputs=outputs)
    dry_runs.save(workspace, revision_id=draft.id, environment="e", sandbox="s", problems=[problem], summary={})
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert OURS not in said(app)
    assert app.header[0].value == "Problem 1 of 2"
    assert "This picture is damaged" in said(app)
    drawn = [str(element.proto.body) for element in app.get("html")]
    assert any("and this is still shown" in body for body in drawn)
    assert sum(map(len, drawn)) < 3_000_000


# Texts and folders that are damaged


def test_a_head_that_does_not_parse_is_told_everywhere(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    text = '# %%\n"""\nquery: [\n"""\n(((\n'
    broken = revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    ours = {"set": draft.problemset_id}
    places: dict[str, dict[str, str | int]] = {
        **{"problemset": {**ours}, "compare": {**ours, "a": draft.id, "b": broken.id}, "releases": {}},
        **{"roundtable": {**ours}, "queue": {}, "editor": {**ours, "pid": "p1"}},
    }
    for page, parameters in places.items():
        app = open_page(page, **parameters)
        assert OURS not in said(app), page
        assert said(app).strip(), page
    assert "Repair" in said(app)


def test_a_run_with_a_damaged_folder_shows_what_is_known(open_page: Open, workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = runs.insert(workspace, release="shop 1.0", agent="oracle", out_dir=str(folder), summary={"refused": "odd"})
    record = {"problemset": "s", "index": 1, "question": "why?", "code": "1", "verdict": "CRASH", "marks": 3}
    index_attempts(workspace, run, [record])
    names = ("records.jsonl", "manifest.json", "details.jsonl")
    for damage in ("no folder", "no JSON", "a folder in place of a file"):
        if damage != "no folder":
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for name in names:
                (folder / name).write_bytes(b'{"half": \xff\n\x00') if damage == "no JSON" else (folder / name).mkdir()
        for parameters in ({"run": run, "r_tab": "Charts"}, {"run": run, "attempt": 1}):
            app = open_page("runs", **parameters)
            assert OURS not in said(app), (damage, parameters)
        assert "CRASH" in said(app)


def test_a_damaged_release_says_so(open_page: Open, draft: Revision, workspace: Workspace, tmp_path: Path) -> None:
    for name in ("_manifest.yaml", "README.md", "checksums.txt", "shop-sales.py"):
        (tmp_path / name).write_bytes(b"\xff\x00[{")
    items = [(draft.id, "shop-sales")]
    release = releases.insert(workspace, name="shop", version="1.0", digest="d", path=str(tmp_path), items=items)
    for parameters in ({}, {"release": release}):
        assert OURS not in said(open_page("releases", **parameters)), parameters


# The workspace and its disk


def test_a_workspace_that_goes_away_is_not_made_anew(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    aside = workspace.root.with_name("moved-aside")
    workspace.root.rename(aside)
    assert "there is no workspace in" in errors(app.run())
    assert not workspace.root.exists()
    workspace.root.mkdir()  # an empty folder in its place is no workspace either
    assert "there is no workspace in" in errors(app.run())
    shutil.rmtree(workspace.root)
    aside.rename(workspace.root)
    assert not app.run().error
    assert app.header[0].value == "Problem 1 of 2"
    with workspace.write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    (error,) = app.run().error
    assert "99" in error.value
    assert "To fix it" in error.value
    assert "Traceback" not in said(app)


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
    app.text_area[CODE].set_value(text).run()
    assert "the disk is full" in app.error[0].value
    assert "To fix it" in app.error[0].value
    assert app.text_area[CODE].value == text
    monkeypatch.setattr(connections, "connect", connect)
    app.text_area[CODE].set_value(text + "y = 2").run()
    assert [saved.text for saved in autosaves.select(workspace, "mei", draft.problemset_id)] == [text + "y = 2"]


def test_a_disk_on_which_nothing_can_be_read_either_costs_no_text(
    open_page: Open, draft: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")

    def full(*_: Any, **__: Any) -> Any:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(connections, "connect", full)
        app.text_area[CODE].set_value("typed").run()
        assert "the disk is full" in app.error[0].value
        assert not app.text_area, "the page has no field any more"
    app.run()
    assert app.text_area[CODE].value == "typed"
    press(app, f"save:{draft.problemset_id}")
    assert "\ntyped\n" in revisions.find(workspace, draft.problemset_name).text
