"""What runs in a worker's process: it unpacks what was shipped once, keeps an engine between tasks, and does tasks.

Dask finds these functions by name, in the worker's own installation; tasks and results are bytes that we read.
"""

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from distributed import Worker, get_worker

from evaluator.errors import ToolkitError, error_from_machine
from evaluator.running.cluster.checks import facts_here
from evaluator.running.cluster.file_bundle import unpack
from evaluator.running.cluster.messages import MAX_RESULT, error_json, write_message
from evaluator.session import scratch_folder

_log = logging.getLogger(__name__)

REPORT: Final = "report"
UNPREPARED: Final = "unprepared"
FAILED: Final = "failed"
BEGUN: Final = "benchwright-begun"
"""The topic of Dask's events under which a worker names the task that it begins, lest it is lost with it unheard."""
IDLE_S: Final = 300.0
"""After so long without a task, what a client left behind that was killed is ended."""


class TaskRunner(Protocol):
    """What a worker keeps for one piece of work between its tasks; used from several threads."""

    def told(self) -> Mapping[str, Any]:
        """Return what the client wants to know before it gives tasks, as JSON values; `same` is the same everywhere."""
        ...

    def work(self, task: bytes, cancelled: Callable[[], bool]) -> bytes:
        """Do a task; what is judged before an error is returned with it.

        Raises:
            ToolkitError: If not even a result can be made.
        """
        ...

    def close(self) -> None:
        """End all processes."""
        ...


Build = Callable[[bytes, Path, int], TaskRunner]
"""Makes a task runner of its order, of the folder with what was shipped, and of how many tasks are done at once."""


def key_of(order: bytes, bundle: bytes) -> str:
    """Return what tells one piece of work from others on the same workers."""
    return hashlib.sha256(hashlib.sha256(order).digest() + hashlib.sha256(bundle).digest()).hexdigest()[:32]


@dataclass
class _CachedRunner:
    is_building: threading.Lock = field(default_factory=threading.Lock)
    runner: TaskRunner | None = None  # None: it is not built yet
    stack: ExitStack = field(default_factory=ExitStack)
    busy: int = 0  # tasks under way, and calls that prepare it (count)
    used: float = field(default_factory=time.monotonic)
    is_released: bool = False  # no longer known; closed by the last one that leaves


