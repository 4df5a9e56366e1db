"""Agents that ask models of Anthropic and Google."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluator.agents import SessionInfo, model_agent
from evaluator.agents.choice import MODEL_AGENT_NAMES
from evaluator.errors import ToolkitError, UsageError
from tests.agents.test_model_agents import REQUEST, PlayedTools
from tests.scripted_model import KEY, Raw, Say
from tests.scripted_providers import scripted_anthropic, scripted_google

CODE = "```python\nlen(df)\n```"
ASKING = [name for name in MODEL_AGENT_NAMES if name != "react-qwen"]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")
    with scripted_anthropic([Say(CODE)]) as anthropic, scripted_google([Say(CODE)]) as google:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", anthropic.url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", google.url)
        yield


@pytest.mark.parametrize("provider", ["anthropic", "google"])
@pytest.mark.parametrize("kind", ASKING)
def test_every_agent_asks_over_the_interface_that_its_model_names(kind: str, provider: str) -> None:
    agent = model_agent(f"{kind}:{provider}:small")
    assert agent.describe().name == f"{kind}:{provider}:small"
    agent.start(SessionInfo("s", "set"))
    submission = agent.solve(replace(REQUEST, session_id="s"), PlayedTools())
    assert submission.usage["prompt_tokens"] >= 100
    if kind not in ("plan", "react-cibench"):  # whose replies have another form
        assert submission.code.strip() == "len(df)"


@pytest.mark.parametrize("provider", ["anthropic", "google"])
def test_an_agent_that_calls_functions_runs_code_and_submits(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    serve, variable = {
        "anthropic": (scripted_anthropic, "ANTHROPIC_BASE_URL"),
        "google": (scripted_google, "GOOGLE_GEMINI_BASE_URL"),
    }[provider]
    calls = [(("execute_code", {"code": "1"}),), (("submit_code", {"code": "len(df)"}),)]
    with serve([Say("", calls=each) for each in calls]) as server:
        monkeypatch.setenv(variable, server.url)
        agent, tools = model_agent(f"tools:{provider}:small"), PlayedTools()
        agent.start(SessionInfo("s", "set"))
        assert agent.solve(replace(REQUEST, session_id="s"), tools).code == "len(df)"
    assert [code for code, _ in tools.executed] == ["1"]
    assert "execute_code" in repr(server.requests[1])


def test_an_agent_that_writes_on_at_a_text_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match="goes on with a text"):
        model_agent("react-qwen:anthropic:small")


def test_options_stand_behind_the_model_and_its_provider() -> None:
    agent = model_agent("chat:anthropic:small?shots_count=1")
    assert agent.describe().name == "chat:anthropic:small?shots_count=1"


def test_examples_are_ranked_by_another_providers_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = Raw(b'{"embeddings": [' + b",".join([b'{"values": [1.0, 0.5]}'] * 6) + b"]}")
    with scripted_google([vectors]) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        agent = model_agent("chat:anthropic:small?rank_shots=knn&embedding=google:embedder")
        agent.start(SessionInfo("s", "set"))
        assert agent.solve(replace(REQUEST, session_id="s"), PlayedTools()).code.strip() == "len(df)"
    assert {request["model"] for request in server.requests} == {"embedder"}


def test_a_client_that_is_not_installed_is_named_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(ToolkitError, match="not installed") as caught:
        model_agent("chat:anthropic:small")
    assert "pip install 'benchwright[anthropic]'" in str(caught.value)
