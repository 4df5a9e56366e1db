"""Names that an agent's code must leave alone: never its own ones, whatever the session's state is made of."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from evaluator.agents import AgentCard, SessionInfo, SolveRequest, Submission, SubmissionStatus
from evaluator.inside.describing.variable_views import MAX_VIEWS
from evaluator.language import LoadedSet, read_benchmark
from evaluator.running import BetweenAttempts, Conditions, Policies, PriorAnswer, StatePolicy, score_problemset
from evaluator.running.execution import reference_history
from evaluator.running.execution.executed_cell import Contender
from evaluator.session import Engine

WriteBenchmark = Callable[..., Path]

NAMES = '''# %%
base = [1, 2]
scratch = 0

# %%
"""
query: Store the sum of `base` as `a`.
validator:
  namespace_check:
    a:
execution:
  max_time: 20
"""
i = 0
a = sum(base)

# %%
"""
query: Store twice `a` as `b`, and forget `scratch`.
validator:
  namespace_check:
    b:
execution:
  max_time: 20
"""
b = a * 2
del scratch

# %%
late = 5

# %%
"""
query: What is `b` plus one?
execution:
  max_time: 20
"""
b + 1
'''
RIGHT = ("tmp = 1\na = 3", "tmp = 2\nb = 6\ndel scratch", "b + 1")
OWN = Policies(StatePolicy.OWN)
ON_FAILURE = Policies(StatePolicy.CORRECTED_ON_FAILURE)
ALWAYS = Policies(StatePolicy.CORRECTED_ALWAYS)
KEPT = Policies(between_attempts=BetweenAttempts.KEPT)
KEPT_OWN = Policies(StatePolicy.OWN, between_attempts=BetweenAttempts.KEPT)
GOOD, INTACT, WRONG = "CORRECT", "INTACT_VIOLATION", "WRONG_VARIABLES"


class Scripted:
    """Answers by problem and attempt, and gives up when nothing is left."""

    def __init__(self, answers: Sequence[str | Sequence[str]]) -> None:
        self._answers = [(each,) if isinstance(each, str) else each for each in answers]

    def describe(self) -> AgentCard:
        return AgentCard("scripted", history=True, variables=True)

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        answers = self._answers[request.index - 1]
        if request.attempt > len(answers):
            return Submission("", SubmissionStatus.GAVE_UP)
        return Submission(answers[request.attempt - 1])

    def end(self, session_id: str) -> None:
        pass


@pytest.fixture
def names(write_benchmark: WriteBenchmark) -> LoadedSet:
    return read_benchmark(write_benchmark({"names": NAMES})).sets[0]


def verdicts(
    engine: Engine,
    loaded: LoadedSet,
    policies: Policies,
    *answers: str | Sequence[str],
    rules: str = "sound",
    answered: Mapping[int, PriorAnswer] = MappingProxyType({}),
) -> list[str]:
    """Let one agent go through the set; return the last verdict at each problem that was asked."""
    found: list[str] = []
    attempts = max(1 if isinstance(each, str) else len(each) for each in answers)
    refused = score_problemset(
        engine,
        loaded,
        [Contender(Scripted(answers), policies, attempts, answered=answered)],
        wanted=[index for index in range(1, len(answers) + 1) if index not in answered],
        conditions=Conditions(rules=rules),
        on_scored=lambda scored: found.append(scored.attempts[-1].judged.verdict.value),
    )
    assert refused == ()
    return found


@pytest.mark.parametrize(
    ("policies", "answers", "expected"),
    [
        pytest.param(OWN, RIGHT, [GOOD, GOOD, GOOD], id="scratch names may be used again"),
        pytest.param(OWN, (*RIGHT[:2], "tmp = a = b = i = 7\n7"), [GOOD, GOOD, GOOD], id="answers of one's own, too"),
        pytest.param(OWN, (RIGHT[0], "base.append(3)\n" + RIGHT[1]), [GOOD, INTACT], id="setup names may not"),
        pytest.param(
            OWN, ("base = [1, 2]\na = 3", "base = []\n" + RIGHT[1]), [INTACT, INTACT], id="nor once they are remade"
        ),
        pytest.param(OWN, (*RIGHT[:2], "late = 6\n7"), [GOOD, GOOD, INTACT], id="nor those of later setup cells"),
        pytest.param(
            OWN,
            ("late = 1\na = 3", RIGHT[1], "late = 6\n7"),
            [GOOD, GOOD, INTACT],
            id="nor own names that a setup cell takes",
        ),
        pytest.param(
            KEPT_OWN,
            (*RIGHT[:2], ("scratch = 4\n1", "scratch = 5\n7")),
            [GOOD, GOOD, GOOD],
            id="a setup name that the reference deletes is free",
        ),
        pytest.param(OWN, (RIGHT[0], "del tmp\n" + RIGHT[1]), [GOOD, GOOD], id="own names may be deleted"),
        pytest.param(ON_FAILURE, (RIGHT[0], "a = 4\n" + RIGHT[1]), [GOOD, GOOD], id="nothing was corrected"),
        pytest.param(ON_FAILURE, ("a = 5", "a = 4\n" + RIGHT[1]), [WRONG, INTACT], id="a correction made the name"),
        pytest.param(ON_FAILURE, ("a = 5", *RIGHT[1:]), [WRONG, GOOD, GOOD], id="a correction is left alone"),
        pytest.param(ON_FAILURE, ("a = 5", "i = 4\n" + RIGHT[1]), [WRONG, INTACT], id="so are its scratch names"),
        pytest.param(ALWAYS, (RIGHT[0], "a = 4\n" + RIGHT[1]), [GOOD, INTACT], id="corrected after right answers"),
        pytest.param(ALWAYS, RIGHT, [GOOD, GOOD, GOOD], id="own names beside corrections"),
        pytest.param(KEPT, (("a = 5", "a = 3"),), [GOOD], id="the answer is assigned again"),
        pytest.param(KEPT, (("tmp = [1]\na = 5", "del tmp[0], a\na = 3"),), [GOOD], id="scratch of an attempt before"),
        pytest.param(KEPT, (("a = 5", "base.append(1)\na = 3"),), [INTACT], id="setup names in a later attempt"),
        pytest.param(KEPT, ("a = 3", ("b = 1", "a = 4\n" + RIGHT[1])), [GOOD, INTACT], id="a reference's names"),
        pytest.param(KEPT, ("a = 3", ("b = 1", "i = 4\n" + RIGHT[1])), [GOOD, INTACT], id="a reference's scratch"),
        pytest.param(KEPT_OWN, (("a = i = 5", "a = 3"), ("b = 1", "i = 4\n" + RIGHT[1])), [GOOD, GOOD], id="both"),
        pytest.param(Policies(), ("a = 3", "a = 4\n" + RIGHT[1]), [GOOD, INTACT], id="the state of the reference"),
        pytest.param(Policies(), ("a = 3", "tmp = 1\n" + RIGHT[1]), [GOOD, GOOD], id="new names are always free"),
    ],
)
def test_names_of_the_agents_own_are_free_and_all_others_protected(
    engine: Engine, names: LoadedSet, policies: Policies, answers: tuple[str, ...], expected: list[str]
) -> None:
    assert verdicts(engine, names, policies, *answers) == expected


@pytest.mark.parametrize(
    ("policies", "answers"),
    [(OWN, ("tmp = 1\na = 3", "tmp = 2\nb = 6\ndel scratch")), (KEPT, ("a = 3", ("b = 1", RIGHT[1])))],
)
def test_published_rules_know_no_names_of_the_agents_own(
    engine: Engine, names: LoadedSet, policies: Policies, answers: tuple[str, ...]
) -> None:
    assert verdicts(engine, names, policies, *answers, rules="published") == [GOOD, INTACT]


@pytest.mark.parametrize(
    ("before", "expected"),
    [(PriorAnswer(("a = 5",), WRONG, "corrected"), INTACT), (PriorAnswer(("a = 3",), GOOD, "kept"), GOOD)],
)
def test_a_resumed_run_knows_which_names_a_correction_made(
    engine: Engine, names: LoadedSet, before: PriorAnswer, expected: str
) -> None:
    assert verdicts(engine, names, ON_FAILURE, "", "a = 4\n" + RIGHT[1], answered={1: before}) == [expected]


def test_where_not_all_names_are_known_all_are_protected(engine: Engine, write_benchmark: WriteBenchmark) -> None:
    many = NAMES.replace("scratch = 0", f"scratch = 0\nfor n in range({MAX_VIEWS}):\n    globals()[f'v{{n}}'] = n")
    loaded = read_benchmark(write_benchmark({"names": many})).sets[0]
    last = f"v{MAX_VIEWS - 1} = 0\na = 3"
    assert verdicts(engine, loaded, KEPT, ("a = 5", last)) == [INTACT]
    assert reference_history.MOST_REPORTED == MAX_VIEWS
