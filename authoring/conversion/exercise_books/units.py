"""Cuts a notebook into units, each some text and the code below it, and puts another notebook's answers into them."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from authoring.conversion.converted import ConversionFinding
from authoring.conversion.exercise_books.answer_code import clean_code, is_stub, only_imports
from authoring.conversion.exercise_books.questions import query_of
from authoring.conversion.notebook_reader import NotebookCellRead, NotebookRead

ALIKE = 0.8
"""So much of two questions must be the same (a share) for the answer of one to answer the other."""


@dataclass(frozen=True)
class Unit:
    """Texts that follow one another and the code cells below them."""

    texts: tuple[NotebookCellRead, ...]
    codes: tuple[NotebookCellRead, ...]

    @property
    def place(self) -> str:
        """Where it stands, for findings."""
        return place_of([*self.texts, *self.codes])

    @property
    def asked(self) -> str:
        """Its text as a key for comparison."""
        told = "\n".join(query_of(cell.source) for cell in self.texts if cell.source.strip())
        return re.sub(r"\W+", " ", told).strip().lower()

    @property
    def is_answered(self) -> bool:
        """Whether any of its cells holds more than a place for an answer."""
        return any(not is_stub(clean_code(cell.source).code) for cell in self.codes)


def units_of(cells: Sequence[NotebookCellRead]) -> Iterator[Unit]:
    """Yield the units of a notebook in order; an empty code cell ends a text as any other does."""
    texts: list[NotebookCellRead] = []
    codes: list[NotebookCellRead] = []
    for cell in cells:
        if cell.kind == "code":
            codes.append(cell)
        elif cell.kind == "markdown" and cell.source.strip():
            if codes:
                yield Unit(tuple(texts), tuple(codes))
                texts, codes = [], []
            texts.append(cell)
    if texts or codes:
        yield Unit(tuple(texts), tuple(codes))


def with_solutions(exercises: NotebookRead, solutions: NotebookRead) -> tuple[list[Unit], list[ConversionFinding]]:
    """Return the units of an exercise notebook, unanswered ones with the code that a solution notebook has for them.

    A solution is found by the same text, else by a similar one, else, where both notebooks have as many units with
    code, by its place. Code of the solutions that answers nothing is a finding.
    """
    asked, solved = list(units_of(exercises.cells)), list(units_of(solutions.cells))
    if not any(unit.texts for unit in solved):  # nothing says where an answer ends: each cell is one
        solved = [Unit((), (cell,)) for unit in solved for cell in unit.codes]
    solved = [unit for unit in solved if unit.is_answered]
    places = [place for place, unit in enumerate(asked) if unit.texts and not unit.is_answered]
    pairs = _pairs(asked, solved, places)
    made = [
        replace(unit, codes=solved[pairs[place]].codes) if place in pairs else unit for place, unit in enumerate(asked)
    ]
    taken = set(pairs.values())
    answered = {unit.asked for unit in asked if unit.is_answered}
    findings = []
    for number, unit in enumerate(solved):
        code = "\n".join(cell.source for cell in unit.codes)
        if number not in taken and unit.asked not in answered and not only_imports(code):
            what = "no question of the exercise notebook is answered by this code of the solutions"
            findings.append(
                ConversionFinding("solution-left-out", f"solutions, {unit.place}", "", what, "add its question")
            )
    return made, findings


def _pairs(asked: Sequence[Unit], solved: Sequence[Unit], places: Sequence[int]) -> dict[int, int]:
    """Return which solution answers which unit: place in `asked` -> place in `solved`."""
    pairs: dict[int, int] = {}
    left = dict(enumerate(solved))
    for place in places:
        same = next((number for number, unit in left.items() if unit.asked == asked[place].asked), None)
        if same is not None:
            pairs[place] = same
            del left[same]
    for place in (each for each in places if each not in pairs):
        ratios = {
            number: difflib.SequenceMatcher(None, unit.asked, asked[place].asked, autojunk=False).ratio()
            for number, unit in left.items()
            if unit.asked
        }
        best = max(ratios, key=lambda number: ratios[number], default=None)
        if best is not None and ratios[best] >= ALIKE:
            pairs[place] = best
            del left[best]
    open_places = [place for place in places if place not in pairs]
    with_code = [unit for unit in asked if unit.codes]
    if open_places and len(with_code) == len(solved):
        numbers = {id(unit): number for number, unit in enumerate(with_code)}
        for place in open_places:
            number = numbers.get(id(asked[place]))
            if number is not None and number in left:
                pairs[place] = number
    return pairs


def place_of(cells: Sequence[NotebookCellRead]) -> str:
    """Return the numbers of cells in words."""
    first, last = cells[0].number, cells[-1].number
    return f"cell {first}" if first == last else f"cells {first}-{last}"
