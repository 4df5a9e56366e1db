"""Where exceptions become sentences: what, where, fix, and never a traceback."""

import contextlib
import functools
import logging
import re
import uuid
from collections.abc import Callable
from typing import Final, Literal, NoReturn, ParamSpec

import streamlit as st

from authoring.store import problemsets
from authoring.store.people import Role
from authoring.store.reviewing.leases import extend_problemset_lease
from authoring.ui import state
from authoring.ui.advice import in_app
from authoring.ui.drawing import ansi
from authoring.ui.shell.auth import current_user, require
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ToolkitError, UsageError

P = ParamSpec("P")
ANYONE: Final = "anyone"

_log = logging.getLogger(__name__)


def writes(*roles: Role | Literal["anyone"], typing: bool = False) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Guard a callback: who has none of `roles` is refused here, on the server, and what it raises becomes a message.

    Each call counts as an action of the person, and the messages of the one before go.

    Args:
        roles: Who may call it. Maintainers may do everything; `ANYONE` is for what only changes this tab or the
            person's own preferences.
        typing: Whether it is called while somebody types: the messages stay.
    """
    needed = tuple(role for role in roles if isinstance(role, Role))
    assert roles, "say who may: @writes(Role.ANNOTATOR), or @writes(ANYONE)"

    def guard(function: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                if ANYONE not in roles:
                    require(*needed)
                state.note_action()
                if not typing:
                    state.drop_notices()
                function(*args, **kwargs)
                if needed:
                    _extend_lease()
            except ToolkitError as error:
                state.flash("error", error.what, where=error.where, fix=error.fix, cause=type(error).__name__)
            except Exception as error:  # noqa: BLE001 - a page is a boundary: the traceback goes to the log
                what, where, fix = _unexpected(error)
                state.flash("error", what, where=where, fix=fix)

        guarded.__dict__["roles"] = roles
        return guarded

    return guard


def _extend_lease() -> None:
    """Let the person's claim on the problemset of this page begin anew: every action shows that they are at work."""
    shown = state.param("set")
    if shown is None:
        return
    with contextlib.suppress(UsageError):  # an address that names no set, on a page that shows none
        number = int(shown) if state.is_row_number(shown) else problemsets.find(workspace(), shown).id
        extend_problemset_lease(workspace(), number, holder=current_user())


class PageEnded(Exception):  # noqa: N818 - no error
    """Raised where a page has nothing more to show; what stands around it is still drawn."""


def end_page() -> NoReturn:
    """Show nothing more of a page; only from the page itself, neither from a part that has a guard nor a fragment."""
    raise PageEnded


def guard_page(run: Callable[[], None]) -> bool:
    """Run a page, or a part of one; what it cannot draw becomes a sentence in its place. Tells whether it was drawn."""
    try:
        run()
        return True
    except PageEnded:
        return True
    except ToolkitError as error:
        show_error(error)
    except Exception as error:  # noqa: BLE001 - a page is a boundary: the traceback goes to the log
        show_message(state.Notice("error", *_unexpected(error)))
    return False


def on_script_error(error: Exception) -> bool:
    """Draw what escaped every other boundary; the server calls this."""
    if isinstance(error, ToolkitError):
        show_error(error)
    else:
        show_message(state.Notice("error", *_unexpected(error)))
    return True


def show_error(error: ToolkitError) -> None:
    """Draw an error as what, where and fix."""
    show_message(state.Notice("error", error.what, error.where, error.fix))


def show_message(message: state.Notice) -> None:
    """Draw a message. Its parts may quote hostile text, so all of it is escaped.

    Where it names a command of the terminal, it names the page that does the same, with a link.
    """
    fix, way = in_app(message.fix)
    what = f"{message.what}; {message.meanwhile}" if message.meanwhile else message.what
    parts = [f"**{label(what, limit=600)}**"]
    if message.where and not _tells(message.what, message.where):
        parts.append(f"Where: {label(message.where, limit=300)}")
    if fix:
        parts.append(f"To fix it: {label(fix, limit=600)}")
    if message.hint:
        parts.append(label(message.hint, limit=600))
    draw = {"success": st.success, "info": st.info, "warning": st.warning, "error": st.error}[message.kind]
    draw("  \n".join(parts), icon=_ICONS[message.kind])
    for detail in message.details:
        _show_detail(detail)
    if way is not None:
        from authoring.ui.shell.navigation import link_to_page  # which draws messages by this module

        link_to_page(way.page)


def _show_detail(detail: state.Detail) -> None:
    from authoring.ui.shell.navigation import page_link  # which draws messages by this module

    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(label(detail.words, limit=400), width="content")
        for link in detail.links:
            page_link(link.page, label(link.words), icon=":material/arrow_forward:", parameters=link.parameters)


def _tells(what: str, where: str) -> bool:
    """Return whether a sentence names a place already, word for word."""
    said = set(re.findall(r"[^\s'\"`:,;()]+", what))
    return set(re.findall(r"[^\s'\"`:,;()]+", where)) <= said


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
