"""The template: our imports done once, sessions forked from it on request."""

import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
from dataclasses import dataclass
from typing import Any

from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation.nesting import move_into_namespaces
from evaluator.inside.isolation.processes import children_of, kill_children
from evaluator.inside.runtime.channel import Channel, take_standard_socket
from evaluator.inside.runtime.frames import FOR_KERNEL, FrameKind

_TICK_MS = 1000


_MORE_OTHERS = 400
"""Threads that may be started in the name of our user later on, by other sandboxes of the machine."""


@dataclass(frozen=True)
class WorkerConfig:
    """What the host tells a template when it starts it; nothing secret."""

    isolated: bool  # inside a sandbox with namespaces, and able to make more
    keep_in_tmp: tuple[str, ...] = ()  # folders below /tmp that Python needs
    preload: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()  # under Landlock: what trials may read
    others: int = 0  # threads of our user that a trial's limit on processes must leave room for, those to come too


def main(arguments: list[str]) -> None:
    """Serve one host over the socket that is our standard input; the only argument is the configuration as JSON."""
    gc.disable()  # imports leave little to collect; sessions enable it with all that they share frozen
    channel = take_standard_socket()
    options: dict[str, Any] = json.loads(arguments[0])
    isolated = bool(options["isolated"])
    config = WorkerConfig(
        isolated,
        tuple(options["keep_in_tmp"]),
        tuple(options["preload"]),
        readable=tuple(options["readable"]),
        others=0 if isolated else isolation.threads_of_user() + _MORE_OTHERS,
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if config.isolated:
        move_into_namespaces()
    else:
        isolation.adopt_orphans()
    Template(channel, config).serve()


class Template:
    """A warm process that is forked for every session and runs no problem code itself."""

    def __init__(self, channel: Channel, config: WorkerConfig) -> None:
        self._channel = channel
        self._config = config
        self._sessions: set[int] = set()

    def serve(self) -> None:
        """Import, report readiness, then fork until the host is gone."""
        from evaluator.inside.runtime.kernel_keeper import KernelKeeper
        from evaluator.inside.runtime.session_worker import SessionWorker, warm_up

        runtime = warm_up()
        missing = _preload(self._config.preload)
        random.seed(0)
        gc.freeze()
        gc.enable()
        self._channel.send(FrameKind.READY, json.dumps({"missing": missing, "python": sys.version.split()[0]}).encode())
        poll = select.poll()
        poll.register(self._channel.fileno(), select.POLLIN)
        while True:
            if not poll.poll(_TICK_MS):
                self._reap()
                continue
            message = self._channel.receive()
            if message is None:
                self._stop()
            assert message is not None
            pid = os.fork()
            if pid == 0:
                isolation.die_with_parent()
                self._channel.close()
                host = Channel(socket.socket(fileno=message.descriptors[0]))
                kind = KernelKeeper if message.body == FOR_KERNEL else SessionWorker
                kind(host, self._config, runtime).serve()
                os._exit(0)
            self._sessions.add(pid)
            pidfd = os.pidfd_open(pid)
            for descriptor in message.descriptors:
                os.close(descriptor)
            self._channel.send(FrameKind.FORKED, b"", [pidfd])
            os.close(pidfd)
            self._reap()

    def _reap(self) -> None:
        """Collect dead children; when a session died, kill what it left behind."""
        died = False
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            died = died or pid in self._sessions
            self._sessions.discard(pid)
        if died:
            for pid in children_of(os.getpid()) - self._sessions:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _stop(self) -> None:
        kill_children(spare=frozenset())
        os._exit(0)


def _preload(names: tuple[str, ...]) -> list[str]:
    """Import modules for later cells; return those that cannot be imported."""
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001  # a broken library is the cell's business, which will import it again
            missing.append(name)
    return missing


if __name__ == "__main__":
    main(sys.argv[1:])
