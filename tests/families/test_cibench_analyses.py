"""What is read out of a run beside its scores: bands of difficulty, rounds, languages, error modes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ToolkitError
from evaluator.families.cibench.analyses import ErrorMode, band_of, error_modes, likeness_and_judge, propose_error_mode
from evaluator.families.cibench.benchmark_folder import import_folder
from evaluator.families.cibench.error_mode_model import TRIES, read_mode, told_modes
from evaluator.families.predicted_run import family_analyses, import_predictions
from evaluator.models import ModelClient, ModelSettings
from evaluator.models.kept_replies import KeptReplies
from evaluator.records import Record, read_records
from tests.families.notebooks import answer, ask, book, printed, write
from tests.families.test_cibench_predictions import failed, predictions, ran
from tests.scripted_model import KEY, Refuse, Say, Step, scripted_model

FAILURE = Record("b", "1", "s", 1, 1, "WRONG_OUTPUT", "UNCATEGORIZED", "other", "q", code="x")


def test_bands_of_difficulty() -> None:
    assert [band_of(chain) for chain in (1, 2, 4, 5)] == ["easy", "medium", "medium", "hard"]


def test_rules_propose_an_error_mode() -> None:
    for verdict, subverdict, reason, code, mode in (
        ("CORRECT", "UNCATEGORIZED", "", "x", None),
        ("NOT_JUDGED", "UNCATEGORIZED", "", "x", None),
        ("WRONG_OUTPUT", "VALUE_MISMATCH", "the likeness is 0.4; 0.9 is needed", "x", ErrorMode.REASONING),
        ("WRONG_OUTPUT", "VALUE_MISMATCH", "the cell shows nothing of the kind", "x", ErrorMode.FOLLOWING),
        ("WRONG_OUTPUT", "VALUE_MISMATCH", "no such output was found", "x", ErrorMode.FOLLOWING),
        ("UNKNOWN", "UNCATEGORIZED", "", "", ErrorMode.FOLLOWING),
        ("CRASH", "NAME_ERROR", "name 'df' is not defined", "df", ErrorMode.HALLUCINATION),
        ("CRASH", "MODULE_NOT_FOUND", "no module", "import y", ErrorMode.HALLUCINATION),
        ("CRASH", "TYPE_ERROR", "NameError: said by hostile code", "1 + ''", ErrorMode.CODE),
        ("SYNTAX_ERROR", "UNCATEGORIZED", "", "1 +", ErrorMode.CODE),
        ("TIMEOUT", "UNCATEGORIZED", "the code ran out of time", "while True: pass", ErrorMode.CODE),
    ):
        validation = {"correct": "no", "category": "and", "reason": [{"category": "visual", "reason": reason}]}
        record = replace(FAILURE, verdict=verdict, subverdict=subverdict, validation=validation, code=code)
        assert propose_error_mode(record) is mode, (verdict, subverdict, reason)


def test_shares_are_those_of_the_failures() -> None:
    right = replace(FAILURE, verdict="CORRECT")
    crash = replace(FAILURE, verdict="CRASH", subverdict="NAME_ERROR")
    shares = error_modes([right, FAILURE, FAILURE, FAILURE, crash])
    assert {mode: (score.value, score.n) for mode, score in shares.items()} == {
        "following": (0.0, 4),
        "hallucination": (0.25, 4),
        "reasoning": (0.75, 4),
        "code": (0.0, 4),
    }
    assert error_modes([right]) == {}


CHAIN = book(
    ask("a"),
    answer("a = 1"),
    ask("b"),
    answer("b = a + 1"),
    ask("c"),
    answer("c = b + 1\nprint(42)", printed("42\n")),
    step_types=["exec", "exec", "num"],
)


@pytest.mark.kernel
def test_a_run_tells_difficulty_and_what_fewer_rounds_would_give(tmp_path: Path) -> None:
    for name in ("cibench_template", "cibench_template_chinese"):
        write(tmp_path / "sets" / name / "pandas" / "1.ipynb", CHAIN)
    import_folder(tmp_path / "sets", tmp_path / "bench")
    right = [[ran("")], [ran("")], [failed(), failed(), ran("stdout:\n\n```\n42\n```")]]
    predictions(tmp_path / "model.json", [right, [[ran("")], [failed()], []]])
    import_predictions(tmp_path / "model.json", tmp_path / "run", benchmark=tmp_path / "bench")
    found: dict[str, Any] = family_analyses(list(read_records(tmp_path / "run" / "records.jsonl")))
    bands = {band: scores["executable"] for band, scores in found["difficulty"].items()}
    assert bands == {"easy": {"value": 1.0, "n": 2}, "medium": {"value": 0.5, "n": 4}}
    rounds = {number: scores["numeric"]["value"] for number, scores in found["debugging"].items()}
    assert rounds == {"1": 0.0, "2": 0.0, "3": 0.5}
    assert {language: scores["executable"]["value"] for language, scores in found["languages"].items()} == {
        "en": 1.0,
        "zh": pytest.approx(1 / 3),
    }
    assert found["error_modes"]["following"]["n"] == 2


def test_a_run_of_another_kind_has_none() -> None:
    assert family_analyses([FAILURE]) == {}


def test_likeness_and_the_judge_are_compared_where_a_figure_has_both() -> None:
    def judged(visual: float, judge: float | None) -> Record:
        parts: list[dict[str, Any]] = [{"correct": "yes", "category": "visual", "reason": "", "score": visual}]
        if judge is not None:
            parts.append({"correct": "yes", "category": "judge", "reason": "", "score": judge})
        return replace(FAILURE, validation={"correct": "yes", "category": "and", "reason": parts})

    assert likeness_and_judge([judged(0.5, None)]) is None
    found = likeness_and_judge([judged(1.0, 0.9), judged(0.5, 0.5), judged(0.0, 0.1), judged(0.7, None)])
    assert found is not None
    assert found.figures == 3
    assert [found.likeness, found.opinion, found.correlation] == pytest.approx([0.5, 0.5, 1.0])


@pytest.mark.kernel
def test_a_step_and_its_translation_are_a_pair(tmp_path: Path) -> None:
    english = book(ask("Say 1."), answer("print(1)", printed("1\n")), step_types=["num"], modules=["pandas"])
    chinese = book(ask("说 1。"), answer("print(1)", printed("1\n")), step_types=["num"], modules=["pandas"])
    write(tmp_path / "sets" / "cibench_template" / "pandas" / "1.ipynb", english)
    write(tmp_path / "sets" / "cibench_template" / "pandas" / "2.ipynb", english)
    write(tmp_path / "sets" / "cibench_template_chinese" / "pandas" / "1.ipynb", chinese)
    import_folder(tmp_path / "sets", tmp_path / "benchmark")
    right, wrong = ran("stdout:\n\n```\n1\n\n```"), ran("stdout:\n\n```\n7\n\n```")
    file = predictions(tmp_path / "p.json", [[[right]], [[wrong]], [[wrong]]])
    run = import_predictions(file, tmp_path / "run", benchmark=tmp_path / "benchmark")
    found = family_analyses(list(read_records(run.out / "records.jsonl")))
    assert {language: scores["numeric"] for language, scores in found["paired_languages"].items()} == {
        "en": {"value": 1.0, "n": 1},
        "zh": {"value": 0.0, "n": 1},
    }
    assert found["languages"]["en"]["numeric"] == {"value": 0.5, "n": 2}


# --- a model places failures among the error modes, over real HTTP, and is asked nothing twice ---

CRASHED = Record("b", "1", "s", 1, 1, "CRASH", "NAME_ERROR", "name 'df' is not defined", "Print {it}.", code="df")
RIGHT = replace(CRASHED, verdict="CORRECT", index=2)


def test_only_the_word_alone_is_an_answer() -> None:
    modes = [read_mode(each) for each in ("reasoning", " Code.", "`hallucination`", "not reasoning", "")]
    assert modes == [ErrorMode.REASONING, ErrorMode.CODE, ErrorMode.HALLUCINATION, None, None]


def asked(url: str, monkeypatch: pytest.MonkeyPatch, kept: Path) -> KeptReplies:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    return KeptReplies(ModelClient(ModelSettings.from_env("eye")), kept)


def test_failures_are_placed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    other = replace(CRASHED, index=3, code="1 / 0")
    steps: list[Step] = [Say("hallucination"), Say("it is code"), Say("code")]
    with scripted_model(steps) as model:
        replies = asked(model.url, monkeypatch, tmp_path / "kept.jsonl")
        found = told_modes([CRASHED, RIGHT, other], replies)
        again = told_modes([CRASHED, RIGHT, other], asked(model.url, monkeypatch, tmp_path / "kept.jsonl"))
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
        found = told_modes([CRASHED], asked(model.url, monkeypatch, tmp_path / "kept.jsonl"))
    assert (found.modes, found.not_told, len(model.requests)) == ({}, 1, TRIES)


def test_an_endpoint_that_refuses_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Refuse(401)]) as model, pytest.raises(ToolkitError):
        told_modes([CRASHED], asked(model.url, monkeypatch, tmp_path / "kept.jsonl"))
