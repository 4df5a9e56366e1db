"""Agents that call functions, plan, chat in a notebook or write programs, over real HTTP to a scripted model."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.agents import (
    BudgetSpentError,
    Execution,
    ExecutionError,
    ExecutionStatus,
    Feedback,
    HistoryCell,
    Scope,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Variable,
    model_agent,
)
from evaluator.agents.choice import MODEL_AGENT_NAMES
from evaluator.agents.conformance import check_agent
from evaluator.agents.model_agents.comment_program import program_of
from evaluator.agents.model_agents.plan import code_of, observation, read_plan, read_thoughts
from evaluator.agents.model_agents.replies import code_in_reply
from evaluator.agents.protocol import CellKind
from evaluator.errors import ToolkitError, UsageError
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel

SHOWN = ({"output_type": "execute_result", "data": {"text/plain": "6"}},)
REQUEST = SolveRequest(
    "s",
    "set",
    "p2",
    2,
    "How many rows has `df`?",
    SolveLimits(1.0, executions=20),
    history=(
        HistoryCell(CellKind.SETUP, "df = load()", origin="given"),
        HistoryCell(CellKind.PROBLEM, "df.a.sum()", "p1", "What is the sum?", outputs=SHOWN),
    ),
    variables=(Variable("df", "DataFrame", "shape"), Variable("n", "int", "3")),
)
Serve = Callable[[Any], ScriptedModel]


@dataclass
class PlayedTools:
    """Executes nothing: shows what the script says for each code, or counts."""

    failing: tuple[str, ...] = ()
    most: int = 20
    executed: list[tuple[str, str]] = field(default_factory=list)

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        assert timeout_s is None
        if len(self.executed) >= self.most:
            raise BudgetSpentError("used up")
        self.executed.append((code, scope.value))
        if any(word in code for word in self.failing):
            error = ExecutionError("ValueError", "no", f"Traceback: {'x' * 6000} ValueError: no")
            return Execution(len(self.executed), ExecutionStatus.ERROR, error=error)
        text = f"seen {len(self.executed)}\nWARNING: something\nx.py:3: FutureWarning: old\n"
        return Execution(len(self.executed), ExecutionStatus.OK, ({"output_type": "stream", "text": text},))

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        return tuple(Variable(name, "", encoding) for name in names or ())

    def progress(self, text: str) -> None:
        assert text


def messages_of(server: ScriptedModel, number: int = -1) -> list[dict[str, Any]]:
    found = server.requests[number]["messages"]
    assert isinstance(found, list)
    return found


def roles_of(server: ScriptedModel, number: int = -1) -> list[str]:
    return [str(each["role"]) for each in messages_of(server, number)]


def call(name: str, code: str) -> Say:
    return Say("", calls=((name, {"code": code}),))


def test_tools_are_called_until_code_is_submitted(serve: Serve) -> None:
    server = serve([call("execute_code", "df.columns"), call("execute_code", "oops"), call("submit_code", "len(df)")])
    tools = PlayedTools(failing=("oops",))
    submission = model_agent("tools:m").solve(REQUEST, tools)
    assert submission.code == "len(df)"
    assert tools.executed == [("df.columns", "scratch"), ("oops", "scratch")]
    assert roles_of(server) == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert messages_of(server)[3]["content"].startswith("seen 1")
    assert len(messages_of(server)[5]["content"]) == 2 * 2500 + len("\n[...]\n")
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["execute_code", "submit_code"]
    assert submission.usage["calls"] == 3
    assert "# Variables\ndf (DataFrame): shape" in messages_of(server)[1]["content"]


def test_without_a_submission_the_last_block_or_last_success_counts(serve: Serve) -> None:
    for closing, code in (
        ("It is:\n```\nfirst\n```\nor\n```\nlen(df)\n```", "len(df)"),
        ("The answer is 3.", "df.shape"),  # the last success
    ):
        serve([call("execute_code", "df.shape"), call("execute_code", "oops"), Say(closing)])
        submission = model_agent("tools:m").solve(REQUEST, PlayedTools(failing=("oops",)))
        assert (submission.code, submission.answer) == (code, closing)


def test_calls_that_cannot_be_are_answered_and_used_up_ones_end_the_loop(serve: Serve) -> None:
    server = serve([Say("", calls=(("delete_all", {}),)), Say("", calls=(("execute_code", {"cod": 1}),))])
    submission = model_agent("tools:m?max_calls=3").solve(REQUEST, PlayedTools())
    assert (submission.status, submission.labels) == ("gave_up", ("calls-used-up",))
    assert "no function 'delete_all'" in messages_of(server)[3]["content"]
    serve([call("execute_code", "1")])
    spent = model_agent("tools:m?max_calls=3").solve(REQUEST, PlayedTools(most=1))
    assert spent.code == "1"
    assert "used up" in spent.trace[-1]["content"]


def test_an_agent_that_submits_its_session_executes_live(serve: Serve) -> None:
    server = serve([call("execute_code", "n = len(df)"), Say("There are 3 rows.")])
    agent, tools = model_agent("tools:m?submits=session"), PlayedTools()
    assert agent.describe().submits == "session"
    submission = agent.solve(REQUEST, tools)
    assert tools.executed == [("n = len(df)", "live")]
    assert (submission.code, submission.answer) == ("", "There are 3 rows.")
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["execute_code"]


def test_figures_are_shown_to_a_model_that_sees(serve: Serve) -> None:
    class Drawing(PlayedTools):
        def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
            picture = {"output_type": "display_data", "data": {"image/png": "aGVsbG8="}}
            return replace(super().execute(code, scope=scope, timeout_s=timeout_s), outputs=(picture,))

    server = serve([call("execute_code", "draw()"), call("submit_code", "draw()")])
    model_agent("tools:m?vision=on").solve(REQUEST, Drawing())
    assert messages_of(server)[-1]["content"][1]["image_url"]["url"] == "data:image/png;base64,aGVsbG8="


def test_the_code_interpreter_variant_closes_each_problem_before_the_next(serve: Serve) -> None:
    script = [
        call("python", "a"),
        Say("It is done."),
        Say("```python\nlen(df)\n```"),
        call("python", "x"),
        call("python", "y"),
    ]
    server = serve(script)
    agent, tools = model_agent("tools:m?variant=codeinterpreter"), PlayedTools()
    agent.start(SessionInfo("s", "set"))
    first = agent.solve(replace(REQUEST, problem_id="p1", index=1, query="What is the sum?", history=()), tools)
    second = agent.solve(REQUEST, tools)
    assert (first.code, second.code, tools.executed) == ("a", "len(df)", [])
    assert messages_of(server, 0)[-1]["content"] == "What is the sum?\n\nVariables: df, n"
    assert roles_of(server, 1) == ["system", "user", "assistant", "tool"]
    assert json.loads(messages_of(server, 1)[2]["tool_calls"][0]["function"]["arguments"]) == {"code": "df.a.sum()"}
    assert messages_of(server, 1)[3]["content"] == "6"
    assert [each["content"] for each in messages_of(server, 2)[2:3]] == ["It is done."]
    third = agent.solve(replace(REQUEST, problem_id="p3", index=3), tools)
    assert third.code == "y"
    assert messages_of(server)[4]["content"] == "I executed this code:\n```python\ndf.a.sum()\n```"


def plan(*steps: dict[str, Any]) -> Say:
    return Say(f"The plan:\n```json\n{json.dumps(steps)}\n```")


ONE = {"id": "1", "depends_on": [], "instruction": "Count the rows.", "type": "eda"}
TWO = {"id": "2", "depends_on": ["1"], "instruction": "Show them.", "type": "other"}


def test_a_plan_is_written_executed_and_joined(serve: Serve) -> None:
    server = serve([plan(TWO, ONE), Say("```python\nn = len(df)\n```"), Say("```python\nn\n```")])
    tools = PlayedTools()
    submission = model_agent("plan:m").solve(REQUEST, tools)
    assert submission.code == "n = len(df)\n\nn"
    assert tools.executed == [("n = len(df)", "scratch"), ("n", "scratch")]
    assert [request["max_tokens"] for request in server.requests] == [4096] * 3
    assert "# Current step\nCount the rows." in messages_of(server, 1)[-1]["content"]
    assert "not with plots" in messages_of(server, 1)[-1]["content"]
    assert "n = len(df)\n```\nResult:\nseen 1" in messages_of(server, 2)[-1]["content"]
    assert "WARNING" not in messages_of(server, 2)[-1]["content"]
    assert submission.usage["calls"] == 3
    assert len(submission.trace) == 2 + 3 + 3
    serve([plan(ONE, TWO), Say("```\na\n```"), Say("```\nb\n```")])
    assert model_agent("plan:m?submit=last_cell").solve(REQUEST, PlayedTools()).code == "b"


def test_a_step_that_goes_on_failing_is_planned_again_twice(serve: Serve) -> None:
    server = serve(lambda request: plan(ONE) if "Write a plan" in str(request) else Say("```\noops\n```"))
    submission = model_agent("plan:m").solve(REQUEST, PlayedTools(failing=("oops",)))
    assert (submission.status, submission.labels) == ("gave_up", ("plan-failed",))
    asked = ["plan" if "Write a plan" in str(request) else "step" for request in server.requests]
    assert asked == ["plan", "step", "step", "step"] * 3
    assert "This step failed in the plan before: Count the rows." in messages_of(server, 4)[-1]["content"]
    tried = messages_of(server, 3)[-1]["content"]
    assert tried.count("Failed:") == 2
    assert len(tried) < 12_000


def test_plans_that_cannot_be_read_are_asked_for_three_times(serve: Serve) -> None:
    server = serve([Say("I would count.")])
    submission = model_agent("plan:m").solve(REQUEST, PlayedTools())
    assert (submission.status, submission.labels, len(server.requests)) == ("gave_up", ("no-plan",), 3)


def test_installations_are_not_executed_and_a_spent_budget_ends_the_work(serve: Serve) -> None:
    serve(lambda request: plan(ONE) if "Write a plan" in str(request) else Say("```\n!pip install x\n```"))
    tools = PlayedTools()
    submission = model_agent("plan:m?max_replans=0").solve(REQUEST, tools)
    assert (tools.executed, submission.labels) == ([], ("plan-failed",))
    server = serve(lambda request: plan(ONE) if "Write a plan" in str(request) else Say("```\noops\n```"))
    model_agent("plan:m").solve(REQUEST, PlayedTools(failing=("oops",), most=1))
    assert len(server.requests) == 3


def test_thinking_and_acting_alternate_until_the_model_is_done(serve: Serve) -> None:
    thoughts = [Say('```json\n{"thoughts": "count", "continue": true}\n```'), Say("```\nlen(df)\n```")]
    server = serve([*thoughts, Say('{"thoughts": "done", "continue": false}')])
    submission = model_agent("plan:m?react=on").solve(REQUEST, PlayedTools())
    assert (submission.code, len(server.requests)) == ("len(df)", 3)
    serve(lambda request: thoughts[0] if "Think about" in str(request) else thoughts[1])
    endless = model_agent("plan:m?react=on").solve(REQUEST, PlayedTools())
    assert endless.labels == ("rounds-used-up",)
    assert endless.code.count("len(df)") == 10


def test_a_notebook_chat_sends_the_bare_query_after_what_was_said(serve: Serve) -> None:
    server = serve([Say("Sure.\n```python\nlen(df)\n``` {name}")])
    submission = model_agent("notebook-chat:m").solve(REQUEST, PlayedTools())
    assert submission.code == "len(df)"
    assert roles_of(server) == ["user", "assistant", "user"]
    assert messages_of(server)[0]["content"].startswith("What is the sum?\n\n")
    assert messages_of(server)[1]["content"] == "df.a.sum()"
    assert messages_of(server)[2]["content"].startswith("How many rows has `df`?\n\n")
    assert "DataFrame" not in str(messages_of(server))


def test_a_comment_program_is_asked_for_after_a_practice_dialogue(serve: Serve) -> None:
    server = serve([Say("First:\n```python\na = 1\n```\nthen\n```\na + 1\n```")])
    submission = model_agent("comment-program:m").solve(REQUEST, PlayedTools())
    assert submission.code == "# First:\na = 1\n# then\na + 1"
    assert roles_of(server) == ["system", *["user", "assistant"] * 3, "user"]
    shown = messages_of(server)[-1]["content"]
    assert shown.startswith("```python\ndf = load()\n```\n\n```python\ndf.a.sum()\n```\nOutput:\n6\n\nHow many rows")
    assert server.requests[0]["max_tokens"] == 2048


def test_prose_becomes_comments() -> None:
    replies = {
        "a = 1": "a = 1",
        "```\na\n": "a",
        "": "",
        "Text\n\n```python\nif x:\n    y\n```": "# Text\nif x:\n    y",
    }
    assert {reply: program_of(reply) for reply in replies} == replies


@given(st.text(alphabet="`~python{}[]\"':, \n\\<think>/ #1", max_size=300))
def test_any_reply_is_read_by_every_parser(reply: str) -> None:
    assert isinstance(program_of(reply), str)
    assert isinstance(code_of(reply), str)
    assert isinstance(code_in_reply(reply).code, str)
    assert all(step.instruction for step in read_plan(reply))
    assert isinstance(read_thoughts(reply)[1], bool)


def test_a_long_observation_is_cut_at_the_end_that_matters() -> None:
    ok = Execution(1, ExecutionStatus.OK, ({"output_type": "stream", "text": "a" * 6000 + "b"},))
    assert observation(ok) == "a" * 5000
    failed = Execution(1, ExecutionStatus.ERROR, error=ExecutionError("E", "m", "a" * 6000 + "b"))
    assert observation(failed) == "a" * 4999 + "b"


@pytest.mark.parametrize("name", MODEL_AGENT_NAMES)
def test_every_agent_that_asks_a_model_bears_everything(serve: Serve, name: str) -> None:
    serve([Say("```python\nlen(df)\n```")])
    report = check_agent(lambda: model_agent(f"{name}:m"), timeout_s=30)
    assert [each for each in report.results if not each.is_passed] == []
    assert len(report.results) == 10


@pytest.mark.parametrize("name", MODEL_AGENT_NAMES)
def test_requests_that_are_too_long_fail_as_such(serve: Serve, name: str) -> None:
    serve([Refuse(400, "maximum context length exceeded", "context_length_exceeded")])
    submission = model_agent(f"{name}:m").solve(REQUEST, PlayedTools())
    assert submission.error is not None
    assert submission.error.kind == "context_length"


@pytest.mark.parametrize("name", [name for name in MODEL_AGENT_NAMES if not name.startswith("react-")])
def test_feedback_reaches_the_model(serve: Serve, name: str) -> None:
    server = serve([Say("```python\nlen(df)\n```")])
    agent = model_agent(f"{name}:m")
    agent.solve(REQUEST, PlayedTools())
    feedback = Feedback("df.rows", "AttributeError: 'rows' is none", "printed", None)
    agent.solve(replace(REQUEST, attempt=2, feedback=feedback), PlayedTools())
    assert "'rows' is none" in json.dumps(server.requests[-1])


# Models of other providers


def test_what_a_provider_lacks_is_refused_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(UsageError, match="goes on with a text"):
        model_agent("react-qwen:anthropic:small")
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ToolkitError, match="not installed") as caught:
        model_agent("chat:anthropic:small")
    assert "pip install 'benchwright[anthropic]'" in str(caught.value)
