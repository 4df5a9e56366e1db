"""Roles of people, and the rule that a second person accepts."""

import pytest

from authoring.store import problemsets
from authoring.store.people import NAMES_SETTING, Role, admit, give_roles, list_people, list_roles, roles_of
from authoring.store.reviewing.reviews import needs_second_person, record_decision, require_second_person
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


@pytest.fixture
def ws(workspace: Workspace) -> Workspace:
    return workspace


def test_the_first_to_come_is_maintainer_and_others_wait_for_a_role(ws: Workspace) -> None:
    assert admit(ws, " Mei@Example.org ") == {Role.MAINTAINER}
    assert admit(ws, "lee@example.org") == set()
    assert admit(ws, "mei@example.org") == {Role.MAINTAINER}
    give_roles(ws, "LEE@example.org", ["reviewer", "evaluator"])
    assert roles_of(ws, "lee@example.org") == {Role.REVIEWER, Role.EVALUATOR}


def test_strangers_cannot_fill_the_list(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("authoring.store.people.MAX_WAITING", 2)
    for number in range(5):
        admit(ws, f"p{number}@example.org")
    assert len(list_roles(ws)) == 3


def test_people_are_known_by_role_or_list_or_else_by_the_fallback(ws: Workspace) -> None:
    assert list_people(ws) == []
    assert list_people(ws, sign_in=False, fallback="ann") == list_people(ws, fallback="ann") == ["ann"]
    admit(ws, "mei@example.org")
    admit(ws, "stranger@example.org")
    assert list_people(ws, sign_in=True, fallback="ann") == ["mei@example.org"]
    set_setting(ws, NAMES_SETTING, ["lee", "bo"])
    assert list_people(ws, sign_in=False, fallback="ann") == ["lee", "bo"]
    assert list_people(ws) == ["lee", "bo", "mei@example.org"]


def test_a_workspace_keeps_a_maintainer(ws: Workspace) -> None:
    admit(ws, "mei@example.org")
    with pytest.raises(ContentError, match="no maintainer"):
        give_roles(ws, "mei@example.org", ["annotator"])
    with pytest.raises(UsageError, match="no role 'king'"):
        give_roles(ws, "mei@example.org", ["king"])


def test_where_a_second_person_must_accept_the_author_is_refused(ws: Workspace) -> None:
    revision = problemsets.create(ws, name="shop", text="# %%\n1\n", author="mei", origin=Origin.PERSON)

    def decide(by: str) -> int:
        return record_decision(ws, revision_id=revision.id, decision="accepted", by=by)

    assert not needs_second_person(ws)
    require_second_person(ws, True)
    for by in ("mei", " MEI "):
        with pytest.raises(ContentError, match="a second person must accept it"):
            decide(by)
    record_decision(ws, revision_id=revision.id, decision="sent_back", by="mei", reason="on second thought")
    assert decide("lee")
    require_second_person(ws, False)
    assert decide("mei")
