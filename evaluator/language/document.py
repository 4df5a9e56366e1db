"""The text of a problemset as people and models edit it: cells with stable keys, changed and put back byte for byte.

A cell's key is what people call it: the id that a problem has, else `p` and its number; `setup1` for the first setup
cell. Every change returns a new document in which all other cells keep their bytes. White space between two cells
belongs to the place and not to the cells, so that a cell that is moved there and back leaves the text as it was.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evaluator.diagnostics import Diagnostic, Severity, has_errors
from evaluator.errors import ContentError, UsageError
from evaluator.language.cells import cut, normal_line_ends
from evaluator.language.document_cells import DocumentCell, align_cells, named_cells, one_cell
from evaluator.language.model import Problem, Problemset, SetupCell
from evaluator.language.parsing import error_of_diagnostics, parse_problemset
from evaluator.language.parts import problem_from_parts
from evaluator.language.rendering import changed_settings, render_cell, says_the_same
from evaluator.language.validators.own_validators import OwnValidators

FIRST: Final = "start"
"""Stands for the place before all cells."""
_MARKER: Final = re.compile(r"\A# %%[^\r\n]*")
_USUAL_GAP: Final = "\n\n"


@dataclass(frozen=True)
class Document:
    """A text as cells in order; `preamble` and the cells' `raw` joined are the text, byte for byte.

    A text that cannot be read as a problemset is one cell with the key `text`.
    """

    name: str  # of the problemset
    preamble: str = field(repr=False)
    cells: tuple[DocumentCell, ...]
    problemset: Problemset | None = field(repr=False)  # None: the text does not parse
    diagnostics: tuple[Diagnostic, ...] = ()
    own_validators: OwnValidators | None = field(default=None, repr=False)
    remainder: str = field(default="", repr=False)  # of a text without cells: its empty ones

    @classmethod
    def parse(cls, text: str, *, name: str, own_validators: OwnValidators | None = None) -> "Document":
        """Read a text, whether it has errors or not; runs nothing.

        Args:
            text: The whole problemset, any line ends.
            name: What the problemset is called.
            own_validators: Those of the benchmark or workspace that it belongs to.
        """
        problemset, found = parse_problemset(text, name=name, own_validators=own_validators)
        if problemset is None:
            preamble = cut(text).preamble
            return cls(name, preamble, one_cell(text.removeprefix(preamble)), None, found, own_validators)
        cells = tuple(named_cells(problemset))
        remainder = "" if cells else text.removeprefix(problemset.preamble)
        return cls(name, problemset.preamble, cells, problemset, found, own_validators, remainder)

    @property
    def text(self) -> str:
        """The text, as it was read."""
        return self.preamble + "".join(cell.raw for cell in self.cells) + self.remainder

    @property
    def parses(self) -> bool:
        """Return whether the cells are known; there may be errors in them."""
        return self.problemset is not None

    @property
    def problems(self) -> tuple[DocumentCell, ...]:
        """The cells that are asked."""
        return tuple(cell for cell in self.cells if cell.is_problem)

    def as_one_cell(self) -> "Document":
        """Return the same text as if it could not be read: for a comparison with one that cannot."""
        rest = "".join(cell.raw for cell in self.cells)
        return replace(self, cells=one_cell(rest), problemset=None)

    def require_readable(self) -> Problemset:
        """Return the problemset, which may have errors that a person or a repair can mend.

        Raises:
            ContentError: If the text cannot be read as a problemset at all.
        """
        if self.problemset is None:
            raise error_of_diagnostics(self.name, self.diagnostics, is_readable=False)
        return self.problemset

    def require_valid(self) -> Problemset:
        """Return the problemset, which has no errors.

        Raises:
            ContentError: If it has; it names the first ones, with their lines.
        """
        problemset = self.require_readable()
        if has_errors(self.diagnostics):
            raise error_of_diagnostics(self.name, self.diagnostics)
        return problemset

    def find(self, name: str | int) -> DocumentCell | None:
        """Return the cell of that key or, for a number, that problem."""
        by_key = next((cell for cell in self.cells if cell.key == name), None)
        return by_key or next((cell for cell in self.problems if str(cell.number) == str(name)), None)

    def find_cell(self, name: str | int) -> DocumentCell:
        """Return the cell of that key, or the problem of that number.

        Raises:
            UsageError: If there is none.
        """
        found = self.find(name)
        if found is None:
            known = ", ".join(cell.key for cell in self.cells)
            raise UsageError(f"there is no cell {name!r}", fix=f"use one of {known}, or the number of a problem")
        return found

    def find_problem(self, name: str | int) -> DocumentCell:
        """Return the problem of that id or number.

        Raises:
            UsageError: If there is none.
        """
        found = self.find(name)
        if found is None or not found.is_problem:
            known = ", ".join(cell.key for cell in self.problems)
            raise UsageError(f"there is no problem {str(name)!r}", fix=f"use its number or one of {known or 'none'}")
        return found

    def problem_texts(self) -> dict[str, str]:
        """Return the text of each problem's cell by its key, without white space around it.

        Raises:
            ContentError: If the text cannot be read.
        """
        self.require_readable()
        return {cell.key: cell.raw.strip() for cell in self.problems}

    def align(self, other: "Document") -> dict[int, int]:
        """Return position here -> position in `other` (both from 0) of the cells that are the same cell."""
        return align_cells(self.cells, other.cells)

    def cell_on(self, line: int) -> DocumentCell | None:
        """Return the cell that holds a line of the text (from 1); None: none does."""
        last = self.preamble.count("\n")
        for cell in self.cells:
            if last < line <= last + cell.raw.count("\n") + (not cell.raw.endswith("\n")):
                return cell
            last += cell.raw.count("\n")
        return None

    def replace(self, changes: Mapping[str, str]) -> "Document":
        """Return a document in which the cells of some problems have other texts.

        Args:
            changes: Key of a problem -> text of its new cell; line ends, a title that the new text lacks, and the white
                space after the old one stay.

        Raises:
            ContentError: If this text or a new cell cannot be read, there is no such problem, or a new cell has another
                id or would change its neighbours.
        """
        self.require_readable()
        keys = [cell.key for cell in self.problems]
        unknown = sorted(set(changes) - set(keys))
        if unknown:
            what = f"{self.name!r} has no problem {unknown[0]!r}"
            raise ContentError(what, where=self.name, fix=f"use one of {', '.join(keys)}")
        raws = {key: self._replaced(self.find_problem(key), new) for key, new in changes.items()}
        made = self._reread("".join((self.preamble, *(raws.get(cell.key, cell.raw) for cell in self.cells))))
        made.require_readable()
        self._expect_neighbours(made, set(changes))
        return made

    def put(self, cells: Mapping[str, Problem | SetupCell]) -> "Document":
        """Return a document with other cells in the places of some; a setup cell that is empty now is gone.

        Raises:
            ContentError: If a cell cannot be written, such as code with a line that opens a cell.
        """
        raws = {cell.key: cell.raw for cell in self.cells}
        for key, new in cells.items():
            written = new.raw if new.raw is not None and says_the_same(new) else render_cell(new)
            raws[key] = _raw_like(self.find_cell(key), written) if written else ""
        return self._reread(self.preamble + "".join(raws[cell.key] for cell in self.cells) + self.remainder)

    def with_settings(self, key: str, settings: str) -> "Document":
        """Return a document with other settings (YAML) of a problem.

        Raises:
            ContentError: If they cannot stand there.
        """
        cell = self.find_problem(key)
        query, code = cell.texts["query"], cell.texts["code"]
        own = self.own_validators
        made, diagnostics = problem_from_parts(query, settings, code, title=cell.title, own_validators=own)
        if made is None or has_errors(diagnostics):
            raise _unfit(f"the settings of {cell.name} would be wrong", diagnostics, where=cell.key)
        return self.put({key: made})

    def with_setting(self, key: str, setting: str, value: Any) -> "Document":
        """Return a document with one setting of a problem changed, or added where it was not written.

        The other settings keep their comments and order; one that is replaced is written anew in its place.

        Raises:
            ContentError: If the value cannot stand in a problem's settings.
        """
        cell = self.find_problem(key)
        return self.with_settings(key, changed_settings(cell.texts["settings"], setting, value))

    def insert(self, *, after: str, query: str, code: str, settings: str = "") -> "Document":
        """Return a document with a new problem after a cell.

        Args:
            after: Key of a cell, number of a problem, or `FIRST`.
            query: What the problem asks.
            code: Its reference code.
            settings: Its settings, YAML.

        Raises:
            ContentError: If the text or the problem cannot be read.
            UsageError: If there is no such cell.
        """
        self.require_readable()
        if not query.strip():
            raise ContentError("the new problem has no query", where=self.name, fix="write what the problem asks")
        made, diagnostics = problem_from_parts(query, settings, code, own_validators=self.own_validators)
        if made is None or made.raw is None or has_errors(diagnostics):
            raise _unfit("the new problem", diagnostics, where=self.name)
        at = 0 if after == FIRST else self.find_cell(after).position + 1
        bodies, gaps = self._bodies(), self._gaps()
        gap = gaps[min(max(at - 1, 0), len(gaps) - 2)] if len(gaps) > 1 else _USUAL_GAP.replace("\n", self._line_end)
        gaps.insert(min(at, len(gaps) - 1), gap)
        new = normal_line_ends(made.raw).strip().replace("\n", self._line_end)
        return self._joined([*bodies[:at], new, *bodies[at:]], gaps)

    def move(self, name: str, *, after: str) -> "Document":
        """Return a document in which a cell stands after another one, or first.

        Raises:
            ContentError: If the text cannot be read.
            UsageError: If there is no such cell.
        """
        self.require_readable()
        moved = self.find_cell(name)
        left = [each for each in self.cells if each is not moved]
        target = None if after == FIRST else self.find_cell(after)
        if target is moved:
            raise UsageError(f"{moved.name} cannot stand after itself", fix="name another cell")
        at = 0 if target is None else left.index(target) + 1
        return self._joined([each.raw.rstrip() for each in (*left[:at], moved, *left[at:])], self._gaps())

    def delete(self, name: str) -> "Document":
        """Return a document without one of its cells.

        Raises:
            ContentError: If the text cannot be read, or no problem would be left.
            UsageError: If there is no such cell.
        """
        self.require_readable()
        gone = self.find_cell(name)
        if self.problems == (gone,):
            raise ContentError(f"{gone.name} is the only problem", where=self.name, fix="add another one first")
        at, gaps = gone.position, self._gaps()
        del gaps[min(at, max(0, len(gaps) - 2))]
        return self._joined([each.raw.rstrip() for each in self.cells if each is not gone], gaps)

    @property
    def _line_end(self) -> str:
        return "\r\n" if any("\r\n" in cell.raw for cell in self.cells) else "\n"

    def _bodies(self) -> list[str]:
        return [cell.raw.rstrip() for cell in self.cells]

    def _gaps(self) -> list[str]:
        return [cell.raw[len(cell.raw.rstrip()) :] for cell in self.cells]

    def _reread(self, text: str) -> "Document":
        return Document.parse(text, name=self.name, own_validators=self.own_validators)

    def _joined(self, bodies: Sequence[str], gaps: Sequence[str]) -> "Document":
        """Return the cells in a new order, and make sure that they read as they did."""
        made = self._reread(self.preamble + "".join(map("".join, zip(bodies, gaps, strict=True))))
        if [cell.raw.rstrip() for cell in made.cells] != list(bodies):
            what = "the cells would not read as before in their new order"
            raise ContentError(what, where=self.name, fix="edit the whole text instead")
        return made

    def _replaced(self, old: DocumentCell, new: str) -> str:
        problem = one_problem(new, self.name, self.own_validators)
        written = problem.raw or ""
        if old.title and not problem.title:
            written = _MARKER.sub(lambda _: f"# %% {old.title}", written, count=1)
        return _raw_like(old, written)

    def _expect_neighbours(self, made: "Document", changed: set[str]) -> None:
        """Make sure that nothing but the named problems reads differently."""
        kept = {cell.key: cell.written_id for cell in self.problems if cell.written_id not in ("", cell.key)}
        before, after = (
            [(cell.key, cell.written_id if cell.key in kept else "") for cell in each.problems] for each in (self, made)
        )
        if before != after:
            moved = next((was for was, is_ in zip(before, after, strict=False) if was != is_), before[-1])
            what = f"the change of problem {moved[0]!r} would rename, add or drop problems"
            raise ContentError(what, where=self.name, fix="keep the `id` of the problem, and give one cell for it")
        for old, new in zip(self.cells, made.cells, strict=False):
            if old.key not in changed and old.raw != new.raw:
                what = f"the change would reach into the cell on line {old.line}"
                raise ContentError(what, where=self.name, fix="close every string of the changed cell")


def one_problem(cell: str, name: str, own_validators: OwnValidators | None = None) -> Problem:
    r"""Return the problem that the text of one cell holds; line ends become \n.

    Raises:
        ContentError: If it is not exactly one cell with a query.
    """
    text = normal_line_ends(cell).strip()
    if not text.startswith("# %%"):
        text = f"# %%\n{text}"
    problemset = Document.parse(f"{text}\n", name=name, own_validators=own_validators).require_readable()
    if len(problemset.cells) != 1 or not problemset.problems or problemset.preamble:
        what = f"the changed text holds {len(problemset.cells)} cells, {len(problemset.problems)} of them with a query"
        raise ContentError(what, where=name, fix="give exactly one cell that opens with a string holding `query`")
    return problemset.problems[0]


def _raw_like(old: DocumentCell, written: str) -> str:
    """Return the text of a new cell with the line ends of the old one and the white space after it."""
    if normal_line_ends(written).strip() == normal_line_ends(old.raw).strip():
        return old.raw  # its line ends may be mixed
    line_end = "\r\n" if "\r\n" in old.raw else "\n"
    return normal_line_ends(written).strip().replace("\n", line_end) + old.raw[len(old.raw.rstrip()) :]


def _unfit(what: str, diagnostics: Sequence[Diagnostic], *, where: str) -> ContentError:
    first = next((each for each in diagnostics if each.severity is Severity.ERROR), None)
    if first is None:
        return ContentError(f"{what}: it cannot be read", where=where, fix="write plain values")
    return ContentError(f"{what}: {first.what}", where=where, fix=first.fix)
