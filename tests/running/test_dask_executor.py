"""What comes back of tasks, by whom, and what becomes of workers that fail, come late or do not answer."""

import contextlib
import queue
from collections.abc import Iterator, Sequence
from typing import Any, cast

import dask
import pytest
from distributed import Worker

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.running.cluster import dask_executor, worker_side
from evaluator.running.cluster.checks import WorkerRequirements
from evaluator.running.cluster.connection import WORKERS_SETTING, worker_timeout_s
from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
from evaluator.running.cluster.file_bundle import pack
from evaluator.running.cluster.given_tasks import (
    MAX_FAILURES,
    MAX_LOSSES,
    BegunTasks,
    ClusterTask,
    GivenTask,
    TaskResult,
)
from evaluator.running.cluster.messages import MAX_RESULT, BadMessageError, write_message
from evaluator.running.cluster.task_retries import MAX_FAILED, MAX_TRIES, work_off
from tests.running.local_clusters import cluster_of_threads
from tests.running.scripted_task_runner import prepare_scripted


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with cluster_of_threads(2) as started:
        yield started.scheduler_address


@pytest.fixture
def cluster(scheduler: str) -> Iterator[DaskCluster]:
    with DaskCluster.open(scheduler, workers=1) as opened:
        yield opened


def work_of(order: bytes = b"") -> WorkSpec:
    return WorkSpec(prepare_scripted, order, pack(()).data, WorkerRequirements(0, 0))


@contextlib.contextmanager
def prepared(cluster: DaskCluster, order: bytes = b"") -> Iterator[WorkSpec]:
    work = work_of(order)
    try:
        cluster.prepare(work)
        yield work
    finally:
        cluster.release(work)


def waiting_for(*tasks: bytes) -> "queue.SimpleQueue[ClusterTask]":
    waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(ClusterTask(task.decode(), lambda task=task: task))
    return waiting


def results(cluster: DaskCluster, work: WorkSpec, *tasks: bytes) -> list[TaskResult]:
    return list(cluster.results(work, waiting_for(*tasks)))


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


def test_a_task_that_too_many_workers_are_lost_with_is_told() -> None:
    (task, begun), key = (ClusterTask("trips", bytes), BegunTasks()), "key of Dask"
    for known in range(1, MAX_LOSSES + 1):
        begun.add(key)
        begun.note((0.0, key))
        begun.note((0.0, "of another client"))
        found = begun.lost(GivenTask(task, b"", []), key, None)
        assert (task.losses, found is None) == (known, known < MAX_LOSSES)
    assert found is not None  # pyrefly: ignore[unbound-name]
    assert "5 workers were lost while they worked on the problemset 'trips'" in str(found.error)
    begun.add(key)  # and never begun: no worker is to blame
    assert begun.lost(GivenTask(task, b"", []), key, None) is None
    assert task.losses == MAX_LOSSES


@pytest.fixture
def unready(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Workers that answer a task as those do that were not prepared for it."""
    names, done = set[str](), worker_side._done

    def done_where_ready(worker: Worker, key: str, task: bytes) -> bytes:
        if worker.address in names:
            return write_message(worker_side.UNPREPARED, {}, limit=MAX_RESULT)
        return done(worker, key, task)

    monkeypatch.setattr(worker_side, "_done", done_where_ready)
    return names


def refusing(work: WorkSpec, workers: Sequence[str]) -> None:
    raise ToolkitError("it has no sandbox", where=workers[0], fix="install one")


def test_a_late_worker_that_is_not_fit_gets_no_task_and_goes_on_for_others(
    cluster: DaskCluster, unready: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, late = cluster.threads
    work = work_of()
    cluster.prepare(work, [first])
    unready.add(late)
    monkeypatch.setattr(cluster, "prepare", refusing)
    done = results(cluster, work, *(b"%d" % number for number in range(8)))
    assert {each.worker for each in done} == {first}
    assert (len(done), list(cluster.threads)) == (8, [first])
    cluster.release(work)
    assert set(cluster.threads) == {first, late}  # it may be fit for what comes next
    assert set(cluster.client.nthreads()) == {first, late}


def test_tasks_wait_where_no_worker_is_fit_until_the_reason_is_told(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "prepare", refusing)
    monkeypatch.setattr(cluster, "_workers_s", 0.5)
    with pytest.raises(ToolkitError, match="the last one that came: it has no sandbox") as caught:
        results(cluster, work_of(), b"1", b"2", b"3")
    assert caught.value.fix == "install one"


def test_the_configuration_says_how_long_workers_may_lack() -> None:
    for said, seconds in ((None, 60.0), (90, 90.0), ("2h", 7200.0)):
        with dask.config.set({WORKERS_SETTING: said}):
            assert worker_timeout_s() == seconds
    with dask.config.set({WORKERS_SETTING: "soon"}), pytest.raises(UsageError, match="'soon' is no time"):
        worker_timeout_s()


def test_a_scheduler_that_listens_to_the_network_is_warned_of(scheduler: str, caplog: pytest.LogCaptureFixture) -> None:
    with DaskCluster.open(scheduler, workers=1):
        assert "scheduler_open" not in caplog.text
    with cluster_of_threads(1, host="0.0.0.0") as started:
        port = started.scheduler_address.rpartition(":")[2]
        with DaskCluster.open(f"tcp://127.0.0.1:{port}", workers=1):
            assert "event=scheduler_open" in caplog.text


@pytest.mark.deep
def test_a_worker_that_is_not_ready_in_time_is_named(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "PREPARE_S", 0.2)
    said = r"2 workers cannot do this work: tcp://127.*it was not ready after 0 s"
    with pytest.raises(ToolkitError, match=said), prepared(cluster, b"0.7"):
        pass


# --- which results are asked for again, and when that ends; without Dask ---


class InstantCluster:
    def results(self, _work: object, waiting: "queue.SimpleQueue[ClusterTask]") -> Iterator[TaskResult]:
        while not waiting.empty():
            task = waiting.get()
            yield TaskResult(task, task.make(), b"done", "tcp://worker")


def tried(names: str, fails: dict[str, list[ToolkitError]], *, raises: bool = False) -> list[str]:
    """Return which tasks were kept, where some fail so and so often before."""
    kept: list[str] = []

    def keep(done: TaskResult) -> ToolkitError | None:
        if left := fails.get(done.task.name):
            error = left.pop()
            if raises:
                raise error
            return error
        kept.append(done.task.name)
        return None

    waiting = waiting_for(*(name.encode() for name in names))
    try:
        work_off(cast("DaskCluster", InstantCluster()), cast("WorkSpec", None), waiting, keep)
    except ToolkitError as error:
        kept.append(error.what)
    return kept


def errors(count: int, kind: type[Any] = ToolkitError) -> list[ToolkitError]:
    return [kind("it failed") for _ in range(count)]


def test_what_cannot_be_read_is_asked_for_again_after_the_others() -> None:
    for raises in (True, False):
        assert tried("abc", {"a": errors(MAX_TRIES - 1, BadMessageError)}, raises=raises) == ["b", "c", "a"]
    assert tried("abc", {"a": errors(MAX_TRIES)}) == ["b", "c", "it failed"]


def test_more_of_the_same_ends_the_work() -> None:
    names = "abcdefgh"
    assert tried(names, {name: errors(MAX_TRIES) for name in names[:MAX_FAILED]})[-1] == "it failed"
    assert tried(names, {name: errors(MAX_TRIES) for name in names}) == ["it failed"]
    assert tried("ab", {"a": errors(1, ContentError)}) == ["it failed"]
