"""Whatever an address, an output, a folder, a disk or a workspace brings: a sentence with a way on; no text is lost."""

import base64
import struct
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from authoring.store import autosaves, dry_runs, releases, revisions, runs
from authoring.store.database import connections
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.workspace import Workspace
from tests.ui.acts import OURS, Open, errors, said, stream

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


def test_a_stale_or_mistyped_link_is_a_sentence_with_a_way_on(open_page: Open, draft: Revision) -> None:
    """Each page with each of its parameters, each time with the next nonsense; the others lead to what exists."""
    app, values = open_page(), cycle(NONSENSE)
    for page, name in ((page, name) for page, names in PARAMETERS.items() for name in names):
        value = next(values)
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


def png(width: int, height: int, data: bytes = b"") -> str:
    """Return a picture of a header, and whatever follows it."""
    size = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + size + data).decode()


def shown(**data: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": {name.replace("_", "/", 1): value for name, value in data.items()}}


def nested(depth: int) -> Any:
    return {"layer": [nested(depth - 1)]} if depth else "end"


def test_an_output_out_of_all_bounds_is_capped(open_page: Open, draft: Revision, ws: Workspace) -> None:
    outputs: list[dict[str, Any]] = [
        stream("x" * 20_000_000),
        {"data": None},
        shown(image_png=png(10_000, 10_000)),
        shown(image_png=["a", 3]),
        shown(image_png=png(9, 9, b"no picture at all")),
        shown(text_html="<table>" + "<tr><td>1</td></tr>" * 400_000 + "</table>"),
        shown(**{"application_vnd.vegalite.v5+json": nested(400)}),
        {"output_type": "display_data", "data": [1, 2]},
        stream("and this is still shown\n"),
    ]
    problem = DryRunProblem(1, "p1", 0.1, "CORRECT", "WRONG_OUTPUT", outputs=outputs)
    dry_runs.save(ws, revision_id=draft.id, environment="e", sandbox="s", problems=[problem], summary={})
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert OURS not in said(app)
    assert app.header[0].value == "Problem 1 of 2"
    assert "This picture is damaged" in said(app)
    drawn = [str(element.proto.body) for element in app.get("html")]
    assert any("and this is still shown" in body for body in drawn)
    assert sum(map(len, drawn)) < 3_000_000


def test_a_head_that_does_not_parse_is_told_everywhere(open_page: Open, draft: Revision, ws: Workspace) -> None:
    text = '# %%\n"""\nquery: [\n"""\n(((\n'
    broken = revisions.save(ws, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    ours = {"set": draft.problemset_id}
    places: dict[str, dict[str, str | int]] = {
        **{"problemset": {**ours}, "compare": {**ours, "a": draft.id, "b": broken.id}, "releases": {}},
        **{"roundtable": {**ours}, "queue": {}, "editor": {**ours, "pid": "p1"}},
    }
    for page, parameters in places.items():
        app = open_page(page, **parameters)
        assert OURS not in said(app), page
        assert said(app).strip(), page
    assert "Repair" in said(app)  # pyrefly: ignore[unbound-name]


def test_damaged_runs_and_releases_show_the_rest(
    open_page: Open, draft: Revision, ws: Workspace, tmp_path: Path
) -> None:
    run = runs.insert(ws, release="shop 1.0", agent="oracle", out_dir=str(tmp_path), summary={"refused": "odd"})
    record = {"problemset": "s", "index": 1, "question": "why?", "code": "1", "verdict": "CRASH", "marks": 3}
    index_attempts(ws, run, [record])
    for name in ("records.jsonl", "manifest.json", "details.jsonl", "_manifest.yaml", "README.md", "checksums.txt"):
        (tmp_path / name).write_bytes(b'{"half": \xff\n\x00')
    items = [(draft.id, "shop-sales")]
    release = releases.insert(ws, name="shop", version="1.0", digest="d", path=str(tmp_path), items=items)
    places: list[dict[str, Any]] = [
        {"run": run, "r_tab": "Charts"},
        {},
        {"release": release},
        {"run": run, "attempt": 1},
    ]
    for parameters in places:
        app = open_page("runs" if "run" in parameters else "releases", **parameters)
        assert OURS not in said(app), parameters
    assert "CRASH" in said(app)  # pyrefly: ignore[unbound-name]


def test_a_workspace_that_goes_away_is_not_made_anew(open_page: Open, draft: Revision, ws: Workspace) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    aside = ws.root.with_name("moved-aside")
    ws.root.rename(aside)
    assert "there is no workspace in" in errors(app.run())
    assert not ws.root.exists()
    aside.rename(ws.root)
    assert not app.run().error
    with ws.write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    (error,) = app.run().error
    assert ("99" in error.value, "To fix it" in error.value) == (True, True)


def test_a_full_disk_is_told_and_the_text_stays_on_the_screen(
    open_page: Open, draft: Revision, ws: Workspace, monkeypatch: pytest.MonkeyPatch
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
    assert [saved.text for saved in autosaves.select(ws, "mei", draft.problemset_id)] == [text + "y = 2"]
