"""What models of Anthropic and Google have in common, against real HTTP servers on loopback."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

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
)
from evaluator.models.exchange import MAX_ANSWER_CHARS
from tests.scripted_model import KEY, Drip, Drop, Raw, Refuse, Say, ScriptedModel, Step, Stream, Wait
from tests.scripted_providers import scripted_anthropic, scripted_google

QUESTION = (Message("system", "Answer."), Message("user", "How many?"))
TOOL = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})


class Provider(NamedTuple):
    name: str
    serve: Callable[[Sequence[Step]], AbstractContextManager[ScriptedModel]]
    cut_off: str  # the word for an answer that reached the token limit
    key_variable: str
    url_variable: str


ANTHROPIC = Provider("anthropic", scripted_anthropic, "max_tokens", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
GOOGLE = Provider("google", scripted_google, "MAX_TOKENS", "GOOGLE_API_KEY or GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")


@pytest.fixture(params=[ANTHROPIC, GOOGLE], ids=lambda each: each.name)
def provider(request: pytest.FixtureRequest) -> Provider:
    assert isinstance(request.param, Provider)
    return request.param


def settings(provider: Provider, server: ScriptedModel, *, retries: int = 3, timeout_s: float = 5.0) -> ModelSettings:
    return ModelSettings(f"{provider.name}:small", server.url, timeout_s=timeout_s, max_retries=retries)


def ask(provider: Provider, server: ScriptedModel, *, told: list[int] | None = None, retries: int = 3) -> Completion:
    with ModelClient(settings(provider, server, retries=retries)) as client:
        return client.complete(QUESTION, max_tokens=50, on_progress=None if told is None else told.append)


def failure(
    provider: Provider,
    script: Sequence[Step],
    *,
    retries: int = 0,
    timeout_s: float = 5.0,
    told: list[int] | None = None,
) -> ToolkitError:
    with provider.serve(script) as server:
        client = ModelClient(settings(provider, server, retries=retries, timeout_s=timeout_s))
        with pytest.raises(ToolkitError) as caught:
            client.complete(QUESTION, on_progress=None if told is None else told.append)
    assert caught.value.exit_code == 3
    assert caught.value.fix
    assert KEY not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    return caught.value


def test_an_answer_comes_with_its_tokens_those_of_a_cache_among_them(provider: Provider) -> None:
    calls: list[ModelCall] = []
    with provider.serve([Say("42", prompt_tokens=7, completion_tokens=3, cached_tokens=5)]) as server:
        answer = ModelClient(settings(provider, server), on_call=calls.append).complete(QUESTION, max_tokens=50)
    assert (answer.text, answer.finish_reason, answer.calls) == ("42", "stop", ())
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 3, 5)
    record = calls[0].to_json()
    assert (record["model"], record["host"]) == (f"{provider.name}:small", server.url.removeprefix("http://"))
    assert server.requests[0]["model"] == "small"
    assert KEY not in repr(record)


def test_an_answer_that_reached_the_token_limit_is_cut_off(provider: Provider) -> None:
    with provider.serve([Say("half", provider.cut_off)]) as server:
        assert ask(provider, server).cut_off


def test_a_streamed_answer_is_put_together_and_its_progress_told(provider: Provider) -> None:
    told: list[int] = []
    with provider.serve([Say("Länge in Stücken", provider.cut_off, 7, 3, cached_tokens=5)]) as server:
        answer = ask(provider, server, told=told)
    assert (answer.text, answer.cut_off, told[-1]) == ("Länge in Stücken", True, 16)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 3, 5)
    assert server.requests[0]["stream"] is True


def test_calls_come_whole_and_in_a_stream(provider: Provider) -> None:
    say = Say("I look.", calls=(("execute_code", {"code": "1 + 1"}), ("execute_code", {"code": "'2'"})))
    with provider.serve([say]) as server, ModelClient(settings(provider, server)) as client:
        whole = client.complete(QUESTION, tools=(TOOL,))
        streamed = client.complete(QUESTION, tools=(TOOL,), on_progress=lambda _: None, repeat=1)
    for answer in (whole, streamed):
        assert (answer.text, answer.finish_reason) == ("I look.", "tool_calls")
        assert [(call.name, call.arguments) for call in answer.calls] == [
            ("execute_code", '{"code": "1 + 1"}'),
            ("execute_code", '{"code": "\'2\'"}'),
        ]
        assert len({call.id for call in answer.calls}) == 2


def test_calls_without_arguments_have_an_empty_object(provider: Provider) -> None:
    say = Say("", calls=(("execute_code", {}),))
    with provider.serve([say]) as server, ModelClient(settings(provider, server)) as client:
        assert client.complete(QUESTION, tools=(TOOL,)).calls[0].arguments == "{}"
        assert client.complete(QUESTION, tools=(TOOL,), on_progress=lambda _: None).calls[0].arguments == "{}"


def test_a_stream_that_breaks_off_is_asked_for_again_and_at_last_without_a_stream(provider: Provider) -> None:
    script: list[Step] = [Stream(("half an", " ans"), ends=False), Stream(("x",), ends=False), Say("whole")]
    with provider.serve(script) as server:
        assert ask(provider, server, told=[]).text == "whole"
    assert [bool(request.get("stream")) for request in server.requests] == [True, True, False]


def test_a_stream_that_ends_in_an_error_says_so(provider: Provider) -> None:
    assert "overloaded" in failure(provider, [Stream(("half",), ends=False, error="it is overloaded")], told=[]).what


def test_a_stream_that_breaks_off_every_time_ends_in_a_sentence(provider: Provider) -> None:
    assert "ended before the answer did" in failure(provider, [Stream(("x",), ends=False)], told=[]).what


def test_a_stream_that_drips_runs_into_the_time_limit(provider: Provider) -> None:
    assert "no answer in 0.4 s" in failure(provider, [Stream(("x",) * 1000, 0.02)], timeout_s=0.4, told=[]).what


def test_an_endless_stream_is_cut(provider: Provider) -> None:
    with provider.serve([Stream(("y" * 500_000,) * 9)]) as server:
        answer = ask(provider, server, told=[])
    assert (len(answer.text), answer.cut_off) == (MAX_ANSWER_CHARS, True)


@pytest.mark.parametrize("body", [b"data: {not json\n\n", b"data: [1]\n\n", b"data: null\n\n", b"\xff\xfe", b""])
def test_a_stream_of_something_else_ends_in_a_sentence(provider: Provider, body: bytes) -> None:
    failure(provider, [Raw(body, "text/event-stream")], told=[])


@pytest.mark.parametrize("body", [b"{}", b'{"candidates": []}', b"null", b"[1, 2]", b"{not json", b"\xff\xfe\x00"])
def test_an_answer_that_is_none_ends_in_a_sentence(provider: Provider, body: bytes) -> None:
    failure(provider, [Raw(body)])
    failure(provider, [Raw(b"<html>hello</html>", "text/html")])


def test_a_huge_answer_is_cut_and_counts_as_cut_off(provider: Provider) -> None:
    with provider.serve([Say("x" * 3_000_000)]) as server:
        answer = ask(provider, server)
    assert (len(answer.text), answer.cut_off) == (MAX_ANSWER_CHARS, True)


def test_a_retry_after_header_is_kept_to(provider: Provider) -> None:
    with provider.serve([Refuse(429, "slow down", headers=(("Retry-After", "1"),)), Say("later")]) as server:
        started = time.monotonic()
        assert ask(provider, server).text == "later"
    assert time.monotonic() - started >= 1.0


@pytest.mark.parametrize("asked", ["3600", "3599.25"])
def test_an_endpoint_that_wants_an_hour_of_patience_is_not_waited_for(provider: Provider, asked: str) -> None:
    error = failure(provider, [Refuse(429, "slow down", headers=(("Retry-After", asked),))], retries=3)
    assert "slow down" in error.what
    assert "wait 3600 s" in error.fix


@pytest.mark.parametrize("status", [408, 409, 500, 503, 529])
def test_a_busy_endpoint_is_asked_again(provider: Provider, status: int) -> None:
    with provider.serve([Refuse(status, "busy"), Say("later")]) as server:
        assert ask(provider, server).text == "later"
    assert f"HTTP {status}" in failure(provider, [Refuse(status, "busy")]).what


def test_a_dropped_connection_is_retried(provider: Provider) -> None:
    with provider.serve([Drop(), Drop(after_bytes=100), Say("still here")]) as server:
        assert ask(provider, server).text == "still here"
    assert len(server.requests) == 3


def test_a_silent_server_and_one_that_drips_run_into_the_time_limit(provider: Provider) -> None:
    assert "no answer in 0.3 s" in failure(provider, [Wait(3)], timeout_s=0.3).what
    assert "no answer in 0.4 s" in failure(provider, [Drip(b'{"a": [' + b" " * 999, 0.02)], timeout_s=0.4).what


def test_no_server_at_all_is_said_in_plain_words(provider: Provider) -> None:
    with provider.serve([Say("gone")]) as server:
        pass
    with pytest.raises(ToolkitError, match="cannot be reached") as caught:
        ask(provider, server, retries=0)
    assert provider.url_variable in caught.value.fix


def test_a_refused_key_is_named_with_its_variable(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(provider.key_variable.split()[0], "sk-wrong-key-abcdefgh")
    with provider.serve([Say("never")]) as server, pytest.raises(ToolkitError, match="401") as caught:
        ask(provider, server)
    assert provider.key_variable in caught.value.fix
    assert "sk-wrong-key-abcdefgh" not in str(caught.value)
    assert server.requests == []


def test_a_key_without_permission_is_refused(provider: Provider) -> None:
    assert "refused the key (HTTP 403)" in failure(provider, [Refuse(403, "no permission")], retries=3).what


def test_an_unknown_model_is_named(provider: Provider) -> None:
    error = failure(provider, [Refuse(404, "no such model")], retries=3)
    assert f"'{provider.name}:small'" in error.where
    assert provider.url_variable in error.fix


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 198000 + 8000 > 200000"),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
)
def test_a_request_that_is_too_long_has_its_own_error(provider: Provider, status: int, said: str) -> None:
    assert isinstance(failure(provider, [Refuse(status, said)]), ContextLengthError)


def test_a_model_that_refuses_a_temperature_is_asked_without_it_from_then_on(provider: Provider) -> None:
    script: list[Step] = [Refuse(400, "`temperature` is deprecated for this model."), Say("thanks")]
    with provider.serve(script) as server, ModelClient(settings(provider, server)) as client:
        assert [client.complete(QUESTION, repeat=number).text for number in (0, 1)] == ["thanks", "thanks"]
    assert ["temperature" in repr(request) for request in server.requests] == [True, False, False]


def test_a_refusal_that_names_nothing_to_leave_out_is_an_error(provider: Provider) -> None:
    assert "HTTP 400" in failure(provider, [Refuse(400, "messages: wrong")], retries=3).what


def test_another_refusal_of_a_request_without_a_temperature_is_an_error(provider: Provider) -> None:
    assert "HTTP 400" in failure(provider, [Refuse(400, "no temperature here")] * 2, retries=3).what


def test_texts_that_a_model_goes_on_with_are_refused(provider: Provider) -> None:
    with provider.serve([Say("never")]) as server, pytest.raises(UsageError, match="goes on with a text"):
        ModelClient(settings(provider, server)).complete([Message("user", "Thought:")], is_prefix=True)
    assert server.requests == []


def test_what_a_listener_raises_reaches_the_caller(provider: Provider) -> None:
    def leave(_chars: int) -> None:
        raise KeyboardInterrupt

    with provider.serve([Say("never mind")]) as server, pytest.raises(KeyboardInterrupt):
        ModelClient(settings(provider, server)).complete(QUESTION, on_progress=leave)


def test_a_budget_of_tokens_counts(provider: Provider) -> None:
    purse = Budget(BudgetLimits(tokens=10_000))
    with provider.serve([Say("42")]) as server:
        ModelClient(settings(provider, server), purse=purse).complete(QUESTION)
    assert purse.spent.tokens == 120


def test_half_characters_in_a_question_do_no_harm(provider: Provider) -> None:
    with provider.serve([Say("fine")]) as server, ModelClient(settings(provider, server)) as client:
        assert client.complete([Message("system", "\udce9"), Message("user", "caf\udce9")]).text == "fine"


def test_thoughts_that_a_call_carries_change_no_digest() -> None:
    plain, carrying = (ToolCall("1", "f", "{}", carried) for carried in ("", "thought"))
    assert Message("assistant", "", calls=(plain,)).to_json() == Message("assistant", "", calls=(carrying,)).to_json()
