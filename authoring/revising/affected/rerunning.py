"""Dry-run a revision after an edit: judge what the edit reaches, take over what cannot have changed, show what moved.

The session's state comes from executing every cell of the newer revision. A problem that the edit does not reach is not
judged again: its row is taken over from the older dry run, provided that executing it has left behind the same, by
digest. Where it has not, the edit reaches it in a way that nobody foresaw, and it is judged in a second pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet, row_of
from authoring.checks.dry_run.dry_running import (
    DryRunResult,
    current_dry_run,
    dry_run,
    execute_revision,
    readable_problemset,
    store_executed,
)
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.revising.affected.dependence import Affected, Observed, affected_problems
from authoring.revising.affected.rerun_selection import Watch, seen_by
from authoring.store import revisions
from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell
from evaluator.models import ModelSettings
from evaluator.session import Engine

_MOST_PASSES: Final = 2


@dataclass(frozen=True)
class Moved:
    """A problem whose outcome or verdicts are not what they were."""

    cell: DocumentCell
    before: DryRunProblem
    after: DryRunProblem

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "problem": self.cell.number,
            "problem_id": self.cell.key,
            "before": _shown(self.before),
            "after": _shown(self.after),
        }


@dataclass(frozen=True)
class Rerun:
    """A dry run after an edit."""

    result: DryRunResult
    base: Revision | None  # None: no earlier dry run was there to build on, everything was judged
    affected: tuple[Affected, ...]  # why problems were judged again
    taken_over: tuple[int, ...]  # numbers of the problems that were not
    moved: tuple[Moved, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "base": None if self.base is None else {"revision": self.base.id, "number": self.base.number},
            "affected": [each.to_json() for each in self.affected],
            "taken_over": list(self.taken_over),
            "moved": [each.to_json() for each in self.moved],
            "dry_run": self.result.to_json(),
        }


def affected_by_edit(
    ws: Workspace, ref: str | int, *, base: str | int | None = None
) -> tuple[Revision, Revision, tuple[Affected, ...]]:
    """Return the older and the newer revision, and which problems of the newer one the edits between them reach.

    Args:
        ws: The workspace.
        ref: The newer one: a revision's id, NAME (its head) or NAME@3.
        base: The older one; None: its parent. A bare number is a revision's number within the problemset.

    Raises:
        UsageError: If there is no such revision, or it has no parent.
    """
    head = revisions.find(ws, ref)
    older = find_base(ws, head, base)
    if older is None:
        label = f"{head.problemset_name}@{head.number}"
        raise UsageError(f"{label} is the first revision", where=label, fix="name another one with --base")
    before, after = older.document(), head.document()
    seen = seen_changes(ws, older, before), seen_changes(ws, head, after)
    return older, head, affected_problems(before, after, seen_before=seen[0], seen_after=seen[1])


def seen_changes(ws: Workspace, revision: Revision, document: Document) -> Observed:
    """Return what a revision's newest dry run that still holds saw its problems change; empty: there is none."""
    known = current_dry_run(ws, revision, None)
    return seen_by(document, known.dry_run) if known else {}


def find_base(ws: Workspace, head: Revision, base: str | int | None) -> Revision | None:
    """Return the revision that an edit started from: the one named, else the parent; None: there is none.

    Raises:
        UsageError: If the one named does not exist or is of another problemset.
    """
    if base is None:
        return None if head.parent_id is None else revisions.find(ws, head.parent_id)
    text = str(base).strip()
    of_set = text.isascii() and text.isdigit()
    found = revisions.find(ws, f"{head.problemset_name}@{text}" if of_set else text)
    if found.problemset_id != head.problemset_id:
        what = f"revision {text!r} is of {found.problemset_name!r}, not of {head.problemset_name!r}"
        raise UsageError(what, fix="name two revisions of one problemset")
    return found


def rerun(
    ws: Workspace,
    ref: str | int,
    *,
    engine: Engine,
    base: str | int | None = None,
    model: ModelSettings | None = None,
    on_event: OnEvent = no_progress,
) -> Rerun:
    """Dry-run a revision, judging only what the edits since an earlier dry run reach, and store the result.

    Args:
        ws: The workspace.
        ref: A revision's id, NAME (its head) or NAME@3.
        engine: Where it runs.
        base: A revision with a dry run to build on; None: the nearest ancestor that has one which still holds.
        model: The reference agent's, asked where the query or the outcome may differ; None: it is not asked.
        on_event: Told of each problem.

    Raises:
        UsageError: If there is no such revision.
        ContentError: If it cannot be executed.
        ToolkitError: If the engine fails; then nothing is stored.
    """
    head = revisions.find(ws, ref)
    known = _known(ws, head, base, engine)
    if known is None:
        result = dry_run(ws, head.id, engine=engine, model=model, on_event=on_event)
        return Rerun(result, None, (), (), ())
    return _Pass(ws, engine, head, known, model, on_event).run()


