"""The supervisor's side of a lane: starts its process, gives it jobs, ends it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from authoring.store.jobs import Job
from authoring.store.workspace import Workspace

RESTART_AFTER_S = 2.0  # between two starts of a process that cannot live: no busy loop on a broken installation


class LaneProcess:
    """One lane's child process, in a session and process group of its own."""

    def __init__(self, name: str, workspace: Workspace, kinds_module: str, *, warm: bool = False) -> None:
        """Describe a lane.

        Args:
            name: Which lane.
            workspace: Whose jobs it runs.
            kinds_module: The module with the table `JOB_KINDS`.
            warm: Whether the process makes its engine before the first job asks for it.
        """
        self.name = name
        self.job: Job | None = None  # what it runs
        self.control: socket.socket | None = None
        self.log_path: Path = workspace.logs / f"worker-{name}.log"
        self._workspace = workspace
        self._kinds_module = kinds_module
        self._warm = warm
        self._process: subprocess.Popen[bytes] | None = None
        self._terminated_at: float | None = None
        self.failed_starts = 0  # in a row: it ended before it could take a job
        self._is_ready = False  # it has said so: a job given before would wait without a heartbeat
        self._not_before = 0.0  # by the monotonic clock

    @property
    def is_free(self) -> bool:
        """Whether a job can be given now."""
        return self._is_ready and self.job is None and self._terminated_at is None

    def give(self, job: Job) -> None:
        """Let the process run a claimed job."""
        self.job = job
        order = json.dumps({"job": job.id, "owner": job.owner}) + "\n"
        try:
            if self.control is not None:
                self.control.sendall(order.encode())
        except OSError:
            return  # it has just died: its exit code tells, and the job's end is stored then

    def listen(self) -> None:
        """Take in what the process said: it is idle again, or it has closed its end."""
        if self.control is None:
            return
        try:
            said = self.control.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if said:
            self._is_ready, self.job = True, None
        else:
            self._hang_up()

    def terminate(self) -> None:
        """Ask the process and its group to end; asking again changes nothing."""
        if self._process is None or self._terminated_at is not None:
            return
        self._terminated_at = time.monotonic()
        self._signal(signal.SIGTERM)

    def kill_if_overdue(self, grace_s: float) -> None:
        """Kill the group when it was asked to end that many seconds ago."""
        if self._terminated_at is not None and time.monotonic() - self._terminated_at >= grace_s:
            self._signal(signal.SIGKILL)

    def exit_code(self) -> int | None:
        """Return how the process ended; None while it runs or before it was started."""
        return None if self._process is None else self._process.poll()

    def clear(self) -> bool:
        """Forget the ended process and its job; returns whether it was asked to end."""
        self._signal(signal.SIGKILL)  # what it left behind in its group
        was_asked = self._terminated_at is not None
        self.failed_starts = 0 if self._is_ready or was_asked else self.failed_starts + 1
        self._hang_up()
        self._process = self._terminated_at = self.job = None
        self._is_ready = False
        return was_asked

    def wait(self, grace_s: float) -> None:
        """Wait for the end of the process; kill its group after `grace_s`."""
        if self._process is None:
            return
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()
        self.clear()

    def start(self) -> None:
        """Start the process when there is none; one that ended at once is not started again for a while."""
        now = time.monotonic()
        if self._process is not None or now < self._not_before:
            return
        self._not_before = now + RESTART_AFTER_S * (1 + min(self.failed_starts, 14))
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "authoring.jobs.lane", "--workspace", str(self._workspace.root)]
        command += ["--kinds", self._kinds_module, "--control", str(theirs.fileno())]
        command += ["--supervisor", str(os.getpid())] + (["--warm"] if self._warm else [])
        with theirs, self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        ours.setblocking(False)
        self.control = ours
        self._terminated_at = None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # nobody is left in the group

    def _hang_up(self) -> None:
        if self.control is not None:
            self.control.close()
            self.control = None
