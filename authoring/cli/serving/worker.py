"""`benchwright worker`: the process that works off a workspace's jobs, without the app."""

from typing import Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit, note


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("worker", help="Work off the jobs of a workspace until SIGTERM or Ctrl-C.")(worker)


def worker(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    once: Annotated[bool, typer.Option("--once", help="End when no job is left.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Work until told to end."""
    from authoring.worker import run_worker

    note(f"working off the jobs of {str(workspace)!r}; Ctrl-C ends it")
    run_worker(workspace, once=once)
    emit({"workspace": str(workspace), "ended": True}, as_json, "the worker has ended")
    return 0
