"""The guide on the screen: its text, an editor for it, and its history."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store.drafting.guide import GuideRevision, find_guide, save_guide
from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.drawing.differences import draw_difference
from authoring.ui.drawing.markup import cell_text, safe_markdown
from authoring.ui.inputs.typed_text import sent, start_typed, typed, typed_area, typed_line, unsent_fields
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.shell.timing import keep_guide_minutes
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace

EDITOR_HEIGHT: Final = 520
TEXT: Final = "guide:text:"  # followed by the number of the revision that it was opened on
MESSAGE: Final = "guide:message"


def draw_text(shown: GuideRevision, newest: GuideRevision) -> None:
    """Draw one revision of the guide; the newest can be edited."""
    if shown.number != newest.number:
        st.info(f"This is revision {shown.number}. Authors are given revision {newest.number}.")
        with st.container(horizontal=True, vertical_alignment="center"):
            page_link("guide", "Go to the newest", icon=":material/arrow_forward:")
            st.button(
                "Restore this text as the newest revision",
                key=f"guide:restore:{shown.number}",
                icon=":material/settings_backup_restore:",
                disabled=shown.text == newest.text,
                help="The text is the newest one's already." if shown.text == newest.text else None,
                on_click=restore,
                args=(shown.number, newest.number),
            )
    if shown.number == newest.number and (base := _edited_number()):
        _draw_editor(newest, base)
        return
    if shown.number == newest.number:
        st.button(
            "Edit the guide", key="guide:edit", icon=":material/edit:", on_click=begin_edit, args=(newest.number,)
        )
    if st.toggle("As it stands in prompts, lines numbered", key="guide:as_text", persist_state="session"):
        st.code(cell_text(shown.text), language=None, line_numbers=True, wrap_lines=True)
    else:
        with st.container(key="guide_text"):
            st.markdown(safe_markdown(shown.text))


def _edited_number() -> int | None:
    """Return on which revision the person is writing, in this tab or with text that was left unsent."""
    opened = state.recall(_editing())
    left = [int(field.rpartition(":")[2]) for field in unsent_fields(TEXT)]
    return int(opened) if opened else max(left, default=None)


def _editing() -> str:
    """Return under what this tab remembers on which revision its person writes."""
    return f"guide:editing:{current_user()}"


def _draw_editor(newest: GuideRevision, base: int) -> None:
    key = f"{TEXT}{base}"
    opened_text = find_guide(workspace(), base).text
    start_typed(key, opened_text)
    if base != newest.number:
        st.warning(
            f"**Somebody saved revision {newest.number} while you wrote.** Below is what differs from it; put theirs "
            "into your text, then save on top of it.",
            icon=":material/call_split:",
        )
        draw_difference(newest.text, str(state.widget_value(key)), same="Your text is that of the newest revision.")
    typed_area(
        "Guide",
        key,
        opened_text,
        height=EDITOR_HEIGHT,
        help="It stands in every prompt: at most 60,000 characters.",
    )
    st.caption("What you type is kept for you until you save it or leave the guide as it was.")
    typed_line("What did you change?", MESSAGE, max_chars=200)
    with st.container(horizontal=True):
        st.button(
            "Save the guide", key="guide:save", type="primary", icon=":material/save:", on_click=save, args=(base,)
        )
        if base != newest.number:
            st.button(
                f"Save on top of revision {newest.number}",
                key="guide:save_over",
                icon=":material/save:",
                on_click=save,
                args=(base, newest.number),
            )
        st.button("Leave it as it was", key="guide:cancel", icon=":material/undo:", on_click=end_edit, args=(base,))


@writes(ANYONE)
def begin_edit(number: int) -> None:
    """Open the editor on a revision."""
    state.remember(_editing(), number)
    state.replace_text(f"{TEXT}{number}", find_guide(workspace(), number).text)


@writes(ANYONE)
def end_edit(base: int) -> None:
    """Close the editor without saving; what was typed in it is given up."""
    _close(base)


def _close(base: int) -> None:
    state.remember(_editing(), None)
    sent(f"{TEXT}{base}", shown=None)
    sent(MESSAGE)


@writes(Role.MAINTAINER)
def save(opened_on: int, base: int | None = None) -> None:
    """Make what was typed the next guide; refused when somebody saved one that its writer has not seen."""
    text, message = typed(f"{TEXT}{opened_on}"), typed(MESSAGE).strip()
    saved = save_guide(workspace(), text, base_number=base or opened_on, author=current_user(), message=message)
    keep_guide_minutes(workspace(), saved.number)
    _close(opened_on)
    state.flash("success", f"the guide is revision {saved.number} now; the next drafts are made with it")


@writes(Role.MAINTAINER)
def restore(number: int, newest: int) -> None:
    """Make an old text the next guide; refused when somebody saved one that the person has not seen."""
    text, message = find_guide(workspace(), number).text, f"the text of revision {number} again"
    saved = save_guide(workspace(), text, base_number=newest, author=current_user(), message=message)
    state.set_param("v", None)
    state.flash("success", f"the guide is revision {saved.number} now, with the text of revision {number}")


def draw_guide_history(guides: Sequence[GuideRevision]) -> None:
    """Draw all revisions, newest first, and what changed between any two."""
    numbers = [guide.number for guide in reversed(guides)]
    by_number = {guide.number: guide for guide in guides}
    if len(guides) == 1:
        draw_empty("There is one revision", "Accept an amendment or edit the guide: then there are two to compare.")
    else:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            before = st.selectbox("Before", numbers, index=1, key="guide:before", width=160, format_func=_revision_name)
            after = st.selectbox("After", numbers, index=0, key="guide:after", width=160, format_func=_revision_name)
        draw_difference(by_number[before].text, by_number[after].text)
    slot = st.container()
    offset = draw_pager(len(guides), key="guide:history:page")
    for guide in list(reversed(guides))[offset : offset + PAGE_SIZE]:
        with slot, st.container(border=True, gap="xsmall"):
            page_link("guide", f"**Revision {guide.number}**", icon=":material/rule:", v=guide.number)
            said = f" · {label(guide.message, limit=300)}" if guide.message else ""
            st.caption(f"{label(guide.author)} · {ago(guide.created_at)}{said}")


def _revision_name(number: int) -> str:
    return f"revision {number}"
