"""The one place that starts worker processes."""

import contextlib
import os
import queue
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from evaluator.errors import ToolkitError
from evaluator.inside.runtime.channel import Channel


@dataclass(frozen=True)
class Worker:
    """A started process and the socket to it."""

    process: subprocess.Popen[bytes]
    channel: Channel
    log: BinaryIO  # a file in memory that holds what it wrote to stderr before it was ready
    _log_lock: threading.Lock = field(default_factory=threading.Lock)

    def end(self, *, patience_s: float = 0.0) -> None:
        """End the process and all that depends on it; with patience, let it first end what it started."""
        self.channel.close()
        if patience_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with self._log_lock:  # whoever waits for its answer in another thread asks what it said
            self.log.close()

    def complaint(self) -> str:
        """Return the last lines of what it wrote to stderr; none once it was ended."""
        with self._log_lock:
            if self.log.closed:
                return ""
            descriptor = self.log.fileno()
            text = os.pread(descriptor, 4000, max(0, os.fstat(descriptor).st_size - 4000)).decode("utf-8", "replace")
        return "\n".join(text.strip().splitlines()[-6:])


def start_worker(command: Sequence[str], environment: dict[str, str], *, keep: Sequence[int] = ()) -> Worker:
    """Start a process whose standard input and output are one socket to us.

    Args:
        command: Program and arguments.
        environment: The process's whole environment.
        keep: Further descriptors that it inherits.

    Raises:
        ToolkitError: If the program cannot be started.
    """
    ours, theirs = socket.socketpair()
    log = open(os.memfd_create("stderr"), "w+b", buffering=0)  # noqa: SIM115  # closed with the worker
    try:
        process = _LAUNCHER.call(lambda: _start(command, environment, theirs.fileno(), keep, log.fileno()))
    except OSError as error:
        ours.close()
        log.close()
        raise ToolkitError(
            f"a worker process could not be started: {error}", fix="check that the machine has memory left"
        ) from error
    finally:
        theirs.close()
    return Worker(process, Channel(ours), log)


def start_program(
    command: Sequence[str], environment: Mapping[str, str], *, folder: str, keep: Sequence[int] = ()
) -> "subprocess.Popen[bytes]":
    """Start a program with pipes to its three streams, in a session and process group of its own.

    It does not end with us unless it asks the kernel for that, as what `agent_command` returns does: "die with parent"
    means the thread that started it, which is one that lives as long as we do, whoever calls this.

    Args:
        command: Program and arguments.
        environment: Its whole environment.
        folder: Where it begins.
        keep: Further descriptors that it inherits.

    Raises:
        OSError: If it cannot be started.
    """

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=tuple(keep),
            cwd=folder,
            bufsize=0,
            start_new_session=True,
        )

    process: subprocess.Popen[bytes] = _LAUNCHER.call(start)
    return process


def _start(
    command: Sequence[str], environment: dict[str, str], sock: int, keep: Sequence[int], log: int
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        list(command),
        env=environment,
        stdin=sock,
        stdout=sock,
        stderr=log,
        pass_fds=tuple(keep),
        cwd="/",
        start_new_session=True,  # Ctrl-C in a terminal is for the host alone
    )


class _Launcher:
    """Starts processes from one thread that lives as long as we do: "die with parent" means the parent's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._tasks: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    def call(self, task: Callable[[], Any]) -> Any:
        with self._lock:
            if self._owner != os.getpid():
                self._owner = os.getpid()
                self._tasks = queue.SimpleQueue()
                threading.Thread(target=self._serve, args=(self._tasks,), name="launcher", daemon=True).start()
        answer: Future[Any] = Future()
        self._tasks.put((task, answer))
        return answer.result()

    @staticmethod
    def _serve(tasks: "queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]") -> None:
        while True:
            task, answer = tasks.get()
            try:
                answer.set_result(task())
            except BaseException as error:  # noqa: BLE001  # handed to the caller
                answer.set_exception(error)


_LAUNCHER = _Launcher()
