"""The right side of the editor: outputs, verdicts, variables, changes, comments, history."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store.reviewing.reviews import COMMENT_KINDS, Comment, Decision
from authoring.store.revisions import Revision
from authoring.ui import actions
from authoring.ui.comments.comment_threads import draw_comment, draw_mention
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.outputs import draw_error, draw_outputs
from authoring.ui.editor.editing import LABELS, OpenDraft, discard
from authoring.ui.editor.evidence import Evidence, Opinion
from authoring.ui.inputs.typed_text import typed_area
from authoring.ui.problemset.deciding import draw_restore
from authoring.ui.seeds.replaced_view import draw_replaced
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import THREADS_A_PAGE, chip_text, draw_diagnostics, draw_empty, draw_pager, verdict_line
from authoring.ui.wording import ago, author_words, ending_words, label, status_chip
from evaluator.diagnostics import Diagnostic
from evaluator.language.document_cells import DocumentCell
from evaluator.running.quality.warning import warning_title

MAX_VARIABLES: Final = 200
MAX_HEADLINE: Final = 3  # warnings above the tabs
MAX_WARNINGS: Final = 30


def draw_headline(evidence: Evidence | None) -> None:
    """Draw in one line how a problem stands, and below it what is doubtful about it."""
    if evidence is None:
        return
    if evidence.opinions:
        st.markdown(verdict_line({column: opinion.verdict for column, opinion in evidence.opinions.items()}))
    if not evidence.stale:
        for warning in evidence.warnings[:MAX_HEADLINE]:
            st.caption(f":material/warning: {_warning_text(warning)}")
        if len(evidence.warnings) > MAX_HEADLINE:
            st.caption(f"and {len(evidence.warnings) - MAX_HEADLINE} more under Verdicts")


def draw_warnings(warnings: Sequence[Mapping[str, Any]]) -> None:
    """Draw what is doubtful about a problem although its reference passes, each with its fix."""
    for warning in warnings[:MAX_WARNINGS]:
        fix = label(str(warning.get("fix", "")), limit=600)
        code = label(str(warning.get("code", "")))
        st.warning(f"{_warning_text(warning)} ({code})  \nTo fix it: {fix}", icon=":material/warning:")


def _warning_text(warning: Mapping[str, Any]) -> str:
    return f"**{label(warning_title(str(warning.get('code', ''))))}**: {label(str(warning.get('what', '')), limit=600)}"


def draw_outcome(evidence: Evidence | None, *, key: str, cell: str = "") -> None:
    """Draw what a cell left behind; `cell` is what to call it."""
    if evidence is None:
        draw_empty("Not executed yet", "Run this problem to see its tables, plots and text here.")
        return
    draw_origin(evidence)
    if evidence.error:
        draw_error(evidence.error, key=f"{key}:error", cell=cell)
    elif evidence.ending != "ok":
        st.error(_said_of_ending(evidence), icon=":material/error:")
    outputs = [output for output in evidence.outputs if not (evidence.error and output.get("output_type") == "error")]
    if outputs or evidence.ending == "ok":
        draw_outputs(outputs, key=key, empty="The code printed nothing and its last line has no value.")


def _said_of_ending(evidence: Evidence) -> str:
    """Return how a cell ended that did not end by itself, and what mends it where its verdict says so."""
    said = f"**{label(ending_words(evidence.ending))}**"
    reason = evidence.opinions.get("reference", Opinion()).reason
    if evidence.ending != "timed_out" or not reason:
        return f"{said}."
    return f"{said}, and was stopped after {evidence.seconds:.0f} s: {label(reason, limit=400)}."


def draw_variables(evidence: Evidence | None) -> None:
    """Draw the variables after the cell, those that it changed first."""
    changed = [view for view in (evidence.variables if evidence else ()) if view.get("change") != "unchanged"]
    kept = [view for view in (evidence.variables if evidence else ()) if view.get("change") == "unchanged"]
    if not changed and not kept:
        draw_empty("No variables to show", "Run this problem to see what it leaves behind.")
        return
    for title, views in (("Changed here", changed), ("From before", kept)):
        if views:
            st.markdown(f"**{title}**")
            st.table([_variable_row(view) for view in views[:MAX_VARIABLES]], border="horizontal")


def draw_changes(opened: OpenDraft, cell: DocumentCell, faults: Sequence[Diagnostic]) -> None:
    """Draw what the person changed in a cell and not saved as a revision yet."""
    draw_diagnostics(faults)
    edited = [name for name in cell.texts if (cell.key, name) in opened.draft.edits]
    if not edited:
        draw_empty("No unsaved change", "What you type is kept at once; it becomes a revision when you save.")
        return
    for name in edited:
        st.markdown(f"**{LABELS[name]}**")
        key = f"changes:{opened.row.id}:{cell.key}:{name}"
        draw_field_difference(cell.texts[name], opened.draft.value(cell, name), name, key=key, label=LABELS[name])
    st.button(
        "Drop my changes to this problem",
        key=f"drop:{opened.row.id}:{cell.key}",
        icon=":material/undo:",
        on_click=discard,
        args=(opened.row.id, cell.key),
    )


def draw_comments(comments: Sequence[Comment], revision: Revision, problem: str | None) -> None:
    """Draw the comments on a problem (or on the whole set) and a field for a new one."""
    key = f"comment:{revision.problemset_id}:{problem or ''}"
    ours = newest_first([comment for comment in comments if comment.problem == problem])
    offset = draw_pager(len(ours), key=f"{key}:page", size=THREADS_A_PAGE)
    for comment in ours[offset : offset + THREADS_A_PAGE]:
        draw_comment(comment)
    if not ours:
        st.caption("No comments yet.")
    typed_area("New comment", f"{key}:text", height=96)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_mention(f"{key}:text")
        draw_comment_button(key, actions.comment, (revision.id, problem, key))


def draw_comment_button(key: str, on_click: Callable[..., None], args: tuple[Any, ...]) -> None:
    """Draw what a new comment is about, whether it blocks accepting, and the button that sends it."""
    st.selectbox("Kind", COMMENT_KINDS, key=f"{key}:kind", index=len(COMMENT_KINDS) - 1, on_change="ignore")
    st.checkbox(
        "Blocks accepting", key=f"{key}:blocking", help="Nobody accepts the set until it is resolved.",
        on_change="ignore",
    )  # fmt: skip
    st.button("Comment", key=f"{key}:send", icon=":material/comment:", on_click=on_click, args=args)


def newest_first(comments: Sequence[Comment]) -> list[Comment]:
    """Return comments as a long list shows them: open ones before resolved ones, the newest first."""
    return sorted(comments, key=lambda comment: (comment.resolved_at is not None, -comment.id))


def draw_history(
    revisions: Sequence[Revision], decisions: Sequence[Decision], *, problem: str | None, problemset: int
) -> None:
    """Draw the revisions with the decisions on them, newest first."""
    newest = max(revisions, key=lambda revision: revision.number).id
    decided: Mapping[int, list[Decision]] = {revision.id: [] for revision in revisions}
    for decision in decisions:
        decided.get(decision.revision_id, []).append(decision)
    for revision in sorted(revisions, key=lambda revision: -revision.number):
        with st.container(border=True, gap="xsmall"):
            minutes = f" · {revision.minutes:.0f} min" if revision.minutes else ""
            by = author_words(revision.author, revision.origin)
            st.markdown(f"**Revision {revision.number}** by {by}{minutes}")
            st.caption(f"{ago(revision.created_at)}{' · ' + label(revision.message) if revision.message else ''}")
            draw_replaced(revision.provenance)
            for decision in decided[revision.id]:
                reason = f": {label(decision.reason, limit=500)}" if decision.reason else ""
                st.markdown(f"{chip_text(status_chip(decision.decision))} by {label(decision.by)}{reason}")
            with st.container(horizontal=True, vertical_alignment="center"):
                if revision.parent_id is not None:
                    page_link(
                        "compare",
                        "What changed",
                        icon=":material/difference:",
                        set=problemset,
                        pid=problem,
                        a=revision.parent_id,
                        b=revision.id,
                    )
                if revision.id != newest:
                    draw_restore(revision, newest, where="history")


def draw_origin(evidence: Evidence) -> None:
    """Draw where evidence comes from, and whether it still holds."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if evidence.stale:
            st.badge("stale", icon=":material/history:", color="orange")
            st.caption("The text has changed since. Run it again.", width="content")
        else:
            st.badge("current", icon=":material/check:", color="green")
        st.caption(f"{evidence.source}, {ago(evidence.at)} · {evidence.seconds:.2f} s", width="content")


def _variable_row(view: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Name": f"`{cell_text(str(view.get('name', ''))).replace('`', '')[:80]}`",
        "Type": label(str(view.get("type", "")), limit=60),
        "Change": label(str(view.get("change", ""))),
        "Value": label(str(view.get("text", "")), limit=300),
    }
