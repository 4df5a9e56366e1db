"""The dry run of a revision: every problem executed and judged before a person relies on it; the result is stored."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from authoring.checks import CheckFailure, failures_of, slow_problems
from authoring.checks.dry_run.checked_execution import ShouldJudge, always, execute_cells
from authoring.checks.dry_run.checked_set import CheckedSet, row_of, samples_of, summary_of
from authoring.checks.dry_run.controversies import close_repaired, open_controversies
from authoring.checks.dry_run.sampled_answers import misjudged_examples
from authoring.checks.standing import validators_digest, why_stale
from authoring.progress import OnEvent, no_progress
from authoring.prompting.repair_loop import open_client
from authoring.seeds import materialise_inputs
from authoring.store import dry_runs, problemsets, revisions
from authoring.store.dry_runs import DryRun, DryRunProblem, DryRunSample
from authoring.store.problemsets import problemset_inputs
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.agents import Agent
from evaluator.agents.model_agents.chat import PLAIN, SAMPLE_TEMPERATURE, ChatAgent, UnavailableAgent
from evaluator.diagnostics import has_errors
from evaluator.errors import ToolkitError, UsageError
from evaluator.language import (
    OwnValidators,
    ParsedProblemset,
    Problemset,
    error_of_diagnostics,
    measured_difficulties,
    parse_problemset,
)
from evaluator.language.document import Document
from evaluator.models import ModelSettings
from evaluator.session import Engine, scratch_folder


@dataclass(frozen=True)
class DryRunResult:
    """A stored dry run and what it means for the revision."""

    revision: Revision
    dry_run: DryRun
    failures: tuple[CheckFailure, ...]  # what forbids accepting the revision
    slow: tuple[int, ...]  # numbers of problems that use more than a third of their time limit

    @property
    def id(self) -> int:
        """The dry run's id."""
        return self.dry_run.id

    @property
    def passed(self) -> bool:
        """Whether every reference passes its own validators and every empty answer fails."""
        return not self.failures

    def error(self) -> dict[str, str]:
        """Return what, where and fix of a dry run that forbids accepting the revision."""
        label = _label(self.revision)
        listed = "; ".join(str(failure) for failure in self.failures)
        fix = self.failures[0].fix if self.failures else ""
        return {"what": f"{label} is not fit to be accepted: {listed}", "where": label, "fix": fix}

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values without outputs and code."""
        return {
            "id": self.id,
            "problemset": self.revision.problemset_id,
            "name": self.revision.problemset_name,
            "revision": self.revision.id,
            "number": self.revision.number,
            "passed": self.passed,
            "sandbox": self.dry_run.sandbox,
            "environment": self.dry_run.environment,
            "problems": [
                {
                    "index": p.index,
                    "problem_id": p.problem_id,
                    "seconds": p.seconds,
                    "reference": p.reference_verdict,
                    "empty": p.empty_verdict,
                    "agent": p.agent_verdict,
                    "reasons": p.reasons,
                    "warnings": p.warnings,
                }
                for p in self.dry_run.problems
            ],
            "failures": [failure.to_json() for failure in self.failures],
            "slow": list(self.slow),
        }


def dry_run(
    ws: Workspace,
    revision_ref: str | int,
    *,
    engine: Engine,
    model: ModelSettings | None = None,
    samples: int = 1,
    on_event: OnEvent = no_progress,
) -> DryRunResult:
    """Execute and judge a revision, store the result and return it.

    Args:
        ws: The workspace.
        revision_ref: A revision's id, NAME (its head) or NAME@3.
        engine: Where it runs.
        model: The reference agent's; None: its column says `none`.
        samples: How often the model is asked for each problem (count, >= 1); the first answer fills the column.
        on_event: Told of each problem.

    Raises:
        UsageError: If there is no such revision, or several answers are wanted of no model.
        ContentError: If it cannot be executed: it does not parse.
        ToolkitError: If the engine cannot start or fails on a problem; then nothing is stored.
    """
    revision = revisions.find(ws, revision_ref)
    if samples > 1 and model is None:
        raise UsageError("there is no model to ask several times", fix="name one: --model, or BENCHWRIGHT_MODEL")
    own = workspace_validators(ws)
    problemset = readable_problemset(revision, own)
    executed = execute_revision(
        ws, revision, problemset, engine=engine, model=model, samples=samples, on_event=on_event
    )
    executed.refuse_engine_faults()
    return store_executed(ws, revision, problemset, executed, engine=engine, model=model)


def execute_revision(
    ws: Workspace,
    revision: Revision,
    problemset: Problemset,
    *,
    engine: Engine,
    model: ModelSettings | None = None,
    samples: int = 1,
    judges: ShouldJudge = always,
    on_event: OnEvent = no_progress,
) -> CheckedSet:
    """Execute a revision on its input files; arguments as of `dry_run` and `execute_cells`."""
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder())
        inputs = materialise_inputs(ws, problemset_inputs(ws, revision.problemset_id), folder / "inputs")
        agents = _agents(ws, revision, model, samples, stack) if model else ()
        return execute_cells(engine, problemset, inputs, agents=agents, judges=judges, on_event=on_event)


def store_executed(
    ws: Workspace,
    revision: Revision,
    problemset: Problemset,
    executed: CheckedSet,
    *,
    engine: Engine,
    model: ModelSettings | None = None,
    rows: Sequence[DryRunProblem] | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> DryRunResult:
    """Store what an execution showed as a dry run of the revision; what it leaves open goes to the roundtable.

    Args:
        ws: The workspace.
        revision: What was executed.
        problemset: Its problems.
        executed: The executed cells.
        engine: Where they ran.
        model: The reference agent's, if it was asked.
        rows: The problems' rows; None: those of `executed`.
        more: Goes into the summary, plain JSON.
    """
    stored = tuple(row_of(cell) for cell in executed.problems) if rows is None else tuple(rows)
    shown = ExecutedRows(
        stored, summary_of(executed, model, engine.environment), engine.environment_id, engine.sandbox_name
    )
    return store_rows(ws, revision, problemset, shown, samples=samples_of(executed, model), more=more)


@dataclass(frozen=True)
class ExecutedRows:
    """What an execution showed, as it is stored: nothing in it is bound to an engine any more."""

    problems: tuple[DryRunProblem, ...]
    summary: Mapping[str, Any]  # of the dry run as a whole
    environment: str  # id
    sandbox: str


def store_rows(
    ws: Workspace,
    revision: Revision,
    problemset: Problemset,
    shown: ExecutedRows,
    *,
    samples: Sequence[DryRunSample] = (),
    more: Mapping[str, Any] = MappingProxyType({}),
) -> DryRunResult:
    """Store what an execution showed, wherever it was, as a dry run of the revision.

    Args:
        ws: The workspace.
        revision: What was executed.
        problemset: Its problems.
        shown: What it showed.
        samples: Several answers of the reference agent to each problem.
        more: Goes into the summary, plain JSON.
    """
    stored = shown.problems
    dry_run_id = dry_runs.save(
        ws,
        revision_id=revision.id,
        environment=shown.environment,
        sandbox=shown.sandbox,
        problems=stored,
        samples=samples,
        summary={
            **shown.summary,
            "validators": validators_digest(problemset),
            "misjudged_examples": misjudged_examples(stored),
            "levels": {str(number): found.level for number, found in enumerate(measured_difficulties(problemset), 1)},
            "warnings": {str(row.index): [each["code"] for each in row.warnings] for row in stored if row.warnings},
            **more,
        },
    )
    found = dry_runs.find(ws, dry_run_id)
    close_repaired(ws, revision, found)
    open_controversies(ws, problemset, found)
    return result_of(revision, found)


def dry_run_problemset(
    ws: Workspace,
    problemset_ref: str | int,
    *,
    engine: Engine,
    model: ModelSettings | None = None,
    samples: int = 1,
    on_event: OnEvent = no_progress,
) -> DryRunResult:
    """Dry-run the head of a problemset (id or name); NAME@3 names a revision of it. Otherwise as `dry_run`."""
    numbered = isinstance(problemset_ref, str) and "@" in problemset_ref
    ref = problemset_ref if numbered else problemsets.find(ws, problemset_ref).head_revision_id
    return dry_run(ws, ref, engine=engine, model=model, samples=samples, on_event=on_event)


def current_dry_run(ws: Workspace, revision: Revision, environment: str | None) -> DryRunResult | None:
    """Return the newest dry run of a revision if it still holds; None when it is missing or stale.

    Args:
        ws: The workspace.
        revision: The revision; its text and its input files never change.
        environment: The environment in use now; None: any will do.
    """
    found = dry_runs.latest(ws, revision.id)
    own = workspace_validators(ws)
    if found is None or why_stale(found, own.digest if own is not None else "", environment):
        return None
    return result_of(revision, found)


def _parsed(revision: Revision, own: OwnValidators | None) -> ParsedProblemset:
    path = Path(f"{revision.problemset_name}.py")
    return parse_problemset(revision.text, name=revision.problemset_name, path=path, own_validators=own)


def readable_problemset(revision: Revision, own: OwnValidators | None = None) -> Problemset:
    """Return the problems of a revision.

    Raises:
        ContentError: If the text has errors; it names the first ones.
    """
    return readable_text(revision.text, revision.problemset_name, own, label=_label(revision))


def readable_text(text: str, name: str, own: OwnValidators | None = None, *, label: str = "") -> Problemset:
    """Return the problems of a text, saved or not.

    Raises:
        ContentError: If the text has errors; it names the first ones.
    """
    document = Document.parse(text, name=name, own_validators=own)
    found = document.diagnostics
    if document.problemset is None or has_errors(found):
        raise error_of_diagnostics(label or name, found, is_readable=document.parses)
    return document.problemset


def result_of(revision: Revision, found: DryRun) -> DryRunResult:
    """Return what a stored dry run means for its revision."""
    return DryRunResult(revision, found, failures_of(found), slow_problems(found))


def _agents(
    ws: Workspace, revision: Revision, model: ModelSettings, samples: int, stack: ExitStack
) -> tuple[Agent, ...]:
    """Return one agent per sample; a single one is asked as before, at temperature 0."""
    try:
        client = open_client(ws, model, purpose="dry_run", subject=f"revision {revision.id}")
    except ToolkitError as error:
        return (UnavailableAgent(error),) * samples  # references and empty answers are judged all the same
    stack.enter_context(client)
    if samples == 1:
        return (ChatAgent(client, PLAIN),)
    sampled = {**PLAIN, "temperature": SAMPLE_TEMPERATURE}
    return tuple(ChatAgent(client, sampled, repeat=number) for number in range(1, samples + 1))


def _label(revision: Revision) -> str:
    return f"{revision.problemset_name}@{revision.number}"
