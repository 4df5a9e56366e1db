"""One problemset executed for its agents: what they are asked and sent, and whose fault it is that something failed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import (
    AgentFailure,
    EmptyAgent,
    FailureKind,
    OracleAgent,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Tools,
)
from evaluator.errors import ToolkitError
from evaluator.language import LoadedSet, read_benchmark
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.scoring import Verdict
from evaluator.session import Ending, Engine, Outcome, Session
from tests.running.conftest import WriteBenchmark
from tests.running.scripted import Scripted, loaded_set, scored, verdicts_of


@pytest.fixture
def trips(write_benchmark: WriteBenchmark) -> LoadedSet:
    return read_benchmark(write_benchmark()).sets[0]


def always(answer: str | Submission, **card: Any) -> Scripted:
    return Scripted(solve=lambda _request, _tools: answer, **card)


def test_several_agents_are_judged_in_one_pass(engine: Engine, trips: LoadedSet) -> None:
    cells = scored(engine, trips, OracleAgent(), EmptyAgent())
    verdicts = [[attempt.judged.verdict is Verdict.CORRECT for attempt in each.attempts] for each in cells]
    assert verdicts == [[True, False]] * 3
    assert [each.problem_id for each in cells] == ["p1", "p2", "p3"]


def test_only_wanted_problems_are_asked_but_what_they_rest_on_is_executed(engine: Engine, trips: LoadedSet) -> None:
    agent = always("round(mean_km, 9); trips.loc[1, 'city']")
    (cell,) = scored(engine, trips, agent, wanted=(3,))
    assert (cell.index, cell.attempts[0].judged.verdict) == (3, Verdict.CORRECT)
    assert len(agent.requests[0].history) == 3


def test_an_agent_sees_the_reference_history_if_it_asks_for_it(engine: Engine, trips: LoadedSet) -> None:
    asks, asks_not = always("wrong = 1"), always("", history=False, variables=False)
    scored(engine, trips, asks, asks_not)
    last = asks.requests[2]
    assert [(cell.kind.value, cell.problem_id) for cell in last.history] == [
        ("setup", None),
        ("problem", "p1"),
        ("problem", "p2"),
    ]
    names = {variable.name for variable in last.variables}
    assert {"trips", "mean_km"} <= names
    assert "wrong" not in names
    assert (last.files, asks.ended) == (("trips.csv",), ["trips"])
    assert [(request.history, request.variables) for request in asks_not.requests] == [((), ())] * 3


def test_an_agent_that_fails_is_not_correct_and_we_are_not_judged(engine: Engine, tmp_path: Path) -> None:
    def fail(_request: SolveRequest, _tools: Tools) -> str:
        raise ValueError("no idea")

    asks_for_nothing = loaded_set(tmp_path, '# %%\n"""\nquery: Do nothing.\nvalidator:\n  crash:\n"""\npass\n')
    gave_up = always(Submission("1", status=SubmissionStatus.GAVE_UP))
    away = always(Submission("", SubmissionStatus.ERROR, error=AgentFailure(FailureKind.INFRA, "endpoint down")))
    (cell,) = scored(engine, asks_for_nothing, always("1"), Scripted(solve=fail), gave_up, away)
    assert verdicts_of([cell]) == [["CORRECT", "UNKNOWN", "UNKNOWN", "NOT_JUDGED"]]
    _, raised, empty, lost = cell.attempts
    assert raised.submission.error == AgentFailure(FailureKind.AGENT, "ValueError: no idea")
    assert empty.submission.code == ""
    assert "endpoint down" in lost.judged.reason


def failing(times: int) -> Callable[..., object]:
    """Return a replacement of Session.attempt that fails the first so many times: no healthy engine does."""
    attempt, left = Session.attempt, [times]

    def fail(session: Session, *arguments: object, **options: object) -> object:
        if left[0]:
            left[0] -= 1
            raise ToolkitError("the session is gone")
        return attempt(session, *arguments, **options)  # pyrefly: ignore[bad-argument-type]  # passed through

    return fail


def test_an_engine_that_fails_is_tried_again_once_in_a_fresh_session(
    engine: Engine, trips: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "attempt", failing(1))
    asked = always("trips.shape[0]")
    assert [verdicts[1] for verdicts in verdicts_of(scored(engine, trips, asked, OracleAgent()))] == ["CORRECT"] * 3
    assert len(asked.requests) == 3
    monkeypatch.setattr(Session, "attempt", failing(2))
    assert verdicts_of(scored(engine, trips, OracleAgent())) == [["NOT_JUDGED"], ["CORRECT"], ["CORRECT"]]


def test_cancelled_work_ends_between_problems(engine: Engine, trips: LoadedSet) -> None:
    found: list[ExecutedCell] = []
    score_problemset(engine, trips, [OracleAgent()], on_scored=found.append, cancelled=lambda: len(found) >= 1)
    assert [each.index for each in found] == [1]


FORBIDDEN_SET = '''# %%
secret = [40, 2]

# %%
"""
query: Add the two numbers, without `secret`.
execution: {forbid_names: [secret], max_time: 20}
"""
42
'''
HUNT = """
import gc, sys
found, frame = [], sys._getframe()
while frame is not None and not found:
    held = list(frame.f_locals.values())
    held += [part for each in held if type(each).__name__ == "Before" for part in vars(each).values()]
    found = [sum(part["secret"]) for part in held if type(part) is dict and type(part.get("secret")) is list]
    frame = frame.f_back
