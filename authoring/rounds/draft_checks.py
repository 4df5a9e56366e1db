"""Takes a draft through every check and leaves out the problems that fail, until what is left passes them all."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from authoring.checks import Check, CheckFailure, find_repeats
from authoring.checks.dry_run.dry_running import DryRunResult, current_dry_run, readable_problemset
from authoring.progress import OnEvent
from authoring.rounds.draft_executor import DraftExecutor, loaded_text
from authoring.store import problemsets
from authoring.store.revisions import Revision
from authoring.store.revisions import find as find_revision
from authoring.store.revisions import save as save_revision
from authoring.store.revisions import select as list_revisions
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import (
    Problem,
    Problemset,
    SetupCell,
    problem_id,
    render_problemset,
    session_dependencies,
)

SOUND_CODE: Final = frozenset({Check.NOTHING, Check.EXAMPLES, Check.GUESS, Check.REPEAT})
"""Checks that find fault with the question, not with the code: the code may stay where later problems need it."""


class Pruned(NamedTuple):
    """A problemset without some of its problems."""

    problemset: Problemset
    left_out: tuple[int, ...]  # numbers in the set it was made from; some may go on as preparing cells


def pruned(problemset: Problemset, failures: Sequence[CheckFailure]) -> Pruned | None:
    """Return the problemset without the problems that fail; None when nothing can be left out.

    Code that does not hold (another result each time, too slow) goes with every problem that reads what it stores.
    Where only the question fails, the code stays as a cell that prepares, if later problems read what it stores.
    """
    if any(not failure.index for failure in failures):
        return None
    needs = session_dependencies(problemset)
    gone = _with_dependents({f.index for f in failures if f.check not in SOUND_CODE}, needs)
    weak = {f.index for f in failures if f.check in SOUND_CODE} - gone
    preparing = _needed(weak, gone, needs)
    cells: list[SetupCell | Problem] = []
    number = 0
    for cell in problemset.cells:
        number += isinstance(cell, Problem)
        if isinstance(cell, SetupCell) or number not in gone | weak:
            cells.append(cell)
        elif number in preparing:
            cells.append(SetupCell(cell.code))
    return Pruned(replace(problemset, cells=tuple(cells)), tuple(sorted(gone | weak)))


def _with_dependents(numbers: Collection[int], needs: Sequence[frozenset[int]]) -> set[int]:
    gone = set(numbers)
    for number, earlier in enumerate(needs, 1):  # in order, so that chains are followed
        if earlier & gone:
            gone.add(number)
    return gone


def _needed(weak: Collection[int], gone: Collection[int], needs: Sequence[frozenset[int]]) -> set[int]:
    """Return which of the weak problems something that stays reads from, directly or through another of them."""
    preparing: set[int] = set()
    for number in range(len(needs), 0, -1):
        if number in gone or (number in weak and number not in preparing):
            continue
        preparing |= needs[number - 1] & set(weak)
    return preparing


MAX_ROUNDS: Final = 5  # of leaving out; each makes the set smaller
CHECKS: Final = "lint, gold in 3 fresh processes, nothing, guesses, time, repeats"
LEFT_OUT: Final = "left_out"  # the key of a revision's provenance under which it is told


@dataclass(frozen=True)
class LeftOut:
    """A problem that is not in the set any more."""

    problem: str  # its id, or its number
    why: str


@dataclass(frozen=True)
class CheckedDraft:
    """What came of a draft."""

    revision: Revision
    problems: int  # that are left (count)
    drafted: int  # problems that were written (count)
    left_out: tuple[LeftOut, ...]
    refusal: str = ""  # why the set is of no use; empty: it passes every check

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "revision": self.revision.id,
            "number": self.revision.number,
            "problems": self.problems,
            "drafted": self.drafted,
            "left_out": [{"problem": each.problem, "why": each.why} for each in self.left_out],
        }


class _Findings(NamedTuple):
    failures: tuple[CheckFailure, ...]
    problemset: Problemset


def check_draft(
    ws: Workspace,
    problemset_id: int,
    *,
    draft_executor: DraftExecutor,
    known: Mapping[str, str],
    least: int,
    on_event: OnEvent,
) -> CheckedDraft:
    """Check the head of a problemset; save a revision without the problems that fail, and check that one too.

    Args:
        ws: The workspace.
        problemset_id: Whose head is checked; a check that was stopped goes on with the head that it had saved.
        draft_executor: Where it is executed.
        known: Fingerprints of the problems that the set must not repeat.
        least: How few problems a set may have (count).
        on_event: Told of each problem.

    Raises:
        ToolkitError: If an engine fails; nothing was concluded then.
    """
    revision = find_revision(ws, problemsets.find(ws, problemset_id).head_revision_id)
    for _ in range(MAX_ROUNDS):
        try:
            found = _examine(ws, revision, draft_executor, known, on_event)
        except ContentError as error:  # lint: it cannot even be executed
            return _report(ws, revision, 0, error.what)
        if not found.failures:
            return _report(ws, revision, len(found.problemset.problems), "")
        rest = pruned(found.problemset, found.failures)
        count = len(rest.problemset.problems) if rest is not None else 0
        if rest is None or count < least:
            said = "; ".join(map(str, found.failures[:3]))
            return _report(ws, revision, count, f"only {count} problems pass every check, {least} are needed: {said}")
        revision = _save(ws, revision, found, rest)
    return _report(ws, revision, 0, f"problems still fail after {MAX_ROUNDS} rounds of leaving out")


def _examine(
    ws: Workspace, revision: Revision, draft_executor: DraftExecutor, known: Mapping[str, str], on_event: OnEvent
) -> _Findings:
    """Return what fails, from the cheapest check to the dearest; nothing is executed for what repeats."""
    own = workspace_validators(ws)
    problemset = readable_problemset(revision, own)
    if repeats := find_repeats(problemset, known):
        return _Findings(repeats, problemset)
    result = current_dry_run(ws, revision, draft_executor.environment_id)
    if result is None or result.failures:
        result = draft_executor.dry_run(ws, revision, problemset, on_event)
    if any(not failure.index for failure in result.failures):
        return _Findings(result.failures, problemset)
    loaded = loaded_text(revision.problemset_name, revision.text, problemset, own)
    proof = draft_executor.prove(ws, revision, loaded)
    return _Findings((*result.failures, *proof.failures, *proof.slow(loaded, _seconds(result))), problemset)


def _seconds(result: DryRunResult) -> dict[int, float]:
    return {problem.index: problem.seconds for problem in result.dry_run.problems}


def _save(ws: Workspace, revision: Revision, found: _Findings, rest: Pruned) -> Revision:
    """Save what is left as the next revision, with what was left out and why."""
    reasons = {failure.index: failure.what for failure in reversed(found.failures)}
    gone = [
        {"problem": problem_id(found.problemset, number), "why": reasons.get(number, "it rests on one left out")}
        for number in rest.left_out
    ]
    return save_revision(
        ws,
        revision.problemset_id,
        render_problemset(rest.problemset),
        base_revision_id=revision.id,
        author=revision.author,
        origin=revision.origin,
        message=f"left out {len(gone)} problems that fail a check",
        provenance={LEFT_OUT: gone, "checks": CHECKS},
        guide_number=revision.guide_number,
    )


def _report(ws: Workspace, revision: Revision, problems: int, refusal: str) -> CheckedDraft:
    revisions = [each for each in list_revisions(ws, revision.problemset_id) if each.number <= revision.number]
    left_out = [LeftOut(**each) for one in revisions for each in one.provenance.get(LEFT_OUT, [])]
    return CheckedDraft(revision, problems, _count(ws, revisions[0]), tuple(left_out), refusal)


def _count(ws: Workspace, revision: Revision) -> int:
    try:
        return len(readable_problemset(revision, workspace_validators(ws)).problems)
    except ContentError:
        return 0
