"""A session: runs setup and reference code in itself, and each submission in a forked copy."""

import gc
import hashlib
import json
import os
import random
import select
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluator.inside.export.originals import Originals
from evaluator.inside.export.tripwire import Tripwire
from evaluator.inside.isolation import folders, landlock, nesting, seccomp
from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.isolation.processes import children_of, kill_children, lost_threads
from evaluator.inside.isolation.watchdog import TICK_MS, Watchdog
from evaluator.inside.runtime.capture import Descriptors, RecordPipe, replace_standard_streams
from evaluator.inside.runtime.cell import Cell, CellRequest
from evaluator.inside.runtime.cell_shell import CellShell, build_shell, machinery_names
from evaluator.inside.runtime.channel import Channel, ChannelMessage
from evaluator.inside.runtime.frames import FrameKind
from evaluator.inside.runtime.namespace import Namespace
from evaluator.inside.runtime.prewarm import prewarm

if TYPE_CHECKING:
    from evaluator.inside.runtime.worker import WorkerConfig


_exit = os._exit  # bound before any cell can replace it


@dataclass(frozen=True)
class Runtime:
    """What a template prepares for its sessions."""

    shell: CellShell
    pipe: RecordPipe
    descriptors: Descriptors
    machinery: frozenset[str]
    originals: Originals
    tripwire: Tripwire


def warm_up() -> Runtime:
    """Build the shell and touch what every cell will need."""
    pipe = RecordPipe()
    descriptors = Descriptors()
    shell = build_shell(pipe)
    replace_standard_streams(pipe)
    machinery = machinery_names(shell)
    prewarm(shell, machinery)
    originals = Originals()
    return Runtime(shell, pipe, descriptors, machinery, originals, Tripwire(originals.tables()))


