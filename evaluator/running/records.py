"""Result records: one JSON object per judged attempt and line, with the published fields and ours."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from evaluator.errors import ContentError, UsageError

UNCATEGORIZED: Final = "UNCATEGORIZED"


@dataclass(frozen=True, order=True)
class AttemptKey:
    """Which attempt a record is about."""

    problemset: str
    index: int  # of the problem in its problemset, counts from 1
    attempt: int = 1
    epoch: int = 1


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _subverdict(value: object) -> object:
    return UNCATEGORIZED if value is None else value


@dataclass(frozen=True)
class Record:
    """How one attempt was judged. Published files lack the fields with defaults at the end; theirs read as well."""

    benchmark: Annotated[str, BeforeValidator(_text)]
    version: Annotated[str, BeforeValidator(_text)]
    problemset: str
    index: int
    attempt: int
    verdict: str
    subverdict: Annotated[str, BeforeValidator(_subverdict)]
    extended_verdict: Annotated[str, BeforeValidator(_text)]  # a short reason for people
    question: Annotated[str, BeforeValidator(_text)]
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


_RECORD: Final = TypeAdapter(Record)


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
        return _RECORD.validate_python(json.loads(line))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "the line"
        raise ContentError(f"no result record: {name}: {first['msg']}", where=where, fix=fix) from error
    except (ValueError, RecursionError) as error:
        raise ContentError(f"the line is not JSON: {error}", where=where, fix=fix) from error
