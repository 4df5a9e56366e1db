from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents import (
    Agent,
    AgentCard,
    AgentFailure,
    EmptyAgent,
    FailureKind,
    OracleAgent,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.errors import ToolkitError
from evaluator.language import LoadedSet, read_benchmark
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.scoring import Verdict
from evaluator.session import Engine, Session

WriteBenchmark = Callable[..., Path]


class ScriptedAgent:
    """Answers from a function and remembers what it was asked."""

    def __init__(self, answer: Callable[[SolveRequest], Submission], *, history: bool = False) -> None:
        self._answer = answer
        self._history = history
        self.requests: list[SolveRequest] = []
        self.ended: list[str] = []

    def describe(self) -> AgentCard:
        return AgentCard("scripted", history=self._history, variables=self._history)

    def start(self, session: SessionInfo) -> None:
        self.started = session

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        self.requests.append(request)
        return self._answer(request)

    def end(self, session_id: str) -> None:
        self.ended.append(session_id)


@pytest.fixture
def trips(write_benchmark: WriteBenchmark) -> LoadedSet:
    return read_benchmark(write_benchmark()).sets[0]


def score(
    engine: Engine, loaded: LoadedSet, *agents: Agent, wanted: tuple[int, ...] | None = None
) -> list[ExecutedCell]:
    scored: list[ExecutedCell] = []
    assert score_problemset(engine, loaded, agents, wanted=wanted, on_scored=scored.append) == ()
    return scored


def test_several_agents_are_judged_in_one_pass(engine: Engine, trips: LoadedSet) -> None:
    scored = score(engine, trips, OracleAgent(), EmptyAgent())
    verdicts = [[attempt.judged.verdict is Verdict.CORRECT for attempt in each.attempts] for each in scored]
    assert verdicts == [[True, False]] * 3
    assert [each.problem_id for each in scored] == ["p1", "p2", "p3"]


def test_only_wanted_problems_are_asked_but_what_they_rest_on_is_executed(engine: Engine, trips: LoadedSet) -> None:
    agent = ScriptedAgent(lambda _request: Submission("round(mean_km, 9); trips.loc[1, 'city']"), history=True)
    (scored,) = score(engine, trips, agent, wanted=(3,))
    assert (scored.index, scored.attempts[0].judged.verdict) == (3, Verdict.CORRECT)
    assert len(agent.requests[0].history) == 3


def test_an_agent_sees_the_reference_history_if_it_asks_for_it(engine: Engine, trips: LoadedSet) -> None:
    agent = ScriptedAgent(lambda _request: Submission("wrong = 1"), history=True)
    score(engine, trips, agent)
    last = agent.requests[2]
    assert [(cell.kind.value, cell.problem_id) for cell in last.history] == [
        ("setup", None),
        ("problem", "p1"),
        ("problem", "p2"),
    ]
    assert {variable.name for variable in last.variables} >= {"trips", "mean_km"}
    assert "wrong" not in {variable.name for variable in last.variables}
    assert last.files == ("trips.csv",)
    assert agent.ended == ["trips"]


def test_an_agent_that_does_not_ask_is_sent_no_history(engine: Engine, trips: LoadedSet) -> None:
    agent = ScriptedAgent(lambda _request: Submission(""))
    score(engine, trips, agent)
    assert all(request.history == () and request.variables == () for request in agent.requests)


def test_an_agent_that_raises_is_judged_as_an_empty_cell_with_the_cause(engine: Engine, trips: LoadedSet) -> None:
    def fail(_request: SolveRequest) -> Submission:
        raise ValueError("no idea")

    attempt = score(engine, trips, ScriptedAgent(fail), wanted=(1,))[0].attempts[0]
    assert attempt.submission.error == AgentFailure(FailureKind.AGENT, "ValueError: no idea")
    assert attempt.judged.verdict not in (Verdict.CORRECT, Verdict.NOT_JUDGED)


def test_an_agent_that_gave_up_is_never_correct(engine: Engine, write_benchmark: WriteBenchmark) -> None:
    asks_for_nothing = '# %%\n"""\nquery: Do nothing.\nvalidator:\n  crash:\n"""\npass\n'
    loaded = read_benchmark(write_benchmark({"nothing": asks_for_nothing})).sets[0]
    gave_up = ScriptedAgent(lambda _request: Submission("1", status=SubmissionStatus.GAVE_UP))
    attempt = score(engine, loaded, gave_up)[0].attempts[0]
    assert attempt.submission.code == ""
    assert attempt.judged.verdict is not Verdict.CORRECT


def test_a_failure_of_our_own_side_of_an_agent_is_not_judged(engine: Engine, trips: LoadedSet) -> None:
    broken = Submission("", SubmissionStatus.ERROR, error=AgentFailure(FailureKind.INFRA, "endpoint down"))
    attempt = score(engine, trips, ScriptedAgent(lambda _request: broken), wanted=(1,))[0].attempts[0]
    assert attempt.judged.verdict is Verdict.NOT_JUDGED
    assert "endpoint down" in attempt.judged.reason


def failing(times: int) -> Callable[..., object]:
    """Return a replacement of Session.attempt that fails the first so many times: no healthy engine does."""
    attempt = Session.attempt
    left = [times]

    def fail(session: Session, *arguments: object, **options: object) -> object:
        if left[0]:
            left[0] -= 1
            raise ToolkitError("the session is gone")
        return attempt(session, *arguments, **options)  # type: ignore[arg-type]  # passed through

    return fail


def test_an_engine_that_fails_once_is_tried_again_in_a_fresh_session(
    engine: Engine, trips: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "attempt", failing(1))
    asked = ScriptedAgent(lambda _request: Submission("trips.shape[0]"))
    scored = score(engine, trips, asked, OracleAgent())
    assert [each.attempts[1].judged.verdict for each in scored] == [Verdict.CORRECT] * 3
    assert len(asked.requests) == 3


def test_an_engine_that_fails_twice_leaves_the_problem_not_judged_and_goes_on(
    engine: Engine, trips: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "attempt", failing(2))
    verdicts = [each.attempts[0].judged.verdict for each in score(engine, trips, OracleAgent())]
    assert verdicts == [Verdict.NOT_JUDGED, Verdict.CORRECT, Verdict.CORRECT]


def test_cancelled_work_ends_between_problems(engine: Engine, trips: LoadedSet) -> None:
    scored: list[ExecutedCell] = []
    score_problemset(engine, trips, [OracleAgent()], on_scored=scored.append, cancelled=lambda: len(scored) >= 1)
    assert [each.index for each in scored] == [1]


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


@pytest.mark.parametrize(("rules", "finds_it"), [("sound", False), ("published", True)])
def test_a_forbidden_value_is_gone_under_sound_rules_and_behind_a_dummy_under_published_ones(
    engine: Engine, tmp_path: Path, rules: str, finds_it: bool
) -> None:
    (tmp_path / "set.py").write_text(FORBIDDEN_SET)
    hunter = ScriptedAgent(lambda _: Submission(HUNT))
    scored: list[ExecutedCell] = []
    (loaded,) = read_benchmark(tmp_path / "set.py").sets
    agents = (hunter, OracleAgent())
    assert score_problemset(engine, loaded, agents, conditions=Conditions(rules), on_scored=scored.append) == ()
    assert [each.judged.verdict is Verdict.CORRECT for each in scored[0].attempts] == [finds_it, True]
