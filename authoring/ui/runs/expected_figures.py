"""The figures that an attempt of a run was compared with: those of its benchmark's notebook, or the reference's."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from authoring.store.releases import reference_outputs
from authoring.store.runs import AttemptRow, RunRow
from authoring.store.workspace import Workspace
from authoring.ui.drawing.picture_pairs import draw_picture_pairs, pictures_of, visual_answer
from evaluator.errors import ToolkitError
from evaluator.families.live_run import rules_of_run
from evaluator.language import read_benchmark
from evaluator.reporting import read_manifest
from evaluator.running import MANIFEST, AttemptDetails


class ExpectedFigures(NamedTuple):
    """PNGs, hostile, and where they come from."""

    pictures: tuple[bytes, ...]
    source: str


def draw_figures(ws: Workspace, run: RunRow, attempt: AttemptRow, details: AttemptDetails | None) -> None:
    """Draw expected and found figures side by side, where figures were compared."""
    answer = visual_answer(attempt.record.get("validation"))
    if answer is None:
        return
    expected = expected_figures(ws, run, attempt)
    found = pictures_of(details.outputs) if details is not None else []
    source = expected.source
    if details is None:
        source += " What the submission showed was not kept."
    draw_picture_pairs(answer, expected.pictures, found, key=f"attempt:{attempt.id}:figures", source=source)


def expected_figures(ws: Workspace, run: RunRow, attempt: AttemptRow) -> ExpectedFigures:
    """Return what an attempt was compared with, as far as it is at hand; never raises for what a run's folder holds."""
    try:
        digest = hashlib.sha256((Path(run.out_dir) / MANIFEST).read_bytes()).hexdigest()
        recorded = _recorded(run.out_dir, digest).get((attempt.problemset, attempt.position))
    except (OSError, ValueError, ToolkitError):  # gone, no path at all, or not to be read
        recorded = None
    if recorded is not None:
        return ExpectedFigures((recorded,), "Expected is the figure that the notebook stores.")
    outputs = reference_outputs(ws, run.release, attempt.problemset, attempt.position)
    if outputs is None:
        return ExpectedFigures((), "The expected figure is not at hand: this workspace holds no dry run of it.")
    source = "Expected is what the reference showed in the newest dry run of the released revision."
    return ExpectedFigures(tuple(pictures_of(outputs)), source)


@st.cache_resource(max_entries=4, show_spinner="Reading the benchmark")
def _recorded(out_dir: str, digest: str) -> Mapping[tuple[str, int], bytes]:
    del digest  # the key: another manifest is another benchmark
    manifest: Mapping[str, Any] = read_manifest(Path(out_dir) / MANIFEST)
    source = manifest.get("source")
    if not isinstance(source, str) or not source or "\0" in source:
        return {}
    about = read_benchmark(Path(source))
    rules = rules_of_run(about, mode=str(manifest.get("mode") or ""), rules=str(manifest.get("rules") or "") or None)
    if rules is None:
        return {}
    found = {}
    for loaded in about.sets:
        for position, problem in enumerate(loaded.problemset.problems if loaded.problemset else (), start=1):
            expected = rules.recorded(loaded.name, problem)
            if expected is not None and expected.picture is not None:
                found[loaded.name, position] = expected.picture
    return found
