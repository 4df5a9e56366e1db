"""The queue: what is found by which filter, what comes next for whom, leases that go on while somebody works."""

from typing import Any

import pytest

from authoring.store import autosaves, dry_runs, problemsets, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.people import Role
from authoring.store.reviewing.leases import assign_problemset, extend_problemset_lease, lease_problemset
from authoring.store.reviewing.queue import (
    QueueFacets,
    QueueFilter,
    QueueSort,
    count_queue,
    list_queue,
    measure_progress,
    next_for,
    queue_facets,
    search_texts,
)
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.roundtable import NewItem, open_items, resolve_item
from authoring.store.reviewing.tags import MAX_TAGS, add_tag, remove_tag
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

QUERY = '# %%\n"""\nquery: {}\nid: {}\n"""\n1\n'


@pytest.fixture
def three(workspace: Workspace) -> dict[str, Revision]:
    """A template's draft that Ann holds, a person's set that Bo submitted, and an import that is doubted."""
    made = {}
    for name, author, origin in (("one", "template", "template"), ("two", "Bo", "person"), ("three", "me", "import")):
        text = QUERY.format(f"What is the {name} total?", f"{name}-1")
        made[name] = problemsets.create(workspace, name=name, text=text, author=author, origin=Origin(origin))
    lease_problemset(workspace, made["one"].problemset_id, holder="Ann")
    problemsets.submit(workspace, made["two"].problemset_id, base_revision_id=made["two"].id)
    for name, kind in (("three", "samples_agree"), ("two", "reference_fails")):
        open_items(workspace, made[name].id, [NewItem(f"{name}-1", "why", {"kind": kind})], by="dry run")
    return made


def test_each_filter_finds_its_problemsets(workspace: Workspace, three: dict[str, Revision]) -> None:
    add_tag(workspace, [three["one"].problemset_id, three["two"].problemset_id], "week 3", by="Ann")
    for chosen, found in (
        (QueueFilter(), {"one", "two", "three"}),
        (QueueFilter(status="submitted"), {"two"}),
        (QueueFilter(holder="Ann"), {"one"}),
        (QueueFilter(holder=""), {"two", "three"}),
        (QueueFilter(origin=Origin.IMPORT), {"three"}),
        (QueueFilter(only_suspect=True), {"three"}),
        (QueueFilter(status="draft", origin=Origin.TEMPLATE, search="total"), {"one"}),
        (QueueFilter(tag="Week 3"), {"one", "two"}),
        (QueueFilter(tag="week 3", status="submitted"), {"two"}),
    ):
        rows = list_queue(workspace, chosen)
        assert ({row.name for row in rows}, count_queue(workspace, chosen)) == (found, len(found))
    assert queue_facets(workspace) == QueueFacets({"Ann": 1}, {"week 3": 2}, 1)
    resolve_item(workspace, 1, resolution="agent_wrong", by="Cem")
    assert list_queue(workspace, QueueFilter(only_suspect=True)) == []


def test_the_list_is_sorted_by_what_is_asked_for(workspace: Workspace, three: dict[str, Revision]) -> None:
    for name, failing in (("one", 2), ("three", 1)):
        verdicts = {n: "CRASH" if n <= failing else "CORRECT" for n in (1, 2, 3)}
        problems = [DryRunProblem(n, f"p{n}", 0.1, verdict, "WRONG_OUTPUT") for n, verdict in verdicts.items()]
        dry_runs.save(workspace, revision_id=three[name].id, environment="", sandbox="", problems=problems, summary={})
    third = three["three"]
    newer = revisions.save(workspace, third.problemset_id, "x", base_revision_id=third.id, author="me")
    record_decision(workspace, revision_id=newer.id, decision="accepted", by="Ann")
    in_order = {sort: [row.name for row in list_queue(workspace, QueueFilter(), sort=sort)] for sort in QueueSort}
    assert in_order == {
        QueueSort.CHANGED: ["three", "two", "one"],
        QueueSort.NAME: ["one", "three", "two"],
        QueueSort.STATUS: ["two", "one", "three"],
        QueueSort.FAILING: ["one", "three", "two"],
        QueueSort.PRIORITY: ["two", "one", "three"],
        QueueSort.PERSON: ["one", "three", "two"],
    }


