"""What executing a cell showed: the newest of a person's runs and the dry run of the revision, and if it is stale.

No Streamlit here: reads the store, compares digests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from authoring.checks.standing import Standing
from authoring.store import dry_runs, jobs, revisions
from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import DraftView, digests, open_draft
from evaluator.language.document_cells import DocumentCell, align_cells

COLUMNS: Final = {
    "reference": "Reference against itself",
    "empty": "Empty answer",
    "agent": "Reference agent",
}


@dataclass(frozen=True)
class Opinion:
    """How one column judged, and why."""

    verdict: str = "none"
    reason: str = ""
    validation: Mapping[str, Any] | None = None  # what each validator answered


@dataclass(frozen=True)
class Evidence:
    """What is known about one cell."""

    source: str  # where it comes from, for people
    at: str  # UTC time
    stale: bool  # what is on the screen is not what was executed
    seconds: float
    ending: str = "ok"
    outputs: Sequence[Mapping[str, Any]] = ()
    variables: Sequence[Mapping[str, Any]] = ()
    error: Mapping[str, Any] | None = None
    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    agent_code: str = ""
    examples: Sequence[Mapping[str, Any]] = ()  # the answers that the problem keeps, as they were judged
    warnings: Sequence[Mapping[str, Any]] = ()  # code, severity, what, fix: what is doubtful about the problem

    @property
    def nothing_passes(self) -> bool:
        """Return whether an empty answer passes, which forbids accepting."""
        return self.opinions.get("empty", Opinion()).verdict == "CORRECT"

    @property
    def reference_passes(self) -> bool:
        """Return whether the reference ran and agrees with itself."""
        return self.error is None and self.opinions.get("reference", Opinion()).verdict == "CORRECT"


def run_key(problemset_id: int, person: str, cell_key: str | None = None) -> str:
    """Return the key of a person's runs: of the whole set, or up to one cell."""
    return f"execute:{problemset_id}:{person}" + (f":{cell_key}" if cell_key else "")


def run_on_key(problemset_id: int, person: str) -> str:
    """Return the key of a person's runs from one problem on."""
    return f"execute_on:{problemset_id}:{person}"


def run_keys(problemset_id: int, person: str, cell_key: str | None) -> list[str]:
    """Return the keys of all runs that may show something about a cell."""
    keys = [run_key(problemset_id, person), run_on_key(problemset_id, person)]
    return [*keys, run_key(problemset_id, person, cell_key)] if cell_key else keys


def dry_run_key(revision_id: int) -> str:
    """Return the key of the dry run of a revision."""
    return f"dry_run:{revision_id}"


def dry_run_agent_key(revision_id: int) -> str:
    """Return the key of the dry runs of a revision that ask the reference agent."""
    return f"dry_run_agent:{revision_id}"


def refine_key(problemset_id: int) -> str:
    """Return the key of the jobs in which a model refines a problemset."""
    return f"refine:{problemset_id}"


@dataclass(frozen=True)
class FinishedExecution:
    """One finished run of a person, as its job left it."""

    at: str
    digests: Mapping[str, str]  # of what was executed, by cell
    cells: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Known:
    """Everything that was executed of a problemset, as far as one person's screen shows it."""

    runs: tuple[FinishedExecution, ...]
    dry_run: DryRun | None = None  # the newest of the revision
    dry_run_digests: Mapping[str, str] = field(default_factory=dict)  # of what it executed, by key of a cell now
    dry_run_numbers: Mapping[str, int] = field(default_factory=dict)  # key of a problem now -> its number in it
    dry_run_name: str = "dry run"

    def unchanged(self, now: Mapping[str, str]) -> set[str]:
        """Return the keys of the cells that are as the dry run executed them, by digests of what is on the screen."""
        return {key for key, digest in self.dry_run_digests.items() if now.get(key) == digest}


def load_runs(ws: Workspace, problemset_id: int, person: str, cell_key: str | None) -> tuple[FinishedExecution, ...]:
    """Return the newest finished runs of a person: of the whole set, from a cell on, and up to one."""
    found = jobs.latest_results(ws, run_keys(problemset_id, person, cell_key))
    return tuple(
        FinishedExecution(
            job.finished_at or job.created_at, job.payload.get("digests") or {}, result.get("cells") or ()
        )
        for job, result in found
    )


def known_of(
    ws: Workspace, draft: DraftView, standing: Standing, runs: tuple[FinishedExecution, ...], dry_run: DryRun | None
) -> Known:
    """Return what was executed; until the revision has a dry run, that of an earlier one tells of unchanged cells.

    Args:
        ws: The workspace.
        draft: The head revision with what is on the screen.
        standing: Of that revision.
        runs: Of the person.
        dry_run: The newest of the revision.
    """
    name, own = draft.document.name, draft.document.own_validators
    if dry_run is None and standing.dry_run is not None and not standing.stale:
        earlier = revisions.find(ws, standing.dry_run.revision_id)
        seen = dry_runs.latest(ws, earlier.id)
        return _known_by(seen, runs, draft, open_draft(name, earlier.id, earlier.text, own=own), earlier.number)
    numbers = {cell.key: cell.number for cell in draft.problems}
    saved = open_draft(name, draft.revision_id, draft.document.text, own=own)
    return Known(runs, dry_run, digests(saved), numbers)