found[0] if found else None
"""


def test_a_forbidden_value_is_gone_under_sound_rules_but_not_as_published(engine: Engine, tmp_path: Path) -> None:
    for rules, verdict in (("sound", "WRONG_OUTPUT"), ("published", "CORRECT")):
        cells = scored(engine, loaded_set(tmp_path, FORBIDDEN_SET), always(HUNT), OracleAgent(), rules=rules)
        assert verdicts_of(cells) == [[verdict, "CORRECT"]]


# --- whose fault an end is: the submission's, unless the reference ends alike in a trial ---

UNFIT_FOR_FORKS = '''# %%
import os
home = os.getpid()
def library(number):
    if os.getpid() != home: {failure}
    return number

# %%
"""
query: Which number does the library return?
execution: {{max_time: 1}}
"""
library(42)

# %%
"""
query: How much is one and one?
"""
1 + 1
'''


@pytest.mark.parametrize(
    "failure", ["os._exit(3)", pytest.param("__import__('time').sleep(60)", marks=pytest.mark.deep)]
)
def test_a_library_that_fails_in_forks_is_not_held_against_a_submission(
    engine: Engine, tmp_path: Path, failure: str
) -> None:
    unfit = loaded_set(tmp_path, UNFIT_FOR_FORKS.format(failure=failure))
    assert verdicts_of(scored(engine, unfit, OracleAgent())) == [["NOT_JUDGED"], ["CORRECT"]]


def test_a_submission_that_fails_where_the_reference_does_not_is_judged(engine: Engine, tmp_path: Path) -> None:
    short = loaded_set(tmp_path, '# %%\n"""\nquery: One.\nexecution: {max_time: 0.5}\n"""\n1\n')
    codes = ("import os\nos._exit(3)", "while True: pass", "1")
    assert verdicts_of(scored(engine, short, *map(always, codes))) == [["CRASH", "TIMEOUT", "CORRECT"]]


def test_a_submission_that_was_late_once_is_not_held_up_for_it(
    engine: Engine, trips: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, late = Session.attempt, list[str]()

    def attempt(session: Session, source: str, **wants: Any) -> Outcome:
        outcome = really(session, source, **wants)
        if source != "3" or late:
            return outcome
        late.append(source)
        return replace(outcome, ending=Ending.TIMED_OUT)

    monkeypatch.setattr(Session, "attempt", attempt)
    assert verdicts_of(scored(engine, trips, always("3"), wanted=(1,))) == [["CORRECT"]]
    assert late == ["3"]


SLOW = '''# %%
import time

# %%
"""
query: Sleep.
execution:
  max_time: 0.2
"""
time.sleep(0.4)

# %%
"""
query: Add.
execution:
  max_time: 20
"""
1 + 1
'''


def test_a_late_reference_may_be_the_fault_of_a_slow_machine(engine: Engine, tmp_path: Path) -> None:
    loaded = loaded_set(tmp_path, SLOW)
    for time_scale, verdicts, refused in (
        (0.1, [], ["reference-over-time"]),
        (60.0, ["NOT_JUDGED", "CORRECT"], []),
    ):
        found: list[ExecutedCell] = []
        by = Conditions(time_scale=time_scale)
        told = score_problemset(engine, loaded, [OracleAgent()], conditions=by, on_scored=found.append)
        assert [each for (each,) in verdicts_of(found)] == verdicts
        assert [(each.code, each.line) for each in told] == [(code, 10) for code in refused]
