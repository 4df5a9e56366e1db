"""Which results of a cluster's workers are asked for again, and when that ends; nothing here starts Dask."""

import queue
from collections.abc import Iterator
from typing import Any, cast

import pytest

from evaluator.errors import ContentError, ToolkitError
from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
from evaluator.running.cluster.given_tasks import ClusterTask, TaskResult
from evaluator.running.cluster.messages import BadMessageError
from evaluator.running.cluster.task_retries import MAX_FAILED, MAX_TRIES, work_off


class InstantCluster:
    """Does every task at once."""

    def results(self, _work: object, waiting: "queue.SimpleQueue[ClusterTask]") -> Iterator[TaskResult]:
        """Yield each task as it is."""
        while not waiting.empty():
            task = waiting.get()
            yield TaskResult(task, task.make(), b"done", "tcp://worker")


def tried(names: str, fails: dict[str, list[ToolkitError]], *, raises: bool = False) -> list[str]:
    """Return which tasks were kept, where some fail so and so often before."""
    waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
    for name in names:
        waiting.put(ClusterTask(name, name.encode))
    kept: list[str] = []

    def keep(done: TaskResult) -> ToolkitError | None:
        if left := fails.get(done.task.name):
            error = left.pop()
            if raises:
                raise error
            return error
        kept.append(done.task.name)
        return None

    try:
        work_off(cast("DaskCluster", InstantCluster()), cast("WorkSpec", None), waiting, keep)
    except ToolkitError as error:
        kept.append(error.what)
    return kept


def errors(count: int, kind: type[Any] = ToolkitError) -> list[ToolkitError]:
    return [kind("it failed") for _ in range(count)]


@pytest.mark.parametrize("raises", [True, False])
def test_what_cannot_be_read_is_asked_for_again_after_the_others(*, raises: bool) -> None:
    assert tried("abc", {"a": errors(MAX_TRIES - 1, BadMessageError)}, raises=raises) == ["b", "c", "a"]


def test_a_task_that_fails_too_often_is_told_after_all_others() -> None:
    assert tried("abc", {"a": errors(MAX_TRIES)}) == ["b", "c", "it failed"]


def test_more_of_the_same_ends_the_work() -> None:
    names = "abcdefgh"
    assert tried(names, {name: errors(MAX_TRIES) for name in names[:MAX_FAILED]})[-1] == "it failed"
    assert tried(names, {name: errors(MAX_TRIES) for name in names}) == ["it failed"]
    assert tried("ab", {"a": errors(1, ContentError)}) == ["it failed"]
