"""Opens the workspace's SQLite file and turns what can go wrong with a file into plain errors."""

import atexit
import errno
import importlib
import random
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from evaluator.errors import ContentError, ToolkitError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database


def timestamp(*, shift_s: float = 0.0) -> str:
    """Return the present moment, shifted by `shift_s` seconds (negative: the past)."""
    return (datetime.now(UTC) + timedelta(seconds=shift_s)).isoformat(timespec="milliseconds")


def age_s(stamp: str) -> float:
    """Return how many seconds ago `stamp` was."""
    return (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds()


class ConflictError(ContentError):
    """What is to be saved rests on something that somebody has replaced since; nothing was written."""

    def __init__(self, what: str, *, where: str = "", fix: str = "", head: object = None) -> None:
        super().__init__(what, where=where, fix=fix)
        self.head = head  # what stands there now: a `Revision`, an `Autosave`; None when it has no such form


PATIENCE_S: Final = 30.0
"""How long a command or a worker waits for other writers: on a busy machine eight of them make one wait for seconds."""
_PAUSE_S: Final = (0.001, 0.02)  # between two tries

_LEAST_FREE_BYTES = 256 * 1024  # what a connection needs for its shared memory and a small log
_DISK_FULL = "free some space (or raise the quota), then repeat the action: what was saved before is unharmed"
_PUT_BACK = (
    "end Benchwright, move the file and those that end in -wal and -shm away, and put the newest file of the folder "
    "'backups' in its place"
)
_SQLITE_ERRORS = {
    sqlite3.SQLITE_FULL: ("the disk is full", _DISK_FULL),
    sqlite3.SQLITE_BUSY: (
        "the workspace is locked by another process",
        "repeat the action; if it stays locked, end the program that holds it (a backup tool, a database browser)",
    ),
    sqlite3.SQLITE_READONLY: (
        "the workspace cannot be written",
        "give yourself write permission on the folder and the file, or choose another folder with --workspace",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the workspace file cannot be opened",
        "check that the folder exists and that you may read and write it",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the workspace file is damaged",
        _PUT_BACK,
    ),
    sqlite3.SQLITE_NOTADB: (
        "the workspace file is not a database",
        _PUT_BACK,
    ),
    sqlite3.SQLITE_IOERR: ("the disk failed while the workspace was read or written", "check the disk, then repeat"),
}
_OS_ERRORS = {
    errno.ENOSPC: ("the disk is full", _DISK_FULL),
    errno.EDQUOT: ("your disk quota is used up", _DISK_FULL),
    errno.EACCES: ("permission denied", "give yourself permission, or choose another folder with --workspace"),
    errno.EPERM: ("permission denied", "give yourself permission, or choose another folder with --workspace"),
    errno.EROFS: ("the file system is read-only", "choose another folder with --workspace"),
    errno.ENOTDIR: ("a part of the path is a file, not a folder", "choose another folder with --workspace"),
    errno.ENOENT: ("there is no such file or folder", "check the path"),
    errno.EISDIR: ("this is a folder, not a file", "name a file"),
    errno.ENAMETOOLONG: ("the path is too long", "choose a shorter path with --workspace"),
}


class _Withheld(MetaPathFinder):
    """Makes pandas and numpy look absent to the thread that imports sqlite-utils.

    It imports both only to know their column types, which the workspace never stores: 1 s for every command.
    """

    def __init__(self) -> None:
        self.thread = threading.get_ident()

    def find_spec(self, fullname: str, _path: Any = None, _target: Any = None) -> ModuleSpec | None:
        """Refuse the two packages to this thread; all other imports go on as usual."""
        if fullname in {"pandas", "numpy"} and threading.get_ident() == self.thread:
            raise ModuleNotFoundError(f"{fullname} is withheld while sqlite-utils is imported")
        return None


def _import_sqlite_utils() -> Any:
    finder = _Withheld()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module("sqlite_utils")
    finally:
        sys.meta_path.remove(finder)


_sqlite_utils = _import_sqlite_utils()


def connect(path: Path, *, create: bool = False) -> "Database":
    """Open a connection of our own: no implicit transactions, foreign keys on; one thread after another may use it.

    Unless `create` is set, a missing file is an error: a deleted workspace must not come back empty.
    """
    uri = f"file:{quote(str(path))}?mode={'rwc' if create else 'rw'}"
    raw = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=PATIENCE_S, check_same_thread=False)
    try:
        raw.execute("PRAGMA foreign_keys=ON")
        return _sqlite_utils.Database(raw, recursive_triggers=True, execute_plugins=False)
    except BaseException:
        raw.close()
        raise


