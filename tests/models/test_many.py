"""Many requests at once: their order, their number under way, and what stops them."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import (
    Budget,
    BudgetSpentError,
    Completion,
    ContextLengthError,
    Message,
    ModelCall,
    ModelClient,
    ModelRequest,
    ModelSettings,
    Purse,
)
from tests.scripted_model import Refuse, Say, Step, scripted_model


def requests(count: int) -> list[ModelRequest]:
    return [ModelRequest((Message("user", f"question {n}"),), max_tokens=100) for n in range(count)]


def echo(request: dict[str, Any]) -> Step:
    number = int(request["messages"][-1]["content"].split()[-1])
    return Say(f"answer {number}", prompt_tokens=50, completion_tokens=50, delay_s=0.05 if number == 0 else 0.0)


def settings(url: str) -> ModelSettings:
    return ModelSettings("small", url, max_retries=0)


def test_answers_come_in_the_order_of_the_requests() -> None:
    done: list[tuple[int, int]] = []
    with scripted_model(echo) as server:
        found = ModelClient(settings(server.url)).complete_many(
            requests(8), concurrency=4, on_done=lambda n, total: done.append((n, total))
        )
    assert [answer.text for answer in found.completions if answer] == [f"answer {n}" for n in range(8)]
    assert found.is_complete
    assert done == [(n, 8) for n in range(1, 9)]


def test_no_more_requests_are_under_way_than_allowed() -> None:
    lock, under_way, most = threading.Lock(), 0, 0
    both = threading.Barrier(2, timeout=20)

    def count(request: dict[str, Any]) -> Step:
        return Say("x", delay_s=0.01)

    with scripted_model(count) as server:
        original = server.next_step

        def counted(request: dict[str, Any]) -> Step:
            nonlocal under_way, most
            with lock:
                under_way += 1
                most = max(most, under_way)
            both.wait()  # two are here at the same time, and never a third
            with lock:
                under_way -= 1
            return original(request)

        server.next_step = counted  # type: ignore[method-assign]  # the server asks the instance
        found = ModelClient(settings(server.url)).complete_many(requests(6), concurrency=2)
    assert found.is_complete
    assert most == 2


def test_equal_requests_are_asked_once() -> None:
    with scripted_model([Say("same")]) as server:
        found = ModelClient(settings(server.url)).complete_many([*requests(1), *requests(2)], concurrency=3)
    assert [answer.text for answer in found.completions if answer] == ["same"] * 3
    assert len(server.requests) == 2


def test_the_first_fault_stops_new_requests_and_keeps_finished_ones() -> None:
    def script(request: dict[str, Any]) -> Step:
        return Refuse(401, "no") if request["messages"][-1]["content"] == "question 2" else echo(request)

    calls: list[ModelCall] = []
    with scripted_model(script) as server:
        client = ModelClient(settings(server.url), on_call=calls.append)
        found = client.complete_many(requests(9), concurrency=1)
    assert [answer is not None for answer in found.completions] == [True, True] + [False] * 7
    assert found.fault is not None
    assert "401" in found.fault.what
    assert len(server.requests) == len(calls) == 3


def test_a_request_that_is_too_long_does_not_stop_the_others() -> None:
    def script(request: dict[str, Any]) -> Step:
        too_long = request["messages"][-1]["content"] == "question 1"
        return Refuse(400, "maximum context length is 8") if too_long else echo(request)

    with scripted_model(script) as server:
        found = ModelClient(settings(server.url)).complete_many(requests(4), concurrency=2)
    assert [answer is not None for answer in found.completions] == [True, False, True, True]
    assert isinstance(found.refused[1], ContextLengthError)
    assert found.fault is None


def test_a_budget_stops_before_the_request_that_might_exceed_it() -> None:
    purse = Purse(Budget(tokens=500))
    with scripted_model(echo) as server:
        found = ModelClient(settings(server.url), purse=purse).complete_many(requests(9), concurrency=4)
    assert isinstance(found.fault, BudgetSpentError)
    assert [answer is not None for answer in found.completions] == [True] * 4 + [False] * 5
    assert purse.spent.tokens == 400  # a fifth request could have taken more than 100
    assert len(server.requests) == 4


def test_recalled_answers_cost_nothing_and_are_not_reported() -> None:
    calls: list[ModelCall] = []
    purse = Purse(Budget(tokens=0))
    client = ModelClient(settings("http://127.0.0.1:9/v1"), on_call=calls.append, recall=known, purse=purse)
    found = client.complete_many(requests(3))
    assert [answer.recalled for answer in found.completions if answer] == [True] * 3
    assert (calls, purse.spent.tokens) == ([], 0)


def known(digest: str) -> Completion:
    return Completion(f"known {digest[:4]}", 10, 10)


def test_a_caller_with_an_event_loop_of_its_own_is_served() -> None:
    async def caller(client: ModelClient) -> str:
        return client.complete(requests(1)[0].messages).text

    with scripted_model(echo) as server, ThreadPoolExecutor(1) as pool:  # another test may have left a loop in this one
        client = ModelClient(settings(server.url))
        assert pool.submit(lambda: asyncio.run(caller(client))).result() == "answer 0"


def test_nothing_under_way_at_a_time_is_no_number() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ModelClient(settings("http://127.0.0.1:9/v1")).complete_many(requests(1), concurrency=0)


def test_an_endpoint_that_is_gone_is_told_once() -> None:
    found = ModelClient(settings("http://127.0.0.1:9/v1")).complete_many(requests(5), concurrency=2)
    assert found.completions == (None,) * 5
    assert isinstance(found.fault, ToolkitError)
    assert "cannot be reached" in found.fault.what
