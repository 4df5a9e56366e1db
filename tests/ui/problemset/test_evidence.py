"""What the editor makes of runs and dry runs: verdicts, signs, messages; what it knows after a change or a save."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.dry_runs import DryRunProblem, DryRunSample
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import digests, open_draft
from authoring.ui.editor.evidence import Known, evidence_of, load_runs
from tests.ui.acts import CODE, Desk, Open, claim, finish, judge, page_links, press, said, says, warnings

CHAIN = '''# %%
rows = [3, 1, 2]

# %%
"""
query: Sort the rows into `clean`.
"""
clean = sorted(rows)
clean

# %%
"""
query: How many rows are there?
"""
len(rows)

# %%
"""
query: What is the smallest of `clean`?
"""
clean[0]
'''


def executed(problem: int, verdict: str | None, **outcome: Any) -> dict[str, Any]:
    judged = None if verdict is None else {"verdict": verdict, "reason": ""}
    outcome = {"ending": "ok", "outputs": [], "variables": [], "seconds": 0.1, **outcome}
    return {"position": problem + 1, "problem": problem, "outcome": outcome, "reference": judged, "empty": judged}


def test_a_run_from_here_shows_at_later_problems_and_not_at_earlier_ones(desk: Desk) -> None:
    press(desk.editor("p2"), f"run_from:{desk.number}:p2")
    payload = finish(desk.ws, "execute", {"cells": [executed(1, None), executed(2, "CORRECT")]}).payload
    assert (payload["first"], payload["upto"], payload["text"]) == (2, None, desk.text)
    view = open_draft("shop-sales", desk.draft.id, desk.text)
    first, second = view.problems
    known = Known(load_runs(desk.ws, desk.number, "mei", "p1"))
    assert evidence_of(first, known, digests(view)) is None  # executed for the sake of the second, not judged
    found = evidence_of(second, known, digests(view))
    assert found is not None
    assert (found.stale, found.opinions["reference"].verdict) == (False, "CORRECT")
    changed = digests(open_draft("shop-sales", desk.draft.id, desk.text.replace("sum()", "max()", 1)))
    later = evidence_of(second, known, changed)
    assert later is not None
    assert later.stale  # an earlier problem is another one now


def test_a_run_at_work_or_cancelled_leaves_the_one_before_it_on_the_screen(desk: Desk) -> None:
    run = f"run:{desk.number}:p1"
    app = press(desk.editor(), run)
    assert "Queued, and no worker is running; the result below is the previous one" in said(app)
    reason = "it runs longer than its own limit of 5 s; make it faster, or raise 'max_time' under 'execution'"
    cell = executed(1, "TIMEOUT", ending="timed_out", seconds=15.02)
    finish(desk.ws, "execute", {"cells": [{**cell, "reference": {"verdict": "TIMEOUT", "reason": reason}}]})
    press(app, run)
    assert f"**The code ran out of time**, and was stopped after 15 s: {reason}." in said(app)
    jobs.register_worker(desk.ws)
    assert "Queued; the result below is the previous one" in said(app.run())
    job = claim(desk.ws, "execute")
    says(app.run(), "Running; the result below is the previous one", "your run, just now")
    jobs.cancel(desk.ws, job.id)
    jobs.finish(desk.ws, job.id, "w", result={"cells": []})
    assert "the result below is the previous one" not in said(app.run())


def test_verdicts_show_findings_the_agents_code_and_samples(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = {"category": "result", "correct": "no", "reason": "it is <2>"}
    problem = DryRunProblem(
        1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", "CRASH", agent_code="boom()", findings={"empty": finding}
    )
    samples = [
        DryRunSample(1, number, "small", verdict, code=f"answer_{number}", cluster=cluster)
        for number, verdict, cluster in ((1, "CORRECT", 1), (2, "WRONG_OUTPUT", 2), (3, "WRONG_OUTPUT", 2))
    ]
    judge(desk.ws, desk.draft.id, problem, samples=samples)
    app = press(desk.editor(), f"run:{desk.number}:p1")
    finish(desk.ws, "execute", {"cells": [executed(1, "CORRECT")]})
    desk.show(app, "Verdicts")
    assert "your run" in said(app)  # which asked no agent: its code and verdict are the dry run's
    code = [each.value for each in app.main.code]
    assert code[-2:] == [desk.text.split('"""')[2].split("# %%")[0].strip(), "boom()"]
    assert "**3 samples of small**: 1 correct" in said(app)
    assert "With a model configured" in said(app)

    app.session_state[f"sample:{desk.number}:p1:2"] = True
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "small")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    app.run()
    assert "comes to the same as 1 more" in str([box.label for box in app.expander])
    assert "answer_2" in [each.value for each in app.main.code]
    app.number_input(key=f"samples:{desk.draft.id}").set_value(8)
    press(app, f"samples:{desk.draft.id}:go")
    job = jobs.find_latest(desk.ws, f"dry_run_agent:{desk.draft.id}")
    assert job is not None
    assert (job.kind, job.payload) == ("dry_run_agent", {"revision_id": desk.draft.id, "samples": 8})


def test_saving_names_later_problems_it_reaches_and_approvals_it_withdraws(open_page: Open, ws: Workspace) -> None:
    revision = problemsets.create(ws, name="chain", text=CHAIN, author="mei", origin=Origin.PERSON)
    record_decision(ws, revision_id=revision.id, decision="accepted", by="lee")
    desk = Desk(ws, revision, open_page)
    app = desk.editor()
    app.text_area[CODE].set_value("clean = sorted(rows)[::-1]\nclean")
    desk.save(app)
    assert [each.value for each in app.info if "uses what you changed" in each.value] == [
        "**problem 3 uses what you changed\\: the dry run shows what becomes of them**"
    ]
    assert "the approval that lee gave revision 1 no longer holds for problem 1" in warnings(app)
    desk.show(app, "History")
    assert "no longer holds for problem 1" in said(app)
    assert "Whether it holds for problems 2 and 3 shows with the next dry run" in said(app)


def test_what_is_doubtful_is_shown_on_each_page_until_the_text_changes(desk: Desk) -> None:
    doubt = {"code": "ties", "severity": "warning", "what": "<b>rows</b> *ties*", "fix": "say which"}
    problem = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", warnings=[doubt] * 5)
    levels = {"warnings": {"1": ["ties", "of a later version"]}, "levels": {"1": "medium"}}
    judge(desk.ws, desk.draft.id, problem, summary=levels)
    app = desk.editor()
    shown = [each.value for each in app.caption if "equal values decide the answer" in each.value]
    assert shown == [":material/warning: **equal values decide the answer**: \\<b\\>rows\\</b\\> \\*ties\\*"] * 3
    assert "and 2 more under Verdicts" in said(app)
    desk.show(app, "Verdicts")
    shown = [each.value for each in app.warning if "equal values decide" in each.value]
    assert (len(shown), shown[0].endswith("To fix it: say which")) == (5, True)
    says(desk.page(), "equal values decide the answer; of a later version", "medium · syntactic difficulty")
    app.text_area[CODE].set_value("sales.head(2)").run()
    assert not any("equal values" in each.value for each in app.caption)


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
    for sign, told in ((CHECKED, "Problem 2 is being checked again"), (UNKNOWN, "is not checked since the change")):
        editor, page = desk.editor(), desk.page()
        assert signs(editor, desk.draft) == [PASSES, sign]
        assert (first_failing(editor), first_failing(page)) == ([], [])
        assert (told in said(editor), told in said(page)) == (True, True)
        if sign == CHECKED:
            finish(desk.ws, "dry_run", {})  # without a dry run, as where somebody cancelled it
