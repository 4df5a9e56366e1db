"""The guide's revisions: numbered, never changed, and safe between processes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from authoring.store.database.connections import ConflictError
from authoring.store.drafting.guide import current_guide, find_guide, list_guides, save_guide
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


def test_the_shipped_guide_becomes_number_1_once(workspace: Workspace) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: current_guide(workspace, "Be exact.\n").number, range(4)))
    assert found == [1, 1, 1, 1]
    (only,) = list_guides(workspace)
    assert (only.text, only.author) == ("Be exact.", "benchwright")
    assert current_guide(workspace, "A later toolkit says more.") == only


def test_a_saved_guide_is_the_next_number_an_unchanged_one_is_none(workspace: Workspace) -> None:
    current_guide(workspace, "Be exact.")
    saved = save_guide(workspace, "Be brief.", base_number=1, author="Ann", message="shorter")
    again = save_guide(workspace, "Be brief.\r\n", base_number=1, author="Ben", message="")
    assert (saved.number, saved.message, again) == (2, "shorter", saved)
    assert find_guide(workspace, 1).text == "Be exact."
    assert [guide.number for guide in list_guides(workspace)] == [1, 2]


def test_a_guide_on_an_old_base_is_a_conflict_that_shows_the_newest(workspace: Workspace) -> None:
    current_guide(workspace, "Be exact.")
    newest = save_guide(workspace, "Be brief.", base_number=1, author="Ann", message="")
    with pytest.raises(ConflictError, match="changed by 'Ann': revision 2") as caught:
        save_guide(workspace, "Be kind.", base_number=1, author="Ben", message="")
    assert caught.value.head == newest
    assert len(list_guides(workspace)) == 2


def test_an_empty_or_endless_or_nameless_guide_is_refused(workspace: Workspace) -> None:
    for text in (" \n", "x" * 60_001):
        with pytest.raises(ContentError):
            save_guide(workspace, text, base_number=0, author="Ann", message="")
    with pytest.raises(UsageError, match="name"):
        save_guide(workspace, "Be exact.", base_number=0, author=" ", message="")
    with pytest.raises(UsageError, match="no revision 7"):
        find_guide(workspace, 7)
