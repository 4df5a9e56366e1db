"""A file of Qwen records as a benchmark, and back."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_os
from evaluator.families.folders import MANIFEST, RECORDED, made_at_once, refuse_taken
from evaluator.families.qwen import FAMILY
from evaluator.families.qwen.problemset import problemset_of, record_of
from evaluator.families.qwen.records import QwenRecord, read_records
from evaluator.language import Benchmark, Problemset, parse_problemset
from evaluator.language.yaml_text.reader import write_yaml

RECORDS_FILE: Final = "records.jsonl"
_UPLOADS: Final = (".", "upload_file", "upload_file_clean", "../upload_file", "../upload_file_clean")
"""Folders, from the records' own, in which the published benchmark keeps its files."""


@dataclass(frozen=True)
class ImportedRecords:
    """What importing a file came to."""

    out: Path
    problemsets: int
    tags: Mapping[str, int]  # tag of the board -> records (count)
    diagnostics: tuple[Diagnostic, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "out": str(self.out),
            "problemsets": self.problemsets,
            "problems": self.problemsets,
            "tags": dict(self.tags),
            "diagnostics": [each.to_json() for each in self.diagnostics],
        }


class _Made(NamedTuple):
    record: QwenRecord
    problemset: Problemset
    text: str
    files: tuple[Path, ...]


def import_file(file: Path, out: Path, *, data: Path | None = None) -> ImportedRecords:
    """Write a file of records as a benchmark of problemsets of one problem each.

    Args:
        file: One JSON object a line.
        out: The folder to write; it must not exist, or be empty.
        data: The folder of the upload files; None: where the published benchmark has it.

    Raises:
        UsageError: If there is no such file, or `out` holds something.
        ContentError: If not one record can be imported.
        ToolkitError: If a file cannot be written.
    """
    read = read_records(file)
    refuse_taken(out)
    if data is not None and not data.is_dir():
        raise UsageError(
            f"there is no folder {str(data)!r}", where=str(data), fix="name the folder of the upload files"
        )
    folders = [data] if data is not None else [file.parent / each for each in _UPLOADS]
    diagnostics = list(read.diagnostics)
    width = len(str(len(read.records)))
    made = []
    for number, record in enumerate(read.records, start=1):
        try:
            problemset = problemset_of(record, f"q{number:0{width}}")
            text = _checked(problemset)
        except ContentError as error:
            diagnostics.append(Diagnostic("not-writable", Severity.ERROR, file, record.line, error.what, error.fix))
            continue
        except RecursionError:
            what, fix = "the record is nested too deeply", "flatten its fields"
            diagnostics.append(Diagnostic("not-writable", Severity.ERROR, file, record.line, what, fix))
            continue
        made.append(_Made(record, problemset, text, tuple(_found(file, record, folders, diagnostics))))
    if not made:
        first = next((str(each) for each in diagnostics if each.severity is Severity.ERROR), "it is empty")
        raise ContentError(f"no record could be imported: {first}", where=str(file), fix="mend the records")
    with made_at_once(out) as draft:
        _write(file, draft, made)
    counts: dict[str, int] = {}
    for each in made:
        for tag in each.record.task_tags:
            counts[tag] = counts.get(tag, 0) + 1
    return ImportedRecords(out, len(made), counts, tuple(diagnostics))


def _checked(problemset: Problemset) -> str:
    """Return the text of a problemset that reads back as the same.

    Raises:
        ContentError: If it does not.
    """
    text = problemset.render()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ContentError("its text holds half of a character", fix="remove what is no plain text") from error
    found, diagnostics = parse_problemset(text, name=problemset.name)
    if found is None or found.cells != problemset.cells:
        errors = (each.what for each in diagnostics if each.severity is Severity.ERROR)
        what = f"it cannot be written as a problemset: {next(errors, 'it reads back as something else')}"
        raise ContentError(what, fix="remove what is no plain text")
    return text


def _found(file: Path, record: QwenRecord, folders: Sequence[Path], diagnostics: list[Diagnostic]) -> list[Path]:
    """Return where a record's files lie; those that are not there are named."""
    found: list[Path] = []
    for name in record.files:
        places = [(folder / each, folder) for folder in folders for each in (name, PurePosixPath(name).name)]
        path = next((each for each, folder in places if _is_plain(each, folder)), None)
        if path is None:
            what = f"there is no file {name!r}"
            fix = "put it beside the records, or name the folder of the upload files with --data"
            diagnostics.append(Diagnostic("missing-data", Severity.WARNING, file, record.line, what, fix))
        else:
            found.append(path)
    return found


def _is_plain(path: Path, folder: Path) -> bool:
    """Return whether a path is a file below its folder, reached through no link."""
    try:
        return path.is_file() and path.resolve() == folder.resolve() / path.relative_to(folder)
    except (OSError, ValueError):
        return False


def _write(file: Path, out: Path, made: Sequence[_Made]) -> None:
    (out / RECORDED).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, out / RECORDED / RECORDS_FILE)
    for each in made:
        (out / f"{each.problemset.name}.py").write_text(each.text, encoding="utf-8")
        inputs = out / "_inputs" / each.problemset.name
        for path in each.files:
            inputs.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, inputs / path.name)
    manifest = {
        "name": re.sub(r"[^A-Za-z0-9_-]+", "-", file.stem).strip("-") or FAMILY,
        "version": "1",
        "language_version": 3,
        "rules": "published",
        "family": FAMILY,
        "sets": {each.problemset.name: {"line": each.record.line} for each in made},
    }
    (out / MANIFEST).write_text(write_yaml(manifest), encoding="utf-8")


def records_of(benchmark: Benchmark) -> dict[str, QwenRecord]:
    """Return the record that each problemset makes, as an export writes it, by the problemset's name.

    Raises:
        ContentError: If a problemset has errors, or not exactly one problem.
    """
    recorded = _recorded(benchmark)
    found = {}
    for number, loaded in enumerate(benchmark.sets, start=1):
        if loaded.problemset is None:
            first = next((str(each) for each in loaded.diagnostics), "it does not parse")
            raise ContentError(f"{loaded.name} has errors: {first}", where=str(loaded.path), fix="mend it")
        found[loaded.name] = record_of(loaded.problemset, number, recorded.get(loaded.name))
    return found


def _recorded(benchmark: Benchmark) -> dict[str, QwenRecord]:
    path = benchmark.root / RECORDED / RECORDS_FILE
    written = benchmark.manifest.extra.get("sets")
    if path.is_symlink() or not path.is_file() or not isinstance(written, Mapping):
        return {}
    try:
        by_line = {record.line: record for record in read_records(path).records}
    except (ContentError, UsageError):
        return {}
    lines = {str(name): entry.get("line") for name, entry in written.items() if isinstance(entry, Mapping)}
    return {name: by_line[line] for name, line in lines.items() if line in by_line}


def export_file(benchmark: Benchmark, out: Path) -> int:
    """Write a benchmark as a file of records; lines that were not edited are as they were.

    Returns:
        How many records were written (count).

    Raises:
        UsageError: If the file exists.
        ContentError: If a problemset has errors, or not exactly one problem.
        ToolkitError: If the file cannot be written.
    """
    if out.exists() or out.is_symlink():
        raise UsageError("the file exists already", where=str(out), fix="name another file with --out")
    lines = [record.line_text for record in records_of(benchmark).values()]
    draft = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="backslashreplace")
        draft.replace(out)
    except OSError as error:
        failed = error_from_os(error)
        raise ToolkitError(failed.what, where=str(out), fix=failed.fix) from error
    finally:
        draft.unlink(missing_ok=True)
    return len(lines)
