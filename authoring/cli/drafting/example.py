"""`benchwright example`: which accepted sets prompts may show."""

from dataclasses import asdict
from typing import Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.drafting.examples import list_examples, mark_example

SetArgument = Annotated[str, typer.Argument(metavar="SET", help="Name or id of the problemset.")]
ByWhomOption = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]


def register(app: typer.Typer) -> None:
    """Add the command and its three subcommands."""
    commands = typer.Typer(help="List the pool of examples, take a set out, put it back.", no_args_is_help=True)
    commands.command("list", help="List the accepted sets, newest first; the first five that fit are shown.")(list_all)
    commands.command("exclude", help="Keep a set out of prompts.")(exclude)
    commands.command("include", help="Let prompts show a set again.")(include)
    app.add_typer(commands, name="example")


def list_all(workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """List the pool."""
    rows = list_examples(open_workspace(workspace))
    lines = [
        f"{row.problemset_id:>4}  {row.name}@{row.number}" + (f"  excluded by {row.by}" if row.excluded else "")
        for row in rows
    ]
    emit({"examples": [asdict(row) for row in rows]}, as_json, "\n".join(lines) or "no accepted problemsets")
    return 0


def exclude(
    problemset: SetArgument,
    by: ByWhomOption,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Take a set out of the pool."""
    return _mark(problemset, by, workspace, as_json, excluded=True)


def include(
    problemset: SetArgument,
    by: ByWhomOption,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Put a set back into the pool."""
    return _mark(problemset, by, workspace, as_json, excluded=False)


def _mark(problemset: str, by: str, workspace: WorkspaceOption, as_json: bool, *, excluded: bool) -> int:
    found = mark_example(open_workspace(workspace), problemset, excluded=excluded, by=by)
    done = "is kept out of prompts" if excluded else "may be shown in prompts"
    emit({"id": found, "problemset": found, "excluded": excluded, "by": by}, as_json, f"problemset {found} {done}")
    return 0
