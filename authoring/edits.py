"""What people changed: cells that differ between a revision and the one it rests on. Pure functions over texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from evaluator.language import Problem, Problemset, parse_problemset, problem_id


@dataclass(frozen=True)
class Edits:
    """What the people behind a chain of revisions changed."""

    cells: int = 0  # cells changed, added or removed, summed over the revisions (count)
    problems: frozenset[str] = frozenset()  # ids of the problems changed or added, each once
    validators: int = 0  # problems whose validators changed, summed over the revisions (count)
    unreadable: int = 0  # revisions that could not be compared, because one side does not parse (count)


class _Cell(NamedTuple):
    content: str  # everything that counts; two cells with the same content are the same
    problem: str  # id; empty: a setup cell
    validator: str


def edits_between(pairs: Iterable[tuple[str, str]]) -> Edits:
    """Return what changed in pairs of texts (before, after), added up over the pairs."""
    cells, validators, unreadable = 0, 0, 0
    problems: set[str] = set()
    for before, after in pairs:
        old, new = _cells(before), _cells(after)
        if old is None or new is None:
            unreadable += 1
            continue
        for was, now in _changes(old, new):
            cells += 1
            if now is not None and now.problem:
                problems.add(now.problem)
            validators += was is not None and now is not None and was.validator != now.validator
    return Edits(cells, frozenset(problems), validators, unreadable)


def problem_ids(text: str) -> tuple[str, ...]:
    """Return the ids of the problems in a text; none when it does not parse."""
    return tuple(cell.problem for cell in _cells(text) or () if cell.problem)


def _changes(old: Sequence[_Cell], new: Sequence[_Cell]) -> Iterator[tuple[_Cell | None, _Cell | None]]:
    """Yield the cells that differ, side by side; a cell put in between does not change those after it."""
    matcher = SequenceMatcher(None, [c.content for c in old], [c.content for c in new], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield from zip_longest(old[i1:i2], new[j1:j2])


def _cells(text: str) -> list[_Cell] | None:
    parsed = parse_problemset(text, name="set").problemset
    return None if parsed is None else list(_listed(parsed))


def _listed(problemset: Problemset) -> Iterator[_Cell]:
    index = 0
    for cell in problemset.cells:
        if not isinstance(cell, Problem):
            yield _Cell(repr((cell.source, cell.title)), "", "")
            continue
        index += 1
        validator = repr(cell.validator)
        rest = (cell.query, cell.code, cell.title, validator, cell.limits, dict(cell.data), dict(cell.metadata))
        yield _Cell(repr(rest), problem_id(problemset, index), validator)
