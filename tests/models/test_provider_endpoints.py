"""Models of Anthropic and Google: how they are named and what they have in common, against real HTTP servers."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

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
    ToolSchema,
    configured_model,
    price_of,
    provider_endpoint,
)
from evaluator.models.interfaces import INTERFACES, plain_name
from evaluator.models.proxy import ModelProxy
from tests.scripted_model import KEY, Drip, Drop, Raw, Refuse, Say, ScriptedModel, Step, Stream, Wait
from tests.scripted_providers import scripted_anthropic, scripted_google

QUESTION = (Message("system", "Answer."), Message("user", "How many?"))
TOOL = ToolSchema("execute_code", "Runs code.", {"type": "object", "properties": {"code": {"type": "string"}}})
ADDRESSES = {
    "OPENAI_BASE_URL": "http://openai.example/v1",
    "ANTHROPIC_BASE_URL": "http://anthropic.example:81",
    "GOOGLE_GEMINI_BASE_URL": "http://google.example",
}


class Provider(NamedTuple):
    name: str
    serve: Callable[[Sequence[Step]], AbstractContextManager[ScriptedModel]]
    cut_off: str  # the word for an answer that reached the token limit
    key_variable: str
    url_variable: str

    def client(self, server: ScriptedModel, *, retries: int = 3, timeout_s: float = 5.0, **more: Any) -> ModelClient:
        settings = ModelSettings(f"{self.name}:small", server.url, timeout_s=timeout_s, max_retries=retries)
        return ModelClient(settings, **more)

    def answer(self, step: Step, **more: Any) -> Completion:
        with self.serve([step]) as server:
            return self.client(server).complete(QUESTION, **more)

    def failure(self, *script: Step, told: list[int] | None = None, **more: Any) -> ToolkitError:
        with self.serve(script) as server:
            client = self.client(server, **{"retries": 0, **more})
            with pytest.raises(ToolkitError) as caught:
                client.complete(QUESTION, on_progress=None if told is None else told.append)
        assert caught.value.exit_code == 3
        assert caught.value.fix
        assert KEY not in str(caught.value)
        assert "Traceback" not in str(caught.value)
        return caught.value


ANTHROPIC = Provider("anthropic", scripted_anthropic, "max_tokens", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
GOOGLE = Provider("google", scripted_google, "MAX_TOKENS", "GOOGLE_API_KEY or GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")


@pytest.fixture(params=[ANTHROPIC, GOOGLE], ids=lambda each: each.name)
def provider(request: pytest.FixtureRequest) -> Provider:
    assert isinstance(request.param, Provider)
    return request.param


# Names


def test_only_two_prefixes_mean_a_provider() -> None:
    for model, provider, model_id, host in (
        ("anthropic:claude-x", "anthropic", "claude-x", "anthropic.example:81"),
        ("google:models/gemini-x:tuned", "google", "models/gemini-x:tuned", "google.example"),
        ("openai:gpt-x", "openai", "openai:gpt-x", "openai.example"),
        ("google/gemini-x", "openai", "google/gemini-x", "openai.example"),
        ("anthropic", "openai", "anthropic", "openai.example"),
    ):
        one = configured_model(None, {"BENCHWRIGHT_MODEL": model, **ADDRESSES})
        assert one is not None
        assert (one.model, one.provider, one.model_id, one.host) == (model, provider, model_id, host)
        assert (one.to_json()["model"], one.to_json()["host"]) == (model, host)
    hosts = [ModelSettings.from_env(model, {}).host for model in ("m", "anthropic:m", "google:m")]
    assert hosts == ["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"]


def test_a_provider_without_a_model_and_a_bad_address_are_usage_errors() -> None:
    for name in ("anthropic:", "google: "):
        with pytest.raises(UsageError, match="names no model") as caught:
            configured_model(name, {})
        assert ":MODEL" in caught.value.fix
    with pytest.raises(UsageError) as caught:
        configured_model("anthropic:m", {"ANTHROPIC_BASE_URL": "nonsense"})
    assert caught.value.where == "ANTHROPIC_BASE_URL"
    assert configured_model("m", {"ANTHROPIC_BASE_URL": "nonsense"}) is not None


def test_a_missing_key_is_named_by_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openai", "anthropic", "google"):
        settings = ModelSettings("m" if name == "openai" else f"{name}:m")
        variables = INTERFACES[name].key_variables
        for variable in variables:
            monkeypatch.delenv(variable, raising=False)
        with pytest.raises(ToolkitError, match="no key") as caught:
            ModelClient(settings)
        assert all(variable in caught.value.fix for variable in variables)
        monkeypatch.setenv(variables[-1], "a-key")
        assert ModelClient(settings).settings == settings


def test_a_client_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")  # to install it comes first
    for name, package in (("anthropic", "anthropic"), ("google", "google.genai")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ToolkitError, match="not installed") as caught:
            ModelClient(ModelSettings(f"{name}:m"))
        assert caught.value.fix == f"pip install 'benchwright[{name}]'"
    assert ModelClient(ModelSettings("m")).settings.provider == "openai"


@pytest.mark.deep
def test_other_models_are_asked_without_the_clients_of_providers() -> None:
    modules = "evaluator.models.client, evaluator.models.endpoint, sys"
    code = f"import {modules}; print({{'anthropic', 'google.genai'}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_answers_have_the_price_of_the_name_without_its_provider(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text(
        "models: [{model: small, input: 10, cached_input: 1, output: 100}, {model: 'llama3:8b', input: 3, output: 4}]"
    )
    monkeypatch.setenv("BENCHWRIGHT_PRICES", str(table))
    found = [price_of(model) for model in ("anthropic:small", "small", "llama3:8b", "google:gemini-x")]
    assert [price and price.input for price in found] == [10, 10, 3, None]
    assert plain_name("anthropic:small") == "small"
    answer = ANTHROPIC.answer(Say("x", prompt_tokens=1000, completion_tokens=10, cached_tokens=400))
    assert answer.cost == pytest.approx((600 * 10 + 400 * 1 + 10 * 100) / 1e6)


def test_processes_reach_models_over_one_interface_only() -> None:
    with pytest.raises(UsageError, match="anthropic:m"):
        ModelProxy(ModelSettings("anthropic:m"))


# Answers


def test_an_answer_comes_with_its_tokens_those_of_a_cache_among_them(provider: Provider) -> None:
    calls: list[ModelCall] = []
    purse = Budget(BudgetLimits(tokens=10_000))
    with provider.serve([Say("42", prompt_tokens=7, completion_tokens=3, cached_tokens=5)]) as server:
        answer = provider.client(server, on_call=calls.append, purse=purse).complete(QUESTION, max_tokens=50)
    assert (answer.text, answer.finish_reason, answer.calls, answer.cut_off) == ("42", "stop", (), False)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens) == (7, 3, 5)
    assert purse.spent.tokens == 10
    record = calls[0].to_json()
    assert (record["model"], record["host"]) == (f"{provider.name}:small", server.url.removeprefix("http://"))
    assert server.requests[0]["model"] == "small"
    assert KEY not in repr(record)


def test_a_streamed_answer_is_put_together_and_its_progress_told(provider: Provider) -> None:
    told: list[int] = []
    step = Say("Länge in Stücken", provider.cut_off, 7, 3, cached_tokens=5)
    with provider.serve([step]) as server:
        streamed = provider.client(server).complete(QUESTION, on_progress=told.append)
    assert (streamed.text, streamed.cut_off, told[-1]) == ("Länge in Stücken", True, 16)
    assert (streamed.prompt_tokens, streamed.completion_tokens, streamed.cached_tokens) == (7, 3, 5)
    assert server.requests[0]["stream"] is True
    whole = provider.answer(step)
    assert (whole.text, whole.cut_off) == ("Länge in Stücken", True)


def test_calls_come_whole_and_in_a_stream(provider: Provider) -> None:
    say = Say("I look.", calls=(("execute_code", {"code": "1 + 1"}), ("execute_code", {})))
    with provider.serve([say]) as server:
        client = provider.client(server)
        whole = client.complete(QUESTION, tools=(TOOL,))
        streamed = client.complete(QUESTION, tools=(TOOL,), on_progress=lambda _: None, repeat=1)
    for answer in (whole, streamed):
        assert (answer.text, answer.finish_reason) == ("I look.", "tool_calls")
        assert [(call.name, call.arguments) for call in answer.calls] == [
            ("execute_code", '{"code": "1 + 1"}'),
            ("execute_code", "{}"),
        ]
        assert len({call.id for call in answer.calls}) == 2


def test_a_model_that_refuses_a_temperature_is_asked_without_it(provider: Provider) -> None:
    script: list[Step] = [Refuse(400, "`temperature` is deprecated for this model."), Say("thanks")]
    with provider.serve(script) as server:
        client = provider.client(server)
        assert [client.complete(QUESTION, repeat=number).text for number in (0, 1)] == ["thanks", "thanks"]
    assert ["temperature" in repr(request) for request in server.requests] == [True, False, False]


def test_texts_that_a_model_goes_on_with_are_refused(provider: Provider) -> None:
    with provider.serve([Say("never")]) as server, pytest.raises(UsageError, match="goes on with a text"):
        provider.client(server).complete([Message("user", "Thought:")], is_prefix=True)
    assert server.requests == []


# Failures


def test_a_stream_that_fails_ends_in_a_sentence(provider: Provider) -> None:
    said = provider.failure(Stream(("half",), ends=False, error="it is overloaded"), told=[]).what
    assert "overloaded" in said
    assert "ended before the answer did" in provider.failure(Stream(("x",), ends=False), told=[]).what
    assert "no answer in 0.4 s" in provider.failure(Stream(("x",) * 1000, 0.02), timeout_s=0.4, told=[]).what
    for body in (b"data: {not json\n\n", b"data: [1]\n\n", b"data: null\n\n", b"\xff\xfe", b""):
        provider.failure(Raw(body, "text/event-stream"), told=[])


def test_a_busy_endpoint_and_a_dropped_connection_are_asked_again(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_endpoint, "retry_pause", lambda _: 0.0)
    faults: list[Step] = [*(Refuse(status, "busy") for status in (408, 409, 500, 503, 529)), Drop(), Drop(100)]
    with provider.serve([*faults, Say("later")]) as server:
        assert provider.client(server, retries=7).complete(QUESTION).text == "later"
    assert len(server.requests) == 8
    assert "HTTP 503" in provider.failure(Refuse(503, "busy"), retries=1).what


def test_a_silent_server_and_one_that_drips_run_into_the_time_limit(provider: Provider) -> None:
    assert "no answer in 0.3 s" in provider.failure(Wait(3), timeout_s=0.3).what
    assert "no answer in 0.4 s" in provider.failure(Drip(b'{"a": [' + b" " * 999, 0.02), timeout_s=0.4).what


def test_a_refused_key_is_named_with_its_variable(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(provider.key_variable.split()[0], "sk-wrong-key-abcdefgh")
    error = provider.failure(Say("never"))
    assert "401" in error.what
    assert provider.key_variable in error.fix
    assert "sk-wrong-key-abcdefgh" not in str(error)


def test_refusals_are_told_apart_and_not_repeated(provider: Provider) -> None:
    for refusal, said in (
        (Refuse(403, "no permission"), "refused the key (HTTP 403)"),
        (Refuse(404, "no such model"), "knows no such model or path"),
        (Refuse(400, "messages: wrong"), "HTTP 400"),
    ):
        with provider.serve([refusal]) as server, pytest.raises(ToolkitError) as caught:
            provider.client(server).complete(QUESTION)
        assert said in caught.value.what
        assert f"'{provider.name}:small'" in caught.value.where
        assert len(server.requests) == 1
    assert "HTTP 400" in provider.failure(*[Refuse(400, "no temperature here")] * 2, retries=3).what


def test_a_request_that_is_too_long_has_its_own_error(provider: Provider) -> None:
    for said in (
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 198000 + 8000 > 200000",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ):
        assert isinstance(provider.failure(Refuse(400, said)), ContextLengthError)
