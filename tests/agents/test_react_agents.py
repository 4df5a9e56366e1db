"""The agents of CIBench and of the Qwen benchmark, over real HTTP to a scripted model: what is asked, read and kept."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from evaluator.agents import CellKind, Feedback, HistoryCell, SessionInfo, SolveLimits, SolveRequest, SubmissionStatus
from evaluator.agents.choice import model_agent
from evaluator.agents.model_agents.react import extract_code
from evaluator.agents.model_agents.react_cibench import APOLOGY, TOOL, Action
from evaluator.agents.model_agents.react_cibench import read_reply as read_cibench
from evaluator.agents.model_agents.react_qwen import file_prefix, with_paths
from evaluator.agents.model_agents.react_qwen import read_reply as read_qwen
from evaluator.errors import UsageError
from tests.scripted_model import Say, ScriptedModel

ACTS = f"Thought: t\nAction: {TOOL}\nAction Input: ```python\n{{}}\n```"
QWEN = "Thought: t\nAction: code_interpreter\nAction Input: ```python\n{}\n```\n"
VALUE = ({"output_type": "execute_result", "data": {"text/plain": "42"}},)


def test_the_code_of_an_action() -> None:
    texts = {
        "say ```py\nx = 1\n``` and ```\ny\n```": "x = 1\n",
        "run `x = 1`": "x = 1",
        '{"code": "x = 1"}': "x = 1",
        "{code: 'x = 1', /* why */}": "x = 1",  # JSON5
        "{'other': 1}": "{'other': 1}",
        "{broken": "{broken",
        "x = {1: 2}": "x = {1: 2}",
    }
    assert {text: extract_code(text) for text in texts} == texts


def test_what_a_reply_of_cibench_asks_for() -> None:
    found: dict[str, Action | None] = {
        ACTS.format("x = 1"): Action(TOOL, "x = 1\n"),
        f'Action: "{TOOL}"\nAction Input: x': Action(TOOL, "x"),
        "Thought: done\nFinal Answer: 42": None,
        ACTS.format("x = 1") + "\nFinal Answer: 42": None,  # anywhere
        f"Action: Search\nAction: {TOOL}\nAction Input: a\nAction Input: b": Action(TOOL, "a\nAction Input: b"),
    }
    assert {reply: read_cibench(reply) for reply in found} == found
    for reply, told in {
        "I would load it.": "no action",
        f"Action: {TOOL}": "no action",
        "Action: Search\nAction Input: x": "no tool 'Search'",
    }.items():
        assert told in str(read_cibench(reply))


def test_code_with_backticks_shrinks_as_published_only() -> None:
    reply = ACTS.format("print(`x`)")
    assert read_cibench(reply) == Action(TOOL, "x")
    assert read_cibench(reply, sound=True) == Action(TOOL, "print(`x`)\n")


def test_what_a_reply_of_qwen_asks_to_run() -> None:
    found: dict[str, str | None] = {
        QWEN.format("x = 1"): "x = 1\n",
        QWEN.format("a") + "Observation: made up\n": "a\n",
        QWEN.format("a") + QWEN.format("b"): "b\n",  # the last one
        "Action: code_interpreter\nAction Input: x": None,  # no line end before it
        "Thought: I know.\nFinal Answer: 4": None,
        "\nAction Input: x\nAction: y": None,
    }
    for reply, code in found.items():
        call = read_qwen(reply)
        assert (None if call is None else call.code) == code
        assert "made up" not in (call.reply if call is not None else "")
    lenient = read_qwen("Action: code_interpreter\nAction Input: x", strict_newline=False)
    assert lenient is not None
    assert lenient.code == "x"


def test_names_of_uploaded_files_become_paths() -> None:
    assert with_paths("read_csv('a.csv')", ["up/a.csv"]) == "read_csv('up/a.csv')"
    assert with_paths("read_csv('up/a.csv')", ["up/a.csv"]) == "read_csv('up/a.csv')"
    assert with_paths("read_csv('data.csv')", ["up/a.csv"]) == "read_csv('datup/a.csv')"
    assert with_paths("read_csv('data.csv')", ["up/a.csv"], sound=True) == "read_csv('data.csv')"
    assert with_paths("read_csv('a.csv')", ["up/a.csv"], sound=True) == "read_csv('up/a.csv')"


def test_the_model_is_told_of_uploaded_files() -> None:
    assert file_prefix("Plot.", ["up/a.csv"]) == "File `a.csv`. Plot."
    assert file_prefix("Plot.", ["a.csv", "b.csv"]) == "Files `a.csv`, `b.csv`. Plot."
    assert file_prefix("画图", ["a.csv"]) == "文件`a.csv`，画图"
    assert file_prefix("Plot.", ["a.csv"], wrapper="qwen") == "[Upload file a.csv]\nPlot."
    assert file_prefix("Plot.", []) == "Plot."


def asked(index: int = 1, attempt: int = 1, **more: Any) -> SolveRequest:
    return SolveRequest("s", "set", f"set.p{index}", index, f"query {index}", SolveLimits(5.0), attempt, **more)


Serve = Callable[[Any], ScriptedModel]


def agent(name: str) -> Any:
    made = model_agent(name)
    made.start(SessionInfo("s", "set"))
    return made


def turns(request: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["role"], each["content"]) for each in request["messages"]]


def test_rounds_of_cibench_see_one_another_and_the_history_only_the_last(serve: Serve) -> None:
    script = [Say(ACTS.format("1 / 0")), Say("no action"), Say(ACTS.format("42")), Say(ACTS.format("x"))]
    model = serve(script)
    react = agent("react-cibench:m")
    assert react.solve(asked()).code == "1 / 0\n"
    feedback = Feedback("1 / 0", error="ZeroDivisionError: division by zero")
    second = react.solve(asked(attempt=2, feedback=feedback, starts_anew=False))
    assert second.code == "42\n"  # the reply without an action was a round, too, and was answered
    history = (HistoryCell(CellKind.PROBLEM, "42", "set.p1", "query 1", "agent", "ok", VALUE),)
    assert react.solve(asked(2, history=history)).code == "x\n"
    first, _, third, fourth = map(turns, model.requests)
    assert [role for role, _ in first] == ["system", "user"]
    assert model.requests[0]["max_tokens"] == 512
    assert third[2:] == [
        ("assistant", ACTS.format("1 / 0")),
        ("system", "Response:'ZeroDivisionError: division by zero'\n"),
        ("assistant", "no action"),
        ("system", third[5][1]),
    ]
    assert "no action" in third[5][1]
    assert fourth[1:] == [
        ("user", "query 1"),
        ("assistant", ACTS.format("42")),
        ("system", "Response:execute_result:\n\n```\n42\n```\n"),
        ("user", "query 2"),
    ]  # failed rounds are forgotten


def test_after_three_rounds_cibench_gives_up_and_its_history_apologises(serve: Serve) -> None:
    model = serve([Say("nothing"), Say("nothing"), Say("nothing"), Say("Final Answer: 4")])
    react = agent("react-cibench:m")
    given_up = react.solve(asked())
    assert (given_up.code, given_up.status, len(model.requests)) == ("", SubmissionStatus.GAVE_UP, 3)
    failed = HistoryCell(CellKind.PROBLEM, "1 / 0", "set.p1", "query 1", "agent", "error")
    right = HistoryCell(CellKind.PROBLEM, "x = 1", "set.p1", "query 1", "correction", "ok")
    setup = HistoryCell(CellKind.SETUP, "import os")
    closed = react.solve(asked(2, history=(setup, failed, right)))
    assert closed.status is SubmissionStatus.GAVE_UP
    said = turns(model.requests[3])[1:]
    assert said[:2] == [("user", "query 1"), ("assistant", APOLOGY)]
    assert "x = 1" in said[2][1]
    assert said[2][1].startswith("Thought:")
    assert said[-1] == ("user", "query 2")


def test_cibench_with_sound_rules_and_results_told_by_the_user(serve: Serve) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw==", "text/plain": "<Figure>"}}
    history = (HistoryCell(CellKind.PROBLEM, "draw()", "set.p1", "query 1", "agent", "ok", (picture,)),)
    model = serve([Say(ACTS.format("x"))])
    react = agent("react-cibench:m?rules=sound&result_role=user")
    react.solve(asked(2, history=history))
    assert model.requests[0]["max_tokens"] == 2048
    roles = [role for role, _ in turns(model.requests[0])]
    assert roles == ["system", "user", "assistant", "user"]
    assert "1 figure(s) shown" in turns(model.requests[0])[3][1]
    assert turns(model.requests[0])[3][1].endswith("query 2")


def test_qwen_writes_on_at_one_text(serve: Serve) -> None:
    script = [Say(QWEN.format("2 + 2") + "Observation: 5"), Say(" Thought: I know.\nFinal Answer: 4")]
    model = serve(script)
    react = agent("react-qwen:m")
    assert react.solve(asked(files=("a.csv",))).code == "2 + 2\n"
    feedback = Feedback("2 + 2", output="4\n")
    closed = react.solve(asked(attempt=2, feedback=feedback, files=("a.csv",), starts_anew=False))
    assert closed.status is SubmissionStatus.GAVE_UP
    assert closed.answer is not None
    assert closed.answer.endswith("Final Answer: 4")
    assert "Observation: 4" in closed.answer
    assert "Observation: 5" not in closed.answer  # what the model made up
    first, second = (request["prompt"] for request in model.requests)
    assert model.requests[0]["stop"] == ["Observation:"]
    assert "File `a.csv`. query 1" in first
    assert second.startswith(first)
    assert second.endswith("\nObservation: 4\nThought:")


def test_qwen_goes_on_from_a_given_action(serve: Serve) -> None:
    opened = "Thought: look\nAction: code_interpreter\nAction Input: df\nObservation: ok\nThought:"
    given = f"画图<|im_end|>\n<|im_start|>assistant\n{opened}"
    model = serve([Say(" now\n" + QWEN.format("def solution():\n    return 1"))])
    react = agent("react-qwen:m?wrapper=qwen")
    request = SolveRequest("s", "set", "set.p1", 1, given, SolveLimits(5.0), files=("a.csv",))
    assert react.solve(request).code.endswith("\nsolution()")
    prompt = model.requests[0]["prompt"]
    assert prompt.endswith(f"<|im_end|>\n<|im_start|>assistant\n{opened}")
    assert "[Upload file a.csv]\n画图" in prompt


def test_options_that_are_not_known_are_told(serve: Serve) -> None:
    serve([Say("")])
    for name, word in {"react-cibench:m?rule=sound": "rules", "react-qwen:m?wrapper=other": "plain"}.items():
        with pytest.raises(UsageError) as caught:
            model_agent(name)
        assert word in caught.value.fix


def test_the_prompts_are_as_they_were(golden: Callable[[str, str], None], serve: Serve) -> None:
    for name in ("react-cibench", "react-qwen"):
        model = serve([Say("Final Answer: 1")])
        agent(f"{name}:m").solve(asked())
        golden(f"agents/{name}.json", json.dumps(model.requests[0], indent=1, ensure_ascii=False) + "\n")
