"""Puts problemset files into a workspace: one, or all of a benchmark, a folder or a .zip of one, with their inputs."""

import stat
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from authoring.conversion.converted import import_problemset, nothing_stored
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Severity, has_errors
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import (
    MANIFEST_NAMES,
    OWN_VALIDATORS_FILE,
    Benchmark,
    LoadedSet,
    error_of_diagnostics,
    read_benchmark,
)
from evaluator.language.document import Document

MAX_ENTRIES: Final = 5_000  # files in an archive
MAX_BYTES: Final = 1_000_000_000  # unpacked
MAX_DEPTH: Final = 8
MAX_NAME_LENGTH: Final = 100
_CHUNK: Final = 1 << 20
_DAMAGE: Final = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class ImportedSets:
    """What became of the problemsets of a benchmark."""

    benchmark: str  # name and version
    kept: tuple[tuple[str, int], ...]  # (name, problemset id)
    refused: tuple[tuple[str, str], ...]  # (name, why)
    own_validators: bool  # whether it has validators of its own, which a workspace keeps in a file of its own

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "benchmark": self.benchmark,
            "kept": [{"name": name, "problemset": number} for name, number in self.kept],
            "refused": [{"name": name, "why": why} for name, why in self.refused],
            "own_validators": self.own_validators,
        }


def import_file(
    ws: Workspace,
    loaded: LoadedSet,
    *,
    name: str = "",
    seed: str | None = None,
    author: str = "",
    message: str = "imported",
    place: Mapping[str, Any] = MappingProxyType({}),
) -> Revision:
    """Store a problemset file that has no errors; warnings do not hinder it.

    Args:
        ws: The workspace.
        loaded: The file, read with the validators of its folder or, where that has none, of the workspace.
        name: What the problemset is called; empty: as the file.
        seed: Name or id of the seed that it is about.
        author: Who imports it.
        message: What the first revision is.
        place: What the manifest of its benchmark says about its place in a family, plain JSON.

    Raises:
        UsageError: If the name is taken or cannot be a name, or there is no such seed.
        ContentError: If the file has errors, or its inputs cannot be stored; it says which. Nothing is stored.
    """
    _refuse_errors(loaded)
    return import_problemset(
        ws,
        loaded.portable_text,
        name=name or loaded.name,
        inputs=loaded.inputs,
        seed=seed,
        author=author,
        message=message,
        place=place,
    )


def _refuse_errors(loaded: LoadedSet) -> None:
    """Refuse a file with errors, and one of language version 1 whose cells would be other ones in a workspace."""
    if has_errors(loaded.diagnostics) or loaded.problemset is None:
        is_readable = loaded.problemset is not None
        error = error_of_diagnostics(loaded.name, loaded.diagnostics, is_readable=is_readable, path=loaded.path)
        raise nothing_stored(error, loaded.diagnostics)
    read = Document.parse(loaded.portable_text, name=loaded.name, own_validators=loaded.own_validators).problemset
    if read is None or read.cells != loaded.problemset.cells:
        what = f"{loaded.name!r} has lines that begin with '# %%' inside its cells: they would open cells of their own"
        raise nothing_stored(ContentError(what, where=str(loaded.path), fix="indent or reword those lines"))


def import_benchmark(ws: Workspace, source: Path, scratch: Path, *, author: str = "") -> ImportedSets:
    """Store every problemset of a benchmark; one with errors, or whose name is taken, is refused by name.

    Args:
        ws: The workspace.
        source: The folder with the manifest, or a `.zip` of it.
        scratch: An empty folder, where an archive is unpacked.
        author: Who imports it.

    Raises:
        UsageError: If there is no benchmark.
        ContentError: If the archive is damaged, too large, or leads out of its folder, or the manifest is wrong.
    """
    root = source
    if source.is_file() and source.suffix.lower() == ".zip":
        unpack(source, scratch)
        root = _root_of(scratch, source)
    benchmark = read_benchmark(root, own_validators=workspace_validators(ws))
    _refuse_bad_manifest(benchmark)
    label = f"{benchmark.name} {benchmark.version}".strip()
    kept, refused = import_sets(ws, benchmark, author=author)
    own = (benchmark.root / OWN_VALIDATORS_FILE).is_file()
    return ImportedSets(label, tuple(kept), tuple(refused), own)


