"""Two people edited one revision: put both edits together, cell by cell and field by field, and list what clashes.

A cell that one side alone changed keeps that side's bytes. A cell that both changed is put together from its fields
(title, query, settings, code) where no field was changed by both in different ways. Everything else is a conflict with
three texts, which a person decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evaluator.language import problem_from_parts
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell

WHOLE: Final = "cell"  # the field of a conflict about a cell as a whole
ORDER: Final = "order"
PREAMBLE: Final = "preamble"


class Side(StrEnum):
    """Whose text is taken."""

    MINE = "mine"
    THEIRS = "theirs"


@dataclass(frozen=True)
class Conflict:
    """Something that both sides changed in different ways."""

    cell: str  # the cell's key; empty: the set as a whole
    field: str  # title | query | settings | code | cell | order | preamble
    base: str
    theirs: str  # empty where the cell was deleted
    mine: str

    def to_json(self) -> dict[str, str]:
        """Return plain JSON values."""
        return {
            **{"cell": self.cell, "field": self.field},
            **{"base": self.base, "theirs": self.theirs, "mine": self.mine},
        }


@dataclass(frozen=True)
class Merged:
    """What came of putting two edits together."""

    text: str | None  # None: conflicts are left
    conflicts: tuple[Conflict, ...]  # left to decide
    decided: tuple[Conflict, ...] = ()  # decided by a side that was named
    from_mine: tuple[str, ...] = ()  # keys of the cells that are not theirs as they stand


def merge_texts(
    name: str,
    base: str,
    theirs: str,
    mine: str,
    *,
    takes: Mapping[str, Side] | None = None,
) -> Merged:
    """Put two edits of one text together.

    Args:
        name: The problemset's name.
        base: The text that both started from.
        theirs: What somebody saved meanwhile.
        mine: What is to be saved now.
        takes: Key of a cell -> the side whose text is taken where both clash; the key `*` stands for all others.
    """
    sides = [Document.parse(text, name=name) for text in (base, theirs, mine)]
    if not all(each.parses for each in sides):  # what does not parse has no fields and no names that all three share
        sides = [each.as_one_cell() for each in sides]
    was, there, here = sides
    return _Merge(was, there, here, dict(takes or {})).run()


@dataclass(frozen=True)
class _Versions:
    """One cell on the three sides; None where it does not stand."""

    base: DocumentCell | None
    theirs: DocumentCell | None
    mine: DocumentCell | None

    @property
    def key(self) -> str:
        """The name under which a person finds it: theirs, else mine, else the base's."""
        cell = self.theirs or self.mine or self.base
        assert cell is not None
        return cell.key


