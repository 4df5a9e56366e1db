"""What a submission showed beside what the reference showed, and the conversation behind it, when a run kept them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store import AttemptRow, RunRow, Workspace, reference_outputs
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.outputs import draw_error, draw_outputs
from authoring.ui.wording import label
from evaluator.records import AttemptKey
from evaluator.running import DETAILS, AttemptDetails, DetailsReader

MISSING: Final = (
    "Not kept: the run is older than this, came from elsewhere, was told to keep none, or was too large. "
    "`benchwright run --outputs shown` keeps them."
)
ROLES: Final = {
    "system": ":material/settings:",
    "user": ":material/person:",
    "assistant": ":material/smart_toy:",
}


def attempt_details(run: RunRow, attempt: AttemptRow) -> AttemptDetails | None:
    """Return what the run kept of an attempt; None when it kept nothing."""
    path = Path(run.out_dir) / DETAILS
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # gone, or no path at all
        return None
    key = AttemptKey(attempt.problemset, attempt.position, attempt.attempt, attempt.epoch)
    return _reader(str(path), size).find(key)


@st.cache_resource(max_entries=4, show_spinner=False)
def _reader(path: str, size: int) -> DetailsReader:
    del size  # the key: the file only grows
    return DetailsReader(Path(path))


def draw_shown(ws: Workspace, run: RunRow, attempt: AttemptRow, details: AttemptDetails | None) -> None:
    """Draw the outputs of a submission beside those of the reference."""
    reference = reference_outputs(ws, run.release, attempt.problemset, attempt.position)
    mine, theirs = st.container(border=True).columns(2)
    with mine:
        st.markdown("**The submission showed**")
        _draw_submission(details, f"attempt:{attempt.id}:submission")
    with theirs:
        st.markdown("**The reference showed**")
        if reference is None:
            st.caption("This workspace holds no dry run of the released revision.")
        else:
            st.caption("From the newest dry run of the released revision.")
            draw_outputs(reference, key=f"attempt:{attempt.id}:reference", empty="It shows nothing.")


def _draw_submission(details: AttemptDetails | None, key: str) -> None:
    if details is None:
        st.caption(MISSING)
        return
    if details.is_shortened:
        st.caption("Long texts are shortened; outputs that are too large are only named.")
    draw_outputs(details.outputs, key=key, empty="It printed nothing.")
    has_error = any(output.get("output_type") == "error" for output in details.outputs)
    if details.error is not None and not has_error:
        draw_error(details.error, key=f"{key}:error")


def draw_transcript(attempt: AttemptRow, details: AttemptDetails | None) -> None:
    """Draw what the agent and its model said to each other."""
    if details is None or not details.transcript:
        return
    box = st.expander(
        f"Transcript: {len(details.transcript)} messages", icon=":material/forum:", on_change="rerun",
        key=f"attempt:{attempt.id}:transcript",
    )  # fmt: skip
    if not box.open:
        return
    with box:
        for message in details.transcript:
            _draw_message(message)


def _draw_message(message: Mapping[str, Any]) -> None:
    role = str(message.get("role") or "message")
    facts = [f"{name} {message[name]}" for name in ("tokens", "seconds", "cost") if message.get(name) is not None]
    st.markdown(f"{ROLES.get(role, ':material/chat:')} **{label(role)}** {label(' · '.join(facts))}")
    st.code(cell_text(str(message.get("content") or "(empty)")), language=None, wrap_lines=True)
