"""Resubmits recorded code, ours or published, by problemset, index and attempt."""

import functools
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from evaluator.agents.process.redaction import value_mark
from evaluator.agents.protocol import (
    AgentCard,
    AgentFailure,
    FailureKind,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.errors import ContentError, ToolkitError
from evaluator.records import AttemptKey, not_a_record, record_fields, scan_lines

if TYPE_CHECKING:
    from pydantic import TypeAdapter

NO_RECORD: Final = "no-record"
"""Label of the empty submission that stands for a problem without a record."""

_MOST_NAMED: Final = 5
_MAX_MANIFEST: Final = 10_000_000  # bytes
_VARIABLES: Final = re.compile(r", variables ([^,]*)")  # in what a manifest says of the agent's process


@dataclass(frozen=True)
class RecordedCode:
    """The fields of a result record that a replay needs; published files hold more, which is ignored."""

    problemset: str
    index: int  # counts from 1
    attempt: int = 1
    epoch: int = 1
    question: str = ""  # empty when the file does not say it
    code: str | None = None
    answer: str | None = None  # in prose, which `final_answer` judges
    agent_stats: dict[str, Any] | None = None

    @property
    def key(self) -> AttemptKey:
        """Which attempt this is."""
        return AttemptKey(self.problemset, self.index, self.attempt, self.epoch)


@dataclass(frozen=True)
class _Span:
    """Where the line of a record lies: the code is read when it is asked for, so that memory does not grow with it."""

    offset: int
    length: int


class ReplayAgent:
    """Resubmits the code of a records file. Of several records for one key the last counts."""

    def __init__(
        self,
        path: Path,
        spans: Mapping[AttemptKey, _Span],
        *,
        digest: str,
        notes: tuple[str, ...] = (),
        variables: tuple[str, ...] = (),
        allow_mismatch: bool = False,
    ) -> None:
        self._path = path
        self._variables = variables  # whose values the records are kept without
        self._spans = spans
        self._digest = digest
        self._notes = notes
        self._allow_mismatch = allow_mismatch
        self._without_record: set[tuple[str, int]] = set()  # problemset and index of what was asked in vain

    @classmethod
    def from_file(cls, path: Path, *, allow_mismatch: bool = False) -> Self:
        """Index a records file (JSON Lines). A last line cut short by a kill is left out.

        Raises:
            UsageError: If there is no such file.
            ContentError: If a line is no result record; `where` names it.
        """
        spans: dict[AttemptKey, _Span] = {}
        lines, cut = 0, False
        for line in scan_lines(path, _parse_code):
            if line.value is not None:
                lines += 1
                spans[line.value.key] = _Span(line.offset, line.length)
            elif line.is_cut and spans:  # a file without any whole record is no records file
                cut = True
            else:
                raise not_a_record(path, line, "repair or remove the line")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        notes = _notes(path, replaced=lines - len(spans), cut=cut)
        variables = _granted_variables(path)
        return cls(path, spans, digest=digest, notes=notes, variables=variables, allow_mismatch=allow_mismatch)

    def describe(self) -> AgentCard:
        """Return the card; its version is the digest of the file."""
        version = self._digest[:16] + ("+mismatch" if self._allow_mismatch else "")
        return AgentCard(name="replay", version=version, notes=(*self._notes, *self._missing()))

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the recorded code, or an empty cell labelled `no-record`; at a later attempt that is giving up.

        Code that is kept without the value of a variable is not judged: it would be other code.

        Raises:
            ContentError: If the record answers another query and mismatches are not allowed.
            ToolkitError: If the file has changed since it was indexed.
        """
        span = self._spans.get(AttemptKey(request.problemset, request.index, request.attempt, request.epoch))
        if span is None:
            self._without_record.add((request.problemset, request.index))
            status = SubmissionStatus.OK if request.attempt == 1 else SubmissionStatus.GAVE_UP
            return Submission(code="", status=status, labels=(NO_RECORD,))
        record = self._read(span)
        if record.question and not self._allow_mismatch and not _same_text(record.question, request.query):
            raise ContentError(
                f"the record of problem {request.index} of {request.problemset!r} answers another query: "
                f"{record.question[:80]!r} instead of {request.query[:80]!r}",
                where=str(self._path),
                fix="replay the records of this version of the benchmark, or add --allow-mismatch",
            )
        code = record.code or ""
        if missing := next((name for name in self._variables if value_mark(name) in code), ""):
            what = f"the record is kept without the value of {missing}, and what its code comes to is not known"
            failure = AgentFailure(FailureKind.INFRA, what)
            return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
        return Submission(code=code, usage=record.agent_stats or {}, answer=record.answer)

    def end(self, session_id: str) -> None:
        """Forget a session."""

    def _missing(self) -> tuple[str, ...]:
        if not self._without_record:
            return ()
        known = {(key.problemset, key.index) for key in self._spans}
        return missing_note(self._without_record - known, str(self._path))

    def recorded_code(self) -> Iterator[str]:
        """Yield all code that may be resubmitted, one record in memory at a time."""
        for span in self._spans.values():
            yield self._read(span).code or ""

    def _read(self, span: _Span) -> RecordedCode:
        try:
            with self._path.open("rb") as file:
                return _parse_code(os.pread(file.fileno(), span.length, span.offset))
        except (OSError, ValueError, RecursionError) as error:
            what, fix = "the records file has changed while it was replayed", "repeat the command with a file at rest"
            raise ToolkitError(what, where=str(self._path), fix=fix) from error


def missing_note(without_record: Collection[tuple[str, int]], path: str) -> tuple[str, ...]:
    """Return what the user should know of problems, by problemset and index, that a records file does not hold."""
    missing = sorted(without_record)
    if not missing:
        return ()
    named = ", ".join(f"{problemset}:{index}" for problemset, index in missing[:_MOST_NAMED])
    more = ", ..." if len(missing) > _MOST_NAMED else ""
    plural = "problem has" if len(missing) == 1 else "problems have"
    return (f"{len(missing)} {plural} no record in {path}, and an empty cell was judged: {named}{more}",)


def _parse_code(line: bytes) -> RecordedCode:
    return _adapter().validate_python(record_fields(line))


@functools.cache
def _adapter() -> "TypeAdapter[RecordedCode]":
    from pydantic import TypeAdapter  # late: other agents do without, and pydantic takes long to import

    return TypeAdapter(RecordedCode)


def _granted_variables(path: Path) -> tuple[str, ...]:
    """Return the names of the variables that the agent was given whose records these are, by the manifest beside them.

    Records that lie elsewhere, or are not of ours, have none.
    """
    try:
        with path.with_name("manifest.json").open("rb") as file:
            told = json.loads(file.read(_MAX_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return ()
    process = told.get("agent_process") if isinstance(told, dict) else None
    found = _VARIABLES.search(process) if isinstance(process, str) else None
    return tuple(found[1].split()) if found is not None else ()


def _notes(path: Path, *, replaced: int, cut: bool) -> tuple[str, ...]:
    notes = []
    if replaced:
        plural = "record is" if replaced == 1 else "records are"
        notes.append(f"{replaced} {plural} replaced by later lines of {path} for the same attempt")
    if cut:
        notes.append(f"the last line of {path} is cut short and left out")
    return tuple(notes)


def _same_text(one: str, other: str) -> bool:
    return one.split() == other.split()
