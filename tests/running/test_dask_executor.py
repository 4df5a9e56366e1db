"""What comes back of tasks, by whom, and what becomes of workers that fail, come late or do not answer."""

import asyncio
import contextlib
import logging
import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluator.errors import ContentError, ToolkitError
from evaluator.running.cluster import dask_executor
from evaluator.running.cluster.checks import WorkerRequirements
from evaluator.running.cluster.dask_executor import MAX_LOSSES, ClusterTask, DaskCluster, TaskResult, WorkSpec
from evaluator.running.cluster.file_bundle import pack
from tests.running.local_clusters import local_cluster
from tests.running.scripted_task_runner import prepare_scripted

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with local_cluster(n_workers=2) as started:
        yield started.scheduler_address


@pytest.fixture
def cluster(scheduler: str) -> Iterator[DaskCluster]:
    with DaskCluster.open(scheduler, workers=1) as opened:
        yield opened


@contextlib.contextmanager
def prepared(cluster: DaskCluster, order: bytes = b"") -> Iterator[WorkSpec]:
    work = WorkSpec(prepare_scripted, order, pack(()).data, WorkerRequirements(0, 0))
    try:
        cluster.prepare(work)
        yield work
    finally:
        cluster.release(work)


def results(cluster: DaskCluster, work: WorkSpec, *tasks: bytes) -> list[TaskResult]:
    waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(ClusterTask(task.decode(), lambda task=task: task))  # type: ignore[misc]  # a default
    return list(cluster.results(work, waiting))


def test_a_task_that_fails_again_and_again_ends_no_other_and_says_where(cluster: DaskCluster) -> None:
    with prepared(cluster) as work:
        done = {each.task.name: each for each in results(cluster, work, b"fail", b"refuse", b"one", b"two")}
        with pytest.raises(ToolkitError, match="the disk is full"):
            cluster.call(work, "again", b"fail")
    assert all(done[name].worker in cluster.threads for name in done)
    assert [int(done[name].result) > 0 for name in ("one", "two")] == [True, True]
    failed, refused = done["fail"].error, done["refuse"].error
    assert failed is not None
    assert (failed.where, done["fail"].task.losses) == (f"/data on {done['fail'].worker}", MAX_LOSSES)
    assert isinstance(refused, ContentError)
    assert refused.where == done["refuse"].worker


@pytest.mark.parametrize("own", [False, True])
def test_where_the_caller_has_an_event_loop_that_runs_as_in_a_notebook(scheduler: str, own: bool) -> None:
    async def caller() -> list[TaskResult]:
        with DaskCluster.open("" if own else scheduler, workers=1) as opened, prepared(opened) as work:
            return results(opened, work, b"one", b"two")

    with ThreadPoolExecutor(1) as thread:  # a test of pages leaves a loop of its own in the thread of all tests
        done = thread.submit(asyncio.run, caller()).result()
    assert [(each.error, int(each.result) > 0) for each in done] == [(None, True)] * 2


def test_what_workers_have_is_not_sent_again(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with prepared(cluster) as work:
        monkeypatch.setattr(cluster, "_prepared", None)
        assert set(cluster.prepare(work)) == set(cluster.threads)


def test_a_late_worker_that_is_not_fit_gets_no_task_and_goes_on_for_others(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, late = cluster.threads
    work = WorkSpec(prepare_scripted, b"", pack(()).data, WorkerRequirements(0, 0))
    cluster.prepare(work, [first])

    def refuse(work: WorkSpec, workers: list[str]) -> None:
        raise ToolkitError("it has no sandbox", where=workers[0], fix="install one")

    monkeypatch.setattr(cluster, "prepare", refuse)
    done = results(cluster, work, *(b"%d" % number for number in range(8)))
    assert {each.worker for each in done} == {first}
    assert (len(done), list(cluster.threads)) == (8, [first])
    cluster.release(work)
    assert set(cluster.threads) == {first, late}  # it may be fit for what comes next
    assert set(cluster.client.nthreads()) == {first, late}


def test_tasks_wait_where_no_worker_is_fit_until_the_reason_is_told(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = WorkSpec(prepare_scripted, b"", pack(()).data, WorkerRequirements(0, 0))

    def refuse(work: WorkSpec, workers: list[str]) -> None:
        raise ToolkitError("it has no sandbox", where=workers[0], fix="install one")

    monkeypatch.setattr(cluster, "prepare", refuse)
    monkeypatch.setattr(dask_executor, "WORKERS_S", 1.0)
    with pytest.raises(ToolkitError, match="the last one that came: it has no sandbox") as caught:
        results(cluster, work, b"1", b"2", b"3")
    assert caught.value.fix == "install one"


def test_a_worker_that_is_not_ready_in_time_is_named(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "PREPARE_S", 0.5)
    said = r"2 workers cannot do this work: tcp://127.*it was not ready after 0 s"
    with pytest.raises(ToolkitError, match=said), prepared(cluster, b"4"):
        pass


def test_a_worker_that_came_back_as_another_one_is_refused(cluster: DaskCluster) -> None:
    with prepared(cluster) as work:
        (label,) = cluster._same[work.key]
        cluster._same[work.key][label] = {"sandbox": "bwrap"}
        with pytest.raises(ToolkitError, match=r"differ in sandbox: 'bwrap' on tcp://127\S+ at first, 'none' on tcp"):
            cluster.prepare(work, [label.removesuffix(" at first")])


def test_the_log_of_the_program_is_as_before(scheduler: str) -> None:
    logger = logging.getLogger("distributed")
    before = logger.level
    with DaskCluster.open(scheduler, workers=1):
        assert logger.level == logging.CRITICAL
    assert logger.level == before
