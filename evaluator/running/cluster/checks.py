"""What a worker must be and have before it gets work; what it lacks is told by the worker's name, with what to do."""

import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import evaluator
from evaluator.errors import ToolkitError
from evaluator.running.cluster.messages import MAX_TASK, read_message, write_message
from evaluator.scoring import SCORING_VERSION

LEAST_DISK: Final = 100_000_000  # bytes that a worker must have free beside twice what is shipped
LEAST_MEMORY: Final = 400_000_000  # bytes that a worker must have for its processes
PACKAGES: Final = ("authoring", "evaluator")
MOST_NAMED: Final = 5  # workers in one message
MOST_SAID: Final = 600  # characters
_FACTS: Final = "facts"


@dataclass(frozen=True)
class WorkerInfo:
    """What a process is, and what its machine has left."""

    python: str
    benchwright: str
    source: str  # digest of our own source
    scoring_version: int
    dask: str
    host: str
    free_disk: int  # bytes in the folder for temporary files
    free_memory: int  # bytes
    folder: str  # for temporary files

    def to_bytes(self) -> bytes:
        """Return them as bytes."""
        return write_message(_FACTS, asdict(self), limit=MAX_TASK)

    @classmethod
    def from_bytes(cls, data: object) -> "WorkerInfo":
        """Read what `to_bytes` wrote.

        Raises:
            ToolkitError: If it is something else.
        """
        read = read_message(_FACTS, data, limit=MAX_TASK)
        return cls(
            python=read.text("python"),
            benchwright=read.text("benchwright"),
            source=read.text("source"),
            scoring_version=read.count("scoring_version"),
            dask=read.text("dask"),
            host=read.text("host"),
            free_disk=read.count("free_disk", least=0),
            free_memory=read.count("free_memory", least=0),
            folder=read.text("folder"),
        )


