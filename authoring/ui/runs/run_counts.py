"""Counts of runs' verdicts, cached by this server until a run's attempts change: counting 100,000 takes 200 ms."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.run_results import (
    AttemptsMark,
    MaskCount,
    count_causes,
    count_last_verdicts,
    count_masks,
    count_verdicts_of_runs,
    mark_attempts,
)
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError
from evaluator.reporting import AskedSets, read_asked_sets
from evaluator.running import MANIFEST

KEPT: Final = 500


def verdicts_of_runs(ws: Workspace, run_ids: Sequence[int]) -> dict[int, Mapping[str, int]]:
    """Return run -> verdict -> problems, epochs counted apart."""
    marks = mark_attempts(ws, run_ids)
    return {run_id: _of_run(ws.root, run_id, marks[run_id]) for run_id in run_ids}


def verdicts_by_set(ws: Workspace, run_id: int) -> Mapping[str, Mapping[str, int]]:
    """Return problemset -> verdict -> problems of a run, epochs counted apart."""
    return _by_set(ws.root, run_id, mark_attempts(ws, [run_id])[run_id])


def causes_of_runs(ws: Workspace, run_ids: Sequence[int]) -> Sequence[tuple[str, str, int]]:
    """Return verdict, subverdict and problems of all these runs together, most frequent first."""
    marks = mark_attempts(ws, run_ids)
    return _causes(ws.root, tuple(run_ids), tuple(marks[run_id] for run_id in run_ids))


def masks_of_runs(ws: Workspace, run_ids: Sequence[int], *, same_query: bool) -> Sequence[MaskCount]:
    """Return how many problems which of the runs solved."""
    marks = mark_attempts(ws, run_ids)
    return _masks(ws.root, tuple(run_ids), tuple(marks[run_id] for run_id in run_ids), same_query)


@st.cache_data(max_entries=KEPT // 10, show_spinner=False)
def _masks(
    root: Path, run_ids: tuple[int, ...], marks: tuple[AttemptsMark, ...], same_query: bool
) -> Sequence[MaskCount]:
    del marks  # a part of what the counts are kept under
    return count_masks(Workspace(root), run_ids, same_query=same_query)


@st.cache_data(max_entries=KEPT // 10, show_spinner=False)
def _causes(root: Path, run_ids: tuple[int, ...], marks: tuple[AttemptsMark, ...]) -> list[tuple[str, str, int]]:
    del marks  # a part of what the counts are kept under
    return count_causes(Workspace(root), run_ids)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _of_run(root: Path, run_id: int, mark: AttemptsMark) -> Mapping[str, int]:
    del mark  # a part of what the counts are kept under
    return count_verdicts_of_runs(Workspace(root), [run_id])[run_id]


@st.cache_data(max_entries=KEPT // 10, show_spinner=False)
def _by_set(root: Path, run_id: int, mark: AttemptsMark) -> Mapping[str, Mapping[str, int]]:
    del mark
    return count_last_verdicts(Workspace(root), run_id)


def asked_sets(out_dir: str) -> AskedSets:
    """Return the problemsets of a run, as far as they can be found unchanged; never raises."""
    try:
        manifest = (Path(out_dir) / MANIFEST).read_bytes()
    except (OSError, ValueError):  # gone, or no path at all
        return AskedSets({}, "the run's folder is gone")
    return _read(out_dir, hashlib.sha256(manifest).hexdigest())


@st.cache_resource(max_entries=4, show_spinner="Reading the benchmark")
def _read(out_dir: str, digest: str) -> AskedSets:
    del digest  # the key: another manifest is another benchmark
    try:
        return read_asked_sets(Path(out_dir))
    except ToolkitError as error:
        return AskedSets({}, error.what)
