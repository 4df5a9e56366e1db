"""Result records: one JSON object per judged attempt and line, ours and those of published DSEval result files."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

UNCATEGORIZED: Final = "UNCATEGORIZED"

_LOOSE_TEXTS: Final = ("benchmark", "version", "extended_verdict", "question")
_COUNTS_FROM_1: Final = ("index", "attempt", "epoch")


@dataclass(frozen=True, order=True)
class AttemptKey:
    """Which attempt a record is about."""

    problemset: str
    index: int  # of the problem in its problemset, counts from 1
    attempt: int = 1
    epoch: int = 1


@dataclass(frozen=True)
class Record:
    """How one attempt was judged. Published files lack the fields with defaults at the end; theirs read as well."""

    benchmark: str
    version: str
    problemset: str
    index: int
    attempt: int
    verdict: str
    subverdict: str
    extended_verdict: str  # a short reason for people
    question: str
    agent_exception: str | None = None  # why the agent returned nothing worth running
    validation: Any = None  # {"correct", "category", "reason" | list}; null when nothing was compared
    code: str | None = ""
    agent_stats: Mapping[str, Any] | None = field(default_factory=dict)
    epoch: int = 1
    seconds: float | None = None  # wall time of the submission's cell
    environment: str = ""
    sandbox: str = ""
    engine: str = ""  # fork | replay: what kept the submission apart; empty when it was not run
    ending: str = ""  # how the submission's cell ended, by the host's own observation
    limits_hit: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()  # what in it deserves a person's look; no verdict rests on it
    scoring_version: str | int = ""
    digests: Mapping[str, str] = field(default_factory=dict)
    is_last: bool = True  # no further attempt at the problem followed: this one counts
    state_after: str = ""  # of the agent's own state: kept, rolled-back, corrected, correction-failed
    agent_isolation: str = ""  # in-process | child-process: where foreign code of the agent ran; empty, unwritten: none
    family: Mapping[str, Any] = field(default_factory=dict)  # place, tag and scores there; empty, unwritten: none
    answer: str | None = None  # what the agent closed with in prose; None, unwritten: it submits none
    labels: tuple[str, ...] = ()  # what the agent or its carrier says of the attempt; empty, unwritten: nothing

    @property
    def key(self) -> AttemptKey:
        """Which attempt this is about."""
        return AttemptKey(self.problemset, self.index, self.attempt, self.epoch)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain JSON values, in the agreed order."""
        content = dict(vars(self))  # a copy of all that is in it takes ten times as long
        for name in ("agent_isolation", "family", "labels"):
            if not content[name]:
                del content[name]
        if self.answer is None:
            del content["answer"]
        return content

    def to_line(self) -> bytes:
        """Return the record as one line of a records file."""
        return json_line(self.to_json())


def json_line(content: Mapping[str, Any]) -> bytes:
    """Return a JSON object as one line; text that is no Unicode is escaped."""
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


T = TypeVar("T")


@dataclass(frozen=True)
class RecordLine(Generic[T]):
    """One line of a records file that is not blank; either `value` or `fault` says what it holds."""

    number: int  # counts from 1
    offset: int  # bytes before it
    length: int  # bytes, its line end included
    value: T | None = None
    fault: str = ""  # why it is no record; empty when it is one
    is_cut: bool = False  # the file ends within it, as a kill leaves it


def scan_lines(path: Path, read: Callable[[bytes], T]) -> Iterator[RecordLine[T]]:
    """Yield the lines of a records file as `read` turns them into values, one in memory at a time.

    Args:
        path: The file.
        read: Turns the bytes of one line into a value; raises ValueError if it is no record.

    Raises:
        UsageError: If there is no such file.
    """
    offset = 0
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise UsageError("this is no plain file", where=str(path), fix="name a file of result records")
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if raw.strip():
                    yield _scanned(raw, number, offset, read)
                offset += len(raw)
    except FileNotFoundError as error:
        raise UsageError("there is no such records file", where=str(path), fix="name an existing file") from error
    except IsADirectoryError as error:
        fix = "name the records.jsonl in it"
        raise UsageError("this is a folder, not a records file", where=str(path), fix=fix) from error


def _scanned(raw: bytes, number: int, offset: int, read: Callable[[bytes], T]) -> RecordLine[T]:
    try:
        return RecordLine(number, offset, len(raw), read(raw))
    except (ValueError, RecursionError) as error:  # pydantic's errors and bad text encoding are ValueErrors
        return RecordLine(number, offset, len(raw), fault=_reason(error), is_cut=not raw.endswith(b"\n"))


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file, ours or published, in its order. A last line cut short by a kill is left out.

    Raises:
        UsageError: If there is no such file.
        ContentError: If a line is no result record; `where` names it.
    """
    fix = "remove the line; the same command then judges its problem again"
    for line in scan_lines(path, parse_record):
        if line.value is not None:
            yield line.value
        elif not line.is_cut:
            raise not_a_record(path, line, fix)


def not_a_record(path: Path, line: RecordLine[Any], fix: str) -> ContentError:
    """Return the error that names a line which is no record."""
    return ContentError(f"the line is no result record: {line.fault}", where=f"{path}:{line.number}", fix=fix)


def last_records(records: Iterable[Record]) -> dict[AttemptKey, Record]:
    """Return one record per attempt; of several for one attempt the last counts."""
    return {record.key: record for record in records}


def parse_record(line: bytes) -> Record:
    """Read one line.

    Raises:
        ValueError: If it is no result record.
    """
    return _adapter().validate_python(record_fields(line))


def record_fields(line: bytes) -> dict[str, Any]:
    """Return the fields of one line with the liberties of published files taken out.

    Those are: numbers and nulls for texts, no subverdict, no attempt, a problemset named with its file ending.

    Raises:
        ValueError: If it is no JSON object, or a count is no number from 1.
    """
    content = json.loads(line)
    if not isinstance(content, dict):
        raise ValueError(f"it is no JSON object but {type(content).__name__}")
    fields = {name: value for name, value in content.items() if value is not None or name not in _COUNTS_FROM_1[1:]}
    for name in _COUNTS_FROM_1:
        count = fields.setdefault(name, 1) if name != "index" else fields.get(name)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ValueError(f"{name} is {_shown(count)}, not a number from 1")
    if isinstance(fields.get("problemset"), str):
        fields["problemset"] = fields["problemset"].removesuffix(".py")
    texts = {name: "" if fields.get(name) is None else str(fields[name]) for name in _LOOSE_TEXTS}
    return fields | texts | {"subverdict": fields.get("subverdict") or UNCATEGORIZED}


@functools.cache
def _adapter() -> "TypeAdapter[Record]":
    from pydantic import TypeAdapter  # late: a fresh run reads no records, and pydantic takes long to import

    return TypeAdapter(Record)


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:40]


def _reason(error: Exception) -> str:
    errors = getattr(error, "errors", None)  # pydantic's
    if errors is None:
        return f"{'JSON nested too deeply' if isinstance(error, RecursionError) else error}"
    first = errors()[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'it'}: {first['msg']}"