def test_tags_are_put_on_all_sets_or_none_and_taken_off(workspace: Workspace, three: dict[str, Revision]) -> None:
    ids = [revision.problemset_id for revision in three.values()]
    assert add_tag(workspace, ids[:1], " Week  3 ", by="Ann") == 1
    assert add_tag(workspace, ids, "week 3", by="Bo") == 2
    assert {row.name: row.tags for row in list_queue(workspace, QueueFilter())} == dict.fromkeys(three, ("Week 3",))
    for number in range(MAX_TAGS - 1):
        add_tag(workspace, ids[:1], f"tag {number}", by="Ann")
    with pytest.raises(ContentError, match=f"one has {MAX_TAGS} tags already"):
        add_tag(workspace, ids, "one more", by="Ann")
    with pytest.raises(UsageError):
        add_tag(workspace, [ids[1], 99], "one more", by="Ann")
    for refused in (" ", "x" * 40, "a\0b"):
        with pytest.raises(ContentError):
            add_tag(workspace, ids, refused, by="Ann")
    assert "one more" not in queue_facets(workspace).tags
    assert remove_tag(workspace, ids, "WEEK 3") == 3
    assert problemsets.find(workspace, "two").tags == ()
    add_tag(workspace, ids[1:2], "Ämter", by="Ann")
    add_tag(workspace, ids, "A\u0308MTER", by="Bo")  # in two characters
    assert problemsets.find(workspace, "two").tags == ("Ämter",)
    assert remove_tag(workspace, ids, "ämter") == 3


def test_a_search_names_the_problems_that_hold_the_words(workspace: Workspace, three: dict[str, Revision]) -> None:
    add_comment(workspace, revision_id=three["one"].id, author="Ann", text="which two totals?", problem="one-1")
    hits = search_texts(workspace, "two tot")
    assert [(hit.problemset_name, hit.problem, hit.is_comment) for hit in hits] == [
        ("two", "two-1", False),
        ("one", "one-1", True),
    ]
    assert search_texts(workspace, " %( ") == []


def test_a_reviewer_first_gets_what_others_submitted(workspace: Workspace, three: dict[str, Revision]) -> None:
    ids = {name: revision.problemset_id for name, revision in three.items()}
    both = {Role.REVIEWER, Role.ANNOTATOR}
    assert next_for(workspace, "Cem", both) == ids["two"]
    assert next_for(workspace, "bo", both) == ids["three"]  # nobody reviews their own text, and Ann holds the first
    assert next_for(workspace, "Ann", {Role.ANNOTATOR}) == ids["one"]
    assert next_for(workspace, "bo", {Role.REVIEWER}) is None
    assert next_for(workspace, "Cem", {Role.EVALUATOR}) is None


def test_typing_and_acting_extend_a_lease_that_lasts_and_no_other(
    workspace: Workspace, three: dict[str, Revision]
) -> None:
    one = three["one"]

    def ends() -> str | None:
        return problemsets.find(workspace, one.problemset_id).held_until

    short = assign_problemset(workspace, one.problemset_id, holder="Ann", lease_s=60).expires_at
    extend_problemset_lease(workspace, one.problemset_id, holder="Bo")
    assert ends() == short
    place: dict[str, Any] = {"person": "Ann", "problemset_id": one.problemset_id, "problem": "one-1", "field": "code"}
    autosaves.save(workspace, **place, text="2", base_revision_id=one.id, writer="w", expected_saved_no=None)
    assert (extended := ends()) is not None
    assert extended > short
    day = assign_problemset(workspace, one.problemset_id, holder="Ann").expires_at
    lease_problemset(workspace, one.problemset_id, holder="Ann")
    assert ends() == day  # claiming again never shortens it
    assign_problemset(workspace, one.problemset_id, holder="Ann", lease_s=-1)
    extend_problemset_lease(workspace, one.problemset_id, holder="Ann")
    assert ends() is None


def test_progress_counts_what_is_accepted_and_what_a_person_did(
    workspace: Workspace, three: dict[str, Revision]
) -> None:
    two = three["two"]
    head = revisions.save(workspace, two.problemset_id, two.text + "2\n", base_revision_id=two.id, author="Bo")
    record_decision(workspace, revision_id=head.id, decision="accepted", by="Ann")
    assert measure_progress(workspace, "Bo") == (progress := measure_progress(workspace, "Bo"))
    assert (progress.total, progress.accepted, progress.touched, progress.touched_accepted) == (3, 1, 1, 1)
    ann = measure_progress(workspace, "Ann")
    assert (ann.decided, ann.held, ann.touched) == (1, 1, 0)
    problemsets.create(workspace, name="made", text="1\n", author="Cy", origin=Origin.TEMPLATE)
    assert measure_progress(workspace, "Cy").touched == 0  # ordered, and written by a program
