"""The roundtable on the screen: what dry runs leave open about a problem, and how people settle it."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store import RESOLUTIONS, Role, RoundtableItem, find_item, find_problemset, resolve_item
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.navigation import page_link
from authoring.ui.timing import keep_set_minutes
from authoring.ui.widgets import draw_chip, draw_code, draw_empty
from authoring.ui.wording import Chip, ago, label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

WORDS: Final = {
    "agent_wrong": "the agent is wrong",
    "query_ambiguous": "the query is ambiguous",
    "reference_wrong": "the reference is wrong",
    "validator_too_strict": "the validator is too strict",
    "validator_too_loose": "the validator is too loose",
}
MAX_DECIDED: Final = 20


def draw_items(items: Sequence[RoundtableItem]) -> None:
    """Draw the open items one by one, then those that are settled."""
    waiting = [item for item in items if item.resolution is None]
    settled = [item for item in reversed(items) if item.resolution is not None]
    if not waiting:
        draw_empty("Nothing is open", "Dry runs put here what they leave in question, and so do people.")
    for item in waiting:
        _draw_open(item)
    if settled:
        st.subheader("Settled", anchor=False)
    for item in settled[:MAX_DECIDED]:
        with st.container(border=True, gap="xsmall"):
            _draw_head(item)
            note = f": {label(item.note, limit=500)}" if item.note else ""
            said = WORDS.get(item.resolution or "", item.resolution or "")
            st.caption(f"{label(said)}{note} · {label(item.resolved_by or '')}, {ago(item.resolved_at)}")


def _draw_open(item: RoundtableItem) -> None:
    key = f"item:{item.id}"
    with st.container(border=True):
        _draw_head(item)
        _draw_evidence(item)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Settled as",
                RESOLUTIONS,
                index=None,
                placeholder="choose",
                format_func=lambda name: WORDS.get(name, name),
                key=f"{key}:as",
                width=240,
                on_change="ignore",
            )
            st.text_input(
                "What follows", key=f"{key}:note", width=320, max_chars=500, persist_state="session", on_change="ignore"
            )
            st.button("Settle it", key=f"{key}:settle", icon=":material/gavel:", on_click=settle, args=(item.id,))


def _draw_head(item: RoundtableItem) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        name = f"**{label(item.problemset_name)}, {label(item.problem)}**"
        page_link("editor", name, icon=":material/edit:", set=item.problemset_id, pid=item.problem)
        settled = item.resolution is not None
        draw_chip(Chip("settled", ":material/check:", "green") if settled else Chip("open", ":material/forum:", "blue"))
        by = f"{label(item.opened_by)}, {ago(item.created_at)}"
        st.caption(f"item {item.id} · revision {item.number} · {by}", width="content")
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
    keep_set_minutes(workspace(), "review", find_problemset(workspace(), item.problemset_id))
    state.flash("success", f"item {item_id} is settled: {WORDS.get(str(resolution), str(resolution))}")
