"""Work on several problemsets of the queue at once: accept, assign, tag; what it came to is told set by set."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import streamlit as st

from authoring.store import autosaves, problemsets, revisions
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.leases import assign_problemsets
from authoring.store.reviewing.tags import MAX_LENGTH, add_tag, remove_tag
from authoring.store.statuses import ProblemsetStatus
from authoring.ui import state
from authoring.ui.advice import in_app
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.editor.editing import load_draft
from authoring.ui.editor.reviewed import ticks_of, unticked_words
from authoring.ui.inputs.row_list import select, selected
from authoring.ui.queue.leasing import chosen_person
from authoring.ui.shell.auth import current_user, may, people_to_choose
from authoring.ui.standing import UNSAVED
from authoring.ui.wording import plural
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

ROWS: Final = "queue:rows"  # the list of problemsets
PERSON: Final = "queue:bulk:person"
TAG: Final = "queue:bulk:tag"
MAX_NAMED: Final = 10  # sets in one message
MAX_REASONS: Final = 6  # messages about sets that were not accepted
SURE: Final = "queue:bulk:sure"  # the revisions that an Accept was pressed for, of which some are not reviewed
TO_FIX: Final = "open the set: beside its Accept button stands what it needs"


class _Refusal(NamedTuple):
    """Why a set is not accepted, and what helps; sets with the same are told together."""

    what: str
    fix: str


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
        if may(Role.REVIEWER):
            st.button(
                "Accept unreviewed too" if _is_sure(chosen) else "Accept", key="queue:bulk:accept",
                icon=":material/verified:", disabled=not chosen,
                help="Accepts those whose newest revision may be accepted as it is, and names the others. Asks once "
                "more where some are not submitted, or you have not ticked all problems as Reviewed.",
                on_click=accept_picked, args=(rows,),
            )  # fmt: skip
        if may(Role.MAINTAINER):
            _draw_assign(rows, off=not chosen)
        if may(Role.ANNOTATOR, Role.REVIEWER):
            _draw_tagging(rows, tags, off=not chosen)


def picked(rows: Sequence[ProblemsetRow]) -> list[ProblemsetRow]:
    """Return those of the rows that are selected."""
    keys = selected(ROWS)
    return [row for row in rows if str(row.id) in keys]


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


@writes(Role.REVIEWER)
def accept_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Accept the chosen rows whose revision on the screen may be accepted, and name the others.

    Where some are not reviewed, the first press only says so, and the second one for the same revisions accepts.
    """
    from authoring.checks.acceptance import accept_each  # heavy, and needed only here

    ws, chosen = workspace(), _expect(rows)
    refused = {row.id: why for row in chosen if (why := _why_not(row))}
    unread = [words for row in chosen if row.id not in refused and (words := _unread_words(row))]
    if unread and not _is_sure(chosen):
        _ask_again(chosen, unread)
        return
    state.remember(SURE, ())
    asked = {row.head_revision_id: row for row in chosen if row.id not in refused}
    for revision_id, error in accept_each(ws, list(asked), by=current_user()).items():
        refused[asked[revision_id].id] = _Refusal(error.what, in_app(error.fix)[0])
    done = [row for row in chosen if row.id not in refused]
    if done:
        state.flash("success", f"accepted {_named(done)}")
    if unticked := [row for row in done if unticked_words(revisions.find(ws, row.head_revision_id))]:
        state.flash("info", f"accepted without all your ticks Reviewed: {_named(unticked)}")
    select(ROWS, selected(ROWS) - {str(row.id) for row in done})
    _tell_refused(chosen, refused)


def _ask_again(chosen: Sequence[ProblemsetRow], unread: Sequence[str]) -> None:
    state.remember(SURE, _revisions(chosen))
    more = len(unread) - MAX_NAMED
    words = "; ".join([*unread[:MAX_NAMED], *([plural(more, "more set")] if more > 0 else [])])
    what = f"nothing is accepted yet, for not all is reviewed: {words}"
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


def _why_not(row: ProblemsetRow) -> _Refusal | None:
    """Return what keeps this person from accepting a row as it is on the screen, beyond what the revision shows."""
    now = problemsets.find(workspace(), row.id)
    if now.status == ProblemsetStatus.ACCEPTED:
        return _Refusal("it is accepted already", "")
    typed = autosaves.select(workspace(), current_user(), row.id)
    if typed and load_draft(workspace(), now).draft.has_edits:
        return _Refusal(UNSAVED.what, UNSAVED.fix)
    return None


def _tell_refused(chosen: Sequence[ProblemsetRow], refused: Mapping[int, _Refusal]) -> None:
    reasons: dict[_Refusal, list[ProblemsetRow]] = {}
    for row in chosen:
        if row.id in refused:
            reasons.setdefault(refused[row.id], []).append(row)
    for refusal, sets in list(reasons.items())[:MAX_REASONS]:
        state.flash("warning", f"not accepted: {_named(sets)}: {refusal.what}", fix=refusal.fix)
    if more := sum(len(sets) for sets in list(reasons.values())[MAX_REASONS:]):
        state.flash("warning", f"not accepted: {plural(more, 'more set')}", fix=TO_FIX)


@writes(Role.MAINTAINER)
def assign_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Hand the chosen rows to the chosen person, whoever holds them now."""
    chosen, person = _expect(rows), chosen_person(PERSON)
    assign_problemsets(workspace(), [row.id for row in chosen], holder=person)
    state.flash("success", f"assigned to {person} for a day: {_named(chosen)}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def tag_picked(rows: Sequence[ProblemsetRow]) -> None:
    """Put the typed tag on the chosen rows."""
    tag, chosen = str(state.widget_value(TAG) or ""), _expect(rows)
    added = add_tag(workspace(), [row.id for row in chosen], tag, by=current_user())
    had = f"; {len(chosen) - added} had it" if added < len(chosen) else ""
    state.flash("success", f"tagged “{tag}”: {_named(chosen)}{had}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def untag(rows: Sequence[ProblemsetRow]) -> None:
    """Take the typed tag off the chosen rows."""
    tag, chosen = str(state.widget_value(TAG) or ""), _expect(rows)
    removed = remove_tag(workspace(), [row.id for row in chosen], tag)
    if removed:
        state.flash("success", f"removed “{tag}” from {plural(removed, 'set')} of {_named(chosen)}")
    else:
        state.flash("info", f"none of the selected sets is tagged “{tag}”")


def _expect(rows: Sequence[ProblemsetRow]) -> list[ProblemsetRow]:
    chosen = picked(rows)
    if not chosen:
        raise UsageError("no row is selected", fix="select those that you mean, in the boxes beside their names")
    return chosen


def _named(rows: Sequence[ProblemsetRow]) -> str:
    more = len(rows) - MAX_NAMED
    names = ", ".join(row.name for row in rows[:MAX_NAMED])
    return f"{plural(len(rows), 'set')} ({names}{f' and {more} more' if more > 0 else ''})"
