"""`benchwright validators` and `try`: what could judge a problem, and how an answer of your own is judged."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    ByOption,
    EnvironmentOption,
    JsonOption,
    WorkspaceOption,
    progress_bar,
)
from authoring.cli.output import emit, saved_revision
from authoring.seeds.workspace_setup import open_workspace
from evaluator.session import SandboxChoice

if TYPE_CHECKING:
    from authoring.revising.validators.answer_trials import TriedAnswer
    from authoring.revising.validators.validator_proposals import Proposals


def register(app: typer.Typer) -> None:
    """Add the command and its subcommand."""
    _register_try(app)
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

        ws = open_workspace(workspace)
        found = propose_validators(ws, problemset, problem, engine=engine, on_event=on_event)
    saved = apply_proposal(ws, found, apply, by=by) if apply else None
    said = f"\nproposal {apply} is saved in {saved.problemset_name}@{saved.number}" if saved else ""
    emit({**found.to_json(), **saved_revision(saved)}, as_json, _as_text(found) + said)
    return 0


def _as_text(found: "Proposals") -> str:
    lines = [f"{found.label}, {found.cell.name}"]
    for each in found.proposals:
        accepted = ", ".join(each.accepted()) or "no rewrite"
        own = "" if each.reference_passes else "  (the reference itself does not pass)"
        lines += [f"{each.number:>3}. {each.title}: {dict(each.validator)}{own}", f"     accepts: {accepted}"]
    return "\n".join(lines)


def _register_try(app: typer.Typer) -> None:
    """Add the command."""
    app.command("try", help="Judge an answer to a problem, and keep it as an example of the problem.")(try_)


def try_(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset, or NAME@3 for its revision 3.")],
    problem: Annotated[str, typer.Argument(help="Id or number of the problem.")],
    file: Annotated[Path, typer.Argument(help="Python code: the answer.", exists=True, dir_okay=False)],
    keep: Annotated[
        str, typer.Option(metavar="accepted|rejected", help="Keep it in a new revision, if its verdict fits.")
    ] = "",
    by: ByOption = "",
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    environment: EnvironmentOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Try an answer; 0: it was judged (and kept, if asked for), 1: its verdict does not fit `--keep`."""
    from authoring.revising.rebase import read_text_file
    from authoring.revising.validators.answer_trials import find_kept, keep_answer
    from evaluator.environments import choose_environment
    from evaluator.session import Engine

    kept, code = find_kept(keep), read_text_file(file)
    with Engine(sandbox=sandbox, environment=choose_environment(environment)) as engine, progress_bar() as on_event:
        from authoring.revising.validators.answer_trials import try_answer

        ws = open_workspace(workspace)
        tried = try_answer(ws, problemset, problem, code, engine=engine, on_event=on_event)
    saved = keep_answer(ws, tried, kept, by=by) if kept else None
    said = f"\nkept as {keep} in {saved.problemset_name}@{saved.number}" if saved else ""
    result = {**tried.to_json(), "kept": keep or None, **saved_revision(saved)}
    emit(result, as_json, _trial_text(tried) + said)
    return 0


def _trial_text(tried: "TriedAnswer") -> str:
    from authoring.revising.affected.rerunning import outputs_text
    from evaluator.scoring import wanted_in_words

    judged = tried.judged
    sub = f" {judged.subverdict.value}" if judged.subverdict.value != "UNCATEGORIZED" else ""
    lines = [f"{tried.label}, {tried.cell.name}: {judged.verdict.value}{sub}"]
    lines += [f"reason: {judged.reason}"] if judged.reason else []
    if tried.reference is not None and tried.reference.verdict.value != "CORRECT":
        lines.append(f"the reference itself: {tried.reference.verdict.value}")
    for kept in tried.examples:
        said = "" if kept.holds else f", but must be {wanted_in_words(kept.example)}"
        lines.append(f"{kept.example.where}: {kept.judged.verdict.value}{said}")
    shown = outputs_text(tried.to_json()["outputs"], tried.to_json()["error"])
    return "\n".join([*lines, *(f"  {line}" for line in shown.split("\n") if shown)])
