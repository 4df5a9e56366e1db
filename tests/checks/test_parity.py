"""Runs and dry runs are one execution: what a revision is accepted on is what agents are scored by."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.revising.validators.answer_trials import GivenAnswer
from evaluator.agents import OracleAgent
from evaluator.language import LoadedSet, Problemset
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.session import Engine, Isolation
from tests.scoring.submissions import SUBMISSIONS, Submission

SOME, FORKED, REPLAYED = SUBMISSIONS[::120], SUBMISSIONS[::24], SUBMISSIONS[4::120]
SUMS = '# %%\nnumbers = [1, 2]\n\n# %%\n"""\nquery: Add them.\n{more}"""\nsum(numbers)\n'


def scored(engine: Engine, problemset: Problemset, submission: str) -> list[tuple[str, str, str]]:
    """Return how a run judges a submission, if the set is not refused before."""
    found: list[ExecutedCell] = []
    loaded = LoadedSet(problemset.name, Path(f"{problemset.name}.py"), problemset.render(), problemset)
    score_problemset(engine, loaded, [GivenAnswer(submission)], conditions=Conditions(), on_scored=found.append)
    return [(a.verdict, a.subverdict, steady(a.reason)) for cell in found for a in cell.attempts]


def steady(reason: str) -> str:
    """Leave out what differs from one execution to the next."""
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)? s\b", "...", reason)


def differing(engine: Engine, submissions: Sequence[Submission], least: int) -> list[str]:
    """Return the submissions that a run and a dry run judge differently; at least so many are judged."""
    found, judged = [], 0
    for each in submissions:
        by_run = scored(engine, each.problemset, each.source)
        checked = execute_cells(engine, each.problemset, None, agents=[GivenAnswer(each.source)])
        by_dry_run = [
            (tried.judged.verdict, tried.judged.subverdict, steady(tried.judged.reason))
            for cell in checked.problems
            for tried in cell.tries
        ]
        judged += len(by_run)
        if by_run and by_dry_run != by_run:
            found.append(f"{each}: {by_run} is not {by_dry_run}")
    assert judged >= least
    return found


@pytest.mark.usefixtures("no_trials")
def test_a_dry_run_judges_an_answer_as_a_run_does(engine: Engine) -> None:
    assert differing(engine, SOME, 3) == []


@pytest.mark.deep
@pytest.mark.parametrize(
    ("isolation", "submissions", "least"), [(Isolation.FORK, FORKED, 13), (Isolation.REPLAY, REPLAYED, 3)]
)
def test_both_engines_judge_them_alike(isolation: Isolation, submissions: Sequence[Submission], least: int) -> None:
    with Engine(isolation=isolation) as engine:
        assert differing(engine, submissions, least) == []


@pytest.mark.usefixtures("no_trials")
@pytest.mark.parametrize(("more", "isolation"), [("", "fork"), ("isolation: replay\n", "replay")])
def test_a_set_is_dry_run_under_the_engine_that_scores_it(engine: Engine, more: str, isolation: str) -> None:
    problemset = Problemset.parse(SUMS.format(more=more), name="sums")
    found: list[ExecutedCell] = []
    loaded = LoadedSet("sums", Path("sums.py"), problemset.render(), problemset)
    assert score_problemset(engine, loaded, [OracleAgent()], on_scored=found.append) == ()
    ran = [attempt.outcome.engine for cell in found for attempt in cell.attempts if attempt.outcome is not None]
    checked = execute_cells(engine, problemset, None, agents=[GivenAnswer("3")])
    tried = [tried.outcome.engine for cell in checked.problems for tried in cell.tries if tried.outcome is not None]
    assert (ran, tried) == ([isolation], [isolation])
    assert [cell.reference.verdict for cell in checked.problems if cell.reference is not None] == ["CORRECT"]
