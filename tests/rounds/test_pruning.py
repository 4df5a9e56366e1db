"""Leaving problems out keeps what others rest on."""

from authoring.checks import Check, CheckFailure, find_repeats, known_fingerprints
from authoring.rounds.draft_checks import Pruned, pruned
from evaluator.language import Problem, Problemset, SetupCell

LOAD = Problem("Make `t`.", "t = 3", metadata={"id": "load"})
DOUBLE = Problem("Make `u`.", "u = t * 2", metadata={"id": "double"})
USE = Problem("Return u + 1.", "u + 1", metadata={"id": "use"})
ALONE = Problem("Return 40.", "40", metadata={"id": "alone"})
SET = Problemset("s", (SetupCell("import math"), LOAD, DOUBLE, USE, ALONE))


def prune(*failures: tuple[Check, int]) -> Pruned:
    found = pruned(SET, [CheckFailure(check, index, "", "", "") for check, index in failures])
    assert found is not None
    return found


def test_a_question_nobody_rests_on_is_left_out() -> None:
    found = prune((Check.GUESS, 4))
    assert found.problemset.cells == (SetupCell("import math"), LOAD, DOUBLE, USE)
    assert found.left_out == (4,)


def test_the_code_of_a_bad_question_goes_on_as_a_preparing_cell_through_a_chain() -> None:
    found = prune((Check.REPEAT, 1), (Check.REPEAT, 2))
    assert found.problemset.cells == (
        SetupCell("import math"),
        SetupCell("t = 3"),
        SetupCell("u = t * 2"),
        USE,
        ALONE,
    )


def test_code_that_does_not_hold_goes_with_all_that_reads_what_it_stores() -> None:
    found = prune((Check.GOLD, 1))
    assert (found.problemset.problems, found.left_out) == ((ALONE,), (1, 2, 3))


def test_what_only_dropped_problems_read_prepares_nothing() -> None:
    found = prune((Check.GOLD, 2), (Check.REPEAT, 1))
    assert found.problemset.cells == (SetupCell("import math"), ALONE)


def test_a_failing_setup_cell_leaves_nothing() -> None:
    assert pruned(SET, [CheckFailure(Check.SETUP, 0, "", "", "")]) is None


def test_a_problem_repeats_another_by_its_words_or_by_the_sense_of_its_code() -> None:
    other = Problemset("t", (Problem("  return U + 1. ", "7"), Problem("Something.", "40  # forty"), DOUBLE))
    repeats = find_repeats(other, known_fingerprints(SET))
    assert [(f.check, f.index, f.what) for f in repeats] == [
        (Check.REPEAT, 1, "it repeats s, problem 3"),
        (Check.REPEAT, 2, "it repeats s, problem 4"),
        (Check.REPEAT, 3, "it repeats s, problem 2"),
    ]


def test_a_problem_repeats_an_earlier_one_of_its_own_set() -> None:
    assert [f.index for f in find_repeats(Problemset("t", (USE, ALONE, USE)), {})] == [3]
