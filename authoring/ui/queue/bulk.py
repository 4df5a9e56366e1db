"""Work on several problemsets of the queue at once: submit, dry run, accept, send back, assign, tag; told by set."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.leases import assign_problemsets, release_lease
from authoring.store.reviewing.reviews import record_decision
from authoring.store.reviewing.tags import MAX_LENGTH, add_tag, remove_tag
from authoring.store.statuses import ProblemsetStatus, ReviewDecision
from authoring.ui import state
from authoring.ui.actions import order_dry_run
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.editor.editing import load_draft
from authoring.ui.editor.evidence import dry_run_key
from authoring.ui.editor.reviewed import ticks_of, unticked_words
from authoring.ui.inputs.row_list import select, selected
from authoring.ui.queue.bulk_results import (
    MAX_NAMED,
    MOVED,
    UNSAVED_THERE,
    Refusal,
    named,
    refusal_of,
    tell_failing,
    tell_open,
    tell_refused,
)
from authoring.ui.queue.leasing import chosen_person
from authoring.ui.shell.auth import current_user, may, people_to_choose
from authoring.ui.wording import plural, status_chip
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError, ToolkitError, UsageError

ROWS: Final = "queue:rows"  # the list of problemsets
PERSON: Final = "queue:bulk:person"
TAG: Final = "queue:bulk:tag"
FAILS: Final = "repair it, then save and submit again: a set that fails is not accepted"
REASON: Final = "queue:bulk:reason"
SURE: Final = "queue:bulk:sure"  # the revisions that an Accept was pressed for, of which some are not reviewed


def draw_bulk_bar(rows: Sequence[ProblemsetRow], tags: Collection[str]) -> None:
    """Draw what can be done with the chosen rows; always there, so that choosing one moves nothing."""
    chosen = picked(rows)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        everything = len(chosen) == len(rows)
        st.button(
            "Select none" if everything else "Select all", key="queue:bulk:all", type="tertiary",
            icon=":material/deselect:" if everything else ":material/select_all:",
            help="The rows on this page.", on_click=pick_all, args=([row.id for row in rows], not everything),
        )  # fmt: skip
        st.caption(f"{len(chosen)} of {len(rows)} selected", width="content")
        if may(Role.ANNOTATOR):
            st.button(
                "Submit", key="queue:bulk:submit", icon=":material/outbox:", disabled=not chosen,
                help="Hands the newest revision of each to a reviewer.", on_click=submit_picked, args=(rows,),
            )  # fmt: skip
        if may(Role.ANNOTATOR, Role.REVIEWER):
            st.button(
                "Dry run", key="queue:bulk:dry_run", icon=":material/play_arrow:", disabled=not chosen,
                help="Executes and judges the newest revision of each, as Dry run on its page.",
                on_click=dry_run_picked, args=(rows,),
            )  # fmt: skip
        if may(Role.REVIEWER):
            st.button(
                "Accept unreviewed too" if _is_sure(chosen) else "Accept", key="queue:bulk:accept",
                icon=":material/verified:", disabled=not chosen,
                help="Accepts those whose newest revision may be accepted as it is, and names the others. Asks once "
                "more where some are not submitted, or you have not ticked all problems as Reviewed.",
                on_click=accept_picked, args=(rows,),
            )  # fmt: skip
            _draw_send_back(rows, off=not chosen)
        if may(Role.MAINTAINER):
            _draw_assign(rows, off=not chosen)
        if may(Role.ANNOTATOR, Role.REVIEWER):
            _draw_tagging(rows, tags, off=not chosen)


def picked(rows: Sequence[ProblemsetRow]) -> list[ProblemsetRow]:
    """Return those of the rows that are selected."""
    keys = selected(ROWS)
    return [row for row in rows if str(row.id) in keys]


def _draw_send_back(rows: Sequence[ProblemsetRow], *, off: bool) -> None:
    box = st.popover("Send back …", icon=":material/reply:", disabled=off, key=state.box_key(REASON), on_change="rerun")
    if off:
        return
    with box:
        st.text_area("What should the authors change?", key=REASON, height=120, max_chars=2000, on_change="ignore")
        st.button(
            "Send the selected sets back", key=f"{REASON}:send", icon=":material/reply:", on_click=send_picked_back,
            args=(rows,),
        )  # fmt: skip


def _draw_assign(rows: Sequence[ProblemsetRow], *, off: bool) -> None:
    box = st.popover("Assign to …", icon=":material/person_add:", disabled=off)
    if off:
        return
    with box:
        st.selectbox("Person", people_to_choose(workspace()), key=PERSON, on_change="ignore")
        st.button("Assign for a day", key=f"{PERSON}:send", on_click=assign_picked, args=(rows,))


def _draw_tagging(rows: Sequence[ProblemsetRow], tags: Collection[str], *, off: bool) -> None:
    with st.popover("Tag …", icon=":material/sell:", disabled=off):
        st.selectbox(
            "Tag", list(tags), key=TAG, index=None, accept_new_options=True, placeholder="choose, or type a new one",
            help=f"A few words, at most {MAX_LENGTH} characters.", on_change="ignore",
        )  # fmt: skip
        with st.container(horizontal=True):
            st.button("Add tag", key=f"{TAG}:add", icon=":material/new_label:", on_click=tag_picked, args=(rows,))
            st.button("Remove tag", key=f"{TAG}:remove", icon=":material/label_off:", on_click=untag, args=(rows,))


@writes(ANYONE)
def pick_all(problemset_ids: Sequence[int], wanted: bool) -> None:
    """Select the rows on the screen, or none."""
    select(ROWS, map(str, problemset_ids) if wanted else ())


@writes(Role.ANNOTATOR, Role.REVIEWER)
def dry_run_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Order a dry run of the newest revision of each chosen row; those of which one is on its way are only named."""
    chosen = _expect(rows)
    heads = {row.id: problemsets.find(workspace(), row.id).head_revision_id for row in chosen}
    found = jobs.find_latest_of_all(workspace(), [dry_run_key(head) for head in heads.values()])
    live = {key for key, job in found.items() if job.live}
    waiting = [row for row in chosen if dry_run_key(heads[row.id]) in live]
    ordered = [row for row in chosen if row not in waiting]
    for row in ordered:
        order_dry_run(heads[row.id])
    ways = (state.Detail("Their progress:", (state.Link("Jobs", "runs", {"view": "jobs"}),)),)
    if ordered:
        state.flash("success", f"ordered a dry run of {named(ordered)}", details=ways)
    if waiting:
        what = f"not ordered again: {named(waiting)}: a dry run of the newest revision is on its way"
        state.flash("info", what, details=() if ordered else ways)


