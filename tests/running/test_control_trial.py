"""Who is to blame for a trial's end: the submission, unless the reference ends alike in a trial."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import Agent, OracleAgent, Submission
from evaluator.language import read_benchmark
from evaluator.running import ExecutedCell, score_problemset
from evaluator.scoring import Verdict
from evaluator.session import Ending, Engine, Outcome, Session
from tests.running.test_executor import ScriptedAgent

pytestmark = pytest.mark.kernel

WriteBenchmark = Callable[..., Path]

UNFIT_FOR_FORKS = '''# %%
import os
home = os.getpid()
def library(number):
    if os.getpid() != home: {failure}
    return number

# %%
"""
query: Which number does the library return?
"""
library(42)

# %%
"""
query: How much is one and one?
"""
1 + 1
'''


def verdicts(engine: Engine, folder: Path, agent: Agent) -> list[Verdict]:
    scored: list[ExecutedCell] = []
    score_problemset(engine, read_benchmark(folder).sets[0], [agent], on_scored=scored.append)
    return [each.attempts[0].judged.verdict for each in scored]


@pytest.mark.parametrize("failure", ["os._exit(3)", "__import__('time').sleep(60)"])
def test_a_library_that_fails_in_forks_is_not_held_against_a_submission(
    engine: Engine, write_benchmark: WriteBenchmark, failure: str
) -> None:
    folder = write_benchmark({"unfit": UNFIT_FOR_FORKS.format(failure=failure)})
    assert verdicts(engine, folder, OracleAgent()) == [Verdict.NOT_JUDGED, Verdict.CORRECT]


@pytest.mark.parametrize(
    ("code", "verdict"), [("import os\nos._exit(3)", Verdict.CRASH), ("while True: pass", Verdict.TIMEOUT)]
)
def test_a_submission_that_fails_where_the_reference_does_not_is_judged(
    engine: Engine, write_benchmark: WriteBenchmark, code: str, verdict: Verdict
) -> None:
    agent = ScriptedAgent(lambda _: Submission(code))
    assert verdicts(engine, write_benchmark(), agent) == [verdict] * 3


def test_a_submission_that_was_late_once_is_not_held_up_for_it(
    engine: Engine, write_benchmark: WriteBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, late = Session.attempt, 0

    def attempt(session: Session, source: str, **wants: Any) -> Outcome:
        nonlocal late
        outcome = really(session, source, **wants)
        if "late = 1" in source and late == 0:
            late += 1
            return replace(outcome, ending=Ending.TIMED_OUT)
        return outcome

    monkeypatch.setattr(Session, "attempt", attempt)
    agent = ScriptedAgent(lambda _: Submission("late = 1\nlate"))
    found = verdicts(engine, write_benchmark(), agent)
    assert late == 1
    assert len(found) == 3
    assert Verdict.NOT_JUDGED not in found
    assert Verdict.TIMEOUT not in found
