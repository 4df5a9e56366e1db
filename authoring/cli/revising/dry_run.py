"""`benchwright dry-run`, `affected` and `rerun`: execute and judge a draft, all of it or what an edit reaches."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    EnvironmentOption,
    JsonOption,
    ModelOption,
    WorkspaceOption,
    progress_bar,
)
from authoring.cli.output import emit, note
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.checks.dry_run.dry_running import DryRunResult
    from authoring.checks.solve_rates import SolveRate
    from authoring.revising.affected.dependence import Affected
    from authoring.revising.affected.rerunning import Rerun
    from authoring.revising.approvals import Approvals
    from authoring.store.dry_runs import DryRunProblem
    from authoring.store.revisions import Revision


def register(app: typer.Typer) -> None:
    """Add the commands."""
    _register_affected(app)
    app.command(
        "dry-run", help="Execute a problemset and judge its references, an empty answer and a model's answers."
    )(dry_run)


def dry_run(
    problemset: Annotated[str, typer.Argument(help="Name or id of the problemset; NAME@3 is its revision 3.")],
    model: ModelOption = None,
    samples: Annotated[
        int, typer.Option(min=1, max=100, help="How often the model is asked for each problem; shows solve rates.")
    ] = 1,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Dry-run a problemset; 0: fit to be accepted, 1: not; the result is stored either way."""
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    used = choose_environment(environment)
    with Engine(sandbox=sandbox, environment=used) as engine, progress_bar() as on_event:
        from authoring.checks.dry_run.dry_running import dry_run_problemset  # meanwhile the engine warms up
        from authoring.checks.solve_rates import solve_rates as rates_of
        from evaluator.models import configured_model

        ws, asked = open_workspace(workspace), configured_model(model)
        found = dry_run_problemset(ws, problemset, engine=engine, model=asked, samples=samples, on_event=on_event)
        rates = rates_of(ws, found.revision, found.id)
    result = {**found.to_json(), "solve_rates": [each.to_json() for each in rates]}
    text = "\n".join([_as_text(found), *_rate_lines(rates)])
    if found.passed:
        emit(result, as_json, text)
        return 0
    error = {**found.error(), "dry_run": result}
    emit({"error": error}, as_json, text)
    if not as_json:
        note(f"error: {error['what']}\n  where: {error['where']}\n  fix: {error['fix']}")
    return 1


def _rate_lines(rates: Sequence["SolveRate"]) -> list[str]:
    if not rates:
        return []
    lines = [f"{'problem':<28} {'solved':>8}  {'rate':<6} {'difficulty':<11} {'level':<7} equal wrong answers"]
    for each in rates:
        rate = "none" if each.rate is None else f"{each.rate:.0%}"
        groups = ", ".join(f"{group.count} x {group.verdict}" for group in each.wrong) or "none"
        solved = f"{each.correct}/{each.judged}"
        facts = f"{solved:>8}  {rate:<6} {each.difficulty:<11} {each.level:<7}"
        lines.append(f"{f'{each.index}. {each.problem_id}':<28} {facts} {groups}")
    return lines


def _as_text(found: "DryRunResult") -> str:
    label = f"{found.revision.problemset_name}@{found.revision.number}"
    lines = [
        f"dry run {found.id} of {label}, sandbox {found.dry_run.sandbox}",
        f"{'problem':<28} {'seconds':>8}  {'reference':<18} {'empty answer':<18} reference agent",
    ]
    for p in found.dry_run.problems:
        verdicts = f"{p.reference_verdict:<18} {p.empty_verdict:<18} {p.agent_verdict}"
        lines.append(f"{f'{p.index}. {p.problem_id}':<28} {p.seconds:>8.3f}  {verdicts}")
    lines += warning_lines(found.dry_run.problems)
    if found.slow:
        lines.append(f"more than a third of the time limit: problem {', '.join(map(str, found.slow))}")
    return "\n".join(lines)


def warning_lines(problems: Sequence["DryRunProblem"]) -> list[str]:
    """Return what is doubtful about problems, each with its fix."""
    return [
        f"warning[{each['code']}]: problem {p.index} ({p.problem_id}): {each['what']}\n  fix: {each['fix']}"
        for p in problems
        for each in p.warnings
    ]


SetArgument = Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")]


