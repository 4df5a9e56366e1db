"""A fork hashes only those large buffers that it wrote to."""

import hashlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evaluator.inside.codec.digests import _PAGE, LARGE_BYTES, LargeBuffers

ANOTHER = hashlib.sha256(b"another").digest()
FORKS, MAX_HASHED = 12, 2


def in_fork(work: Callable[[], bool]) -> bool:
    """Return what `work` returns in a fork of this process."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 1)
    return status == 0


def prepared() -> tuple[LargeBuffers, Any]:
    """Return digests of one buffer, made wrong: they show who takes them from memory."""
    large = LargeBuffers()
    buffer: Any = np.ones(64 * LARGE_BYTES, np.uint8)
    assert large.digest(buffer) == hashlib.sha256(buffer).digest()
    large._digests = dict.fromkeys(large._digests, ANOTHER)
    return large, buffer


def hashed_in_fork() -> bool:
    """Return whether a fork hashed a buffer that it shares; how its pages stood then is told on stderr."""
    large, buffer = prepared()

    def work() -> bool:
        large.share()
        if large.digest(buffer) == ANOTHER:
            return False
        first, size = buffer.__array_interface__["data"][0] // _PAGE, (buffer.nbytes // _PAGE + 1) * 8
        with open("/proc/self/pagemap", "rb", buffering=0) as pages:
            pages.seek(first * 8)
            entries = np.frombuffer(pages.read(size), "<u8")
        bits = {"present": 63, "swapped or moved": 62, "of a file": 61, "own": 56}
        told = {name: int((entries >> np.uint64(bit) & np.uint64(1)).sum()) for name, bit in bits.items()}
        os.write(2, f"hashed; of {len(entries)} pages: {told}\n".encode())
        return True

    return in_fork(work)


def test_forks_do_not_hash_what_they_share_with_the_process_before_them() -> None:
    """The kernel moves pages as it likes; a fork that looks meanwhile hashes them, which is right, only slower."""
    assert sum(hashed_in_fork() for _ in range(FORKS)) <= MAX_HASHED


@pytest.mark.parametrize("place", [0, 12_345_678, 64 * LARGE_BYTES - 1])
def test_one_written_byte_makes_a_fork_hash_the_buffer(place: int) -> None:
    large, buffer = prepared()

    def work() -> bool:
        buffer[place] = 2
        large.share()
        return large.digest(buffer) == hashlib.sha256(buffer).digest() != ANOTHER

    assert in_fork(work)


def test_memory_that_is_used_again_is_hashed() -> None:
    large, buffer = prepared()

    def work() -> bool:
        nonlocal buffer
        del buffer
        again: Any = np.full(64 * LARGE_BYTES, 3, np.uint8)
        large.share()
        return large.digest(again) == hashlib.sha256(again).digest()

    assert in_fork(work)


def test_the_process_itself_hashes_again_what_code_may_have_changed() -> None:
    large, buffer = prepared()
    large.forget()
    assert large.digest(buffer) == hashlib.sha256(buffer).digest()


def test_without_a_page_map_everything_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError

    monkeypatch.setattr("evaluator.inside.codec.digests._open", refuse)
    large, buffer = prepared()

    def work() -> bool:
        large.share()
        return large.digest(buffer) == hashlib.sha256(buffer).digest()

    assert in_fork(work)
