"""What of a model's answer about columns can be used, and what it is told to change."""

from typing import Any

import pytest

from authoring.drafting.proposing import assess_semantics
from authoring.prompting.prompts import fill
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import Meaning, Origin
from evaluator.models import Completion

_CITY: dict[str, Any] = {"dtype": "str", "role": ColumnRole.TEXT, "missing": 0, "distinct": 90}
_KM: dict[str, Any] = {"dtype": "int64", "role": ColumnRole.NUMBER, "missing": 0, "distinct": 60, "min": 1, "max": 99}
PROFILE = Profile(
    tables=(
        TableProfile(
            file="trips.csv",
            reader="read_csv",
            rows=100,
            columns=(ColumnProfile(name="city", **_CITY), ColumnProfile(name="km", integer=True, **_KM)),
        ),
    )
)
HEAD = "tables:\n- file: trips.csv\n  columns:\n"


def _assess(answer: str, *, finish_reason: str = "stop") -> Any:
    completion = Completion(answer, finish_reason=finish_reason)
    return assess_semantics(completion, known=infer_semantics(PROFILE), profile=PROFILE)


@pytest.mark.parametrize(
    "frame", ["{}", "```yaml\n{}```", "Here you are:\n```\n{}```\nGood luck!", "<think>hm</think>\n{}"]
)
def test_a_proposal_is_found_in_and_out_of_fences(frame: str) -> None:
    found = _assess(frame.format(f"{HEAD}    km: {{meaning: measure, unit: km, origin: person}}\n"))
    (column,) = found.value.tables[0].columns
    assert (column.meaning, column.unit, column.origin, found.complaint) == (Meaning.MEASURE, "km", Origin.MODEL, "")


def test_what_cannot_be_is_left_out_and_sent_back() -> None:
    lines = "    city: {meaning: measure}\n    km: {meaning: measure}\n    kilometres: {meaning: count}\n"
    found = _assess(HEAD + lines)
    assert [column.name for column in found.value.tables[0].columns] == ["km"]
    assert "no column is called 'kilometres'" in found.complaint
    assert "'city' holds texts, so it cannot be a measure" in found.complaint
    assert found.faults == 2


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot.",
        "```yaml\ntables: 3\n```",
        "```yaml\ntables:\n- file: a.csv\n```",
        "tables:\n\t- x",
        "```\ntables: [",
    ],
)
def test_answers_without_a_usable_proposal_are_sent_back(answer: str) -> None:
    found = _assess(answer)
    assert found.value is None
    assert found.complaint


def test_an_answer_that_was_cut_off_is_asked_for_again_in_short() -> None:
    found = _assess("```yaml\ntables:\n- file: trips.csv\n  colu", finish_reason="length")
    assert (found.value, "cut off" in found.complaint) == (None, True)


def test_the_prompt_names_every_meaning_and_what_is_known() -> None:
    text = fill("semantics", profile="(profile)", semantics="(known)", meanings="(meanings)")
    assert all(part in text for part in ("(profile)", "(known)", "(meanings)", "weighted_by", "repeats_are_errors"))