def changed_since(draft: DraftView, standing: Standing, known: Known) -> set[str]:
    """Return the keys of the cells of a revision that are not as an earlier one's dry run executed them.

    What is on the screen and not saved does not count: no dry run executes it.
    """
    if not standing.is_earlier:
        return set()
    saved = digests(replace(draft, edits={}))
    return saved.keys() - known.unchanged(saved)


def _known_by(
    seen: DryRun | None, runs: tuple[FinishedExecution, ...], draft: DraftView, then: DraftView, number: int
) -> Known:
    """Return what the dry run of revision `number` tells of the cells that are still there, wherever they stand now."""
    executed = digests(then)
    same = [(then.cells[before], draft.cells[now]) for before, now in align_cells(then.cells, draft.cells).items()]
    return Known(
        runs,
        seen,
        {now.key: executed[before.key] for before, now in same},
        {now.key: before.number for before, now in same},
        f"dry run of revision {number}",
    )


def evidence_of(cell: DocumentCell, known: Known, now: Mapping[str, str]) -> Evidence | None:
    """Return the newest evidence about a cell, current evidence before stale.

    Args:
        cell: The cell.
        known: What was executed.
        now: Digests of what is on the screen, by cell.
    """
    found = [evidence for run in known.runs if (evidence := _from_run(run, cell, now)) is not None]
    dry = _in_dry_run(cell, known, now)
    found += [dry] if dry is not None else []
    best = max(found, key=lambda evidence: (not evidence.stale, evidence.at), default=None)
    if best is None or dry is None or dry.stale:
        return best
    return _with_agent(best, dry)


def _in_dry_run(cell: DocumentCell, known: Known, now: Mapping[str, str]) -> Evidence | None:
    if known.dry_run is None or not cell.is_problem:
        return None
    number = known.dry_run_numbers.get(cell.key)
    judged = next((problem for problem in known.dry_run.problems if problem.index == number), None)
    stale = known.dry_run_digests.get(cell.key) != now.get(cell.key)
    return (
        None if judged is None else replace(from_dry_run(known.dry_run, judged, stale=stale), source=known.dry_run_name)
    )


def _with_agent(best: Evidence, dry: Evidence) -> Evidence:
    """Return evidence with what the reference agent did in a dry run of the same text: runs do not ask it."""
    if best.opinions.get("agent", Opinion()).verdict != "none":
        return best
    opinions = {**best.opinions, "agent": dry.opinions.get("agent", Opinion())}
    return replace(best, opinions=opinions, agent_code=dry.agent_code)


def from_dry_run(dry_run: DryRun, problem: DryRunProblem, *, stale: bool = False) -> Evidence:
    """Return what a dry run says about a problem."""
    verdicts = {
        "reference": problem.reference_verdict,
        "empty": problem.empty_verdict,
        "agent": problem.agent_verdict,
    }
    return Evidence(
        source="dry run",
        at=dry_run.created_at,
        stale=stale,
        seconds=problem.seconds,
        ending="error" if problem.error else "ok",
        outputs=problem.outputs,
        variables=problem.variables,
        error=problem.error,
        opinions={
            column: Opinion(verdict, _reason(problem.reasons.get(column)), problem.findings.get(column))
            for column, verdict in verdicts.items()
        },
        agent_code=problem.agent_code,
        examples=problem.examples,
        warnings=problem.warnings,
    )


def _from_run(run: FinishedExecution, cell: DocumentCell, now: Mapping[str, str]) -> Evidence | None:
    executed = next((executed for executed in run.cells if _is_of(executed, cell)), None)
    if executed is None or (cell.is_problem and executed.get("reference") is None):  # executed for others, not judged
        return None
    outcome = executed.get("outcome") or {}
    return Evidence(
        source="your run",
        at=run.at,
        stale=run.digests.get(cell.key) != now.get(cell.key),
        seconds=float(outcome.get("seconds") or 0.0),
        ending=str(outcome.get("ending") or "ok"),
        outputs=outcome.get("outputs") or (),
        variables=outcome.get("variables") or (),
        error=outcome.get("error"),
        opinions={column: _opinion(executed.get(column)) for column in COLUMNS},
        examples=executed.get("examples") or (),
        warnings=executed.get("warnings") or (),
    )


def _is_of(executed: Mapping[str, Any], cell: DocumentCell) -> bool:
    if cell.is_problem:
        return bool(executed.get("problem") == cell.number)
    return bool(executed.get("position") == cell.position + 1)


def _opinion(judged: Mapping[str, Any] | None) -> Opinion:
    if not judged:
        return Opinion()
    return Opinion(str(judged.get("verdict") or "none"), _reason(judged.get("reason")), judged.get("validation"))


def _reason(reason: object) -> str:
    if isinstance(reason, Mapping):
        return str(reason.get("reason") or "")
    return str(reason or "")
