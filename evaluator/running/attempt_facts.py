"""What counts of each attempt of a run, without code and texts: reports keep these, and read records one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Final, overload
from zlib import crc32

from evaluator.errors import ToolkitError, error_from_os
from evaluator.records import Record, not_a_record, parse_record, scan_lines

_MAX_WHY: Final = 1_000
_DIGEST_BITS: Final = 24  # with an offset in a file of up to 64 GB that is a number as small as the offset
_FIX: Final = "remove the line; the same command then judges its problem again"


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """One attempt as tables count it. Its texts may be hostile."""

    problemset: str
    index: int  # of the problem, counts from 1
    epoch: int
    attempt: int
    verdict: str
    subverdict: str
    labels: tuple[str, ...]
    agent_exception: str | None  # its beginning
    extended_verdict: str  # its beginning, of what is NOT_JUDGED; empty for others
    scoring_version: str
    has_family: bool  # whether the record holds scores of CIBench or the Qwen benchmark
    asked: int  # a hash of the query: the same for the same words, in this process
    place: int  # in the records file: the bytes before its line, and by what the line is known again

    @property
    def offset(self) -> int:
        """The bytes before its line in the records file."""
        return self.place >> _DIGEST_BITS

    def is_at(self, line: bytes) -> bool:
        """Return whether a line that stands at its offset is, by all appearances, still the one that was read."""
        return self.place == _place(self.offset, line)


order_of_attempt: Final = attrgetter("problemset", "index", "epoch", "attempt")
"""The order in which reports list attempts; sorts records, too."""
problem_of_attempt: Final = attrgetter("problemset", "index", "epoch")
"""What attempts at one problem in one epoch share; so do records."""


def read_attempts(path: Path) -> tuple[AttemptFacts, ...]:
    """Return what counts of each attempt of a records file, by problemset, index, epoch and attempt.

    Of several lines about one attempt the last counts; a last line cut short by a kill is left out.

    Raises:
        UsageError: If there is no such file.
        ContentError: If a line is no result record; `where` names it.
    """
    found: list[AttemptFacts] = []
    texts: dict[str, str] = {}  # each text once
    for line in scan_lines(path, lambda raw: (parse_record(raw), raw)):
        if line.value is not None:
            record, raw = line.value
            found.append(_facts(record, _place(line.offset, raw), texts))
        elif not line.is_cut:
            raise not_a_record(path, line, _FIX)
    found.sort(key=order_of_attempt)
    last = {order_of_attempt(each): each for each in found}  # in order, since they are sorted
    return tuple(last.values())


def _place(offset: int, line: bytes) -> int:
    """Return both as one number, which takes no more memory than an offset alone."""
    return offset << _DIGEST_BITS | crc32(line.strip()) >> (32 - _DIGEST_BITS)


def _facts(record: Record, place: int, texts: dict[str, str]) -> AttemptFacts:
    def once(text: str) -> str:
        return texts.setdefault(text, text)

    why = record.agent_exception
    return AttemptFacts(
        once(record.problemset),
        record.index,
        record.epoch,
        record.attempt,
        once(record.verdict),
        once(record.subverdict),
        tuple(map(once, record.labels)),
        None if why is None else once(why[:_MAX_WHY]),
        once(record.extended_verdict[:_MAX_WHY]) if record.verdict == "NOT_JUDGED" else "",
        once(str(record.scoring_version)),
        bool(record.family),
        hash(record.question.strip()),
        place,
    )


class KeptRecords(Sequence[Record]):
    """The records of some attempts, each read from its file when it is asked for."""

    def __init__(self, path: Path, attempts: Sequence[AttemptFacts]) -> None:
        """Name the file, and the attempts that were read from it."""
        self._path = path
        self._attempts = attempts

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._attempts)

    def __iter__(self) -> Iterator[Record]:
        """Yield them in the order of the attempts, one in memory at a time.

        Raises:
            ToolkitError: If the file was written anew since, as by a run that tries again what was NOT_JUDGED, or
                cannot be read.
        """
        try:
            file = self._path.open("rb")
        except OSError as error:
            raise error_from_os(error) from error
        with file:
            for each in self._attempts:
                yield self._same_as(each, self._line_at(file, each.offset))

    def _line_at(self, file: BinaryIO, offset: int) -> bytes:
        try:
            file.seek(offset)
            return file.readline()
        except OSError as error:
            error.filename = error.filename or str(self._path)  # that of what is open names none
            raise error_from_os(error) from error

    def _same_as(self, attempt: AttemptFacts, line: bytes) -> Record:
        try:
            record = parse_record(line)
        except ValueError as error:
            raise self._changed(attempt) from error
        if not attempt.is_at(line) or order_of_attempt(record) != order_of_attempt(attempt):
            raise self._changed(attempt)
        return record

    def _changed(self, attempt: AttemptFacts) -> ToolkitError:
        named = f"problem {attempt.index} of {attempt.problemset!r}, epoch {attempt.epoch}, attempt {attempt.attempt}"
        what = f"the records were written anew while they were read: {named} is not where it was"
        return ToolkitError(what, where=str(self._path), fix="repeat the command, once no run writes to the folder")

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> "KeptRecords": ...

    def __getitem__(self, place: int | slice) -> "Record | KeptRecords":
        """Return one, or those of a slice, still to be read."""
        if isinstance(place, slice):
            return KeptRecords(self._path, self._attempts[place])
        (record,) = KeptRecords(self._path, [self._attempts[place]])
        return record
