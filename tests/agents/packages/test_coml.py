"""CoML: the package itself, with a scripted model and real sessions."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.packages.conftest import Score, said
from tests.scripted_model import Refuse, Say, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

AGENT = "coml"
COUNT = Say("```python\nlen(trips)\n```")


def by_query(request: dict[str, Any]) -> Step:
    return Say("```python\ntrips['km'].max()\n```") if "longest" in said(request).split("<user>")[-1] else COUNT


def test_it_bears_everything(bears_everything: Callable[[Any], str]) -> None:
    assert "answers a problem: ok, 7 characters of code" in bears_everything([Say("```python\nlen(df)\n```")])


def test_it_is_asked_as_its_own_benchmark_asks_it(score: Score) -> None:
    run = score(by_query)
    assert run.verdicts == ["CORRECT", "CORRECT"]
    assert run.codes == ["len(trips)", "trips['km'].max()"]
    first, second = run.model.requests
    assert len(first["messages"]) == 12  # a system message, five examples, the request
    last = first["messages"][-1]["content"]
    assert 'pandas.DataFrame(shape=(3, 2), columns=["city", "km"])' in last
    assert "How many trips are there?" in last
    assert "len(trips)" in second["messages"][-1]["content"]
    assert (first["temperature"], first["max_tokens"]) == (0.0, 1000)
    assert run.records[0]["agent_stats"]["usage_source"] == "measured"


def test_a_later_attempt_is_its_repair(score: Score) -> None:
    repaired = (
        "Explanation: counts.\nObserve what is wrong with the code: the name.\nFixed code:\n```python\nlen(trips)\n```"
    )

    def play(request: dict[str, Any]) -> Step:
        return Say(repaired) if "NameError" in said(request).split("<user>")[-1] else Say("```python\nlen(trip)\n```")

    run = score(play, limit=1, max_attempts=2)
    assert run.codes == ["len(trip)", "len(trips)"]
    assert run.verdicts[-1] == "CORRECT"
    assert len(run.model.requests[-1]["messages"]) == 30  # with six examples of repairs


def test_what_it_finds_nothing_wrong_with_comes_back(score: Score) -> None:
    def play(request: dict[str, Any]) -> Step:
        right = Say("THE CODE IS CORRECT.")
        return right if len(request["messages"]) > 12 else Say("```python\n4\n```")

    run = score(play, limit=1, max_attempts=2)
    assert run.codes[0] == "4"
    assert len(run.codes) == 2
    assert "CORRECT" not in run.verdicts


def test_after_a_failure_it_is_asked_anew_and_not_to_repair_the_problem_before(score: Score) -> None:
    requests: list[dict[str, Any]] = []

    def play(request: dict[str, Any]) -> Step:
        requests.append(request)
        return Refuse(400, "no such thing") if len(requests) == 2 else by_query(request)

    run = score(play, max_attempts=2)
    assert run.verdicts == ["CORRECT", "WRONG_OUTPUT", "CORRECT"]
    assert said(requests[2]) == said(requests[1])


@pytest.mark.parametrize(("options", "messages"), [("?num_examples=0.4", 6), ("?num_examples=1", 4)])
def test_a_count_and_a_share_of_examples_are_two_things(score: Score, options: str, messages: int) -> None:
    run = score([COUNT], options, limit=1)
    assert len(run.model.requests[0]["messages"]) == messages


def test_its_options_reach_it(score: Score) -> None:
    run = score([COUNT], "?intact_instruction=off&chain_of_thought=on&context_order=rcv&temperature=0.5", limit=1)
    plain = score([COUNT], out="plain", limit=1).model.requests[0]
    (asked,) = run.model.requests
    assert asked["temperature"] == 0.5
    assert len(said(asked).split("<user>")[0]) != len(said(plain).split("<user>")[0])
    last = asked["messages"][-1]["content"]
    assert last.index("How many trips") < last.index("pandas.DataFrame(shape")
    told = plain["messages"][-1]["content"]
    assert told.index("pandas.DataFrame(shape") < told.index("How many trips")


def test_an_endpoint_that_fails_is_no_fault_of_the_agent(score: Score) -> None:
    run = score([Refuse(503, "overloaded")], limit=1)
    assert run.verdicts == ["NOT_JUDGED"]
    assert "the model endpoint answered with 503" in run.records[0]["agent_exception"]
