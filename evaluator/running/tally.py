"""Which problems of a run are judged, and what came of them: small in memory whatever the size of the run."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from evaluator.errors import ContentError
from evaluator.records import scan_lines
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.scoring import Verdict

NOT_JUDGED: Final = Verdict.NOT_JUDGED.value
_OPEN: Final = 0


@dataclass(frozen=True, slots=True)
class ProblemKey:
    """One problem in one pass of a run."""

    problemset: str
    index: int  # counts from 1
    epoch: int  # counts from 1


class RecordKey(NamedTuple):
    """What resuming needs to know of a record."""

    key: ProblemKey
    attempt: int
    verdict: str
    is_last: bool


class Tally:
    """Verdicts that count, by problem and epoch: one byte each."""

    def __init__(self) -> None:
        self._names: list[str] = [""]  # verdict -> its number; 0 stands for an open problem
        self._verdicts: dict[tuple[str, int], bytearray] = {}
        self._counts: Counter[str] = Counter()

    def add(self, key: ProblemKey, verdict: str) -> None:
        """Count the verdict of a problem's last attempt; a later one replaces an earlier one."""
        row = self._verdicts.setdefault((key.problemset, key.epoch), bytearray())
        if len(row) < key.index:
            row.extend(bytes(key.index - len(row)))
        self.remove(key)
        if verdict not in self._names:
            self._names.append(verdict)
        row[key.index - 1] = self._names.index(verdict)
        self._counts[verdict] += 1

    def remove(self, key: ProblemKey) -> None:
        """Take a problem for open again."""
        row = self._verdicts.get((key.problemset, key.epoch), bytearray())
        if len(row) >= key.index and row[key.index - 1] != _OPEN:
            self._counts[self._names[row[key.index - 1]]] -= 1
            row[key.index - 1] = _OPEN

    def has(self, key: ProblemKey) -> bool:
        """Return whether a problem has a verdict."""
        row = self._verdicts.get((key.problemset, key.epoch), b"")
        return len(row) >= key.index and row[key.index - 1] != _OPEN

    def missing(self, problemset: str, epoch: int, problems: int) -> list[int]:
        """Return the indexes (from 1) of the first so many problems that have no verdict."""
        row = self._verdicts.get((problemset, epoch), b"")
        return [index for index in range(1, problems + 1) if index > len(row) or row[index - 1] == _OPEN]

    @property
    def total(self) -> int:
        """Problems with a verdict (count)."""
        return self._counts.total()

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> problems, without zeros, by name."""
        return {name: count for name, count in sorted(self._counts.items()) if count}


def read_tally(
    path: Path, refuse: Callable[[Mapping[str, Any], str], None] = lambda _content, _where: None
) -> tuple[Tally, frozenset[ProblemKey]]:
    """Read what a run has judged; a last line cut short by a kill is left out.

    Args:
        path: The file of its records.
        refuse: Gets what a record holds, and where it stands; raises where it cannot be the run's.

    Returns:
        The problems that are judged, and those whose records are of no use: not judged, or cut off
        between two attempts.

    Raises:
        ContentError: If a line is no result record; `where` names it.
    """
    tally = Tally()
    useless: set[ProblemKey] = set()
    for content, where in _contents(path):
        mark = record_key_of(content, where)
        refuse(content, where)
        if mark.is_last and mark.verdict != NOT_JUDGED:
            useless.discard(mark.key)
            tally.add(mark.key, mark.verdict)
        else:
            useless.add(mark.key)
            tally.remove(mark.key)
    return tally, frozenset(useless)


def lines_without(path: Path, useless: frozenset[ProblemKey]) -> Iterator[bytes]:
    """Yield the lines of a records file but those of some problems."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip() and record_key_of(json.loads(line), str(path)).key not in useless:
                yield line


def read_answers(path: Path, problemset: str, epoch: int) -> dict[int, PriorAnswer]:
    """Return what an agent answered to the problems of one problemset that are judged, by index."""
    name = json.dumps(problemset, ensure_ascii=False).encode("utf-8", "backslashreplace")
    attempts: dict[int, list[tuple[int, str, str, str]]] = {}
    for content, where in _contents(path, containing=name):
        mark = record_key_of(content, where)
        if mark.key.problemset == problemset and mark.key.epoch == epoch:
            said = (mark.attempt, str(content.get("code") or ""), mark.verdict, str(content.get("state_after") or ""))
            attempts.setdefault(mark.key.index, []).append(said)
    return {
        index: PriorAnswer(tuple(code for _, code, _, _ in made), made[-1][2], made[-1][3])
        for index, made in ((index, sorted(each)) for index, each in attempts.items())
    }


def _contents(path: Path, *, containing: bytes = b"") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield what the whole lines of a file hold, and where they stand, one at a time."""

    def read(raw: bytes) -> dict[str, Any] | None:
        if not raw.endswith(b"\n"):
            raise ValueError("the line does not end")
        content = json.loads(raw) if containing in raw else None
        if content is not None and not isinstance(content, dict):
            raise ValueError("it is no object")
        return content

    for line in scan_lines(path, read):
        if line.value is not None:
            yield line.value, f"{path}:{line.number}"
        elif line.fault and not line.is_cut:
            raise _no_record(f"{path}:{line.number}", line.fault)


def record_key_of(content: dict[str, Any], where: str) -> RecordKey:
    """Return what resuming needs of a record.

    Raises:
        ContentError: If it is none.
    """
    index, epoch, attempt = content.get("index"), content.get("epoch", 1), content.get("attempt", 1)
    problemset, verdict, is_last = content.get("problemset"), content.get("verdict"), content.get("is_last", True)
    for name, number in (("index", index), ("epoch", epoch), ("attempt", attempt)):
        if type(number) is not int or number < 1:
            raise _no_record(where, f"{name}: not a number from 1 on")
    for name, text in (("problemset", problemset), ("verdict", verdict)):
        if not isinstance(text, str):
            raise _no_record(where, f"{name}: not a text")
    assert isinstance(problemset, str)
    assert isinstance(verdict, str)
    assert isinstance(index, int)
    return RecordKey(ProblemKey(problemset, index, epoch), attempt, verdict, bool(is_last))


def _no_record(where: str, why: str) -> ContentError:
    fix = "remove the line; the same command then judges its problem again"
    return ContentError(f"the line is no result record: {why}", where=where, fix=fix)
