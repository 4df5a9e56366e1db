"""Leaves problems that fail a check out of a problemset, with what rests on them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from authoring.checks import Check, CheckFailure
from evaluator.language import Problem, Problemset, SetupCell, session_dependencies

SOUND_CODE: Final = frozenset({Check.NOTHING, Check.EXAMPLES, Check.GUESS, Check.REPEAT})
"""Checks that find fault with the question, not with the code: the code may stay where later problems need it."""


class Pruned(NamedTuple):
    """A problemset without some of its problems."""

    problemset: Problemset
    left_out: tuple[int, ...]  # numbers in the set it was made from; some may go on as preparing cells


def pruned(problemset: Problemset, failures: Sequence[CheckFailure]) -> Pruned | None:
    """Return the problemset without the problems that fail; None when nothing can be left out.

    Code that does not hold (another result each time, too slow) goes with every problem that reads what it stores.
    Where only the question fails, the code stays as a cell that prepares, if later problems read what it stores.
    """
    if any(not failure.index for failure in failures):
        return None
    needs = session_dependencies(problemset)
    gone = _with_dependents({f.index for f in failures if f.check not in SOUND_CODE}, needs)
    weak = {f.index for f in failures if f.check in SOUND_CODE} - gone
    preparing = _needed(weak, gone, needs)
    cells: list[SetupCell | Problem] = []
    number = 0
    for cell in problemset.cells:
        number += isinstance(cell, Problem)
        if isinstance(cell, SetupCell) or number not in gone | weak:
            cells.append(cell)
        elif number in preparing:
            cells.append(SetupCell(cell.code))
    return Pruned(replace(problemset, cells=tuple(cells)), tuple(sorted(gone | weak)))


def _with_dependents(numbers: Collection[int], needs: Sequence[frozenset[int]]) -> set[int]:
    gone = set(numbers)
    for number, earlier in enumerate(needs, 1):  # in order, so that chains are followed
        if earlier & gone:
            gone.add(number)
    return gone


def _needed(weak: Collection[int], gone: Collection[int], needs: Sequence[frozenset[int]]) -> set[int]:
    """Return which of the weak problems something that stays reads from, directly or through another of them."""
    preparing: set[int] = set()
    for number in range(len(needs), 0, -1):
        if number in gone or (number in weak and number not in preparing):
            continue
        preparing |= needs[number - 1] & set(weak)
    return preparing
