"""The server around app.py: `python -m authoring.ui.shell.server --port P --workspace W`.

It listens on this machine only, starts a worker and ends it when it ends. It executes no problem code itself.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluator.installation import HOME

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

WORKER_GRACE_S: Final = 8.0  # the worker gives its own children 5 s
RESTART_AFTER_S: Final = 2.0

_log = logging.getLogger(__name__)


def server_options(port: int) -> dict[str, Any]:
    """Return the settings that are safe and local whatever folder the server was started from."""
    return {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.allowedHosts": ["localhost", "127.0.0.1"],  # an empty list would accept any: DNS rebinding
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.enableStaticServing": True,
        "server.headless": True,
        "server.showEmailPrompt": False,  # a first start at a terminal would wait for an address
        "server.fileWatcherType": "none",
        "runner.magicEnabled": False,  # pages draw what they mean to draw
        "runner.postScriptGC": False,  # a look at all objects after each action: twice the time that a page takes
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "logger.hideWelcomeMessage": True,
    }


@contextlib.asynccontextmanager
async def worker_lifespan(_app: object) -> AsyncIterator[dict[str, Any] | None]:
    """Keep one worker running as long as the server runs."""
    keeper = asyncio.create_task(_keep_worker(os.environ["BENCHWRIGHT_WORKSPACE"]))
    try:
        yield None
    finally:
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper


async def describe_health(_request: "Request") -> "Response":
    """Answer `/healthz`: the schema version, and how long ago a worker last reported (null: none does)."""
    from starlette.responses import JSONResponse

    from authoring.store.database.migrations import SCHEMA_VERSION
    from authoring.store.jobs import live_workers
    from authoring.store.workspace import Workspace

    ages = [worker.age_s for worker in live_workers(Workspace(Path(os.environ["BENCHWRIGHT_WORKSPACE"])))]
    return JSONResponse({"schema_version": SCHEMA_VERSION, "worker_heartbeat_age_s": min(ages, default=None)})


async def _keep_worker(workspace: str) -> None:
    while True:
        worker = subprocess.Popen(
            [sys.executable, "-m", "authoring.worker", "--workspace", workspace, "--parent-pid", str(os.getpid())],
            cwd=HOME,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C at the terminal reaches the server, which then ends the worker in order
        )
        try:
            while worker.poll() is None:
                await asyncio.sleep(0.5)
            _log.error("event=worker_ended code=%s restart_in_s=%s", worker.returncode, RESTART_AFTER_S)
            await asyncio.sleep(RESTART_AFTER_S)
        finally:
            _end(worker)


def _end(worker: subprocess.Popen[bytes]) -> None:
    if worker.poll() is not None:
        return
    worker.terminate()
    try:
        worker.wait(WORKER_GRACE_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m authoring.ui.shell.server", description=__doc__)
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--no-worker", action="store_true", help="somebody else runs the worker")
    arguments = parser.parse_args()
    os.environ["BENCHWRIGHT_WORKSPACE"] = str(arguments.workspace.resolve())
    os.chdir(HOME)
    sys.argv = [str(HOME / "app.py")]  # Streamlit looks for static/ and its configuration beside this file

    import streamlit as st
    from starlette.middleware import Middleware
    from starlette.routing import Route

    from authoring.ui.boundary import on_script_error
    from authoring.ui.shell.document import Assets, shell_routes
    from authoring.ui.shell.frame import STYLED
    from authoring.ui.shell.navigation import PAGES

    os.environ[STYLED] = "yes"
    app = st.App(
        HOME / "app.py",
        routes=[Route("/healthz", describe_health), *shell_routes([page.name for page in PAGES])],
        middleware=[Middleware(Assets)],
        lifespan=None if arguments.no_worker else worker_lifespan,
        on_script_error=on_script_error,
    )
    with contextlib.suppress(KeyboardInterrupt):
        app.run(config=server_options(arguments.port))


if __name__ == "__main__":
    main()
