"""The experiments of a workspace, the one that was changed last first."""

import streamlit as st

from authoring.jobs.experiments import parse_experiment
from authoring.store import experiments
from authoring.store.jobs import find_latest_of_all
from authoring.store.workspace import Workspace
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_chip, draw_empty, draw_pager
from authoring.ui.wording import Chip, ago, label, plural, status_chip
from evaluator.errors import ToolkitError
from evaluator.experiments.planned_runs import output_folder
from evaluator.running import RECORDS


def job_key(name: str) -> str:
    """Return the key of the job that runs an experiment: there is one at a time."""
    return f"experiment:{name}"


def check_key(name: str) -> str:
    """Return the key of the job that checks an experiment."""
    return f"experiment_check:{name}"


def draw_experiments(ws: Workspace) -> None:
    """Draw the list, fifty a page."""
    rows = experiments.select(ws)
    if not rows:
        draw_empty("There is no experiment yet", "Make one above, or put a YAML file into the folder named below.")
        st.caption(f"Folder: {label(str(experiments.folder_of(ws)), limit=300)}")
        return
    st.caption(f"{plural(len(rows), 'experiment')} in {label(str(experiments.folder_of(ws)), limit=300)}")
    slot = st.container(border=True, gap="small")
    offset = draw_pager(len(rows), key="experiments:page")
    shown = rows[offset : offset + PAGE_SIZE]
    jobs = find_latest_of_all(ws, [job_key(row.name) for row in shown])
    with slot:
        for row in shown:
            job = jobs.get(job_key(row.name))
            _draw_row(row, _chip_without_job(ws, row) if job is None else status_chip(job.state))


def _draw_row(row: experiments.ExperimentRow, chip: Chip) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        page_link("experiments", f"**{label(row.name, limit=80)}**", icon=":material/science:", experiment=row.name)
        draw_chip(chip)
        st.caption(f"changed {ago(row.changed_at)}", width="content")


def _chip_without_job(ws: Workspace, row: experiments.ExperimentRow) -> Chip:
    """Return whether an experiment that no job ran has results; counting them takes longer: its page does."""
    try:
        root = ws.root / output_folder(parse_experiment(row.name, experiments.read(ws, row.name).text))
        has_results = next(root.glob(f"*/*/*/{RECORDS}"), None) is not None
    except (ToolkitError, OSError):  # its page says what is wrong with it
        has_results = False
    if has_results:
        return Chip("run from the command line", ":material/terminal:", "blue")
    return Chip("not started", ":material/hourglass_empty:", "gray")
