"""`benchwright cell`, `merge` and `restore`: new revisions out of cells, of two edits, or of an older text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, ByOption, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note, saved_revision
from authoring.seeds.workspace_setup import open_workspace

if TYPE_CHECKING:
    from authoring.store.revisions import Revision

SetArgument = Annotated[str, typer.Argument(help="Name of the problemset.")]
CellArgument = Annotated[str, typer.Argument(help="Id or number of a problem, or setup1.")]
AfterOption = Annotated[str, typer.Option(help="The cell to stand after, or the word 'start'.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    _register_merge(app)
    _register_restore(app)
    commands = typer.Typer(help="Add, move and delete cells of a problemset.", no_args_is_help=True)
    commands.command("add", help="Add a problem.")(add)
    commands.command("move", help="Move a problem or a setup cell.")(move)
    commands.command("delete", help="Delete a problem or a setup cell.")(delete)
    app.add_typer(commands, name="cell")


def add(
    problemset: SetArgument,
    query: Annotated[str, typer.Option(help="What the problem asks.")],
    code: Annotated[Path, typer.Option(metavar="FILE", help="Its reference code.", exists=True, dir_okay=False)],
    after: AfterOption,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Add a problem."""
    from authoring.revising.cell_changes import add_problem
    from authoring.revising.rebase import read_text_file

    ws = open_workspace(workspace)
    _say(add_problem(ws, problemset, after=after, query=query, code=read_text_file(code), by=by), as_json)
    return 0


def move(
    problemset: SetArgument,
    cell: CellArgument,
    after: AfterOption,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Move a cell."""
    from authoring.revising.cell_changes import move_cell

    _say(move_cell(open_workspace(workspace), problemset, cell, after=after, by=by), as_json)
    return 0


def delete(
    problemset: SetArgument,
    cell: CellArgument,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Delete a cell."""
    from authoring.revising.cell_changes import delete_cell

    _say(delete_cell(open_workspace(workspace), problemset, cell, by=by), as_json)
    return 0


def _say(made: "Revision", as_json: bool) -> None:
    label = f"{made.problemset_name}@{made.number}"
    emit({"id": made.id, "number": made.number, "message": made.message}, as_json, f"{label}: {made.message}")


def _register_merge(app: typer.Typer) -> None:
    """Add the command."""
    app.command("merge", help="Put an edit of an older revision together with what others saved since.")(merge)


def merge(
    problemset: Annotated[str, typer.Argument(help="Name of the problemset; its newest revision is theirs.")],
    base: Annotated[str, typer.Option(help="The revision that was edited: its number, or NAME@3.")],
    mine: Annotated[Path, typer.Option(metavar="FILE", help="The edited text.", exists=True, dir_okay=False)],
    take: Annotated[
        list[str] | None,
        typer.Option(metavar="SIDE[:PROBLEM]", help="Whose text where both clash: mine, theirs:load. Repeatable."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result here.")] = None,
    save: Annotated[bool, typer.Option("--save", help="Save the result as a new revision.")] = False,
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Merge; 0: done, 1: conflicts are left, each listed with its three texts."""
    from authoring.revising.merging import conflict_text
    from authoring.revising.rebase import bring_onto_head, read_takes, save_brought, write_merged

    ws = open_workspace(workspace)
    brought = bring_onto_head(ws, problemset, base=base, mine=mine, takes=read_takes(take or []))
    text = brought.merged.text
    if text is None:
        error = brought.error()
        record = {"what": error.what, "where": error.where, "fix": error.fix, "merge": brought.to_json()}
        emit({"error": record}, as_json, "\n".join(conflict_text(each) for each in brought.merged.conflicts))
        if not as_json:
            note(f"error: {error.what}\n  where: {error.where}\n  fix: {error.fix}")
        return 1
    if out is not None:
        write_merged(out, text)
    saved = save_brought(ws, brought, by=by) if save else None
    result = {**brought.to_json(), "text": text, **saved_revision(saved)}
    said = f"saved as {saved.problemset_name}@{saved.number}" if saved else f"written to {out}" if out else text
    emit(result, as_json, said.rstrip("\n"))
    return 0


def _register_restore(app: typer.Typer) -> None:
    """Add the command."""
    app.command("restore", help="Save an older revision's text as the newest revision.")(restore)


def restore(
    revision: Annotated[str, typer.Argument(help="NAME@3, or the id of a revision.")],
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Restore a revision."""
    from authoring.revising.rebase import restore_revision

    made = restore_revision(open_workspace(workspace), revision, by=by)
    label = f"{made.problemset_name}@{made.number}"
    emit({"id": made.id, "name": made.problemset_name, "number": made.number}, as_json, f"{label} is the newest now")
    return 0
