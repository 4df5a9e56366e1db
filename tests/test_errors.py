"""What the machine refuses is told in plain words, wherever it happens."""

import errno

import pytest

from evaluator.errors import error_from_machine


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/x"), "the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/data/x"), "permission denied"),
        (OSError(errno.EMFILE, "Too many open files"), "too many open files"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (MemoryError(), "the machine ran out of memory"),
    ],
)
def test_what_the_machine_refuses_has_a_sentence_and_a_remedy(error: Exception, what: str) -> None:
    told = error_from_machine(error)
    assert told is not None
    assert (told.what, bool(told.fix), told.exit_code) == (what, True, 3)
    assert told.where == (getattr(error, "filename", None) or "")


def test_an_error_of_our_own_making_is_none_of_the_machines() -> None:
    assert error_from_machine(KeyError("x")) is None
