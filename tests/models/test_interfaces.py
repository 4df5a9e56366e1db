"""Names of models that say over whose interface they are asked."""

import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.models import Budget, BudgetLimits, Message, ModelClient, ModelSettings, configured_model, price_of
from evaluator.models.interfaces import INTERFACES, plain_name
from evaluator.models.proxy import ModelProxy
from tests.scripted_model import KEY, Say
from tests.scripted_providers import scripted_anthropic

ADDRESSES = {
    "OPENAI_BASE_URL": "http://openai.example/v1",
    "ANTHROPIC_BASE_URL": "http://anthropic.example:81",
    "GOOGLE_GEMINI_BASE_URL": "http://google.example",
}


@pytest.mark.parametrize(
    ("model", "provider", "model_id", "host"),
    [
        ("anthropic:claude-x", "anthropic", "claude-x", "anthropic.example:81"),
        ("google:gemini-x", "google", "gemini-x", "google.example"),
        ("google:models/gemini-x:tuned", "google", "models/gemini-x:tuned", "google.example"),
        ("gpt-x", "openai", "gpt-x", "openai.example"),
        ("llama3:8b", "openai", "llama3:8b", "openai.example"),
        ("openai:gpt-x", "openai", "openai:gpt-x", "openai.example"),
        ("google/gemini-x", "openai", "google/gemini-x", "openai.example"),
        ("anthropic", "openai", "anthropic", "openai.example"),
    ],
)
def test_only_two_prefixes_mean_a_provider(model: str, provider: str, model_id: str, host: str) -> None:
    settings = ModelSettings.from_env(model, ADDRESSES)
    assert (settings.model, settings.provider, settings.model_id, settings.host) == (model, provider, model_id, host)
    assert settings.to_json()["host"] == host
    assert settings.to_json()["model"] == model


def test_without_an_address_a_provider_is_where_its_maker_runs_it() -> None:
    hosts = [ModelSettings.from_env(model, {}).host for model in ("m", "anthropic:m", "google:m")]
    assert hosts == ["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"]


def test_the_variable_of_the_environment_names_a_provider_too() -> None:
    settings = configured_model(None, {"BENCHWRIGHT_MODEL": "anthropic:m", **ADDRESSES})
    assert settings is not None
    assert settings.provider == "anthropic"


@pytest.mark.parametrize("name", ["anthropic:", "google: "])
def test_a_provider_without_a_model_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="names no model") as caught:
        configured_model(name, {})
    assert ":MODEL" in caught.value.fix


def test_an_address_that_cannot_be_read_is_named_with_its_variable() -> None:
    with pytest.raises(UsageError) as caught:
        configured_model("anthropic:m", {"ANTHROPIC_BASE_URL": "nonsense"})
    assert caught.value.where == "ANTHROPIC_BASE_URL"
    assert configured_model("m", {"ANTHROPIC_BASE_URL": "nonsense"}) is not None


@pytest.mark.parametrize(
    ("model", "variables"),
    [("anthropic:m", ("ANTHROPIC_API_KEY",)), ("google:m", ("GOOGLE_API_KEY", "GEMINI_API_KEY"))],
)
def test_a_missing_key_is_named_by_its_variables(
    model: str, variables: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in variables:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ToolkitError, match="no key") as caught:
        ModelClient(ModelSettings(model))
    assert all(name in caught.value.fix for name in variables)
    monkeypatch.setenv(variables[-1], "a-key")
    assert ModelClient(ModelSettings(model)).settings.model == model


@pytest.mark.parametrize(("provider", "package"), [("anthropic", "anthropic"), ("google", "google.genai")])
@pytest.mark.parametrize("key", [KEY, ""])
def test_a_client_that_is_not_installed_is_named_with_its_extra(
    provider: str, package: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in INTERFACES[provider].key_variables:
        monkeypatch.setenv(variable, key)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ToolkitError, match="not installed") as caught:
        ModelClient(ModelSettings(f"{provider}:m"))
    assert caught.value.fix == f"pip install 'benchwright[{provider}]'"
    assert ModelClient(ModelSettings("m")).settings.provider == "openai"


def test_a_client_whose_own_requirements_are_missing_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluator.models.google_endpoint", None)  # as if its imports failed
    with pytest.raises(ToolkitError, match="not installed") as caught:
        ModelClient(ModelSettings("google:m")).complete([Message("user", "?")])
    assert "benchwright[google]" in caught.value.fix


def test_other_models_are_asked_without_the_clients_of_providers() -> None:
    modules = "evaluator.models.client, evaluator.models.endpoint, sys"
    code = f"import {modules}; print({{'anthropic', 'google.genai'}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_prices_are_found_by_the_name_without_its_provider(tmp_path: Path) -> None:
    table = tmp_path / "prices.yaml"
    table.write_text("models: [{model: claude-x, input: 1, output: 2}, {model: 'llama3:8b', input: 3, output: 4}]\n")
    environ = {"BENCHWRIGHT_PRICES": str(table)}
    found = [price_of(model, environ) for model in ("anthropic:claude-x", "claude-x", "llama3:8b", "google:gemini-x")]
    assert [price and price.input for price in found] == [1, 1, 3, None]
    assert plain_name("anthropic:claude-x") == "claude-x"


def test_answers_of_a_provider_have_their_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prices.yaml").write_text("models: [{model: small, input: 10, cached_input: 1, output: 100}]\n")
    monkeypatch.setenv("BENCHWRIGHT_PRICES", str(tmp_path / "prices.yaml"))
    with scripted_anthropic([Say("x", prompt_tokens=1000, completion_tokens=10, cached_tokens=400)]) as server:
        client = ModelClient(ModelSettings("anthropic:small", server.url), purse=Budget(BudgetLimits(cost=1.0)))
        answer = client.complete([Message("user", "?")])
    assert answer.cost == pytest.approx((600 * 10 + 400 * 1 + 10 * 100) / 1e6)


def test_processes_reach_models_over_one_interface_only() -> None:
    with pytest.raises(UsageError, match="anthropic:m"):
        ModelProxy(ModelSettings("anthropic:m"))
