"""Which tasks are tried anew where a worker's machine failed, and what ends the work."""

import queue
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from evaluator.errors import ToolkitError
from evaluator.running.cluster.messages import BadMessageError

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
    from evaluator.running.cluster.given_tasks import ClusterTask, TaskResult

MAX_TRIES: Final = 3
"""How often a problemset is tried whose worker's machine failed."""
MAX_FAILED: Final = 3
"""Problemsets that may fail so before the work ends: more of the same is to be expected, as where no model answers."""


def work_off(
    cluster: "DaskCluster",
    work: "WorkSpec",
    waiting: "queue.SimpleQueue[ClusterTask]",
    keep: "Callable[[TaskResult], ToolkitError | None]",
) -> None:
    """Give out tasks until all are done.

    Args:
        cluster: Whose workers are prepared.
        work: What they were prepared for.
        waiting: The tasks.
        keep: Keeps what came of a task, and returns what kept it from its end; None: nothing did. One that raises that
            the result cannot be read has kept nothing.

    Raises:
        ToolkitError: If a task could not be done: at once where more of the same is to be expected, else after all
            others.
    """
    failed: list[ToolkitError] = []
    for done in cluster.results(work, waiting):
        try:
            error = keep(done)
        except BadMessageError as unreadable:  # of one worker: another may do better
            error = unreadable
        if error is None:
            continue
        if error.exit_code != ToolkitError.exit_code:
            raise error
        done.task.failures += 1
        if done.error is not None or done.task.failures >= MAX_TRIES:
            failed.append(error)
            if len(failed) >= MAX_FAILED:
                raise failed[0]
        else:
            waiting.put(done.task)
    if failed:
        raise failed[0]
