"""The tab of comments and its label, which says how many are open, without that another tab opens when it changes."""

from collections.abc import Collection, Sequence
from typing import Final

from authoring.store.reviewing.reviews import Comment
from authoring.ui import state

TAB: Final = "Comments"


def comments_label(comments: Sequence[Comment], tabs_key: str, *, forms: Collection[str], about: str = "") -> str:
    """Return the label of the tab of comments, with how many are open; call it before the tabs are drawn.

    Other labels make other tabs, of which the first would open: the open one is kept. While somebody may type into a
    form of an open tab, the number waits.

    Args:
        comments: Those that the tab shows.
        tabs_key: The key of the tabs.
        forms: The tabs in which somebody may type.
        about: What the tabs are about, where that changes under the same key: then the number does not wait.
    """
    waiting = sum(comment.resolved_at is None for comment in comments)
    now = f"{TAB} ({waiting:,})" if waiting else TAB
    before, was_about = state.recall(_memory(tabs_key), (None, about))
    held = state.widget_value(tabs_key)
    if held in forms and before is not None and was_about == about:
        return str(before)
    state.remember(_memory(tabs_key), (now, about))
    kept = now if str(held).partition(" (")[0] == TAB else held
    if held is not None and (before != now or kept != held):
        state.put_widget_value(tabs_key, kept)
    return now


def open_comments_tab(tabs_key: str) -> None:
    """Show the comments; only from a callback."""
    state.put_widget_value(tabs_key, state.recall(_memory(tabs_key), (TAB, ""))[0])


def _memory(tabs_key: str) -> str:
    return f"{tabs_key}:talk"