def facts_here() -> WorkerInfo:
    """Return what this process is, and what its machine has left."""
    folder = tempfile.gettempdir()
    return WorkerInfo(
        platform.python_version(),
        _installed("benchwright"),
        source_digest(),
        SCORING_VERSION,
        _installed("distributed"),
        platform.node(),
        shutil.disk_usage(folder).free,
        free_memory(),
        folder,
    )


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@cache
def source_digest() -> str:
    """Return the sha256 over our own source: two checkouts of one version may differ.

    That of `authoring`, which lies beside it, counts too: drafts are written and checked by it.
    """
    root, total = Path(evaluator.__file__).parents[1], hashlib.sha256()
    for path in sorted(each for package in PACKAGES for each in (root / package).rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def free_memory() -> int:
    """Return the bytes that this process may still take: of the machine's memory, and of its container's."""
    found = [_available(Path("/proc/meminfo")), *_of_container(Path("/sys/fs/cgroup"))]
    return min(each for each in found if each is not None) if any(each is not None for each in found) else 0


def _available(path: Path) -> int | None:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _of_container(root: Path) -> list[int]:
    try:
        most, used = (root / "memory.max").read_text().strip(), (root / "memory.current").read_text().strip()
        cached = _cached(root / "memory.stat")
        return [min(int(most), max(0, int(most) - int(used) + cached))] if most.isdecimal() else []
    except (OSError, ValueError):
        return []


def _cached(path: Path) -> int:
    """Return the bytes of files that are kept in memory and given up at once where processes need them."""
    words = (line.split() for line in path.read_text().splitlines()) if path.exists() else ()
    return next((int(each[1]) for each in words if each[:1] == ["inactive_file"]), 0)


@dataclass(frozen=True)
class WorkerRequirements:
    """What each worker must have left."""

    disk: int = LEAST_DISK  # bytes
    memory: int = LEAST_MEMORY  # bytes


@dataclass(frozen=True)
class UnfitWorker:
    """Why a worker gets no work."""

    worker: str  # its address
    what: str
    fix: str
    error: ToolkitError | None = None  # by which it says that what was asked for is wrong, not the worker


def unfit_by_facts(worker: str, facts: WorkerInfo, own: WorkerInfo, needs: WorkerRequirements) -> UnfitWorker | None:
    """Return why a worker gets no work, by what it is and has; None: nothing speaks against it."""
    same = "install the same Benchwright, Python and packages on all machines"
    for name, theirs, ours in (
        ("Python", _minor(facts.python), _minor(own.python)),
        ("Benchwright", facts.benchwright, own.benchwright),
        ("a scoring version", str(facts.scoring_version), str(own.scoring_version)),
        ("a Benchwright whose source has the digest", facts.source, own.source),
        ("distributed", facts.dask, own.dask),
    ):
        if theirs != ours:
            return UnfitWorker(worker, f"it has {name} {theirs}, not {ours} as here", same)
    if facts.free_disk < needs.disk:
        what = f"only {facts.free_disk:,} bytes of disk are free in {facts.folder} of {facts.host}"
        return UnfitWorker(
            worker, f"{what}, {needs.disk:,} are needed", "free some space there, or set TMPDIR elsewhere"
        )
    if facts.free_memory < needs.memory:
        what = f"only {facts.free_memory:,} bytes of memory are free on {facts.host}, {needs.memory:,} are needed"
        return UnfitWorker(worker, what, "close other programs there, or start fewer workers on it")
    return None


def _minor(python: str) -> str:
    return ".".join(python.split(".")[:2])


def unfit_by_error(worker: str, error: BaseException) -> UnfitWorker:
    """Return why a worker gets no work that could not even be asked."""
    if isinstance(error, ImportError):
        fix = "install the same Benchwright there, with its extra: pip install 'benchwright[dask]'"
        return UnfitWorker(worker, f"it has no Benchwright like ours: {error}", fix)
    if isinstance(error, ToolkitError):
        what = error.what + (f" ({error.where})" if error.where else "")
        return UnfitWorker(worker, what, error.fix, None if error.exit_code == ToolkitError.exit_code else error)
    said = " ".join(str(error).split())[:300]
    return UnfitWorker(
        worker, f"it does not answer: {type(error).__name__}: {said}", "look at its log, and start it anew"
    )


class UnfitWorkersError(ToolkitError):
    """Some workers get no work; the first few are named."""

    def __init__(self, found: Sequence[UnfitWorker]) -> None:
        named = "; ".join(f"{each.worker}: {each.what}" for each in found[:MOST_NAMED])
        more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        plural = "a worker cannot" if len(found) == 1 else f"{len(found)} workers cannot"
        super().__init__(f"{plural} do this work: {named}{more}", where="Dask cluster", fix=found[0].fix)
        self._found = tuple(found)

    def said_by_all(self, workers: int, *, place: str) -> ToolkitError | None:
        """Return what all workers say is wrong in what was asked for; None: some do not say so, or something else.

        Args:
            workers: How many there are (count).
            place: Where they are; empty: here.
        """
        said = [each.error and _without_worker(each.error, each.worker, place) for each in self._found]
        first = said[0]
        if first is None or len(said) < workers:
            return None
        same = all(each is not None and (type(each), str(each)) == (type(first), str(first)) for each in said)
        return first if same else None


def _without_worker(error: ToolkitError, worker: str, place: str) -> ToolkitError:
    """Return an error as `read_error` makes it, with another place in that of the worker."""
    where = "" if error.where == worker else error.where.removesuffix(f" on {worker}")
    return type(error)(error.what, where=f"{where} on {place}" if where and place else where or place, fix=error.fix)


def refuse_unfit(found: Sequence[UnfitWorker]) -> None:
    """Refuse to begin while a worker is not fit.

    Raises:
        UnfitWorkersError: If one is.
    """
    if found:
        raise UnfitWorkersError(found)


def refuse_differing(told: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse workers that would not do the same.

    Args:
        told: Worker -> what must be the same on all; the first one is what the others are compared with.

    Raises:
        ToolkitError: If one told something else.
    """
    first = next(iter(told))
    for worker, values in told.items():
        for name in (*told[first], *values):
            one, other = told[first].get(name), values.get(name)
            if one != other:
                what = f"the workers differ in {name.replace('_', ' ')}: {one!r} on {first}, {other!r} on {worker}"
                fix = "install the same packages, sandbox and environments on all machines"
                raise ToolkitError(what[:MOST_SAID], where="Dask cluster", fix=fix)
