"""CIBench notebooks, Qwen records and their results in a workspace: benchmark folders of its own, problemsets, runs.

A benchmark folder keeps what was imported, so that results can be scored against it and exported again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.conversion.benchmarks import import_sets, unpack
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError, by_place
from evaluator.families import cibench, qwen
from evaluator.families.family_names import FAMILIES
from evaluator.language import MANIFEST_NAMES, read_benchmark
from evaluator.running import MANIFEST, RECORDS

FOLDER: Final = "benchmarks"
"""Of a workspace: the benchmarks that were imported."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_ARCHIVE: Final = ".zip"


@dataclass(frozen=True)
class FamilyImport:
    """What importing notebooks or records came to."""

    name: str
    problemsets: int
    problems: int
    diagnostics: tuple[Diagnostic, ...] = ()
    kept: tuple[tuple[str, int], ...] = ()  # (name, problemset id) of what came into the queue
    refused: tuple[tuple[str, str], ...] = ()  # (name, why) of what did not

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; diagnostics as things that a person has to look at."""
        return {
            "benchmark": self.name,
            "problemsets": self.problemsets,
            "problems": self.problems,
            "kept": [{"name": name, "problemset": number} for name, number in self.kept],
            "refused": [{"name": name, "why": why} for name, why in self.refused],
            "findings": findings_of(self.diagnostics),
        }


def findings_of(diagnostics: Sequence[Diagnostic]) -> list[dict[str, str]]:
    """Return diagnostics as jobs tell them, errors first; of the file's path its name alone."""
    ordered = sorted(diagnostics, key=lambda each: each.severity is not Severity.ERROR)
    return [
        {
            **{"code": each.code, "severity": each.severity.value, "source": f"{each.path.name}, line {each.line}"},
            **{"problem": "", "what": each.what, "fix": each.fix},
        }
        for each in ordered
    ]


def imported_benchmarks(ws: Workspace) -> dict[str, Path]:
    """Return the benchmark folders of a workspace by their names."""
    home = ws.root / FOLDER
    found = sorted(home.iterdir()) if home.is_dir() else []
    return {path.name: path for path in found if any((path / name).is_file() for name in MANIFEST_NAMES)}


def find_imported(ws: Workspace, name: str) -> Path:
    """Return a benchmark folder.

    Raises:
        UsageError: If none has that name.
    """
    found = imported_benchmarks(ws)
    if name not in found:
        fix = f"use one of {', '.join(found)}" if found else "import its notebooks or records first"
        raise by_place(UsageError(f"no imported benchmark is called {name!r}", fix=fix))
    return found[name]


def import_family(
    ws: Workspace, family: str, file: Path, scratch: Path, *, name: str = "", queue: bool = False, author: str = ""
) -> FamilyImport:
    """Turn notebooks or records into a benchmark folder of the workspace; nothing is executed.

    Args:
        ws: The workspace.
        family: cibench | qwen.
        file: A .zip of CIBench's folder; Qwen's .jsonl, or a .zip of it with its upload files.
        scratch: An empty folder, where an archive is unpacked.
        name: What the benchmark is called; empty: as the file.
        queue: Whether its problemsets come into the queue, too.
        author: Who imports it.

    Raises:
        UsageError: If there is no such family, or the name does not fit or is taken.
        ContentError: If the archive is damaged, too large, or leads out of its folder, or nothing can be imported.
        ToolkitError: If the folder cannot be written.
    """
    if family not in FAMILIES:
        raise UsageError(f"no family is called {family!r}", fix=f"use one of {', '.join(FAMILIES)}")
    called = name or re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip("-.")[:60] or family
    if not _NAME.fullmatch(called):
        fix = "use 1 to 60 letters, digits, dots, dashes or underscores, and begin with a letter or digit"
        raise UsageError(f"the name {called!r} does not fit", where="name", fix=fix)
    out = ws.root / FOLDER / called
    if out.exists():
        what = f"the workspace has a benchmark {called!r} already"
        raise by_place(UsageError(what, where="name", fix="use another name"))
    out.parent.mkdir(exist_ok=True)
    made = _cibench(file, scratch, called, out) if family == cibench.FAMILY else _qwen(file, scratch, out)
    if not queue:
        return made
    about = read_benchmark(out, own_validators=workspace_validators(ws))
    kept, refused = import_sets(ws, about, author=author, prefix=f"{called}-" if family == qwen.FAMILY else "")
    return FamilyImport(called, made.problemsets, made.problems, made.diagnostics, tuple(kept), tuple(refused))


