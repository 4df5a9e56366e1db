"""Works off a list with a few threads, stops at the first failure or at Ctrl-C, and leaves nothing running."""

import queue
import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_S = 10.0
"""How long a stopped worker gets to come to its end."""


def run_parallel(
    items: Iterable[T],
    work: Callable[[T, Callable[[], bool]], None],
    *,
    workers: int,
    on_stop: Callable[[], None],
) -> None:
    """Call `work(item, stopped)` for every item, in order, on `workers` threads.

    Args:
        items: What to work off.
        work: Asks `stopped()` now and then and returns early when it is True.
        workers: Threads (count, >= 1).
        on_stop: Called when Ctrl-C ends the work early; unblocks workers that wait for something.

    Raises:
        BaseException: The first one that `work` raised, or KeyboardInterrupt; all workers have ended or are abandoned.
    """
    _Pool(items, work).run(workers, on_stop)


class _Pool(Generic[T]):
    def __init__(self, items: Iterable[T], work: Callable[[T, Callable[[], bool]], None]) -> None:
        self._waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
        for item in items:
            self._waiting.put(item)
        self._work = work
        self._stop = threading.Event()
        self._failures: list[BaseException] = []

    def run(self, workers: int, on_stop: Callable[[], None]) -> None:
        count = min(workers, self._waiting.qsize())
        threads = [threading.Thread(target=self._worker, daemon=True, name=f"worker-{i}") for i in range(count)]
        try:
            for thread in threads:
                thread.start()
            while not self._stop.is_set() and any(thread.is_alive() for thread in threads):
                self._stop.wait(0.02)
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
        while not self._stop.is_set():
            try:
                item = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._work(item, self._stop.is_set)
            except BaseException as error:  # noqa: BLE001 - handed to the caller of `run_parallel`
                self._failures.append(error)
                self._stop.set()
