"""The attempts at one problem in one epoch, each against the one before, with what the agent was told between them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import streamlit as st

from authoring.store.run_results import list_epoch
from authoring.store.runs import AttemptRow, RunRow
from authoring.store.workspace import Workspace
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.runs.kept_details import attempt_details
from authoring.ui.widgets import chip_text
from authoring.ui.wording import verdict_chip
from evaluator.errors import ToolkitError
from evaluator.reporting import read_manifest
from evaluator.running import MANIFEST, AttemptDetails
from evaluator.running.execution.policies import error_as_told, output_as_told, shown_text
from evaluator.session import Ending

PARTS: Final = {"error": "the error", "output": "what was shown", "hint": "the verdict and its reason"}


NOTHING: Final = "The run fed nothing back between them."
EXECUTED: Final = (
    "The agent executed these in the session that it submits: what each execution left was shown to it, and nothing "
    "else was fed back."
)


def draw_attempts_compared(ws: Workspace, run: RunRow, attempt: AttemptRow, count: int) -> None:
    """Draw how each attempt of an epoch changed the one before; nothing where there was one.

    Args:
        ws: The workspace.
        run: The attempts' run.
        attempt: One of them.
        count: How many attempts the epoch has.
    """
    if count < 2:
        return
    box = st.expander(
        f"From attempt to attempt: {count} in epoch {attempt.epoch}", icon=":material/difference:", on_change="rerun",
        key=f"attempt:{attempt.id}:compared",
    )  # fmt: skip
    if not box.open:
        return
    with box:
        listed = list_epoch(ws, run.id, (attempt.problemset, attempt.position), attempt.epoch)
        if len(listed) < count:
            st.caption(f"The first {len(listed)} of {count:,}.")
        policy = feedback_policy(run.out_dir)
        is_live = policy is not None and policy.is_exceeded_by(count)
        for before, after in pairwise(listed):
            st.markdown(f"{_name(before)} → {_name(after)}")
            if is_live:
                st.caption(EXECUTED)
            else:
                _draw_told(policy, before, attempt_details(run, before))
            titles = (f"Attempt {before.attempt}", f"Attempt {after.attempt}")
            draw_field_difference(
                _code(before), _code(after), "code", key=f"compared:{before.id}:{after.id}", titles=titles,
                label=" and ".join(titles),
            )  # fmt: skip


class FeedbackPolicy(NamedTuple):
    """What a run said to its agent between attempts."""

    parts: Sequence[str]  # of an attempt, that its agent was told before the next one
    max_attempts: int | None  # None: it is not known

    def is_exceeded_by(self, count: int) -> bool:
        """Return whether so many attempts can only be executions in the session that an agent submits."""
        return self.max_attempts is not None and count > self.max_attempts


def feedback_policy(out_dir: str) -> FeedbackPolicy | None:
    """Return what a run's manifest says of feedback; None: it is not known."""
    try:
        manifest = read_manifest(Path(out_dir) / MANIFEST)
    except (OSError, ValueError, ToolkitError):  # gone, no path at all, or not to be read
        return None
    policies, most = manifest.get("policies"), manifest.get("max_attempts")
    parts = policies.get("feedback") if isinstance(policies, Mapping) else None
    if not isinstance(parts, list):
        return None
    return FeedbackPolicy([part for part in PARTS if part in parts], most if isinstance(most, int) else None)


def _draw_told(policy: FeedbackPolicy | None, attempt: AttemptRow, details: AttemptDetails | None) -> None:
    if policy is None or not policy.parts:
        st.caption(NOTHING if policy is not None else "What was fed back is not known.")
        return
    for part in policy.parts:
        text = _told(part, attempt, details)
        rest = f". {_empty(part, attempt, details)}" if not text else ""
        if text and part == "output" and details is not None and details.is_shortened:
            rest = ", as far as the run kept it"
        st.caption(f"Fed back: {PARTS[part]}{rest}")
        if text:
            st.code(cell_text(text), language=None, wrap_lines=True, height=160 if text.count("\n") > 6 else "content")


def _told(part: str, attempt: AttemptRow, details: AttemptDetails | None) -> str:
    """Return the text of a part as the agent got it, as far as the run kept it."""
    if part == "hint":
        return shown_text(f"{attempt.verdict}: {attempt.record.get('extended_verdict') or ''}")
    if part == "error":
        return error_as_told(None if details is None else details.error, _ending(attempt)) or ""
    return "" if details is None else output_as_told(details.outputs)


def _ending(attempt: AttemptRow) -> str:
    return str(attempt.record.get("ending") or "")


def _empty(part: str, attempt: AttemptRow, details: AttemptDetails | None) -> str:
    if details is None and (part != "error" or _ending(attempt) != Ending.OK):
        return "The run did not keep it."
    return "There was none." if part == "error" else "It showed nothing."


def _name(attempt: AttemptRow) -> str:
    return f"**Attempt {attempt.attempt}** {chip_text(verdict_chip(attempt.verdict))}"


def _code(attempt: AttemptRow) -> str:
    return cell_text(str(attempt.record.get("code") or "")).strip("\n")
