"""What the editor still knows after a change and after a save, before a new dry run tells it anew."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from authoring.checks.standing import standing_of
from authoring.store import dry_runs, jobs, problemsets, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import digests, open_draft
from authoring.ui.editor.evidence import evidence_of, known_of
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id
from tests.ui.test_verdicts import executed, finish

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
PASSES, FAILS, UNKNOWN = ":green[:material/check:]", ":red[:material/close:]", ":gray[:material/remove:]"
CHECKED = ":gray[:material/hourglass_empty:]"


def signs(app: AppTest, draft: Revision) -> list[str]:
    """The sign of each problem in the row of numbers, without the setup cell."""
    options = app.button_group(key=f"rail:{draft.problemset_id}").proto.options
    return [option.content.split(" ", 1)[1] for option in options][1:]


def first_failing(app: AppTest) -> list[str]:
    labels = [link.proto.label for link in app.main.get("page_link")]
    return [label for label in labels if label.startswith("First failing")]


def test_a_save_keeps_the_signs_of_unchanged_problems_and_a_repair_is_not_led_to(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    assert (signs(app, draft), first_failing(app)) == ([PASSES, FAILS], ["First failing: 2"])
    app.text_area[1].set_value('sales["units"].max()').run()
    app.button(key=f"run:{draft.problemset_id}:p2").click().run()
    finish(workspace, executed(1, None), {**executed(2, "CORRECT"), "empty": {"verdict": "WRONG_OUTPUT"}})
    app.run()
    assert not app.exception
    assert first_failing(app) == []
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert signs(app, draft) == [PASSES, PASSES]
    app.text_area[1].set_value('sales["units"].min()').run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert signs(app, draft) == [PASSES, CHECKED]  # what an earlier revision showed of another text tells nothing
    assert not app.exception


def test_a_save_ends_the_dry_run_of_the_revision_before_it(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    for code in ("sales.units.max()", "sales.units.min()"):
        app.text_area[1].set_value(code).run()
        app.button(key=f"save:{draft.problemset_id}").click().run()
    head = problemsets.find(workspace, draft.problemset_id).head_revision_id
    newest, before = jobs.select(workspace, kinds=["dry_run"])
    assert (newest.key, newest.state) == (f"dry_run:{head}", "queued")
    assert (before.live, before.error) == (False, None)
    assert not app.exception


def test_a_problem_that_was_changed_since_it_failed_is_being_checked_and_not_led_to(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value('sales["units"].max()').run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    pages = [open_page("editor", set=draft.problemset_id, pid="p1"), open_page("problemset", set=draft.problemset_id)]
    assert signs(pages[0], draft) == [PASSES, CHECKED]
    for page in pages:
        assert (first_failing(page), "Problem 2 is being checked again" in said(page)) == ([], True)
    job = jobs.claim(workspace, owner="w", kinds=["dry_run"])
    assert job is not None
    jobs.finish(workspace, job.id, "w", result={})  # without a dry run, as where somebody cancelled it
    for page in pages:
        page.run()
        assert (first_failing(page), "Problem 2 is not checked since the change" in said(page)) == ([], True)
    assert signs(pages[0], draft) == [PASSES, UNKNOWN]
    unchanged = draft.text.replace("How many units were sold in each shop?", "How many units did each shop sell?")
    head = problemsets.find(workspace, draft.problemset_id).head_revision_id
    revisions.save(workspace, draft.problemset_id, unchanged, base_revision_id=head, author="lee")
    for page in pages:
        page.run()
        assert first_failing(page) == ["First failing: 2"]  # its text is that of the dry run again


def evidence_after(ws: Workspace, draft: Revision, text: str) -> dict[str, tuple[str, bool] | None]:
    """Query of each problem of a text that is saved over the draft -> the error that it is shown with, and if stale."""
    saved = revisions.save(ws, draft.problemset_id, text, base_revision_id=draft.id, author="mei")
    view = open_draft("shop-sales", saved.id, text)
    known = known_of(ws, view, standing_of(ws, saved.id, None), (), dry_runs.latest(ws, saved.id))
    found = {cell.texts["query"]: evidence_of(cell, known, digests(view)) for cell in view.problems}
    return {
        query: None if each is None else ((each.error or {}).get("name", "none"), each.stale)
        for query, each in found.items()
    }


def test_after_a_problem_is_added_the_others_show_what_they_showed_themselves(
    draft: Revision, workspace: Workspace
) -> None:
    setup, first, second = draft.text.split("\n# %%\n")
    added = '"""\nquery: How many rows are there?\n"""\nlen(sales)\n'
    text = "\n# %%\n".join((setup, first, added, second))
    assert evidence_after(workspace, draft, text) == {
        "How many units were sold in each shop?": ("none", False),
        "How many rows are there?": None,
        "Which shop sold most?": ("KeyError", True),
    }


def test_after_a_problem_is_deleted_the_next_one_does_not_show_its_outcome(
    draft: Revision, workspace: Workspace
) -> None:
    setup, _, second = draft.text.split("\n# %%\n")
    text = "\n# %%\n".join((setup, second))
    assert evidence_after(workspace, draft, text) == {"Which shop sold most?": ("KeyError", True)}


def test_an_example_that_no_dry_run_has_judged_leaves_its_problem_unknown(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    kept = "query: How many units were sold in each shop?\nexamples:\n  reject: ['1']\n"
    text = draft.text.replace("query: How many units were sold in each shop?\n", kept)
    saved = revisions.save(workspace, draft.problemset_id, text, base_revision_id=draft.id, author="mei")
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert signs(app, draft) == [UNKNOWN, FAILS]
    for holds, sign in ((True, PASSES), (False, FAILS)):
        judged = {"side": "reject", "wanted": "anything but CORRECT", "code": "1", "holds": holds, "verdict": "CRASH"}
        problem = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", examples=[judged])
        dry_runs.save(
            workspace, revision_id=saved.id, environment=environment_id(), sandbox="bwrap", problems=[problem],
            summary={"scoring_version": SCORING_VERSION},
        )  # fmt: skip
        app.run()
        assert signs(app, draft)[0] == sign
