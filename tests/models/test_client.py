"""The model client against a real HTTP server on loopback."""

import asyncio
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.models import (
    Budget,
    BudgetLimits,
    Completion,
    ContextLengthError,
    Message,
    ModelCall,
    ModelClient,
    ModelSettings,
    ToolCall,
    ToolSchema,
    configured_model,
)
from evaluator.models.endpoint_faults import retry_pause
from tests.scripted_model import KEY, Drip, Drop, Raw, Refuse, Say, ScriptedModel, Step, Wait, scripted_model

NOWHERE = ModelSettings("small", "http://127.0.0.1:9/v1", max_retries=0)
QUESTION = (Message("system", "Answer."), Message("user", "How many?"))


def ask(
    server: ScriptedModel,
    *,
    retries: int = 3,
    timeout_s: float = 5.0,
    calls: list[ModelCall] | None = None,
    question: Sequence[Message] = QUESTION,
) -> str:
    settings = ModelSettings("small", server.url, timeout_s=timeout_s, max_retries=retries)
    with ModelClient(settings, on_call=None if calls is None else calls.append) as client:
        return client.complete(question, max_tokens=50).text


def failure(script: Sequence[Step], **options: float) -> ToolkitError:
    with scripted_model(script) as server, pytest.raises(ToolkitError) as caught:
        ask(server, retries=int(options.get("retries", 0)), timeout_s=options.get("timeout_s", 5.0))
    assert caught.value.exit_code == 3
    assert caught.value.fix
    assert KEY not in str(caught.value)
    return caught.value


def test_an_answer_comes_with_its_tokens_and_time() -> None:
    calls: list[ModelCall] = []
    with scripted_model([Say("42", prompt_tokens=7, completion_tokens=3)]) as server:
        assert ask(server, calls=calls) == "42"
    assert server.requests[0]["model"] == "small"
    assert server.requests[0]["max_tokens"] == 50
    assert [m["role"] for m in server.requests[0]["messages"]] == ["system", "user"]
    completion = calls[0].completion
    assert completion is not None
    assert (completion.prompt_tokens, completion.completion_tokens) == (7, 3)
    assert completion.seconds > 0


def test_the_transcript_holds_everything_but_the_key() -> None:
    calls: list[ModelCall] = []
    with scripted_model([Say("42")]) as server:
        ask(server, calls=calls)
    record = calls[0].to_json()
    assert record["messages"] == ({"role": "system", "content": "Answer."}, {"role": "user", "content": "How many?"})
    assert record["completion"]["text"] == "42"
    assert KEY not in repr(record)


def test_a_failed_call_is_in_the_transcript_too() -> None:
    calls: list[ModelCall] = []
    with scripted_model([Refuse(401, f"bad key {KEY}")]) as server, pytest.raises(ToolkitError):
        ask(server, calls=calls)
    assert calls[0].completion is None
    assert "401" in calls[0].error
    assert KEY not in repr(calls[0])


def test_a_retry_after_header_is_kept_to() -> None:
    with scripted_model([Refuse(429, "slow down", headers=(("Retry-After", "1"),)), Say("later")]) as server:
        started = time.monotonic()
        assert ask(server) == "later"
    assert time.monotonic() - started >= 1.0
    assert len(server.requests) == 2


def test_a_date_in_a_retry_after_header_is_kept_to() -> None:
    date = formatdate(time.time() + 2, usegmt=True)  # without fractions of a second
    with scripted_model([Refuse(503, "busy", headers=(("Retry-After", date),)), Say("later")]) as server:
        started = time.monotonic()
        assert ask(server) == "later"
    assert time.monotonic() - started >= 0.9


@pytest.mark.parametrize("asked", ["3600", "99999999999999999999", formatdate(4e9, usegmt=True)])
def test_an_endpoint_that_wants_an_hour_of_patience_is_not_waited_for(asked: str) -> None:
    script = [Refuse(429, "slow down", headers=(("Retry-After", asked),))]
    with scripted_model(script) as server, pytest.raises(ToolkitError, match="slow down") as caught:
        ask(server)
    assert len(server.requests) == 1
    assert "wait" in caught.value.fix


def test_the_remedy_says_how_long_the_endpoint_wants_to_wait() -> None:
    assert "wait 3600 s" in failure([Refuse(429, "slow", headers=(("Retry-After", "3600"),))]).fix
    assert "wait a minute" in failure([Refuse(429, "slow", headers=(("Retry-After", "\u00e9" * 9),))]).fix


def test_retries_of_many_clients_are_spread() -> None:
    assert len({retry_pause(2) for _ in range(20)}) > 10
    assert all(6.0 <= retry_pause(99) <= 8.0 for _ in range(20))


