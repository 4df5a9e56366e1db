"""Records of the Qwen benchmark and its result files: one JSON object a line, read field by field."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, UsageError
from evaluator.families.qwen.transcript import END_MARK

MAX_BYTES: Final = 500_000_000
MAX_RECORDS: Final = 20_000
KNOWN_TAGS: Final = ("visualization", "math", "general")
EVERYTHING: Final = "all_ci"  # the tag that every record has
TAGS: Final = ("math", "visualization-hard", "visualization-easy", "general", "gsm8k")
"""What the board counts by."""
_ALL_ACTIONS: Final = "math"
_TEXTS: Final = ("gen", "completion")  # of a result
_FLAGS: Final = ("executable_code", "missing_code")
_RESULTS: Final = ("gen", "completion", "code", "executable_code", "missing_code", "code_error_info", "vis_acc", "acc")


@dataclass(frozen=True)
class QwenRecord:
    """One line. All text in it is hostile: escape it."""

    line: int  # from 1
    fields: Mapping[str, Any]
    raw: str = field(repr=False, default="")  # the line as it stands, without its end

    @property
    def is_word_problem(self) -> bool:
        """Whether it is one of GSM8K: a question, and an answer that ends in `#### n`."""
        return "question" in self.fields and "query" not in self.fields

    @property
    def asked(self) -> str:
        """The query as it stands, a given first action too."""
        return str(self.fields.get("question" if self.is_word_problem else "query", ""))

    @property
    def query(self) -> str:
        """The user's text: what stands before the first end marker."""
        return self.asked.split(END_MARK, 1)[0]

    @property
    def prefill(self) -> str:
        """The given first action, with all marks around it; empty where none is given."""
        return self.asked[len(self.query) :]

    @property
    def is_easy(self) -> bool:
        """Whether a first action is given."""
        return bool(self.prefill)

    @property
    def language(self) -> str:
        """In which language its judge is asked: en or zh."""
        return "zh" if self.fields.get("lang") == "zh" else "en"

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its upload files."""
        written = self.fields.get("input_file_path")
        return tuple(map(str, written)) if isinstance(written, list) else ()

    @property
    def task_tags(self) -> tuple[str, ...]:
        """What it is counted under, of `TAGS`."""
        if self.is_word_problem:
            return ("gsm8k",)
        tags = [tag.strip() for tag in str(self.fields.get("tags", "")).split(",")]
        found = [tag for tag in KNOWN_TAGS if tag in tags]
        level = "easy" if self.is_easy else "hard"
        return tuple(f"{tag}-{level}" if tag == "visualization" else tag for tag in found)

    @property
    def counts_all_actions(self) -> bool:
        """Whether all actions of a transcript are its code, not the first alone: its last known tag says so."""
        tags = [tag.strip() for tag in str(self.fields.get("tags", "")).split(",")]
        return [tag for tag in tags if tag in KNOWN_TAGS][-1:] == [_ALL_ACTIONS]

    @property
    def line_text(self) -> str:
        """The line, without its end: as it stood, if it was read."""
        return self.raw or json.dumps(self.fields, ensure_ascii=False)

    @property
    def has_result(self) -> bool:
        """Whether it holds what an agent did."""
        return any(name in self.fields for name in _RESULTS[:2]) or "executable_code" in self.fields


@dataclass(frozen=True)
class QwenFile:
    """A file of records."""

    path: Path
    records: tuple[QwenRecord, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def is_qwen_results(path: Path) -> bool:
    """Return whether a file looks like Qwen result lines: its first line is an object with `gen` or `completion`."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            content = json.loads(file.readline(10_000_000).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(content, dict) or not {"query", "question"} & content.keys():
        return False
    return bool({"gen", "completion", "executable_code"} & content.keys())


