"""A kernel: one process that replays the cells of a session and then runs one submission (design: session engine, 9).

Code travels to it as `execute_request`. What a cell left behind leaves over the cell's own descriptors, once the
`execute_reply` is out; no message is ever believed. Nobody listens on iopub.
"""

import asyncio
import contextlib
import importlib
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import zmq
from jupyter_client.session import Session
from traitlets import Type
from zmq.eventloop.zmqstream import ZMQStream

from evaluator.inside.runtime.cell import Cell
from evaluator.inside.runtime.cell_shell import CellShell
from evaluator.inside.runtime.channel import Channel, ChannelMessage
from evaluator.inside.runtime.frames import FrameKind


@contextlib.contextmanager
def _without(module: str) -> Iterator[None]:
    """Let imports of a module that is not there yet fail for a while."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # pyrefly: ignore[unsupported-operation]  # what makes an import fail
    try:
        yield
    finally:
        del sys.modules[module]


with _without("debugpy"):  # it would trace cells, and takes long to import
    import ipykernel.debugger  # noqa: F401
    from ipykernel.ipkernel import IPythonKernel

MakeCell = Callable[[ChannelMessage], Cell]
Result = TypeVar("Result")

_set_running_loop = asyncio._set_running_loop  # bound before any cell can replace it
_exit = os._exit


class CellKernel(IPythonKernel):
    """Runs the code of requests as cells of ours."""

    shell_class = Type(CellShell)  # pyrefly: ignore[bad-override]  # IPython is untyped here
    requests: Channel
    make_cell: MakeCell
    _ended: Callable[[], None] | None = None

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        """Remember whom to answer; displays do not care."""
        super(IPythonKernel, self).set_parent(ident, parent, channel)

    def pre_handler_hook(self) -> None:
        """Leave signals as they are."""

    def post_handler_hook(self) -> None:
        """Leave signals as they are."""

    async def do_execute(self, code: str, *_: Any, **__: Any) -> dict[str, Any]:
        """Run a cell; the host has sent its limits and descriptors before."""
        with _no_loop():
            self._ended = _or_die(lambda: self._run(code))
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _run(self, code: str) -> Callable[[], None]:
        """Run a cell, and return what reports it."""
        message = self.requests.receive()
        assert message is not None, "the host speaks first"
        cell = self.make_cell(message._replace(body=_with_source(message.body, code)))
        if message.kind == FrameKind.TRY:
            self.requests.close()  # nothing else will come
        ended = cell.execute()
        return lambda: cell.report(ended)

    async def execute_request(self, stream: Any, ident: Any, parent: Any) -> None:
        """Run a cell, reply, then report."""
        try:
            await super().execute_request(stream, ident, parent)
        finally:
            ended, self._ended = self._ended, None
            if ended is not None:
                with _no_loop():
                    _or_die(ended)


def _or_die(work: Callable[[], Result]) -> Result:
    """Do our part of a cell, or die: the host hears of a death at once, and of a silence only when time is up."""
    is_done = False
    try:
        result = work()
        is_done = True
        return result
    finally:
        if not is_done:
            _exit(1)


def _silent_log() -> logging.Logger:
    log = logging.getLogger("kernel")
    log.disabled = True  # what it complains about would look like output of a cell
    return log


def _with_source(body: bytes, source: str) -> bytes:
    return json.dumps({**json.loads(body), "source": source}).encode()


@contextlib.contextmanager
def _no_loop() -> Iterator[None]:
    """Let a cell see no running event loop, as in a session without a kernel: `asyncio.run` and `await` both work."""
    running = asyncio.get_running_loop()
    _set_running_loop(None)
    try:
        yield
    finally:
        _set_running_loop(running)
        asyncio.set_event_loop(running)


def serve(requests: Channel, listener: int, options: dict[str, Any], make_cell: MakeCell) -> None:
    """Be a kernel until somebody ends this process.

    Args:
        requests: Where the host sends what belongs to a cell beside its code.
        listener: Descriptor of the socket that the host connects to.
        options: `key`, which signs messages, and `preload`, modules that cells will need.
        make_cell: Makes a cell from a message of `requests` and its code.
    """
    for name in options["preload"]:
        with contextlib.suppress(Exception):  # the cell's business, which will import it again
            importlib.import_module(name)
    context = zmq.Context()
    shell = context.socket(zmq.ROUTER)
    shell.setsockopt(zmq.USE_FD, listener)
    shell.bind("ipc:///shell")  # a name only: the socket exists already
    iopub = context.socket(zmq.PUB)
    iopub.bind("inproc://iopub")
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    async def main() -> None:
        messages = Session(key=options["key"].encode())
        kernel = CellKernel.instance(
            session=messages, shell_stream=ZMQStream(shell), iopub_socket=iopub, log=_silent_log()
        )
        kernel.requests, kernel.make_cell = requests, make_cell
        CellShell.instance().kernel = kernel
        kernel.start()
        requests.send(FrameKind.READY)
        await asyncio.Event().wait()

    loop.run_until_complete(main())