class _RunnerCache:
    """The task runners of this process: few, since each has processes of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # never held while a task runner is built or closed
        self._cached: dict[str, _CachedRunner] = {}
        self._timer: threading.Timer | None = None

    def prepare(self, key: str, build: Build, order: bytes, bundle: bytes, threads: int) -> Mapping[str, Any]:
        """Build a task runner, where it is not there, and return what it tells."""
        self._close_idle()
        with self._lock:
            cached = self._cached.setdefault(key, _CachedRunner())
            cached.busy += 1
            self._look_later()
        try:
            with cached.is_building:
                runner = cached.runner or self._built(cached, build, order, bundle, threads)
            return runner.told()
        finally:
            self.leave(key, cached)

    def _built(self, cached: _CachedRunner, build: Build, order: bytes, bundle: bytes, threads: int) -> TaskRunner:
        with ExitStack() as stack:
            folder = stack.enter_context(scratch_folder())
            unpack(bundle, folder)
            runner = build(order, folder, threads)
            stack.callback(runner.close)
            cached.runner, cached.stack = runner, stack.pop_all()
            return runner
        raise AssertionError("an error of the block above was swallowed")

    def enter(self, key: str) -> tuple[_CachedRunner, TaskRunner] | None:
        """Return a task runner that is there, for a task; `leave` follows."""
        with self._lock:
            cached = self._cached.get(key)
            if cached is None or cached.runner is None:
                return None
            cached.busy += 1
            return cached, cached.runner

    def leave(self, key: str, cached: _CachedRunner) -> None:
        """Note the end of a task; the last one closes what was released, or could not be built."""
        with self._lock:
            cached.busy, cached.used = cached.busy - 1, time.monotonic()
            is_over = not cached.busy and (cached.is_released or cached.runner is None)
            if is_over and self._cached.get(key) is cached:
                del self._cached[key]
        if is_over:
            cached.stack.close()

    def release(self, key: str) -> None:
        """Forget a task runner, and close it once no task is under way."""
        with self._lock:
            cached = self._cached.pop(key, None)
            if cached is not None:
                cached.is_released = True
            is_over = cached is not None and not cached.busy
        if cached is not None and is_over:
            cached.stack.close()

    def _look_later(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(IDLE_S / 5, self._look_now)
            self._timer.daemon = True
            self._timer.start()

    def _look_now(self) -> None:
        with self._lock:
            self._timer = None
        self._close_idle()
        with self._lock:
            if self._cached:
                self._look_later()

    def _close_idle(self) -> None:
        long_ago = time.monotonic() - IDLE_S
        with self._lock:
            idle = [key for key, cached in self._cached.items() if not cached.busy and cached.used < long_ago]
            found = [self._cached.pop(key) for key in idle]
        for cached in found:
            cached.stack.close()


_RUNNERS: Final = _RunnerCache()  # a worker's process lives longer than any task


async def look() -> bytes:
    """Return what this worker is and has."""
    return (await asyncio.to_thread(facts_here)).to_bytes()


async def told(key: str) -> bytes:
    """Return what `prepare` returned for a piece of work that this worker is ready for."""
    return await asyncio.to_thread(_told, key)


def _told(key: str) -> bytes:
    entered = _RUNNERS.enter(key)
    if entered is None:
        return write_message(UNPREPARED, {}, limit=MAX_RESULT)
    cached, runner = entered
    try:
        return write_message(REPORT, {"told": runner.told(), "error": None}, limit=MAX_RESULT)
    finally:
        _RUNNERS.leave(key, cached)


async def prepare(build: Build, order: bytes, bundle: bytes, dask_worker: Any = None) -> bytes:
    """Make this worker ready for tasks, and return what the client wants to know, or why it cannot be."""
    threads = int(dask_worker.state.nthreads)  # Dask puts its worker into an argument of this name
    return await asyncio.to_thread(_prepare, build, order, bundle, threads)


def _prepare(build: Build, order: bytes, bundle: bytes, threads: int) -> bytes:
    try:
        told = _RUNNERS.prepare(key_of(order, bundle), build, order, bundle, threads)
        content = {"told": told, "error": None}
    except Exception as error:  # noqa: BLE001 - the boundary of this process: the client tells it
        content = {"told": {}, "error": error_json(_as_ours(error))}
    return write_message(REPORT, content, limit=MAX_RESULT)


async def release(key: str) -> None:
    """End what this worker keeps for a piece of work that is done."""
    await asyncio.to_thread(_RUNNERS.release, key)


def do_task(key: str, task: bytes) -> bytes:
    """Do a task, and return this worker's address in a line before its result."""
    worker = get_worker()
    address: str = worker.address
    return address.encode() + b"\n" + _done(worker, key, task)


def _done(worker: Worker, key: str, task: bytes) -> bytes:
    """Return what comes of a task; without a task runner for it the client is asked for what it takes."""
    entered = _RUNNERS.enter(key)
    if entered is None:
        return write_message(UNPREPARED, {}, limit=MAX_RESULT)
    cached, runner = entered
    name = worker.get_current_task()
    worker.log_event(BEGUN, name)

    def cancelled() -> bool:
        state = worker.state.tasks.get(name)
        return state is None or state.state == "cancelled"  # the client is gone, or wants it no more

    try:
        return runner.work(task, cancelled)
    except Exception as error:  # noqa: BLE001 - the boundary of this process: the client tells it
        _log.warning("event=task_failed", exc_info=error)
        return write_message(FAILED, {"error": error_json(_as_ours(error))}, limit=MAX_RESULT)
    finally:
        _RUNNERS.leave(key, cached)


def _as_ours(error: Exception) -> ToolkitError:
    if isinstance(error, ToolkitError):
        return error
    known = error_from_machine(error)
    said = f"unexpected {type(error).__name__} in a worker: {' '.join(str(error).split())[:200]}"
    return known or ToolkitError(said, fix="please report it, with the worker's log")
