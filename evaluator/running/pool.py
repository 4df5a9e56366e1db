"""Works off a list with a few threads, stops at the first failure or at Ctrl-C, and leaves nothing running."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
P = TypeVar("P")
Stopped = Callable[[], bool]

PATIENCE_S = 10.0
"""How long a stopped worker gets to come to its end."""
_LOOK_EVERY_S = 0.5


class Ahead(NamedTuple, Generic[T, P]):
    """A first step of each item, after which something is waited for before its work goes on."""

    prepare: Callable[[T, Stopped], P]
    is_ready: Callable[[P], bool]  # whether what is waited for is there
    may_prepare: Callable[[], bool]  # whether a further item may take its first step
    changed: threading.Condition  # told when one of the two may have become true


def run_parallel_ahead(
    items: Iterable[T],
    ahead: Ahead[T, P],
    work: Callable[[T, P, Stopped], None],
    *,
    workers: int,
    on_stop: Callable[[], None],
) -> None:
    """Prepare every item in order, and call `work(item, prepared, stopped)` when what it waits for is there.

    A worker prefers work to a further preparation; no thread waits for one item while another could go on.

    Args:
        items: What to work off.
        ahead: The first step.
        work: The second one; it asks `stopped()` now and then and returns early when it is True.
        workers: Threads (count, >= 1).
        on_stop: Called when Ctrl-C ends the work early; unblocks workers that wait for something.

    Raises:
        BaseException: The first one that `work` raised, or KeyboardInterrupt; all workers have ended or are abandoned.
    """
    _Pool(items, ahead, work).run(workers, on_stop)


class _Pool(Generic[T, P]):
    def __init__(self, items: Iterable[T], ahead: Ahead[T, P], work: Callable[[T, P, Stopped], None]) -> None:
        self._waiting = deque(items)
        self._prepared: deque[tuple[T, P]] = deque()
        self._preparing = 0
        self._ahead = ahead
        self._work = work
        self._stop = threading.Event()
        self._ended = threading.Semaphore(0)  # one for each worker that has come to its end
        self._failures: list[BaseException] = []

    def run(self, workers: int, on_stop: Callable[[], None]) -> None:
        count = min(workers, len(self._waiting))
        threads = [threading.Thread(target=self._worker, daemon=True, name=f"worker-{i}") for i in range(count)]
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                while not self._stop.is_set() and not self._ended.acquire(timeout=_LOOK_EVERY_S):
                    pass
        except BaseException:
            self._stop.set()
            on_stop()
            raise
        finally:
            for thread in threads:
                if thread.ident is not None:
                    thread.join(PATIENCE_S)
        if self._failures:
            raise self._failures[0]

    def _worker(self) -> None:
        try:
            while (step := self._next()) is not None:
                step()
        except BaseException as error:  # noqa: BLE001 - handed to the caller of `run_parallel_ahead`
            self._failures.append(error)
            self._stop.set()
        finally:
            self._ended.release()

    def _next(self) -> Callable[[], None] | None:
        """Return the next step of an item; None: there will be none."""
        with self._ahead.changed:
            while not self._stop.is_set():
                for place, (item, prepared) in enumerate(self._prepared):
                    if self._ahead.is_ready(prepared):
                        del self._prepared[place]
                        return partial(self._work, item, prepared, self._stop.is_set)
                if self._waiting and self._ahead.may_prepare():
                    self._preparing += 1
                    return partial(self._prepare, self._waiting.popleft())
                if not (self._waiting or self._prepared or self._preparing):
                    return None
                self._ahead.changed.wait(_LOOK_EVERY_S)
        return None

    def _prepare(self, item: T) -> None:
        try:
            prepared = self._ahead.prepare(item, self._stop.is_set)
            with self._ahead.changed:
                self._prepared.append((item, prepared))
        finally:
            with self._ahead.changed:
                self._preparing -= 1
                self._ahead.changed.notify_all()
