import threading
import time
from collections.abc import Callable, Iterable

import pytest

from evaluator.running.pool import Ahead, run_parallel_ahead


def run_parallel(items: Iterable[int], work: Callable[[int, Callable[[], bool]], None], *, workers: int) -> None:
    ahead = Ahead[int, int](lambda item, _stopped: item, lambda _item: True, lambda: True, threading.Condition())
    run_parallel_ahead(
        items,
        ahead,
        lambda item, _prepared, stopped: work(item, stopped),
        workers=workers,
        on_stop=lambda: None,
    )


@pytest.mark.parametrize("workers", [1, 3, 20])
def test_every_item_is_worked_off_once_and_one_worker_keeps_the_order(workers: int) -> None:
    seen: list[int] = []
    run_parallel(range(10), lambda item, _stopped: seen.append(item), workers=workers)
    assert (seen if workers == 1 else sorted(seen)) == list(range(10))
    run_parallel([], lambda _item, _stopped: None, workers=workers)


def test_the_first_failure_ends_the_work_and_is_raised() -> None:
    seen: list[int] = []

    def work(item: int, _stopped: Callable[[], bool]) -> None:
        if item == 2:
            raise ValueError("item 2")
        seen.append(item)

    with pytest.raises(ValueError, match="item 2"):
        run_parallel(range(10), work, workers=1)
    assert seen == [0, 1]


def test_a_failure_tells_the_other_workers_to_stop() -> None:
    both = threading.Barrier(2)

    def work(item: int, stopped: Callable[[], bool]) -> None:
        both.wait(timeout=5)
        if item == 0:
            raise ValueError("item 0")
        while not stopped():
            time.sleep(0.001)

    with pytest.raises(ValueError, match="item 0"):
        run_parallel(range(2), work, workers=2)
