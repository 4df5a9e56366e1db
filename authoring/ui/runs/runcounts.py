"""Counts of runs' verdicts, kept by this server until a run's attempts change: counting 100,000 takes 200 ms."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from authoring.store import AttemptsMark, Workspace, count_last_verdicts, count_verdicts_of_runs, mark_attempts

KEPT = 500


def verdicts_of_runs(ws: Workspace, run_ids: Sequence[int]) -> dict[int, Mapping[str, int]]:
    """Return run -> verdict -> problems, epochs counted apart."""
    marks = mark_attempts(ws, run_ids)
    return {run_id: _of_run(ws.root, run_id, marks[run_id]) for run_id in run_ids}


def verdicts_by_set(ws: Workspace, run_id: int) -> Mapping[str, Mapping[str, int]]:
    """Return problemset -> verdict -> problems of a run, epochs counted apart."""
    return _by_set(ws.root, run_id, mark_attempts(ws, [run_id])[run_id])


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _of_run(root: Path, run_id: int, mark: AttemptsMark) -> Mapping[str, int]:
    del mark  # a part of what the counts are kept under
    return count_verdicts_of_runs(Workspace(root), [run_id])[run_id]


@st.cache_data(max_entries=KEPT // 10, show_spinner=False)
def _by_set(root: Path, run_id: int, mark: AttemptsMark) -> Mapping[str, Mapping[str, int]]:
    del mark
    return count_last_verdicts(Workspace(root), run_id)
