"""The cells of a document, and which cell of one text is which cell of another: by id, by text, by likeness."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain, count
from typing import Final

from evaluator.language.model import Problem, Problemset, SetupCell, problem_id
from evaluator.language.parts import problem_settings_yaml


@dataclass(frozen=True)
class DocumentCell:
    """One cell of a text."""

    key: str  # unique within its text
    position: int  # among all cells, from 0
    number: int  # among the problems, from 1; 0: a setup cell
    raw: str = field(repr=False)  # as it stands in the text, marker line and white space after it included
    line: int = 1  # of the cell's marker in the text
    cell: Problem | SetupCell | None = field(default=None, repr=False)  # None: the whole of a text that does not parse

    @property
    def is_problem(self) -> bool:
        """Whether it is asked; a setup cell is not."""
        return self.number > 0

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.cell is None:
            return "the whole text"
        return f"problem {self.number} ({self.key})" if self.is_problem else f"setup cell {self.key[5:]}"

    @property
    def label(self) -> str:
        """What lists call it."""
        return f"Problem {self.number}" if self.is_problem else f"Setup {self.key.removeprefix('setup')}"

    @property
    def title(self) -> str:
        """What stands behind the marker."""
        return self.cell.title if self.cell is not None else ""

    @property
    def written_id(self) -> str:
        """The id that the author gave; empty: none."""
        return str(self.cell.metadata.get("id") or "") if isinstance(self.cell, Problem) else ""

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The texts that an editor shows, by field: query, code and settings; of a setup cell its code alone."""
        if isinstance(self.cell, Problem):
            return {"query": self.cell.query, "code": self.cell.code, "settings": problem_settings_yaml(self.cell)}
        return {"code": self.raw if self.cell is None else self.cell.source}

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """Everything that may differ between two versions of the cell: title, query, settings, code."""
        order = ("query", "settings", "code")
        return {"title": self.title, **{name: self.texts[name] for name in order if name in self.texts}}


def one_cell(text: str) -> tuple[DocumentCell, ...]:
    """Return a text that does not parse as the one cell that it is; nothing for an empty text."""
    return (DocumentCell("text", 0, 0, text),) if text else ()


def named_cells(problemset: Problemset) -> Iterator[DocumentCell]:
    """Yield the cells of a problemset, each with a key of its own, also where two have one id."""
    setup_cells = sum(not isinstance(cell, Problem) for cell in problemset.cells)
    taken = {f"setup{number}" for number in range(1, setup_cells + 1)}
    number = setups = 0
    for position, cell in enumerate(problemset.cells):
        if isinstance(cell, Problem):
            number += 1
            key = _free_key(problem_id(problemset, number), number, taken)
        else:
            setups += 1
            key = f"setup{setups}"
        taken.add(key)
        yield DocumentCell(key, position, number if isinstance(cell, Problem) else 0, cell.raw or "", cell.line, cell)


def _free_key(wanted: str, number: int, taken: Collection[str]) -> str:
    if wanted not in taken:
        return wanted
    again = (f"p{number}-{times}" for times in count(2))
    return next(key for key in chain([f"p{number}"], again) if key not in taken)


LIKENESS: Final = 0.5
"""Cells between the same neighbours are the same cell when this fraction of their text (0..1) is shared."""
MAX_COMPARED_CHARS: Final = 4_000

Mark = Callable[[DocumentCell], Hashable]


def align_cells(before: Sequence[DocumentCell], after: Sequence[DocumentCell]) -> dict[int, int]:
    """Return position in `before` -> position in `after` (both from 0) of the cells that are the same cell.

    Written ids decide first, then equal text (in order, then wherever it moved), then equal query or code where it
    stands once on each side, then likeness between the same neighbours. Cells of different kinds are never the same,
    nor are problems with different written ids.
    """
    found: dict[int, int] = {}
    _by_mark(found, before, after, lambda cell: cell.written_id or None)
    _in_order(found, before, after)
    _by_mark(found, before, after, lambda cell: (cell.is_problem, cell.raw.strip()))
    _by_mark(found, before, after, lambda cell: cell.texts.get("query", "").strip() or None)
    _by_mark(found, before, after, lambda cell: (cell.is_problem, cell.texts["code"].strip()))
    _by_likeness(found, before, after)
    return found


def _by_mark(found: dict[int, int], before: Sequence[DocumentCell], after: Sequence[DocumentCell], mark: Mark) -> None:
    """Join cells whose mark stands exactly once among the free cells of both sides."""
    free = [_free_marks(before, set(found), mark), _free_marks(after, set(found.values()), mark)]
    for key, position in free[0].items():
        if key in free[1] and _may_be_one(before[position], after[free[1][key]]):
            found[position] = free[1][key]


def _free_marks(cells: Sequence[DocumentCell], taken: set[int], mark: Mark) -> dict[Hashable, int]:
    marks = {position: mark(cell) for position, cell in enumerate(cells) if position not in taken}
    counts = Counter(marks.values())
    return {key: position for position, key in marks.items() if key is not None and counts[key] == 1}


def _in_order(found: dict[int, int], before: Sequence[DocumentCell], after: Sequence[DocumentCell]) -> None:
    old, new = ([(cell.is_problem, *cell.texts.values()) for cell in cells] for cells in (before, after))  # no titles
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    taken = set(found.values())
    for start, other, size in matcher.get_matching_blocks():
        for step in range(size):
            if start + step not in found and other + step not in taken:
                found[start + step] = other + step


def _by_likeness(found: dict[int, int], before: Sequence[DocumentCell], after: Sequence[DocumentCell]) -> None:
    for left, right in _gaps(found, len(before), len(after)):
        pairs = [
            (likeness(before[i], after[j]), -abs((i - left[0]) - (j - right[0])), i, j)
            for i in left
            for j in right
            if _may_be_one(before[i], after[j])
        ]
        taken: set[int] = set()
        for score, _, i, j in sorted(pairs, key=lambda pair: (-pair[0], -pair[1], pair[2], pair[3])):
            alone = len(left) == len(right) == 1
            if i not in found and j not in taken and (score >= LIKENESS or (alone and not before[i].is_problem)):
                found[i] = j
                taken.add(j)


def _gaps(found: Mapping[int, int], before: int, after: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the free cells of both sides that stand between the same joined neighbours."""
    taken = set(found.values())
    spans: dict[int, tuple[list[int], list[int]]] = {}
    anchor = -1
    for i in range(before):
        anchor = i if i in found else anchor
        if i not in found:
            spans.setdefault(anchor, ([], []))[0].append(i)
    back = {j: i for i, j in found.items()}
    anchor = -1
    for j in range(after):
        anchor = back.get(j, anchor)
        if j not in taken:
            spans.setdefault(anchor, ([], []))[1].append(j)
    yield from (span for span in spans.values() if span[0] and span[1])


def likeness(before: DocumentCell, after: DocumentCell) -> float:
    """Return how much two cells share of their query and code, as a fraction in 0..1."""
    texts = [f"{cell.fields.get('query', '')}\n{cell.fields['code']}"[:MAX_COMPARED_CHARS] for cell in (before, after)]
    return SequenceMatcher(None, texts[0], texts[1], autojunk=False).ratio()


def _may_be_one(before: DocumentCell, after: DocumentCell) -> bool:
    ids = before.written_id, after.written_id
    return before.is_problem == after.is_problem and (ids[0] == ids[1] or not all(ids))
