"""A workspace: one folder with the database, the stored files, the logs and the backups."""

import contextlib
import errno
import os
import uuid
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from authoring.store.database.blobs import copy_in, write_in
from authoring.store.database.connections import PATIENCE_S, WriteWatch, connect, explained, reading, writing
from authoring.store.database.migrations import (
    SCHEMA_VERSION,
    back_up,
    migrate,
    note_index_due,
    note_index_made,
    refuse_newer,
    schema_state,
    schema_version,
)
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

DATABASE_NAME = "workspace.sqlite"


@dataclass(frozen=True)
class Workspace:
    """The workspace in the folder `root`. Every operation has a connection to itself."""

    root: Path  # absolute
    patience_s: float = field(default=PATIENCE_S, compare=False, repr=False)  # with other processes that write

    @classmethod
    def open(cls, root: Path, *, create: bool = True) -> "Workspace":
        """Return the workspace in `root`; make it when it is missing, migrate it (after a backup) when it is older.

        Raises:
            UsageError: If `root` is no folder, holds another program's file, or is missing and `create` is false.
            ToolkitError: If it cannot be written, is damaged, or has a newer schema.
        """
        workspace = cls(Path(os.path.abspath(root.expanduser())))
        with explained(workspace.root):
            workspace._make_folder(create=create)
            if not workspace.database_path.exists():
                workspace._make_database(create=create)
            workspace._bring_up_to_date()
        return workspace

    @property
    def database_path(self) -> Path:
        """The SQLite file; local disks only, and never copied while in use (`back_up` does that)."""
        return self.root / DATABASE_NAME

    @property
    def logs(self) -> Path:
        """The folder of the log files; made when asked for."""
        return self._subfolder("logs")

    @property
    def backups(self) -> Path:
        """The folder of the backups, as a path."""
        return self.root / "backups"

    @property
    def blobs(self) -> Path:
        """The folder of the stored files, named by their sha256, as a path."""
        return self.root / "blobs"

    def read(self) -> AbstractContextManager["Database"]:
        """Yield a connection that sees one state of the database and cannot change it."""
        return reading(self.database_path, patience_s=self.patience_s)

    def write(self) -> AbstractContextManager["Database"]:
        """Yield a connection inside one write transaction: all of it happens or, on any exception, nothing.

        No network, model, parser or engine call belongs inside: every other writer waits.
        """
        return writing(self.database_path, patience_s=self.patience_s)

    def watch(self) -> WriteWatch:
        """Return what tells whether somebody has written since; to be closed."""
        return WriteWatch(self.database_path)

    def back_up(self) -> Path:
        """Write a consistent copy of the database to the folder `backups` and return its path."""
        return back_up(self.database_path, self.backups, label="workspace")

    def integrity(self) -> tuple[str, ...]:
        """Return what SQLite finds wrong with the file; empty when it is sound."""
        with self.read() as db:
            findings = [row[0] for row in db.conn.execute("PRAGMA integrity_check")]
            findings += [f"broken reference in table {row[0]}" for row in db.conn.execute("PRAGMA foreign_key_check")]
        return tuple(line for line in findings if line != "ok")

    def put_blob(self, source: Path) -> str:
        """Copy the file `source` into the store and return its sha256."""
        with explained(source):
            return copy_in(source, self.blobs)

    def put_bytes(self, data: bytes) -> str:
        """Put `data` into the store and return its sha256."""
        with explained(self.root):
            return write_in(data, self.blobs)

    def blob_path(self, digest: str) -> Path:
        """Return where the file with that sha256 is stored (whether or not it is)."""
        return self.blobs / digest[:2] / digest

    def _subfolder(self, name: str) -> Path:
        folder = self.root / name
        with explained(folder):
            folder.mkdir(exist_ok=True)
        return folder

    def _make_folder(self, *, create: bool) -> None:
        if create:
            with contextlib.suppress(FileExistsError):  # it is a file
                self.root.mkdir(parents=True, exist_ok=True)  # not asked for first: other processes make it, too
        if self.root.is_dir():
            return
        if not self.root.exists():
            raise _missing(self.root)
        raise UsageError(
            f"{str(self.root)!r} is a file, not a workspace folder", fix="choose a folder with --workspace"
        )

    def _make_database(self, *, create: bool) -> None:
        """Make the file complete under another name, then give it its name: nobody ever sees half of it.

        This is also the only moment when WAL is switched on; several processes doing it at once would fail.
        """
        if not create:
            raise _missing(self.root)
        fresh = self.root / f".new-{uuid.uuid4().hex}.sqlite"
        try:
            with explained(fresh), closing(connect(fresh, create=True)) as db:
                db.conn.execute("PRAGMA journal_mode=WAL")
                db.conn.execute("BEGIN IMMEDIATE")
                migrate(db)
                db.conn.execute("COMMIT")
            _give_name(fresh, self.database_path)
        finally:
            for leftover in (fresh, Path(f"{fresh}-wal"), Path(f"{fresh}-shm")):
                leftover.unlink(missing_ok=True)

    def _bring_up_to_date(self) -> None:
        with reading(self.database_path) as db:
            version, index_is_due = schema_state(db)
        if version < 0:
            raise UsageError(
                f"{DATABASE_NAME!r} is not a Benchwright workspace",
                where=str(self.database_path),
                fix="choose another folder with --workspace, or move that file away",
            )
        refuse_newer(version, self.database_path)
        if version < SCHEMA_VERSION:
            self._migrate_older()
        elif index_is_due:  # the process that migrated ended before it was done
            self._index_anew()
        _check_writable(self.database_path)

    def _migrate_older(self) -> None:
        with self.write() as db:
            version = schema_version(db)
            if version >= SCHEMA_VERSION:  # another process was faster
                return
            back_up(self.database_path, self.backups, label=f"schema-{version}")
            migrate(db)
            note_index_due(db)
        self._index_anew()

    def _index_anew(self) -> None:
        """Read all problems for the search again: an earlier program may have read fewer texts than this one."""
        from authoring.store.problem_index import rebuild_index

        rebuild_index(self)
        with self.write() as db:
            note_index_made(db)


def _missing(root: Path) -> UsageError:
    return UsageError(
        f"there is no workspace in {str(root)!r}", fix="name an existing one with --workspace, or create it first"
    )


def _give_name(fresh: Path, name: Path) -> None:
    """Link `fresh` to `name` unless another process has just made `name`: then theirs stands."""
    try:
        os.link(fresh, name)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        if not name.exists():  # a file system without links
            fresh.rename(name)


def _check_writable(path: Path) -> None:
    """Find out now, not at the first save, that the file cannot be written."""
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)):
        raise PermissionError(errno.EACCES, "not writable", str(path))
