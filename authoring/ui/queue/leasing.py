"""Who works on a problemset, until when, and how to take it, give it back or hand it to somebody."""

import math
from typing import Final

import streamlit as st

from authoring.store import problemsets
from authoring.store.database.connections import age_s
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.leases import assign_problemset, lease_problemset, release_lease
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import current_user, known_people, may, people_to_choose
from authoring.ui.widgets import chip_text
from authoring.ui.wording import Chip, label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

ANNOUNCED_MINUTES: Final = 5  # before a lease ends
LOOK_S: Final = 30.0


def holder_chip(row: ProblemsetRow) -> Chip | None:
    """Return who holds a problemset and for how long; None when nobody does."""
    if not row.holder or not row.held_until:
        return None
    whose = "you" if row.holder == current_user() else row.holder
    return Chip(f"{whose}, {_left(row)} left", ":material/front_hand:", "violet")


def draw_holder(row: ProblemsetRow) -> None:
    """Draw who holds a problemset, if anybody does; the badge's help says what that means, and what others may do."""
    chip = holder_chip(row)
    if chip is None:
        return
    if row.holder == current_user():
        told = (
            "Your claim tells others that you work on this set; it locks nothing. Each action of yours extends it. "
            "When it ends, and when you submit, others may take the set. What you typed stays yours."
        )
    else:
        told = (
            f"{label(row.holder or '')} works on this set. You may still read, edit and comment: where two saves "
            "collide, both texts are shown. When the claim ends, or is given back, anybody may take the set."
        )
    st.markdown(chip_text(chip), width="content", help=told)


def draw_lease(ws: Workspace, row: ProblemsetRow) -> None:
    """Draw who holds a problemset, with what this person may do about it; an end that is near is announced."""
    mine = row.holder == current_user()
    just_read = [row]

    @st.fragment(run_every=LOOK_S if mine else None)
    def panel() -> None:
        now = just_read.pop() if just_read else problemsets.find(ws, row.id)
        with st.container(horizontal=True, vertical_alignment="center"):
            _draw_claim(now)
            if may(Role.MAINTAINER):
                _draw_assign(ws, now)
        _announce_end(now)

    with st.container():  # for the reason that `draw_job` has
        panel()


def draw_lease_notice(ws: Workspace, row: ProblemsetRow) -> None:
    """Announce the end of one's own claim where somebody edits; others see nothing."""
    if row.holder != current_user():
        return

    @st.fragment(run_every=LOOK_S)
    def panel() -> None:
        _announce_end(problemsets.find(ws, row.id))

    with st.container():  # for the reason that `draw_job` has
        panel()


def _announce_end(row: ProblemsetRow) -> None:
    if row.holder == current_user() and _minutes(row) <= ANNOUNCED_MINUTES:
        st.warning(
            f"Your claim ends in {_left(row)}. Any action extends it; without it others may take the set.",
            icon=":material/timer:",
        )


def _draw_claim(row: ProblemsetRow) -> None:
    key = f"claim:{row.id}"
    if row.holder is None:
        st.caption("Nobody works on it.", width="content")
        st.button("Claim", key=key, icon=":material/front_hand:", on_click=lease, args=(row.id,))
    draw_holder(row)
    if row.holder is not None and row.holder == current_user():
        st.button(
            "Give back", key=f"{key}:release", icon=":material/undo:", on_click=release, args=(row.id,),
            help="Ends your claim: others may take the set. What you typed stays yours.",
        )  # fmt: skip


def _draw_assign(ws: Workspace, row: ProblemsetRow) -> None:
    key = f"claim:{row.id}:assign"
    people = people_to_choose(ws)
    with st.popover("Assign to …", icon=":material/person_add:"):
        st.selectbox("Person", people, key=key, on_change="ignore")
        st.button("Assign for a day", key=f"{key}:send", on_click=assign, args=(row.id,))


def _minutes(row: ProblemsetRow) -> int:
    return max(1, math.ceil(-age_s(row.held_until) / 60)) if row.held_until else 0


def _left(row: ProblemsetRow) -> str:
    minutes = _minutes(row)
    return plural(minutes, "minute") if minutes < 90 else plural(round(minutes / 60), "hour")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def lease(problemset_id: int) -> None:
    """Take a problemset for half an hour, so that others see who works on it."""
    held = lease_problemset(workspace(), problemset_id, holder=current_user())
    if held.holder != current_user():
        state.flash("warning", f"{held.holder} holds it; you can still read and edit it")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def release(problemset_id: int) -> None:
    """Give a problemset back before the lease ends."""
    if not release_lease(workspace(), problemset_id, holder=current_user()):
        state.flash("warning", "the claim had ended: there was nothing to give back")


@writes(Role.MAINTAINER)
def assign(problemset_id: int) -> None:
    """Hand a problemset to the chosen person, whoever holds it now."""
    person = chosen_person(f"claim:{problemset_id}:assign")
    assign_problemset(workspace(), problemset_id, holder=person)
    state.flash("success", f"assigned to {person} for a day")


def chosen_person(key: str) -> str:
    """Return who was chosen in a list of people.

    Raises:
        UsageError: If nobody was, or somebody who was removed meanwhile.
    """
    person = str(state.widget_value(key) or "")
    if not person:
        raise UsageError("nobody was chosen", fix="choose a person, then press Assign for a day")
    if person not in known_people(workspace()):
        raise UsageError(f"{person!r} is nobody here any more", fix="choose another person")
    return person
