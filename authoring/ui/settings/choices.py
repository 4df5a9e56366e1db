"""What a person chooses under Settings: editors, single letters, the tour."""

import streamlit as st

from authoring.ui.help.tour import turn
from authoring.ui.preferences import choose_letters, choose_plain_editors, prefers_plain_editors, uses_letters


def draw_choices() -> None:
    """Draw the switches of the current person."""
    st.toggle(
        "Plain editors",
        value=prefers_plain_editors(),
        key="settings:plain",
        help="Plain text fields instead of code editors with colours, completion and diagnostics beside the line.",
        on_change=choose_plain_editors,
        args=("settings:plain",),
    )
    st.caption(
        "Code editors keep what you type in this browser until it is stored, 7 days at most: "
        "on a shared computer others could read it there."
    )
    st.toggle(
        "Single letters are shortcuts",
        value=uses_letters(),
        key="settings:letters",
        help="J, K, N and H act on the page while no field has focus. Combinations with Ctrl or Alt act either way.",
        on_change=choose_letters,
        args=("settings:letters",),
    )
    st.caption("Light or dark: the app follows your system, or what your browser asks for.")
    st.button("Start the tour", key="settings:tour", icon=":material/tour:", on_click=turn, args=(0,))
