"""Agents that have code executed before they submit: on scratch copies, or live, under each state policy."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents import (
    AgentCard,
    BudgetSpentError,
    CapabilityOffError,
    Execution,
    Scope,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Submits,
    ToolRefusedError,
    Tools,
)
from evaluator.language import LoadedSet, read_benchmark
from evaluator.running import (
    BetweenAttempts,
    Conditions,
    ExecutedCell,
    HistoryPolicy,
    Policies,
    StatePolicy,
    score_problemset,
)
from evaluator.running.execution import problem_tools
from evaluator.session import Engine

WriteBenchmark = Callable[..., Path]
Solve = Callable[[SolveRequest, Tools], Submission]

CHAIN = '''# %%
base = [1]

# %%
"""
query: Store two as `a`.
validator:
  namespace_check:
    a:
"""
a = base[0] + 1

# %%
"""
query: What is `a` plus one?
"""
a + 1
'''
OWN = Policies(StatePolicy.OWN, HistoryPolicy.OWN)
KEPT = Policies(between_attempts=BetweenAttempts.KEPT)
EVERY_STATE = pytest.mark.parametrize("policies", [Policies(), OWN, KEPT], ids=["reference", "own", "kept"])


class ToolAgent:
    def __init__(self, solve: Solve, submits: Submits = Submits.CODE) -> None:
        self._solve = solve
        self._submits = submits
        self.requests: list[SolveRequest] = []

    def describe(self) -> AgentCard:
        return AgentCard("tools", submits=self._submits, history=True, variables=True)

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        self.requests.append(request)
        return self._solve(request, tools)

    def end(self, session_id: str) -> None:
        pass


@pytest.fixture
def chain(write_benchmark: WriteBenchmark) -> LoadedSet:
    return read_benchmark(write_benchmark({"chain": CHAIN})).sets[0]


def scored_by(
    engine: Engine, loaded: LoadedSet, agent: ToolAgent, policies: Policies, max_attempts: int = 1
) -> list[ExecutedCell]:
    scored: list[ExecutedCell] = []
    conditions = Conditions(policies=policies, max_attempts=max_attempts)
    assert score_problemset(engine, loaded, [agent], conditions=conditions, on_scored=scored.append) == ()
    assert len(scored) == 2
    return scored


def verdicts_of(scored: list[ExecutedCell]) -> list[list[str]]:
    return [[attempt.judged.verdict.value for attempt in each.attempts] for each in scored]


def shown(execution: Execution) -> str:
    return "".join(str(output["data"]["text/plain"]) for output in execution.outputs if "data" in output)


@EVERY_STATE
def test_scratch_executions_build_on_one_another_and_leave_nothing(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    seen: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        seen.append(tools.execute("'b' in globals(), base").status)
        tools.execute("b = 7\nbase.append(b)")
        seen.append(shown(tools.execute("b, base")))
        return Submission("a = base[0] + len(base)" if request.index == 1 else "a + 1")

    scored = scored_by(engine, chain, ToolAgent(solve), policies, 2)
    assert seen == ["ok", "(7, [1, 7])"] * 2
    assert verdicts_of(scored) == [["CORRECT"], ["CORRECT"]]
    assert scored[0].attempts[0].submission.usage == {"executions": {"scratch": {"ok": 3}}}


def test_a_scratch_copy_begins_where_the_attempt_begins(engine: Engine, chain: LoadedSet) -> None:
    seen: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        seen.append(shown(tools.execute("sorted(set(globals()) & {'a', 'left'})")))
        tools.execute("left = 1")
        return Submission("left = 2\na = 1" if request.attempt == 1 and request.index == 1 else "a = 2\na + 1")

    assert verdicts_of(scored_by(engine, chain, ToolAgent(solve), KEPT, 2))[0][0] == "WRONG_VARIABLES"
    assert seen[:2] == ["[]", "['a', 'left']"]
    seen.clear()
    scored_by(engine, chain, ToolAgent(solve), Policies(), 2)
    assert seen[:2] == ["[]", "[]"]


def test_errors_timeouts_and_deaths_of_executions_are_told(engine: Engine, chain: LoadedSet) -> None:
    told: list[Execution] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        if request.index == 1:
            codes = ("1 / 0", "while True: pass", "import os; os._exit(3)", "print('x' * 20_000)", "base")
            told.extend(tools.execute(code, timeout_s=0.5) for code in codes)
        return Submission("a = 2\na + 1")

    scored = scored_by(engine, chain, ToolAgent(solve), Policies())
    assert [each.status for each in told] == ["error", "timed_out", "died", "ok", "ok"]
    assert [each.number for each in told] == [1, 2, 3, 4, 5]
    assert told[0].error is not None
    assert (told[0].error.name, told[0].error.message) == ("ZeroDivisionError", "division by zero")
    assert told[3].truncated
    assert len(told[3].outputs[0]["text"]) < 10_100
    assert shown(told[4]) == "[1]"
    executions = scored[0].attempts[0].submission.usage["executions"]
    assert executions == {"scratch": {"died": 1, "error": 1, "ok": 2, "timed_out": 1}}


def test_executions_past_the_budget_and_after_the_submission_are_refused(engine: Engine, chain: LoadedSet) -> None:
    kept: list[Tools] = []
    refused: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        kept.append(tools)
        assert request.limits.executions == 20
        for _ in range(20):
            tools.execute("base")
        with pytest.raises(BudgetSpentError) as spent:
            tools.execute("base")
        refused.append(str(spent.value))
        with pytest.raises(CapabilityOffError):
            tools.execute("base", scope=Scope.LIVE)
        return Submission("a = 2\na + 1")

    scored_by(engine, chain, ToolAgent(solve), Policies())
    assert refused == ["the 20 executions that this problem allows are used up"] * 2
    with pytest.raises(CapabilityOffError, match="while the problem is being solved"):
        kept[0].execute("base")


@EVERY_STATE
def test_what_is_executed_live_is_the_submission(engine: Engine, chain: LoadedSet, policies: Policies) -> None:
    seen: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        if request.index == 1:
            tools.execute("step = base[0]", scope=Scope.LIVE)
            tools.execute("step = 1000")  # on scratch
            seen.append(shown(tools.execute("step", scope=Scope.LIVE)))
            tools.execute("a = step + 1\ndel step", scope=Scope.LIVE)
            return Submission("")
        return Submission("a + 1")

    agent = ToolAgent(solve, Submits.SESSION)
    scored = scored_by(engine, chain, agent, policies)
    assert seen == ["1"]
    assert verdicts_of(scored) == [["WRONG_VARIABLES", "WRONG_VARIABLES", "CORRECT"], ["CORRECT"]]
    assert [each.attempt for each in scored[0].attempts] == [1, 2, 3]
    assert scored[0].attempts[-1].submission.usage["executions"] == {"live": {"ok": 3}, "scratch": {"ok": 1}}
    if policies is OWN:
        assert agent.requests[1].history[-1].source == "step = base[0]\n\nstep\n\na = step + 1\ndel step"


def test_a_failure_after_live_executions_is_never_correct(engine: Engine, chain: LoadedSet) -> None:
    def solve(request: SolveRequest, tools: Tools) -> Submission:
        tools.execute("a = 2\na + 1", scope=Scope.LIVE)
        if request.index == 1:
            raise KeyError("gone")
        return Submission("", SubmissionStatus.GAVE_UP, answer="It is 3.")

    scored = scored_by(engine, chain, ToolAgent(solve, Submits.SESSION), Policies())
    assert verdicts_of(scored) == [["CORRECT", "UNKNOWN"], ["CORRECT"]]
    assert scored[1].attempts[-1].submission.answer == "It is 3."


@EVERY_STATE
def test_variables_are_described_as_asked_where_the_attempt_begins(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    told: list[tuple[str, ...]] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        names = [each.text for each in tools.inspect("coml", ["a", "base"])]
        told.append(
            (*names, *(each.text for each in tools.inspect("names", ["base"])), str(tools.inspect("brief", [])))
        )
        with pytest.raises(CapabilityOffError, match="use 'coml-concise'"):
            tools.inspect("coml-concize")
        return Submission("a = base[0] + 1" if request.index == 1 else "a + 1")

    assert verdicts_of(scored_by(engine, chain, ToolAgent(solve), policies, 2)) == [["CORRECT"], ["CORRECT"]]
    assert told == [("[1]", "", "()"), ("[1]", "2", "", "()")]


def test_a_card_says_how_requests_describe_variables(engine: Engine, chain: LoadedSet) -> None:
    class Encoded(ToolAgent):
        def describe(self) -> AgentCard:
            return AgentCard("encoded", variables=True, encoding="coml")

    agent = Encoded(lambda *_: Submission("a = 2\na + 1"))
    scored_by(engine, chain, agent, Policies())
    assert [[(each.name, each.type, each.text) for each in request.variables] for request in agent.requests] == [
        [("base", "list", "[1]")],
        [("base", "list", "[1]"), ("a", "int", "2")],
    ]


def test_a_time_limit_that_is_no_time_is_refused_and_costs_nothing(engine: Engine, chain: LoadedSet) -> None:
    numbers: list[int] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        for seconds in (math.nan, math.inf, -math.inf, -1, 10**400, "5", True):
            with pytest.raises(ToolRefusedError, match="timeout_s"):
                tools.execute("base", timeout_s=seconds)  # type: ignore[arg-type]  # agents are not type-checked
        numbers.append(tools.execute("base", timeout_s=0).number)
        return Submission("a = 2\na + 1")

    scored_by(engine, chain, ToolAgent(solve), Policies())
    assert numbers == [1, 1]


def test_descriptions_of_variables_have_a_budget_of_their_own(
    engine: Engine, chain: LoadedSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problem_tools, "DESCRIPTIONS", 3)
    refused: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> Submission:
        for _ in range(3):
            assert tools.inspect("repr", ["base"])[0].text == "[1]"
        with pytest.raises(BudgetSpentError) as spent:
            tools.inspect("repr")
        refused.append(str(spent.value))
        assert tools.inspect("brief", ["base"])  # known already
        assert tools.execute("base").number == 1
        return Submission("a = 2\na + 1")

    scored_by(engine, chain, ToolAgent(solve), Policies())
    assert refused == ["the 3 descriptions of variables that this problem allows are used up"] * 2
