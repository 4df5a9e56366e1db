"""`chat`: what it sends, option by option, and how it mends, samples and shortens."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import (
    CapabilityOffError,
    Execution,
    Feedback,
    HistoryCell,
    Scope,
    SolveLimits,
    SolveRequest,
    Variable,
    model_agent,
)
from evaluator.agents.model_agents.chat import LADDER
from evaluator.agents.model_agents.replies import code_in_reply
from evaluator.agents.model_agents.shots import chosen, load_shots, ranked
from evaluator.agents.protocol import CellKind
from evaluator.errors import ContentError, UsageError
from tests.scripted_model import Refuse, Say, ScriptedModel

REQUEST = SolveRequest(
    "s",
    "set",
    "p2",
    2,
    "How many rows has `df`?",
    SolveLimits(1.0),
    history=(
        HistoryCell(CellKind.SETUP, "df = load()", origin="given"),
        HistoryCell(CellKind.PROBLEM, "df.sum()", "p1", "What is\nthe sum?", origin="agent"),
    ),
    variables=(Variable("df", "DataFrame", "pandas.DataFrame(shape=(2, 1))"), Variable("n", "int", "3")),
)
Ask = Callable[..., Any]


class Looking:
    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        raise CapabilityOffError(f"nothing is executed here: {code!r}, {scope}, {timeout_s}")

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        return tuple(Variable(name, "", encoding) for name in names or ())

    def progress(self, text: str) -> None:
        pass


def messages_of(server: ScriptedModel, number: int = -1) -> list[dict[str, Any]]:
    found = server.requests[number]["messages"]
    assert isinstance(found, list)
    return found


CODE = "```python\nlen(df)\n```"


def test_five_examples_make_twelve_messages_in_the_published_form(serve: Ask) -> None:
    server = serve([Say(CODE, prompt_tokens=7, completion_tokens=3)])
    submission = model_agent("chat:m").solve(REQUEST, Looking())
    messages = messages_of(server)
    assert [each["role"] for each in messages] == ["system", *["user", "assistant"] * 5, "user"]
    assert messages[-1]["content"] == (
        "### Variables\n\ndf: pandas.DataFrame(shape=(2, 1))\nn: 3\n\n"
        "### Executed code\n\n# %%\ndf = load()\n\n# %%\ndf.sum()\n\n"
        "### Request\n\nHow many rows has `df`?"
    )
    assert submission.code == "len(df)"
    assert (submission.usage["prompt_tokens"], submission.usage["calls"]) == (7, 1)
    assert server.requests[0]["temperature"] == 0
    assert server.requests[0]["max_tokens"] == 1000
    assert all(each["content"].startswith("```python\n") for each in messages[2:-1:2])
    assert len(submission.trace) == 13


def test_the_order_of_blocks_holds_for_examples_too(serve: Ask) -> None:
    server = serve([Say(CODE)])
    for order, first in (("qcv", "### Request"), ("vq", "### Variables")):
        model_agent(f"chat:m?context={order}").solve(REQUEST, Looking())
        asked = [each["content"] for each in messages_of(server)[1::2]]
        assert asked[-1].startswith(first)
        assert all(each.startswith(first) for each in asked) or order == "vq"
        assert any("### Exec" in each for each in asked) == (order == "qcv")


def test_the_intact_rule_can_be_switched_off_and_examples_follow(serve: Ask) -> None:
    server = serve([Say(CODE)])
    for word in ("on", "off"):
        model_agent(f"chat:m?intact_rule={word}").solve(REQUEST, Looking())
    with_rule, without = (messages_of(server, number) for number in (0, 1))
    assert "user's variables" in with_rule[0]["content"]
    assert "user's variables" not in without[0]["content"]
    assert "temperatures = temperatures.dropna()" in without[6]["content"]
    assert "dropna" not in with_rule[6]["content"]


def test_a_chain_of_thought_is_asked_for_and_shown(serve: Ask) -> None:
    server = serve([Say(f"The table has rows.\n\n{CODE}")])
    submission = model_agent("chat:m?thinking=chain").solve(REQUEST, Looking())
    messages = messages_of(server)
    assert "Think first" in messages[0]["content"]
    assert all(each["content"].endswith("Reason step by step before you write the code.") for each in messages[1::2])
    assert all(not each["content"].startswith("```") for each in messages[2::2])
    assert submission.code == "len(df)"


def test_a_count_and_a_share_of_examples_are_two_options(serve: Ask) -> None:
    server = serve([Say(CODE)])
    sizes = []
    for written in ("count=1", "fraction=1.0", "fraction=0.5", "count=0", "fraction=0.01"):
        model_agent(f"chat:m?shots_{written}").solve(REQUEST, Looking())
        sizes.append((len(messages_of(server)) - 2) // 2)
    assert sizes == [1, 5, 2, 0, 1]


def test_examples_are_ranked_by_how_near_their_queries_are(serve: Ask) -> None:
    shots = load_shots("shipped")
    query = "How many visits did each customer make? Show a table with the columns `customer` and `visits`."
    assert ranked(shots, query, None, nearest_last=False)[0] is shots[0]
    assert ranked(shots, query, None, nearest_last=True)[-1] is shots[0]
    regression = (
        "Fit a linear regression that predicts `y` from `x` on all rows, and show the coefficient of determination."
    )
    server = serve([Say(CODE)])
    model_agent("chat:m?rank_shots=knn&shots_count=2&nearest=last").solve(replace(REQUEST, query=regression), Looking())
    assert "linear regression" in messages_of(server)[3]["content"]
    assert len(messages_of(server)) == 6
    assert chosen(shots, count=None, fraction=0.0) == shots[:1]


def test_too_long_requests_become_shorter_rung_by_rung(serve: Ask) -> None:
    history = tuple(HistoryCell(CellKind.SETUP, f"cell{number}", origin="given") for number in range(10))
    request = replace(REQUEST, history=history)
    refusal = Refuse(400, "maximum context length exceeded", "context_length_exceeded")
    server = serve([refusal] * 6 + [Say(CODE)])
    submission = model_agent("chat:m").solve(request, Looking())
    assert submission.labels == ("rung-7",)
    assert [(len(messages_of(server, n)) - 2) // 2 for n in range(7)] == [5, 5, 4, 3, 2, 1, 1]
    cells = [len(re.findall("cell[0-9]", messages_of(server, n)[-1]["content"])) for n in range(7)]
    assert cells == [10, 10, 10, 8, 4, 1, 1]  # shares of what the rung before left; the most recent stay
    assert "cell9" in messages_of(server)[-1]["content"]
    shown = [re.findall(r"^df: (.*)$", messages_of(server, n)[-1]["content"], re.MULTILINE)[0] for n in range(7)]
    assert shown[1:6] == ["coml(10,15,5,10)", "coml(10,15,4,5)", "coml(8,12,4,5)", "coml(6,10,3,3)", "coml(2,5,2,2)"]
    assert shown[6] == ""


def test_a_request_that_is_too_long_in_every_form_fails_as_such(serve: Ask) -> None:
    server = serve([Refuse(400, "maximum context length exceeded", "context_length_exceeded")])
    submission = model_agent("chat:m").solve(REQUEST, Looking())
    assert submission.error is not None
    assert (submission.status, submission.error.kind) == ("error", "context_length")
    assert len(server.requests) == len(LADDER)
    counted = model_agent("chat:m?context_tokens=50").solve(REQUEST, Looking())
    assert counted.error is not None
    assert counted.error.kind == "context_length"
    assert len(server.requests) == len(LADDER)  # counted before sending: nothing was asked


def test_of_an_ensemble_the_likeliest_reply_wins(serve: Ask) -> None:
    script = [
        Say("```\n1\n```", logprobs=(-2.0,)),
        Say("```\n2\n```", logprobs=(-0.5,)),
        Say("```\n3\n```", logprobs=(-1.0,)),
    ]
    server = serve(script)
    submission = model_agent("chat:m?ensemble=3&temperature=0.7").solve(REQUEST, Looking())
    assert (submission.code, submission.usage["calls"], submission.usage["mean_logprob"]) == ("2", 3, -0.5)
    orders = [[each["content"] for each in messages_of(server, number)[1:-1:2]] for number in range(3)]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert orders[0] != orders[1]
    again = serve([Say("```\n4\n```")])
    unknown = model_agent("chat:m?ensemble=2").solve(REQUEST, Looking())
    assert unknown.labels == ("no-logprobs",)
    assert len(again.requests) == 2


def test_examples_of_ones_own_are_part_of_what_the_agent_is(serve: Ask, tmp_path: Path) -> None:
    serve([Say(CODE)])
    path = tmp_path / "shots.yaml"
    versions = []
    for code in ("x.sum()", "x.mean()", "x.sum()"):
        path.write_text(f"- query: What is it?\n  code: {code}\n")
        versions.append(model_agent(f"chat:m?shots={path}").describe().version)
    assert versions[0] == versions[2] != versions[1]
    assert {model_agent(f"chat:m{each}").describe().version for each in ("", "?shots=none")} == {"2"}


FAILED = Feedback("df.rows", "AttributeError: rows", None, None)


def attempt(number: int, feedback: Feedback) -> SolveRequest:
    return replace(REQUEST, attempt=number, feedback=feedback, starts_anew=True)


def test_the_first_repair_has_thirty_messages(serve: Ask) -> None:
    parts = ("Line by line:\nIt counts.", "What is wrong:\nThere is no `rows`.", "The mended code:")
    answer = "\n\n".join([*parts, CODE])
    server = serve([Say("```\ndf.rows\n```"), Say(answer)])
    agent = model_agent("chat:m?repair=self-debug")
    agent.solve(REQUEST, Looking())
    mended = agent.solve(attempt(2, FAILED), Looking())
    messages = messages_of(server)
    assert len(messages) == 30
    assert [each["role"] for each in messages] == ["system", *["user", "assistant"] * 14, "user"]
    assert mended.code == "len(df)"
    assert messages[-2]["content"] == "```python\ndf.rows\n```"
    assert messages[-1]["content"].startswith("This code has a problem.\n\n- It raised:\n  AttributeError: rows\n\n")
    assert "- It showed nothing.\n\n- There is no hint." in messages[-1]["content"]
    third = agent.solve(attempt(3, Feedback("len(df)", None, "2", "WRONG_OUTPUT")), Looking())
    assert len(messages_of(server)) == 32
    assert messages_of(server)[-1]["content"].startswith("The code still has a problem.\n\n- It raised no exception.")
    assert "- A hint: WRONG_OUTPUT" in messages_of(server)[-1]["content"]
    assert third.code == "len(df)"


def test_code_declared_right_is_submitted_again_then_another_way_asked(serve: Ask) -> None:
    right = "Line by line:\nIt counts.\n\nWhat is wrong:\nTHE CODE IS RIGHT."
    server = serve([Say("```\ndf.rows\n```"), Say(right), Say("```\nlen(df)\n```")])
    agent = model_agent("chat:m?repair=self-debug")
    agent.solve(REQUEST, Looking())
    second = agent.solve(attempt(2, FAILED), Looking())
    assert (second.code, second.labels) == ("df.rows", ("declared-right",))
    third = agent.solve(attempt(3, FAILED), Looking())
    assert "in another way" in messages_of(server)[-1]["content"]
    assert third.code == "len(df)"


def test_resampling_asks_the_same_again_and_another_sample_is_drawn(serve: Ask) -> None:
    server = serve([Say("```\n1\n```"), Say("```\n2\n```")])
    agent = model_agent("chat:m?repair=resample&temperature=0.8")
    codes = [agent.solve(REQUEST, Looking()).code, agent.solve(attempt(2, FAILED), Looking()).code]
    assert codes == ["1", "2"]
    assert server.requests[0]["messages"] == server.requests[1]["messages"]


def test_without_a_way_of_repair_the_attempt_and_what_came_of_it_are_added(serve: Ask) -> None:
    server = serve([Say(CODE)])
    model_agent("chat:m?shots=none").solve(attempt(2, FAILED), Looking())
    assert [each["role"] for each in messages_of(server)] == ["system", "user", "assistant", "user"]
    assert "AttributeError: rows" in messages_of(server)[-1]["content"]


def test_code_is_read_from_the_first_block_that_is_closed_best() -> None:
    replies: dict[str, tuple[str, tuple[str, ...]]] = {
        "Text.\n```python\na\n```\n```\nb\n```": ("a", ()),
        "```python\nprint('```')\n```\nText": ("print('```')", ()),
        "```python\na```": ("a", ()),
        "```python\na = 1\nb": ("a = 1\nb", ()),
        "a = 1\nb = 2": ("a = 1\nb = 2", ("unfenced",)),
        "<think>```\nno\n```</think>```\nyes\n```": ("yes", ()),
        "~~~\na\n~~~": ("a", ()),
        "": ("", ("unfenced",)),
        "```": ("```", ("unfenced",)),
        "Use `x` inline": ("Use `x` inline", ("unfenced",)),
        "```python\r\na\r\n```\r\n": ("a", ()),
    }
    assert {reply: code_in_reply(reply) for reply in replies} == replies


def test_options_that_cannot_be_are_refused_with_the_nearest(serve: Ask) -> None:
    serve([Say(CODE)])
    for written, told in {
        "encodng=lida": "use 'encoding'",
        "encoding=coml-concize": "use 'coml-concise'",
        "context=vv": "not at all",
        "shots_count=-1": "whole number from 0",
        "shots_fraction=2": "number from 0 to 1",
        "temperature=hot": "number from 0 to 2",
        "ensemble=0": "whole number from 1",
        "thinking=on": "use one of off, chain",
        "encoding=coml&encoding=lida": "written twice",
        "encoding": "write them as NAME=WORD",
        "shots=absent.yaml": "no such file",
        "rank_shots=knn&embedding=anthropic:m": "Anthropic has no models that embed texts",
    }.items():
        with pytest.raises(UsageError) as refused:
            model_agent(f"chat:m?{written}")
        assert told in f"{refused.value.what} {refused.value.fix}", written


def test_broken_files_of_examples_are_named_with_the_place(serve: Ask, tmp_path: Path) -> None:
    serve([Say(CODE)])
    for text, told in {
        "- query: [": "no YAML",
        "query: x": "no list",
        "- 5": "example 1 is no mapping",
        "- query: a\n  code: b\n- query: a": "example 2: 'code' is missing",
        "- query: a\n  code: b\n  cell: []": "unknown 'cell'",
        "- query: a\n  code: b\n  cells: x": "'cells' is missing or no text",
    }.items():
        (tmp_path / "shots.yaml").write_text(text)
        with pytest.raises(ContentError) as refused:
            model_agent(f"chat:m?shots={tmp_path / 'shots.yaml'}")
        assert told in refused.value.what
        assert refused.value.where.endswith("shots.yaml")


def test_the_options_are_part_of_the_agents_name(serve: Ask) -> None:
    serve([Say(CODE)])
    assert model_agent("chat:m?encoding=lida&shots_count=3").describe().name == "chat:m?encoding=lida&shots_count=3"
    card = model_agent("chat:m?encoding=lida").describe()
    assert (card.encoding, card.variables) == ("lida", True)
    assert model_agent("chat:m?context=q").describe().variables is False
