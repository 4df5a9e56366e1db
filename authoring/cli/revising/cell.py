"""`benchwright cell`: add, move and delete cells of a problemset."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.authoring_options import ByOption
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit

if TYPE_CHECKING:
    from authoring.store import Revision

SetArgument = Annotated[str, typer.Argument(help="Name of the problemset.")]
CellArgument = Annotated[str, typer.Argument(help="Id or number of a problem, or setup1.")]
AfterOption = Annotated[str, typer.Option(help="The cell to stand after, or the word 'start'.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
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
    from authoring.revising.rebase import read_text_file
    from authoring.revising.reshaping import add_problem
    from authoring.seeds.workspace_setup import open_workspace

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
    from authoring.revising.reshaping import move_cell
    from authoring.seeds.workspace_setup import open_workspace

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
    from authoring.revising.reshaping import delete_cell
    from authoring.seeds.workspace_setup import open_workspace

    _say(delete_cell(open_workspace(workspace), problemset, cell, by=by), as_json)
    return 0


def _say(made: "Revision", as_json: bool) -> None:
    label = f"{made.problemset_name}@{made.number}"
    emit({"id": made.id, "number": made.number, "message": made.message}, as_json, f"{label}: {made.message}")
