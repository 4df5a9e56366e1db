"""What the editor makes of runs and dry runs: verdicts beside code, samples, runs from here on, what a save reaches."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import dry_runs, jobs, problemsets
from authoring.store.dry_runs import DryRunProblem, DryRunSample
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import digests, open_draft
from authoring.ui.editor.evidence import Known, evidence_of, load_runs

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
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


def executed(problem: int, verdict: str | None) -> dict[str, Any]:
    judged = None if verdict is None else {"verdict": verdict, "reason": ""}
    outcome = {"ending": "ok", "outputs": [], "variables": [], "seconds": 0.1}
    return {"position": problem + 1, "problem": problem, "outcome": outcome, "reference": judged, "empty": judged}


def finish(ws: Workspace, *cells: dict[str, Any]) -> None:
    """Do the queued run as a worker would."""
    job = jobs.claim(ws, owner="w", kinds=["execute"])
    assert job is not None
    assert jobs.finish(ws, job.id, "w", result={"cells": list(cells)})


def test_a_run_from_here_shows_at_later_problems_and_leaves_earlier_ones_alone(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.button(key=f"run_from:{draft.problemset_id}:p2").click().run()
    (job,) = jobs.select(workspace)
    assert (job.payload["first"], job.payload["upto"], job.payload["text"]) == (2, None, draft.text)
    finish(workspace, executed(1, None), executed(2, "CORRECT"))
    view = open_draft("shop-sales", draft.id, draft.text)
    first, second = view.problems
    known = Known(load_runs(workspace, draft.problemset_id, "mei", "p1"))
    assert evidence_of(first, known, digests(view)) is None  # executed for the sake of the second, not judged
    found = evidence_of(second, known, digests(view))
    assert found is not None
    assert (found.stale, found.opinions["reference"].verdict) == (False, "CORRECT")
    changed = digests(open_draft("shop-sales", draft.id, draft.text.replace("sum()", "max()", 1)))
    later = evidence_of(second, known, changed)
    assert later is not None
    assert later.stale  # an earlier problem is another one now


def test_a_run_that_is_at_work_or_cancelled_leaves_the_one_before_it_on_the_screen(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    def run() -> AppTest:
        app = open_page("editor", set=draft.problemset_id, pid="p1")
        return app.button(key=f"run:{draft.problemset_id}:p1").click().run()

    run()
    finish(workspace, executed(1, "CRASH"))
    app = run()
    (job,) = jobs.select(workspace, states=["queued"])
    assert "the result below is the previous one" in said(app)
    assert "your run, just now" in said(app)
    jobs.cancel(workspace, job.id)
    assert "your run, just now" in said(open_page("editor", set=draft.problemset_id, pid="p1"))


def test_an_output_that_ran_out_of_time_says_its_limit_and_where_to_raise_it(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    reason = "it runs longer than its own limit of 5 s; make it faster, or raise 'max_time' under 'execution'"
    outcome = {"ending": "timed_out", "outputs": [], "variables": [], "seconds": 15.02}
    finish(
        workspace, executed(1, "TIMEOUT") | {"outcome": outcome, "reference": {"verdict": "TIMEOUT", "reason": reason}}
    )
    shown = said(open_page("editor", set=draft.problemset_id, pid="p1")).replace("\\", "")
    assert f"**The code ran out of time**, and was stopped after 15 s: {reason}." in shown


def test_verdicts_show_findings_the_agents_code_beside_the_reference_and_samples(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = {"category": "result", "correct": "no", "reason": "it is <2>"}
    problem = DryRunProblem(
        1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", "CRASH", agent_code="boom()", findings={"empty": finding}
    )
    samples = [
        DryRunSample(1, number, "small", verdict, code=f"answer_{number}", cluster=cluster)
        for number, verdict, cluster in ((1, "CORRECT", 1), (2, "WRONG_OUTPUT", 2), (3, "WRONG_OUTPUT", 2))
    ]
    dry_runs.save(
        workspace,
        revision_id=draft.id,
        environment="e",
        sandbox="bwrap",
        problems=[problem],
        summary={},
        samples=samples,
    )
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    finish(workspace, executed(1, "CORRECT"))
    app.session_state[f"tabs:{draft.problemset_id}"] = "Verdicts"
    app.run()
    assert "your run" in said(app)  # which asked no agent: its code and verdict are the dry run's
    code = [each.value for each in app.main.code]
    assert code[-2:] == [draft.text.split('"""')[2].split("# %%")[0].strip(), "boom()"]
    assert "**3 samples of small**: 1 correct" in said(app)
    assert "With a model configured" in said(app)
    app.session_state[f"sample:{draft.problemset_id}:p1:2"] = True
    app.run()
    assert "comes to the same as 1 more" in str([box.label for box in app.expander])
    assert "answer_2" in [each.value for each in app.main.code]

    monkeypatch.setenv("BENCHWRIGHT_MODEL", "small")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    app.run()
    app.number_input(key=f"samples:{draft.id}").set_value(8)
    app.button(key=f"samples:{draft.id}:go").click().run()
    job = jobs.find_latest(workspace, f"dry_run_agent:{draft.id}")
    assert job is not None
    assert (job.kind, job.payload) == ("dry_run_agent", {"revision_id": draft.id, "samples": 8})