def _cibench(file: Path, scratch: Path, called: str, out: Path) -> FamilyImport:
    from evaluator.families.cibench.benchmark_folder import import_folder

    if file.suffix.lower() != _ARCHIVE:
        raise ContentError(f"{file.name!r} is no .zip", where=file.name, fix="pack the folder of notebooks as a .zip")
    folder = scratch / "unpacked" / called  # the folder's name is the set's, where no folder in it is known
    folder.mkdir(parents=True)
    unpack(file, folder)
    made = import_folder(_inmost(folder), out)
    return FamilyImport(out.name, made.problemsets, made.problems, made.diagnostics)


def _inmost(folder: Path) -> Path:
    """Return the folder that an archive wraps around the sets or modules, else the archive's own."""
    if any(path.suffix == ".ipynb" for path in folder.iterdir()):
        return folder
    folders = [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))]
    inside = [path for path in folders if any(path.rglob("*.ipynb"))]
    wraps = len(inside) == 1 and not any(path.suffix == ".ipynb" for path in inside[0].iterdir())
    return inside[0] if wraps else folder


def _qwen(file: Path, scratch: Path, out: Path) -> FamilyImport:
    from evaluator.families.qwen.benchmark_folder import import_file

    made = import_file(unpacked_file(file, scratch, (".jsonl",)), out)
    return FamilyImport(out.name, made.problemsets, made.problemsets, made.diagnostics)


def unpacked_file(file: Path, scratch: Path, endings: Sequence[str]) -> Path:
    """Return a file itself, or, of an archive, the one file in it with one of the endings that lies highest.

    Raises:
        ContentError: If the archive is damaged, too large, leads out of its folder, or holds no such file
            or several side by side.
    """
    if file.suffix.lower() != _ARCHIVE:
        return file
    folder = _unpacked(file, scratch)
    listed = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in endings and path.is_file()]
    listed = [path for path in listed if not path.name.startswith((".", "_")) and "__MACOSX" not in path.parts]
    highest = min((len(path.parts) for path in listed), default=0)
    found = [path for path in listed if len(path.parts) == highest]
    if len(found) != 1:
        what = f"{file.name!r} holds {len(found) or 'no'} files with the ending {' or '.join(endings)} side by side"
        raise ContentError(what, where=file.name, fix="pack one of them, with what belongs to it")
    return found[0]


def unpacked_run(file: Path, scratch: Path) -> Path | None:
    """Return the folder of the one run in an archive; None where it holds none, or the file is no archive.

    Raises:
        ContentError: If the archive is damaged, too large, leads out of its folder, or holds several runs.
    """
    if file.suffix.lower() != _ARCHIVE:
        return None
    manifests = sorted(_unpacked(file, scratch).rglob(MANIFEST))
    found = [path.parent for path in manifests if (path.parent / RECORDS).is_file() and "__MACOSX" not in path.parts]
    if len(found) > 1:
        what = f"{file.name!r} holds {len(found)} runs"
        raise ContentError(what, where=file.name, fix="pack the folder of one of them")
    return found[0] if found else None


def _unpacked(file: Path, scratch: Path) -> Path:
    folder = scratch / "unpacked" / "archive"
    if not folder.exists():
        folder.mkdir(parents=True)
        unpack(file, folder)
    return folder
