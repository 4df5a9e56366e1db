"""A judge of figures over real HTTP: what it is asked, how its replies are read, and that nothing is asked twice."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.errors import RecordingError
from evaluator.models import ModelClient, ModelSettings
from evaluator.models.cassette import recording_clients
from evaluator.models.figure_judge import TRIES, ModelJudge, model_judge, read_opinion
from evaluator.scoring.grading import JudgeQuestion
from tests.scripted_model import KEY, Refuse, Say, ScriptedModel, scripted_model

QUESTION = JudgeQuestion("Draw a bar chart.", (b"first", b"second"))


def test_replies_are_read_as_published_or_soundly() -> None:
    marks = {
        "8": (0.8, 0.8), "10": (1.0, 1.0), " 7. ": (0.7, 0.7), "7.5": (0.7, None), "8/10": (1.0, None),
        "Score: 9": (0.9, None), "11": (0.0, None), "0": (0.0, None), "1": (0.1, 0.1), "-8": (0.0, None),
        "9-10": (0.0, None), "great": (0.0, None), "": (0.0, None), "9" * 500: (0.0, None), "001999": (0.0, None),
    }  # fmt: skip
    words = {
        "right": (1.0, 1.0), '"Right."': (1.0, 1.0), "wrong": (0.0, 0.0), "not right": (1.0, None),
        "bright colours": (1.0, None), "It is wrong": (0.0, None), "I cannot tell": (0.0, None),
    }  # fmt: skip
    for scale, replies in (("ten", marks), ("right_wrong", words)):
        found = {reply: tuple(read_opinion(reply, scale, sound=sound) for sound in (False, True)) for reply in replies}
        assert found == replies


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModelJudge]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("BENCHWRIGHT_MODEL_RETRIES", "0")

    def made(model: ScriptedModel, kept: Path | None = None) -> ModelJudge:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        return ModelJudge(ModelClient(ModelSettings.from_env("eyes")), kept=kept)

    return made


def test_it_is_shown_the_query_and_every_figure_and_no_more(judge: Callable[..., ModelJudge]) -> None:
    with scripted_model([Say("8")]) as model:
        assert judge(model).opinion(QUESTION).score == 0.8
    ((message,),) = (request["messages"] for request in model.requests)
    text, *pictures = message["content"]
    assert "Draw a bar chart." in text["text"]
    urls = [each["image_url"]["url"] for each in pictures]
    assert urls == [f"data:image/png;base64,{base64.b64encode(each).decode()}" for each in QUESTION.pictures]
    assert (model.requests[0]["max_tokens"], model.requests[0]["temperature"]) == (300, 0)


def test_it_is_asked_in_the_language_of_the_query(judge: Callable[..., ModelJudge]) -> None:
    with scripted_model([Say("8")]) as model:
        for query in ("画一张柱状图", "Draw {it}"):
            judge(model).opinion(JudgeQuestion(query, (b"x",)))
    texts = [request["messages"][0]["content"][0]["text"] for request in model.requests]
    assert ["评审" in text for text in texts] == [True, False]
    assert ["judge" in text for text in texts] == [False, True]


def test_nonsense_is_asked_again_under_sound_rules_only(judge: Callable[..., ModelJudge]) -> None:
    with scripted_model([Say("nice"), Say("8/10"), Say("6")]) as model:
        assert judge(model).opinion(QUESTION).score == 0.6
    with scripted_model([Say("nice")]) as model:
        found = judge(model).opinion(QUESTION)
    assert (found.score, found.why, len(model.requests)) == (None, "no-opinion", TRIES)
    with scripted_model([Say("nice")]) as model:
        published = JudgeQuestion(QUESTION.query, QUESTION.pictures, sound=False)
        assert judge(model).opinion(published).score == 0.0
    assert len(model.requests) == 1


def test_a_judge_that_is_down_gives_no_opinion_and_no_score(judge: Callable[..., ModelJudge]) -> None:
    with scripted_model([Refuse(400, "no pictures here")]) as model:
        found = judge(model).opinion(QUESTION)
    assert (found.score, found.why) == (None, "judge-failed")


def test_a_reply_that_cannot_be_recorded_is_no_opinion_but_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without it the run could not be repeated; a judge that is down only gives no opinion."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "cassette.json").write_text('{"format": 1, "model": "eyes"}')
    (tmp_path / "replies.jsonl").symlink_to("/dev/full")
    with scripted_model([Say("8")]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        judge = model_judge("eyes", tmp_path / "run", client=recording_clients(tmp_path))
        with pytest.raises(RecordingError, match="cannot be recorded"):
            judge.opinion(QUESTION)


def test_replies_are_kept_and_nothing_is_asked_twice(judge: Callable[..., ModelJudge], tmp_path: Path) -> None:
    kept = tmp_path / "judgements.jsonl"
    with scripted_model([Say("8"), Say("3")]) as model:
        asked = judge(model, kept)
        assert [asked.opinion(QUESTION).score for _ in range(2)] == [0.8, 0.8]
        kept.write_bytes(kept.read_bytes() + b"\n" + b"[" * 200_000 + b'\n{"digest": "cut')
        again = judge(model, kept)
        assert again.opinion(QUESTION).score == 0.8
        assert again.opinion(JudgeQuestion(QUESTION.query, (b"other",))).score == 0.3
    assert len(model.requests) == 2
