"""Resubmits recorded code, ours or published, by problemset, index and attempt."""

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from evaluator.agents.protocol import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

NO_RECORD: Final = "no-record"
"""Label of the empty submission that stands for a problem without a record."""


@dataclass(frozen=True)
class RecordKey:
    """Which submission a record holds."""

    problemset: str
    index: int
    attempt: int


@dataclass(frozen=True)
class RecordedCode:
    """The fields of a result record that a replay needs; published files hold more, which is ignored."""

    problemset: str
    index: int  # counts from 1
    attempt: int = 1
    question: str | None = None
    code: str | None = None
    agent_stats: dict[str, Any] | None = None

    @property
    def key(self) -> RecordKey:
        """The submission's key; a problemset's file ending does not count."""
        return RecordKey(self.problemset.removesuffix(".py"), self.index, self.attempt)


class ReplayAgent:
    """Resubmits the code of a records file. Of several records for one key the last counts."""

    def __init__(
        self, records: Mapping[RecordKey, RecordedCode], *, digest: str, path: Path, allow_mismatch: bool = False
    ) -> None:
        self._records = records
        self._digest = digest
        self._path = path
        self._allow_mismatch = allow_mismatch

    @classmethod
    def from_file(cls, path: Path, *, allow_mismatch: bool = False) -> Self:
        """Read a records file (JSON Lines).

        Raises:
            UsageError: If there is no such file.
            ContentError: If a line is no result record; `where` names it.
        """
        data = _read(path)
        records: dict[RecordKey, RecordedCode] = {}
        for number, line in enumerate(data.splitlines(), start=1):
            if line.strip():
                record = _parse_line(line, where=f"{path}:{number}")
                records[record.key] = record
        return cls(records, digest=hashlib.sha256(data).hexdigest(), path=path, allow_mismatch=allow_mismatch)

    def describe(self) -> AgentCard:
        """Return the card; its version is the digest of the file."""
        return AgentCard(name="replay", version=self._digest[:16] + ("+mismatch" if self._allow_mismatch else ""))

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:
        """Return the recorded code, or an empty cell labelled `no-record`.

        Raises:
            ContentError: If the record answers another query and mismatches are not allowed.
        """
        record = self._records.get(RecordKey(request.problemset, request.index, request.attempt))
        if record is None:
            return Submission(code="", labels=(NO_RECORD,))
        if record.question is not None and not self._allow_mismatch and not _same_text(record.question, request.query):
            raise ContentError(
                f"the record of problem {request.index} of {request.problemset!r} answers another query: "
                f"{record.question[:80]!r} instead of {request.query[:80]!r}",
                where=str(self._path),
                fix="replay the records of this version of the benchmark, or add --allow-mismatch",
            )
        return Submission(code=record.code or "", usage=record.agent_stats or {})

    def end(self, session_id: str) -> None:
        """Forget a session."""

    def recorded_code(self) -> tuple[str, ...]:
        """Return all code that may be resubmitted."""
        return tuple(record.code for record in self._records.values() if record.code)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UsageError("there is no such records file", where=str(path), fix="name an existing file") from error
    except IsADirectoryError as error:
        fix = "name the records.jsonl in it"
        raise UsageError("this is a folder, not a records file", where=str(path), fix=fix) from error


def _parse_line(line: bytes, *, where: str) -> RecordedCode:
    try:
        record = _adapter().validate_json(line, strict=True)
    except ValueError as error:  # pydantic's: bad JSON and bad text encoding too
        first = error.errors()[0] if hasattr(error, "errors") else {"loc": (), "msg": str(error)}
        field = ".".join(str(part) for part in first["loc"])
        what = f"the line is no result record: {field}{': ' if field else ''}{first['msg']}"
        raise ContentError(what, where=where, fix="repair or remove the line") from error
    if record.index < 1 or record.attempt < 1:
        what = f"the line is no result record: index {record.index} and attempt {record.attempt} count from 1"
        raise ContentError(what, where=where, fix="repair or remove the line")
    return record


@functools.cache
def _adapter() -> "TypeAdapter[RecordedCode]":
    from pydantic import TypeAdapter  # late: other agents do without, and pydantic takes long to import

    return TypeAdapter(RecordedCode)


def _same_text(one: str, other: str) -> bool:
    return one.split() == other.split()
