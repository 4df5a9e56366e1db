"""Where exceptions become sentences: what, where, fix, and never a traceback."""

import functools
import logging
import uuid
from collections.abc import Callable
from typing import ParamSpec

import streamlit as st

from authoring.ui import ansi, state
from authoring.ui.wording import label
from evaluator.errors import ToolkitError

P = ParamSpec("P")

_log = logging.getLogger(__name__)


def writes(function: Callable[P, None]) -> Callable[P, None]:
    """Turn what a callback raises into a message on the next screen. Each call counts as an action of the person."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            state.note_action()
            function(*args, **kwargs)
        except ToolkitError as error:
            state.flash("error", error.what, where=error.where, fix=error.fix)
        except Exception as error:  # noqa: BLE001 - a page is a boundary: the traceback goes to the log
            what, where, fix = _unexpected(error)
            state.flash("error", what, where=where, fix=fix)

    return guarded


def guard_page(run: Callable[[], None]) -> bool:
    """Run a page, or a part of one; what it cannot draw becomes a sentence in its place. Tells whether it was drawn."""
    try:
        run()
        return True
    except ToolkitError as error:
        show_error(error)
    except Exception as error:  # noqa: BLE001 - a page is a boundary: the traceback goes to the log
        show_message(state.Message("error", *_unexpected(error)))
    return False


def on_script_error(error: Exception) -> bool:
    """Draw what escaped every other boundary; the server calls this."""
    if isinstance(error, ToolkitError):
        show_error(error)
    else:
        show_message(state.Message("error", *_unexpected(error)))
    return True


def show_error(error: ToolkitError) -> None:
    """Draw an error as what, where and fix."""
    show_message(state.Message("error", error.what, error.where, error.fix))


def show_message(message: state.Message) -> None:
    """Draw a message. Its parts may quote hostile text, so all of it is escaped."""
    parts = [f"**{label(message.what, limit=600)}**"]
    if message.where:
        parts.append(f"Where: {label(message.where, limit=300)}")
    if message.fix:
        parts.append(f"To fix it: {label(message.fix, limit=600)}")
    draw = {"success": st.success, "info": st.info, "warning": st.warning, "error": st.error}[message.kind]
    draw("  \n".join(parts), icon=_ICONS[message.kind])


_ICONS = {
    "success": ":material/check_circle:",
    "info": ":material/info:",
    "warning": ":material/warning:",
    "error": ":material/error:",
}


def _unexpected(error: Exception) -> tuple[str, str, str]:
    """Log an error that is ours under an id, and return the sentence that shows the id."""
    error_id = uuid.uuid4().hex[:8]
    _log.error("event=page_error id=%s", error_id, exc_info=error)
    summary = ansi.plain_text(f"{type(error).__name__}: {error}")[:300]
    return (
        "this part of the page could not be shown: the fault is ours, not yours",
        summary,
        f"reload the page; if it stays, report the id {error_id}, under which the server's log has the details",
    )
