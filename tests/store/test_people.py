"""Roles of people, and the rule that a second person accepts."""

import pytest

from authoring.store import problemsets
from authoring.store.people import NAMES_SETTING, Role, admit, give_roles, list_people, list_roles, roles_of
from authoring.store.reviewing.reviews import needs_second_person, record_decision, require_second_person
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


def test_the_first_to_come_is_maintainer_and_others_wait_for_a_role(workspace: Workspace) -> None:
    assert admit(workspace, " Mei@Example.org ") == {Role.MAINTAINER}
    assert admit(workspace, "lee@example.org") == set()
    assert admit(workspace, "mei@example.org") == {Role.MAINTAINER}
    give_roles(workspace, "LEE@example.org", ["reviewer", "evaluator"])
    assert roles_of(workspace, "lee@example.org") == {Role.REVIEWER, Role.EVALUATOR}


def test_strangers_cannot_fill_the_list(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("authoring.store.people.MAX_WAITING", 2)
    for number in range(5):
        admit(workspace, f"p{number}@example.org")
    assert len(list_roles(workspace)) == 3


def test_people_are_known_by_role_or_list_or_else_by_the_fallback(workspace: Workspace) -> None:
    assert list_people(workspace) == []
    assert list_people(workspace, sign_in=False, fallback="ann") == list_people(workspace, fallback="ann") == ["ann"]
    admit(workspace, "mei@example.org")
    admit(workspace, "stranger@example.org")
    assert list_people(workspace, sign_in=True, fallback="ann") == ["mei@example.org"]
    set_setting(workspace, NAMES_SETTING, ["lee", "bo"])
    assert list_people(workspace, sign_in=False, fallback="ann") == ["lee", "bo"]
    assert list_people(workspace) == ["lee", "bo", "mei@example.org"]


def test_a_workspace_keeps_a_maintainer(workspace: Workspace) -> None:
    admit(workspace, "mei@example.org")
    with pytest.raises(ContentError, match="no maintainer"):
        give_roles(workspace, "mei@example.org", ["annotator"])
    with pytest.raises(UsageError, match="no role 'king'"):
        give_roles(workspace, "mei@example.org", ["king"])


def test_where_a_second_person_must_accept_the_author_is_refused(workspace: Workspace) -> None:
    revision = problemsets.create(workspace, name="shop", text="# %%\n1\n", author="mei", origin=Origin.PERSON)

    def decide(by: str) -> int:
        return record_decision(workspace, revision_id=revision.id, decision="accepted", by=by)

    assert not needs_second_person(workspace)
    require_second_person(workspace, True)
    for by in ("mei", " MEI "):
        with pytest.raises(ContentError, match="a second person must accept it"):
            decide(by)
    record_decision(workspace, revision_id=revision.id, decision="sent_back", by="mei", reason="on second thought")
    assert decide("lee")
    require_second_person(workspace, False)
    assert decide("mei")
