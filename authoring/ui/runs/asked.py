"""The problemsets that a run asked, read once per run from the benchmark that it names."""

import hashlib
from pathlib import Path

import streamlit as st

from evaluator.errors import ToolkitError
from evaluator.reporting import AskedSets, read_asked_sets
from evaluator.running import MANIFEST


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
