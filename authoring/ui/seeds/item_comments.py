"""What was said about a sketch and how it changed: comments and versions."""

from collections.abc import Sequence

import streamlit as st

from authoring.store.drafting.sketches import (
    Sketch,
    SketchComment,
    SketchRevision,
    add_sketch_comment,
    list_sketch_comments,
    resolve_sketch_comment,
)
from authoring.store.people import Role
from authoring.store.reviewing.reviews import COMMENT_KINDS
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.differences import draw_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.inputs.typed_text import sent, typed_area
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import ago, label, plural
from authoring.ui.workplace import workspace


def draw_sketch_comments(ws: Workspace, sketch: Sketch) -> None:
    """Draw the comments on a sketch and its items, and a field for a new one."""
    key = f"sketch:{sketch.id}:comment"
    comments = list_sketch_comments(ws, sketch.id)
    for comment in comments:
        _draw_comment(comment)
    if not comments:
        st.caption("No comments yet. They are read when amendments of the guide are gathered.")
    typed_area("New comment", f"{key}:text", height=80)
    names = {
        0: "the whole sketch",
        **{item.number: f"{item.number}. {label(item.query_idea, limit=60)}" for item in sketch.items},
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("On", list(names), format_func=names.__getitem__, key=f"{key}:item", width=320, on_change="ignore")
        st.selectbox(
            "Kind", COMMENT_KINDS, key=f"{key}:kind", index=len(COMMENT_KINDS) - 1, width=200,
            format_func=lambda kind: kind.replace("_", " "), on_change="ignore",
        )  # fmt: skip
        st.button("Comment", key=f"{key}:send", icon=":material/comment:", on_click=comment_on, args=(sketch.id,))


def _draw_comment(comment: SketchComment) -> None:
    with st.container(border=True, gap="xsmall"):
        place = f"problem {comment.item}" if comment.item else "the whole sketch"
        done = " · resolved" if comment.resolved_at else ""
        kind = label(comment.kind.replace("_", " "))
        st.caption(f"{label(comment.author)} · {place} · {kind} · {ago(comment.created_at)}{done}")
        st.text(cell_text(comment.text))
        if not comment.resolved_at:
            st.button(
                "Resolve",
                key=f"sketch:comment:{comment.id}",
                icon=":material/done:",
                on_click=resolve,
                args=(comment.id,),
            )


@writes(Role.ANNOTATOR, Role.REVIEWER)
def comment_on(sketch_id: int) -> None:
    """Keep a comment on a sketch or on one of its items."""
    key = f"sketch:{sketch_id}:comment"
    add_sketch_comment(
        workspace(),
        sketch_id,
        author=current_user(),
        text=str(state.widget_value(f"{key}:text") or ""),
        kind=str(state.widget_value(f"{key}:kind") or "other"),
        item=int(state.widget_value(f"{key}:item") or 0) or None,
    )
    sent(f"{key}:text")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def resolve(comment_id: int) -> None:
    """Mark a comment on a sketch as dealt with."""
    resolve_sketch_comment(workspace(), comment_id, by=current_user())


def draw_versions(sketch_id: int, revisions: Sequence[SketchRevision]) -> None:
    """Draw what changed between two saved versions of a sketch, and all of them, newest first."""
    if len(revisions) > 1:
        _draw_changes(sketch_id, revisions)
    else:
        st.caption("There is one version. Edit the table and save it: then there are two to compare.")
    for revision in reversed(revisions):
        minutes = f" · {revision.minutes:.0f} min" if revision.minutes >= 0.5 else ""
        said = f" · {label(revision.message, limit=200)}" if revision.message else ""
        st.markdown(
            f"**Version {revision.number}** · {plural(len(revision.items), 'problem')} · {label(revision.author)}"
        )
        st.caption(f"{ago(revision.created_at)}{minutes}{said}")


def _draw_changes(sketch_id: int, revisions: Sequence[SketchRevision]) -> None:
    by_number = {revision.number: revision for revision in revisions}
    numbers = sorted(by_number, reverse=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"sketch:{sketch_id}:versions:{len(revisions)}"
        before = st.selectbox("Before", numbers, index=1, key=f"{key}:before", width=160, format_func=_version_name)
        after = st.selectbox("After", numbers, index=0, key=f"{key}:after", width=160, format_func=_version_name)
    draw_difference(_as_text(by_number[before]), _as_text(by_number[after]), same="Both versions are the same.")


def _version_name(number: int) -> str:
    return f"version {number}"


def _as_text(revision: SketchRevision) -> str:
    """Return a version as lines that can be compared."""
    lines: list[str] = []
    for item in revision.items:
        facts = [item.difficulty, ", ".join(item.knowledge_points)]
        if item.depends_on:
            facts.append(f"builds on {', '.join(map(str, item.depends_on))}")
        lines += [f"{item.number}. {item.query_idea}", f"   {' · '.join(fact for fact in facts if fact)}"]
    return "\n".join(lines)
