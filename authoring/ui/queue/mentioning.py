"""Open threads of comments that name the person at the screen or answer them."""

import streamlit as st

from authoring.store.reviewing.mentions import list_threads_for
from authoring.store.workspace import Workspace
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import ago, label

MOST = 20  # threads; the newest


def draw_mentions(ws: Workspace) -> None:
    """Draw the threads that wait for this person's answer, each a link to its problem; nothing where there are none."""
    threads = list_threads_for(ws, current_user(), limit=MOST)
    if not threads:
        return
    count = f"{len(threads)}{' or more' if len(threads) == MOST else ''}"
    title = f"Comments that mention or answer you: {count}"
    box = st.expander(title, key="queue:mentions", icon=":material/alternate_email:", on_change="rerun")
    if box.open:
        with box:
            for each in threads:
                where = f"**{label(each.problemset_name)}**{f', {label(each.problem)}' if each.problem else ''}"
                text = f"{where} · {label(each.author)}, {ago(each.created_at)}: {label(each.text, limit=160)}"
                page = "editor" if each.problem else "problemset"
                icon = ":material/comment:"
                page_link(page, text, icon=icon, width="stretch", set=each.problemset_id, pid=each.problem)
