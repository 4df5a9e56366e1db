"""The board of a run and what is read out of it, cached by this server until its attempts or its manifest change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.store.reviewing.error_modes import failure_digest
from authoring.store.run_results import list_last_records, tells_of_family
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui.runs.run_counts import RunMark, mark_of_run
from evaluator.errors import ToolkitError
from evaluator.families.cibench.analyses import propose_error_mode
from evaluator.families.predicted_run import family_analyses, family_board
from evaluator.records import AttemptKey, Record, parse_record
from evaluator.reporting import read_manifest
from evaluator.running import MANIFEST
from evaluator.scoring import last_attempts

MAX_QUERY: Final = 160


class Failure(NamedTuple):
    """A step that failed, with the error mode that rules propose. Its query is hostile text."""

    attempt_id: int
    key: AttemptKey
    verdict: str
    query: str
    proposed: str
    subject: str  # what a confirmation must be about to hold


@dataclass(frozen=True)
class FamilyScores:
    """What a run of CIBench or the Qwen benchmark came to, as JSON values."""

    board: Mapping[str, Any]
    analyses: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()  # of CIBench alone
    scoring_version: str = ""  # as the run's manifest says it


def is_family_run(ws: Workspace, run: RunRow) -> bool:
    """Return whether a run has a board."""
    return _tells(ws.root, mark_of_run(run))


def family_scores(ws: Workspace, run: RunRow, *, published_weights: bool = False) -> FamilyScores | None:
    """Return the board of a run and what is read out of it; None for a run of another kind.

    Args:
        ws: The workspace.
        run: The run.
        published_weights: CIBench's modules count in their set as published, not by their steps.
    """
    manifest = Path(run.out_dir) / MANIFEST
    try:
        written = manifest.stat().st_mtime_ns
    except (OSError, ValueError):  # gone, or no path at all
        written = 0
    return _scores(ws.root, mark_of_run(run), str(manifest), written, published_weights)


@st.cache_data(max_entries=500, show_spinner=False)
def _tells(root: Path, mark: RunMark) -> bool:
    return tells_of_family(Workspace(root), mark[0])


@st.cache_data(max_entries=20, show_spinner="Adding up the board")
def _scores(root: Path, mark: RunMark, manifest: str, written: int, published_weights: bool) -> FamilyScores | None:
    try:
        told: Mapping[str, Any] = read_manifest(Path(manifest)) if written else {}
    except ToolkitError:
        told = {}
    read = [(number, parse_record(body.encode("utf-8", "backslashreplace"))) for number, body in _bodies(root, mark[0])]
    counted = last_attempts([record for _, record in read])
    board = family_board(counted, told, published_weights=published_weights)
    if board is None:
        return None
    analyses = family_analyses(counted)
    failures = tuple(_failures(read)) if analyses else ()
    return FamilyScores(board, analyses, failures, str(told.get("scoring_version") or ""))


def _bodies(root: Path, run_id: int) -> list[tuple[int, str]]:
    return list_last_records(Workspace(root), run_id)


def _failures(read: list[tuple[int, Record]]) -> list[Failure]:
    found = []
    for number, record in read:
        mode = propose_error_mode(record) if record.family else None
        if mode is not None:
            query = " ".join(record.question.split())[:MAX_QUERY]
            subject = failure_digest(record.verdict, record.code or "")
            found.append(Failure(number, record.key, record.verdict, query, mode.value, subject))
    return found
