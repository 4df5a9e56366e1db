"""`benchwright app`: start the annotators' app and its worker on a workspace."""

import errno
import os
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from authoring.cli.options import DEFAULT_WORKSPACE, JsonOption, WorkspaceOption
from authoring.cli.output import emit
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import jobs, problemsets
from evaluator.errors import ToolkitError, UsageError
from evaluator.installation import HOME

if TYPE_CHECKING:
    from authoring.store.workspace import Workspace

PortOption = Annotated[int, typer.Option("--port", help="The port to listen on, on this machine only.")]
DemoOption = Annotated[bool, typer.Option("--demo", help="Build the demo when the workspace is new.")]


def register(app: typer.Typer) -> None:
    """Add the command to the command tree."""
    app.command("app", help="Start the annotators' app, and print its address.")(open_app)


def open_app(
    port: PortOption = 8501,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    demo: DemoOption = False,
    as_json: JsonOption = False,
) -> int:
    """Check what can be checked before the server starts, then become the server."""
    _require_app_folder()
    _require_free_port(port)
    opened = open_workspace(workspace)
    if demo:
        _order_demo(opened)
    url = f"http://127.0.0.1:{port}"
    emit(
        {"url": url, "workspace": str(opened.root)},
        as_json,
        f"Benchwright opens {url} on the workspace {opened.root}\nStop it with Ctrl-C.",
    )
    os.chdir(HOME)
    os.execv(  # noqa: S606 - the server takes this process over, so that signals and the exit code are its own
        sys.executable,
        [sys.executable, "-m", "authoring.ui.shell.server", "--port", str(port), "--workspace", str(opened.root)],
    )


def _require_app_folder() -> None:
    if not (HOME / "app.py").is_file():
        fix = "install benchwright again, or run 'make app' in a checkout"
        raise ToolkitError("the app's folder is missing", where=str(HOME / "app.py"), fix=fix)


def _require_free_port(port: int) -> None:
    if not 1 <= port <= 65_535:
        raise UsageError(f"{port} is no port", where="--port", fix="choose a number from 1024 to 65535")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            cause = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
            other = port + 1 if 1024 <= port < 65_535 else 8501
            raise ToolkitError(
                f"port {port} {cause}",
                where=f"127.0.0.1:{port}",
                fix=f"end the program that uses it, or choose another: make app PORT={other}"
                f" (benchwright app --port {other})",
            ) from error


def _order_demo(workspace: "Workspace") -> None:
    """Queue the demo when nothing was ever made in the workspace."""
    from authoring.jobs import JOB_KINDS

    if not problemsets.count(workspace) and not jobs.select(workspace, 1):
        JOB_KINDS["demo"].order(workspace, {}, key="demo", created_by="benchwright")
