"""The demo that a new workspace is filled with."""

from pathlib import Path

import pytest

from authoring.demo import ACCEPTED, AGENTS, AMBIGUOUS, BUILDER, COLLEAGUE, FAULTS, FAULTY, STEPS, WAITING, build_demo
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import dry_runs, problemsets, revisions, runs
from authoring.store.reviewing.reviews import list_comments, list_decisions
from authoring.store.statuses import Origin, ProblemsetStatus
from authoring.store.workspace import Workspace

pytestmark = pytest.mark.kernel

SETUP = """# %%
import pandas as pd
days = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=8), "rain": [1.5, 2, 4, 7, 1, 0, 3, 2.25]})
"""
DRAFTS = {  # stand for what is drafted from shipped seeds: with the words that are made faulty
    WAITING: f'''{SETUP}
# %%
"""
query: Return the 7-day mean of `rain` in order of `date`, the current one included; it is missing for the first 6.
id: {AMBIGUOUS}
"""
days["rain"].rolling(7).mean()

# %%
"""
query: Return how much the means of even and odd days differ from the mean of `rain`, squared and summed up.
id: {FAULTY}
"""
_known = days["rain"]
by_month = _known.groupby(days["date"].dt.day % 2).agg(["mean", "size"])
float((by_month["mean"] - _known.mean()).pow(2).sum())
''',
    ACCEPTED: f'{SETUP}\n# %%\n"""\nquery: Return the sum of `rain`.\n"""\ndays["rain"].sum()\n',
}


def built_and_looked_at(ws: Workspace) -> None:
    told: list[tuple[int, int]] = []
    made = build_demo(ws, lambda done, total, _: told.append((done, total)))
    assert told == [(done, STEPS) for done in range(1, len(told) + 1)]
    draft = revisions.find(ws, WAITING)
    judged = dry_runs.latest(ws, draft.id)
    assert judged is not None
    (failing,) = [each for each in judged.problems if each.reference_verdict != "CORRECT"]
    assert (failing.problem_id, failing.reference_verdict) == (FAULTY, "CRASH")
    assert "average" in str(failing)
    (comment,) = list_comments(ws, draft.problemset_id)
    assert (comment.author, comment.problem, comment.resolved_at) == (COLLEAGUE, AMBIGUOUS, None)
    first = revisions.find(ws, f"{WAITING}@1").text
    assert all(right in first and wrong not in first and wrong in draft.text for right, wrong in FAULTS)
    accepted = problemsets.find(ws, ACCEPTED)
    assert problemsets.find(ws, WAITING).status == ProblemsetStatus.DRAFT
    assert (accepted.status, list_decisions(ws, accepted.id)[0].by) == (ProblemsetStatus.ACCEPTED, BUILDER)
    assert sorted(run.agent for run in runs.select(ws)) == sorted(AGENTS)

    assert build_demo(ws, lambda *_: None) == made
    assert revisions.find(ws, WAITING) == draft
    assert list_comments(ws, draft.problemset_id) == [comment]
    assert dry_runs.latest(ws, draft.id) == judged
    assert len(runs.select(ws)) == len(AGENTS)


@pytest.mark.usefixtures("lent_engines", "no_trials")
def test_the_demo_holds_one_fault_one_question_and_the_same_again(workspace: Workspace) -> None:
    for name, text in DRAFTS.items():
        problemsets.create(workspace, name=name, text=text, author=BUILDER, origin=Origin.TEMPLATE)
    built_and_looked_at(workspace)


@pytest.mark.deep
def test_shipped_seeds_give_the_demo(tmp_path: Path) -> None:
    built_and_looked_at(open_workspace(tmp_path / "workspace"))
