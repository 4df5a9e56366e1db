"""What a run kept of one attempt: outputs, error and transcript, found without reading those of the others."""

from pathlib import Path

import streamlit as st

from authoring.store.runs import AttemptRow, RunRow
from evaluator.records import AttemptKey
from evaluator.running import DETAILS, AttemptDetails, DetailsReader


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