class _Merge:
    def __init__(self, base: Document, theirs: Document, mine: Document, takes: dict[str, Side]) -> None:
        self.base, self.theirs, self.mine, self.takes = base, theirs, mine, takes
        self.left: list[Conflict] = []
        self.decided: list[Conflict] = []
        self.cells: list[_Versions] = []
        self.theirs_order: list[int] = []  # numbers of `cells`, in the order of that side
        self.mine_order: list[int] = []
        self._join()

    def _join(self) -> None:
        """Fill `cells`: every cell of any side once, with its versions."""
        to_theirs, to_mine = self.base.align(self.theirs), self.base.align(self.mine)
        numbers: dict[tuple[Side, int], int] = {}
        for position, cell in enumerate(self.base.cells):
            there, here = to_theirs.get(position), to_mine.get(position)
            numbers |= {(Side.THEIRS, there): position} if there is not None else {}
            numbers |= {(Side.MINE, here): position} if here is not None else {}
            versions = (
                None if there is None else self.theirs.cells[there],
                None if here is None else self.mine.cells[here],
            )
            self.cells.append(_Versions(cell, *versions))
        self._join_added(numbers)
        self.theirs_order = [numbers[Side.THEIRS, n] for n in range(len(self.theirs.cells))]
        self.mine_order = [numbers[Side.MINE, n] for n in range(len(self.mine.cells))]

    def _join_added(self, numbers: dict[tuple[Side, int], int]) -> None:
        """Add the cells that stand in no base; one that both sides added is one cell."""
        added = {
            side: [(n, cell) for n, cell in enumerate(cells) if (side, n) not in numbers]
            for side, cells in ((Side.THEIRS, self.theirs.cells), (Side.MINE, self.mine.cells))
        }
        same = _added_by_both([cell for _, cell in added[Side.THEIRS]], [cell for _, cell in added[Side.MINE]])
        for at, (n, cell) in enumerate(added[Side.THEIRS]):
            numbers[Side.THEIRS, n] = len(self.cells)
            mine = added[Side.MINE][same[at]] if at in same else None
            if mine is not None:
                numbers[Side.MINE, mine[0]] = len(self.cells)
            self.cells.append(_Versions(None, cell, mine[1] if mine else None))
        for n, cell in added[Side.MINE]:
            if (Side.MINE, n) not in numbers:
                numbers[Side.MINE, n] = len(self.cells)
                self.cells.append(_Versions(None, None, cell))

    def run(self) -> Merged:
        preamble = self._three(_Names("", PREAMBLE), self.base.preamble, self.theirs.preamble, self.mine.preamble)
        texts = {number: self._cell(versions) for number, versions in enumerate(self.cells)}
        kept = [n for n in self._order() if texts[n]]
        mine = tuple(
            self.cells[n].key
            for n in texts
            if texts[n] != (theirs.raw if (theirs := self.cells[n].theirs) is not None else "")
        )
        text = None if self.left else _joined(preamble, [texts[n] for n in kept])
        return Merged(text, tuple(self.left), tuple(self.decided), mine)

    def _cell(self, cell: _Versions) -> str:
        """Return the merged text of a cell; empty where it is deleted."""
        raws = [each.raw if each is not None else "" for each in (cell.base, cell.theirs, cell.mine)]
        unmoved = _unmoved(*raws)
        if unmoved is not None:
            return unmoved
        if cell.theirs is None or cell.mine is None or not self.base.parses:
            return self._clash(Conflict(cell.key, WHOLE, *raws))
        return self._by_fields(cell, cell.theirs, cell.mine)

    def _by_fields(self, cell: _Versions, theirs: DocumentCell, mine: DocumentCell) -> str:
        base: Mapping[str, str] = cell.base.fields if cell.base is not None else {}
        before = len(self.left)
        fields = {
            name: self._three(_Names(cell.key, name), base.get(name, ""), theirs.fields[name], mine.fields[name])
            for name in theirs.fields
        }
        if len(self.left) > before:
            return theirs.raw
        for side in (theirs, mine):
            if all(fields[name].strip() == side.fields[name].strip() for name in fields):
                return side.raw
        made = _cell_of(fields)
        if made is None:
            return self._clash(Conflict(cell.key, WHOLE, cell.base.raw if cell.base else "", theirs.raw, mine.raw))
        return made.rstrip("\n") + "\n\n"

    def _three(self, names: "_Names", base: str, theirs: str, mine: str) -> str:
        unmoved = _unmoved(base, theirs, mine)
        if unmoved is not None:
            return unmoved
        return self._clash(Conflict(names.cell, names.field, base, theirs, mine))

    def _clash(self, conflict: Conflict) -> str:
        side = self.takes.get(conflict.cell or conflict.field) or self.takes.get("*")
        (self.decided if side else self.left).append(conflict)
        return conflict.mine if side is Side.MINE else conflict.theirs

    def _order(self) -> list[int]:
        """Return the cells in order: that of the side that moved something, with the other side's new cells put in."""
        common = {n for n in range(len(self.base.cells)) if n in self.theirs_order and n in self.mine_order}
        base, theirs, mine = (
            [n for n in order if n in common]
            for order in (range(len(self.base.cells)), self.theirs_order, self.mine_order)
        )
        first, second = self.theirs_order, self.mine_order
        if theirs == base and mine != base:
            first, second = second, first
        elif base != mine != theirs:
            names = {
                n: cell.base.key for n, cell in enumerate(self.cells) if cell.base is not None
            }  # alike from both sides
            listed = ("\n".join(names[n] for n in order) for order in (base, theirs, mine))
            conflict = Conflict("", ORDER, *listed)
            if self._clash(conflict) == conflict.mine:
                first, second = second, first
        return _put_in(first, second)


def _unmoved(base: str, theirs: str, mine: str) -> str | None:
    """Return the text where at most one side changed it, or both alike; None: they clash. Exact equality goes first."""
    for same in (str, str.strip):
        if same(mine) in (same(base), same(theirs)):
            return theirs
        if same(theirs) == same(base):
            return mine
    return None


def _cell_of(fields: Mapping[str, str]) -> str | None:
    """Return the text of a cell made from its fields; None where they cannot stand in one cell."""
    if "query" not in fields:
        title = " ".join(fields.get("title", "").split())
        return f"# %% {title}".rstrip() + f"\n{fields['code'].strip()}\n"
    made, _ = problem_from_parts(fields["query"], fields["settings"], fields["code"], title=fields["title"])
    return None if made is None else made.raw


@dataclass(frozen=True)
class _Names:
    cell: str
    field: str


def _added_by_both(theirs: Sequence[DocumentCell], mine: Sequence[DocumentCell]) -> dict[int, int]:
    """Return position in `theirs` -> position in `mine` of cells that are equal, or that carry the same written id."""
    found: dict[int, int] = {}
    for n, cell in enumerate(theirs):
        for m, other in enumerate(mine):
            is_same = cell.raw.strip() == other.raw.strip() or (cell.written_id and cell.written_id == other.written_id)
            if is_same and m not in found.values() and cell.is_problem == other.is_problem:
                found[n] = m
                break
    return found


def _put_in(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return `first` with what `second` has beside it, each after the cell that it follows in `second`."""
    found, after = list(first), -1
    for n in second:
        if n not in found:
            found.insert(after + 1, n)
        after = found.index(n)
    return found


def _joined(preamble: str, pieces: Sequence[str]) -> str:
    text = preamble
    for piece in pieces:
        if text.removeprefix("\ufeff") and not text.endswith(("\n", "\r")):
            text += "\n"
        text += piece
    return text


def conflict_text(conflict: Conflict) -> str:
    """Return a conflict for people: where, and the three texts."""
    where = f"{conflict.cell}: {conflict.field}" if conflict.cell else conflict.field
    parts: list[str] = []
    for side, text in (("base", conflict.base), ("theirs", conflict.theirs), ("mine", conflict.mine)):
        shown = text.rstrip("\n").split("\n") if text.strip() else ["(nothing)"]
        parts += [f"  {side}:", *(f"    {line}" for line in shown)]
    return "\n".join([where, *parts])
