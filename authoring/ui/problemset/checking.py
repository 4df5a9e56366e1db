"""What checking says about the newest revision: at once from its text, and from its dry run, with its age."""

from pathlib import Path

import streamlit as st

from authoring.checks import failures_of, slow_problems
from authoring.store import DryRun
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.widgets import draw_diagnostics
from authoring.ui.wording import ago, label, plural
from evaluator.language import parse_problemset, support_diagnostics


def draw_checks(opened: OpenDraft, dry_run: DryRun | None) -> None:
    """Draw the check of the text, and what the last dry run proves."""
    revision, name = opened.revision, opened.row.name
    path = Path(f"{name}.py")
    own = opened.draft.own_validators
    problemset, found = parse_problemset(revision.text, name=name, path=path, own_validators=own)
    found += support_diagnostics(problemset, path) if problemset is not None else ()
    st.markdown("**The text**")
    st.caption(f"Checked just now, revision {revision.number}, without executing it.")
    draw_diagnostics(found, empty=":material/check: Nothing is wrong with it.")
    st.markdown("**The dry run**")
    if dry_run is None:
        st.caption("There is none of this revision yet: order one above.")
        return
    st.caption(
        f"Dry run {dry_run.id} of revision {revision.number}, {ago(dry_run.created_at)}, in the sandbox "
        f"{label(dry_run.sandbox)}, environment {label(dry_run.environment[:12])}."
    )
    failures = failures_of(dry_run)
    for failure in failures:
        fix = f"  \nTo fix it: {label(failure.fix, limit=400)}"
        st.error(f"**{label(str(failure), limit=600)}** ({failure.check.value}){fix}", icon=":material/error:")
    slow = slow_problems(dry_run)
    if slow:
        numbers = ", ".join(str(number) for number in slow)
        st.warning(f"{plural(len(slow), 'reference')} near the time limit: problem {numbers}.", icon=":material/timer:")
    if not failures:
        st.markdown(":green[:material/check:] Every reference passes, and no empty answer does.")
