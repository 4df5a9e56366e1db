"""Cassettes: a run that was recorded is repeated without a key and without a network, reply by reply."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import NoTools, SolveLimits, SolveRequest, model_agent
from evaluator.agents.model_agents.chat import LADDER
from evaluator.errors import ToolkitError
from evaluator.models import ModelSettings
from evaluator.models.cassette import ABOUT, REPLIES, Cassette, recording_clients
from tests.scripted_model import Refuse, Say, ScriptedModel, Step

REQUEST = SolveRequest("s", "set", "p1", 1, "How many rows has `df`?", SolveLimits(1.0))
Serve = Callable[[Any], ScriptedModel]


def fenced(code: str) -> Say:
    return Say(f"```python\n{code}\n```", prompt_tokens=321, completion_tokens=12, cached_tokens=7)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def cut() -> None:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BENCHWRIGHT_MODEL"):
            monkeypatch.delenv(name, raising=False)

    return cut


def recorded(folder: Path, options: str, *requests: SolveRequest) -> list[Any]:
    agent = model_agent(f"chat:m{options}", recording_clients(folder))
    return [agent.solve(request, NoTools()) for request in requests]


def replayed(folder: Path, options: str, *requests: SolveRequest) -> list[Any]:
    agent = model_agent(f"chat:recorded:{folder}{options}")
    assert agent.describe().name == f"chat:m{options}"
    return [agent.solve(request, NoTools()) for request in requests]


def test_what_was_recorded_comes_back_without_a_network(
    serve: Serve, offline: Callable[[], None], tmp_path: Path
) -> None:
    """Replies with all that they took, requests that were too long, orders of an ensemble, and vectors."""
    refusal = Refuse(400, "maximum context length exceeded", "context_length_exceeded")
    asked = [REQUEST, replace(REQUEST, query="Show `df`."), replace(REQUEST, query="Now \ud83d.")]
    steps: list[Step] = [refusal, refusal, fenced("len(df)"), fenced("df"), fenced("1")]
    server = serve(steps)
    first = recorded(tmp_path / "plain", "", *asked)
    assert [each.code for each in first] == ["len(df)", "df", "1"]
    assert first[0].labels == ("rung-4",)  # the second rung shows the same, which is not asked again
    assert first[0].usage["prompt_tokens"] == 321
    again = recorded(tmp_path / "plain", "", *asked)  # goes on with what is there
    assert again == first
    assert len(server.requests) == 5
    sure = [Say("```\n1\n```", logprobs=(-2.0,)), Say("```\n2\n```", logprobs=(-0.5,)), *[refusal] * len(LADDER)]
    serve(sure)
    ensemble = recorded(tmp_path / "ensemble", "?ensemble=3&temperature=0.7", REQUEST)
    ranking = "?shots_count=2&rank_shots=knn&embedding=e"
    server = serve([fenced("df.shape")])
    ranked = recorded(tmp_path / "ranked", ranking, REQUEST)
    assert sorted(server.requests[0]) == ["encoding_format", "input", "model"]
    offline()
    assert replayed(tmp_path / "plain", "", *asked) == first
    assert replayed(tmp_path / "ensemble", "?ensemble=3&temperature=0.7", REQUEST) == ensemble
    assert ensemble[0].usage["mean_logprob"] == -0.5
    assert replayed(tmp_path / "ranked", ranking, REQUEST) == ranked


def test_function_calls_are_recorded(serve: Serve, offline: Callable[[], None], tmp_path: Path) -> None:
    serve([Say("", calls=(("submit", {"code": "len(df)"}),)), fenced("x")])
    folder = tmp_path / "calls"
    first = model_agent("tools:m", recording_clients(folder)).solve(REQUEST, NoTools())
    offline()
    second = model_agent(f"tools:recorded:{folder}").solve(REQUEST, NoTools())
    assert first == second
    assert first.trace == second.trace


def test_what_was_not_recorded_or_is_broken_is_named(serve: Serve, offline: Callable[[], None], tmp_path: Path) -> None:
    serve([fenced("1")])
    folder = tmp_path / "tape"
    recorded(folder, "", REQUEST)
    offline()
    with pytest.raises(ToolkitError, match="has no reply to this request to 'm'") as missing:
        replayed(folder, "", replace(REQUEST, query="Another?"))
    assert "--record" in str(missing.value.fix)
    assert (folder / REPLIES).read_bytes().count(b"\n") == 1
    with (folder / REPLIES).open("ab") as file:
        file.write(b'\n{"digest": "cut')  # as a killed process leaves it
    assert replayed(folder, "", REQUEST)[0].code == "1"
    entry = json.loads((folder / REPLIES).read_text().splitlines()[1])
    odd: list[dict[str, Any]] = [{"text": 5, "calls": []}]
    odd += [{**entry["reply"], "prompt_tokens": tokens} for tokens in ("many", -1, None, 1.5, float("-inf"), 10**400)]
    odd += [
        {**entry["reply"], name: value}
        for name, value in (("seconds", "x"), ("finish_reason", {}), ("cost", "no"), ("cost", 10**400))
    ]
    for broken in ({"digest": entry["digest"]}, {**entry, "reply": []}, *({**entry, "reply": each} for each in odd)):
        (folder / REPLIES).write_text(json.dumps(broken))
        with pytest.raises(ToolkitError, match="cannot be read"):
            replayed(folder, "", REQUEST)
    for text, told in (("{", "no cassette of format 1"), ('{"format": 2, "model": "m"}', "no cassette of format 1")):
        (folder / ABOUT).write_text(text)
        with pytest.raises(ToolkitError, match=told):
            model_agent(f"chat:recorded:{folder}")
    with pytest.raises(ToolkitError, match="there is no cassette"):
        model_agent(f"chat:recorded:{tmp_path / 'nowhere'}")
    with pytest.raises(ToolkitError, match="there is no cassette"):
        model_agent("chat:recorded:")


def test_a_reply_that_cannot_be_recorded_stops_the_run(serve: Serve, tmp_path: Path) -> None:
    serve([fenced("1")])
    (tmp_path / "tape").mkdir()
    (tmp_path / "tape" / ABOUT).write_text('{"format": 1, "model": "m"}')
    (tmp_path / "tape" / REPLIES).symlink_to("/dev/full")
    for _ in range(2):
        with pytest.raises(ToolkitError, match="cannot be recorded") as caught:
            recorded(tmp_path / "tape", "", REQUEST)
        assert "repeat the command" in str(caught.value.fix)


def test_a_folder_of_something_else_is_not_recorded_into(serve: Serve, tmp_path: Path) -> None:
    serve([fenced("1")])
    recorded(tmp_path / "tape", "", REQUEST)
    with pytest.raises(ToolkitError, match="holds replies of 'm', not of 'n'"):
        model_agent("chat:n", recording_clients(tmp_path / "tape"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    for taken in (tmp_path / "full", tmp_path / "full" / "mine.txt"):
        with pytest.raises(ToolkitError, match="no cassette"):
            Cassette.recording(taken, ModelSettings("m").model)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
