"""A release as a folder: files with their digests, written at once or not at all, and verified."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final

from evaluator.errors import ContentError, ToolkitError, UsageError

CHECKSUMS_NAME: Final = "checksums.txt"
CHUNK_BYTES: Final = 1 << 20


class DigestDifference(StrEnum):
    """How a file of a release differs from the list of digests."""

    MISSING = "missing"
    CHANGED = "changed"
    SURPLUS = "surplus"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class ReleaseFault:
    """One file that is not as it was released."""

    path: str  # below the release's folder, with forward slashes
    difference: DigestDifference
    detail: str = ""

    def __str__(self) -> str:
        """Return the line that a terminal shows."""
        return f"{self.difference}: {self.path}" + (f" ({self.detail})" if self.detail else "")

    def to_json(self) -> dict[str, str]:
        """Return plain JSON values."""
        return {"path": self.path, "difference": self.difference.value, "detail": self.detail}


@dataclass(frozen=True)
class PlannedFile:
    """One file of a release before it is written: its bytes, or the file that holds them."""

    digest: str  # sha256
    data: bytes | None = None
    source: Path | None = None

    def text(self) -> str:
        """Return what a file that is written from memory will say."""
        return (self.data or b"").decode("utf-8")


def planned(data: bytes) -> PlannedFile:
    """Return a file that will hold these bytes."""
    return PlannedFile(hashlib.sha256(data).hexdigest(), data=data)


def checksums_text(files: Mapping[str, PlannedFile]) -> bytes:
    """Return the list of digests in the form that `sha256sum --check` reads, sorted by path."""
    return "".join(f"{files[path].digest}  {path}\n" for path in sorted(files)).encode("utf-8")


def check_destination(out: Path) -> None:
    """Refuse a destination that holds anything.

    Raises:
        UsageError: If `out` is a file or a folder that is not empty.
    """
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise UsageError("the release's folder exists and is not empty", where=str(out), fix="choose another --out")


def write_folder(files: Mapping[str, PlannedFile], out: Path) -> None:
    """Write all files beside `out` and give them its name at the end: nobody sees half a release.

    Raises:
        UsageError: If `out` is not free.
        ContentError: If a source file is not what its digest says.
        ToolkitError: If the disk refuses.
    """
    out = Path(os.path.abspath(out))
    check_destination(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{out.name}.", suffix=".partial", dir=out.parent))
    except OSError as error:
        raise _refused_by_disk(error, out) from error
    try:
        partial.chmod(0o755)
        for path, file in sorted(files.items()):
            _write_file(partial / path, file)
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except OSError as error:
        raise _refused_by_disk(error, out) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def verify_release(folder: Path) -> tuple[ReleaseFault, ...]:
    """Compare a release's folder with its list of digests.

    Returns:
        One fault per file that is missing, changed, surplus or unreadable, sorted by path; empty: all is as released.

    Raises:
        UsageError: If there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), fix="name the folder of a release")
    try:
        lines = (folder / CHECKSUMS_NAME).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return (ReleaseFault(CHECKSUMS_NAME, DigestDifference.MISSING, "without it nothing can be verified"),)
    except (OSError, UnicodeDecodeError) as error:
        return (ReleaseFault(CHECKSUMS_NAME, DigestDifference.UNREADABLE, _plain(error)),)
    listed, faults = _read_checksums(lines)
    for path, digest in listed.items():
        fault = _compare(folder, path, digest)
        if fault:
            faults.append(fault)
    present = set(_present_files(folder)) - {CHECKSUMS_NAME}
    faults += [ReleaseFault(path, DigestDifference.SURPLUS) for path in present - set(listed)]
    return tuple(sorted(faults, key=lambda fault: (fault.path, fault.difference)))


def release_digest(folder: Path) -> str:
    """Return the sha256 of the list of digests, which names the whole content; empty when there is no list."""
    try:
        return hashlib.sha256((folder / CHECKSUMS_NAME).read_bytes()).hexdigest()
    except OSError:
        return ""


def _read_checksums(lines: list[str]) -> tuple[dict[str, str], list[ReleaseFault]]:
    listed: dict[str, str] = {}
    faults = []
    for number, line in enumerate(lines, 1):
        digest, separator, path = line.partition("  ")
        readable = separator and len(digest) == 64 and set(digest) <= set("0123456789abcdef") and _is_inside(path)
        if not readable or path in listed:
            faults.append(ReleaseFault(CHECKSUMS_NAME, DigestDifference.CHANGED, f"line {number} cannot be used"))
        else:
            listed[path] = digest
    if not lines:
        faults.append(ReleaseFault(CHECKSUMS_NAME, DigestDifference.CHANGED, "it is empty"))
    return listed, faults


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and str(PurePosixPath(path)) == path


def _compare(folder: Path, path: str, digest: str) -> ReleaseFault | None:
    file = folder / path
    if file.is_symlink():
        return ReleaseFault(path, DigestDifference.CHANGED, "it is a link now")
    if not file.is_file():
        return ReleaseFault(path, DigestDifference.MISSING)
    try:
        found = file_digest(file)
    except OSError as error:
        return ReleaseFault(path, DigestDifference.UNREADABLE, _plain(error))
    return None if found == digest else ReleaseFault(path, DigestDifference.CHANGED)


def file_digest(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _present_files(folder: Path) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(root) / name).is_symlink()]
        for name in [*names, *links]:
            yield (Path(root) / name).relative_to(folder).as_posix()


def _write_file(target: Path, file: PlannedFile) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with target.open("wb") as stream:
        for chunk in _chunks(file):
            digest.update(chunk)
            stream.write(chunk)
    target.chmod(0o644)
    if digest.hexdigest() != file.digest:
        what = f"the stored file {target.name!r} is not what it was when it was added"
        raise ContentError(
            what, where=str(file.source), fix="restore the workspace from a backup, or add the seed again"
        )


def _chunks(file: PlannedFile) -> Iterator[bytes]:
    if file.source is None:
        yield file.data or b""
        return
    with file.source.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def _refused_by_disk(error: OSError, out: Path) -> ToolkitError:
    return ToolkitError(
        f"the release cannot be written: {error.strerror or error}",
        where=str(error.filename or out),
        fix="choose another --out, or make room and permissions there; nothing was left behind",
    )


def _plain(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else "not UTF-8"
