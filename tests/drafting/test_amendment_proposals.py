"""Comments become proposed amendments: by rule, by a model that is not always well-behaved, or by a person."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from authoring.drafting.guide.amendment_proposals import propose_amendments, propose_one
from authoring.prompting.prompts import guide_revision
from authoring.store import model_calls, problemsets
from authoring.store.drafting.guide import decide_amendment, list_amendments, save_guide
from authoring.store.reviewing.reviews import add_comment, resolve_comment
from authoring.store.statuses import AmendmentStatus, Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.models import BudgetLimits, BudgetSpentError
from tests.scripted_model import KEY, Say, ScriptedModel, scripted_model

FITTING = {
    "old_text": "",
    "section": "What every problem needs",
    "new_text": "- Say what happens to ties.",
    "reason": "t",
}


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """A workspace with three comments, the second of them resolved."""
    ws = Workspace.open(tmp_path / "ws")
    made = problemsets.create(
        ws, name="trips-1", text="# %%\n1\n", author="template", origin=Origin.TEMPLATE, guide_number=1
    )
    for kind, text in (("ambiguous", "Ties?"), ("repetitive", "Mean again."), ("ambiguous", 'Which "end"?')):
        add_comment(ws, revision_id=made.id, author="Ben", text=text, kind=kind, problem="p1")
    resolve_comment(ws, 2, by="Ann")
    return ws


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A model whose script the test sets."""
    with scripted_model([Say("nothing")]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
        yield model


def listed(*rows: Mapping[str, object]) -> Say:
    return Say(f"```json\n{json.dumps(rows)}\n```")


def test_a_budget_that_is_too_small_for_a_question_asks_none(ws: Workspace, model: ScriptedModel) -> None:
    with pytest.raises(BudgetSpentError, match="tokens"):
        propose_amendments(ws, proposed_by="Ann", author="model", budget=BudgetLimits(tokens=10))
    assert (model.requests, list_amendments(ws)) == ([], [])


def test_without_a_model_comments_are_grouped_by_kind_and_quoted_as_drafts_to_edit(ws: Workspace) -> None:
    found = propose_amendments(ws, proposed_by="Ann")
    repetitive, ambiguous = found.amendments
    assert (repetitive.comment_ids, ambiguous.comment_ids) == (("c2",), ("c1", "c3"))
    assert ambiguous.new_text.endswith('"Ties?"; "Which \'end\'?".')
    assert (repetitive.section, ambiguous.section) == ("What the set as a whole needs", "What every problem needs")
    assert all("draft by rule" in one.reason and one.provenance["draft_to_edit"] for one in found.amendments)


def test_a_comment_is_proposed_from_once_and_older_ones_only_when_asked_for(ws: Workspace) -> None:
    propose_amendments(ws, proposed_by="Ann")
    assert propose_amendments(ws, proposed_by="Ann").comments == 0
    add_comment(ws, revision_id=1, author="Ben", text="Off.", kind="off_the_data")
    save_guide(ws, "Be exact.", base_number=guide_revision(ws).number, author="Ann", message="")
    assert propose_amendments(ws, proposed_by="Ann").comments == 0
    found = propose_amendments(ws, proposed_by="Ann", all_times=True)
    assert [(one.comment_ids, one.section) for one in found.amendments] == [(("c4",), "")]


def test_a_model_is_shown_guide_and_comments_and_its_amendment_can_be_accepted(
    ws: Workspace, model: ScriptedModel
) -> None:
    model.script = [listed({**FITTING, "comments": ["c1", "c3"]})]
    (one,) = propose_amendments(ws, proposed_by="Ann", author="model").amendments
    for part in ("One possible answer", "c2 (repetitive, trips-1/p1, resolved): Mean again.", "revision 1"):
        assert part in model.prompts[0]
    assert (one.comment_ids, one.provenance["guide_revision"], one.provenance["requests"]) == (("c1", "c3"), 1, 1)
    assert decide_amendment(ws, one.id, AmendmentStatus.ACCEPTED, by="Ben").guide_number == 2
    assert "- Say what happens to ties.\n\nWhat the set as a whole needs:" in guide_revision(ws).text


def test_what_does_not_fit_goes_back_to_the_model_and_the_rest_is_kept(ws: Workspace, model: ScriptedModel) -> None:
    wrong: list[dict[str, object]] = [
        {**FITTING, "comments": ["c9"]},
        {**FITTING, "old_text": "Not there", "comments": ["c1"]},
    ]
    model.script = [Say("I would say less."), listed(*wrong, {**FITTING, "comments": "c1"})]
    found = propose_amendments(ws, proposed_by="Ann", author="model")
    assert [one.comment_ids for one in found.amendments] == [("c1",)]
    assert "no JSON list" in model.prompts[1]
    assert "item 1: `comments` must name" in model.prompts[2]
    assert "item 2: the text to change stands 0 times" in model.prompts[2]


@pytest.mark.parametrize("garbage", ["", "[" * 50_000, "x" * 300_000, "\x00", "[1]"])
def test_garbage_ends_in_a_refusal_and_the_answers_are_kept(ws: Workspace, model: ScriptedModel, garbage: str) -> None:
    model.script = [Say(garbage)]
    with pytest.raises(ContentError, match="no usable amendment in 4 answers"):
        propose_amendments(ws, proposed_by="Ann", author="model")
    assert len(model_calls.select(ws, purpose="amend")) == 4
    assert list_amendments(ws) == []


def test_a_person_proposes_a_change_of_a_passage(ws: Workspace) -> None:
    found = propose_one(ws, proposed_by="Ann", old_text="10 to 15 problems", new_text="8 problems", comment_ids=["c1"])
    (one,) = found.amendments
    assert (one.proposed_by, one.status, one.stale) == ("Ann", "proposed", False)
