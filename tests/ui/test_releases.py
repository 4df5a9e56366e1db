"""The releases page: what goes into the next release, what one holds and how it differs, what is imported there."""

from pathlib import Path

from authoring.checks import DEMO_AUTHOR
from authoring.store import dry_runs, problemsets, releases
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment, add_reply, record_decision, resolve_comment
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.reporting.conftest import QUERY, SET, record, write_run
from tests.ui.acts import Open, boxes, errors, finish, judge, payloads, press, said, says


def accept(ws: Workspace, *revisions: Revision, by: str = "mei") -> None:
    for revision in revisions:
        record_decision(ws, revision_id=revision.id, decision="accepted", by=by)


def another(ws: Workspace, draft: Revision) -> Revision:
    return problemsets.create(ws, name="other", text=draft.text, author="mei", origin=Origin.PERSON)


def test_a_release_is_ordered_with_a_name_that_fits(open_page: Open, draft: Revision, ws: Workspace) -> None:
    accept(ws, draft)
    items = [(another(ws, draft).id, "other")]
    releases.insert(ws, name="shop", version="1.9", digest="d", path="/p", items=items)
    app = press(open_page("releases"), "release:send")
    assert "no name" in errors(app)
    app.text_input(key="release:name").set_value("../my shop").run()
    assert ("is not allowed" in errors(app), "no name" in errors(app)) == (True, False), "before anything is pressed"
    assert press(app, "release:near").text_input(key="release:name").value == "my-shop"
    app.text_input(key="release:name").set_value("shop")
    assert app.text_input(key="release:version").placeholder == "for example 1.10"
    for version, told in (("1.9", "exists already and holds other revisions"), ("1" * 41, "use 1 to 40 letters")):
        app.text_input(key="release:version").set_value(version)
        assert told in errors(press(app, "release:send"))
        assert ("such as 1.10" in errors(app)) == (version == "1.9")
    assert payloads(ws, "release") == []
    app.text_input(key="release:version").set_value("1.0")
    app.text_input(key="release:licence").set_value(" CC-BY-4.0 ")
    press(app, "release:send")
    (order,) = payloads(ws, "release")
    out = str(ws.root / "releases" / "shop-1.0")
    assert (order["licence"], order["chosen"], order["out"]) == ("CC-BY-4.0", [], out)


def test_a_release_holds_the_sets_that_are_chosen(open_page: Open, draft: Revision, ws: Workspace) -> None:
    other = another(ws, draft)
    accept(ws, draft, other)
    rows = [DryRunProblem(n, f"p{n}", 0.01, "CORRECT", "WRONG_OUTPUT") for n in (1, 2)]
    levels = {"levels": {"1": "easy", "2": "hard"}}
    dry_runs.save(ws, revision_id=other.id, environment="e", sandbox="bwrap", problems=rows, summary=levels)
    app = open_page("releases")
    says(app, "It will hold 2 problemsets", "4 problems: 1 easy, 0 medium, 1 hard, 2 not measured")
    app.multiselect(key="release:chosen").set_value(["other@1"]).run()
    says(app, "1 accepted problemset left out", "1 chosen for the next release", "2 problems: 1 easy, 0 medium, 1 hard")
    app.text_input(key="release:name").set_value("shop")
    app.text_input(key="release:version").set_value("1.0")
    press(app, "release:send")
    assert [order["chosen"] for order in payloads(ws, "release")] == [["other@1"]]


def test_the_gate_says_what_blocks(open_page: Open, draft: Revision, ws: Workspace) -> None:
    app = open_page("releases")
    assert "0 ready · 0 blocking · 1 left out" in said(app)
    accept(ws, draft)
    app.run()
    assert "1 accepted problemset must be put right" in app.error[0].value
    assert "does not pass its own validators" in said(app)


def test_a_ready_set_tells_its_open_comments_and_its_card(open_page: Open, draft: Revision, ws: Workspace) -> None:
    accept(ws, draft, by=DEMO_AUTHOR)
    judge(ws, draft.id)
    asked = add_comment(ws, revision_id=draft.id, author="lee", text="why?", problem="p1")
    add_reply(ws, asked, author="mei", text="because")
    app = open_page("releases")
    says(app, "ready, 1 open comment", "accepted by rule")
    resolve_comment(ws, asked, by="lee")
    accept(ws, draft)
    app.session_state["gate:card"] = True
    app.run()
    assert "open comment" not in said(app)
    assert "accepted by mei" in said(app)
    assert "# (name) (version)" in said(app), "a card without a name says where the name goes"


