"""Agents that have code executed before they submit: on scratch copies, or live, under each state policy."""

import math

import pytest

from evaluator.agents import (
    BudgetSpentError,
    CapabilityOffError,
    Execution,
    Scope,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Submits,
    ToolRefusedError,
    Tools,
)
from evaluator.language import LoadedSet
from evaluator.running import BetweenAttempts, ExecutedCell, HistoryPolicy, Policies, StatePolicy
from evaluator.session import Engine
from tests.running.scripted import Scripted, Solve, loaded_set, scored, verdicts_of

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
EVERY_STATE = pytest.mark.parametrize("policies", [Policies(), pytest.param(OWN, marks=pytest.mark.deep)])
OWN_STATE = pytest.mark.parametrize("policies", [pytest.param(Policies(), marks=pytest.mark.deep), OWN])
RIGHT = "a = 2\na + 1"  # to both problems


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> LoadedSet:
    return loaded_set(tmp_path_factory.mktemp("chain"), CHAIN)


def scored_by(engine: Engine, chain: LoadedSet, solve: Solve, **more: object) -> list[ExecutedCell]:
    cells = scored(engine, chain, Scripted(solve=solve), **more)  # pyrefly: ignore[bad-argument-type]  # passed through
    assert len(cells) == 2
    return cells


def shown(execution: Execution) -> str:
    return "".join(str(output["data"]["text/plain"]) for output in execution.outputs if "data" in output)


