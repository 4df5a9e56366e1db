"""Result records: one JSON object per judged attempt and line, with the published fields and ours."""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

UNCATEGORIZED: Final = "UNCATEGORIZED"


_LOOSE_TEXTS: Final = ("benchmark", "version", "extended_verdict", "question")


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
    scoring_version: str | int = ""
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> AttemptKey:
        """Which attempt this is about."""
        return AttemptKey(self.problemset, self.index, self.attempt, self.epoch)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain JSON values, in the agreed order."""
        return asdict(self)

    def to_line(self) -> bytes:
        """Return the record as one line of a records file."""
        return json.dumps(self.to_json(), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


@functools.cache
def _adapter() -> "TypeAdapter[Record]":
    from pydantic import TypeAdapter  # late: a fresh run reads no records, and pydantic takes long to import

    return TypeAdapter(Record)


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a file, ours or published, in its order. A last line cut short by a kill is left out.

    Raises:
        UsageError: If there is no such file.
        ContentError: If a line is no result record; `where` names it.
    """
    try:
        data = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError) as error:
        raise UsageError("there is no such records file", where=str(path), fix="name an existing file") from error
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _parse_record(line, where=f"{path}:{number}")
        except ContentError:
            if number == len(lines):
                return
            raise
        yield record


def last_records(records: Iterator[Record]) -> dict[AttemptKey, Record]:
    """Return one record per attempt; of several for one attempt the last counts."""
    return {record.key: record for record in records}


def _parse_record(line: bytes, *, where: str) -> Record:
    fix = "remove the line; the same command then judges its problem again"
    try:
        return _adapter().validate_python(_normalised(json.loads(line)))
    except (ValueError, RecursionError) as error:
        raise ContentError(f"the line is no result record: {_reason(error)}", where=where, fix=fix) from error


def _normalised(content: object) -> object:
    """Return what a line holds with the liberties of published files taken out: numbers and nulls for texts."""
    if not isinstance(content, dict):
        return content
    texts = {name: "" if content.get(name) is None else str(content[name]) for name in _LOOSE_TEXTS}
    return content | texts | {"subverdict": content.get("subverdict") or UNCATEGORIZED}


def _reason(error: Exception) -> str:
    errors = getattr(error, "errors", None)  # pydantic's
    if errors is None:
        return str(error)
    first = errors()[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'it'}: {first['msg']}"
