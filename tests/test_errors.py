"""What the machine refuses is told in plain words, wherever it happens."""

import errno

from evaluator.errors import error_from_machine


def test_what_the_machine_refuses_has_a_sentence_and_a_remedy() -> None:
    for error, what in (
        (OSError(errno.ENOSPC, "No space left on device", "/data/x"), "the disk is full"),
        (PermissionError(errno.EACCES, "Permission denied", "/data/x"), "permission denied"),
        (OSError(errno.EMFILE, "Too many open files"), "too many open files"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (MemoryError(), "the machine ran out of memory"),
    ):
        told = error_from_machine(error)
        assert told is not None
        assert (told.what, bool(told.fix), told.exit_code) == (what, True, 3)
        assert told.where == (getattr(error, "filename", None) or "")
    assert error_from_machine(KeyError("x")) is None
