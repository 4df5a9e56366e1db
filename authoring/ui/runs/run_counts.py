"""Counts over runs: those of verdicts the store keeps, others are cached by this server until attempts change."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.run_results import (
    MaskCount,
    PairCount,
    ProblemFilter,
    count_causes,
    count_last_verdicts,
    count_masks,
    count_matrix,
    count_pairs,
    count_verdicts_of_runs,
)
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui.runs.run_words import manifest_at
from evaluator.errors import ToolkitError
from evaluator.reporting import AskedSets, read_asked_set, read_asked_sets
from evaluator.running import MANIFEST

KEPT: Final = 50
RunMark = tuple[int, int]  # a run, and the attempt of it that was written last


def verdicts_of_runs(ws: Workspace, run_ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
    """Return run -> verdict -> problems, epochs counted apart."""
    return count_verdicts_of_runs(ws, run_ids)


def causes_of_runs(ws: Workspace, run_ids: Sequence[int]) -> Sequence[tuple[str, str, int]]:
    """Return verdict, subverdict and problems of all these runs together, most frequent first."""
    return count_causes(ws, run_ids)


def verdicts_by_set(ws: Workspace, run: RunRow) -> Mapping[str, Mapping[str, int]]:
    """Return problemset -> verdict -> problems of a run, epochs counted apart."""
    return _by_set(ws.root, mark_of_run(run))


def problems_in_matrix(ws: Workspace, runs: Sequence[RunRow], chosen: ProblemFilter) -> int:
    """Return how many problems of some runs fit a filter (count)."""
    return _in_matrix(ws.root, _marks(runs), chosen)


def masks_of_runs(ws: Workspace, runs: Sequence[RunRow], *, same_query: bool) -> Sequence[MaskCount]:
    """Return how many problems which of the runs solved."""
    return _masks(ws.root, _marks(runs), same_query)


def pairs_of_runs(ws: Workspace, runs: tuple[RunRow, RunRow], *, same_query: bool) -> Sequence[PairCount]:
    """Return how many problems both runs came to, by problemset and both verdicts."""
    return _pairs(ws.root, _marks(runs), same_query)


def mark_of_run(run: RunRow) -> RunMark:
    """Return what counts of a run are cached under: another value whenever its attempts have changed."""
    return run.id, run.newest_attempt


def _marks(runs: Sequence[RunRow]) -> tuple[RunMark, ...]:
    return tuple(map(mark_of_run, runs))


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _by_set(root: Path, mark: RunMark) -> Mapping[str, Mapping[str, int]]:
    return count_last_verdicts(Workspace(root), mark[0])


@st.cache_data(max_entries=10 * KEPT, show_spinner=False)
def _in_matrix(root: Path, marks: tuple[RunMark, ...], chosen: ProblemFilter) -> int:
    return count_matrix(Workspace(root), [run_id for run_id, _ in marks], chosen)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _masks(root: Path, marks: tuple[RunMark, ...], same_query: bool) -> Sequence[MaskCount]:
    return count_masks(Workspace(root), [run_id for run_id, _ in marks], same_query=same_query)


@st.cache_data(max_entries=KEPT, show_spinner=False)
def _pairs(root: Path, marks: tuple[RunMark, ...], same_query: bool) -> Sequence[PairCount]:
    (before, _), (after, _) = marks
    return count_pairs(Workspace(root), before, after, same_query=same_query)


def asked_sets(out_dir: str) -> AskedSets:
    """Return the problemsets of a run, as far as they can be found unchanged; never raises."""
    digest = asked_digest(out_dir)
    return _GONE if digest is None else _read(out_dir, digest)


def asked_set(out_dir: str, name: str) -> AskedSets:
    """Return one problemset of a run, where it can be found unchanged; the others are not read; never raises."""
    digest = asked_digest(out_dir)
    return _GONE if digest is None else _read_one(out_dir, digest, name)


def asked_digest(out_dir: str) -> str | None:
    """Return what runs that asked the same problemsets share; None: the run's folder is gone."""
    try:
        manifest = (Path(out_dir) / MANIFEST).read_bytes()
    except (OSError, ValueError):  # gone, or no path at all
        return None
    told = manifest_at(out_dir)
    asked = [told.get("source"), told.get("sets")]
    return hashlib.sha256(json.dumps(asked).encode() if all(asked) else manifest).hexdigest()


_GONE: Final = AskedSets({}, "the run's folder is gone")


@st.cache_resource(max_entries=4, show_spinner="Reading the benchmark")
def _read(_out_dir: str, digest: str) -> AskedSets:
    del digest  # the key: other problemsets have another one
    try:
        return read_asked_sets(Path(_out_dir))
    except ToolkitError as error:
        return AskedSets({}, error.what)


@st.cache_resource(max_entries=100, show_spinner=False)
def _read_one(_out_dir: str, digest: str, name: str) -> AskedSets:
    del digest
    try:
        return read_asked_set(Path(_out_dir), name)
    except ToolkitError as error:
        return AskedSets({}, error.what)