def test_a_release_lists_its_sets(open_page: Open, draft: Revision, ws: Workspace, tmp_path: Path) -> None:
    items = [(draft.id, "shop-sales")]
    release = releases.insert(ws, name="shop", version="1.0", digest="d", path=str(tmp_path), items=items)
    app = open_page("releases", release=release)
    (link,) = [link.proto for link in app.main.get("page_link") if "shop" in link.proto.label]
    assert link.label.replace("\\", "") == f"**shop-sales** · revision {draft.number} · 2 problems"
    assert link.query_string == f"set={draft.problemset_id}"
    press(app, f"release:{release}:verify")
    assert "without it nothing can be verified" in errors(app)
    releases.insert(ws, name="gone", version="1.0", digest="e", path="/no/such/folder", items=items)
    assert "folder is gone" in said(open_page("releases"))


def test_an_erratum_shows_what_moved(open_page: Open, draft: Revision, ws: Workspace, tmp_path: Path) -> None:
    out = str(write_run(tmp_path, record(1), record(2, "CRASH")))
    run_ids = []
    for agent, verdict in (("alpha", "CRASH"), ("beta", "CORRECT")):
        run_ids.append(insert_run(ws, release="small 1", agent=agent, out_dir=out, summary={}))
        index_attempts(ws, run_ids[-1], [record(1).to_json(), record(2, verdict).to_json()])
    ids = []
    for version, changed in (("1", ""), ("2", "All told, ")):
        folder = tmp_path / f"release-{version}"
        folder.mkdir()
        (folder / "_manifest.yaml").write_text(f'name: small\nversion: "{version}"\n')
        (folder / "sums.py").write_text(SET.replace("And two", f"{changed}and two"))
        items = [(draft.id, "sums")]
        ids.append(releases.insert(ws, name="small", version=version, digest=version, path=f"{folder}", items=items))
    later = insert_run(ws, release="small 2", agent="alpha", out_dir="/later", summary={})
    index_attempts(ws, later, [record(1).to_json(), record(2).to_json()])
    app = open_page("releases", release=ids[1], r_part="Differences")
    assert [box for box in boxes(app) if "changed" in box] == ["**sums: p2** changed: query"]
    assert QUERY not in said(app)
    table = app.table[-1].value
    assert table["Agent"].tolist() == ["alpha", "beta"]
    assert table["small 1"].tolist() == ["1. (50.0%)", "100.0%"]
    press(app, f"rescore:{ids[0]}:{ids[1]}")
    assert payloads(ws, "run") == [{"rescore": run_ids[1], "release": ids[1]}]


def test_a_benchmark_is_imported_from_an_archive(open_page: Open, ws: Workspace) -> None:
    app = press(open_page("releases"), "import:benchmark:send")
    assert "no archive was chosen" in errors(app)
    app.file_uploader(key="import:benchmark:file:0").upload("city.zip", b"PK", "application/zip").run()
    app.session_state["import:benchmark:popover"] = True
    press(app, "import:benchmark:send")
    assert not app.session_state["import:benchmark:popover"]  # it would cover what the job came to
    made = {"benchmark": "city 2", "kept": [{"name": "walks", "problemset": 1}], "own_validators": True}
    refused = [{"name": "trips", "why": "the name is taken"}]
    job = finish(ws, "import_benchmark", {**made, "refused": refused})
    assert (job.key, job.payload["file"]["name"], job.created_by) == ("import:benchmark", "city.zip", "mei")
    app = open_page("releases")
    says(app, "trips is not in the queue: the name is taken", "Imported **city 2**: 1 problemset.")
    assert "Imported **city 2**" not in said(press(app, f"hide:{job.id}"))


def test_notebooks_and_records_of_other_systems_are_imported(open_page: Open, ws: Workspace) -> None:
    app = press(open_page("releases"), "import:family:send")
    assert "no file was chosen" in errors(app.run()), "in the form, as long as nothing in it is changed"
    app.selectbox(key="import:family:form").select("qwen").run()
    assert not app.error
    app.file_uploader(key="import:family:file:qwen:0").upload("eval.jsonl", b"{}", "application/json").run()
    app.text_input(key="import:family:name").set_value("mini")
    app.checkbox(key="import:family:queue").check()
    press(app, "import:family:send")
    made = {"benchmark": "mini", "problemsets": 2, "problems": 2, "kept": [{"name": "q1", "problemset": 1}]}
    finding = {"source": "eval.jsonl, line 1", "problem": "", "what": "there is no file '<i>'", "fix": "add it"}
    result = {**made, "refused": [{"name": "q2", "why": "the name is taken"}], "findings": [finding], "more": 0}
    order = finish(ws, "import_family", result).payload
    assert (order["family"], order["name"], order["queue"]) == ("qwen", "mini", True)
    says(app.run(), "Imported **mini**: 2 problemsets, 2 problems.", "q2 is not in the queue: the name is taken")
    assert "1 thing to look at" in boxes(app)
    assert any(r"'\<i\>'" in each.value for each in app.markdown), "drawn as text"
