"""What comes back of tasks, by whom, and what becomes of workers that fail, come late or do not answer."""

import asyncio
import contextlib
import logging
import queue
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import pytest
from distributed import Future

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.running.cluster import dask_executor, given_tasks
from evaluator.running.cluster.checks import WorkerRequirements
from evaluator.running.cluster.connection import WORKERS_SETTING, worker_timeout_s
from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
from evaluator.running.cluster.file_bundle import pack
from evaluator.running.cluster.given_tasks import MAX_FAILURES, ClusterTask, TaskResult
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
    assert (failed.where, done["fail"].task.failures) == (f"/data on {done['fail'].worker}", MAX_FAILURES)
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


def test_a_task_that_kills_its_workers_is_told_and_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_tasks, "MAX_LOSSES", 3)
    with (
        local_cluster(n_workers=2) as started,
        DaskCluster.open(started.scheduler_address, workers=1) as cluster,
        prepared(cluster) as work,
    ):
        done = {each.task.name: each for each in results(cluster, work, b"kill", b"one", b"two", b"three")}
    assert [done[name].error for name in ("one", "two", "three")] == [None] * 3
    assert done["kill"].error is not None
    assert 3 <= done["kill"].task.losses < 7
    assert f"{done['kill'].task.losses} workers were lost while they worked on" in done["kill"].error.what


def test_a_result_that_is_lost_with_its_worker_is_made_again(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer = list[str](), cluster._answer

    def answer_late(future: Future, *, within_s: float) -> object:
        if not asked:
            time.sleep(1.5)  # the worker is dead before its result is fetched
        asked.append(future.key)
        return answer(future, within_s=within_s)

    monkeypatch.setattr(cluster, "_answer", answer_late)
    monkeypatch.setattr(dask_executor, "RESULT_S", 1.0)
    task = f"kill after:{tmp_path / 'done'}".encode()
    with prepared(cluster) as work:
        (done,) = results(cluster, work, task)
    assert (tmp_path / "done").exists()
    assert (done.error, int(done.result) > 0) == (None, True)


def test_a_result_that_arrives_slowly_is_given_longer_each_time(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed, answer = list[float](), cluster._answer

    def answer_slowly(future: Future, *, within_s: float) -> object:
        allowed.append(within_s)
        return answer(future, within_s=within_s) if len(allowed) > 3 else None

    monkeypatch.setattr(cluster, "_answer", answer_slowly)
    with prepared(cluster) as work:
        (done,) = results(cluster, work, b"one")
    assert done.error is None
    assert allowed == [dask_executor.RESULT_S * factor for factor in (1, 2, 4, 8)]


def test_workers_that_come_later_are_prepared_together(monkeypatch: pytest.MonkeyPatch) -> None:
    work = WorkSpec(prepare_scripted, b"1", pack(()).data, WorkerRequirements(0, 0))
    with local_cluster(n_workers=4) as started, DaskCluster.open(started.scheduler_address, workers=1) as cluster:
        first, *late = cluster.threads
        cluster.prepare(work, [first])
        prepare, asked = cluster.prepare, list[list[str]]()

        def prepare_noted(work: WorkSpec, workers: Sequence[str]) -> object:
            asked.append(list(workers))
            return prepare(work, workers)

        monkeypatch.setattr(cluster, "prepare", prepare_noted)
        done = results(cluster, work, *(b"%d" % number for number in range(16)))
        cluster.release(work)
    assert asked[0] == sorted(late)
    assert len(asked) <= 3  # a worker that was ready meanwhile is asked once more
    assert {each.worker for each in done} <= {first, *late}
    assert len({each.worker for each in done}) > 1


def test_unfit_workers_however_many_do_not_end_the_work_of_others(cluster: DaskCluster) -> None:
    with prepared(cluster) as work:
        for number in range(20):
            cluster._leave_out(f"tcp://127.0.0.1:{number}", ToolkitError("it has no sandbox"))
        assert [each.error for each in results(cluster, work, b"one", b"two")] == [None, None]


@pytest.mark.parametrize(("said", "seconds"), [(None, 60.0), (90, 90.0), ("2h", 7200.0)])
def test_how_long_a_cluster_may_be_without_workers_stands_in_the_configuration(said: object, seconds: float) -> None:
    with dask.config.set({WORKERS_SETTING: said}):
        assert worker_timeout_s() == seconds
    with dask.config.set({WORKERS_SETTING: "soon"}), pytest.raises(UsageError, match="'soon' is no time"):
        worker_timeout_s()


def test_a_scheduler_that_listens_to_the_network_is_warned_of(scheduler: str, caplog: pytest.LogCaptureFixture) -> None:
    with DaskCluster.open(scheduler, workers=1):
        assert "scheduler_open" not in caplog.text
    with local_cluster(n_workers=1, host="0.0.0.0") as started:
        port = started.scheduler_address.rpartition(":")[2]
        with DaskCluster.open(f"tcp://127.0.0.1:{port}", workers=1):
            assert "event=scheduler_open" in caplog.text


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
    monkeypatch.setattr(cluster, "_workers_s", 1.0)
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
    loggers = [logging.getLogger(f"distributed{part}") for part in ("", ".client", ".core")]
    before = [logger.level for logger in loggers]
    with DaskCluster.open(scheduler, workers=1):
        assert [logger.getEffectiveLevel() for logger in loggers] == [logging.CRITICAL] * 3
    assert [logger.level for logger in loggers] == before
