"""Try an answer to a problem as a submission, and keep it as an example of what must be accepted or rejected."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from authoring.pipeline import OnEvent, execute_cells, readable_problemset, unheard
from authoring.revising.aligning import PlacedCell, place_cells
from authoring.revising.editing import find_problem, with_setting
from authoring.seeds import materialise_inputs
from authoring.store import (
    NewItem,
    Revision,
    RoundtableItem,
    Workspace,
    find_item,
    find_revision,
    open_items,
    problemset_inputs,
    save_revision,
    workspace_validators,
)
from evaluator.agents import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import Problem, example_answers
from evaluator.scoring import Judged, Verdict
from evaluator.session import Engine, Outcome, scratch_folder


class Kept(StrEnum):
    """What an answer is kept as."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"


def find_kept(word: str) -> Kept | None:
    """Return what an answer shall be kept as; None for an empty word.

    Raises:
        UsageError: If it is neither.
    """
    if word and word not in list(Kept):
        raise UsageError(f"an answer cannot be kept as {word!r}", where="--keep", fix="use accepted or rejected")
    return Kept(word) if word else None


_SIDES: Final = {Kept.ACCEPTED: "accept", Kept.REJECTED: "reject"}


@dataclass(frozen=True)
class TriedAnswer:
    """An answer that was executed on the reference's state and judged."""

    revision: Revision
    cell: PlacedCell
    code: str
    judged: Judged
    outcome: Outcome | None  # None: it could not be executed
    reference: Judged | None  # of the reference against itself

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        outcome = self.outcome
        return {
            **{"problemset": self.revision.problemset_name, "number": self.revision.number},
            **{"problem": self.cell.number, "problem_id": self.cell.key},
            "verdict": self.judged.verdict.value,
            "subverdict": self.judged.subverdict.value,
            "reason": self.judged.reason,
            "outputs": [dict(output) for output in outcome.outputs] if outcome else [],
            "error": outcome.error.to_json() if outcome and outcome.error else None,
            "seconds": round(outcome.seconds, 4) if outcome else None,
            "reference": self.reference.verdict.value if self.reference else None,
        }


class _OneAnswer:
    def __init__(self, code: str) -> None:
        self._code = code

    def describe(self) -> AgentCard:
        return AgentCard(name="tried")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:  # noqa: ARG002 - the answer is there already
        return Submission(code=self._code)

    def end(self, session_id: str) -> None:
        """Forget a session."""


def try_answer(
    ws: Workspace, ref: str | int, problem: str | int, code: str, *, engine: Engine, on_event: OnEvent = unheard
) -> TriedAnswer:
    """Run code as a submission to a problem, on the state that the reference leaves before it, and judge it.

    Args:
        ws: The workspace.
        ref: A revision's id, NAME (its head) or NAME@3.
        problem: Id or number of the problem.
        code: The answer; it runs in the sandbox.
        engine: Where it runs.
        on_event: Told of each problem up to this one.

    Raises:
        UsageError: If there is no such revision or problem.
        ContentError: If the revision cannot be executed.
        ToolkitError: If the engine fails.
    """
    revision = find_revision(ws, ref)
    problemset = readable_problemset(revision, workspace_validators(ws))
    cell = find_problem(place_cells(revision.problemset_name, revision.text), problem)
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, problemset_inputs(ws, revision.problemset_id), folder / "inputs")
        executed = execute_cells(
            engine,
            problemset,
            inputs,
            upto=cell.number,
            agents=(_OneAnswer(code),),
            judges=lambda number, _: number == cell.number,
            on_event=on_event,
        )
    executed.refuse_engine_faults()
    last = executed.problems[-1]
    if not last.tries:
        what = f"{cell.name} is not reached: an earlier cell ends the session"
        raise ContentError(what, where=revision.problemset_name, fix="repair that cell first")
    return TriedAnswer(revision, cell, code, last.tries[0].judged, last.tries[0].outcome, last.reference)


def keep_answer(ws: Workspace, tried: TriedAnswer, kept: Kept, *, by: str) -> Revision:
    """Keep a tried answer among the `examples` of its problem: a new revision in which only that cell differs.

    A rejected answer is kept with the verdict that it got; every check of the problem asks for it again.

    Raises:
        ContentError: If its verdict does not fit, it is kept already, or it cannot stand in a problem's settings.
        ConflictError: If a newer revision exists.
    """
    _refuse_misfit(tried, kept)
    problem = tried.cell.cell
    assert isinstance(problem, Problem)
    if any(each.code.strip() == tried.code.strip() for each in example_answers(problem)):
        raise ContentError(f"{tried.cell.name} keeps this answer already", where=tried.cell.key, fix="try another one")
    code = tried.code.strip() + "\n"
    verdict = tried.judged.verdict.value
    item: Any = code if kept is Kept.ACCEPTED else {"code": code, "verdict": verdict}
    examples = dict(problem.metadata.get("examples") or {})
    side = _SIDES[kept]
    examples[side] = [*(examples.get(side) or ()), item]
    revision = tried.revision
    text = with_setting(place_cells(revision.problemset_name, revision.text), tried.cell, "examples", examples)
    message = f"keeps an answer to {tried.cell.name} as {kept.value}: {verdict}"
    return save_revision(ws, revision.problemset_id, text, base_revision_id=revision.id, author=by, message=message)


def _refuse_misfit(tried: TriedAnswer, kept: Kept) -> None:
    verdict = tried.judged.verdict
    if verdict is Verdict.NOT_JUDGED:
        raise ToolkitError(f"the answer was not judged: {tried.judged.reason}", fix="repeat the command")
    if (verdict is Verdict.CORRECT) != (kept is Kept.ACCEPTED):
        what = f"the answer is judged {verdict.value}, so it cannot be kept as {kept.value}"
        other = next(each for each in Kept if each is not kept)
        fix = f"correct the validators of {tried.cell.name}, or keep it as {other.value}"
        raise ContentError(what, where=f"{tried.revision.problemset_name}, {tried.cell.key}", fix=fix)


def open_item(ws: Workspace, ref: str | int, problem: str | int, *, reason: str, by: str) -> RoundtableItem:
    """Put a problem of a revision into the roundtable's queue by hand.

    Raises:
        UsageError: If there is no such revision or problem.
        ContentError: If there is no reason.
    """
    revision = find_revision(ws, ref)
    cell = find_problem(place_cells(revision.problemset_name, revision.text), problem)
    (item_id,) = open_items(ws, revision.id, [NewItem(cell.key, reason, {"kind": "person"})], by=by or "somebody")
    return find_item(ws, item_id)
