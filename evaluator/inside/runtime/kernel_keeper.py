"""Keeps one kernel: makes it, watches its memory, says when it is gone. This process itself never runs a cell."""

import contextlib
import json
import os
import random
import select
import signal
import socket
from typing import Any

from evaluator.inside.isolation import folders, nesting
from evaluator.inside.isolation.processes import kill_children
from evaluator.inside.isolation.watchdog import TICK_MS, Watchdog
from evaluator.inside.runtime.cell import Cell, CellRequest
from evaluator.inside.runtime.channel import Channel, ChannelMessage
from evaluator.inside.runtime.frames import FrameKind
from evaluator.inside.runtime.session_worker import SessionWorker

_exit = os._exit  # bound before any cell can replace it


class KernelKeeper(SessionWorker):
    """Prepared like a session: same folder, same inputs, same random states. Its cells run in the kernel."""

    def _work(self, message: ChannelMessage) -> None:
        if message.kind == FrameKind.KERNEL:
            self._keep(message)

    def _keep(self, message: ChannelMessage) -> None:
        """Fork the kernel, and stay until its end."""
        pid, pidfd = self._start_copy(message, self._become_kernel)
        was_too_large = self._watch(pid, pidfd)
        os.close(pidfd)
        os.waitpid(pid, 0)
        if not self._config.isolated:
            kill_children(spare=frozenset())
        self._channel.send(FrameKind.ENDED, json.dumps({"memory": was_too_large}).encode())

    def _watch(self, pid: int, pidfd: int) -> bool:
        """Wait for the kernel's death; kill it when it grows past what the host allows (true), leave with the host."""
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.register(self._channel.fileno(), select.POLLIN)
        watchdog: Watchdog | None = None
        was_too_large = False
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(TICK_MS)}
            if pidfd in ready:
                return was_too_large
            if ready:
                watchdog = self._watchdog(pid)
            elif watchdog is not None and watchdog.is_exceeded():
                was_too_large = True
                os.kill(pid, signal.SIGKILL)

    def _watchdog(self, pid: int) -> Watchdog:
        message = self._channel.receive()
        if message is None:
            self._leave()
        assert message is not None
        return Watchdog(pid, limit_bytes=int(json.loads(message.body)["memory_bytes"]), baseline=pid)

    def _become_kernel(self, message: ChannelMessage, random_state: Any) -> None:
        """Isolate this forked copy and serve as a kernel; never returns."""
        requests = Channel(socket.socket(fileno=message.descriptors[0]))
        try:
            proc = self._isolate_fork()
            if self._config.isolated:
                folders.cover_shared_memory()
                nesting.settle_trial(proc)
            self._give_up_rights()
            from evaluator.inside.runtime.kernel_main import serve  # late: other sessions need no ipykernel

            random.setstate(random_state)
            serve(requests, message.descriptors[1], json.loads(message.body), self._kernel_cell)
        except BaseException as error:  # noqa: BLE001  # the host tells
            with contextlib.suppress(OSError):
                requests.send(FrameKind.FAILED, json.dumps({"reason": f"{type(error).__name__}: {error}"}).encode())
        finally:
            _exit(1)

    def _kernel_cell(self, message: ChannelMessage) -> Cell:
        """Make a cell; a submission is the kernel's last."""
        is_submission = message.kind == FrameKind.TRY
        self._cells += not is_submission
        if is_submission:
            CellRequest.from_json(json.loads(message.body)).restrict(others=self._config.others)
        return self._cell(message, forked=is_submission, may_fork=False)
