"""State and history policies, attempts and epochs, where they give different verdicts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from evaluator.agents import AgentCard, OracleAgent, SessionInfo, SolveRequest, Submission, SubmissionStatus
from evaluator.errors import RecordingError, ToolkitError, UsageError
from evaluator.language import LoadedSet, Problem, SetupCell, read_benchmark
from evaluator.running import (
    BetweenAttempts,
    ExecutedCell,
    FeedbackPart,
    HistoryPolicy,
    Policies,
    PriorAnswer,
    StatePolicy,
    parse_feedback,
    score_problemset,
)
from evaluator.running.execution.executed_cell import Contender
from evaluator.running.execution.reference_session import ReferenceSession
from evaluator.session import Engine, Outcome

WriteBenchmark = Callable[..., Path]

CHAIN = '''# %%
base = 1

# %%
"""
query: Store two as `a`.
validator:
  namespace_check:
    a:
"""
a = base + 1

# %%
scale = 10

# %%
"""
query: Store ten times `a` as `b`.
validator:
  namespace_check:
    b:
"""
b = a * scale

# %%
"""
query: What is `b` plus one?
"""
b + 1
'''
WRONG_FIRST = ("a = 5", "b = a * scale", "b + 1")
ALL_REFERENCE = Policies()
END_TO_END = Policies(StatePolicy.OWN, HistoryPolicy.OWN)
ON_FAILURE = Policies(StatePolicy.CORRECTED_ON_FAILURE, HistoryPolicy.OWN)
ALWAYS = Policies(StatePolicy.CORRECTED_ALWAYS, HistoryPolicy.OWN)


class ScriptedAgent:
    """Answers by problem and attempt, gives up when nothing is left, and remembers what it was asked."""

    def __init__(self, *answers: str | Sequence[str]) -> None:
        self._answers = [(each,) if isinstance(each, str) else each for each in answers]
        self.requests: list[SolveRequest] = []
        self.sessions: list[SessionInfo] = []

    def describe(self) -> AgentCard:
        return AgentCard("scripted", history=True, variables=True)

    def start(self, session: SessionInfo) -> None:
        self.sessions.append(session)

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        self.requests.append(request)
        answers = self._answers[request.index - 1]
        if request.attempt > len(answers):
            return Submission("", SubmissionStatus.GAVE_UP)
        return Submission(answers[request.attempt - 1])

    def end(self, session_id: str) -> None:
        pass


@pytest.fixture
def chain(write_benchmark: WriteBenchmark) -> LoadedSet:
    return read_benchmark(write_benchmark({"chain": CHAIN})).sets[0]


def scored_by(
    engine: Engine,
    loaded: LoadedSet,
    agent: ScriptedAgent | OracleAgent,
    policies: Policies = ALL_REFERENCE,
    max_attempts: int = 1,
    wanted: tuple[int, ...] | None = None,
    answered: Mapping[int, PriorAnswer] = MappingProxyType({}),
) -> list[ExecutedCell]:
    scored: list[ExecutedCell] = []
    contender = Contender(agent, policies, max_attempts, answered=answered)
    found = score_problemset(engine, loaded, [contender], wanted=wanted, on_scored=scored.append)
    assert found == ()
    return scored


def verdicts_of(scored: list[ExecutedCell]) -> list[list[str]]:
    return [[attempt.judged.verdict.value for attempt in each.attempts] for each in scored]


def states_of(scored: list[ExecutedCell]) -> list[str]:
    return [each.attempts[-1].state_after for each in scored]


WRONG, RIGHT = ["WRONG_VARIABLES"], ["CORRECT"]


@pytest.mark.parametrize(
    ("policies", "verdicts", "states"),
    [
        (ALL_REFERENCE, [WRONG, RIGHT, RIGHT], ["", "", ""]),
        (Policies(history=HistoryPolicy.OWN), [WRONG, RIGHT, RIGHT], ["", "", ""]),
        (END_TO_END, [WRONG, WRONG, ["WRONG_OUTPUT"]], ["kept"] * 3),
        (ON_FAILURE, [WRONG, RIGHT, RIGHT], ["corrected", "kept", "kept"]),
        (ALWAYS, [WRONG, RIGHT, RIGHT], ["corrected"] * 3),
    ],
    ids=["reference", "error-propagation", "end-to-end", "corrected-on-failure", "corrected-always"],
)
def test_a_wrong_answer_breaks_later_ones_only_on_the_agents_own_state(
    engine: Engine, chain: LoadedSet, policies: Policies, verdicts: list[list[str]], states: list[str]
) -> None:
    scored = scored_by(engine, chain, ScriptedAgent(*WRONG_FIRST), policies)
    assert (verdicts_of(scored), states_of(scored)) == (verdicts, states)


@pytest.mark.parametrize("policies", [ALL_REFERENCE, END_TO_END, ON_FAILURE, ALWAYS])
def test_the_reference_code_is_correct_under_every_policy(engine: Engine, chain: LoadedSet, policies: Policies) -> None:
    assert verdicts_of(scored_by(engine, chain, OracleAgent(), policies)) == [RIGHT] * 3


def test_an_agent_is_shown_the_history_that_the_policy_names(engine: Engine, chain: LoadedSet) -> None:
    seen = {}
    for name, policies in {
        "reference": ALL_REFERENCE,
        "propagation": Policies(history=HistoryPolicy.OWN),
        "own": END_TO_END,
        "on failure": ON_FAILURE,
    }.items():
        agent = ScriptedAgent(*WRONG_FIRST)
        scored_by(engine, chain, agent, policies)
        last = agent.requests[-1]
        cells = [(cell.origin, cell.source.strip()) for cell in last.history]
        seen[name] = (cells, {each.name: each.text for each in last.variables}["a"])
    setup, more = ("given", "base = 1"), ("given", "scale = 10")
    reference = [setup, ("reference", "a = base + 1"), more, ("reference", "b = a * scale")]
    own = [setup, ("agent", "a = 5"), more, ("agent", "b = a * scale")]
    corrected = [*own[:2], ("correction", "a = base + 1"), *own[2:]]
    assert seen == {
        "reference": (reference, "2"),
        "propagation": (own, "2"),
        "own": (own, "5"),
        "on failure": (corrected, "2"),
    }


@pytest.mark.parametrize("ending", ["while True: pass", "import os\nos._exit(0)", "raise ValueError"])
def test_code_that_does_not_end_by_itself_leaves_the_own_state_as_it_was(
    engine: Engine, chain: LoadedSet, ending: str
) -> None:
    second = f"a = 7\n{ending}"
    scored = scored_by(engine, chain, ScriptedAgent("a = 5", second, "a"), END_TO_END)
    raised = ending.startswith("raise")
    assert states_of(scored) == ["kept", "kept" if raised else "rolled-back", "kept"]
    outcome = scored[2].attempts[0].outcome
    assert outcome is not None
    assert outcome.outputs[0]["data"]["text/plain"] == ("7" if raised else "5")


def test_a_reference_that_fails_on_what_the_agent_left_is_said_so(engine: Engine, chain: LoadedSet) -> None:
    scored = scored_by(engine, chain, ScriptedAgent("a = 2", "del a, scale\nb = 20", "21"), ALWAYS)
    assert verdicts_of(scored)[1] == ["INTACT_VIOLATION"]
    assert states_of(scored) == ["corrected", "correction-failed", "corrected"]


def test_what_was_answered_before_a_stop_makes_the_own_state(engine: Engine, chain: LoadedSet) -> None:
    whole = ScriptedAgent(*WRONG_FIRST)
    expected = verdicts_of(scored_by(engine, chain, whole, END_TO_END))[2:]
    rest = ScriptedAgent(*WRONG_FIRST)
    answered = {
        1: PriorAnswer(("a = 5",), "WRONG_VARIABLES", "kept"),
        2: PriorAnswer(("b = a * scale",), "WRONG_VARIABLES", "kept"),
    }
    resumed = scored_by(engine, chain, rest, END_TO_END, wanted=(3,), answered=answered)
    assert verdicts_of(resumed) == expected
    assert rest.requests[0].history == whole.requests[2].history
    assert rest.requests[0].variables == whole.requests[2].variables


def test_what_was_answered_before_is_repeated_where_the_reference_is_lost(
    engine: Engine, chain: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = ReferenceSession.advance

    def fails_at_the_second(self: ReferenceSession, cell: Problem | SetupCell, **more: Any) -> Outcome:
        if isinstance(cell, Problem) and cell.code.startswith("b ="):
            raise ToolkitError("the machine failed")
        return advance(self, cell, **more)

    whole, rest = ScriptedAgent(*WRONG_FIRST), ScriptedAgent(*WRONG_FIRST)
    scored_by(engine, chain, whole, END_TO_END)
    monkeypatch.setattr(ReferenceSession, "advance", fails_at_the_second)
    answered = {
        1: PriorAnswer(("a = 5",), "WRONG_VARIABLES", "kept"),
        2: PriorAnswer(("b = a * scale",), "WRONG_VARIABLES", "kept"),
    }
    scored_by(engine, chain, rest, END_TO_END, wanted=(3,), answered=answered)
    assert rest.requests[0].history == whole.requests[2].history
    assert rest.requests[0].variables == whole.requests[2].variables


@pytest.mark.parametrize("policies", [ALL_REFERENCE, END_TO_END])
def test_a_later_attempt_whose_reply_cannot_be_recorded_ends_the_work(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    class Unrecorded(ScriptedAgent):
        def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
            found = super().solve(request)
            if request.attempt == 2:
                raise RecordingError("a reply cannot be recorded")
            return found

    agent = Unrecorded(("a = 3", "a = 2"), ("b = 20",), ("1",))
    with pytest.raises(RecordingError, match="cannot be recorded"):
        scored_by(engine, chain, agent, policies, max_attempts=3)
    assert [(request.index, request.attempt) for request in agent.requests] == [(1, 1), (1, 2)]


@pytest.mark.parametrize("policies", [ALL_REFERENCE, END_TO_END])
def test_a_later_attempt_follows_only_a_wrong_one_and_counts(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    agent = ScriptedAgent(("a = 3", "a = 2", "never asked"), ("b = 20",), ("1", "2"))
    scored = scored_by(engine, chain, agent, policies, max_attempts=3)
    wrong = "WRONG_OUTPUT"
    assert verdicts_of(scored) == [["WRONG_VARIABLES", "CORRECT"], ["CORRECT"], [wrong, wrong]]
    assert [[(each.attempt, each.is_last) for each in problem.attempts] for problem in scored] == [
        [(1, False), (2, True)],
        [(1, True)],
        [(1, False), (2, True)],
    ]
    assert [request.attempt for request in agent.requests] == [1, 2, 1, 1, 2, 3]


def test_an_agent_that_has_nothing_to_add_is_asked_once(engine: Engine, chain: LoadedSet) -> None:
    assert verdicts_of(scored_by(engine, chain, OracleAgent(), max_attempts=3)) == [RIGHT] * 3


@pytest.mark.parametrize("state", [StatePolicy.REFERENCE, StatePolicy.OWN])
@pytest.mark.parametrize(
    ("between", "second"), [(BetweenAttempts.RESET, "CRASH"), (BetweenAttempts.KEPT, "CORRECT")], ids=["reset", "kept"]
)
def test_attempts_start_anew_or_pile_up(
    engine: Engine, chain: LoadedSet, state: StatePolicy, between: BetweenAttempts, second: str
) -> None:
    agent = ScriptedAgent(("half = 1", "a = half + 1"), ("b = a * scale",), ("b + 1",))
    scored = scored_by(engine, chain, agent, Policies(state=state, between_attempts=between), max_attempts=2)
    assert verdicts_of(scored)[0][1] == second
    assert agent.requests[1].starts_anew is (between is BetweenAttempts.RESET)
    if second == "CORRECT":
        assert verdicts_of(scored)[1:] == [RIGHT, RIGHT]


def test_an_attempt_that_ends_its_process_is_rolled_back_before_the_next(engine: Engine, chain: LoadedSet) -> None:
    kept = Policies(between_attempts=BetweenAttempts.KEPT)
    agent = ScriptedAgent(("half = 1", "half = 9\nimport os\nos._exit(3)", "a = half + 1"), ("b = 20",), ("21",))
    scored = scored_by(engine, chain, agent, kept, max_attempts=3)
    assert verdicts_of(scored) == [["WRONG_VARIABLES", "CRASH", "CORRECT"], RIGHT, RIGHT]


@pytest.mark.parametrize(
    ("granted", "told"),
    [
        ("none", (None, None, None)),
        ("error", ("ZeroDivisionError", None, None)),
        ("output", (None, "before\n", None)),
        ("hint", (None, None, "CRASH")),
        ("hint,error,output", ("ZeroDivisionError", "before\n", "CRASH")),
    ],
)
def test_an_agent_is_told_what_the_run_grants(
    engine: Engine, chain: LoadedSet, granted: str, told: tuple[str | None, ...]
) -> None:
    agent = ScriptedAgent(("print('before')\n1 / 0", "a = 2"), ("b = 20",), ("21",))
    scored_by(engine, chain, agent, Policies(feedback=parse_feedback(granted)), max_attempts=2)
    assert agent.requests[0].feedback is None
    feedback = agent.requests[1].feedback
    assert feedback is not None
    assert feedback.code == "print('before')\n1 / 0"
    for text, expected in zip((feedback.error, feedback.output, feedback.hint), told, strict=True):
        assert text == expected or (text is not None and expected is not None and expected in text)


def test_feedback_names_its_parts_in_one_order_and_refuses_others() -> None:
    assert parse_feedback("hint, error") == (FeedbackPart.ERROR, FeedbackPart.HINT)
    assert parse_feedback("none") == parse_feedback("") == ()
    with pytest.raises(UsageError, match="'hints'"):
        parse_feedback("hints")
    with pytest.raises(UsageError, match="none and something else"):
        parse_feedback("none,error")
