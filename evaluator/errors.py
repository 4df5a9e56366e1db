"""Exceptions of the toolkit: each says what went wrong, where, and how to fix it."""

import errno
from typing import ClassVar, TypeVar


class ToolkitError(Exception):
    """The toolkit or the machine failed; the work that was asked for is neither right nor wrong (exit code 3)."""

    exit_code: ClassVar[int] = 3
    is_by_input: bool = False  # what was handed in is at fault: the same again would fail the same way
    is_by_place: bool = False  # what is there at the moment, such as a taken name, is in the way: that can change

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what  # one sentence that names the thing
        self.where = where  # a file, a line, a table, a command; empty when the sentence says it all
        self.fix = fix  # what the reader can do now

    def __str__(self) -> str:
        """Return the message as one line for logs; screens draw the three parts apart."""
        where = f"{self.where}: " if self.where else ""
        fix = f" (fix: {self.fix})" if self.fix else ""
        return f"{where}{self.what}{fix}"


class ContentError(ToolkitError):
    """The author's or agent's material is wrong or was refused (exit code 1)."""

    exit_code: ClassVar[int] = 1


class InputError(ContentError):
    """What was handed in cannot be used, whatever is done around it: the same again would fail the same way."""

    is_by_input = True


class RecordingError(ToolkitError):
    """A reply of a model cannot be recorded: work that goes on would pay for replies that are lost, and so it stops."""


class UsageError(ToolkitError):
    """A command or call named something that does not exist or does not fit (exit code 2)."""

    exit_code: ClassVar[int] = 2


class EngineClosedError(UsageError):
    """An engine was asked to work after it was closed: by its owner, or since the work it was for has been stopped."""

    def __init__(self) -> None:
        super().__init__("the engine is closed", fix="make a new one")


_Error = TypeVar("_Error", bound=ToolkitError)


def by_place(error: _Error) -> _Error:
    """Return an error as one of what is there at the moment: once that has changed, the same may go through."""
    error.is_by_place = True
    return error


def error_from_machine(error: BaseException) -> ToolkitError | None:
    """Return what the operating system refused, or that memory ran out, in plain words; None for any other error."""
    if isinstance(error, MemoryError):
        return ToolkitError("the machine ran out of memory", fix="close other programs, or use smaller data")
    return error_from_os(error) if isinstance(error, OSError) else None


def error_from_os(error: OSError) -> ToolkitError:
    """Return what the operating system refused, in plain words."""
    where = str(error.filename) if error.filename is not None else ""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return ToolkitError("the disk is full", where=where, fix="free some space, then try again")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return ToolkitError(
            "permission denied", where=where, fix="change the permissions, or name a place that you may use"
        )
    if error.errno == errno.EMFILE:
        return ToolkitError("too many open files", where=where, fix="raise the limit with 'ulimit -n', then try again")
    return ToolkitError(error.strerror or str(error), where=where, fix="look at the named place, then try again")