def _known(ws: Workspace, head: Revision, base: str | int | None, engine: Engine) -> DryRunResult | None:
    """Return the dry run to build on; None: there is none that still holds."""
    older = find_base(ws, head, base)
    while older is not None:
        found = current_dry_run(ws, older, engine.environment_id)
        if found is not None and any(row.outcome_digest for row in found.dry_run.problems):
            return found
        if base is not None:
            return None
        older = find_base(ws, older, None)
    return None


@dataclass
class _Pass:
    ws: Workspace
    engine: Engine
    head: Revision
    known: DryRunResult
    model: ModelSettings | None
    on_event: OnEvent

    def run(self) -> Rerun:
        problemset = readable_problemset(self.head, workspace_validators(self.ws))
        before = self.known.revision.document()
        after = self.head.document()
        origin = _rows_of_origin(before, after, self.known.dry_run)
        surprises: set[int] = set()
        for _ in range(_MOST_PASSES):
            watch = Watch(before, after, self.known.dry_run, origin, frozenset(surprises), self.model is not None)
            executed = execute_revision(
                self.ws,
                self.head,
                problemset,
                engine=self.engine,
                model=self.model,
                judges=watch.judges,
                on_event=self.on_event,
            )
            executed.refuse_engine_faults()
            fresh = watch.surprises(executed)
            if not fresh:
                break
            surprises |= fresh
            self.on_event(PipelineEvent(0, len(problemset.problems), "an edit reaches further than foreseen"))
        return self._stored(executed, after, origin, watch)  # pyrefly: ignore[unbound-name]  # done at least once

    def _stored(self, executed: CheckedSet, after: Document, origin: dict[int, DryRunProblem], watch: Watch) -> Rerun:
        rows, moved, taken = [], [], []
        cells = {cell.number: cell for cell in after.cells if cell.is_problem}
        for cell in executed.problems:
            assert cell.problem is not None
            then = origin.get(cell.problem)
            if cell.reference is None and then is not None:
                taken.append(cell.problem)
                rows.append(_taken_over(cell, then, asked=cell.problem not in watch.reworded))
                continue
            rows.append(row_of(cell))
            if then is not None and _is_moved(then, rows[-1]):
                moved.append(Moved(cells[cell.problem], then, rows[-1]))
        more = {"taken_over": {"from": self.known.id, "problems": taken}}
        problemset = readable_problemset(self.head, workspace_validators(self.ws))
        result = store_executed(
            self.ws, self.head, problemset, executed, engine=self.engine, model=self.model, rows=rows, more=more
        )
        affected = watch.affected(executed)
        return Rerun(result, self.known.revision, affected, tuple(taken), tuple(moved))


def _rows_of_origin(before: Document, after: Document, known: DryRun) -> dict[int, DryRunProblem]:
    """Return number of a problem of the newer revision -> its row in the older dry run."""
    rows = {row.index: row for row in known.problems if row.outcome_digest}
    joined = before.align(after).items()
    pairs = ((before.cells[old].number, after.cells[new].number) for old, new in joined)
    return {new: rows[old] for old, new in pairs if new and old in rows}


def _taken_over(cell: CheckedCell, then: DryRunProblem, *, asked: bool) -> DryRunProblem:
    """Return the older row as the newer problem's; what an agent made of other words does not hold any more."""
    row = replace(then, index=cell.problem or 0, problem_id=cell.problem_id)
    if asked:
        return row
    reasons = {who: why for who, why in row.reasons.items() if who != "agent"}
    return replace(row, agent_verdict="none", agent_code="", reasons=reasons)


def _is_moved(then: DryRunProblem, now: DryRunProblem) -> bool:
    verdicts = [(row.reference_verdict, row.empty_verdict) for row in (then, now)]
    return then.outcome_digest != now.outcome_digest or verdicts[0] != verdicts[1]


def _shown(row: DryRunProblem) -> dict[str, Any]:
    return {
        "output": output_text(row),
        "reference": row.reference_verdict,
        "empty": row.empty_verdict,
        "outcome_digest": row.outcome_digest,
    }


def output_text(row: DryRunProblem) -> str:
    """Return what a problem's reference showed, as plain text."""
    return outputs_text(row.outputs, row.error)


def outputs_text(outputs: Sequence[Mapping[str, Any]], error: Mapping[str, Any] | None) -> str:
    """Return streams and displayed values as plain text, an error at the end."""
    parts = []
    for output in outputs:
        data = output.get("data")
        plain = data.get("text/plain", f"({', '.join(data)})") if isinstance(data, dict) else output.get("text", "")
        parts.append(str(plain).rstrip("\n"))
    if error:
        parts.append(f"{error['name']}: {error['message']}")
    return "\n".join(parts)
