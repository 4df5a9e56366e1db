"""What the editor still knows after a change and after a save, and of a job that ends while a page is drawn."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.checks import standing
from authoring.checks.standing import standing_of
from authoring.store import dry_runs, jobs, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor import evidence
from authoring.ui.editor.draft_view import digests, open_draft
from authoring.ui.editor.evidence import evidence_of, known_of, run_on_key
from tests.ui.acts import claim, finish, page_links, press, said
from tests.ui.problemset.acts import CODE, Desk, judge
from tests.ui.problemset.test_verdicts import executed

PASSES, FAILS, UNKNOWN = ":green[:material/check:]", ":red[:material/close:]", ":gray[:material/remove:]"
CHECKED = ":gray[:material/hourglass_empty:]"
FIRST, SECOND = "How many units were sold in each shop?", "Which shop sold most?"


def signs(app: AppTest, draft: Revision) -> list[str]:
    """The sign of each problem in the row of numbers, without the setup cell."""
    options = app.button_group(key=f"rail:{draft.problemset_id}").proto.options
    return [option.content.split(" ", 1)[1] for option in options][1:]


def first_failing(app: AppTest) -> list[str]:
    return [label for label in page_links(app) if label.startswith("First failing")]


def test_a_save_keeps_the_signs_of_unchanged_problems_and_of_a_repair(desk: Desk) -> None:
    app = desk.editor("p2")
    assert (signs(app, desk.draft), first_failing(app)) == ([PASSES, FAILS], ["First failing: 2"])
    app.text_area[CODE].set_value('sales["units"].max()')
    press(app, f"run:{desk.number}:p2")
    repaired = {**executed(2, "CORRECT"), "empty": {"verdict": "WRONG_OUTPUT"}}
    finish(desk.ws, "execute", {"cells": [executed(1, None), repaired]})
    app.run()
    assert first_failing(app) == []
    desk.save(app)
    assert signs(app, desk.draft) == [PASSES, PASSES]
    app.text_area[CODE].set_value('sales["units"].min()')
    desk.save(app)
    assert signs(app, desk.draft) == [PASSES, CHECKED]  # what an earlier revision showed of another text tells nothing
    newest, before = jobs.select(desk.ws, kinds=["dry_run"])
    assert (newest.key, newest.state) == (f"dry_run:{desk.head().id}", "queued")
    assert (before.live, before.error) == (False, None)  # a save ends the dry run of the revision before it


def test_a_problem_changed_since_it_failed_is_being_checked_and_not_led_to(desk: Desk) -> None:
    saved = desk.change(desk.text.replace('sales.groupby("shop")["units"].sum().idxmax()', "max(sales)"))
    key = f"dry_run:{saved.id}"
    jobs.enqueue(desk.ws, kind="dry_run", payload={"revision_id": saved.id}, key=key, created_by="mei")
    pages = [desk.editor(), desk.page()]
    assert signs(pages[0], desk.draft) == [PASSES, CHECKED]
    for page in pages:
        assert (first_failing(page), "Problem 2 is being checked again" in said(page)) == ([], True)
    finish(desk.ws, "dry_run", {})  # without a dry run, as where somebody cancelled it
    for page in pages:
        page.run()
        assert (first_failing(page), "Problem 2 is not checked since the change" in said(page)) == ([], True)
    assert signs(pages[0], desk.draft) == [PASSES, UNKNOWN]
    desk.change(desk.text.replace(FIRST, "How many units did each shop sell?"), base=saved)
    for page in pages:
        page.run()
        assert first_failing(page) == ["First failing: 2"]  # its text is that of the dry run again


def evidence_after(ws: Workspace, draft: Revision, *cells: str) -> dict[str, tuple[str, bool] | None]:
    """Query of each problem of a text that is saved over the draft -> the error that it is shown with, and if stale."""
    text = "\n# %%\n".join(cells)
    saved = revisions.save(ws, draft.problemset_id, text, base_revision_id=draft.id, author="lee")
    view = open_draft("shop-sales", saved.id, text)
    known = known_of(ws, view, standing_of(ws, saved.id, None), (), dry_runs.latest(ws, saved.id))
    found = {cell.texts["query"]: evidence_of(cell, known, digests(view)) for cell in view.problems}
    return {
        query: None if each is None else ((each.error or {}).get("name", "none"), each.stale)
        for query, each in found.items()
    }


def test_beside_an_added_problem_the_others_show_what_they_showed_before(draft: Revision, workspace: Workspace) -> None:
    setup, first, second = draft.text.split("\n# %%\n")
    added = '"""\nquery: How many rows are there?\n"""\nlen(sales)\n'
    assert evidence_after(workspace, draft, setup, first, added, second) == {
        FIRST: ("none", False),
        "How many rows are there?": None,
        SECOND: ("KeyError", True),
    }


def test_after_a_problem_is_deleted_the_next_one_does_not_show_its_outcome(
    draft: Revision, workspace: Workspace
) -> None:
    setup, _, second = draft.text.split("\n# %%\n")
    assert evidence_after(workspace, draft, setup, second) == {SECOND: ("KeyError", True)}


def test_an_example_that_no_dry_run_has_judged_leaves_its_problem_unknown(desk: Desk) -> None:
    saved = desk.change(desk.text.replace(FIRST, f"{FIRST}\nexamples:\n  reject: ['1']"))
    app = desk.editor()
    assert signs(app, desk.draft) == [UNKNOWN, FAILS]
    for holds, sign in ((True, PASSES), (False, FAILS)):
        judged = {"side": "reject", "wanted": "anything but CORRECT", "code": "1", "holds": holds, "verdict": "CRASH"}
        judge(desk.ws, saved.id, DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", examples=[judged]))
        app.run()
        assert signs(app, desk.draft)[0] == sign


def watches(app: AppTest) -> bool:
    """Return whether the page draws a job as at work; such a panel looks again by itself."""
    return any(button.label == "Cancel" for button in app.button)


def end_during(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, end: Callable[[], object]) -> list[object]:
    """Let a job end just when a function of the page has read; return what is still to come."""
    to_come: list[object] = [end]
    real = getattr(module, name)

    def read(*arguments: Any, **options: Any) -> Any:
        found = real(*arguments, **options)
        if to_come:
            to_come.clear()
            end()
        return found

    monkeypatch.setattr(module, name, read)
    return to_come


def test_a_run_that_ends_while_the_editor_is_drawn_is_not_missed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    key = run_on_key(desk.number, "mei")
    job = jobs.enqueue(desk.ws, kind="execute", payload={"digests": {}}, key=key, created_by="mei")
    claim(desk.ws, "execute")

    def end() -> None:
        jobs.finish(desk.ws, job.id, owner="w", result={"cells": []})

    to_come = end_during(monkeypatch, evidence, "load_runs", end)
    app = desk.editor()
    assert not to_come  # it has ended meanwhile
    assert watches(app)
    assert not watches(app.run())


def test_a_dry_run_that_ends_while_its_set_is_drawn_is_not_missed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    key = f"dry_run:{desk.draft.id}"
    job = jobs.enqueue(desk.ws, kind="dry_run", payload={"revision_id": desk.draft.id}, key=key, created_by="mei")
    claim(desk.ws, "dry_run")

    def end() -> None:
        dry_runs.save(desk.ws, revision_id=desk.draft.id, environment="e", sandbox="bwrap", problems=[], summary={})
        jobs.finish(desk.ws, job.id, owner="w", result={})

    to_come = end_during(monkeypatch, standing, "standing_of", end)
    app = desk.page()
    assert not to_come
    assert watches(app)
    assert not watches(app.run())
