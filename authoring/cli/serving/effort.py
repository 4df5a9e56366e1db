"""`benchwright effort`: what people and models spent, and what was measured beside it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.drafting.guide import figure
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.store import problemsets
from authoring.store.effort import record_baseline, record_effort, save_person
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.effort import EffortGroup, EffortReport

NameOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Whose minutes they are.")]
MinutesOption = Annotated[float, typer.Option("--minutes", metavar="M", help="Measured minutes, above 0.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    commands = typer.Typer(help="Show what people and models spent; record what was measured.")
    commands.callback(invoke_without_command=True)(show)
    commands.command("person", help="Say how experienced an annotator is.")(person)
    commands.command("baseline", help="Record what making problems by hand took.")(baseline)
    commands.command("add", help="Record minutes that no revision carries, such as of a review.")(add)
    app.add_typer(commands, name="effort")


def show(
    context: typer.Context,
    by: Annotated[str, typer.Option("--by", help="Add minutes up by set, person or guide.")] = "set",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Show the effort, unless a subcommand follows."""
    from authoring.effort import Grouping, effort_report

    if context.invoked_subcommand is not None:
        return 0
    if by not in list(Grouping):
        raise UsageError(f"minutes cannot be added up by {by!r}", fix=f"use one of {', '.join(Grouping)}")
    report = effort_report(_opened(workspace), Grouping(by))
    emit(report.to_json(), as_json, _report_text(report))
    return 0


def person(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The annotator.")],
    experience: Annotated[str, typer.Option(help="In your own words, such as '5 years of pandas'.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Record an annotator's experience."""
    saved = save_person(_opened(workspace), name, experience=experience)
    emit(asdict(saved), as_json, f"{saved.name}: {saved.experience}")
    return 0


def baseline(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="What was made by hand.")],
    minutes: MinutesOption,
    problems: Annotated[int, typer.Option(metavar="N", help="How many problems came of it.")],
    by: NameOption,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Record a manual baseline."""
    found = record_baseline(_opened(workspace), subject, person=by, minutes=minutes, problems=problems)
    record = {"id": found, "subject": subject, "minutes": minutes, "problems": problems, "person": by}
    emit(record, as_json, f"{subject}: {minutes / problems:.2f} minutes per problem by hand")
    return 0


def add(
    activity: Annotated[str, typer.Argument(help="sketch, revision, review or guide.")],
    minutes: MinutesOption,
    by: NameOption,
    problemset: Annotated[str | None, typer.Option(metavar="NAME", help="The problemset it was spent on.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Record minutes."""
    ws = _opened(workspace)
    row = problemsets.find(ws, problemset) if problemset else None
    subject, set_id = (row.name, row.id) if row else (activity, None)
    found = record_effort(ws, activity, subject=subject, person=by, minutes=minutes, problemset_id=set_id)
    record = {"id": found, "activity": activity, "subject": subject, "minutes": minutes, "person": by}
    emit(record, as_json, f"{minutes:g} minutes of {activity} by {by}")
    return 0


def _opened(workspace: Path) -> "Workspace":
    return Workspace.open(workspace, create=False)


def _report_text(report: "EffortReport") -> str:
    cost = "unknown" if report.cost is None else f"{report.cost:.4f} {report.currency}".rstrip()
    why = f" ({report.unpriced_calls} calls without a known price)" if report.unpriced_calls else ""
    lines = [
        *map(_group_text, report.groups),
        f"all: {report.minutes:.1f} minutes; per measured revision {figure(report.minutes_per_revision)}"
        f" ({report.revisions_measured} measured)",
        f"per accepted problem: {figure(report.minutes_per_problem)} minutes (measured for {report.measured_problems}"
        f" of {report.accepted_problems}), {figure(report.tokens_per_accepted_problem)} tokens,"
        f" cost {figure(report.cost_per_accepted_problem)}",
        f"models: {report.tokens} tokens, cost {cost}{why}",
    ]
    if report.baseline_minutes_per_problem is None:
        return "\n".join([*lines, "no manual baseline was measured, so no reduction is stated"])
    by_hand = f"by hand: {figure(report.baseline_minutes_per_problem)} minutes per problem"
    return "\n".join([*lines, f"{by_hand}; reduction: {figure(report.reduction)} times"])


def _group_text(group: "EffortGroup") -> str:
    parts = ", ".join(f"{activity} {minutes:.1f}" for activity, minutes in group.by_activity.items())
    said = f"  [{group.experience}]" if group.experience else ""
    return f"{group.name}: {group.minutes:.1f} minutes ({parts}); per problem {figure(group.minutes_per_problem)}{said}"
