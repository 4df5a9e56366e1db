"""What tells runs of one agent apart: the mode or the policies, epochs, attempts, the judge."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from authoring.store.runs import RunRow
from authoring.ui.wording import at_minute, label
from evaluator.errors import ToolkitError
from evaluator.reporting import read_manifest
from evaluator.running import MANIFEST


def policy_words(run: RunRow) -> str:
    """Return how a run was asked, as Markdown: `mode oracle, 3 epochs`; empty where nothing is known of it."""
    asked = _asked(run)
    if not asked:
        return ""
    policies = f"state {asked.get('state', 'reference')}, history {asked.get('history', 'reference')}"
    parts = [f"mode {asked['mode']}" if asked.get("mode") else policies]
    for name in ("epochs", "max_attempts"):
        number = asked.get(name)
        if isinstance(number, int) and number > 1:
            parts.append(f"{number} {name.replace('max_', '')}")
    parts += [f"judge {asked['judge']}"] if asked.get("judge") else []
    return label(", ".join(parts))


def run_title(run: RunRow, *, with_release: bool = True) -> str:
    """Return a run's number, agent and how it was asked, as plain text for the option of a list."""
    where = f" on {run.release}" if with_release else ""
    how = policy_words(run).replace("\\", "")
    return f"{run.id} · {run.agent}{where}{f', {how}' if how else ''}, {at_minute(run.created_at)}"


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


@st.cache_data(max_entries=500, show_spinner=False)
def _manifest(path: str, changed_ns: int, size: int) -> Mapping[str, Any]:
    del changed_ns, size  # parts of what it is kept under
    try:
        manifest = read_manifest(Path(path))
    except (ToolkitError, OSError, ValueError):
        return {}
    policies = manifest.get("policies")
    facts = {name: manifest.get(name) for name in ("mode", "epochs", "max_attempts", "judge")}
    told = policies if isinstance(policies, Mapping) else {}
    if not told and not facts["mode"]:  # a run of elsewhere tells neither
        return {}
    return facts | {name: str(told.get(name, "reference")) for name in ("state", "history")}