@writes(Role.REVIEWER)
def accept_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Accept the chosen rows whose revision on the screen may be accepted, and name the others.

    Where some of those are not reviewed, the first press only says so, and the second one for the same revisions
    accepts.
    """
    chosen = _expect(rows)
    unread = {row.id: words for row in chosen if (words := _unread_words(row))}
    if unread and not _is_sure(chosen):
        refused = _refusals(chosen)
        if open_ := [words for problemset_id, words in unread.items() if problemset_id not in refused]:
            tell_refused("cannot be accepted", chosen, refused)
            _ask_again(chosen, open_)
            return
    state.remember(SURE, ())
    _accept(chosen)


def _accept(chosen: Sequence[ProblemsetRow]) -> None:
    from authoring.checks.acceptance import accept_each  # heavy, and needed only here

    refused = _refused_by_hand(chosen)
    asked = {row.head_revision_id: row for row in chosen if row.id not in refused}
    for revision_id, error in accept_each(workspace(), list(asked), by=current_user()).items():
        refused[asked[revision_id].id] = refusal_of(error)
    done = _done("accepted", chosen, refused)
    if unticked := [row for row in done if unticked_words(revisions.find(workspace(), row.head_revision_id))]:
        state.flash("info", f"accepted without all your ticks Reviewed: {named(unticked)}")
    tell_open("accepted", done)
    tell_refused("not accepted", chosen, refused)


def _refusals(chosen: Sequence[ProblemsetRow]) -> dict[int, Refusal]:
    """Return by its id why a set cannot be accepted as it is on the screen; nothing is accepted."""
    from authoring.checks.acceptance import find_refusals  # heavy, and needed only here

    refused = _refused_by_hand(chosen)
    asked = {row.head_revision_id: row for row in chosen if row.id not in refused}
    found = find_refusals(workspace(), list(asked), by=current_user())
    return refused | {asked[revision_id].id: refusal_of(error) for revision_id, error in found.items()}


def _refused_by_hand(chosen: Sequence[ProblemsetRow]) -> dict[int, Refusal]:
    """Return by its id what keeps this person from accepting a set, beyond what its revision shows."""
    accepted = (ProblemsetStatus.ACCEPTED,)
    return {row.id: why for row in chosen if (why := _why_not(row, done=accepted, saved=True))}


def _ask_again(chosen: Sequence[ProblemsetRow], unread: Sequence[str]) -> None:
    state.remember(SURE, _revisions(chosen))
    more = len(unread) - MAX_NAMED
    words = "; ".join([*unread[:MAX_NAMED], *([plural(more, "more set")] if more > 0 else [])])
    what = f"nothing is accepted yet, for not all that can be is reviewed: {words}"
    state.flash("warning", what, fix="review them, or press Accept unreviewed too")


def _revisions(chosen: Sequence[ProblemsetRow]) -> tuple[int, ...]:
    return tuple(sorted(row.head_revision_id for row in chosen))


def _is_sure(chosen: Sequence[ProblemsetRow]) -> bool:
    """Return whether Accept was pressed for just these revisions, and asked whether they are meant."""
    return bool(chosen) and state.recall(SURE, ()) == _revisions(chosen)


def _unread_words(row: ProblemsetRow) -> str:
    """Return what of a row is not reviewed: it was not submitted, or problems have no tick of this person."""
    ticks = ticks_of(revisions.find(workspace(), row.head_revision_id))
    open_ = ["not submitted"] if row.status != ProblemsetStatus.SUBMITTED else []
    if len(ticks.ticked) < ticks.problems:
        open_.append(f"{len(ticks.ticked)} of {plural(ticks.problems, 'problem')} reviewed by you")
    return f"{row.name} ({', '.join(open_)})" if open_ else ""


@writes(Role.ANNOTATOR)
def submit_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Hand the chosen rows, as they stand on the screen, to the reviewers with their claims; name what cannot be."""

    def submit(row: ProblemsetRow) -> None:
        problemsets.submit(workspace(), row.id, base_revision_id=row.head_revision_id)
        release_lease(workspace(), row.id, holder=current_user())

    chosen = _expect(rows)
    refused = _do_each(chosen, submit, done=(ProblemsetStatus.ACCEPTED, ProblemsetStatus.SUBMITTED), saved=True)
    done = _done("submitted", chosen, refused)
    failing = tell_failing("submitted, though something fails", FAILS, done)
    tell_open("submitted", [row for row in done if row not in failing])
    tell_refused("not submitted", chosen, refused)


