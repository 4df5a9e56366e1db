"""Amendments: applied in one step, never twice, and never where the guide has moved on."""

import pytest

from authoring.store.database.connections import ConflictError
from authoring.store.drafting.guide import (
    NewAmendment,
    amended_text,
    current_guide,
    decide_amendment,
    find_amendment,
    insert_amendments,
    list_guides,
    save_guide,
)
from authoring.store.statuses import AmendmentStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

GUIDE = "# Guide\n\nWhat every problem needs:\n\n- One answer.\n- Units.\n\nWhat the set needs:\n\n- Ten problems."
TIES = NewAmendment("", "- Say what happens to ties.", "What every problem needs", "ties were open")
TWELVE = NewAmendment("Ten problems", "Twelve problems")


@pytest.fixture
def guided(workspace: Workspace) -> Workspace:
    current_guide(workspace, GUIDE)
    return workspace


def propose(ws: Workspace, *changes: NewAmendment) -> list[int]:
    return insert_amendments(ws, changes, base_number=len(list_guides(ws)), proposed_by="Ann")


def test_an_accepted_amendment_is_the_next_guide(guided: Workspace) -> None:
    (ties,) = propose(guided, TIES)
    done = decide_amendment(guided, ties, AmendmentStatus.ACCEPTED, by="Ben")
    newest = list_guides(guided)[-1]
    assert (done.status, done.decided_by, done.guide_number, newest.number) == ("accepted", "Ben", 2, 2)
    assert newest.text == GUIDE.replace("- Units.\n", "- Units.\n- Say what happens to ties.\n")
    assert newest.message == f"amendment {ties}: ties were open"


def test_a_changed_amendment_uses_the_given_text_and_keeps_the_proposal(guided: Workspace) -> None:
    (twelve,) = propose(guided, TWELVE)
    done = decide_amendment(guided, twelve, AmendmentStatus.CHANGED, by="Ben", new_text="Eleven problems")
    assert list_guides(guided)[-1].text.endswith("- Eleven problems.")
    assert done.new_text == "Twelve problems"


def test_a_refused_amendment_leaves_the_guide_alone(guided: Workspace) -> None:
    (twelve,) = propose(guided, TWELVE)
    assert decide_amendment(guided, twelve, AmendmentStatus.REFUSED, by="Ben").guide_number is None
    assert len(list_guides(guided)) == 1


def test_deciding_twice_is_a_conflict(guided: Workspace) -> None:
    (twelve,) = propose(guided, TWELVE)
    decide_amendment(guided, twelve, AmendmentStatus.REFUSED, by="Ben")
    with pytest.raises(ConflictError, match="was refused by 'Ben'"):
        decide_amendment(guided, twelve, AmendmentStatus.ACCEPTED, by="Cid")


def test_an_amendment_whose_place_was_changed_can_only_be_refused(guided: Workspace) -> None:
    twelve, ties = propose(guided, TWELVE, TIES)
    save_guide(guided, GUIDE.replace("Ten problems", "Few problems"), base_number=1, author="Cid", message="")
    assert (find_amendment(guided, twelve).stale, find_amendment(guided, ties).stale) == (True, False)
    with pytest.raises(ConflictError, match="stands 0 times"):
        decide_amendment(guided, twelve, AmendmentStatus.ACCEPTED, by="Ben")
    assert find_amendment(guided, twelve).status == "proposed"
    assert len(list_guides(guided)) == 2
    assert decide_amendment(guided, twelve, AmendmentStatus.REFUSED, by="Ben").status == "refused"


def test_changes_that_do_not_fit_are_refused_and_none_is_kept(guided: Workspace) -> None:
    with pytest.raises(ConflictError, match="no section 'Else'"):
        propose(guided, TWELVE, NewAmendment("", "- x", "Else"))
    with pytest.raises(ConflictError, match="stands 2 times"):
        propose(guided, NewAmendment("needs:", "wants:"))
    with pytest.raises(ContentError, match="changes nothing"):
        propose(guided, NewAmendment("Units", " Units "))
    with pytest.raises(UsageError, match="no comment 'c9'"):
        propose(guided, NewAmendment("Units", "Measures", comment_ids=("c9",)))
    assert propose(guided, TWELVE) == [1]


def test_text_without_a_section_is_added_at_the_end() -> None:
    assert amended_text("- One.\n", NewAmendment("", "- Two.")) == "- One.\n- Two."
