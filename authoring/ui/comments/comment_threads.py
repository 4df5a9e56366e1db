"""A comment with its replies, and what people do with it: reply, edit, resolve, reopen."""

from typing import Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.reviewing.reviews import (
    Comment,
    add_reply,
    edit_comment,
    find_comment,
    is_same_person,
    resolve_comment,
)
from authoring.ui import actions, state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.inputs.typed_text import keep, sent, typed, typed_area
from authoring.ui.shell.auth import current_user, people_to_choose, people_to_mention, require
from authoring.ui.widgets import draw_chip
from authoring.ui.wording import Chip, ago, label
from authoring.ui.workplace import workspace

FORM: Final = "comment:form"  # (id, "reply" or "edit"): the one form that is open in this tab


def draw_comment(comment: Comment) -> None:
    """Draw a comment, its replies, and the buttons that answer, edit and resolve it."""
    with st.container(border=True, gap="xsmall"):
        if comment.blocking and not comment.resolved_at:
            st.badge("blocks accepting", icon=":material/block:", color="red")
        _draw_text(comment, "" if comment.kind == "other" else label(comment.kind))
        for reply in comment.replies:
            _draw_text(reply)
            _draw_own(reply)
        _draw_buttons(comment)
        _draw_form(comment)


def _draw_text(comment: Comment, kind: str = "") -> None:
    done = f"resolved by {label(comment.resolved_by or '')}" if comment.resolved_at else ""
    edited = f"edited {ago(comment.edited_at)}" if comment.edited_at else ""
    author = f"{':material/subdirectory_arrow_right: ' if comment.reply_to else ''}{label(comment.author)}"
    facts = [author, kind, ago(comment.created_at), edited, done]
    st.caption(" · ".join(filter(None, facts)))
    st.text(cell_text(comment.text))
    if comment.mentions:
        with st.container(horizontal=True, gap="xsmall"):
            for name in comment.mentions:
                draw_chip(Chip(name, ":material/alternate_email:", "violet"))


def _draw_buttons(comment: Comment) -> None:
    key = f"comment:{comment.id}"
    with st.container(horizontal=True):
        if comment.resolved_at:
            st.button("Reopen", f"{key}:reopen", icon=":material/undo:", on_click=actions.reopen, args=(comment.id,))
            return
        told = "Sends the reply that you typed, then resolves." if _replies_to(comment.id) else None
        st.button("Resolve", f"{key}:resolve", told, icon=":material/done:", on_click=resolve, args=(comment.id,))
        st.button("Reply", f"{key}:reply", icon=":material/reply:", on_click=open_form, args=(comment.id, "reply"))
        _draw_edit(comment)


def _draw_own(reply: Comment) -> None:
    if is_same_person(reply.author, current_user()):
        _draw_edit(reply)
        _draw_form(reply)


def _draw_edit(comment: Comment) -> None:
    if is_same_person(comment.author, current_user()):
        key = f"comment:{comment.id}:edit"
        st.button("Edit", key, icon=":material/edit:", on_click=open_form, args=(comment.id, "edit"))


def _draw_form(comment: Comment) -> None:
    opened, what = state.recall(FORM, (None, ""))
    if opened != comment.id:
        return
    key = f"comment:{comment.id}:{what}"
    begin = "" if what == "reply" else comment.text
    typed_area("Reply" if what == "reply" else "Your comment", f"{key}:text", begin, height=96)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_mention(f"{key}:text")
        if what == "reply":
            st.button("Send reply", f"{key}:send", icon=":material/send:", on_click=send_reply, args=(comment.id,))
        else:
            arguments = (comment.id, comment.text)
            st.button("Save comment", f"{key}:send", icon=":material/save:", on_click=save_edit, args=arguments)
        st.button("Cancel", f"{key}:cancel", on_click=close_form, args=(f"{key}:text",))


def draw_mention(key: str) -> None:
    """Draw the list of people from which a name is put into the text field of that key."""
    st.selectbox(
        "Mention", people_to_choose(workspace()), index=None, placeholder="@ name", key=f"{key}:at", width=150,
        on_change=mention, args=(key,), help="Puts the name at the end of your text; the comment shows in their queue.",
    )  # fmt: skip


@writes(ANYONE)
def mention(key: str) -> None:
    """Put the chosen name at the end of a text field, after an @."""
    name, text = state.widget_value(f"{key}:at"), typed(key)
    if name:
        said = f"{text}{'' if not text or text[-1].isspace() else ' '}@{name} "
        state.replace_text(key, said)
        keep(key, said)
        state.put_widget_value(f"{key}:at", None)


@writes(ANYONE)
def open_form(comment_id: int, what: str) -> None:
    """Open the field for a reply to a comment, or for its new text; what another one holds is kept for later."""
    state.remember(FORM, (comment_id, what))


@writes(ANYONE)
def close_form(key: str) -> None:
    """Close the open field and give up what was typed into it."""
    _close(key)


def _close(key: str) -> None:
    state.remember(FORM, (None, ""))
    sent(key, shown=None)


def _replies_to(comment_id: int) -> bool:
    """Return whether the field for a reply to the comment is open in this tab."""
    return bool(state.recall(FORM, (None, "")) == (comment_id, "reply"))


@writes(Role.ANNOTATOR, Role.REVIEWER)
def resolve(comment_id: int) -> None:
    """Mark a comment as dealt with, after sending a typed reply; a blocking one: only who wrote it, or a reviewer."""
    found = find_comment(workspace(), comment_id)
    if found.blocking and found.author != current_user():
        require(Role.REVIEWER)
    if _replies_to(comment_id):
        if typed(_reply_key(comment_id)).strip():
            _send_reply(comment_id)
        else:
            _close(_reply_key(comment_id))
    resolve_comment(workspace(), comment_id, by=current_user())


@writes(*Role)
def send_reply(comment_id: int) -> None:
    """Store the typed reply."""
    _send_reply(comment_id)


def _reply_key(comment_id: int) -> str:
    return f"comment:{comment_id}:reply:text"


def _send_reply(comment_id: int) -> None:
    key = _reply_key(comment_id)
    text = typed(key).strip()
    add_reply(workspace(), comment_id, author=current_user(), text=text, people=people_to_mention(workspace()))
    _close(key)
    actions.tell_unknown(text)


@writes(*Role)
def save_edit(comment_id: int, before: str) -> None:
    """Replace the text of one's own comment by what was typed; `before` is what the screen showed."""
    key = f"comment:{comment_id}:edit:text"
    text = typed(key).strip()
    people = people_to_mention(workspace())
    edit_comment(workspace(), comment_id, by=current_user(), text=text, before=before, people=people)
    _close(key)
    actions.tell_unknown(text)
