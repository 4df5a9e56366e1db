"""`benchwright restore`: an older revision as the newest one."""

from typing import Annotated

import typer

from authoring.cli.authoring_options import ByOption
from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("restore", help="Save an older revision's text as the newest revision.")(restore)


def restore(
    revision: Annotated[str, typer.Argument(help="NAME@3, or the id of a revision.")],
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Restore a revision."""
    from authoring.revising.restoring import restore_revision
    from authoring.seeds.workspace_setup import open_workspace

    made = restore_revision(open_workspace(workspace), revision, by=by)
    label = f"{made.problemset_name}@{made.number}"
    emit({"id": made.id, "name": made.problemset_name, "number": made.number}, as_json, f"{label} is the newest now")
    return 0
