"""What workers need of our files, as bytes: the same files give the same bytes on every machine, and one digest."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from evaluator.errors import ContentError, error_from_os
from evaluator.language import MANIFEST_NAMES, Benchmark
from evaluator.language.validators.own_validators import OWN_VALIDATORS_FILE
from evaluator.running.cluster.messages import BadMessageError
from evaluator.running.run_folder import MANIFEST, RECORDS

_MARK: Final = b"benchwright files 1\n"
MAX_BYTES: Final = 1 << 30  # of all files together
MAX_FILES: Final = 100_000
_MAX_PATH: Final = 1_000  # characters
_INPUTS: Final = "_inputs"
_PASSED_OVER: Final = frozenset({"__pycache__", "node_modules"})


@dataclass(frozen=True)
class FileBundle:
    """Files as bytes: a list of paths and sizes, then their contents one after the other."""

    data: bytes

    @property
    def digest(self) -> str:
        """The sha256 of all of it, as hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class BundledFile:
    """A file of ours, and where it will lie on a worker."""

    place: str  # relative, with slashes
    path: Path


def pack(files: Iterable[BundledFile]) -> FileBundle:
    """Return files as bytes.

    Raises:
        ContentError: If they are too many or too large together.
        ToolkitError: If one cannot be read.
    """
    index, contents, total = list[tuple[str, int]](), list[bytes](), 0
    for each in sorted(files, key=lambda file: file.place):
        content = _content(each.path, MAX_BYTES - total)
        if content is None or len(index) >= MAX_FILES:
            what = f"the files of the benchmark are more than {MAX_BYTES:,} bytes or {MAX_FILES:,} files"
            fix = "keep data that no problemset reads elsewhere, or run on one machine, without --executor"
            raise ContentError(what, where=str(each.path), fix=fix)
        total += len(content)
        index.append((each.place, len(content)))
        contents.append(content)
    head = json.dumps(index, separators=(",", ":")).encode("ascii")
    return FileBundle(b"".join([_MARK, head, b"\n", *contents]))


def _content(path: Path, most: int) -> bytes | None:
    """Return what a file holds; None, and no more is read than that: it is larger than `most`, or grows beyond."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                return None
            content = file.read(size + 1)
            if len(content) > size:  # it has grown
                content += file.read(most + 1 - len(content))
            return content if len(content) <= most else None
    except OSError as error:
        raise error_from_os(error) from error


def unpack(data: bytes, folder: Path) -> None:
    """Write the files of a bundle below a folder, which is made.

    Raises:
        BadMessageError: If it is none of ours, or a path leads out of the folder.
        ToolkitError: If there is no room.
    """
    for place, content in _files_in(data):
        path = folder / place
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
        except OSError as error:
            raise error_from_os(error) from error


def _files_in(data: bytes) -> Iterator[tuple[PurePosixPath, memoryview]]:
    end = data.find(b"\n", len(_MARK))
    if not data.startswith(_MARK) or end < 0 or len(data) > 2 * MAX_BYTES:
        raise _unreadable("it does not begin as one")
    try:
        index = json.loads(data[len(_MARK) : end])
    except (ValueError, RecursionError) as error:
        raise _unreadable(str(error)) from error
    if not isinstance(index, list) or len(index) > MAX_FILES:
        raise _unreadable("its list of files is none")
    offset, view = end + 1, memoryview(data)
    for entry in index:
        place, size = _entry(entry)
        if size > len(data) - offset:
            raise _unreadable("it ends within a file")
        yield place, view[offset : offset + size]
        offset += size
    if offset != len(data):
        raise _unreadable("something follows its last file")


def _entry(entry: object) -> tuple[PurePosixPath, int]:
    match entry:
        case [str(text), int(size)] if 0 < len(text) <= _MAX_PATH and size >= 0 and "\0" not in text:
            place = PurePosixPath(text)
            if not place.is_absolute() and place.parts and ".." not in place.parts:
                return place, size
    raise _unreadable(f"it names a file {str(entry)[:80]!r}")


def _unreadable(why: str) -> BadMessageError:
    return BadMessageError(
        f"the files that arrived are no bundle: {why}", fix="install the same Benchwright everywhere"
    )


@dataclass(frozen=True)
class BundledBenchmark:
    """A benchmark's files, and where it lies among them."""

    place: str  # of its folder or its one file, relative
    files: tuple[BundledFile, ...]


