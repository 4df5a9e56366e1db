"""Which cell of one text is which cell of another: by written id, by text, then by likeness of neighbours."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from evaluator.language import (
    Problem,
    SetupCell,
    cut,
    parse_problemset,
    problem_from_parts,
    problem_id,
    problem_settings_yaml,
)

LIKENESS: Final = 0.5
"""Cells between the same neighbours are the same cell when this fraction of their text (0..1) is shared."""
MAX_COMPARED_CHARS: Final = 4_000
FIELDS: Final = ("title", "query", "settings", "code")

Mark = Callable[["PlacedCell"], Hashable]


@dataclass(frozen=True)
class PlacedCell:
    """One cell of a text."""

    key: str  # the problem's id or `setup1`, as people name it; unique within its text
    number: int  # among the problems, from 1; 0: a setup cell
    raw: str  # as it stands in the text, marker line included
    fields: Mapping[str, str]  # name (one of FIELDS) -> text; a setup cell has no query and no settings
    written_id: str = ""  # empty: the author gave none
    cell: Problem | SetupCell | None = None  # None: the text does not parse, cells are known by their raw text only

    @property
    def is_problem(self) -> bool:
        """Tell a problem from a setup cell."""
        return self.number > 0

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"problem {self.number} ({self.key})" if self.is_problem else f"setup cell {self.key[5:]}"


@dataclass(frozen=True)
class PlacedCells:
    """A text as cells in order; joined they are the text, byte for byte."""

    preamble: str
    cells: tuple[PlacedCell, ...]
    parses: bool

    def find(self, name: str) -> PlacedCell | None:
        """Return the cell of that key or, for a number, that problem."""
        by_key = next((cell for cell in self.cells if cell.key == name), None)
        return by_key or next((cell for cell in self.cells if cell.number and str(cell.number) == name), None)


def place_cells(name: str, text: str) -> PlacedCells:
    """Return the cells of a problemset's text, even where it does not parse."""
    problemset = parse_problemset(text, name=name).problemset
    if problemset is None or any(cell.raw is None for cell in problemset.cells):
        preamble, found = cut(text)
        rough = (PlacedCell(f"cell{n}", 0, each.raw, {"code": each.raw}) for n, each in enumerate(found, 1))
        return PlacedCells(preamble, tuple(rough), parses=False)
    cells: list[PlacedCell] = []
    taken: set[str] = set()
    number = setups = 0
    for cell in problemset.cells:
        if isinstance(cell, Problem):
            number += 1
            key, written = problem_id(problemset, number), str(cell.metadata.get("id") or "")
            key = f"p{number}" if key in taken or key.startswith("setup") else key
            settings = problem_settings_yaml(cell)
            fields = {"title": cell.title, "query": cell.query, "settings": settings, "code": cell.code}
            cells.append(PlacedCell(key, number, cell.raw or "", fields, written, cell))
        else:
            setups += 1
            key, fields = f"setup{setups}", {"title": cell.title, "code": cell.source}
            cells.append(PlacedCell(key, 0, cell.raw or "", fields, cell=cell))
        taken.add(key)
    return PlacedCells(problemset.preamble, tuple(cells), parses=True)


def align(before: Sequence[PlacedCell], after: Sequence[PlacedCell]) -> dict[int, int]:
    """Return position in `before` -> position in `after` (both from 0) of the cells that are the same cell.

    Written ids decide first, then equal text (in order, then wherever it moved), then equal query or code where it
    stands once on each side, then likeness between the same neighbours. Cells of different kinds are never the same,
    nor are problems with different written ids.
    """
    found: dict[int, int] = {}
    _by_mark(found, before, after, lambda cell: cell.written_id or None)
    _in_order(found, before, after)
    _by_mark(found, before, after, lambda cell: (cell.is_problem, cell.raw.strip()))
    _by_mark(found, before, after, lambda cell: cell.fields.get("query", "").strip() or None)
    _by_mark(found, before, after, lambda cell: (cell.is_problem, cell.fields["code"].strip()))
    _by_likeness(found, before, after)
    return found


def _by_mark(found: dict[int, int], before: Sequence[PlacedCell], after: Sequence[PlacedCell], mark: Mark) -> None:
    """Join cells whose mark stands exactly once among the free cells of both sides."""
    free = [_free_marks(before, set(found), mark), _free_marks(after, set(found.values()), mark)]
    for key, position in free[0].items():
        if key in free[1] and _may_be_one(before[position], after[free[1][key]]):
            found[position] = free[1][key]


def _free_marks(cells: Sequence[PlacedCell], taken: set[int], mark: Mark) -> dict[Hashable, int]:
    marks = {position: mark(cell) for position, cell in enumerate(cells) if position not in taken}
    counts = Counter(marks.values())
    return {key: position for position, key in marks.items() if key is not None and counts[key] == 1}


def _in_order(found: dict[int, int], before: Sequence[PlacedCell], after: Sequence[PlacedCell]) -> None:
    matcher = SequenceMatcher(None, [cell.raw for cell in before], [cell.raw for cell in after], autojunk=False)
    taken = set(found.values())
    for start, other, size in matcher.get_matching_blocks():
        for step in range(size):
            if start + step not in found and other + step not in taken:
                found[start + step] = other + step


def _by_likeness(found: dict[int, int], before: Sequence[PlacedCell], after: Sequence[PlacedCell]) -> None:
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


def likeness(before: PlacedCell, after: PlacedCell) -> float:
    """Return how much two cells share of their query and code, as a fraction in 0..1."""
    texts = [f"{cell.fields.get('query', '')}\n{cell.fields['code']}"[:MAX_COMPARED_CHARS] for cell in (before, after)]
    return SequenceMatcher(None, texts[0], texts[1], autojunk=False).ratio()


def _may_be_one(before: PlacedCell, after: PlacedCell) -> bool:
    ids = before.written_id, after.written_id
    return before.is_problem == after.is_problem and (ids[0] == ids[1] or not all(ids))


def assembled(fields: Mapping[str, str]) -> str | None:
    """Return the text of a cell made from its fields; None where they cannot stand in one cell."""
    if "query" not in fields:
        title = " ".join(fields.get("title", "").split())
        return f"# %% {title}".rstrip() + f"\n{fields['code'].strip()}\n"
    made, _ = problem_from_parts(fields["query"], fields["settings"], fields["code"], title=fields["title"])
    return None if made is None else made.raw
