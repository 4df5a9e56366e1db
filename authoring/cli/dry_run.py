"""`benchwright dry-run`: execute and judge a draft before anybody relies on it."""

from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ModelOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.rendering import emit, note
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.pipeline import DryRunResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "dry-run", help="Execute a problemset and judge its references, an empty answer and a model's answers."
    )(dry_run)


def dry_run(
    problemset: Annotated[str, typer.Argument(help="Name or id of the problemset; NAME@3 is its revision 3.")],
    model: ModelOption = None,
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
        from authoring.pipeline import dry_run_problemset, open_workspace  # meanwhile the engine warms up
        from evaluator.models import configured_model

        ws = open_workspace(workspace)
        found = dry_run_problemset(ws, problemset, engine=engine, model=configured_model(model), on_event=on_event)
    if found.passed:
        emit(found.to_json(), as_json, _as_text(found))
        return 0
    error = {**found.error(), "dry_run": found.to_json()}
    emit({"error": error}, as_json, _as_text(found))
    if not as_json:
        note(f"error: {error['what']}\n  where: {error['where']}\n  fix: {error['fix']}")
    return 1


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
