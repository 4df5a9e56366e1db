"""What goes back to a model tells each cause once, and folds what only follows from it."""

import pytest

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.checked_set import CheckedSet
from authoring.checks.dry_run.evidence_causes import Cause, causes_in, complaint_of
from authoring.checks.dry_run.execution_evidence import EvidenceKind, ExecutionEvidence, evidence_in
from evaluator.language import Problemset, parse_problemset
from evaluator.session import Engine

SETUP = "# %%\nimport pandas as pd\n\nsales = pd.DataFrame({'shop': ['a', 'b', 'a'], 'units': [3, 5, 4]})\n"


def problem(code: str, query: str = "What is it?") -> str:
    return f'# %%\n"""\nquery: {query}\n"""\n{code}\n'


def executed(engine: Engine, *cells: str) -> tuple[tuple[ExecutionEvidence, ...], CheckedSet, Problemset]:
    problemset = parse_problemset("\n".join((SETUP, *cells)), name="set").problemset
    assert problemset is not None
    done = execute_cells(engine, problemset, None)
    found = evidence_in(done, problemset)
    return tuple(one for one in found if one.kind in list(EvidenceKind)), done, problemset


def folded(causes: tuple[Cause, ...]) -> list[tuple[int, list[int], list[int]]]:
    return [
        (one.evidence.number, [same.number for same in one.same], [after.number for after in one.followers])
        for one in causes
    ]


def test_problems_that_miss_a_variable_of_a_failing_one_are_folded_into_it(engine: Engine) -> None:
    found = executed(
        engine,
        problem("len(sales)"),
        problem("totals = sales.groupby('shop')['unit'].sum()\ntotals"),  # no such column
        problem("best = totals.idxmax()\nbest"),
        problem("sales[sales['shop'] == best]['units'].sum()"),  # follows from the one before
        problem("sales['units'].max()"),
    )
    assert folded(causes_in(*found)) == [(2, [], [3, 4])]
    said = complaint_of(*found)
    assert said.count("\n- ") == 1
    assert "Column not found: unit" in said
    assert said.endswith("Problems 3 and 4 fail only because of this; mend the cause.")
    assert "NameError" not in said


def test_a_column_that_a_failing_problem_would_have_made_is_such_a_cause(engine: Engine) -> None:
    found = executed(
        engine,
        problem("sales['price'] = sales['revenue'] / sales['units']\nsales['price'].max()"),
        problem("sales['price'].mean()"),
        problem("sales['prize'].mean()"),  # a slip of its own
    )
    assert folded(causes_in(*found)) == [(1, [], [2]), (3, [], [])]


def test_a_setup_cell_that_fails_is_the_cause_of_what_misses_its_variables(engine: Engine) -> None:
    found = executed(engine, "# %%\nrates = {'a': 1 / 0}\n", problem("rates['a'] + 1"), problem("len(sales)"))
    causes = causes_in(*found)
    assert folded(causes) == [(0, [], [1])]
    assert str(causes[0]).endswith("Problem 1 fails only because of this; mend the cause.")


def test_a_variable_that_a_query_promises_and_the_code_does_not_make_is_a_cause(engine: Engine) -> None:
    found = executed(
        engine,
        problem("sales['units'].sum()", "Store the sum of all units as `total` and show it."),
        problem("total / 2"),
    )
    assert folded(causes_in(*found)) == [(1, [], [2])]


def test_equal_faults_are_told_once_with_all_of_their_places(engine: Engine) -> None:
    crash = "sales['cost'].sum()"
    found = executed(
        engine, problem(crash), problem("x = 1"), problem(f"2 * {crash}"), problem("y = 2"), problem(crash)
    )
    assert folded(causes_in(*found)) == [(1, [3, 5], []), (2, [4], [])]
    said = complaint_of(*found)
    assert said.count("KeyError: 'cost'") == 1
    assert "The same holds for problems 3 and 5." in said
    assert "The same holds for problem 4." in said


@pytest.mark.parametrize("second", ["missing + 1", "sales['units'] + 'x'", "1 / 0"])
def test_what_may_have_a_cause_of_its_own_is_told(engine: Engine, second: str) -> None:
    found = executed(engine, problem("sales = sales.drop(columns='nothing')\nlen(sales)"), problem(second))
    assert folded(causes_in(*found)) == [(1, [], []), (2, [], [])]


def test_nothing_wrong_is_no_complaint(engine: Engine) -> None:
    assert complaint_of(*executed(engine, problem("len(sales)"))) == ""
