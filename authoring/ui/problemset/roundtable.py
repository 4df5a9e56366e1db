"""The roundtable on the screen: what dry runs leave open about a problem, and how people settle it."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store import problemsets, revisions
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.roundtable import (
    REPAIRED,
    RESOLUTIONS,
    RoundtableFilter,
    RoundtableItem,
    assign_item,
    count_roundtable,
    find_item,
    page_roundtable,
    resolve_item,
)
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import current_user, known_people
from authoring.ui.shell.navigation import page_link
from authoring.ui.shell.timing import keep_set_minutes
from authoring.ui.widgets import PAGE_SIZE, draw_chip, draw_code, draw_empty, draw_pager
from authoring.ui.wording import Chip, ago, label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

WORDS: Final = {
    "agent_wrong": "the agent is wrong",
    "query_ambiguous": "the query is ambiguous",
    "reference_wrong": "the reference is wrong",
    "validator_too_strict": "the validator is too strict",
    "validator_too_loose": "the validator is too loose",
    REPAIRED: "repaired",
}
STATES: Final = ("open", "mine", "settled")
EMPTY: Final = {
    "open": (
        "Nothing waits to be settled",
        "Order a dry run on a problemset's page: what it leaves in question comes here. Or open an item above.",
    ),
    "mine": ("Nothing is assigned to you", "Choose *open* above to see what anybody may settle."),
    "settled": ("Nothing is settled yet", "Choose *open* above, say who or what was wrong, and press *Settle it*."),
}
NEW: Final = "roundtable:new"
MAX_SETS: Final = 2_000  # to choose from


def draw_roundtable(ws: Workspace, row: ProblemsetRow | None) -> None:
    """Draw the items of a problemset, or of all, fifty a page: open ones, those of this person, or settled ones."""
    state_ = st.segmented_control(
        "Show", STATES, default=STATES[0], required=True, key="t_state", bind="query-params", help="Newest first."
    )
    mine = current_user() if state_ == STATES[1] else None
    chosen = RoundtableFilter(state_ == STATES[2], row.id if row else None, mine)
    count = count_roundtable(ws, chosen)
    slot = st.container()
    offset = draw_pager(count, key=f"roundtable:{state_}:page")
    items = page_roundtable(ws, chosen, limit=PAGE_SIZE, offset=offset)
    people = known_people(ws)
    with slot:
        if not items:
            draw_empty(*EMPTY[state_])
        for item in items:
            if item.resolution is None:
                _draw_open(item, people)
            else:
                _draw_settled(item)


def draw_opening(ws: Workspace, row: ProblemsetRow | None) -> None:
    """Draw the form that puts a problem on the table by hand."""
    box = st.expander("Open an item", icon=":material/add:", key="roundtable:new", on_change="rerun")
    if not box.open:
        return
    with box:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = row.name if row else _draw_set_choice(ws)
            problems = revisions.find(ws, name).document().problems if name else ()
            titles = {cell.key: f"{cell.number}. {label(cell.texts['query'], limit=70)}" for cell in problems}
            st.selectbox(
                "Problem", list(titles), index=None, format_func=lambda each: titles.get(each, each),
                key=f"{NEW}:{name}:problem", width=320, placeholder="choose" if name else "choose a problemset first",
                on_change="ignore",
            )  # fmt: skip
            st.text_input(
                "What is in question?", key=f"{NEW}:{name}:reason", width=360, max_chars=500, on_change="ignore"
            )
        st.button("Open it", key=f"{NEW}:send", icon=":material/forum:", on_click=open_by_hand, args=(name,))


def _draw_set_choice(ws: Workspace) -> str:
    """Draw the choice of a problemset, and return its name; empty: none is chosen yet."""
    names = sorted(each.name for each in problemsets.select(ws, limit=MAX_SETS))
    chosen = st.selectbox("Problemset", names, index=None, key=f"{NEW}:set", width=240, placeholder="choose")
    return str(chosen or "")


def _draw_settled(item: RoundtableItem) -> None:
    with st.container(border=True, gap="xsmall"):
        _draw_head(item)
        note = f": {label(item.note, limit=500)}" if item.note else ""
        said = WORDS.get(item.resolution or "", item.resolution or "")
        st.caption(f"{label(said)}{note} · {label(item.resolved_by or '')}, {ago(item.resolved_at)}")


def _draw_open(item: RoundtableItem, people: Sequence[str]) -> None:
    key = f"item:{item.id}"
    with st.container(border=True):
        _draw_head(item)
        _draw_evidence(item)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Who or what was wrong",
                RESOLUTIONS,
                index=None,
                placeholder="choose",
                format_func=lambda name: WORDS.get(name, name),
                key=f"{key}:as",
                width=240,
                on_change="ignore",
            )
            st.text_input(
                "What follows from it",
                key=f"{key}:note",
                width=320,
                placeholder="what is changed, or nothing",
                max_chars=500,
                persist_state="session",
                on_change="ignore",
            )
            st.button("Settle it", key=f"{key}:settle", icon=":material/gavel:", on_click=settle, args=(item.id,))
            with st.popover("Assign", icon=":material/person_add:"):
                st.selectbox("Who looks at it?", people, index=None, key=f"{key}:to", on_change="ignore")
                st.button("Assign it", key=f"{key}:assign", on_click=assign, args=(item.id,))


def _draw_head(item: RoundtableItem) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"**{label(item.problemset_name)}, {label(item.problem)}**"
        page_link("editor", name, icon=":material/edit:", set=item.problemset_id, pid=item.problem)
        settled = item.resolution is not None
        draw_chip(Chip("settled", ":material/check:", "green") if settled else Chip("open", ":material/forum:", "blue"))
        by = f"{label(item.opened_by)}, {ago(item.created_at)}"
        to = f" · for {label(item.assigned_to)}" if item.assigned_to and not settled else ""
        st.caption(f"item {item.id} · revision {item.number} · {by}{to}", width="content")
    st.markdown(label(item.reason, limit=600))


def _draw_evidence(item: RoundtableItem) -> None:
    why, code = str(item.evidence.get("why") or ""), str(item.evidence.get("code") or "")
    if why:
        st.caption(label(why, limit=1000))
    if code:
        with st.expander("The answer in question"):
            draw_code(code)


@writes(Role.REVIEWER)
def settle(item_id: int) -> None:
    """Record how an item was settled."""
    key = f"item:{item_id}"
    resolution = state.widget_value(f"{key}:as")
    if not resolution:
        raise ContentError("no resolution was chosen", fix="say who or what was wrong, then press Settle it")
    note = str(state.widget_value(f"{key}:note") or "").strip()
    resolve_item(workspace(), item_id, resolution=str(resolution), by=current_user(), note=note)
    item = find_item(workspace(), item_id)
    keep_set_minutes(workspace(), "review", problemsets.find(workspace(), item.problemset_id))
    state.flash("success", f"item {item_id} is settled: {WORDS.get(str(resolution), str(resolution))}")


@writes(Role.REVIEWER)
def assign(item_id: int) -> None:
    """Say who is to look at an item."""
    person = str(state.widget_value(f"item:{item_id}:to") or "")
    assign_item(workspace(), item_id, to=person)
    state.flash(
        "success", f"item {item_id} is for {person}" if person else f"item {item_id} is for nobody in particular"
    )


@writes(*Role)
def open_by_hand(name: str) -> None:
    """Put the problem that was named on the table."""
    from authoring.revising.validators.answer_trials import open_item  # heavy, and needed only here

    problem, reason = state.widget_value(f"{NEW}:{name}:problem"), f"{NEW}:{name}:reason"
    if not problem:
        raise ContentError("no problem is chosen", fix="choose a problemset and one of its problems")
    said = str(state.widget_value(reason) or "").strip()
    item = open_item(workspace(), name, str(problem), reason=said, by=current_user())
    state.put_widget_value(f"{NEW}:{name}:problem", None)
    state.replace_text(reason, "")
    state.flash("success", f"item {item.id} is open")
