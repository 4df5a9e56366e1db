"""The demo that a new workspace is filled with."""

from pathlib import Path

from authoring.demo import ACCEPTED, AMBIGUOUS, COLLEAGUE, FAULTS, FAULTY, WAITING, build_demo
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.reviewing.reviews import list_comments
from authoring.store.statuses import ProblemsetStatus


def ignore(_done: int, _total: int, _text: str) -> None:
    """Take no notice of the progress."""


def test_the_demo_holds_one_fault_one_question_and_the_same_when_built_again(tmp_path: Path) -> None:
    ws = open_workspace(tmp_path / "workspace")
    made = build_demo(ws, ignore)
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
    assert problemsets.find(ws, WAITING).status == ProblemsetStatus.DRAFT
    assert problemsets.find(ws, ACCEPTED).status == ProblemsetStatus.ACCEPTED

    assert build_demo(ws, ignore) == made
    assert revisions.find(ws, WAITING) == draft
    assert list_comments(ws, draft.problemset_id) == [comment]
    assert dry_runs.latest(ws, draft.id) == judged