@EVERY_STATE
def test_scratch_executions_build_on_one_another_and_leave_nothing(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    seen: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> str:
        assert request.limits.executions == 20  # where the run says nothing
        seen.append(tools.execute("'b' in globals(), base").status)
        tools.execute("b = 7\nbase.append(b)")
        seen.append(shown(tools.execute("b, base")))
        return "a = base[0] + len(base)" if request.index == 1 else "a + 1"

    cells = scored_by(engine, chain, solve, policies=policies, max_attempts=2)
    assert seen == ["ok", "(7, [1, 7])"] * 2
    assert verdicts_of(cells) == [["CORRECT"], ["CORRECT"]]
    assert cells[0].attempts[0].submission.usage == {"executions": {"scratch": {"ok": 3}}}


def test_a_scratch_copy_begins_where_the_attempt_begins(engine: Engine, chain: LoadedSet) -> None:
    for policies, second in ((KEPT, "['a', 'left']"), (Policies(), "[]")):
        seen: list[str] = []

        def solve(request: SolveRequest, tools: Tools, seen: list[str] = seen) -> str:
            seen.append(shown(tools.execute("sorted(set(globals()) & {'a', 'left'})")))
            tools.execute("left = 1")
            return "left = 2\na = 1" if request.attempt == 1 else RIGHT

        cells = scored(engine, chain, Scripted(solve=solve), policies=policies, max_attempts=2, wanted=(1,))
        assert verdicts_of(cells) == [["WRONG_VARIABLES", "CORRECT"]]
        assert seen == ["[]", second]


def test_errors_timeouts_and_deaths_of_executions_are_told(engine: Engine, chain: LoadedSet) -> None:
    told: list[Execution] = []

    def solve(request: SolveRequest, tools: Tools) -> str:
        if request.index == 1:
            codes = ("1 / 0", "import time; time.sleep(20)", "import os; os._exit(3)", "print('x' * 20_000)", "base")
            told.extend(tools.execute(code, timeout_s=0.5) for code in codes)
        return RIGHT

    cells = scored_by(engine, chain, solve)
    assert [each.status for each in told] == ["error", "timed_out", "died", "ok", "ok"]
    assert [each.number for each in told] == [1, 2, 3, 4, 5]
    assert told[0].error is not None
    assert (told[0].error.name, told[0].error.message) == ("ZeroDivisionError", "division by zero")
    assert told[3].truncated
    assert len(told[3].outputs[0]["text"]) < 10_100
    assert shown(told[4]) == "[1]"
    executions = cells[0].attempts[0].submission.usage["executions"]
    assert executions == {"scratch": {"died": 1, "error": 1, "ok": 2, "timed_out": 1}}


def test_executions_past_the_budget_and_after_the_submission_are_refused(engine: Engine, chain: LoadedSet) -> None:
    kept: list[Tools] = []
    refused: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> str:
        kept.append(tools)
        assert request.limits.executions == 3
        for seconds in (math.nan, math.inf, -math.inf, -1, 10**400, "5", True):  # no times: they cost nothing
            with pytest.raises(ToolRefusedError, match="timeout_s"):
                tools.execute("base", timeout_s=seconds)  # pyrefly: ignore[bad-argument-type]  # agents are not type-checked
        assert [tools.execute("base", timeout_s=0 if n == 1 else None).number for n in (1, 2, 3)] == [1, 2, 3]
        with pytest.raises(BudgetSpentError) as spent:
            tools.execute("base")
        refused.append(str(spent.value))
        with pytest.raises(CapabilityOffError):
            tools.execute("base", scope=Scope.LIVE)
        return RIGHT

    scored_by(engine, chain, solve, executions=3)
    assert refused == ["the 3 executions that this problem allows are used up"] * 2
    with pytest.raises(CapabilityOffError, match="while the problem is being solved"):
        kept[0].execute("base")


@OWN_STATE
def test_what_is_executed_live_is_the_submission(engine: Engine, chain: LoadedSet, policies: Policies) -> None:
    seen: list[str] = []

    def solve(request: SolveRequest, tools: Tools) -> str:
        if request.index == 1:
            tools.execute("step = base[0]", scope=Scope.LIVE)
            tools.execute("step = 1000")  # on scratch
            seen.append(shown(tools.execute("step", scope=Scope.LIVE)))
            tools.execute("a = step + 1\ndel step", scope=Scope.LIVE)
            return ""
        return "a + 1"

    agent = Scripted(solve=solve, submits=Submits.SESSION)
    cells = scored(engine, chain, agent, policies=policies)
    assert seen == ["1"]
    assert verdicts_of(cells) == [["WRONG_VARIABLES", "WRONG_VARIABLES", "CORRECT"], ["CORRECT"]]
    assert [each.attempt for each in cells[0].attempts] == [1, 2, 3]
    assert cells[0].attempts[-1].submission.usage["executions"] == {"live": {"ok": 3}, "scratch": {"ok": 1}}
    if policies is OWN:
        assert agent.requests[1].history[-1].source == "step = base[0]\n\nstep\n\na = step + 1\ndel step"


def test_a_failure_after_live_executions_is_never_correct(engine: Engine, chain: LoadedSet) -> None:
    def solve(request: SolveRequest, tools: Tools) -> Submission:
        tools.execute(RIGHT, scope=Scope.LIVE)
        if request.index == 1:
            raise KeyError("gone")
        return Submission("", SubmissionStatus.GAVE_UP, answer="It is 3.")

    cells = scored(engine, chain, Scripted(solve=solve, submits=Submits.SESSION))
    assert verdicts_of(cells) == [["CORRECT", "UNKNOWN"], ["CORRECT"]]
    assert cells[1].attempts[-1].submission.answer == "It is 3."


@EVERY_STATE
def test_variables_are_described_as_asked_where_the_attempt_begins(
    engine: Engine, chain: LoadedSet, policies: Policies
) -> None:
    told: list[tuple[str, ...]] = []

    def solve(request: SolveRequest, tools: Tools) -> str:
        names = [each.text for each in tools.inspect("coml", ["a", "base"])]
        told.append(
            (*names, *(each.text for each in tools.inspect("names", ["base"])), str(tools.inspect("brief", [])))
        )
        with pytest.raises(CapabilityOffError, match="use 'coml-concise'"):
            tools.inspect("coml-concize")
        return "a = base[0] + 1" if request.index == 1 else "a + 1"

    cells = scored_by(engine, chain, solve, policies=policies, max_attempts=2)
    assert verdicts_of(cells) == [["CORRECT"], ["CORRECT"]]
    assert told == [("[1]", "", "()"), ("[1]", "2", "", "()")]


def test_a_card_says_how_requests_describe_variables(engine: Engine, chain: LoadedSet) -> None:
    agent = Scripted(RIGHT, RIGHT, encoding="coml")
    scored(engine, chain, agent)
    assert [[(each.name, each.type, each.text) for each in request.variables] for request in agent.requests] == [
        [("base", "list", "[1]")],
        [("base", "list", "[1]"), ("a", "int", "2")],
    ]
