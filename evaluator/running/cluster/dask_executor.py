"""A Dask cluster as we use it: found or started, its workers checked and prepared, tasks given out, losses counted.

Tasks are tried anew only where the infrastructure failed: a worker that was killed, or lost on its way.
"""

import asyncio
import contextlib
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Self, TypeVar

from distributed import Client, Future

from evaluator.errors import ToolkitError
from evaluator.running.cluster import worker_side
from evaluator.running.cluster.checks import (
    UnfitWorker,
    WorkerInfo,
    WorkerRequirements,
    facts_here,
    refuse_differing,
    refuse_unfit,
    unfit_by_error,
    unfit_by_facts,
)
from evaluator.running.cluster.connection import (
    LOCAL,
    MAX_LOST_STARTS,
    connected,
    left,
    refuse_unsafe,
    silence_dask,
    started,
    warn_of_open,
    worker_timeout_s,
)
from evaluator.running.cluster.given_tasks import (
    MAX_FAILURES,
    BegunTasks,
    ClusterTask,
    GivenTask,
    TaskResult,
)
from evaluator.running.cluster.messages import MAX_RESULT, Fields, kind_of, read_error, read_message

T = TypeVar("T")

_log = logging.getLogger(__name__)

ANSWER_S: Final = 120.0  # until a worker must have told something of itself
PREPARE_S: Final = 300.0  # until a worker must be ready
RELEASE_S: Final = 10.0  # until a worker must have ended what it keeps
RESULT_S: Final = 10.0  # until a result must have arrived, or it is looked at again later, for twice as long
GONE_S: Final = 3.0  # until a scheduler must have noticed that a worker is lost
_LOOK_EVERY_S: Final = 1.0


@dataclass(frozen=True)
class WorkSpec:
    """What workers must be prepared for."""

    build: worker_side.Build
    order: bytes
    bundle: bytes
    needs: WorkerRequirements = field(default_factory=WorkerRequirements)

    @cached_property
    def key(self) -> str:
        """What tells it from other work on the same workers."""
        return worker_side.key_of(self.order, self.bundle)


def _told(worker: str, answer: object) -> Fields:
    """Return what a worker told that was prepared.

    Raises:
        ToolkitError: If it could not be.
    """
    read = read_message(worker_side.REPORT, answer, limit=MAX_RESULT)
    if read.content.get("error") is not None:
        raise read_error(read.inner("error"), place=worker)
    return read.inner("told")


def _of_worker(answer: object) -> tuple[str, bytes]:
    """Return the worker that did a task, and what came of it; both are empty for what is none of ours."""
    address, _, result = answer.partition(b"\n") if isinstance(answer, bytes) else (b"", b"", b"")
    return address[:200].decode("utf-8", "replace"), result


