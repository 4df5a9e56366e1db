"""The releases page: what goes into the next release, under which name and version."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from authoring.checks import DEMO_AUTHOR
from authoring.release import GateStanding
from authoring.store import dry_runs, jobs, problemsets, releases
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment, add_reply, record_decision, resolve_comment
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.releases.gating import gate_chip, group_words

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
SaveDryRun = Callable[..., None]


def test_a_release_is_ordered_with_a_name_that_fits(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="mei")
    app = open_page("releases")
    app.button(key="release:send").click().run()
    refusals = [each.value for each in app.error if "Where: Name" in each.value or "no name" in each.value]
    assert len(refusals) == 1, [each.value for each in app.error]
    app.text_input(key="release:name").set_value("../my shop").run()
    assert [each.value for each in app.error if "is not allowed" in each.value], "before anything is pressed"
    assert not [each.value for each in app.error if "no name" in each.value]
    app.button(key="release:near").click().run()
    assert app.text_input(key="release:name").value == "my-shop"
    assert not [each.value for each in app.error if "is not allowed" in each.value]
    app.text_input(key="release:name").set_value("shop")
    app.text_input(key="release:version").set_value("1.0")
    app.text_input(key="release:licence").set_value(" CC-BY-4.0 ")
    app.button(key="release:send").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["out"]) == ("release", str(workspace.root / "releases" / "shop-1.0"))
    assert (job.payload["licence"], job.payload["chosen"]) == ("CC-BY-4.0", [])


def test_a_release_holds_the_sets_that_are_chosen_as_they_were_shown(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    other = problemsets.create(workspace, name="other", text=draft.text, author="mei", origin=Origin.PERSON)
    for revision_id in (draft.id, other.id):
        record_decision(workspace, revision_id=revision_id, decision="accepted", by="mei")
    rows = [DryRunProblem(n, f"p{n}", 0.01, "CORRECT", "WRONG_OUTPUT") for n in (1, 2)]
    levels = {"levels": {"1": "easy", "2": "hard"}}
    dry_runs.save(workspace, revision_id=other.id, environment="e", sandbox="bwrap", problems=rows, summary=levels)
    app = open_page("releases")
    assert "It will hold 2 problemsets" in said(app)
    assert "4 problems: 1 easy, 0 medium, 1 hard, 2 not measured" in said(app)
    app.multiselect(key="release:chosen").set_value(["other@1"]).run()
    assert "1 accepted problemset left out" in said(app)
    assert "1 chosen for the next release" in said(app)
    assert "2 problems: 1 easy, 0 medium, 1 hard" in said(app)
    app.text_input(key="release:name").set_value("shop")
    app.text_input(key="release:version").set_value("1.0")
    app.button(key="release:send").click().run()
    (job,) = jobs.select(workspace)
    assert job.payload["chosen"] == ["other@1"]


def test_a_version_that_stands_for_other_revisions_is_refused_before_anything_is_ordered(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="mei")
    other = problemsets.create(workspace, name="other", text=draft.text, author="mei", origin=Origin.PERSON)
    releases.insert(workspace, name="shop", version="1.9", digest="d", path="/p", items=[(other.id, "other")])
    app = open_page("releases")
    assert app.text_input(key="release:version").placeholder == "for example 1.10"
    app.text_input(key="release:name").set_value("shop")
    app.text_input(key="release:version").set_value("1.9")
    app.button(key="release:send").click().run()
    assert "exists already and holds other revisions" in app.error[0].value
    assert "such as 1\\.10" in app.error[0].value
    assert jobs.select(workspace) == []
    app.text_input(key="release:version").set_value("1" * 41)
    app.button(key="release:send").click().run()
    assert "use 1 to 40 letters" in app.error[0].value


def test_what_is_left_out_is_said_of_one_set_and_of_several() -> None:
    assert group_words(GateStanding.LEFT_OUT, 1) == "1 left out, because it is not accepted"
    assert group_words(GateStanding.LEFT_OUT, 2) == "2 left out, because they are not accepted"
    assert group_words(GateStanding.READY, 1) == "1 ready"


def test_a_set_with_open_findings_or_not_chosen_is_not_plainly_ready() -> None:
    chips = [gate_chip(GateStanding.READY, 0), gate_chip(GateStanding.READY, 1)]
    chips += [gate_chip(GateStanding.READY, 2, is_held=False), gate_chip(GateStanding.BLOCKS, 1, 1)]
    chips += [gate_chip(GateStanding.READY, 0, 1), gate_chip(GateStanding.READY, 1, 2)]
    assert [(chip.word, chip.colour) for chip in chips] == [
        ("ready", "green"),
        ("ready, 1 warning", "orange"),
        ("ready, 2 warnings, not chosen", "gray"),
        ("blocks the release", "red"),
        ("ready, 1 open comment", "orange"),
        ("ready, 1 warning, 2 open comments", "orange"),
    ]


def test_a_set_that_is_ready_tells_how_many_comments_are_open(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun, said: Said
) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="mei")
    save_dry_run(draft.id)
    asked = add_comment(workspace, revision_id=draft.id, author="lee", text="why?", problem="p1")
    add_reply(workspace, asked, author="mei", text="because")
    assert "ready, 1 open comment" in said(open_page("releases"))
    resolve_comment(workspace, asked, by="lee")
    assert "open comment" not in said(open_page("releases"))


def test_the_card_of_a_release_without_a_name_says_where_the_name_goes(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun, said: Said
) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="mei")
    save_dry_run(draft.id)
    app = open_page("releases")
    app.session_state["gate:card"] = True
    app.run()
    assert "# (name) (version)" in said(app).replace("\\", "")


def test_a_release_lists_its_sets_with_revision_and_size(
    open_page: Open, draft: Revision, workspace: Workspace, tmp_path: Path
) -> None:
    items = [(draft.id, "shop-sales")]
    release = releases.insert(workspace, name="shop", version="1.0", digest="d", path=str(tmp_path), items=items)
    app = open_page("releases", release=release)
    (link,) = [link.proto for link in app.main.get("page_link") if "shop" in link.proto.label]
    assert link.label.replace("\\", "") == f"**shop-sales** · revision {draft.number} · 2 problems"
    assert link.query_string == f"set={draft.problemset_id}"


def test_a_set_that_no_person_accepted_is_told_as_its_card_tells_it(
    open_page: Open, draft: Revision, workspace: Workspace, save_dry_run: SaveDryRun, said: Said
) -> None:
    save_dry_run(draft.id)
    for by, told in ((DEMO_AUTHOR, "accepted by rule"), ("mei", "accepted by mei")):
        record_decision(workspace, revision_id=draft.id, decision="accepted", by=by)
        assert told in said(open_page("releases"))