class SessionWorker:
    """One problemset's evolving state, served over its own socket."""

    def __init__(self, channel: Channel, config: "WorkerConfig", runtime: Runtime) -> None:
        self._channel = channel
        self._config = config
        self._runtime = runtime
        self._namespace = Namespace(runtime.shell.user_ns, runtime.machinery)
        self._pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY) if config.isolated else -1
        self._folder = folders.WORKING_FOLDER
        self._cells = 0

    def serve(self) -> None:
        """Answer the host until it is gone."""
        os.setsid()
        isolation.adopt_orphans()
        isolation.set_dumpable(False)
        while (message := self._channel.receive()) is not None:
            if message.kind == FrameKind.OPEN:
                self._open(json.loads(message.body))
            elif message.kind == FrameKind.INPUTS:
                folders.receive_inputs(message)
            elif message.kind == FrameKind.START:
                self._channel.send(FrameKind.OPENED)
            else:
                self._work(message)
        self._leave()

    def _work(self, message: ChannelMessage) -> None:
        if message.kind == FrameKind.EXEC:
            self._execute(message)
        elif message.kind in (FrameKind.TRY, FrameKind.KEEP):
            self._attempt(message)
        elif message.kind == FrameKind.THREADS:
            self._channel.send(FrameKind.THREADS, json.dumps(lost_threads()).encode())

    def _open(self, options: dict[str, Any]) -> None:
        self._folder = options.get("folder") or folders.WORKING_FOLDER
        folders.make_session_folder(
            self._folder,
            isolated=self._config.isolated,
            keep_in_tmp=self._config.keep_in_tmp,
            size_mb=options.get("size_mb"),
        )
        sys.path.insert(0, "")  # after all our imports: cells may import what they wrote
        seed = hashlib.sha256(f"{options['rng_seed']}:{options['key']}".encode()).digest()
        random.seed(int.from_bytes(seed[:8], "little"))
        np.random.seed(int.from_bytes(seed[8:12], "little"))  # the global generator is what cells use

    def _execute(self, message: ChannelMessage) -> None:
        self._cells += 1
        self._cell(message, forked=False).run()
        for descriptor in message.descriptors[1:]:
            os.close(descriptor)
        gc.collect()
        gc.freeze()  # so that a collection in a trial does not copy each shared page

    def _attempt(self, message: ChannelMessage) -> None:
        self._namespace.remember()
        before = self._children()
        pid, pidfd = self._start_copy(message, self._become_trial)
        memory_bytes = int(json.loads(message.body)["memory_bytes"])
        is_too_large = self._wait(pid, pidfd, Watchdog(pid, limit_bytes=memory_bytes))
        os.close(pidfd)
        _, status, usage = os.wait4(pid, 0)
        if not self._config.isolated:
            kill_children(spare=before)
            folders.remove_trial_folders(self._folder)
        report = {
            "exit": os.waitstatus_to_exitcode(status),
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "memory": is_too_large,
        }
        self._channel.send(FrameKind.ENDED, json.dumps(report).encode())

    def _start_copy(self, message: ChannelMessage, become: Callable[[ChannelMessage, Any], None]) -> tuple[int, int]:
        """Fork, let the copy become what a message asks for, and tell the host; return its pid and pidfd."""
        random_state = random.getstate()
        pid = self._fork()
        if pid == 0:
            become(message, random_state)
        for descriptor in message.descriptors:
            os.close(descriptor)
        pidfd = os.pidfd_open(pid)
        states = json.dumps(self._namespace.states()).encode() if message.kind == FrameKind.KEEP else b""
        self._channel.send(FrameKind.STARTED, states, [pidfd])
        return pid, pidfd

    def _children(self) -> set[int]:
        if self._config.isolated:
            return set()
        return children_of(os.getpid())

    def _fork(self) -> int:
        if not self._config.isolated:
            return os.fork()
        isolation.unshare(isolation.CLONE_NEWPID)
        try:
            pid = os.fork()
        except OSError:
            isolation.return_to_pid_namespace(self._pid_namespace)
            raise
        if pid:
            isolation.return_to_pid_namespace(self._pid_namespace)
        return pid

    def _isolate_fork(self) -> int:
        """In a forked copy: leave behind what is the session's own; return what `nesting.settle_trial` asks for."""
        isolation.die_with_parent()
        os.setsid()  # signals to "my process group" stay in the copy
        self._channel.close()
        if self._config.isolated:
            os.close(self._pid_namespace)
            return nesting.isolate_trial()
        isolation.adopt_orphans()  # so that all it starts stays in sight
        return -1

    def _give_up_rights(self, own_folders: Sequence[str] = ()) -> None:
        isolation.drop_privileges()
        isolation.set_dumpable(True)
        if self._config.isolated:
            seccomp.deny_new_namespaces()
        elif self._config.readable:  # under Landlock, which leaves it nothing to write to in /proc
            own_processes = ("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat")
            landlock.restrict(readable=(*self._config.readable, *own_processes), writable=own_folders)
            seccomp.deny_leaving()
        else:
            isolation.be_first_to_go()

    def _become_trial(self, message: ChannelMessage, random_state: Any) -> None:
        """Isolate this forked copy, run the cell, leave; never returns."""
        status = 1
        try:
            proc = self._isolate_fork()
            own_folders = folders.make_trial_folder(
                self._folder, isolated=self._config.isolated, keep_in_tmp=self._config.keep_in_tmp
            )
            if self._config.isolated:
                nesting.settle_trial(proc)
            CellRequest.from_json(json.loads(message.body)).restrict(others=self._config.others)
            self._give_up_rights(own_folders)
            random.setstate(random_state)
            if message.kind == FrameKind.KEEP:
                self._live_on(Channel(socket.socket(fileno=message.descriptors[0])))
            else:
                self._cell(message, forked=True).run()
            status = 0
        finally:
            _exit(status)

    def _live_on(self, channel: Channel) -> None:
        """Run cells one after the other, until the host is gone; all of them under the limits of a trial."""
        while (message := channel.receive()) is not None:
            self._cell(message, forked=True, lives_on=True).run()
            for descriptor in message.descriptors[1:]:
                os.close(descriptor)
            self._cells += 1

    def _cell(self, message: ChannelMessage, *, forked: bool, lives_on: bool = False, may_fork: bool = True) -> Cell:
        self._runtime.shell.user_ns = self._namespace.user_ns  # an earlier cell of this state may have put in another
        request = CellRequest.from_json(json.loads(message.body))
        if len(message.descriptors) > 4:
            with open(message.descriptors.pop(), "rb") as file:
                request = replace(request, source=file.read().decode("utf-8", "surrogatepass"))
        return Cell(
            Channel(socket.socket(fileno=message.descriptors[0])),
            message.descriptors[1:],
            request=request,
            number=self._cells + forked,
            forked=forked,
            lives_on=lives_on,
            runtime=self._runtime,
            namespace=self._namespace,
            folder=self._folder if self._config.isolated or not forked else folders.trial_folders(self._folder)[0],
            may_fork=may_fork,
        )

    def _wait(self, pid: int, pidfd: int, watchdog: Watchdog) -> bool:
        """Wait for the trial's death; kill it when the host is gone, or when it grows too large (true)."""
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.register(self._channel.fileno(), select.POLLHUP | select.POLLRDHUP)
        is_too_large = False
        while True:
            ready = {descriptor for descriptor, _ in poll.poll(TICK_MS)}
            if pidfd in ready:
                return is_too_large
            is_too_large = is_too_large or (not ready and watchdog.is_exceeded())
            if ready or is_too_large:
                os.kill(pid, signal.SIGKILL)
            if ready:
                poll.unregister(self._channel.fileno())

    def _leave(self) -> None:
        kill_children(spare=frozenset())
        os._exit(0)
