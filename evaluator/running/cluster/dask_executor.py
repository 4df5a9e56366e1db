"""A Dask cluster as we use it: found or started, its workers checked and prepared, tasks given out, losses counted.

Tasks are tried anew only where the infrastructure failed: a worker that was killed, or lost on its way.
"""

import contextlib
import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self, TypeVar

from distributed import Client, Future

from evaluator.errors import ToolkitError
from evaluator.running.cluster import worker_side
from evaluator.running.cluster.checks import (
    Facts,
    Needs,
    Unfit,
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
    started,
)
from evaluator.running.cluster.frames import MAX_RESULT, Fields, kind_of, read_error, read_frame

T = TypeVar("T")

_log = logging.getLogger(__name__)

WORKERS_S: Final = 60.0  # until a cluster without workers must have one again
PREPARE_S: Final = 300.0  # until a worker must be ready
MAX_LOSSES: Final = 3  # of one task, each after Dask's own tries; a worker that dies more often dies of the task
MAX_LATE: Final = 10  # workers that come later and are not fit
GONE_S: Final = 3.0  # until a scheduler must have noticed that a worker is lost
_LOOK_EVERY_S: Final = 1.0


@dataclass
class ClusterTask:
    """One piece of work."""

    name: str  # for people
    make: Callable[[], bytes]  # the task as it is now: less may be missing at its second try
    lacks: Callable[[], object] = tuple  # what is still missing of it, after its result was kept; empty: nothing
    losses: int = 0  # how often it was lost (count)


class Done(NamedTuple):
    """What came of a task."""

    task: ClusterTask
    sent: bytes  # the task as it was given out
    result: bytes | None  # None: it was lost too often
    worker: str = ""


@dataclass(frozen=True)
class Work:
    """What workers must be prepared for."""

    build: worker_side.Build
    order: bytes
    shipment: bytes
    needs: Needs = field(default_factory=Needs)

    @property
    def key(self) -> str:
        """What tells it from other work on the same workers."""
        return worker_side.key_of(self.order, self.shipment)


def lost_too_often(name: str, losses: int) -> ToolkitError:
    """Return the error that says on which problemset workers die."""
    what = f"{losses} workers in a row were lost while they worked on the problemset {name!r}"
    fix = "look at the workers' logs, give them more memory, then repeat the same command: it resumes"
    return ToolkitError(what, where="Dask cluster", fix=fix)


def _told(worker: str, answer: object) -> Fields:
    """Return what a worker told that was prepared.

    Raises:
        ToolkitError: If it could not be.
    """
    read = read_frame(worker_side.REPORT, answer, limit=MAX_RESULT)
    if read.content.get("error") is not None:
        raise read_error(read.inner("error"), place=worker)
    return read.inner("told")


