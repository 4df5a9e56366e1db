"""Tabs of which only the open one executes."""

from collections.abc import Callable, Mapping

import streamlit as st


def draw_tabs(key: str, draws: Mapping[str, Callable[[], None]]) -> None:
    """Draw tabs by label; labels must stay as they are, or the first tab opens again."""
    for tab, draw in zip(st.tabs(list(draws), key=key, on_change="rerun"), draws.values(), strict=True):
        if tab.open:
            with tab:
                draw()
