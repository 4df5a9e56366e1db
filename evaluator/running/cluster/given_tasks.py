"""Tasks that are given to a cluster, and which of them are lost: with a worker, or to a machine that fails."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from distributed.scheduler import KilledWorker

from evaluator.errors import ToolkitError

_log = logging.getLogger(__name__)

MAX_LOSSES: Final = 5  # workers that may be lost during one task: if there are more, it is what kills them
MAX_FAILURES: Final = 3  # of one task on machines that failed


@dataclass
class ClusterTask:
    """One piece of work."""

    name: str  # for people
    make: Callable[[], bytes]  # the task as it is now: less may be missing at its second try
    lacks: Callable[[], object] = tuple  # what is still missing of it, after its result was kept; empty: nothing
    losses: int = 0  # workers that were lost while they did it (count)
    failures: int = 0  # how often a machine failed that did it, or returned what cannot be read (count)


class TaskResult(NamedTuple):
    """What came of a task."""

    task: ClusterTask
    sent: bytes  # the task as it was given out
    result: bytes = b""  # empty: there is none
    worker: str = ""  # the address of the one that returned it
    error: ToolkitError | None = None  # why there is no result: it was lost, or failed, too often


class GivenTask(NamedTuple):
    """A task that workers may be at."""

    task: ClusterTask
    data: bytes  # as it was given out
    workers: list[str]  # that alone may do it; empty: all may


def lost_too_often(task: ClusterTask, cause: Exception | None) -> ToolkitError:
    """Return the error that says on which problemset workers die, or why it does not come back."""
    what = f"{task.losses} workers were lost while they worked on the problemset {task.name!r}"
    if cause is not None and not isinstance(cause, KilledWorker):
        what += f"; at last: {type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
    fix = "look at the workers' logs, give them more memory, then repeat the same command"
    error = ToolkitError(what, where="Dask cluster", fix=fix)
    error.__cause__ = cause
    return error


class BegunTasks:
    """Which tasks workers have begun, as they tell it: one that is lost may be the end of each that tries it."""

    def __init__(self) -> None:
        self._workers: dict[str, int] = {}  # Dask's key of a task that was given out -> workers that began it (count)

    def add(self, key: str) -> None:
        """Note that a task is given out."""
        self._workers[key] = 0

    def note(self, event: object) -> None:
        """Count a worker that begins a task; it may be one of another client, whose scheduler is ours."""
        match event:
            case (_, str(key)) if key in self._workers:
                self._workers[key] += 1

    def end(self, key: str) -> None:
        """Forget a task that came back."""
        self._workers.pop(key, None)

    def lost(self, given: GivenTask, key: str, cause: Exception | None) -> TaskResult | None:
        """Count the workers that began a task and did not return it.

        Args:
            given: The task.
            key: Dask's, of the task.
            cause: What Dask says of it, if it does.

        Returns:
            What came of it where they are too many; None: it must be given out again.
        """
        task = given.task
        lost = max(self._workers.pop(key, 0), 0 if cause is None else 1)
        if not lost:
            return None
        task.losses += lost
        _log.warning("event=task_lost task=%s losses=%d cause=%r", task.name, task.losses, cause)
        is_final = task.losses >= MAX_LOSSES
        return TaskResult(task, given.data, error=lost_too_often(task, cause)) if is_final else None
