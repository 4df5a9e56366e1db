"""Names that an agent's code must leave alone: never its own ones, whatever the session's state is made of."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from evaluator.language import LoadedSet
from evaluator.running import BetweenAttempts, Conditions, Policies, PriorAnswer, StatePolicy, score_problemset
from evaluator.running.execution.executed_cell import Contender, ExecutedCell
from evaluator.session import Engine
from tests.running.scripted import Scripted, loaded_set, scored, verdicts_of

NAMES = '''# %%
base = [1, 2]
scratch = 0

# %%
"""
query: Store the sum of `base` as `a`.
validator:
  namespace_check:
    a:
"""
i = 0
a = sum(base)

# %%
"""
query: Store twice `a` as `b`, and forget `scratch`.
validator:
  namespace_check:
    b:
"""
b = a * 2
del scratch

# %%
late = 5

# %%
"""
query: What is `b` plus one?
"""
b + 1
'''
RIGHT = ("tmp = 1\na = 3", "tmp = 2\nb = 6\ndel scratch", "b + 1")
SECOND = RIGHT[1]
OWN = Policies(StatePolicy.OWN)
ON_FAILURE = Policies(StatePolicy.CORRECTED_ON_FAILURE)
ALWAYS = Policies(StatePolicy.CORRECTED_ALWAYS)
KEPT = Policies(between_attempts=BetweenAttempts.KEPT)
KEPT_OWN = Policies(StatePolicy.OWN, between_attempts=BetweenAttempts.KEPT)
GOOD, INTACT, WRONG = "CORRECT", "INTACT_VIOLATION", "WRONG_VARIABLES"


class Case(NamedTuple):
    policies: Policies
    answers: Sequence[str | Sequence[str]]  # to the first problems
    verdicts: Sequence[str]  # of the last attempt at each


CASES = {
    "scratch names may be used again": Case(OWN, RIGHT, [GOOD, GOOD, GOOD]),
    "setup names may not": Case(OWN, (RIGHT[0], "base.append(3)\n" + SECOND), [GOOD, INTACT]),
    "a correction made the name": Case(ON_FAILURE, ("a = 5", "a = 4\n" + SECOND), [WRONG, INTACT]),
    "a correction is left alone": Case(ON_FAILURE, ("a = 5", *RIGHT[1:]), [WRONG, GOOD, GOOD]),
    "corrected after right answers": Case(ALWAYS, (RIGHT[0], "a = 4\n" + SECOND), [GOOD, INTACT]),
    "nor own names that a setup cell takes": Case(
        OWN, ("late = 1\na = 3", SECOND, "late = 6\n7"), [GOOD, GOOD, INTACT]
    ),
    "own names may be deleted": Case(OWN, (RIGHT[0], "del tmp\n" + SECOND), [GOOD, GOOD]),
    "the state of the reference": Case(Policies(), ("a = 3", "a = 4\n" + SECOND), [GOOD, INTACT]),
}
OF_SEVERAL_ATTEMPTS = {
    "a setup name that the reference deletes is free": Case(
        KEPT_OWN, (*RIGHT[:2], ("scratch = 4\n1", "scratch = 5\n7")), [GOOD, GOOD, GOOD]
    ),
    "the answer is assigned again": Case(KEPT, (("a = 5", "a = 3"),), [GOOD]),
    "scratch of an attempt before": Case(KEPT, (("tmp = [1]\na = 5", "del tmp[0], a\na = 3"),), [GOOD]),
    "a reference's names": Case(KEPT, ("a = 3", ("b = 1", "a = 4\n" + SECOND)), [GOOD, INTACT]),
    "a reference's scratch": Case(KEPT, ("a = 3", ("b = 1", "i = 4\n" + SECOND)), [GOOD, INTACT]),
    "both": Case(KEPT_OWN, (("a = i = 5", "a = 3"), ("b = 1", "i = 4\n" + SECOND)), [GOOD, GOOD]),
}
AS_PUBLISHED = {  # which know no names of the agent's own
    "own state": Case(OWN, RIGHT[:2], [GOOD, INTACT]),
    "later attempts": Case(KEPT, ("a = 3", ("b = 1", SECOND)), [GOOD, INTACT]),
}


@pytest.fixture
def names(tmp_path: Path) -> LoadedSet:
    return loaded_set(tmp_path, NAMES)


@pytest.mark.parametrize(
    ("cases", "attempts", "rules"),
    [
        (CASES, 1, "sound"),
        (OF_SEVERAL_ATTEMPTS, 2, "sound"),
        (AS_PUBLISHED, 2, "published"),
    ],
    ids=["one attempt", "several attempts", "published"],
)
def test_names_of_the_agents_own_are_free_and_all_others_protected(
    engine: Engine, names: LoadedSet, cases: dict[str, Case], attempts: int, rules: str
) -> None:
    """All cases in one pass, an agent each, which is asked no more than it has answers to."""
    contenders = [
        Contender(Scripted(*each.answers), each.policies, attempts, asks=range(1, len(each.answers) + 1).__contains__)
        for each in cases.values()
    ]
    found: dict[str, list[str]] = {name: [] for name in cases}

    def note(cell: ExecutedCell) -> None:
        asked = [name for name, each in cases.items() if cell.index <= len(each.answers)]
        for name, made in zip(asked, cell.attempts_by_agent, strict=True):
            found[name].append(made[-1].judged.verdict.value)

    assert score_problemset(engine, names, contenders, conditions=Conditions(rules=rules), on_scored=note) == ()
    assert found == {name: list(each.verdicts) for name, each in cases.items()}


def test_a_resumed_run_knows_which_names_a_correction_made(engine: Engine, names: LoadedSet) -> None:
    for before, expected in (
        (PriorAnswer(("a = 5",), WRONG, "corrected"), INTACT),
        (PriorAnswer(("a = 3",), GOOD, "kept"), GOOD),
    ):
        agent = Scripted("", "a = 4\n" + SECOND)
        cells = scored(engine, names, agent, policies=ON_FAILURE, wanted=[2], answered={1: before})
        assert verdicts_of(cells) == [[expected]]
