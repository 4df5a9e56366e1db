"""The host's end of a TemplateProcess: a warm worker process from which sessions are forked."""

import json
import os
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.inside.runtime.channel import Channel, ChannelMessage
from evaluator.inside.runtime.frames import FOR_KERNEL, FrameError, FrameKind
from evaluator.session.sandboxing import sandbox
from evaluator.session.sandboxing.interpreter import Interpreter
from evaluator.session.sandboxing.launcher import Worker, start_worker
from evaluator.session.sandboxing.sandbox import compile_inside

_WARM_S: Final = 120.0
_FORK_S: Final = 30.0
_GOODBYE_S: Final = 3.0
MODULE: Final = "evaluator.inside.runtime.worker"
SESSIONS: Final = "sessions"
"""Without namespaces: the folder below the engine's scratch folder in which sessions work."""
GUARD: Final = "evaluator.inside.isolation.landlock_entry"


class WorkerDiedError(ToolkitError):
    """A worker process of ours is gone or does not answer."""


def receive_within(channel: Channel, seconds: float) -> ChannelMessage:
    """Wait for one frame.

    Raises:
        WorkerDiedError: If the peer sends nothing for so long, before the frame or inside it, or is gone.
    """
    try:
        channel.set_patience(seconds)  # inside: another thread may have closed the channel
        message = channel.receive()
    except BlockingIOError as error:
        raise WorkerDiedError(f"a worker process does not answer within {seconds:g} s", fix="try again") from error
    except (OSError, FrameError) as error:
        raise WorkerDiedError(f"a worker process does not answer ({error})", fix="try again") from error
    if message is None:
        raise WorkerDiedError("a worker process died", fix="try again")
    return message


class TemplateProcess:
    """Starts one TemplateProcess process and asks it for sessions; safe to use from several threads."""

    def __init__(
        self,
        backend: str,
        *,
        scratch: Path,
        preload: Sequence[str] = (),
        interpreter: Interpreter | None = None,
        hash_seed: int = 0,
    ) -> None:
        self._backend = backend
        self._hash_seed = hash_seed
        self._interpreter = interpreter or Interpreter.own()
        self._lock = threading.Lock()
        self._worker = self._start(scratch, preload)
        self._is_ready = False

    def _start(self, scratch: Path, preload: Sequence[str]) -> Worker:
        options = {
            "isolated": self._backend == "bwrap",
            "keep_in_tmp": sandbox.roots_in_tmp(self._interpreter),
            "preload": list(preload),
            "readable": self._readable(scratch) if self._backend == "landlock" else [],
        }
        arguments = [json.dumps(options)]
        return start_in_sandbox(
            self._backend,
            MODULE,
            arguments,
            scratch=scratch,
            interpreter=self._interpreter,
            hash_seed=self._hash_seed,
        )

    def _readable(self, scratch: Path) -> list[str]:
        return [*sandbox.readable_places(self._interpreter), str(sandbox.code_folder(scratch))]

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._worker.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until its imports are done.

        Raises:
            WorkerDiedError: If it failed; the message holds what it said.
        """
        with self._lock:
            if self._is_ready:
                return
            try:
                said = receive_within(self._worker.channel, _WARM_S)
            except WorkerDiedError as error:
                raise WorkerDiedError(
                    f"the worker process did not start: {self._worker.complaint() or error.what}",
                    fix="install the packages again (`make setup`)",
                ) from error
            self._refuse_another_python(json.loads(said.body).get("python", ""))
            self._is_ready = True

    def _refuse_another_python(self, version: str) -> None:
        """Refuse an environment whose Python was exchanged since it was made: its id would not be true."""
        if version != self._interpreter.version:
            raise ToolkitError(
                f"the environment was made for Python {self._interpreter.version}, which is {version} by now",
                where=self._interpreter.executable,
                fix="make it anew: benchwright env remove, then benchwright env create",
            )

    def fork(self, *, for_kernel: bool = False) -> tuple[Channel, int]:
        """Return the socket and the pidfd of a new session, or of a process that will keep a kernel.

        Raises:
            WorkerDiedError: If the TemplateProcess is gone.
        """
        self.wait_until_ready()
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                self._worker.channel.send(FrameKind.FORK, FOR_KERNEL if for_kernel else b"", [theirs.fileno()])
                message = receive_within(self._worker.channel, _FORK_S)
        except (OSError, ToolkitError) as error:
            ours.close()
            raise WorkerDiedError("the template process died", fix="try again") from error
        finally:
            theirs.close()
        return Channel(ours), message.descriptors[0]

    def close(self) -> None:
        """End the TemplateProcess, every session forked from it, and all that they started."""
        must_clean_up = self._backend != "bwrap" and self._is_ready  # with namespaces the kernel does it
        self._worker.end(patience_s=_GOODBYE_S if must_clean_up else 0.0)


def start_in_sandbox(
    backend: str,
    module: str,
    arguments: Sequence[str],
    *,
    scratch: Path,
    interpreter: Interpreter | None = None,
    hash_seed: int = 0,
) -> Worker:
    """Start `python -m module ARGUMENTS` under a backend; without an interpreter, under our own."""
    interpreter = interpreter or Interpreter.own()
    for room in sandbox.rooms_inside():
        compile_inside(room, interpreter)
    program = interpreter.command(module, arguments)
    code_copy = sandbox.lay_out_code(scratch, interpreter)
    if backend != "bwrap":
        home = scratch / SESSIONS / "home"
        home.mkdir(parents=True, exist_ok=True)
        if backend == "landlock":
            scratch.chmod(0o710)  # see `guarded.main`
            home.chmod(0o770)
            readable = [*sandbox.readable_places(interpreter), str(code_copy), "/proc"]
            guard = json.dumps({"readable": readable, "writable": [str(scratch / SESSIONS)]})
            program = interpreter.command(GUARD, [guard, module, *arguments])
        places = {"PYTHONPATH": str(code_copy), "TMPDIR": str(home)}
        return start_worker(program, sandbox.worker_environment(str(home), hash_seed) | places)
    data = sandbox.synthetic_files()
    try:
        command = [*sandbox.bwrap_command(interpreter, data, code_copy, hash_seed), "--", *program]
        return start_worker(command, {"PATH": "/usr/local/bin:/usr/bin:/bin"}, keep=data)
    finally:
        for descriptor in data:
            os.close(descriptor)
