"""The table of equality on random values, both ways, as the comparator sees them.

The same cases each time, unless BENCHWRIGHT_FUZZ_SEED names another seed ("random" draws one), or
BENCHWRIGHT_FUZZ_CASES another number of them. Other versions of pandas: `make compare-pandas`.
"""

import collections
import itertools
import os
import random
from dataclasses import fields
from typing import Any, Final

import pytest

from evaluator.inside.compare.match_model import MatchOptions
from evaluator.inside.compare.matchers import compare
from tests.inside.compare_equality import draw_case, tried, value_of, walk
from tests.inside.equality_changes import CHANGES, NO, PARTIAL, YES
from tests.inside.equality_values import KINDS, Value, draw_cells

# Odd values make pandas and NumPy warn when they are built.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

_ASKED: Final = os.environ.get("BENCHWRIGHT_FUZZ_SEED", "1")
SEED: Final = random.SystemRandom().randrange(10**9) if _ASKED == "random" else int(_ASKED)
CASES: Final = int(os.environ.get("BENCHWRIGHT_FUZZ_CASES", 4 * len(CHANGES)))
_HOMES: Final = ("bare", "list", "tuple", "set", "array", "series")
_FLAGS: Final = {  # every option that is on or off, and what it can be
    one.name: (False, True) if one.type is bool else (None, False, True)
    for one in fields(MatchOptions)
    if one.type in (bool, bool | None)
}


@pytest.mark.parametrize("cases", [CASES, pytest.param(max(CASES, 50 * len(CHANGES)), marks=pytest.mark.deep)])
def test_random_values_are_judged_as_the_table_says(cases: int) -> None:
    asked = [each for number in range(cases) for each in draw_case(SEED, number)]
    _, faults = tried(asked)
    assert not faults, f"seed {SEED}: {len(faults)} answers disagree\n" + "\n".join(sorted(faults, key=len)[:20])
    answers = collections.Counter(each.answer for each in asked)
    assert min(answers[YES], answers[PARTIAL], answers[NO]) > cases // 3


def test_every_row_of_the_table_holds_both_ways_and_under_its_options() -> None:
    _, faults = tried(list(walk()))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("times", [6, pytest.param(150, marks=pytest.mark.deep)])
def test_a_value_of_every_kind_equals_itself_under_all_options(times: int) -> None:
    combinations = list(itertools.product(*_FLAGS.values()))
    for kind in KINDS:
        draw = random.Random(kind)
        for number, combination in enumerate(draw.sample(combinations, times)):
            home = _HOMES[number % len(_HOMES)]
            cells = draw_cells(draw, home, 1 if home == "bare" else 3, kind=kind)
            expression = Value((cells,), home).expression()
            options: dict[str, Any] = dict(zip(_FLAGS, combination, strict=True))
            one, again = value_of(expression), value_of(expression)
            assert compare(one, again, MatchOptions(**options)).answer == YES, (expression, options)
