"""Open Interpreter: the program itself in a process of its own, with a scripted model and real sessions."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.packages.conftest import Score, said
from tests.scripted_model import Refuse, Say, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

AGENT = "open-interpreter"
DONE = Say("There are three.")


def code(text: str) -> Say:
    """A reply with a block of code."""
    return Say(f"I count.\n```python\n{text}\n```")


def has_run(request: dict[str, Any]) -> bool:
    """Whether a block of code ran in this conversation."""
    return any(message["role"] == "assistant" for message in request["messages"])


def test_it_bears_everything(bears_everything: Callable[[Any], str]) -> None:
    report = bears_everything(lambda request: DONE if has_run(request) else code("len(df)"))
    assert "answers a problem: ok, 7 characters of code" in report


def test_it_works_on_a_copy_and_hands_in_what_ran(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        if has_run(request):
            return DONE
        return code("trips['km'].max()") if "longest" in said(request) else code("len(trips)")

    run = score(play)
    assert run.verdicts == ["CORRECT", "CORRECT"]
    assert run.codes == ["len(trips)", "trips['km'].max()"]
    first, second, *_ = run.model.requests
    assert "How many trips are there?" in said(first)
    assert "trips (DataFrame)" in said(first)
    assert "3" in second["messages"][-1]["content"]
    stats = run.records[0]["agent_stats"]
    assert (stats["calls"], stats["usage_source"]) == (2, "measured")


@pytest.mark.parametrize(("options", "handed_in"), [("", "a = 1\n\na + 2"), ("?submit=last", "a + 2")])
def test_its_cells_are_joined_or_the_last_is_handed_in(score: Score, options: str, handed_in: str) -> None:
    def play(request: dict[str, Any]) -> Step:
        ran = sum(message["role"] == "assistant" for message in request["messages"])
        return (code("a = 1"), code("a + 2"), DONE)[min(ran, 2)]

    assert score(play, options, limit=1).codes == [handed_in]


def test_an_error_is_told_to_it_and_other_languages_do_not_run(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        text = said(request)
        if "disabled or not supported" in text:
            return code("len(trips)") if "NameError" in text else code("missing")
        return Say("```shell\necho hello\n```")

    def ending(request: dict[str, Any]) -> Step:
        return DONE if "len(trips)\n```" in said(request).split("<user>", 2)[-1] else play(request)

    run = score(ending, limit=1)
    assert run.codes[0].endswith("len(trips)")
    assert "echo" not in run.codes[0]


def test_out_of_executions_it_hands_in_what_it_has(score: Score) -> None:
    run = score([code("len(trips)")], limit=1, executions=2)
    assert run.codes == ["len(trips)\n\nlen(trips)"]
    assert "out-of-executions" in run.records[0]["labels"]


def test_an_endpoint_that_fails_is_no_fault_of_the_agent(score: Score) -> None:
    run = score([Refuse(503, "overloaded")], limit=1)
    assert run.verdicts == ["NOT_JUDGED"]
    assert "the model endpoint answered with 503" in run.records[0]["agent_exception"]
