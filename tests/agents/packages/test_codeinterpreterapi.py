"""codeinterpreterapi: the package itself, with a scripted model and real sessions."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.packages.conftest import Score, said
from tests.scripted_model import Refuse, Say, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

AGENT = "codeinterpreterapi"


def calls(code: str) -> Say:
    """A reply that calls the package's one tool."""
    return Say("", calls=(("python", {"code": code}),))


def by_query(request: dict[str, Any]) -> Step:
    return calls("trips['km'].max()") if "longest" in said(request) else calls("len(trips)")


def test_it_bears_everything(bears_everything: Callable[[Any], str]) -> None:
    assert "answers a problem: ok, 7 characters of code" in bears_everything([calls("len(df)")])


def test_its_first_call_is_handed_in_and_earlier_cells_are_calls_before(score: Score) -> None:
    run = score(by_query)
    assert run.verdicts == ["CORRECT", "CORRECT"]
    assert run.codes == ["len(trips)", "trips['km'].max()"]
    first, second = run.model.requests
    assert "trips" in first["messages"][-1]["content"]
    assert "DataFrame" not in first["messages"][-1]["content"]  # names alone
    roles = [message["role"] for message in second["messages"]]
    assert roles == ["system", *["user", "assistant", "function"] * 2, "user"]
    call = second["messages"][5]["function_call"]
    assert (call["name"], "len(trips)" in call["arguments"]) == ("python", True)
    assert second["messages"][6]["content"] == "3"
    assert first["functions"][0]["name"] == "python"
    assert first["temperature"] == 0.03


def test_a_reply_without_a_call_is_no_answer(score: Score) -> None:
    run = score([Say("There are three.")], limit=1)
    assert run.codes == [""]
    assert "CORRECT" not in run.verdicts
    assert "no-call" in run.records[0]["labels"]


def test_a_later_attempt_is_told_what_came_of_the_last(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        return calls("len(trips)") if "NameError" in said(request) else calls("len(trip)")

    run = score(play, limit=1, max_attempts=2)
    assert run.codes == ["len(trip)", "len(trips)"]
    assert run.verdicts[-1] == "CORRECT"


def test_an_endpoint_that_fails_is_no_fault_of_the_agent(score: Score) -> None:
    run = score([Refuse(503, "overloaded")], limit=1)
    assert run.verdicts == ["NOT_JUDGED"]
    assert "the model endpoint answered with 503" in run.records[0]["agent_exception"]