@contextmanager
def explained(where: Path) -> Iterator[None]:
    """Turn the errors of the driver and of the file system into `ToolkitError`s that name `where` and the remedy."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        what = f"the workspace refused the change: {error}"
        raise UsageError(what, where=str(where), fix="reload: what it refers to may be gone or taken") from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", -1) & 0xFF
        if code in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN} and _is_full(where):
            code = sqlite3.SQLITE_FULL  # a connection that finds no room for its files says no more than "I/O error"
        known = _SQLITE_ERRORS.get(code)
        if known is None:
            raise
        raise ToolkitError(known[0], where=str(where), fix=known[1]) from error
    except UnicodeEncodeError as error:
        raise ContentError(
            f"a text holds a broken character, {error.object[error.start]!r}", fix="delete or retype it"
        ) from error
    except OSError as error:
        known = _OS_ERRORS.get(error.errno or -1)
        if known is None:
            raise
        raise ToolkitError(known[0], where=str(error.filename or where), fix=known[1]) from error


def _is_full(where: Path) -> bool:
    try:
        return shutil.disk_usage(where if where.is_dir() else where.parent).free < _LEAST_FREE_BYTES
    except OSError:
        return False


_MOST_IDLE: Final = 8
_idle: "Final[list[tuple[tuple[str, int, int], Database]]]" = []
"""Connections for readers, with the file each is of: to open one takes fifty times as long as a short query."""
_lock: Final = threading.Lock()


@atexit.register
def _close_idle() -> None:
    while _idle:
        _idle.pop()[1].close()


@contextmanager
def _pooled(path: Path) -> Iterator["Database"]:
    """Yield a connection to itself; it stays open for the next reader, unless something was raised."""
    found = path.stat()
    file = str(path), found.st_dev, found.st_ino  # another may be put in its place
    with _lock:
        place = next((place for place, (each, _) in enumerate(_idle) if each == file), None)
        db = None if place is None else _idle.pop(place)[1]
    db = db or connect(path)
    try:
        yield db
    except BaseException:
        db.close()
        raise
    with _lock:
        _idle.append((file, db))
        surplus = _idle[:-_MOST_IDLE]
        del _idle[:-_MOST_IDLE]
    for _, each in surplus:
        each.close()


@contextmanager
def reading(path: Path, *, patience_s: float = PATIENCE_S) -> Iterator["Database"]:
    """Yield a connection that cannot write and sees one state of the file from its first query on.

    All rows are read before the block ends: a cursor that is not at its end would hold that state.
    """
    with explained(path), _pooled(path) as db:
        db.conn.execute(f"PRAGMA busy_timeout={patience_s * 1000:.0f}")
        db.conn.execute("PRAGMA query_only=ON")
        db.conn.execute("BEGIN")
        yield db
        if db.conn.in_transaction:
            db.conn.execute("ROLLBACK")


class WriteWatch:
    """Tells at next to no cost whether a database was written to: it keeps one connection, and reads no table."""

    def __init__(self, path: Path) -> None:
        """Watch a file; it is opened at the first question."""
        self._path = path
        self._db: Database | None = None
        self._file = 0  # the inode: a file may be put in the place of another

    def version(self) -> tuple[int, int]:
        """Return what changes whenever another connection has written.

        Raises:
            ToolkitError: If the file is gone or cannot be read.
        """
        with explained(self._path):
            file = self._path.stat().st_ino if self._path.exists() else 0
            if self._db is None or file != self._file or not file:
                self.close()
                self._db, self._file = connect(self._path), file
            return file, int(self._db.conn.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        if self._db is not None:
            self._db.close()
        self._db = None


def _begin(connection: sqlite3.Connection, path: Path, patience_s: float) -> None:
    """Take the write lock, trying again after short pauses, as long for everybody.

    SQLite's own pauses grow to 0.1 s, so that whoever has waited long loses the lock to those who come after.
    """
    until = time.monotonic() + patience_s
    connection.execute("PRAGMA busy_timeout=0")
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() >= until:
                what = f"the workspace stayed locked by another process for {patience_s:g} s"
                raise ToolkitError(what, where=str(path), fix=_SQLITE_ERRORS[sqlite3.SQLITE_BUSY][1]) from error
        time.sleep(random.uniform(*_PAUSE_S))  # noqa: S311 - so that two processes do not keep step; nothing is secret
    connection.execute(f"PRAGMA busy_timeout={patience_s * 1000:.0f}")


@contextmanager
def writing(path: Path, *, patience_s: float = PATIENCE_S) -> Iterator["Database"]:
    """Yield a connection inside BEGIN IMMEDIATE; commit at the end, roll back on any exception.

    A deferred BEGIN would fail at once, without waiting, when another process wrote after its first read.

    Raises:
        ToolkitError: If another process holds the lock for longer than `patience_s`, or the file is at fault.
    """
    with explained(path), closing(connect(path)) as db:
        _begin(db.conn, path, patience_s)
        try:
            yield db
            db.conn.execute("COMMIT")
        except BaseException:
            if db.conn.in_transaction:  # a full disk makes SQLite roll back by itself
                db.conn.execute("ROLLBACK")
            raise
        with suppress(sqlite3.Error):  # all is saved, but in a log beside the file, and people copy this one file
            db.conn.execute("PRAGMA busy_timeout=0")
            db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
