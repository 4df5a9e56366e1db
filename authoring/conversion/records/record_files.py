"""Reads files of records: JSON Lines or one JSON list, under the field names of the benchmarks that publish such."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, UsageError

MAX_BYTES: Final = 50_000_000
MAX_RECORDS: Final = 5_000
_PROMPT: Final = ("prompt", "question", "instruction", "text", "description", "problem", "intent", "nl")
_WORDS: Final = ("instruction", "text", "description", "question", "intent", "nl")
_SOLUTION: Final = ("canonical_solution", "solution", "reference_code", "code", "answer_code", "completion")
_TEST: Final = ("test", "tests", "test_list", "test_code", "unit_tests")
_TEST_SETUP: Final = ("test_setup_code", "test_imports", "test_setup")
_ENTRY: Final = ("entry_point", "function_name", "entry")
_KEY: Final = ("task_id", "id", "name")
_LANGUAGE: Final = ("language", "lang", "programming_language")
_NO_ENTRY: Final = frozenset({"", "none", "null", "na", "n/a"})
_FENCE: Final = re.compile(r"\A\s*```[\w+-]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class CompletionRecord:
    """One record, whatever its fields are called."""

    number: int  # in its file, counts from 1
    key: str  # its id; empty: it has none
    prompt: str  # code to go on with, or prose
    words: str  # what is asked in words beside the prompt; empty: the prompt says all
    solutions: tuple[str, ...]  # one, or pieces or alternatives where a list was given
    test: str  # Python, or whatever stands there
    test_setup: str  # code that the test needs before it
    entry: str  # the function that is asked for; empty: none is named
    language: str  # as the record says; empty: it does not

    @property
    def where(self) -> str:
        """Where it stands, for findings."""
        return f"record {self.number}"


def read_records(path: Path) -> list[CompletionRecord]:
    """Return the records of a file; nothing in them is executed.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large, no JSON, or holds no records.
    """
    rows = _rows(_text_of(path), path)
    if len(rows) > MAX_RECORDS:
        raise ContentError(f"{len(rows):,} records are too many for one set", where=str(path), fix="split the file")
    return [_record(number, row) for number, row in enumerate(rows, start=1)]


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            what = f"{path.name!r} is larger than {MAX_BYTES / 1e6:,.0f} MB"
            raise ContentError(what, where=str(path), fix="split it")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what = f"{path.name!r} cannot be read: {error.strerror}"
        raise UsageError(what, where=str(path), fix="check the path") from error
    except UnicodeDecodeError:
        raise ContentError(f"{path.name!r} is not UTF-8", where=str(path), fix="save it as UTF-8") from None


def _rows(text: str, path: Path) -> list[Mapping[str, Any]]:
    fix = "write one JSON object a line, with `prompt` and `canonical_solution`"
    number = 0
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = []
            for number, line in enumerate(text.split("\n"), 1):  # noqa: B007 - told below
                rows += [json.loads(line)] if line.strip() else []
    except (ValueError, RecursionError) as error:
        where = f"{path}:{number}" if number else str(path)  # pyrefly: ignore[redundant-condition]  # counted above
        raise ContentError(f"{path.name!r} is no JSON: {str(error)[:200]}", where=where, fix=fix) from None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ContentError(f"{path.name!r} holds no records", where=str(path), fix=fix)
    return rows


def _record(number: int, row: Mapping[str, Any]) -> CompletionRecord:
    prompt_field = next((key for key in _PROMPT if _text(row.get(key)).strip()), "")
    words = next((_text(row[key]) for key in _WORDS if key in row and key != prompt_field), "")
    entry = _first(row, _ENTRY).strip()
    return CompletionRecord(
        number=number,
        key=_first(row, _KEY).strip(),
        prompt=_unfenced(_text(row.get(prompt_field))),
        words=words.strip(),
        solutions=_solutions(row),
        test=_test(row),
        test_setup=_joined_lines(next((row[key] for key in _TEST_SETUP if row.get(key)), "")),
        entry="" if entry.lower() in _NO_ENTRY else entry,
        language=_first(row, _LANGUAGE).strip().lower(),
    )


def _solutions(row: Mapping[str, Any]) -> tuple[str, ...]:
    value = next((row[key] for key in _SOLUTION if row.get(key)), "")
    pieces = [_text(piece) for piece in value] if isinstance(value, list) else [_text(value)]
    return tuple(_unfenced(piece) for piece in pieces if piece.strip())


def _test(row: Mapping[str, Any]) -> str:
    found = [row[key] for key in _TEST if row.get(key)]
    return _joined_lines(found[0]) if found else ""


def _joined_lines(value: Any) -> str:
    """Return one text: the items of a list below one another, an object's tests one after the other."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(_joined_lines(item).rstrip("\n") for item in value)
    return _text(value)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((_text(row[name]) for name in names if isinstance(row.get(name), str | int)), "")


def _text(value: Any) -> str:
    """Return a field as text that can be written: plain line ends, no NUL, no half of a surrogate pair."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return ""
    plain = value.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return plain.encode("utf-8", "replace").decode("utf-8")


def _unfenced(text: str) -> str:
    found = _FENCE.match(text)
    return found[1] if found else text
