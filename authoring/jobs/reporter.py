"""Tells the workspace every two seconds that a job is alive, and stops everything when the job was taken away."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from authoring.store.jobs import Job, end_interrupted, heartbeat
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError

HEARTBEAT_S = 2.0
PROGRESS_S = 0.5  # progress and log tail are written at most this often
TAIL_CHARS = 8000


class Reporter:
    """Reports one job from a thread of its own, so that a job deep in a long call does not look dead."""

    def __init__(self, workspace: Workspace, job: Job, *, supervisor_pid: int, stop: Callable[[], None]) -> None:
        """Prepare to report `job`.

        Args:
            workspace: Where to report.
            job: The claimed job; its owner is the token that every report names.
            supervisor_pid: Our parent; when it is gone, the job is interrupted.
            stop: Ends this process and its children at once.
        """
        self.log_path: Path = workspace.logs / f"job-{job.id}.log"
        self._workspace = workspace
        self._job = job
        self._owner = job.owner or ""
        self._supervisor_pid = supervisor_pid
        self._stop = stop
        self._lock = threading.Lock()
        self._done, self._total, self._tail = 0, 0, ""
        self._changed = False
        self._cancelled = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"job-{job.id}-reporter", daemon=True)

    def start(self) -> None:
        """Begin to report."""
        self._thread.start()

    def end(self) -> None:
        """Stop reporting after a last report, so that the final progress is seen."""
        self._ended.set()
        self._thread.join()
        if self._changed:
            self._report()

    def report(self, done: int, total: int, text: str) -> None:
        """Take note of progress; it is written with the next report."""
        with self._lock:
            self._done, self._total = max(0, done), max(0, total)
            if text:
                self._tail = f"{self._tail}{text.rstrip()}\n"[-TAIL_CHARS:]
            self._changed = True
        if text:
            self.log(text)

    def log(self, text: str) -> None:
        """Add a line to the job's log file; a log that cannot be written stops no job."""
        try:
            with self.log_path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(f"{text.rstrip()}\n")
        except OSError:
            return

    def cancelled(self) -> bool:
        """Return whether the last report learned of a wish to cancel."""
        return self._cancelled

    def _beat(self) -> None:
        last = 0.0
        while not self._ended.wait(PROGRESS_S):
            if os.getppid() != self._supervisor_pid:
                self._interrupt()
            if self._changed or time.monotonic() - last >= HEARTBEAT_S:
                self._report()
                last = time.monotonic()

    def _report(self) -> None:
        with self._lock:
            done, total, tail, self._changed = self._done, self._total, self._tail, False
        try:
            answer = heartbeat(self._workspace, self._job.id, self._owner, done=done, total=total, log_tail=tail)
        except ToolkitError as error:  # a full disk or a long lock: the next report may succeed
            self.log(f"report failed: {error}")
            return
        self._cancelled = answer.cancel_requested
        if not answer.still_ours:
            self._stop()

    def _interrupt(self) -> None:
        try:
            end_interrupted(self._workspace, self._job.id, self._owner)
        except ToolkitError as error:  # then the missing heartbeat will tell
            self.log(f"report failed: {error}")
        self._stop()


def stop_own_group() -> None:
    """Kill this process and the children of its group at once: whatever they would still write, nobody wants."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
