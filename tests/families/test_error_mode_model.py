"""A model places failures among the error modes, over real HTTP: what it is asked, and that nothing is asked twice."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.errors import ToolkitError
from evaluator.families.cibench.analyses import ErrorMode
from evaluator.families.cibench.error_mode_model import TRIES, read_mode, told_modes
from evaluator.models import ModelClient, ModelSettings
from evaluator.models.kept_replies import KeptReplies
from evaluator.records import Record
from tests.scripted_model import KEY, Refuse, Say, Step, scripted_model

FAILURE = Record("b", "1", "s", 1, 1, "CRASH", "NAME_ERROR", "name 'df' is not defined", "Print {it}.", code="df")
RIGHT = replace(FAILURE, verdict="CORRECT", index=2)


@pytest.mark.parametrize(
    ("reply", "mode"),
    [
        ("reasoning", ErrorMode.REASONING),
        (" Code.", ErrorMode.CODE),
        ("`hallucination`", ErrorMode.HALLUCINATION),
        ("not reasoning", None),
        ("", None),
    ],
)
def test_only_the_word_alone_is_an_answer(reply: str, mode: ErrorMode | None) -> None:
    assert read_mode(reply) is mode


def ask(url: str, monkeypatch: pytest.MonkeyPatch, kept: Path) -> KeptReplies:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    return KeptReplies(ModelClient(ModelSettings.from_env("eye")), kept)


def test_failures_are_placed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    other = replace(FAILURE, index=3, code="1 / 0")
    steps: list[Step] = [Say("hallucination"), Say("it is code"), Say("code")]
    with scripted_model(steps) as model:
        replies = ask(model.url, monkeypatch, tmp_path / "kept.jsonl")
        found = told_modes([FAILURE, RIGHT, other], replies)
        again = told_modes([FAILURE, RIGHT, other], ask(model.url, monkeypatch, tmp_path / "kept.jsonl"))
    assert {name: score.value for name, score in found.modes.items()} == {
        "following": 0.0,
        "hallucination": 0.5,
        "reasoning": 0.0,
        "code": 0.5,
    }
    assert (found.not_told, found.model) == (0, "eye")
    assert again == found
    assert len(model.requests) == 3
    assert "Print {it}." in model.prompts[0]
    assert "name 'df' is not defined" in model.prompts[0]


def test_what_the_model_does_not_place_is_counted_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Say("who knows")]) as model:
        found = told_modes([FAILURE], ask(model.url, monkeypatch, tmp_path / "kept.jsonl"))
    assert (found.modes, found.not_told, len(model.requests)) == ({}, 1, TRIES)


def test_an_endpoint_that_refuses_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Refuse(401)]) as model, pytest.raises(ToolkitError):
        told_modes([FAILURE], ask(model.url, monkeypatch, tmp_path / "kept.jsonl"))
