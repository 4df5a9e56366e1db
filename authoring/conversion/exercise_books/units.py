"""Cuts a notebook into units, each some text and the code below it, and puts another notebook's answers into them."""

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from authoring.conversion.converted import ConversionFinding
from authoring.conversion.exercise_books.answer_code import (
    begins_question,
    clean_code,
    is_stub,
    only_begins,
    only_imports,
    question_in_comment,
)
from authoring.conversion.exercise_books.question_markdown import hidden_answer
from authoring.conversion.exercise_books.questions import query_of
from authoring.conversion.notebook_reader import NotebookCellRead, NotebookRead
from evaluator.language import names_read_and_written, parse_code

COMPARED = 2_000  # characters of a question that are compared
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

    @cached_property
    def asked(self) -> str:
        """Its text as a key for comparison; without one, the comment at the top of its code that asks."""
        told = "\n".join(query_of(cell.source) for cell in self.texts if cell.source.strip())
        if not self.texts and self.codes:
            told = question_in_comment(clean_code(self.codes[0].source).code)[0]
        return re.sub(r"\W+", " ", told).strip().lower()

    @cached_property
    def is_answered(self) -> bool:
        """Whether any of its cells holds more than a place for an answer."""
        return any(
            not is_stub(code) and not only_begins(code) and parse_code(code).tree is not None for code in self.sources
        )

    @cached_property
    def sources(self) -> list[str]:
        """The code of its cells."""
        return [clean_code(cell.source).code for cell in self.codes]

    @cached_property
    def code(self) -> str:
        """All of its code."""
        return "\n".join(self.sources).strip()


def units_of(cells: Sequence[NotebookCellRead]) -> Iterator[Unit]:
    """Yield the units of a notebook in order; an empty code cell ends a text as any other does."""
    texts: list[NotebookCellRead] = []
    codes: list[NotebookCellRead] = []
    for cell in cells:
        if cell.kind == "code":
            if codes and begins_question(clean_code(cell.source).code):
                yield Unit(tuple(texts), tuple(codes))
                texts, codes = [], []
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
    places = [place for place, unit in enumerate(asked) if unit.asked and not unit.is_answered]
    pairs = _pairs(asked, solved, places)
    pairs |= _begun(asked, solved, set(pairs.values()))
    made = [_answered(unit, solved[pairs[place]]) if place in pairs else unit for place, unit in enumerate(asked)]
    taken = set(pairs.values())
    answered = {unit.asked for unit in asked if unit.is_answered and unit.asked}
    findings = []
    imports = [unit for number, unit in enumerate(solved) if number not in taken and only_imports(unit.code)]
    made = [*(Unit((), unit.codes) for unit in imports), *made]  # what all answers need, whatever stands above it
    for number, unit in enumerate(solved):
        if number not in taken and unit.asked not in answered and not only_imports(unit.code):
            what = "no question of the exercise notebook is answered by this code of the solutions"
            findings.append(
                ConversionFinding("solution-left-out", f"solutions, {unit.place}", "", what, "add its question")
            )
    return made, findings


def _begun(asked: Sequence[Unit], solved: Sequence[Unit], taken: Collection[int]) -> dict[int, int]:
    """Return which solution goes on where the exercise only begins an answer: data, a first line, a place to fill."""
    pairs: dict[int, int] = {}
    done: set[int] = set()  # solutions that say what the exercise says
    for place, unit in enumerate(asked):
        if unit.asked and unit.is_answered:
            free = [n for n in range(len(solved)) if n not in taken and n not in pairs.values() and n not in done]
            same = [n for n in free if solved[n].asked == unit.asked]
            whole = (n for n in same if solved[n].code == unit.code)
            begun = (n for n in same if _has_lines(unit, solved[n]))
            alike = (n for n in free if _goes_on(unit, solved[n]))
            number = next(chain(whole, begun, same, alike), None)
            if number is not None and solved[number].code == unit.code:
                done.add(number)
            elif number is not None:
                pairs[place] = number
    return pairs


def _goes_on(unit: Unit, solution: Unit) -> bool:
    """Return whether a solution asks nearly the same and holds all the code of a unit."""
    return bool(solution.asked) and _has_lines(unit, solution) and alike(unit.asked, solution.asked) >= ALIKE


def alike(one: str, other: str) -> float:
    """Return how much of two texts is the same, as far as they are compared; 0 where it cannot be enough."""
    ratio = difflib.SequenceMatcher(None, one[:COMPARED], other[:COMPARED], autojunk=False)
    return ratio.ratio() if ratio.real_quick_ratio() >= ALIKE and ratio.quick_ratio() >= ALIKE else 0.0


def _has_lines(unit: Unit, solution: Unit) -> bool:
    """Return whether a solution holds all lines of code of a unit."""
    lines, all_lines = (set(map(str.strip, code.splitlines())) for code in (unit.code, solution.code))
    return {line for line in lines if line and not line.startswith("#")} <= all_lines


def _answered(unit: Unit, solution: Unit) -> Unit:
    """Return a unit with the code of its solution, and with what the exercise gives where the solution lacks it."""
    lacks = names_read_and_written(solution.code).reads - names_read_and_written(solution.code).writes
    begun = [cell for cell, code in zip(unit.codes, unit.sources, strict=True) if not is_stub(code)]
    gives = any(names_read_and_written(clean_code(cell.source).code).writes & lacks for cell in begun)
    return replace(unit, codes=(*begun, *solution.codes) if gives else solution.codes)


def with_hidden_answers(units: Sequence[Unit]) -> tuple[list[Unit], list[ConversionFinding]]:
    """Return units of which those without an answer have the code that is hidden at the top of the next text."""
    made: list[Unit] = []
    findings = []
    for unit in units:
        code, rest = hidden_answer(unit.texts[0].source) if unit.texts else ("", "")
        if code and made and made[-1].asked and (made[-1].codes and not made[-1].is_answered):
            answer = NotebookCellRead(unit.texts[0].number, "code", code)
            made[-1] = replace(made[-1], codes=(answer,))
            what = "the answer was taken from a hidden part of the text below"
            fix = "check that it answers the question"
            findings.append(ConversionFinding("hidden-solution", made[-1].place, "", what, fix))
            left = (replace(unit.texts[0], source=rest),) if rest.strip() else ()
            unit = replace(unit, texts=(*left, *unit.texts[1:]))
        if unit.texts or unit.codes:
            made.append(unit)
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
        ratios = {number: alike(unit.asked, asked[place].asked) for number, unit in left.items() if unit.asked}
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
