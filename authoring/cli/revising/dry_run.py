"""`benchwright dry-run`: execute and judge a draft before anybody relies on it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ModelOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.checks.dry_run.dry_running import DryRunResult
    from authoring.checks.solve_rates import SolveRate


def register(app: typer.Typer) -> None:
    """Add the command."""
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
        from authoring.seeds.workspace_setup import open_workspace  # meanwhile the engine warms up
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
    lines = [f"{'problem':<28} {'solved':>8}  {'rate':<6} {'difficulty':<11} equal wrong answers"]
    for each in rates:
        rate = "none" if each.rate is None else f"{each.rate:.0%}"
        groups = ", ".join(f"{group.count} x {group.verdict}" for group in each.wrong) or "none"
        solved = f"{each.correct}/{each.judged}"
        lines.append(f"{f'{each.index}. {each.problem_id}':<28} {solved:>8}  {rate:<6} {each.difficulty:<11} {groups}")
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
    if found.slow:
        lines.append(f"more than a third of the time limit: problem {', '.join(map(str, found.slow))}")
    return "\n".join(lines)