def test_an_answer_that_drips_in_runs_into_the_time_limit() -> None:
    dripping = Drip(b'{"choices": [' + b" " * 1000, pause_s=0.02)
    assert "no answer in 0.4 s" in failure([dripping], timeout_s=0.4).what


def test_a_dropped_connection_is_retried() -> None:
    with scripted_model([Drop(), Drop(after_bytes=300), Say("still here")]) as server:
        assert ask(server) == "still here"
    assert len(server.requests) == 3


def test_an_answer_that_is_not_json_is_asked_for_again() -> None:
    with scripted_model([Raw(b'{"choices": [{"mess'), Say("whole")]) as server:
        assert ask(server) == "whole"
    assert len(server.requests) == 2


def test_a_wrong_key_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key-abcdefgh")
    with scripted_model([Say("never")]) as server, pytest.raises(ToolkitError, match="401") as caught:
        ask(server)
    assert "OPENAI_API_KEY" in caught.value.fix
    assert "sk-wrong-key-abcdefgh" not in str(caught.value)
    assert server.requests == []


def test_without_a_key_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ToolkitError, match="no key"):
        ModelClient(ModelSettings("small", "http://127.0.0.1:9/v1"))


def test_an_unknown_model_is_named() -> None:
    assert "'small'" in failure([Refuse(404, "no such model")]).where


def test_a_used_up_quota_is_told_from_a_busy_endpoint() -> None:
    assert "quota" in failure([Refuse(429, "pay first", "insufficient_quota")]).what
    assert "quota" in failure([Refuse(402, "pay first")]).what
    assert "slow down" in failure([Refuse(429, "too fast", "rate_limit_exceeded")]).what


def test_a_request_that_is_too_long_has_its_own_error() -> None:
    assert isinstance(failure([Refuse(400, "too big", "context_length_exceeded")]), ContextLengthError)
    assert isinstance(failure([Refuse(400, "maximum context length is 8 tokens")]), ContextLengthError)


def test_a_server_error_is_reported_after_the_retries() -> None:
    assert "HTTP 503" in failure([Refuse(503, "busy")], retries=1).what


def test_a_silent_server_runs_into_the_time_limit() -> None:
    assert "no answer in 0.3 s" in failure([Wait(3)], timeout_s=0.3).what


def test_no_server_at_all_is_said_in_plain_words() -> None:
    with scripted_model([Say("gone")]) as server:
        pass
    with pytest.raises(ToolkitError, match="cannot be reached") as caught:
        ask(server, retries=0)
    assert "OPENAI_BASE_URL" in caught.value.fix


@pytest.mark.parametrize(
    "body",
    [
        Raw(b"<html>hello</html>", "text/html"),
        Raw(b"{not json", "application/json"),
        Raw(b"{}", "application/json"),
        Raw(b'{"choices": []}', "application/json"),
        Raw(b'{"choices": [7]}', "application/json"),
        Raw(b"null", "application/json"),
        Raw(b"[1, 2]", "application/json"),
        Raw(b"[" * 200_000, "application/json"),
        Raw(b"\xff\xfe\x00", "application/json"),
    ],
)
def test_an_answer_that_is_no_completion_ends_in_a_message(body: Raw) -> None:
    error = failure([body])
    assert "Traceback" not in str(error)


def test_an_empty_message_is_an_empty_text() -> None:
    with scripted_model([Raw(b'{"choices": [{"message": {"content": null}}]}')]) as server:
        assert ask(server) == ""


def test_a_huge_answer_is_cut_and_counts_as_cut_off() -> None:
    calls: list[ModelCall] = []
    with scripted_model([Say("x" * 5_000_000)]) as server:
        assert len(ask(server, calls=calls)) == 2_000_000
    completion = calls[0].completion
    assert completion is not None
    assert completion.cut_off


def test_half_characters_in_a_question_do_no_harm() -> None:
    with scripted_model([Say("fine")]) as server:
        assert ask(server, question=[Message("user", "caf\udce9")]) == "fine"


def test_an_endpoint_that_wants_other_parameters_gets_them() -> None:
    capture = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    script: list[Step] = [Refuse(400, capture), Refuse(400, "Unsupported value: 'temperature'"), Say("thanks")]
    with scripted_model(script) as server:
        assert ask(server) == "thanks"
    assert server.requests[-1]["max_completion_tokens"] == 50
    assert "temperature" not in server.requests[-1]


