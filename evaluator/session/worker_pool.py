"""Processes that answer requests in a sandbox: each is lent to one thread at a time, and replaced when it broke."""

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from evaluator.errors import EngineClosedError
from evaluator.session.sandboxing.interpreter import Interpreter
from evaluator.session.sandboxing.launcher import Worker
from evaluator.session.template import start_in_sandbox

_ENTRY: Final = "evaluator.inside.isolation.sandbox_entry"


class Replaceable(Protocol):
    """A process that a pool lends."""

    @property
    def is_worn(self) -> bool:
        """Whether the next request shall go to a fresh one."""
        ...

    def kill(self) -> None:
        """End it."""
        ...


W = TypeVar("W", bound=Replaceable)


def start_answering(backend: str, module: str, *, scratch: Path, interpreter: Interpreter | None = None) -> Worker:
    """Start a module that answers frames and needs no privileges and no namespaces of its own."""
    arguments = [module, "isolated"] if backend == "bwrap" else [module]
    return start_in_sandbox(backend, _ENTRY, arguments, scratch=scratch, interpreter=interpreter)


class WorkerPool(Generic[W]):
    """Lends processes, and starts them when they are first needed."""

    def __init__(self, start: Callable[[], W], *, count: int) -> None:
        """Prepare.

        Args:
            start: Starts one.
            count: How many there are at most (count, >= 1).
        """
        self._start_one = start
        self._free: queue.SimpleQueue[W | None] = queue.SimpleQueue()
        self._all: set[W] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        for _ in range(max(1, count)):
            self._free.put(None)

    def warm_up(self) -> None:
        """Start a process now, so that it imports what it needs while other work goes on."""
        try:
            worker = self._free.get_nowait()
        except queue.Empty:
            return  # all are at work
        try:
            worker = worker or self._start()
        finally:
            self._free.put(worker)

    @contextmanager
    def lent(self, *, survives: tuple[type[BaseException], ...] = ()) -> Iterator[W]:
        """Lend a process; wait for one if all are at work.

        Args:
            survives: Exceptions after which it is still good; after any other it is ended.
        """
        worker = self._free.get()
        try:
            if worker is not None and worker.is_worn:
                self._retire(worker)
                worker = None
            if worker is None:
                worker = self._start()
            yield worker
        except survives:
            self._free.put(worker)
            raise
        except BaseException:
            if worker is not None:
                self._retire(worker)
            self._free.put(None)
            raise
        self._free.put(worker)

    def _start(self) -> W:
        if self._is_closed:
            raise EngineClosedError
        worker = self._start_one()
        with self._lock:
            self._all.add(worker)
        return worker

    def _retire(self, worker: W) -> None:
        with self._lock:
            known = worker in self._all
            self._all.discard(worker)
        if known:
            worker.kill()

    def close(self) -> None:
        """Kill every process."""
        with self._lock:
            self._is_closed = True
            doomed, self._all = list(self._all), set()
        for worker in doomed:
            worker.kill()