def read_records(path: Path) -> QwenFile:
    """Read a file of records or results; a line that is none is named and left out.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large, or holds no record.
    """
    fix = "name a file with one JSON object a line"
    if not path.is_file():
        raise UsageError("there is no such file", where=str(path), fix=fix)
    if path.stat().st_size > MAX_BYTES:
        raise ContentError(f"the file has more than {MAX_BYTES / 1e6:.0f} MB", where=str(path), fix="split it")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContentError("the file is no text in UTF-8", where=str(path), fix="write it in UTF-8") from error
    found: list[Diagnostic] = []
    records = tuple(_records(path, text.split("\n"), found))
    if not records:
        first = next((each.what for each in found), "it is empty")
        raise ContentError(f"the file holds no record: {first}", where=str(path), fix=fix)
    return QwenFile(path, records, tuple(found))


def _records(path: Path, lines: list[str], found: list[Diagnostic]) -> Iterable[QwenRecord]:
    def refuse(line: int, code: str, what: str, fix: str) -> None:
        found.append(Diagnostic(code, Severity.ERROR, path, line, what, fix))

    read = 0
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        read += 1
        if read > MAX_RECORDS:
            refuse(number, "too-many-records", f"there are more than {MAX_RECORDS:,} records", "split the file")
            return
        try:
            content = json.loads(raw)
        except (ValueError, RecursionError) as error:
            refuse(number, "bad-record", f"the line is no JSON: {str(error)[:100]}", "mend the line, or remove it")
            continue
        record = QwenRecord(number, content, raw.rstrip("\r")) if isinstance(content, dict) else None
        fault = _fault(record) if record is not None else ("bad-record", "the line is no object", "write {...}")
        if fault is not None:
            refuse(number, *fault)
        elif record is not None:
            found += _warnings(path, record)
            yield record


def _fault(record: QwenRecord) -> tuple[str, str, str] | None:
    """Return what keeps a record from being asked or counted: code, what is wrong, remedy."""
    fields = record.fields
    asked = fields.get("question" if record.is_word_problem else "query")
    if not isinstance(asked, str) or not record.query.strip():
        return "no-query", "the record asks nothing", "write its 'query' (of GSM8K: its 'question')"
    if record.is_word_problem and not isinstance(fields.get("answer"), str) and not record.has_result:
        return "no-answer", "the word problem has no 'answer'", "write it, with '#### n' at its end"
    if record.is_word_problem:
        return None
    if not isinstance(fields.get("tags"), str):
        return "unknown-tag", "the record has no text 'tags'", f"write some of {', '.join(KNOWN_TAGS)}, with commas"
    if not record.task_tags:
        what = f"none of the tags {fields['tags'][:80]!r} is known"
        return "unknown-tag", what, f"use some of {', '.join(KNOWN_TAGS)}, with commas between"
    files = fields.get("input_file_path", [])
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        return "bad-record", "'input_file_path' is no list of texts", "write a list of paths"
    outside = next((name for name in record.files if is_outside(name)), None)
    if outside is not None:
        what = f"the file {outside[:200]!r} lies outside of the folder: it is not opened"
        return "file-outside", what, "put it below the folder of the records, and name it from there"
    return None


def _warnings(path: Path, record: QwenRecord) -> list[Diagnostic]:
    found = []
    for name in (*_TEXTS, *_FLAGS):
        value, kind = record.fields.get(name), str if name in _TEXTS else bool
        if name in record.fields and not (isinstance(value, kind) or (value is None and kind is bool)):
            what = f"{name!r} is no {'text' if kind is str else 'true or false'}: it counts as if it were not there"
            fix = "write what the program wrote, or leave it out"
            found.append(Diagnostic("bad-result", Severity.WARNING, path, record.line, what, fix))
    return found if record.is_word_problem else [*found, *_unknown_tags(path, record)]


def _unknown_tags(path: Path, record: QwenRecord) -> list[Diagnostic]:
    tags = [tag.strip() for tag in str(record.fields["tags"]).split(",")]
    unknown = [tag for tag in tags if tag not in (*KNOWN_TAGS, EVERYTHING)]
    return [
        Diagnostic(
            "unknown-tag", Severity.WARNING, path, record.line, f"the tag {tag[:80]!r} is not known", "remove it"
        )
        for tag in unknown
    ]


def is_outside(name: str) -> bool:
    """Return whether a path must not be followed: it is absolute, goes upwards, or is no path."""
    return not name.strip() or "\0" in name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
