"""`benchwright validators`: what could judge a problem, and what each choice would accept."""

from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ByOption, progress_bar
from authoring.cli.options import DEFAULT_WORKSPACE, EnvironmentOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.revising.validators.validator_proposals import Proposals


def register(app: typer.Typer) -> None:
    """Add the command and its subcommand."""
    commands = typer.Typer(help="Propose validators, and show what each would accept.", no_args_is_help=True)
    commands.callback()(_validators)
    commands.command("propose", help="Try validators on rewrites of a problem's reference.")(propose)
    app.add_typer(commands, name="validators")


def _validators() -> None:
    """Propose validators, and show what each would accept."""


def propose(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")],
    problem: Annotated[str, typer.Argument(help="Id or number of the problem.")],
    apply: Annotated[int, typer.Option(metavar="N", help="Save proposal N in a new revision; 0: none.")] = 0,
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Propose validators."""
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    with Engine(sandbox=sandbox, environment=choose_environment(environment)) as engine, progress_bar() as on_event:
        from authoring.revising.validators.validator_proposals import apply_proposal, propose_validators
        from authoring.seeds.workspace_setup import open_workspace  # meanwhile the engine warms up

        ws = open_workspace(workspace)
        found = propose_validators(ws, problemset, problem, engine=engine, on_event=on_event)
    saved = apply_proposal(ws, found, apply, by=by) if apply else None
    said = f"\nproposal {apply} is saved in {saved.problemset_name}@{saved.number}" if saved else ""
    emit({**found.to_json(), "revision": saved.number if saved else None}, as_json, _as_text(found) + said)
    return 0


def _as_text(found: "Proposals") -> str:
    lines = [f"{found.label}, {found.cell.name}"]
    for each in found.proposals:
        accepted = ", ".join(each.accepted()) or "no rewrite"
        own = "" if each.reference_passes else "  (the reference itself does not pass)"
        lines += [f"{each.number:>3}. {each.title}: {dict(each.validator)}{own}", f"     accepts: {accepted}"]
    return "\n".join(lines)
