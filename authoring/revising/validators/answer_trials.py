"""Try an answer to a problem as a submission, and keep it as an example of what must be accepted or rejected."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.checked_set import CheckedCell
from authoring.checks.dry_run.dry_running import readable_text
from authoring.checks.dry_run.sampled_answers import KeptAnswer
from authoring.checks.dry_run.warm_sessions import WarmPlace
from authoring.progress import OnEvent, no_progress
from authoring.seeds import materialise_inputs
from authoring.store import problemsets, revisions
from authoring.store.problemsets import problemset_inputs
from authoring.store.reviewing.roundtable import NewItem, RoundtableItem, find_item, list_roundtable, open_items
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.agents import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import Problemset, changed_settings, read_yaml
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell
from evaluator.scoring import Judged, Verdict
from evaluator.session import Engine, Outcome, scratch_folder

PlaceOf = Callable[[Mapping[str, str], int], WarmPlace | None]
"""From a problemset's input files (name -> digest) and a problem's number to where sessions wait."""


def nowhere(inputs: Mapping[str, str], number: int) -> None:
    """Let no sessions wait."""
    del inputs, number


@dataclass(frozen=True)
class GivenAnswer:
    """An agent that submits one code, whatever it is asked."""

    code: str

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="given")

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:  # noqa: ARG002 - the answer is there already
        """Return the answer."""
        return Submission(code=self.code)

    def end(self, session_id: str) -> None:
        """Forget a session."""


def judge_answers(
    ws: Workspace,
    problemset_id: int,
    problemset: Problemset,
    number: int,
    codes: Sequence[str],
    *,
    engine: Engine,
    place: PlaceOf = nowhere,
    on_event: OnEvent = no_progress,
) -> CheckedCell:
    """Execute a problemset up to a problem and judge answers to that one: `tries`, in the order of `codes`.

    Raises:
        ContentError: If an earlier cell ends the session.
        ToolkitError: If the engine fails.
    """
    digests = problemset_inputs(ws, problemset_id)
    with scratch_folder() as folder:
        executed = execute_cells(
            engine,
            problemset,
            materialise_inputs(ws, digests, folder / "inputs"),
            upto=number,
            agents=[GivenAnswer(code) for code in codes],
            judges=lambda each, _: each == number,
            place=place(digests, number),
            on_event=on_event,
        )
    executed.refuse_engine_faults()
    last = executed.problems[-1]
    if len(last.tries) < len(codes):
        what = f"problem {number} is not reached: an earlier cell ends the session"
        raise ContentError(what, where=problemset.name, fix="repair that cell first")
    return last


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

    problemset_name: str
    cell: DocumentCell
    code: str
    judged: Judged
    outcome: Outcome | None  # None: it could not be executed
    reference: Judged | None  # of the reference against itself
    examples: tuple[KeptAnswer, ...] = ()  # what the problem keeps, judged beside it
    revision: Revision | None = None  # None: it was tried on a text that is not saved

    @property
    def label(self) -> str:
        """What it was tried on."""
        return f"{self.problemset_name}@{self.revision.number}" if self.revision else self.problemset_name

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        outcome = self.outcome
        return {
            **{"problemset": self.problemset_name, "number": self.revision.number if self.revision else None},
            **{"problem": self.cell.number, "problem_id": self.cell.key},
            "verdict": self.judged.verdict.value,
            "subverdict": self.judged.subverdict.value,
            "reason": self.judged.reason,
            "validation": self.judged.validation,
            "outputs": [dict(output) for output in outcome.outputs] if outcome else [],
            "error": outcome.error.to_json() if outcome and outcome.error else None,
            "seconds": round(outcome.seconds, 4) if outcome else None,
            "reference": self.reference.verdict.value if self.reference else None,
            "examples": [kept.to_json() for kept in self.examples],
        }


def try_answer(
    ws: Workspace, ref: str | int, problem: str | int, code: str, *, engine: Engine, on_event: OnEvent = no_progress
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
    revision = revisions.find(ws, ref)
    tried = try_on_text(ws, revision.problemset_id, revision.text, problem, code, engine=engine, on_event=on_event)
    return replace(tried, revision=revision)


def try_on_text(
    ws: Workspace,
    problemset_id: int,
    text: str,
    problem: str | int,
    code: str,
    *,
    engine: Engine,
    place: PlaceOf = nowhere,
    on_event: OnEvent = no_progress,
) -> TriedAnswer:
    """Do the same on a text of a problemset that need not be saved."""
    name = problemsets.find(ws, problemset_id).name
    problemset = readable_text(text, name, workspace_validators(ws))
    cell = Document.parse(text, name=name).find_problem(problem)
    last = judge_answers(
        ws, problemset_id, problemset, cell.number, [code], engine=engine, place=place, on_event=on_event
    )
    tried = last.tries[0]
    return TriedAnswer(name, cell, code, tried.judged, tried.outcome, last.reference, last.examples)


def with_example(settings: str, code: str, kept: Kept, *, verdict: str = "") -> str:
    """Return the settings (YAML) of a problem with one more answer among its `examples`.

    Args:
        settings: As they are written.
        code: The answer.
        kept: Whether it must be accepted or rejected.
        verdict: The verdict that a rejected one must get; empty: any but CORRECT.

    Raises:
        ContentError: If the settings cannot be read, there is no code, or they keep the answer already.
    """
    if not code.strip():
        raise ContentError("there is no answer to keep", fix="write one and try it")
    examples = _examples_in(settings)
    known = (each["code"] if isinstance(each, Mapping) else each for side in examples.values() for each in side or ())
    if code.strip() in (str(each).strip() for each in known):
        raise ContentError("the problem keeps this answer already", where="examples", fix="try another one")
    text, side = code.strip() + "\n", _SIDES[kept]
    item: Any = {"code": text, "verdict": verdict} if verdict and kept is Kept.REJECTED else text
    return changed_settings(settings, "examples", {**examples, side: [*(examples.get(side) or ()), item]})


def without_example(settings: str, side: str, position: int) -> str:
    """Return the settings (YAML) of a problem without one of the answers that they keep.

    Raises:
        ContentError: If the settings cannot be read or keep no such answer.
    """
    examples = _examples_in(settings)
    listed = list(examples.get(side) or ())
    if not 0 <= position < len(listed):
        raise ContentError("the problem does not keep this answer any more", where="examples", fix="look again")
    left = {**examples, side: listed[:position] + listed[position + 1 :]}
    return changed_settings(settings, "examples", {name: each for name, each in left.items() if each} or None)


def _examples_in(settings: str) -> dict[str, Any]:
    value = read_yaml(settings).value
    examples = value.get("examples") if isinstance(value, Mapping) else None
    return dict(examples) if isinstance(examples, Mapping) else {}


def keep_answer(ws: Workspace, tried: TriedAnswer, kept: Kept, *, by: str) -> Revision:
    """Keep a tried answer among the `examples` of its problem: a new revision in which only that cell differs.

    A rejected answer is kept with the verdict that it got; every dry run and every check judges it again.

    Raises:
        ContentError: If its verdict does not fit, it is kept already, or it cannot stand in a problem's settings.
        ConflictError: If a newer revision exists.
    """
    _refuse_misfit(tried, kept)
    revision = tried.revision
    assert revision is not None, "only what was tried on a revision can be kept in the next one"
    verdict = tried.judged.verdict.value
    settings = with_example(tried.cell.texts["settings"], tried.code, kept, verdict=verdict)
    text = revision.document(workspace_validators(ws)).with_settings(tried.cell.key, settings).text
    message = f"keeps an answer to {tried.cell.name} as {kept.value}: {verdict}"
    return revisions.save(ws, revision.problemset_id, text, base_revision_id=revision.id, author=by, message=message)


def _refuse_misfit(tried: TriedAnswer, kept: Kept) -> None:
    verdict = tried.judged.verdict
    if verdict is Verdict.NOT_JUDGED:
        raise ToolkitError(f"the answer was not judged: {tried.judged.reason}", fix="repeat the command")
    if (verdict is Verdict.CORRECT) != (kept is Kept.ACCEPTED):
        what = f"the answer is judged {verdict.value}, so it cannot be kept as {kept.value}"
        other = next(each for each in Kept if each is not kept)
        fix = f"correct the validators of {tried.cell.name}, or keep it as {other.value}"
        raise ContentError(what, where=f"{tried.problemset_name}, {tried.cell.key}", fix=fix)


def open_item(ws: Workspace, ref: str | int, problem: str | int, *, reason: str, by: str) -> RoundtableItem:
    """Put a problem of a revision into the roundtable's queue by hand.

    Raises:
        UsageError: If there is no such revision or problem.
        ContentError: If there is no reason, or an open item asks the same of the problem.
    """
    revision = revisions.find(ws, ref)
    cell = revision.document().find_problem(problem)
    _refuse_same(list_roundtable(ws, revision.problemset_id, only_open=True), cell.key, reason)
    (item_id,) = open_items(ws, revision.id, [NewItem(cell.key, reason, {"kind": "person"})], by=by or "somebody")
    return find_item(ws, item_id)


def _refuse_same(items: Iterable[RoundtableItem], problem: str, reason: str) -> None:
    said = " ".join(reason.casefold().split())
    for item in items:
        if item.problem == problem and " ".join(item.reason.casefold().split()) == said:
            fix = "settle that one, or say what else is in question"
            raise ContentError(f"item {item.id} is open and asks the same", where=problem, fix=fix)