def test_an_earlier_answer_to_the_same_request_is_cached() -> None:
    earlier = {}
    settings = ModelSettings("small", "http://127.0.0.1:9/v1", max_retries=0)
    with scripted_model([Say("first"), Say("second")]) as server:
        settings = ModelSettings("small", server.url)
        with ModelClient(settings, on_call=lambda c: earlier.update({c.digest: c.completion}), recall=earlier.get) as m:
            assert [m.complete(QUESTION).text for _ in range(2)] == ["first", "first"]
            assert m.complete(QUESTION, repeat=1).text == "second"


def test_the_flag_wins_over_the_environment_and_no_name_means_no_model() -> None:
    assert ModelSettings.from_env("flag", {"BENCHWRIGHT_MODEL": "env"}).model == "flag"
    assert ModelSettings.from_env(None, {"BENCHWRIGHT_MODEL": "env"}).model == "env"
    assert configured_model(None, {}) is None
    with pytest.raises(ToolkitError, match="no model is named"):
        ModelSettings.from_env(None, {})


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "nonsense"])
def test_an_address_that_cannot_be_read_is_a_usage_error(address: str) -> None:
    with pytest.raises(UsageError, match="address"):
        configured_model("m", {"OPENAI_BASE_URL": address})


@pytest.mark.parametrize("seconds", ["soon", "-1", "nan", "0"])
def test_a_time_limit_that_is_no_number_is_a_usage_error(seconds: str) -> None:
    with pytest.raises(UsageError):
        configured_model("m", {"BENCHWRIGHT_MODEL_TIMEOUT": seconds})


def test_a_password_in_the_address_is_not_recorded() -> None:
    settings = ModelSettings("m", "http://me:secret@models.example:8000/v1")
    assert settings.host == "models.example:8000"
    assert "secret" not in repr(settings.to_json())


def test_a_recalled_answer_costs_nothing_and_is_not_reported() -> None:
    calls: list[ModelCall] = []
    purse = Budget(BudgetLimits(tokens=0))
    known = Completion("known", 10, 10)
    client = ModelClient(NOWHERE, on_call=calls.append, recall=lambda _: known, purse=purse)
    answer = client.complete(QUESTION)
    assert answer.cached
    assert (calls, purse.spent.tokens) == ([], 0)


def test_a_caller_with_an_event_loop_of_its_own_is_served() -> None:
    async def caller(client: ModelClient) -> str:
        return client.complete(QUESTION).text

    with (
        scripted_model([Say("here")]) as server,
        ThreadPoolExecutor(1) as pool,
    ):  # another test may have left a loop here
        client = ModelClient(ModelSettings("small", server.url))
        assert pool.submit(lambda: asyncio.run(caller(client))).result() == "here"


def test_functions_are_offered_and_their_calls_and_results_travel() -> None:
    tool = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})
    call = ("execute_code", {"code": "1 + 1"})
    with scripted_model([Say("", calls=(call,)), Say("done")]) as server:
        client = ModelClient(ModelSettings("small", server.url))
        first = client.complete(QUESTION, tools=(tool,))
        turns = (Message("assistant", first.text, calls=first.calls), Message("tool", "2", call_id=first.calls[0].id))
        assert client.complete((*QUESTION, *turns), tools=(tool,)).text == "done"
    assert first.calls == (ToolCall("call-1", "execute_code", '{"code": "1 + 1"}'),)
    assert server.requests[0]["tools"][0]["function"]["name"] == "execute_code"
    assert server.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [first.calls[0].to_json()]},
        {"role": "tool", "content": "2", "tool_call_id": "call-1"},
    ]


def test_the_older_form_of_a_call_is_read_and_nonsense_is_none() -> None:
    def answer(message: dict[str, Any]) -> Raw:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
        return Raw(json.dumps({"id": "1", "object": "chat.completion", "choices": [choice]}).encode())

    script = [
        answer({"function_call": {"name": "python", "arguments": "{}"}}),
        answer({"tool_calls": [{"id": 5, "function": {"name": 7}}, "x", None]}),
    ]
    with scripted_model(script) as server:
        client = ModelClient(ModelSettings("small", server.url))
        assert client.complete(QUESTION).calls == (ToolCall("call-1", "python", "{}"),)
        assert client.complete(QUESTION).calls == ()


def test_how_likely_the_tokens_were_is_told_where_the_endpoint_knows() -> None:
    refusal = Refuse(400, "logprobs are not supported")
    with scripted_model([Say("a", logprobs=(-1.0, -3.0)), refusal, Say("b")]) as server:
        client = ModelClient(ModelSettings("small", server.url))
        assert client.complete(QUESTION, has_logprobs=True).mean_logprob == -2.0
        assert client.complete(QUESTION, has_logprobs=True, repeat=1).mean_logprob is None
    assert [request.get("logprobs") for request in server.requests] == [True, True, None]
