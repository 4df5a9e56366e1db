"""The attempts at one problem in one epoch, each against the one before, with what the agent was told between them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.run_results import list_epoch
from authoring.store.runs import AttemptRow, RunRow
from authoring.store.workspace import Workspace
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.output_differences import sort_outputs
from authoring.ui.widgets import chip_text
from authoring.ui.wording import verdict_chip
from evaluator.errors import ToolkitError
from evaluator.records import AttemptKey
from evaluator.reporting import read_manifest
from evaluator.running import DETAILS, MANIFEST, AttemptDetails, DetailsReader

PARTS: Final = {"error": "the error", "output": "what was shown", "hint": "the verdict and its reason"}


def draw_tries(ws: Workspace, run: RunRow, attempt: AttemptRow, count: int) -> None:
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
        key=f"attempt:{attempt.id}:tries",
    )  # fmt: skip
    if not box.open:
        return
    with box:
        tries = list_epoch(ws, run.id, (attempt.problemset, attempt.position), attempt.epoch)
        told = fed_back(run.out_dir)
        for before, after in pairwise(tries):
            st.markdown(f"{_name(before)} → {_name(after)}")
            _draw_told(told, before, attempt_details(run, before))
            titles = (f"Attempt {before.attempt}", f"Attempt {after.attempt}")
            draw_field_difference(
                _code(before), _code(after), "code", key=f"tries:{before.id}:{after.id}", titles=titles,
                label=" and ".join(titles),
            )  # fmt: skip


def fed_back(out_dir: str) -> Sequence[str] | None:
    """Return the parts of an attempt that its agent was told before the next one; None: it is not known."""
    try:
        policies = read_manifest(Path(out_dir) / MANIFEST).get("policies")
    except (OSError, ValueError, ToolkitError):  # gone, no path at all, or not to be read
        return None
    parts = policies.get("feedback") if isinstance(policies, Mapping) else None
    return [part for part in PARTS if part in parts] if isinstance(parts, list) else None


def _draw_told(parts: Sequence[str] | None, attempt: AttemptRow, details: AttemptDetails | None) -> None:
    if not parts:
        st.caption(
            "The agent was told nothing between them." if parts is not None else "What was fed back is not known."
        )
        return
    for part in parts:
        text = _told(part, attempt, details)
        st.caption(f"Fed back: {PARTS[part]}{'' if text else f'. {_empty(part, details)}'}")
        if text:
            st.code(cell_text(text), language=None, wrap_lines=True, height=160 if text.count("\n") > 6 else "content")


def _told(part: str, attempt: AttemptRow, details: AttemptDetails | None) -> str:
    if part == "hint":
        return f"{attempt.verdict}: {attempt.record.get('extended_verdict') or ''}"
    if details is None:
        return ""
    if part == "output":
        return sort_outputs(details.outputs).text()
    error = details.error or {}
    return error.get("traceback") or ": ".join(filter(None, (error.get("name"), error.get("message"))))


def _empty(part: str, details: AttemptDetails | None) -> str:
    if details is None:
        return "The run did not keep it."
    return "There was none." if part == "error" else "It showed nothing."


def _name(attempt: AttemptRow) -> str:
    return f"**Attempt {attempt.attempt}** {chip_text(verdict_chip(attempt.verdict))}"


def _code(attempt: AttemptRow) -> str:
    return cell_text(str(attempt.record.get("code") or "")).strip("\n")


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
