"""`benchwright suggestion`: changed problems that wait for a decision, one by one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit, saved_revision
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import problemsets
from authoring.store.reviewing.suggestions import list_suggestions, refuse_suggestion

if TYPE_CHECKING:
    from authoring.store.revisions import Revision

IdArgument = Annotated[int, typer.Argument(metavar="ID", help="Id of the suggestion.")]
DeciderOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]
ReasonOption = Annotated[str, typer.Option(help="Why, if there is more to say.")]
OverNewerOption = Annotated[
    bool, typer.Option("--over-newer", help="Replace a text that is newer than the one it was made for.")
]


def register(app: typer.Typer) -> None:
    """Add the command and its four subcommands."""
    commands = typer.Typer(help="List suggestions; accept, change or refuse each of them.", no_args_is_help=True)
    commands.command("list", help="List suggestions with both texts; stale ones are marked.")(list_all)
    commands.command("accept", help="Make a revision in which only this cell changes.")(accept)
    commands.command("change", help="Accept a cell of your own instead of the suggested one.")(change)
    commands.command("refuse", help="Refuse a suggestion with a reason.")(refuse)
    app.add_typer(commands, name="suggestion")


def list_all(
    problemset: Annotated[str | None, typer.Argument(metavar="[SET]", help="Only those of this problemset.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show the decided ones too.")] = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List suggestions."""
    from authoring.revising.suggestion_decisions import view_suggestion

    ws = open_workspace(workspace)
    wanted = problemsets.find(ws, problemset).id if problemset else None
    views = [view_suggestion(ws, s) for s in list_suggestions(ws, wanted, status=None if every else "open")]
    text = "\n\n".join(_text(view) for view in views) or "no suggestions"
    emit({"suggestions": [view.to_json() for view in views]}, as_json, text)
    return 0


def accept(
    suggestion: IdArgument,
    by: DeciderOption,
    reason: ReasonOption = "",
    over_newer: OverNewerOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Accept a suggestion; 1: it was decided before, or its problem was changed meanwhile."""
    from authoring.revising.suggestion_decisions import accept_suggestion

    ws = open_workspace(workspace)
    made = accept_suggestion(ws, suggestion, by=by, reason=reason, over_newer=over_newer)
    return _emit(suggestion, "accepted", made, as_json)


def change(
    suggestion: IdArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The changed cell.", exists=True, dir_okay=False)],
    by: DeciderOption,
    reason: ReasonOption = "",
    over_newer: OverNewerOption = False,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Accept a changed form of a suggestion."""
    from authoring.revising.rebase import read_text_file
    from authoring.revising.suggestion_decisions import change_suggestion

    ws = open_workspace(workspace)
    cell = read_text_file(file)
    made = change_suggestion(ws, suggestion, cell, by=by, reason=reason, over_newer=over_newer)
    return _emit(suggestion, "changed", made, as_json)


def refuse(
    suggestion: IdArgument,
    by: DeciderOption,
    reason: Annotated[str, typer.Option(help="What is wrong with it.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Refuse a suggestion."""
    refuse_suggestion(open_workspace(workspace), suggestion, by=by, reason=reason)
    emit({"id": suggestion, "status": "refused", "reason": reason}, as_json, f"suggestion {suggestion} is refused")
    return 0


def _emit(suggestion: int, status: str, made: "Revision", as_json: bool) -> int:
    result = {"id": suggestion, "status": status, **saved_revision(made)}
    emit(result, as_json, f"suggestion {suggestion} is {status}: {made.problemset_name}@{made.number}")
    return 0


def _text(view: Any) -> str:
    found = view.suggestion
    stale = ", STALE: the problem was changed since" if view.is_stale else ""
    head = f"suggestion {found.id}, {found.problemset_name} {found.problem}: {found.status}{stale}"
    reason = f"\nreason: {found.reason}" if found.reason else ""
    return f"{head}{reason}\n--- now\n{view.current_text or '(gone)'}\n--- suggested\n{found.new_text}"
