from collections.abc import Callable

import pytest

from authoring.store import problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.drafting.guide import comments_for_guide
from authoring.store.drafting.seeds import insert_seed
from authoring.store.drafting.sketches import SketchItem, add_sketch_comment, insert_sketch, list_sketch_comments
from authoring.store.histories import set_histories
from authoring.store.reviewing.mentions import Mentions, find_mentions, list_threads_for
from authoring.store.reviewing.reviews import (
    add_comment,
    add_reply,
    edit_comment,
    list_comments,
    list_decisions,
    record_decision,
    reopen_comment,
    resolve_comment,
)
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

MakeSet = Callable[..., Revision]


def test_accepting_the_head_sets_the_status_and_records_who(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    decision = record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann", reason="sound")
    assert problemsets.find(workspace, "trips-1").status == "accepted"
    assert revisions.accepted(workspace) == [head]
    (recorded,) = list_decisions(workspace, head.problemset_id)
    assert (recorded.id, recorded.by, recorded.reason, recorded.revision_id) == (decision, "Ann", "sound", head.id)


def test_a_save_withdraws_acceptance_and_nobody_accepts_unseen_text(workspace: Workspace, make_set: MakeSet) -> None:
    seen = make_set()
    record_decision(workspace, revision_id=seen.id, decision="accepted", by="Ann")
    revisions.save(workspace, seen.problemset_id, "newer", base_revision_id=seen.id, author="Bo")
    with pytest.raises(ConflictError):
        record_decision(workspace, revision_id=seen.id, decision="accepted", by="Cem")
    assert problemsets.find(workspace, "trips-1").status == "draft"
    assert revisions.accepted(workspace) == []
    assert [decision.by for decision in list_decisions(workspace, seen.problemset_id)] == ["Ann"]


def test_a_double_click_decides_once(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    first = record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann")
    assert record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann") == first
    assert record_decision(workspace, revision_id=head.id, decision="accepted", by="Bo") > first
    for sql in ("UPDATE decision SET by = 'Bo'", "DELETE FROM decision"):
        with pytest.raises(Exception, match="immutable"), workspace.write() as db:
            db.execute(sql)


def test_sending_back_needs_a_reason_and_a_decision_a_name_and_a_word(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    with pytest.raises(ContentError, match="needs a reason"):
        record_decision(workspace, revision_id=head.id, decision="sent_back", by="Ann", reason=" ")
    for revision, decision, by in ((99, "accepted", "Ann"), (head.id, "maybe", "Ann"), (head.id, "accepted", " ")):
        with pytest.raises(UsageError) as caught:
            record_decision(workspace, revision_id=revision, decision=decision, by=by)
        assert caught.value.fix
    record_decision(workspace, revision_id=head.id, decision="sent_back", by="Ann", reason="two answers")
    assert problemsets.find(workspace, "trips-1").status == "sent_back"


def test_comments_are_listed_resolved_searched_and_counted(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    told = {"text": "the surcharge is missing", "kind": "ambiguous", "problem": "p1", "line": 5}
    comment = add_comment(workspace, revision_id=head.id, author="Bo", **told)
    (row,) = problemsets.select(workspace, search="surcharge")
    assert row.open_comments == 1
    resolve_comment(workspace, comment, by="Ann")
    resolve_comment(workspace, comment, by="Cy")
    (kept,) = list_comments(workspace, head.problemset_id)
    assert {name: getattr(kept, name) for name in told} == told
    assert kept.resolved_by == "Ann"
    assert problemsets.find(workspace, "trips-1").open_comments == 0
    reopen_comment(workspace, comment)
    assert problemsets.find(workspace, "trips-1").open_comments == 1


def test_comments_are_refused_when_empty_of_unknown_kind_or_on_nothing(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    for error, what, revision, text, kind in (
        (ContentError, "empty", head.id, " \n", "other"),
        (UsageError, "kind of comment 'rude'", head.id, "x", "rude"),
        (UsageError, "no revision has the id 99", 99, "x", "other"),
    ):
        with pytest.raises(error, match=what):
            add_comment(workspace, revision_id=revision, author="Bo", text=text, kind=kind)
    with pytest.raises(UsageError, match="no comment has the id 99"):
        resolve_comment(workspace, 99, by="Ann")


def test_an_open_blocking_comment_keeps_everybody_from_accepting(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    add_comment(workspace, revision_id=head.id, author="Bo", text="a question")
    blocking = add_comment(workspace, revision_id=head.id, author="Bo", text="wrong", problem="p1", blocking=True)
    with pytest.raises(ContentError, match=r"comment 2 by Bo on p1 blocks accepting \(fix: repair what it says"):
        record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann")
    record_decision(workspace, revision_id=head.id, decision="sent_back", by="Ann", reason="see the comment")
    resolve_comment(workspace, blocking, by="Ann")
    record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann")
    assert [comment.blocking for comment in list_comments(workspace, head.problemset_id)] == [False, True]


def test_a_comment_of_a_kind_that_is_none_is_shown_as_other(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    add_comment(workspace, revision_id=head.id, author="Ann", text="again", kind="repetitive")
    add_comment(workspace, revision_id=head.id, author="Ann", text="hm")
    items, seed = [SketchItem(1, "Load it.")], insert_seed(workspace, name="trips", files=[])
    sketch = insert_sketch(workspace, seed_id=seed, author="model", rng_seed=0, items=items, provenance={})
    add_sketch_comment(workspace, sketch, author="Ann", text="hm")
    with workspace.write() as db:
        db.execute("UPDATE comment SET kind = 'by hand' WHERE text = 'hm'")
        db.execute("UPDATE sketch_comment SET kind = 'by hand'")
    kinds = ["repetitive", "other"]
    assert [comment.kind for comment in list_comments(workspace, head.problemset_id)] == kinds
    assert [comment.kind for comment in list_sketch_comments(workspace, sketch)] == ["other"]
    (history,) = set_histories(workspace)
    assert history.comment_kinds == tuple(kinds)
    assert [comment.kind for comment in comments_for_guide(workspace, all_times=True)] == [*kinds, "other"]
    with pytest.raises(UsageError, match="there is no kind of comment 'by hand'"):
        add_comment(workspace, revision_id=head.id, author="Ann", text="hm", kind="by hand")


def test_a_reply_joins_the_thread_and_is_no_open_comment_of_its_own(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    thread = add_comment(workspace, revision_id=head.id, author="Ann", text="why?", problem="p1")
    reply = add_reply(workspace, thread, author="Bo", text="because")
    add_reply(workspace, reply, author="Ann", text="I see")
    with pytest.raises(ContentError, match="the comment is empty") as refused:
        add_reply(workspace, thread, author="Bo", text=" ")
    assert refused.value.fix == "write what you want to say"
    (kept,) = list_comments(workspace, head.problemset_id)
    said = [(each.author, each.text, each.problem, each.reply_to) for each in kept.replies]
    assert said == [("Bo", "because", "p1", thread), ("Ann", "I see", "p1", thread)]
    assert problemsets.find(workspace, "trips-1").open_comments == 1
    resolve_comment(workspace, thread, by="Ann")
    assert problemsets.find(workspace, "trips-1").open_comments == 0
    with pytest.raises(ContentError, match="is resolved"):
        add_reply(workspace, thread, author="Bo", text="more")


def test_only_its_author_edits_a_comment_and_only_the_text_they_saw(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    comment = add_comment(workspace, revision_id=head.id, author="Ann", text="wy?", people=["Bo"])
    with pytest.raises(UsageError, match="is by Ann"):
        edit_comment(workspace, comment, by="Bo", text="mine", before="wy?")
    edit_comment(workspace, comment, by="ann", text="why, @bo?", before="wy?", people=["Bo"])
    with pytest.raises(ConflictError, match="edited meanwhile"):
        edit_comment(workspace, comment, by="Ann", text="what?", before="wy?")
    (kept,) = list_comments(workspace, head.problemset_id)
    assert (kept.text, kept.mentions, kept.edited_at is not None) == ("why, @bo?", ("Bo",), True)


def test_names_after_an_at_sign_are_people_or_told_to_be_unknown() -> None:
    people = ["Ann", "Ann Lee", "bo@example.org"]
    text = "@ann lee, see @Bo@example.org and @ann; ask @cy. Mail x@example.org, @Anna"
    assert find_mentions(text, people) == Mentions(("Ann Lee", "bo@example.org", "Ann"), ("cy", "Anna"))


def test_open_threads_that_name_or_answer_a_person_wait_for_them(workspace: Workspace, make_set: MakeSet) -> None:
    head = make_set()
    named = add_comment(workspace, revision_id=head.id, author="Ann", text="@Bo?", problem="p1", people=["Bo"])
    asked = add_comment(workspace, revision_id=head.id, author="Bo", text="unclear")
    add_comment(workspace, revision_id=head.id, author="Cy", text="for nobody")
    answer = add_reply(workspace, asked, author="Ann", text="better now")
    found = [(each.thread_id, each.comment_id) for each in list_threads_for(workspace, "bo")]
    assert found == [(asked, answer), (named, named)]
    resolve_comment(workspace, asked, by="Bo")
    assert [each.thread_id for each in list_threads_for(workspace, "Bo")] == [named]
    assert list_threads_for(workspace, "Ann") == []
