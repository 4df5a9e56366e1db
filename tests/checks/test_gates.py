"""What a dry run proves, read from its rows."""

import pytest

from authoring.checks import Check, failures_of, refuse_failures, slow_problems
from authoring.store.dry_runs import DryRun, DryRunProblem
from evaluator.errors import ContentError


def row(
    index: int = 1, *, reference: str = "CORRECT", empty: str = "WRONG_OUTPUT", seconds: float = 0.01
) -> DryRunProblem:
    return DryRunProblem(index, f"p{index}", seconds, reference, empty, reasons={"reference": "why\nexactly"})


def dry_run(*problems: DryRunProblem, **summary: object) -> DryRun:
    return DryRun(1, 1, "", "env", "bwrap", problems, summary)


def test_a_passing_dry_run_forbids_nothing() -> None:
    assert failures_of(dry_run(row(1), row(2))) == ()


def test_every_failing_problem_is_named_with_its_reason() -> None:
    found = failures_of(dry_run(row(1, reference="CRASH"), row(2, empty="CORRECT"), row(3, reference="NOT_JUDGED")))
    assert [(f.check, f.index) for f in found] == [(Check.GOLD, 1), (Check.NOTHING, 2), (Check.GOLD, 3)]
    assert str(found[0]) == "problem 1 (p1): the reference does not pass its own validators: CRASH (why exactly)"


def test_a_set_without_problems_or_with_a_failing_setup_cell_does_not_pass() -> None:
    assert [f.check for f in failures_of(dry_run())] == [Check.GOLD]
    found = failures_of(dry_run(row(1), setup_failure="line 3: NameError"))
    assert [f.check for f in found] == [Check.SETUP]


def test_slow_means_more_than_a_third_of_the_problems_own_limit() -> None:
    rows = (row(1, seconds=0.3), row(2, seconds=0.4), row(3, seconds=0.4))
    assert slow_problems(dry_run(*rows, max_time_s={"p1": 1.0, "p2": 1.0, "p3": 2.0})) == (2,)


def test_a_refusal_names_all_failures_at_once() -> None:
    refuse_failures((), "trips@1")
    failures = failures_of(dry_run(row(1, reference="CRASH"), row(2, empty="CORRECT")))
    with pytest.raises(
        ContentError, match=r"trips@1: the newest revision is not fit to be accepted: problem 1 .*; problem 2 "
    ):
        refuse_failures(failures, "trips@1")
