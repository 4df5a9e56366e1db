"""The folder of a run: its lock, its manifest and its records, whole after every kind of end."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.records import Record
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.run_manifest import RefusedSet, RunIdentity, manifest_text, parse_identity
from evaluator.running.tally import ProblemKey, Tally, lines_without, read_answers, read_tally

RECORDS: Final = "records.jsonl"
MANIFEST: Final = "manifest.json"
LOCK: Final = ".lock"
_BLOCK: Final = 64 * 1024


class OtherRunError(ContentError):
    """A folder holds another run than the one that is asked for."""


class RunFolder:
    """The output folder of one run, held against other runs while it is open."""

    def __init__(self, root: Path, lock: "FolderLock") -> None:
        self.root = root
        self._lock = lock
        self._records: RecordsFile | None = None

    @classmethod
    def acquire(cls, root: Path) -> Self:
        """Make the folder if there is none and lock it.

        Raises:
            ContentError: If another run is writing to it.
            ToolkitError: If it cannot be written.
        """
        try:
            root.mkdir(parents=True, exist_ok=True)
            folder = cls(root, FolderLock(root / LOCK))
            for name in (RECORDS, MANIFEST):
                _draft_of(root / name).unlink(missing_ok=True)  # of a run that was killed while it wrote
            return folder
        except OSError as error:
            fix = "name a folder that can be written with --out"
            raise ToolkitError(
                f"cannot write the output folder: {error.strerror or error}", where=str(root), fix=fix
            ) from error

    def begin(self, identity: RunIdentity, *, source: str, time_scale: float = 1.0) -> Tally:
        """Write the manifest of a new run, or find out what a stopped one has judged already.

        Problems that were NOT_JUDGED, or cut off between two attempts, are forgotten, so that they are tried again;
        only for them the records are written anew. Otherwise the file is read once, line by line.

        Args:
            identity: Of the run.
            source: The benchmark's path as the user wrote it.
            time_scale: Of the machine.

        Raises:
            OtherRunError: If the folder holds another run.
            ContentError: If it holds files that are none of ours.
        """
        manifest, records = self.root / MANIFEST, self.root / RECORDS
        if manifest.exists():
            _refuse_another_run(parse_identity(manifest), identity, self.root)
        elif records.exists():
            fix = "name another folder with --out, or move the file away"
            raise ContentError("the folder holds records without a manifest", where=str(records), fix=fix)
        tally, useless = Tally(), frozenset[ProblemKey]()
        if records.exists():
            tally, useless = read_tally(records, _refusing_foreign(identity))
        if useless:
            write_atomically(records, lines_without(records, useless))
        self.write_manifest(identity, source=source, refused=(), time_scale=time_scale)
        self._records = RecordsFile.open(records)
        return tally

    def append(self, *records: Record) -> None:
        """Write the records of one problem through to the disk."""
        assert self._records is not None, "begin comes first"
        self._records.append(*records)

    def answers(self, problemset: str, epoch: int) -> dict[int, PriorAnswer]:
        """Return what the agent answered to the judged problems of one problemset, by index."""
        return read_answers(self.root / RECORDS, problemset, epoch)

    def write_manifest(
        self, identity: RunIdentity, *, source: str, refused: Iterable[RefusedSet], time_scale: float = 1.0
    ) -> None:
        """Replace the manifest."""
        text = manifest_text(identity, source=source, refused=tuple(refused), time_scale=time_scale)
        write_atomically(self.root / MANIFEST, [text.encode("utf-8", "backslashreplace")])

    def discard(self, *more: str) -> None:
        """Remove what an earlier run left in the folder; files that are none of a run's stay.

        Args:
            more: Names of further files of the run.

        Raises:
            ContentError: If its manifest is none of a run's.
            ToolkitError: If a file cannot be removed.
        """
        try:
            if (self.root / MANIFEST).exists():
                parse_identity(self.root / MANIFEST)
            for name in (RECORDS, MANIFEST, *more):
                (self.root / name).unlink(missing_ok=True)
        except OSError as error:
            what, fix = f"cannot remove an earlier result: {error.strerror or error}", "name another folder with --out"
            raise ToolkitError(what, where=str(self.root), fix=fix) from error

    def close(self) -> None:
        """Close the records and let another run in."""
        if self._records is not None:
            self._records.close()
        self._lock.release()


def discard_run(root: Path, *more: str) -> None:
    """Remove what a run left in its folder; files that are none of a run's stay.

    Args:
        root: The folder; nothing happens where there is none.
        more: Names of further files of the run.

    Raises:
        ContentError: If a run is writing to it, or its manifest is none of a run's.
        ToolkitError: If a file cannot be removed.
    """
    if not root.is_dir():
        return
    folder = RunFolder.acquire(root)
    try:
        folder.discard(*more)
    finally:
        folder.close()


def _refuse_another_run(found: RunIdentity, wanted: RunIdentity, root: Path) -> None:
    difference = found.difference(wanted)
    if difference is not None:
        raise OtherRunError(
            f"the folder holds another run: {difference}",
            where=str(root),
            fix="name another folder with --out, repeat the command that began this one, or remove it (run --fresh)",
        )


def _refusing_foreign(identity: RunIdentity) -> Callable[[Mapping[str, Any], str], None]:
    """Return what refuses a record that is of another run, as it comes into the file when files are put together."""
    sets = {each.name: each for each in identity.sets}

    def refuse(content: Mapping[str, Any], where: str) -> None:
        for name in ("benchmark", "version", "scoring_version"):
            said, wanted = content.get(name) or "", getattr(identity, name)
            if said and str(said) != wanted:
                raise _foreign(f"its {name.replace('_', ' ')} is {str(said)[:80]!r}, not {wanted!r}", where)
        found, index = sets.get(content["problemset"]), content["index"]
        if found is None:
            raise _foreign(f"the run asks no problemset {content['problemset'][:80]!r}", where)
        if index > found.problems or content.get("epoch", 1) > identity.epochs:
            asked = f"{found.problems} problems of {found.name!r} in {identity.epochs} epochs"
            raise _foreign(f"the run asks {asked}, not problem {index} in epoch {content.get('epoch', 1)}", where)
        digests = content.get("digests") or {}
        if isinstance(digests, Mapping) and digests.get("problemset", found.digest) != found.digest:
            raise _foreign(f"it is of another text of the problemset {found.name!r}", where)

    return refuse


def _foreign(why: str, where: str) -> ContentError:
    fix = "take that line out of the file, or name another folder with --out"
    return ContentError(f"this record is of another run: {why}", where=where, fix=fix)


def write_atomically(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file by `parts` so that a reader, or a kill, finds either the old or the new one whole.

    Raises:
        UsageError: If a device or a pipe is there, which a file would take the place of.
        ToolkitError: If it cannot be written; the old file is untouched.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UsageError("this is no plain file", where=str(path), fix="name a file, which may be there already")
    draft = _draft_of(path)
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            for part in parts:
                write_all(descriptor, part)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.replace(path)
    except OSError as error:
        fix = "make room or change the permissions, then repeat the same command"
        raise ToolkitError(f"cannot write the file: {error.strerror or error}", where=str(path), fix=fix) from error


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


class RecordsFile:
    """The records file of a run that is under way: appended record by record, each on disk before the next begins.

    Whatever ends the process, the file holds whole records and at most one cut line at its end, which opening drops.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file for appending, drop what a killed run left unfinished at its end.

        Raises:
            ToolkitError: If it cannot be read and written.
        """
        return cls(path, open_lines(path, "result records"))

    def append(self, *records: Record) -> None:
        """Write records through to the disk, together.

        Raises:
            ToolkitError: If they cannot be written, as on a full disk; the file then ends with the record before.
        """
        lines = b"".join(record.to_line() for record in records)
        with self._lock:
            size = os.fstat(self._descriptor).st_size
            try:
                write_all(self._descriptor, lines)
                os.fsync(self._descriptor)
            except OSError as error:
                os.ftruncate(self._descriptor, size)
                raise ToolkitError(
                    f"cannot write a result record: {error.strerror or error}",
                    where=str(self.path),
                    fix="make room, then repeat the same command: it resumes",
                ) from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def open_lines(path: Path, title: str) -> int:
    """Open a file of lines for appending, drop what a killed run left unfinished at its end; return its descriptor.

    Raises:
        ToolkitError: If it cannot be read and written.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            end = _end_of_last_line(descriptor)
            if end < os.fstat(descriptor).st_size:  # else its time would no longer be that of its last line
                os.ftruncate(descriptor, end)
        except OSError:
            os.close(descriptor)
            raise
    except OSError as error:
        fix = "give yourself permission to read and write it, then repeat the same command"
        what = f"cannot open the {title}: {error.strerror or error}"
        raise ToolkitError(what, where=str(path), fix=fix) from error
    return descriptor


def _end_of_last_line(descriptor: int) -> int:
    """Return where the last line that ends stops, looked for from behind."""
    end = os.fstat(descriptor).st_size
    while end:
        start = max(0, end - _BLOCK)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however many pieces that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class FolderLock:
    """Keeps a second run out of a folder for as long as this process lives, however it ends."""

    def __init__(self, path: Path, *, taken: str = "another run is writing to this folder") -> None:
        """Take the lock; `taken` is what is said where somebody else has it."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise ContentError(
                taken,
                where=str(path.parent),
                fix="wait for it to end, or name another folder with --out",
            ) from error

    def release(self) -> None:
        """Let another run in."""
        os.close(self._descriptor)
