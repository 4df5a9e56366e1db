"""What a worker keeps for pieces of work, without Dask: built once, released amid tasks, never in the way."""

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.running.cluster import worker_side
from evaluator.running.cluster.shipment import pack
from evaluator.running.cluster.worker_side import _Rooms

pytest.importorskip("distributed")

EMPTY = pack(()).data


class Place:
    """Notes that it was closed."""

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
def rooms() -> Iterator[_Rooms]:
    made = _Rooms()
    yield made
    if made._timer is not None:
        made._timer.cancel()


def build(order: bytes, folder: Path, threads: int) -> Place:
    return Place(folder)


def entered(rooms: _Rooms, key: str) -> tuple[worker_side._Room, Place]:
    found = rooms.enter(key)
    assert found is not None
    room, place = found
    assert isinstance(place, Place)
    return room, place


def test_what_is_released_in_the_midst_of_tasks_is_closed_after_the_last_one(rooms: _Rooms) -> None:
    told = rooms.prepare("a", build, b"", EMPTY, 2)
    assert rooms.prepare("a", build, b"", EMPTY, 2) == told
    (room, place), (again, _) = entered(rooms, "a"), entered(rooms, "a")
    rooms.release("a")
    assert rooms.enter("a") is None
    rooms.leave("a", room)
    assert not place.is_closed
    rooms.leave("a", again)
    assert place.is_closed
    assert not place.folder.exists()


def test_what_is_prepared_anew_while_old_tasks_end_is_another_one(rooms: _Rooms) -> None:
    rooms.prepare("a", build, b"", EMPTY, 1)
    room, old = entered(rooms, "a")
    rooms.release("a")
    rooms.prepare("a", build, b"", EMPTY, 1)
    rooms.leave("a", room)
    _, new = entered(rooms, "a")
    assert (old.is_closed, new.is_closed) == (True, False)


def test_a_workplace_that_cannot_be_built_is_not_kept(rooms: _Rooms) -> None:
    def fail(order: bytes, folder: Path, threads: int) -> Place:
        raise ValueError("no sandbox")

    with pytest.raises(ValueError, match="no sandbox"):
        rooms.prepare("a", fail, b"", EMPTY, 1)
    assert rooms.enter("a") is None
    rooms.prepare("a", build, b"", EMPTY, 1)
    assert rooms.enter("a") is not None


def test_nobody_waits_for_what_another_client_has_built_and_it_can_be_released_meanwhile(rooms: _Rooms) -> None:
    begun, go_on, made = threading.Event(), threading.Event(), list[Place]()

    def slow(order: bytes, folder: Path, threads: int) -> Place:
        begun.set()
        assert go_on.wait(30)
        made.append(Place(folder))
        return made[0]

    builder = threading.Thread(target=rooms.prepare, args=("slow", slow, b"", EMPTY, 1))
    builder.start()
    assert begun.wait(30)
    rooms.prepare("other", build, b"", EMPTY, 1)
    assert rooms.enter("slow") is None
    rooms.release("slow")  # as Ctrl-C does
    go_on.set()
    builder.join(30)
    assert made[0].is_closed


def test_what_nobody_used_for_long_is_closed(rooms: _Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms.prepare("a", build, b"", EMPTY, 1)
    room, place = entered(rooms, "a")
    monkeypatch.setattr(worker_side, "IDLE_S", -1.0)
    rooms._close_idle()
    assert not place.is_closed
    rooms.leave("a", room)
    rooms._close_idle()
    assert place.is_closed
