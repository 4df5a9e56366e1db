from collections.abc import Callable
from typing import Any

import pytest

from authoring.store import autosaves, problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.people import Role
from authoring.store.problem_index import list_problems, rebuild_index, search_problems
from authoring.store.problemsets import count_by_status, problemset_inputs
from authoring.store.reviewing.leases import assign_problemset, lease_problemset, release_lease
from authoring.store.reviewing.queue import next_for
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin, ReviewDecision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError

MakeSet = Callable[..., Revision]
ALL = frozenset(Role)


def autosave(ws: Workspace, base: Revision, text: str, *, writer: str, expected: int | None) -> int:
    place: dict[str, Any] = {"person": "Ann", "problemset_id": base.problemset_id, "problem": "p1", "field": "code"}
    return autosaves.save(ws, text=text, **place, base_revision_id=base.id, writer=writer, expected_saved_no=expected)


def test_a_new_problemset_is_a_draft_with_its_problems_indexed(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    row = problemsets.find(workspace, "trips-1")
    assert (row.status, row.head_revision_id, row.head_number, row.problem_count) == ("draft", first.id, 1, 2)
    hits = list_problems(workspace, problemset_id=first.problemset_id)
    queries = ["What is the mean fare of all trips?", "Which borough has the most pickups?"]
    assert [(hit.position, hit.problem_id) for hit in hits] == [(1, "p1"), (2, "p2")]
    assert [hit.query for hit in hits] == queries
    odd = make_set("odd", text='# %%\n"""\nquery: [\n"""\nx = 1\n')  # it does not parse, and is stored all the same
    assert revisions.find(workspace, odd.id).text == odd.text
    assert problemsets.find(workspace, odd.problemset_id).problem_count <= 1
    with pytest.raises(ToolkitError, match="broken character") as caught:
        make_set("broken", text="# %%\nx = '\ud800'\n")
    assert caught.value.exit_code == 1


def test_revisions_are_found_by_id_name_and_number(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    second = revisions.save(workspace, first.problemset_id, "more", base_revision_id=first.id, author="Ann")
    assert second.parent_id == first.id
    refs = (second.id, str(second.id), "trips-1", "trips-1@2")
    assert [revisions.find(workspace, ref) for ref in refs] == [second] * 4
    assert revisions.find(workspace, "trips-1@1") == first
    assert revisions.select(workspace, first.problemset_id) == [first, second]


def test_an_unknown_reference_says_what_there_is(workspace: Workspace, make_set: MakeSet) -> None:
    make_set()
    for ref, what in (
        ("trip-1", "no problemset is called 'trip-1'"),
        ("trips-1@9", "has no revision 9; its newest is 1"),
        ("77", "no revision has the id 77"),
        ("9" * 30, "no revision has the id"),
        ("", "no problemset is called ''"),
    ):
        with pytest.raises(UsageError, match=what) as caught:
            revisions.find(workspace, ref)
        assert caught.value.fix
    with pytest.raises(UsageError) as caught:
        problemsets.find(workspace, "tripz-1")
    assert caught.value.fix == "use 'trips-1'"


def test_names_that_cannot_be_files_or_references_or_are_taken_are_refused(
    workspace: Workspace, make_set: MakeSet
) -> None:
    for name in ("", "123", "a b", "../x", "a/b", ".hidden", "-x", "é", "x" * 61, "a@2"):
        with pytest.raises(UsageError) as caught:
            problemsets.create(workspace, name=name, text="", author="Ann", origin=Origin.PERSON)
        assert caught.value.fix
    make_set()
    with pytest.raises(UsageError, match="already a problemset called 'trips-1'"):
        make_set("TRIPS-1")


def test_a_revision_cannot_be_changed_or_deleted(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    for sql in ("UPDATE {} SET text = 'x'", "DELETE FROM {}", "REPLACE INTO {} SELECT * FROM {}"):
        with pytest.raises(Exception, match="immutable"), workspace.write() as db:
            db.execute(sql.replace("{}", "revision"))
    assert revisions.find(workspace, first.id) == first


def test_a_save_on_an_old_head_is_refused_and_names_the_new_one(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    theirs = revisions.save(workspace, first.problemset_id, "theirs", base_revision_id=first.id, author="Bo")
    with pytest.raises(ConflictError, match="changed by 'Bo'") as caught:
        revisions.save(workspace, first.problemset_id, "mine", base_revision_id=first.id, author="Ann")
    assert caught.value.head == theirs
    assert isinstance(caught.value, ContentError)
    mine = revisions.save(workspace, first.problemset_id, "mine", base_revision_id=theirs.id, author="Ann")
    assert (mine.number, mine.parent_id) == (3, theirs.id)
    assert revisions.save(workspace, first.problemset_id, "mine", base_revision_id=theirs.id, author="Ann") == mine


def test_a_save_renews_the_index_and_the_search(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    text = first.text.replace("mean fare", "median tip")
    revisions.save(workspace, first.problemset_id, text, base_revision_id=first.id, author="Ann")
    assert search_problems(workspace, "mean fare") == []
    assert [hit.problem_id for hit in search_problems(workspace, "median ti")] == ["p1"]


def test_the_index_can_be_rebuilt_from_the_texts(workspace: Workspace, make_set: MakeSet) -> None:
    make_set()
    before = list_problems(workspace)
    with workspace.write() as db:
        db.execute("DELETE FROM problem_index")
        db.execute("UPDATE problemset SET problem_count = 0")
    assert rebuild_index(workspace) == 2
    assert list_problems(workspace) == before
    assert problemsets.find(workspace, "trips-1").problem_count == 2
    assert len(search_problems(workspace, "borough")) == 1


def test_no_search_text_breaks_the_search(workspace: Workspace, make_set: MakeSet) -> None:
    make_set()
    for text in ("", "  ", '"', "AND OR NOT", "a*b(c", "query:", "'; DROP TABLE job; --", "NEAR/2", "😀"):
        assert isinstance(search_problems(workspace, text), list)
        assert isinstance(problemsets.select(workspace, search=text), list)


def test_lists_are_paged_filtered_and_counted(workspace: Workspace, make_set: MakeSet) -> None:
    for number in range(7):
        make_set(f"set-{number}")
    submitted = problemsets.find(workspace, "set-3")
    problemsets.submit(workspace, submitted.id, base_revision_id=submitted.head_revision_id)
    assert count_by_status(workspace) == {"draft": 6, "submitted": 1, "accepted": 0, "sent_back": 0}
    pages = [problemsets.select(workspace, limit=3, offset=offset) for offset in (0, 3, 6)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert len({row.name for page in pages for row in page}) == 7
    assert pages[0][0].name == "set-3"  # changed last
    assert [row.name for row in problemsets.select(workspace, status="submitted")] == ["set-3"]
    assert [row.name for row in problemsets.select(workspace, search="SET-5")] == ["set-5"]
    assert problemsets.count(workspace, search="borough") == 7
    with pytest.raises(UsageError, match="no status 'done'"):
        problemsets.select(workspace, status="done")


def test_neither_a_stale_screen_nor_what_is_accepted_is_submitted(workspace: Workspace, make_set: MakeSet) -> None:
    first = make_set()
    record_decision(workspace, revision_id=first.id, decision=ReviewDecision.ACCEPTED, by="Cem")
    with pytest.raises(ConflictError, match="'trips-1' is accepted as it is"):
        problemsets.submit(workspace, first.problemset_id, base_revision_id=first.id)
    assert [revision.id for revision in revisions.accepted(workspace)] == [first.id]
    revisions.save(workspace, first.problemset_id, "new", base_revision_id=first.id, author="Bo")
    with pytest.raises(ConflictError):
        problemsets.submit(workspace, first.problemset_id, base_revision_id=first.id)
    assert problemsets.find(workspace, "trips-1").status == "draft"


def test_input_files_must_be_in_the_store(workspace: Workspace) -> None:
    inputs = {"données 1.csv": workspace.put_bytes(b"a\n1\n")}
    facts: dict[str, Any] = {"text": "", "author": "Ann", "origin": Origin.PERSON}
    made = problemsets.create(workspace, name="with-data", inputs=inputs, **facts)
    assert problemset_inputs(workspace, made.problemset_id) == inputs
    with pytest.raises(UsageError, match=r"'b\.csv' is not in the store"):
        problemsets.create(workspace, name="without", inputs={"b.csv": "0" * 64}, **facts)


def test_two_tabs_conflict_at_the_number_of_the_last_autosave(workspace: Workspace, make_set: MakeSet) -> None:
    base = make_set()
    first = autosave(workspace, base, "a", writer="tab-1", expected=None)
    second = autosave(workspace, base, "b", writer="tab-2", expected=first)
    with pytest.raises(ConflictError, match="another tab of 'Ann'") as caught:
        autosave(workspace, base, "c", writer="tab-1", expected=first)
    assert getattr(caught.value.head, "text", None) == "b"
    assert autosave(workspace, base, "c", writer="tab-1", expected=second) > second


def test_an_editor_never_conflicts_with_itself(workspace: Workspace, make_set: MakeSet) -> None:
    base = make_set()
    autosave(workspace, base, "a", writer="tab-1", expected=None)
    autosave(workspace, base, "ab", writer="tab-1", expected=None)  # the confirmation was lost
    (saved,) = autosaves.select(workspace, "Ann", base.problemset_id)
    assert saved.text == "ab"
    assert autosaves.drop(workspace, "Ann", base.problemset_id) == 1
    assert autosave(workspace, base, "a", writer="tab-1", expected=None) > saved.saved_no  # numbers never repeat


def test_a_save_drops_the_autosaves_it_contains_but_not_what_was_typed_on(
    workspace: Workspace, make_set: MakeSet
) -> None:
    base = make_set()
    autosave(workspace, base, "a", writer="tab-1", expected=None)
    seen = autosaves.select(workspace, "Ann", base.problemset_id)
    saved = revisions.save(workspace, base.problemset_id, "one", base_revision_id=base.id, author="Ann", merged=seen)
    assert autosaves.select(workspace, "Ann", base.problemset_id) == []
    number = autosave(workspace, saved, "b", writer="tab-1", expected=None)
    seen = autosaves.select(workspace, "Ann", base.problemset_id)
    autosave(workspace, saved, "bc", writer="tab-1", expected=number)
    revisions.save(workspace, base.problemset_id, "two", base_revision_id=saved.id, author="Ann", merged=seen)
    assert [kept.text for kept in autosaves.select(workspace, "Ann", base.problemset_id)] == ["bc"]


def test_a_claim_is_a_lease_that_others_see_until_it_ends(workspace: Workspace, make_set: MakeSet) -> None:
    one, two = make_set("one").problemset_id, make_set("two").problemset_id
    assert lease_problemset(workspace, one, holder="Ann").holder == "Ann"
    assert lease_problemset(workspace, one, holder="Bo").holder == "Ann"
    assert problemsets.find(workspace, one).holder == "Ann"
    assert (next_for(workspace, "Bo", ALL), next_for(workspace, "Ann", ALL)) == (two, one)
    release_lease(workspace, one, holder="Bo")
    assert problemsets.find(workspace, one).holder == "Ann"
    assign_problemset(workspace, one, holder="Ann", lease_s=-1)
    assert problemsets.find(workspace, one).holder is None
    assert lease_problemset(workspace, one, holder="Bo").holder == "Bo"