def test_saving_names_the_later_problems_it_reaches_and_the_approvals_it_withdraws(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    revision = problemsets.create(workspace, name="chain", text=CHAIN, author="mei", origin=Origin.PERSON)
    record_decision(workspace, revision_id=revision.id, decision="accepted", by="lee")
    app = open_page("editor", set=revision.problemset_id, pid="p1")
    app.text_area[1].set_value("clean = sorted(rows)[::-1]\nclean")
    app.button(key=f"save:{revision.problemset_id}").click().run()
    assert [each.value for each in app.info if "uses what you changed" in each.value] == [
        "**problem 3 uses what you changed\\: the dry run shows what becomes of them**"
    ]
    gone = "the approval that lee gave revision 1 no longer holds for problem 1"
    assert any(gone in each.value for each in app.warning)
    app.session_state[f"tabs:{revision.problemset_id}"] = "History"
    app.run()
    assert "no longer holds for problem 1" in said(app)
    assert "Whether it holds for problems 2 and 3 shows with the next dry run" in said(app)


def test_what_is_doubtful_stands_above_the_tabs_under_verdicts_and_on_the_problemset_page(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    warnings = [
        {"code": "ties", "severity": "warning", "what": f"<b>row {n}</b> *ties*", "fix": "say which"} for n in range(5)
    ]
    dry_runs.save(
        workspace,
        revision_id=draft.id,
        environment="e",
        sandbox="bwrap",
        problems=[DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", warnings=warnings)],
        summary={"warnings": {"1": ["ties", "of a later version"]}, "levels": {"1": "medium"}},
    )
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    doubts = [each.value for each in app.caption if "equal values decide the answer" in each.value]
    assert len(doubts) == 3
    assert doubts[0] == ":material/warning: **equal values decide the answer**: \\<b\\>row 0\\</b\\> \\*ties\\*"
    assert "and 2 more under Verdicts" in said(app)
    app.session_state[f"tabs:{draft.problemset_id}"] = "Verdicts"
    app.run()
    shown = [each.value for each in app.warning if "equal values decide" in each.value]
    assert len(shown) == 5
    assert shown[0].endswith("To fix it: say which")
    page = said(open_page("problemset", set=draft.problemset_id))
    assert "equal values decide the answer; of a later version" in page
    assert "medium · syntactic difficulty" in page


def test_doubts_of_a_text_that_has_changed_since_are_not_shown_as_present_ones(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    warnings = [{"code": "ties", "severity": "warning", "what": "ties", "fix": "say which"}]
    dry_runs.save(
        workspace,
        revision_id=draft.id,
        environment="e",
        sandbox="bwrap",
        problems=[DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", warnings=warnings)],
        summary={},
    )
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert any("equal values" in each.value for each in app.caption)
    app.text_area[1].set_value("sales.head(2)").run()
    assert not any("equal values" in each.value for each in app.caption)