def import_sets(
    ws: Workspace, benchmark: Benchmark, *, author: str = "", prefix: str = ""
) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
    """Store the problemsets of a benchmark, and return (name, problemset id) of those kept, (name, why) of the others.

    Args:
        ws: The workspace.
        benchmark: As it was read.
        author: Who imports it.
        prefix: What the names of the problemsets begin with in the workspace.
    """
    label = f"{benchmark.name} {benchmark.version}".strip()
    places = _places_of(benchmark)
    kept, refused = [], []
    for loaded in benchmark.sets:
        name = f"{prefix}{loaded.name}" if prefix else ""
        try:
            message = f"imported from {label}"
            made = import_file(ws, loaded, name=name, author=author, message=message, place=places.get(loaded.name, {}))
        except ToolkitError as error:
            refused.append((loaded.name, f"{error.what}; {error.fix}"))
            continue
        kept.append((made.problemset_name, made.problemset_id))
    return kept, refused


def _places_of(benchmark: Benchmark) -> dict[str, dict[str, Any]]:
    """Return what only the manifest knows of problemsets: in CIBench set, module and language of each notebook."""
    from evaluator.families.cibench import FAMILY
    from evaluator.families.cibench.benchmark_folder import described_sets, description_of

    if benchmark.manifest.extra.get("family") != FAMILY:
        return {}
    return {name: description_of(place) for name, place in described_sets(benchmark).items()}


def _refuse_bad_manifest(benchmark: Benchmark) -> None:
    """Refuse a manifest with errors, which would be taken for another benchmark's, and names that nobody could show."""
    manifests = {benchmark.root / name for name in MANIFEST_NAMES}
    for each in benchmark.diagnostics:
        if each.severity is Severity.ERROR and each.path in manifests:
            raise ContentError(each.what, where=f"{each.path}:{each.line}", fix=each.fix)
    for key, text in (("name", benchmark.name), ("version", benchmark.version)):
        if len(text) > MAX_NAME_LENGTH or not text.isprintable() or set("/\\") & set(text) or text[:1] in (".", "-"):
            what = f"{text[:MAX_NAME_LENGTH]!r} cannot be the {key} of a benchmark"
            fix = f"write up to {MAX_NAME_LENGTH} characters after '{key}:', no slashes, no dot or dash first"
            raise ContentError(what, where=str(benchmark.root), fix=fix)


def _root_of(folder: Path, archive: Path) -> Path:
    manifests = (path for name in MANIFEST_NAMES for path in folder.rglob(name))
    found = sorted(manifests, key=lambda path: len(path.parts))
    if not found:
        fix = (
            "choose the .zip of a release, as Download .zip on its page makes it, or pack a folder with a "
            f"{MANIFEST_NAMES[0]}, such as one that 'benchwright release create' makes"
        )
        raise UsageError("the archive holds no benchmark", where=str(archive), fix=fix)
    return found[0].parent


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive, counting bytes as they come, not as the archive promises.

    Raises:
        ContentError: If it is damaged or too large, or holds a link or a path that leads out of it.
    """
    room = MAX_BYTES
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if len(entries) > MAX_ENTRIES:
                raise _refused(archive, f"holds more than {MAX_ENTRIES:,} files")
            for entry in entries:
                target = folder.joinpath(*_safe_parts(entry, archive))
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(entry) as source, target.open("xb") as sink:
                    while chunk := source.read(_CHUNK):
                        room -= len(chunk)
                        if room < 0:
                            raise _refused(archive, f"unpacks to more than {MAX_BYTES / 1e6:,.0f} MB")
                        sink.write(chunk)
    except _DAMAGE as error:
        raise _refused(archive, f"is no readable .zip archive: {str(error)[:200]}") from None
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise _refused(archive, "holds the same path twice") from None


def _safe_parts(entry: zipfile.ZipInfo, archive: Path) -> tuple[str, ...]:
    name, shown = PurePosixPath(entry.filename), repr(entry.filename[:80])
    if name.is_absolute() or ".." in name.parts or any(sign in entry.filename for sign in "\\:\0"):
        raise _refused(archive, f"holds a path that leads out of it: {shown}")
    if stat.S_ISLNK(entry.external_attr >> 16) or entry.flag_bits & 1:
        raise _refused(archive, f"holds a link or an encrypted file: {shown}")
    if not entry.filename.isprintable():
        raise _refused(archive, f"holds a name that cannot be shown: {shown}")
    if len(name.parts) > MAX_DEPTH or any(len(part.encode("utf-8", "replace")) > 200 for part in name.parts):
        raise _refused(archive, f"holds a path that is too long: {shown}")
    return name.parts


def _refused(archive: Path, what: str) -> ContentError:
    return ContentError(f"{archive.name!r} {what}", where=archive.name, fix="unpack it, look at it, and pack it anew")
