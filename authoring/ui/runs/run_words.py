"""What tells runs of one agent apart: the mode or the policies, epochs, attempts, the judge."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from authoring.store.run_results import CellCount
from authoring.store.runs import RunRow
from authoring.ui.clock import at_minute
from authoring.ui.wording import Chip, has_cause, label, verdict_chip
from evaluator.errors import ToolkitError
from evaluator.reporting import read_manifest
from evaluator.running import MANIFEST

_AS_USUAL: Final = "reference state, reference history"


def policy_words(run: RunRow) -> str:
    """Return how a run was asked, as Markdown: `mode oracle, 3 epochs`; empty where nothing is known of it."""
    return label(policy_text(run))


def policy_text(run: RunRow) -> str:
    """Return how a run was asked, as plain text; empty where nothing is known of it."""
    asked = _asked(run)
    if not asked:
        return ""
    policies = f"{asked.get('state', 'reference')} state, {asked.get('history', 'reference')} history"
    parts = [f"mode {asked['mode']}" if asked.get("mode") else policies]
    for name in ("epochs", "max_attempts"):
        number = asked.get(name)
        if isinstance(number, int) and number > 1:
            parts.append(f"{number} {name.replace('max_', '')}")
    parts += [f"judge {asked['judge']}"] if asked.get("judge") else []
    return ", ".join(parts)


def run_words(run: RunRow) -> str:
    """Return a run's agent, its release and how it was asked, as Markdown."""
    how = policy_words(run)
    return f"{run_heading(run)}{f' · {how}' if how else ''}"


def run_heading(run: RunRow) -> str:
    """Return a run's agent and its release, as Markdown; of one that was scored again it says so."""
    copied = copy_words(run)
    return f"{label(run.agent)} on {label(run.release)}{f' · {copied}' if copied else ''}"


def copy_words(run: RunRow) -> str:
    """Return `run 3, scored again` for a run that judges the submissions of run 3 anew; empty for others."""
    copied = copied_run(run)
    return "" if copied is None else f"run {copied}, scored again"


def copied_run(run: RunRow) -> int | None:
    """Return the number of the run whose submissions this one judges anew; None: it has submissions of its own."""
    copied = run.summary.get("rescored_from")
    return copied if isinstance(copied, int) else None


def cell_parts(cell: CellCount) -> tuple[Chip, str]:
    """Return the verdict of a cell and its subverdict, or how many of several epochs were solved."""
    chip = verdict_chip(cell.verdict)
    if cell.epochs > 1 and cell.correct == cell.epochs:
        return Chip(f"CORRECT {cell.correct} of {cell.epochs}", ":material/check:", "green"), ""
    epochs = f", {cell.correct} of {cell.epochs} correct" if cell.epochs > 1 else ""
    cause = cell.subverdict if has_cause(cell.subverdict) else ""
    return replace(chip, word=f"{chip.word}{epochs}"), cause


def draw_releases_differ() -> None:
    """Say what a comparison of runs on several releases is worth."""
    st.warning(
        "The runs are on different releases: problems with the same set, number and query are compared, the others "
        "are left out. Where a reference changed, verdicts may differ for that reason.",
        icon=":material/warning:",
    )


def run_title(run: RunRow, *, with_release: bool = True) -> str:
    """Return a run's number, agent and how it was asked where that is unusual, as plain text for an option."""
    where = f" on {run.release}" if with_release else ""
    how = policy_text(run).removeprefix(_AS_USUAL).removeprefix(", ")
    parts = [f"{run.id} · {run.agent}{where}", copy_words(run), how, at_minute(run.created_at)]
    return ", ".join(part for part in parts if part)


def _asked(run: RunRow) -> Mapping[str, Any]:
    """Return what the run's own folder says of it; else what the workspace keeps."""
    kept = run.summary.get("asked")
    asked = kept if isinstance(kept, dict) else {}
    path = Path(run.out_dir) / MANIFEST
    try:
        stat = path.stat()
    except (OSError, ValueError):  # gone, or no path at all
        return asked
    return _manifest(str(path), stat.st_mtime_ns, stat.st_size) or asked


def manifest_at(out_dir: str) -> Mapping[str, Any]:
    """Return the manifest of a run's folder; nothing where it is gone, or the folder is no path at all."""
    try:
        return read_manifest(Path(out_dir) / MANIFEST)
    except (ToolkitError, OSError, ValueError):
        return {}


@st.cache_data(max_entries=500, show_spinner=False)
def _manifest(path: str, changed_ns: int, size: int) -> Mapping[str, Any]:
    del changed_ns, size  # parts of what it is kept under
    manifest = manifest_at(str(Path(path).parent))
    policies = manifest.get("policies")
    facts = {name: manifest.get(name) for name in ("mode", "epochs", "max_attempts", "judge")}
    told = policies if isinstance(policies, Mapping) else {}
    if not told and not facts["mode"]:  # a run of elsewhere tells neither
        return {}
    return facts | {name: str(told.get(name, "reference")) for name in ("state", "history")}