@writes(Role.REVIEWER)
def send_picked_back(rows: Sequence[ProblemsetRow]) -> None:
    """Send the revisions on the screen of the chosen rows back, all with the typed reason."""
    chosen, reason = _expect(rows), str(state.widget_value(REASON) or "").strip()
    if not reason:
        raise ContentError("a reason is needed to send revisions back", fix="say what the authors should change")

    def send_back(row: ProblemsetRow) -> None:
        decision = ReviewDecision.SENT_BACK
        record_decision(
            workspace(), revision_id=row.head_revision_id, decision=decision, by=current_user(), reason=reason
        )

    refused = _do_each(chosen, send_back, done=(ProblemsetStatus.SENT_BACK,), saved=False)
    if _done("sent back", chosen, refused):
        state.replace_text(REASON, "")
        state.close_box(REASON)
    tell_refused("not sent back", chosen, refused)


def _do_each(
    chosen: Sequence[ProblemsetRow],
    act: Callable[[ProblemsetRow], None],
    *,
    done: Collection[ProblemsetStatus],
    saved: bool,
) -> dict[int, Refusal]:
    """Do something with each row, and return by its id with which it was not done, and why.

    Args:
        chosen: The rows.
        act: What is done with one of them.
        done: Statuses in which there is nothing to do any more.
        saved: Whether unsaved changes of this person stand against it.
    """
    refused = {row.id: why for row in chosen if (why := _why_not(row, done=done, saved=saved))}
    for row in chosen:
        if row.id not in refused:
            try:
                act(row)
            except ToolkitError as error:
                refused[row.id] = refusal_of(error)
    return refused


def _why_not(row: ProblemsetRow, *, done: Collection[str], saved: bool) -> Refusal | None:
    """Return what stands against doing something with a row, beyond what its revision shows."""
    now = problemsets.find(workspace(), row.id)
    if now.status in done:
        return Refusal(f"it is {status_chip(now.status).word} already", "")
    if now.head_revision_id != row.head_revision_id:
        return MOVED
    typed = saved and autosaves.select(workspace(), current_user(), row.id)
    if typed and load_draft(workspace(), now).draft.has_edits:
        return UNSAVED_THERE
    return None


def _done(words: str, chosen: Sequence[ProblemsetRow], refused: Mapping[int, Refusal]) -> list[ProblemsetRow]:
    """Say with which rows it was done, select them no more, and return them."""
    done = [row for row in chosen if row.id not in refused]
    if done:
        state.flash("success", f"{words} {named(done)}")
    select(ROWS, selected(ROWS) - {str(row.id) for row in done})
    return done


@writes(Role.MAINTAINER)
def assign_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Hand the chosen rows to the chosen person, whoever holds them now."""
    chosen, person = _expect(rows), chosen_person(PERSON)
    assign_problemsets(workspace(), [row.id for row in chosen], holder=person)
    state.flash("success", f"assigned to {person} for a day: {named(chosen)}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def tag_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Put the typed tag on the chosen rows."""
    tag, chosen = str(state.widget_value(TAG) or ""), _expect(rows)
    added = add_tag(workspace(), [row.id for row in chosen], tag, by=current_user())
    had = f"; {len(chosen) - added} had it" if added < len(chosen) else ""
    state.flash("success", f"tagged “{tag}”: {named(chosen)}{had}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def untag(rows: Sequence[ProblemsetRow]) -> None:
    """Take the typed tag off the chosen rows."""
    tag, chosen = str(state.widget_value(TAG) or ""), _expect(rows)
    removed = remove_tag(workspace(), [row.id for row in chosen], tag)
    if removed:
        state.flash("success", f"removed “{tag}” from {plural(removed, 'set')} of {named(chosen)}")
    else:
        state.flash("info", f"none of the selected sets is tagged “{tag}”")


def _expect(rows: Sequence[ProblemsetRow]) -> list[ProblemsetRow]:
    chosen = picked(rows)
    if not chosen:
        raise UsageError("no row is selected", fix="select those that you mean, in the boxes beside their names")
    return chosen