class DaskCluster:
    """A cluster to which we are connected; close it to leave it, and to end it if it is our own."""

    def __init__(self, client: Client, where: str, stack: contextlib.ExitStack) -> None:
        self.client = client
        self.where = where
        self._stack = stack
        self._threads: dict[str, int] = {}
        self._looked = float("-inf")
        self._alone_since: float | None = None
        self._late: list[Unfit] = []
        self._same: dict[str, dict[str, Any]] = {}  # the first worker that was prepared -> what all others must be

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
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        stack = contextlib.ExitStack()
        with stack:
            if scheduler:
                where = f"Dask scheduler {scheduler}"
                client = connected(refuse_unsafe(scheduler), None, where)
            else:
                where = LOCAL
                client = connected(*started(workers, stack), where)
            stack.callback(left, client)
            made = cls(client, where, stack)
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
        """Worker -> tasks that it does at once (count), as of a moment ago.

        Raises:
            ToolkitError: If the scheduler is gone.
        """
        if time.monotonic() - self._looked > _LOOK_EVERY_S:
            with self._scheduler_needed():
                self._threads = dict(self.client.nthreads())
            self._looked = time.monotonic()
        return self._threads

    def prepare(self, work: Work, workers: Sequence[str] | None = None) -> dict[str, Fields]:
        """Check workers, ship what they need, and make them ready; those that are lost meanwhile are passed over.

        Returns:
            Worker -> what it told; at least one.

        Raises:
            ToolkitError: If one of them is not fit; all that are not are named.
        """
        for _ in range(MAX_LOST_STARTS):
            asked = list(self._threads_now() if workers is None else workers)
            own = facts_here()

            def looked(worker: str, answer: object, own: Facts = own) -> Facts:
                facts = Facts.from_bytes(answer)
                found = unfit_by_facts(worker, facts, own, work.needs)
                if found is not None:
                    raise ToolkitError(found.what, fix=found.fix)
                return facts

            there = self._answers(worker_side.look, (), asked, looked)
            if there:
                told = self._answers(worker_side.prepare, (work.build, work.order, work.shipment), list(there), _told)
                if told:
                    same = {worker: each.inner("same").content for worker, each in told.items()}
                    refuse_differing({**self._same, **same})
                    self._same = self._same or dict(list(same.items())[:1])
                    return told
            if workers is not None:
                break
            self._wait_for_workers()
        raise ToolkitError("the workers were lost before they were ready", where=self.where, fix="look at their logs")

    def _answers(
        self, function: Any, args: tuple[Any, ...], workers: list[str], read: Callable[[str, object], T]
    ) -> dict[str, T]:
        """Ask workers, and return what those that are still there answer.

        Raises:
            ToolkitError: If an answer says that a worker is not fit.
        """
        answers, unfit, found = dict[str, Any](), list[Unfit](), dict[str, T]()
        with self._scheduler_needed():
            answers = self.client.run(function, *args, workers=workers, on_error="return") if workers else {}
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

    def release(self, work: Work) -> None:
        """End what workers keep for a piece of work."""
        with contextlib.suppress(Exception):  # whoever is gone keeps nothing
            self.client.run(worker_side.release, work.key, on_error="ignore")

    def results(self, work: Work, waiting: "queue.SimpleQueue[ClusterTask]") -> Iterator[Done]:
        """Give out tasks and yield what came of each, in the order in which they end; further ones may be added.

        Args:
            work: What the workers were prepared for; those that come later are prepared when they get a task.
            waiting: The tasks.

        Raises:
            ToolkitError: If the scheduler is gone, has no workers any more, or only such as are not fit.
        """
        given: dict[Future, tuple[ClusterTask, bytes]] = {}
        ended = threading.Event()
        try:
            while True:
                while len(given) < self._window and not waiting.empty():
                    task = waiting.get()
                    data = task.make()
                    future = self._submitted(work, data)
                    given[future] = task, data
                    future.add_done_callback(lambda _future: ended.set())
                if not given:
                    return
                ended.wait(_LOOK_EVERY_S / 2)
                ended.clear()
                for future in [each for each in given if each.status != "pending"]:
                    task, data = given.pop(future)
                    done = self._taken(work, task, data, future)
                    if done is None:
                        waiting.put(task)
                    else:
                        yield done
                self._refuse_no_workers()
        finally:
            if given:
                with contextlib.suppress(Exception):
                    self.client.cancel(list(given), force=True)

    def call(self, work: Work, name: str, data: bytes) -> bytes:
        """Have one task done and return its result; several threads may call at once.

        Raises:
            ToolkitError: If it was lost too often, or the cluster is gone.
        """
        waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
        waiting.put(ClusterTask(name, lambda: data))
        (done,) = self.results(work, waiting)
        if done.result is None:
            raise lost_too_often(name, done.task.losses)
        return done.result

    @property
    def _window(self) -> int:
        return 2 * sum(self.threads.values()) or 1

    def _submitted(self, work: Work, data: bytes) -> Future:
        with self._scheduler_needed():
            name = f"benchwright-{uuid.uuid4().hex}"
            return self.client.submit(worker_side.do_task, work.key, data, key=name, pure=False, retries=0)
        raise AssertionError("an error of the block above was swallowed")

    def _taken(self, work: Work, task: ClusterTask, data: bytes, future: Future) -> Done | None:
        """Return what came of a task that ended; None: it must be given out again."""
        try:
            result = future.result(timeout=PREPARE_S)
        except Exception as error:  # noqa: BLE001 - whatever Dask raises here, the task did not come back
            self._refuse_lost_scheduler()
            task.losses += 1
            _log.warning("event=task_lost task=%s losses=%d cause=%r", task.name, task.losses, error)
            return Done(task, data, None) if task.losses >= MAX_LOSSES else None
        if kind_of(result) == worker_side.UNPREPARED:
            self._prepare_late(work, read_frame(worker_side.UNPREPARED, result, limit=MAX_RESULT).text("worker"))
            return None
        if kind_of(result) == worker_side.FAILED:
            read = read_frame(worker_side.FAILED, result, limit=MAX_RESULT)
            failure = read_error(read.inner("error"), place=read.text("worker"))
            task.losses += 1
            if failure.exit_code != ToolkitError.exit_code or task.losses >= MAX_LOSSES:
                raise failure
            return None
        return Done(task, data, result)

    def _prepare_late(self, work: Work, worker: str) -> None:
        """Prepare a worker that came later, or came back; one that is not fit is sent away."""
        if worker not in self._threads_now():
            return
        try:
            self.prepare(work, [worker])
        except ToolkitError as error:
            self._refuse_lost_scheduler()
            if worker not in self._threads_now():
                return  # it was killed meanwhile
            _log.warning("event=worker_unfit worker=%s cause=%s", worker, error)
            self._late.append(Unfit(worker, error.what, error.fix))
            if len(self._late) >= MAX_LATE:
                raise
            with contextlib.suppress(Exception):
                self.client.retire_workers([worker], close_workers=True)

    def _wait_for_workers(self) -> None:
        with self._scheduler_needed():
            try:
                self.client.wait_for_workers(1, timeout=WORKERS_S)
            except TimeoutError as error:
                raise self._no_workers(self._late) from error

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
        if time.monotonic() - self._alone_since > WORKERS_S:
            raise self._no_workers(self._late)

    def _no_workers(self, late: Sequence[Unfit]) -> ToolkitError:
        why = f"; the last one that came: {late[-1].what}" if late else ""
        fix = late[-1].fix if late else "start workers, look at their logs, then repeat the same command: it resumes"
        return ToolkitError(f"there was no worker for {WORKERS_S:.0f} s{why}", where=self.where, fix=fix)

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
        fix = "start it again, then repeat the same command: it resumes"
        return ToolkitError(f"the scheduler is gone or does not answer{said}", where=self.where, fix=fix)
