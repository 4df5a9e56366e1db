"""The model client against a real HTTP server on loopback: settings, answers, streams, retries, what the user reads."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from typing import Any

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.models import (
    AnswerSchema,
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
    exchange,
)
from evaluator.models.endpoint_faults import retry_pause
from tests.scripted_model import KEY, Drip, Drop, Raw, Refuse, Say, ScriptedModel, Step, Stream, Wait, scripted_model

QUESTION = (Message("system", "Answer."), Message("user", "How many?"))
SCHEMA = AnswerSchema("list", {"type": "object", "properties": {}, "required": [], "additionalProperties": False})


def client_of(server: ScriptedModel, *, retries: int = 3, timeout_s: float = 5.0, **more: Any) -> ModelClient:
    return ModelClient(ModelSettings("small", server.url, timeout_s=timeout_s, max_retries=retries), **more)


def ask(server: ScriptedModel, *, told: list[int] | None = None, **more: Any) -> Completion:
    on_progress = None if told is None else told.append
    return client_of(server, **more).complete(QUESTION, max_tokens=50, on_progress=on_progress)


def failure(script: Sequence[Step], *, told: list[int] | None = None, retries: int = 0, **more: Any) -> ToolkitError:
    with scripted_model(script) as server, pytest.raises(ToolkitError) as caught:
        ask(server, told=told, retries=retries, **more)
    assert caught.value.exit_code == 3
    assert caught.value.fix
    assert KEY not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    return caught.value


# Answers


def test_an_answer_comes_with_its_tokens_and_a_transcript_without_the_key() -> None:
    calls: list[ModelCall] = []
    with scripted_model([Say("42", prompt_tokens=7, completion_tokens=3)]) as server:
        answer = ask(server, on_call=calls.append)
    assert server.requests == [{
        "model": "small", "max_tokens": 50, "temperature": 0.0,
        "messages": [{"role": "system", "content": "Answer."}, {"role": "user", "content": "How many?"}],
    }]  # fmt: skip
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens, answer.cut_off) == ("42", 7, 3, False)
    assert answer.seconds > 0
    record = calls[0].to_json()
    assert record["messages"] == ({"role": "system", "content": "Answer."}, {"role": "user", "content": "How many?"})
    assert record["completion"]["text"] == "42"
    assert KEY not in repr(record)


def test_an_empty_message_is_an_empty_text_and_half_characters_do_no_harm() -> None:
    with scripted_model([Raw(b'{"choices": [{"message": {"content": null}}]}')]) as server:
        assert client_of(server).complete([Message("user", "caf\udce9")]).text == ""


def test_a_huge_answer_is_cut_and_counts_as_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_ANSWER_CHARS", 1000)
    for step, told in ((Say("x" * 1000), None), (Say("x" * 1001), None), (Stream(("y" * 400,) * 99), [])):
        with scripted_model([step]) as server:
            answer = ask(server, told=told)
        assert (len(answer.text), answer.cut_off) == (1000, step != Say("x" * 1000))


def test_functions_are_offered_and_their_calls_and_results_travel() -> None:
    tool = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})
    call = ("execute_code", {"code": "1 + 1"})
    with scripted_model([Say("", calls=(call,)), Say("done")]) as server:
        client = client_of(server)
        first = client.complete(QUESTION, tools=(tool,))
        turns = (Message("assistant", first.text, calls=first.calls), Message("tool", "2", call_id=first.calls[0].id))
        assert client.complete((*QUESTION, *turns), tools=(tool,)).text == "done"
    assert first.calls == (ToolCall("call-1", "execute_code", '{"code": "1 + 1"}'),)
    assert server.requests[0]["tools"][0]["function"]["name"] == "execute_code"
    assert server.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [first.calls[0].to_json()]},
        {"role": "tool", "content": "2", "tool_call_id": "call-1"},
    ]


def test_an_earlier_answer_is_recalled_costs_nothing_and_is_not_reported() -> None:
    earlier: dict[str, Completion | None] = {}
    calls: list[ModelCall] = []

    def note(call: ModelCall) -> None:
        calls.append(call)
        earlier[call.digest] = call.completion

    purse = Budget(BudgetLimits(tokens=20_000))
    with scripted_model([Say("first"), Say("second")]) as server:
        client = client_of(server, on_call=note, recall=earlier.get, purse=purse)
        answers = [client.complete(QUESTION) for _ in range(2)]
        assert client.complete(QUESTION, repeat=1).text == "second"
    assert [(answer.text, answer.cached) for answer in answers] == [("first", False), ("first", True)]
    assert (len(calls), purse.spent.tokens) == (2, 240)


def test_a_caller_with_an_event_loop_of_its_own_is_served() -> None:
    async def caller(server: ScriptedModel) -> str:
        return ask(server).text

    with scripted_model([Say("here")]) as server, ThreadPoolExecutor(1) as pool:  # a loop may be left in this thread
        assert pool.submit(lambda: asyncio.run(caller(server))).result() == "here"


# Endpoints that know less


def test_an_endpoint_that_wants_other_parameters_gets_them() -> None:
    capture = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    script: list[Step] = [Refuse(400, capture), Refuse(400, "Unsupported value: 'temperature'"), Say("thanks")]
    with scripted_model(script) as server:
        assert ask(server).text == "thanks"
    assert server.requests[-1]["max_completion_tokens"] == 50
    assert "temperature" not in server.requests[-1]


def test_a_schema_is_sent_and_done_without_where_it_is_refused() -> None:
    script: list[Step] = [
        Refuse(400, "response_format.type 'json_schema' is not supported"),
        Refuse(422, "Input should be 'text': response_format"),
        Say("[]"),
    ]
    with scripted_model(script) as server:
        client = client_of(server)
        assert client.complete(QUESTION, schema=SCHEMA).text == "[]"
        client.complete(QUESTION, schema=SCHEMA, repeat=1)
    forms = [request.get("response_format", {}).get("type") for request in server.requests]
    assert forms == ["json_schema", "json_object", None, None]
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA.schema


def test_how_likely_the_tokens_were_is_told_where_the_endpoint_knows() -> None:
    refusal = Refuse(400, "logprobs are not supported")
    with scripted_model([Say("a", logprobs=(-1.0, -3.0)), refusal, Say("b")]) as server:
        client = client_of(server)
        assert client.complete(QUESTION, has_logprobs=True).mean_logprob == -2.0
        assert client.complete(QUESTION, has_logprobs=True, repeat=1).mean_logprob is None
    assert [request.get("logprobs") for request in server.requests] == [True, True, None]


# Streams


def test_a_streamed_answer_is_put_together_and_its_progress_told() -> None:
    told: list[int] = []
    with scripted_model([Say("Länge in Stücken", "length", 7, 3, cached_tokens=5)]) as server:
        answer = ask(server, told=told)
    assert (answer.text, answer.cut_off, told[-1]) == ("Länge in Stücken", True, 16)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 3, 5)
    assert server.requests[0]["stream"] is True


def test_an_endpoint_that_answers_whole_all_the_same_is_understood() -> None:
    with scripted_model([Say("whole", streams=False)]) as server:
        assert ask(server, told=[]).text == "whole"
    assert len(server.requests) == 1


def test_an_endpoint_that_refuses_to_stream_is_asked_plainly_from_then_on() -> None:
    refusals = (Refuse(400, "stream_options is not known"), Refuse(422, "streaming is not supported"))
    script: list[Step] = [*refusals, Say("plain")]
    with scripted_model(script) as server:
        client = client_of(server)
        assert [client.complete(QUESTION, on_progress=lambda _: None, repeat=n).text for n in (0, 1)] == ["plain"] * 2
    assert ["stream" in request for request in server.requests] == [True, True, False, False]


def test_a_stream_that_breaks_off_is_asked_for_again_at_last_without() -> None:
    script: list[Step] = [Stream(("half an", " ans"), ends=False), Drop(after_bytes=200), Say("whole")]
    with scripted_model(script) as server:
        assert ask(server, told=[]).text == "whole"
    assert ["stream" in request for request in server.requests] == [True, True, False]


# Failures


def test_a_retry_after_header_is_kept_to() -> None:
    date = formatdate(time.time() + 2, usegmt=True)  # without fractions of a second
    with scripted_model([Refuse(429, "slow down", headers=(("Retry-After", date),)), Say("later")]) as server:
        started = time.monotonic()
        assert ask(server).text == "later"
    assert time.monotonic() - started >= 0.9
    assert len(server.requests) == 2


def test_retries_of_many_clients_are_spread() -> None:
    assert len({retry_pause(2) for _ in range(20)}) > 10
    assert all(6.0 <= retry_pause(99) <= 8.0 for _ in range(20))


def test_dropped_connections_and_broken_answers_are_asked_for_again() -> None:
    with scripted_model([Drop(), Drop(after_bytes=300), Raw(b'{"choices": [{"mess'), Say("here")]) as server:
        assert ask(server).text == "here"
    assert len(server.requests) == 4


def test_a_wrong_key_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[ModelCall] = []
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key-abcdefgh")
    with scripted_model([Say("never")]) as server, pytest.raises(ToolkitError, match="401") as caught:
        ask(server, on_call=calls.append)
    assert (calls[0].completion, "401" in calls[0].error) == (None, True)  # a failed call is in the transcript, too
    assert "sk-wrong" not in repr(calls[0])
    assert "OPENAI_API_KEY" in caught.value.fix
    assert "sk-wrong-key-abcdefgh" not in str(caught.value)
    assert server.requests == []


def test_each_failure_is_said_in_plain_words() -> None:
    faults: list[tuple[Step, str]] = [
        (Refuse(404, "no such model"), "knows no such model or path"),
        (Refuse(429, "pay first", "insufficient_quota"), "quota"),
        (Refuse(402, "pay first"), "quota"),
        (Refuse(429, "too fast", "rate_limit_exceeded"), "slow down"),
        (Refuse(503, "busy"), "HTTP 503"),
        (Refuse(500, "busy"), "the endpoint failed"),
        (Refuse(418, "a teapot"), "refused the request (HTTP 418)"),
        (Wait(3), "no answer in 0.3 s, 1 times"),
        (Drip(b'{"choices": [' + b" " * 1000, pause_s=0.02), "no answer in 0.3 s"),
    ]
    for step, said in faults:
        error = failure([step], timeout_s=0.3 if isinstance(step, Wait | Drip) else 5.0)
        assert said in error.what
        assert error.where.startswith("model 'small' at 127.0.0.1:")


def test_a_request_that_is_too_long_has_its_own_error() -> None:
    for refusal in (Refuse(400, "too big", "context_length_exceeded"), Refuse(413, "maximum context length is 8")):
        assert isinstance(failure([refusal]), ContextLengthError)


def test_a_stream_that_fails_ends_in_a_sentence() -> None:
    for step, said in (
        (Stream(("half",), ends=False, error="the model is overloaded"), "overloaded"),
        (Stream(("x",), ends=False), "ended before the answer did"),
        (Stream(("x",) * 1000, 0.02), "no answer in 0.4 s"),
    ):
        assert said in failure([step], timeout_s=0.4 if "0.4" in said else 5.0, told=[]).what


def test_no_server_at_all_is_said_in_plain_words() -> None:
    with scripted_model([Say("gone")]) as server:
        pass
    with pytest.raises(ToolkitError, match="cannot be reached") as caught:
        ask(server, retries=0)
    assert "OPENAI_BASE_URL" in caught.value.fix


NO_COMPLETION = (
    *(b"<html>hello</html>", b"{not json", b"{}", b'{"choices": []}', b'{"choices": [7]}', b"null", b"[1, 2]"),
    *(b"[" * 200_000, b"\xff\xfe\x00"),
)
NO_STREAM = (b"data: {not json\n\n", b"data: [1]\n\n", b"data: null\n\ndata: 7\n\n", b"\xff\xfe", b": nothing\n\n", b"")


def test_an_answer_that_is_no_completion_ends_in_a_message() -> None:
    for body in NO_COMPLETION:
        failure([Raw(body, "text/html" if b"html" in body else "application/json")])
    for body in NO_STREAM:
        failure([Raw(body, "text/event-stream")], told=[])


# Settings


def test_the_flag_wins_over_the_environment_and_no_name_is_no_model() -> None:
    assert ModelSettings.from_env("flag", {"BENCHWRIGHT_MODEL": "env"}).model == "flag"
    assert ModelSettings.from_env(None, {"BENCHWRIGHT_MODEL": "env"}).model == "env"
    assert configured_model(None, {}) is None
    with pytest.raises(ToolkitError, match="no model is named"):
        ModelSettings.from_env(None, {})


def test_a_setting_that_cannot_be_read_is_a_usage_error() -> None:
    for variable, *texts in (
        ("OPENAI_BASE_URL", "localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1"),
        ("BENCHWRIGHT_MODEL_TIMEOUT", "soon", "-1", "nan", "0"),
        ("BENCHWRIGHT_MODEL_RETRIES", "-1"),
    ):
        for text in texts:
            with pytest.raises(UsageError) as caught:
                configured_model("m", {variable: text})
            assert caught.value.where == variable
    found = ModelSettings.from_env("m", {"BENCHWRIGHT_MODEL_TIMEOUT": "7.5", "BENCHWRIGHT_MODEL_RETRIES": "0"})
    assert (found.timeout_s, found.max_retries) == (7.5, 0)


def test_a_password_in_the_address_is_not_recorded() -> None:
    settings = ModelSettings("m", "http://me:secret@models.example:8000/v1")
    assert settings.host == "models.example:8000"
    assert "secret" not in repr(settings.to_json())


def test_an_endpoint_that_wants_an_hour_of_patience_is_not_waited_for() -> None:
    for after, said in (
        ("3600", "wait 3600 s"),
        ("99999999999999999999", "wait until 99999999999999999999"),
        (formatdate(4e9, usegmt=True), "wait until Tue, 02 Oct 2096"),
        ("\u00e9" * 9, "wait a minute"),
    ):
        retries = 3 if after.isascii() else 0
        error = failure([Refuse(429, "slow down", headers=(("Retry-After", after),))], retries=retries)
        assert "slow down" in error.what
        assert said in error.fix
