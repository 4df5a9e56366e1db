"""Opens the workspace's SQLite file and turns what can go wrong with a file into plain errors."""

import errno
import importlib
import shutil
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any
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


BUSY_TIMEOUT_MS = 5000

_LEAST_FREE_BYTES = 256 * 1024  # what a connection needs for its shared memory and a small log
_DISK_FULL = "free some space (or raise the quota), then repeat the action: what was saved before is unharmed"
_SQLITE_ERRORS = {
    sqlite3.SQLITE_FULL: ("the disk is full", _DISK_FULL),
    sqlite3.SQLITE_BUSY: (
        f"the workspace stayed locked by another process for {BUSY_TIMEOUT_MS // 1000} s",
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
        "move it away and put the newest file of the workspace's folder 'backups' in its place",
    ),
    sqlite3.SQLITE_NOTADB: (
        "the workspace file is not a database",
        "move it away and put the newest file of the workspace's folder 'backups' in its place",
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
    """Open a connection of our own: no implicit transactions, foreign keys on, 5 s of patience with other writers.

    Unless `create` is set, a missing file is an error: a deleted workspace must not come back empty.
    """
    uri = f"file:{quote(str(path))}?mode={'rwc' if create else 'rw'}"
    raw = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        raw.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
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


@contextmanager
def reading(path: Path) -> Iterator["Database"]:
    """Yield a connection that cannot write and sees one state of the file from its first query on."""
    with explained(path), closing(connect(path)) as db:
        db.conn.execute("PRAGMA query_only=ON")
        db.conn.execute("BEGIN")
        yield db


@contextmanager
def writing(path: Path) -> Iterator["Database"]:
    """Yield a connection inside BEGIN IMMEDIATE; commit at the end, roll back on any exception.

    A deferred BEGIN would fail at once, without waiting, when another process wrote after its first read.
    """
    with explained(path), closing(connect(path)) as db:
        db.conn.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.conn.execute("COMMIT")
        except BaseException:
            if db.conn.in_transaction:  # a full disk makes SQLite roll back by itself
                db.conn.execute("ROLLBACK")
            raise