class DaskCluster:
    """A cluster to which we are connected; close it to leave it, and to end it if it is our own."""

    def __init__(self, client: Client, where: str, stack: contextlib.ExitStack) -> None:
        self.client = client
        self.where = where
        self._stack = stack
        self._threads: dict[str, int] = {}
        self._looked = float("-inf")
        self._alone_since: float | None = None
        self._workers_s = worker_timeout_s()
        self._late: UnfitWorker | None = None  # the last worker that came later and was not fit
        self._unfit: set[str] = set()  # workers that get no tasks
        self._prepared_for: dict[str, set[str]] = {}  # work -> workers that were prepared for it
        self._begun = BegunTasks()
        self._same: dict[str, dict[str, dict[str, Any]]] = {}  # work -> its first worker -> what all others must be

    @classmethod
    def open(cls, scheduler: str, *, workers: int) -> Self:
        """Connect to a scheduler, or start a cluster of our own.

        Args:
            scheduler: Its address; empty: start a cluster on this machine, which ends with this process.
            workers: Processes of such a cluster (count).

        Raises:
            UsageError: If the address cannot be used, or is not safe.
            ToolkitError: If the scheduler does not answer, is of another version, or has no worker.
        """
        stack = contextlib.ExitStack()
        with stack:
            stack.enter_context(silence_dask())
            if scheduler:
                where = f"Dask scheduler {scheduler}"
                client = connected(refuse_unsafe(scheduler), None, where)
                warn_of_open(client, where)
            else:
                where = LOCAL
                client = connected(*started(workers, stack), where)
            stack.callback(left, client)
            made = cls(client, where, stack)
            client.subscribe_topic(worker_side.BEGUN, made._begun.note)
            made._wait_for_workers()
            made._stack = stack.pop_all()
            return made
        raise AssertionError("an error of the block above was swallowed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        self._stack.close()

    @property
    def threads(self) -> Mapping[str, int]:
        """Worker that may get tasks -> how many it does at once (count), as of a moment ago.

        Raises:
            ToolkitError: If the scheduler is gone.
        """
        if time.monotonic() - self._looked > _LOOK_EVERY_S:
            with self._scheduler_needed():
                there = self.client.nthreads()
            self._unfit &= set(there)  # another one may come to the address of one that is gone
            self._threads = {worker: count for worker, count in there.items() if worker not in self._unfit}
            self._looked = time.monotonic()
        return self._threads

    def prepare(self, work: WorkSpec, workers: Sequence[str] | None = None) -> dict[str, Fields]:
        """Check workers, ship what they need, and make them ready; those that are lost meanwhile are passed over.

        Returns:
            Worker -> what it told; at least one.

        Raises:
            ToolkitError: If one of them is not fit; all that are not are named.
        """
        for _ in range(MAX_LOST_STARTS):
            asked = list(self._threads_now() if workers is None else workers)
            own = facts_here()

            def looked(worker: str, answer: object, own: WorkerInfo = own) -> WorkerInfo:
                facts = WorkerInfo.from_bytes(answer)
                found = unfit_by_facts(worker, facts, own, work.needs)
                if found is not None:
                    raise ToolkitError(found.what, fix=found.fix)
                return facts

            there = self._read(self._asked(worker_side.look, (), asked), looked)
            told = self._ready(work, list(there))
            if told:
                self._prepared_for.setdefault(work.key, set()).update(told)
                same = {worker: each.inner("same").content for worker, each in told.items()}
                first = next(iter(same))
                before = self._same.get(work.key, {})
                refuse_differing({**before, **same})
                self._same[work.key] = before or {f"{first} at first": same[first]}  # it may come back as another one
                return told
            if workers is not None:
                break
            self._wait_for_workers()
        raise ToolkitError("the workers were lost before they were ready", where=self.where, fix="look at their logs")

    def _ready(self, work: WorkSpec, workers: list[str]) -> dict[str, Fields]:
        """Return what workers tell that are ready; those that are not yet get what they need before.

        Raises:
            ToolkitError: If one of them cannot be made ready.
        """
        answers = self._asked(worker_side.told, (work.key,), workers)
        fresh = [worker for worker, answer in answers.items() if kind_of(answer) == worker_side.UNPREPARED]
        if fresh:
            answers |= self._prepared(work, fresh)
        return self._read(answers, _told)

    def _prepared(self, work: WorkSpec, workers: list[str]) -> dict[str, object]:
        """Send workers what they need, once for all of them, and return what each answers."""
        args = work.build, work.order, work.bundle
        with self._scheduler_needed():
            try:
                run, limit = self.client.run, PREPARE_S
                return dict(run(worker_side.prepare, *args, workers=workers, on_error="return", callback_timeout=limit))
            except TimeoutError:
                late = TimeoutError(f"it was not ready after {PREPARE_S:.0f} s")
        answers = self._asked(worker_side.told, (work.key,), workers)
        return {each: late if kind_of(one) == worker_side.UNPREPARED else one for each, one in answers.items()}

    def _asked(
        self, function: Any, args: tuple[Any, ...], workers: Sequence[str], within_s: float = ANSWER_S
    ) -> dict[str, object]:
        """Ask workers something short, and return what each answers, or the error in place of its answer."""

        async def ask(worker: str) -> object:
            called = self.client.run(function, *args, workers=[worker], on_error="return", asynchronous=True)
            try:
                answers = await asyncio.wait_for(called, within_s)
            except TimeoutError:
                return TimeoutError(f"no answer within {within_s:.0f} s")
            return answers.get(worker, OSError("the worker is gone"))

        async def ask_all() -> list[object]:
            return list(await asyncio.gather(*map(ask, workers)))

        answers: list[object] = []
        with self._scheduler_needed():
            answers = self.client.sync(ask_all) if workers else []
        return dict(zip(workers, answers, strict=True))

    def _read(self, answers: Mapping[str, object], read: Callable[[str, object], T]) -> dict[str, T]:
        """Return what workers answered that are still there.

        Raises:
            ToolkitError: If an answer says that a worker is not fit.
        """
        unfit, found = list[UnfitWorker](), dict[str, T]()
        for worker, answer in answers.items():
            try:
                if isinstance(answer, BaseException):
                    raise answer
                found[worker] = read(worker, answer)
            except OSError as error:
                unfit += [unfit_by_error(worker, error)] if self._is_still_there(worker) else []
            except Exception as error:  # noqa: BLE001 - whatever a worker answers is told by its name
                unfit.append(unfit_by_error(worker, error))
        refuse_unfit(unfit)
        return found

    def _is_still_there(self, worker: str) -> bool:
        """Return whether a worker to which the connection broke was not lost; that is known a little later."""
        deadline = time.monotonic() + GONE_S
        while worker in self._threads_now():
            if time.monotonic() > deadline:
                return True
            time.sleep(0.1)
        return False

    def _threads_now(self) -> Mapping[str, int]:
        self._looked = float("-inf")
        return self.threads

    def release(self, work: WorkSpec) -> None:
        """End what workers keep for a piece of work."""
        with contextlib.suppress(Exception):  # whoever is gone keeps nothing
            self._asked(worker_side.release, (work.key,), list(self.client.nthreads()), RELEASE_S)
        self._prepared_for.pop(work.key, None)
        self._late = None  # whoever is not fit for this may be fit for what comes next
        self._unfit.clear()
        self._looked = float("-inf")

    def results(self, work: WorkSpec, waiting: "queue.SimpleQueue[ClusterTask]") -> Iterator[TaskResult]:
        """Give out tasks and yield what came of each, in the order in which they end; further ones may be added.

        Args:
            work: What the workers were prepared for; those that come later are prepared when they get a task.
            waiting: The tasks.

        Raises:
            ToolkitError: If the scheduler is gone, has no workers any more, or only such as are not fit.
        """
        given: dict[Future, GivenTask] = {}
        patience_s: dict[Future, float] = {}  # of results that did not arrive in time, as over a slow network
        ended = threading.Event()
        try:
            while True:
                while len(given) < self._window and not waiting.empty():
                    task = waiting.get()
                    data, workers = task.make(), list(self.threads) if self._unfit else []
                    future = self._submitted(work, data, workers)
                    given[future] = GivenTask(task, data, workers)
                    future.add_done_callback(lambda _future: ended.set())
                if not given and waiting.empty():
                    return
                ended.wait(_LOOK_EVERY_S / 2)
                ended.clear()
                late: set[str] = set()
                for future in [each for each in given if each.status != "pending"]:
                    came = self._answer(future, within_s=patience_s.get(future, RESULT_S))
                    if came is None:
                        patience_s[future] = min(PREPARE_S, 2 * patience_s.get(future, RESULT_S))
                        continue
                    patience_s.pop(future, None)
                    one = given.pop(future)
                    done = self._taken(one, future.key, came, late)
                    if done is None:
                        waiting.put(one.task)
                    else:
                        yield done
                self._prepare_late(work, late)
                for future in [each for each, one in given.items() if self._are_gone(one.workers)]:
                    self.client.cancel([future], force=True)
                    one = given.pop(future)
                    lost = self._begun.lost(one, future.key, None)
                    if lost is None:
                        waiting.put(one.task)
                    else:
                        yield lost
                self._refuse_no_workers()
        finally:
            for future in given:
                self._begun.end(future.key)
            if given:
                with contextlib.suppress(Exception):
                    self.client.cancel(list(given), force=True)

    def call(self, work: WorkSpec, name: str, data: bytes) -> bytes:
        """Have one task done and return its result; several threads may call at once.

        Raises:
            ToolkitError: If it was lost too often, or the cluster is gone.
        """
        waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
        waiting.put(ClusterTask(name, lambda: data))
        (done,) = self.results(work, waiting)
        if done.error is not None:
            raise done.error
        return done.result

    @property
    def _window(self) -> int:
        return 2 * sum(self.threads.values()) or (0 if self._unfit else 1)  # those that are not fit only give it back

    def _are_gone(self, workers: Sequence[str]) -> bool:
        return bool(workers) and not any(worker in self.threads for worker in workers)

    def _submitted(self, work: WorkSpec, data: bytes, workers: list[str]) -> Future:
        with self._scheduler_needed():
            name = f"benchwright-{uuid.uuid4().hex}"
            self._begun.add(name)
            only = workers or None
            do = worker_side.do_task
            return self.client.submit(do, work.key, data, key=name, pure=False, retries=0, workers=only)
        raise AssertionError("an error of the block above was swallowed")

    def _answer(self, future: Future, *, within_s: float) -> object:
        """Return what a task that ended returned, or the error in place of it; None: it is on its way.

        A result that its worker takes along is none: Dask does the task again.
        """
        try:
            return future.result(timeout=within_s)
        except TimeoutError as error:
            return error if future.status == "error" else None
        except Exception as error:  # noqa: BLE001 - whatever Dask raises here, the task did not come back
            return error

    def _taken(self, given: GivenTask, key: str, answer: object, late: set[str]) -> TaskResult | None:
        """Return what came of a task that ended; None: it must be given out again.

        Args:
            given: The task.
            key: Dask's, of the task.
            answer: What it returned, or the error in place of it.
            late: The worker is added that was not prepared for the task.
        """
        if isinstance(answer, Exception):
            self._refuse_lost_scheduler()
            return self._begun.lost(given, key, answer)
        worker, result = _of_worker(answer)
        if kind_of(result) == worker_side.UNPREPARED:
            late.add(worker)
            return self._begun.lost(given, key, None)
        self._begun.end(key)
        if kind_of(result) == worker_side.FAILED:
            read = read_message(worker_side.FAILED, result, limit=MAX_RESULT)
            failure = read_error(read.inner("error"), place=worker)
            given.task.failures += 1
            is_final = failure.exit_code != ToolkitError.exit_code or given.task.failures >= MAX_FAILURES
            return TaskResult(given.task, given.data, worker=worker, error=failure) if is_final else None
        return TaskResult(given.task, given.data, result, worker)

    def _prepare_late(self, work: WorkSpec, late: Set[str]) -> None:
        """Prepare workers that came later, or came back, all at once; those that are not fit get no task."""
        if not late:
            return
        there = set(self._threads_now())
        late = there & late | there - self._prepared_for.get(work.key, set())
        error = self._why_unprepared(work, sorted(late))
        for worker in sorted(late) if error is not None else ():
            error = error if len(late) == 1 else self._why_unprepared(work, [worker])
            if error is not None and worker in self._threads_now():  # else it was killed meanwhile
                self._leave_out(worker, error)

    def _why_unprepared(self, work: WorkSpec, workers: Sequence[str]) -> ToolkitError | None:
        """Prepare workers, and return why they could not be, if so.

        Raises:
            ToolkitError: If the scheduler is gone.
        """
        try:
            if workers:
                self.prepare(work, workers)
        except ToolkitError as error:
            self._refuse_lost_scheduler()
            return error
        return None

    def _leave_out(self, worker: str, error: ToolkitError) -> None:
        _log.warning("event=worker_unfit worker=%s cause=%s", worker, error)
        self._late = UnfitWorker(worker, error.what, error.fix)
        self._unfit.add(worker)
        if self.where == LOCAL:  # workers of others are theirs
            with contextlib.suppress(Exception):
                self.client.retire_workers([worker], close_workers=True)

    def _wait_for_workers(self) -> None:
        with self._scheduler_needed():
            try:
                self.client.wait_for_workers(1, timeout=self._workers_s)
            except TimeoutError as error:
                raise self._no_workers() from error

    def _refuse_no_workers(self) -> None:
        """Refuse to wait for ever for workers.

        Raises:
            ToolkitError: If there were none for a while, or the scheduler is gone.
        """
        self._refuse_lost_scheduler()
        if self.threads:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or time.monotonic()
        if time.monotonic() - self._alone_since > self._workers_s:
            raise self._no_workers()

    def _no_workers(self) -> ToolkitError:
        why = f"; the last one that came: {self._late.what}" if self._late else ""
        fix = self._late.fix if self._late else "start workers, look at their logs, then repeat the same command"
        return ToolkitError(f"there was no worker for {self._workers_s:.0f} s{why}", where=self.where, fix=fix)

    @contextlib.contextmanager
    def _scheduler_needed(self) -> Iterator[None]:
        try:
            yield
        except ToolkitError:
            raise
        except Exception as error:
            raise self._lost_scheduler(error) from error

    def _refuse_lost_scheduler(self) -> None:
        if self.client.status != "running":
            raise self._lost_scheduler(None)

    def _lost_scheduler(self, error: Exception | None) -> ToolkitError:
        said = f": {type(error).__name__}: {' '.join(str(error).split())[:200]}" if error is not None else ""
        fix = "start it and its workers again, then repeat the same command"
        return ToolkitError(f"the scheduler is gone or does not answer{said}", where=self.where, fix=fix)