def benchmark_files(benchmark: Benchmark, named: Path, *, apart_from: Path | None = None) -> BundledBenchmark:
    """Return the files of a benchmark, without runs in its folder and links that lead out of it.

    Hidden files are left out as well, but for those of its inputs: all are returned that sessions are shown. What was
    read as the benchmark is never left out: its problemsets, manifest and validators may be hidden, or links to
    anywhere.

    Args:
        benchmark: As it was read.
        named: What it was read from: its folder, one of the files in it, or the name of a shipped one.
        apart_from: The folder of this run, which may lie in the benchmark's; None: there is none.

    Raises:
        ContentError: If it lies in no folder.
    """
    root, out = benchmark.root, None if apart_from is None else apart_from.resolve()
    if not root.is_dir() or not benchmark.sets or not benchmark.sets[0].path.exists():
        what, fix = "the benchmark lies in no folder that could be shipped", "write it to a folder, and name that"
        raise ContentError(what, where=str(root), fix=fix)
    prefix = f"benchmark/{root.resolve().name or 'root'}"
    if not named.is_file():
        below = _below(root.resolve(), PurePosixPath(), out)
        found = {place: BundledFile(f"{prefix}/{place}", path) for place, path in below}
        for path in (*(loaded.path for loaded in benchmark.sets), *_about(root)):
            place = path.relative_to(root).as_posix()
            if place not in found and path.is_file():
                found[place] = BundledFile(f"{prefix}/{place}", path)
        return BundledBenchmark(prefix, tuple(found.values()))
    beside = [named, *_about(root)]
    files = [BundledFile(f"{prefix}/{path.name}", path) for path in beside if path.is_file()]
    for loaded in benchmark.sets:
        if loaded.inputs is not None:
            place = loaded.inputs.relative_to(root).as_posix()
            inner = _below(loaded.inputs.resolve(), PurePosixPath(place), out)
            files += [BundledFile(f"{prefix}/{inside}", path) for inside, path in inner]
    return BundledBenchmark(f"{prefix}/{named.name}", tuple(files))


def _about(root: Path) -> list[Path]:
    return [root / name for name in (*MANIFEST_NAMES, OWN_VALIDATORS_FILE)]


def _below(
    folder: Path, place: PurePosixPath, apart_from: Path | None, within: Path | None = None
) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder without links in its path, and where they lie; links stay within a folder."""
    within = within or folder
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise error_from_os(error) from error
    is_run = bool(place.parts) and {RECORDS, MANIFEST} <= {entry.name for entry in entries}
    if folder == apart_from or (is_run and place.parts[0] != _INPUTS):
        return
    for entry in entries:
        inside = place / entry.name
        is_input = place.parts[:1] == (_INPUTS,)  # all of those count: they are part of a run's identity
        if not is_input and (entry.name.startswith(".") or entry.name in _PASSED_OVER):
            continue
        try:
            target = Path(entry.path).resolve(strict=True)
        except (OSError, RuntimeError):
            continue  # it leads nowhere
        if target.is_dir():
            is_inputs = inside.parts[0] == _INPUTS and len(inside.parts) <= 2  # which may be links
            if is_inputs or not entry.is_symlink():
                yield from _below(target, inside, apart_from, target if entry.is_symlink() else within)
        elif target.is_file() and target.is_relative_to(within):
            yield str(inside), target


def agent_files(agent: str) -> tuple[str, tuple[BundledFile, ...]]:
    """Return how an agent is named on a worker, and the files that are shipped for it: those of a replay.

    Files of other agents must be there under the path as it is written: it is part of a run's identity.

    Raises:
        ToolkitError: If a file's name cannot be shipped.
    """
    kind, _, option = agent.partition(":")
    if kind == "replay" and option and Path(option).is_file():
        path = Path(option)
        beside = path.with_name(MANIFEST)  # it says which values the records are kept without
        files = [BundledFile("agent/records.jsonl", path)]
        files += [BundledFile(f"agent/{MANIFEST}", beside)] if beside.is_file() else []
        return "replay:agent/records.jsonl", tuple(files)
    return agent, ()
