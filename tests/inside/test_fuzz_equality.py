"""The table of equality on random values, both ways, as the comparator sees them.

The same cases each time, unless BENCHWRIGHT_FUZZ_SEED names another seed ("random" draws one), or
BENCHWRIGHT_FUZZ_CASES another number of them. Other versions of pandas: `make compare-pandas`.
"""

import collections
import contextlib
import itertools
import os
import random
import warnings
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

import pytest

from evaluator.inside.compare.match_model import MatchOptions
from evaluator.inside.compare.matchers import compare
from tests.inside.compare_equality import CHANGES, UnavailableError, draw_case, run, told, value_of, walk
from tests.inside.equality_cells import KINDS
from tests.inside.equality_changes import NO, PARTIAL, YES
from tests.inside.equality_values import Row, draw_cells

pytestmark = pytest.mark.slow

_ASKED: Final = os.environ.get("BENCHWRIGHT_FUZZ_SEED", "1")
SEED: Final = random.SystemRandom().randrange(10**9) if _ASKED == "random" else int(_ASKED)
CASES: Final = int(os.environ.get("BENCHWRIGHT_FUZZ_CASES", 8 * len(CHANGES)))
MANY: Final = max(CASES, 50 * len(CHANGES))
_HOMES: Final = ("bare", "list", "tuple", "set", "array", "series", "frame")
_FLAGS: Final = {  # every option that is on or off, and what it can be
    one.name: (False, True) if one.type is bool else (None, False, True)
    for one in fields(MatchOptions)
    if one.type in (bool, bool | None)
}


@pytest.fixture(autouse=True)
def libraries_may_warn() -> Iterator[None]:
    """Odd values make pandas and NumPy warn when they are built."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def require_the_table(cases: int) -> None:
    found = run(SEED, range(cases))
    faults = [fault for _, result in found.values() for fault in result.faults]
    assert not faults, f"seed {SEED}: {len(faults)} answers disagree\n{told(faults, SEED)}"
    tried = [case for case, result in found.values() if result.said]
    seen = collections.Counter(name for case in tried for name in case.changes)
    each = cases // (2 * len(CHANGES))  # some need packages that may be missing
    assert {change.name: seen[change.name] for change in CHANGES if seen[change.name] < each} == {}
    answers = collections.Counter(case.forth for case in tried)
    assert min(answers[YES], answers[PARTIAL], answers[NO]) > cases // 10
    assert sum(len(case.changes) > 1 for case in tried) > cases // 6


def test_random_values_are_judged_as_the_table_says() -> None:
    require_the_table(CASES)


@pytest.mark.deep
def test_very_many_random_values_are_judged_as_the_table_says() -> None:
    require_the_table(MANY)


def test_every_row_of_the_table_holds_both_ways_and_under_its_options() -> None:
    faults = list(walk())
    assert not faults, told(faults, SEED)


@pytest.mark.parametrize("times", [10, pytest.param(150, marks=pytest.mark.deep)])
def test_a_value_of_every_kind_equals_itself_under_all_options(times: int) -> None:
    combinations = list(itertools.product(*_FLAGS.values()))
    for kind in KINDS:
        draw = random.Random(kind)
        for number, combination in enumerate(draw.sample(combinations, times)):
            expression, value, again = drawn(draw, kind, _HOMES[number % len(_HOMES)])
            options: dict[str, Any] = dict(zip(_FLAGS, combination, strict=True))
            assert compare(value, again, MatchOptions(**options)).answer == YES, (expression, options)


def drawn(draw: random.Random, kind: str, home: str) -> tuple[str, Any, Any]:
    """Return the expression of a value, and the value twice."""
    while True:
        expression = Row(draw_cells(draw, home, 1 if home == "bare" else 3, kind=kind), home).expression()
        with contextlib.suppress(UnavailableError):
            return expression, value_of(expression), value_of(expression)


def test_a_seed_means_the_same_cases_everywhere() -> None:
    first, again = ([draw_case(4, number) for number in range(40)] for _ in range(2))
    assert first == again
    assert len({case.expected for case in first}) > 30
    known = draw_case(1, 9)  # the same under every pandas, with and without optional packages
    assert (known.changes, known.forth) == (("container",), PARTIAL)
