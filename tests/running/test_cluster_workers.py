"""What a worker keeps for pieces of work, without Dask: built once, released amid tasks, never in the way."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.running.cluster import worker_side
from evaluator.running.cluster.file_bundle import pack
from evaluator.running.cluster.worker_side import _RunnerCache

pytest.importorskip("distributed")

EMPTY = pack(()).data


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_closed = False

    def told(self) -> Mapping[str, Any]:
        return {"same": {"folder": str(self.folder)}}

    def work(self, task: bytes, cancelled: Callable[[], bool]) -> bytes:
        return b"" if cancelled() else task

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def cache() -> Iterator[_RunnerCache]:
    made = _RunnerCache()
    yield made
    if made._timer is not None:
        made._timer.cancel()


def build(order: bytes, folder: Path, threads: int) -> Place:
    return Place(folder)


def entered(cache: _RunnerCache, key: str) -> tuple[worker_side._CachedRunner, Place]:
    found = cache.enter(key)
    assert found is not None
    cached, place = found
    assert isinstance(place, Place)
    return cached, place


def test_what_is_released_amid_tasks_is_closed_after_the_last_one(cache: _RunnerCache) -> None:
    told = cache.prepare("a", build, b"", EMPTY, 2)
    assert cache.prepare("a", build, b"", EMPTY, 2) == told
    (cached, place), (again, _) = entered(cache, "a"), entered(cache, "a")
    cache.release("a")
    assert cache.enter("a") is None
    cache.leave("a", cached)
    assert not place.is_closed
    cache.leave("a", again)
    assert place.is_closed
    assert not place.folder.exists()


def test_what_nobody_used_for_long_is_closed(cache: _RunnerCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.prepare("a", build, b"", EMPTY, 1)
    cached, place = entered(cache, "a")
    monkeypatch.setattr(worker_side, "IDLE_S", -1.0)
    cache._close_idle()
    assert not place.is_closed
    cache.leave("a", cached)
    cache._close_idle()
    assert place.is_closed