def _register_affected(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("affected", help="List the problems that an edit reaches, and why; nothing is executed.")(affected)
    app.command("rerun", help="Dry-run a revision, judging again only what the edits since the last one reach.")(rerun)


def affected(
    problemset: SetArgument,
    base: Annotated[str | None, typer.Option(help="The older revision; else the parent of the newer one.")] = None,
    head: Annotated[str | None, typer.Option(help="The newer revision; else the newest.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List affected problems."""
    from authoring.revising.affected.rerunning import affected_by_edit
    from authoring.revising.approvals import approvals_of

    ws = open_workspace(workspace)
    older, newer, found = affected_by_edit(ws, _head(problemset, head), base=base)
    approvals = approvals_of(ws, newer.id)
    result = {
        **{"problemset": newer.problemset_name, "base": older.number, "head": newer.number},
        **{"affected": [each.to_json() for each in found], "approvals": approvals.to_json()},
    }
    text = "\n".join([*_affected_lines(older, newer, found), *_approval_lines(approvals)])
    emit(result, as_json, text)
    return 0


def rerun(
    problemset: SetArgument,
    base: Annotated[
        str | None, typer.Option(help="The revision to build on; else the newest one with a dry run that holds.")
    ] = None,
    model: ModelOption = None,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Rerun what an edit reaches; 0: the revision is fit to be accepted, 1: not."""
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    with Engine(sandbox=sandbox, environment=choose_environment(environment)) as engine, progress_bar() as on_event:
        from authoring.revising.affected.rerunning import rerun as rerun_revision
        from authoring.revising.approvals import approvals_of
        from evaluator.models import configured_model

        ws, asked = open_workspace(workspace), configured_model(model)
        done = rerun_revision(ws, problemset, base=base, engine=engine, model=asked, on_event=on_event)
    approvals = approvals_of(ws, done.result.revision.id)
    _emit_rerun(done, approvals, as_json)
    return 0 if done.result.passed else 1


def _head(problemset: str, head: str | None) -> str:
    if head is None:
        return problemset
    return f"{problemset.partition('@')[0]}@{head}" if head.isascii() and head.isdigit() else head


def _affected_lines(older: "Revision", newer: "Revision", found: tuple["Affected", ...]) -> list[str]:
    name = newer.problemset_name
    count = "no problem is" if not found else "1 problem is" if len(found) == 1 else f"{len(found)} problems are"
    lines = [f"{name}@{older.number} to {name}@{newer.number}: {count} affected"]
    for each in found:
        rest = "" if each.must_rerun else " (need not be run again)"
        lines.append(f"{f'{each.cell.number}. {each.cell.key}':<28} {'; '.join(each.reasons)}{rest}")
    return lines


def _approval_lines(approvals: "Approvals") -> list[str]:
    from authoring.revising.approvals import ApprovalStanding

    if approvals.decision is None or approvals.accepted is None:
        return []
    by = f"{approvals.decision.by} gave @{approvals.accepted.number}"
    kept = ", ".join(map(str, approvals.numbers(ApprovalStanding.KEPT)))
    lines = [f"approvals that {by}: kept by {f'problem {kept}' if kept else 'no problem'}"]
    for each in approvals.problems:
        if each.standing is not ApprovalStanding.KEPT:
            word = "withdrawn" if each.standing is ApprovalStanding.WITHDRAWN else "not known"
            lines.append(f"{f'{each.cell.number}. {each.cell.key}':<28} {word}: {each.reason}")
    return lines


def _emit_rerun(done: "Rerun", approvals: "Approvals", as_json: bool) -> None:
    result = {**done.to_json(), "approvals": approvals.to_json()}
    text = "\n".join([*_rerun_lines(done), *_approval_lines(approvals)])
    if done.result.passed:
        emit(result, as_json, text)
        return
    error = done.result.error()
    emit({"error": {**error, "rerun": result}}, as_json, text)
    if not as_json:
        note(f"error: {error['what']}\n  where: {error['where']}\n  fix: {error['fix']}")


def _rerun_lines(done: "Rerun") -> list[str]:
    from authoring.revising.affected.rerunning import output_text

    revision, rows = done.result.revision, done.result.dry_run.problems
    label = f"{revision.problemset_name}@{revision.number}"
    on = f" on that of @{done.base.number}" if done.base else ", all of it: no earlier one holds"
    judged = len(rows) - len(done.taken_over)
    lines = [f"dry run {done.result.id} of {label}{on}: {judged} judged, {len(done.taken_over)} taken over"]
    lines += [f"{f'{each.cell.number}. {each.cell.key}':<28} {'; '.join(each.reasons)}" for each in done.affected]
    lines += warning_lines(rows)
    for moved in done.moved:
        verdicts = [row.reference_verdict for row in (moved.before, moved.after)]
        lines.append(f"problem {moved.cell.number} ({moved.cell.key}) was {verdicts[0]}, is {verdicts[1]}")
        for sign, row in (("-", moved.before), ("+", moved.after)):
            lines += [f"  {sign} {line}" for line in output_text(row).split("\n")[:20]]
    return lines
