"""A benchmark in one step: seeds in, a release out, nobody in between; ordered and watched on one page."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import jobs
from authoring.store.drafting.seeds import Seed
from authoring.store.jobs import Job, job_result
from authoring.store.people import Role
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import typed_line
from authoring.ui.jobs import draw_job, order
from authoring.ui.model_setup import AUTHORS, author_help
from authoring.ui.seeds.author_options import author_options_of, draw_author_options, draw_language, language_of
from authoring.ui.seeds.order_results import is_old
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace

FORM: Final = "auto:new"
JOB_KEY: Final = "bootstrap_auto"
MAX_REASONS: Final = 20
SKETCHES: Final = 2  # what the form begins with
LEAST: Final = 5


def draw_auto_form(seeds: Sequence[Seed]) -> None:
    """Draw what is asked for: where from, how much, by whom."""
    st.caption(
        "Sketches and drafts on each seed, keeps the problems that pass every check, accepts by rule and releases. The "
        "same name and settings again go on where they stopped."
    )
    name, version, licence = st.columns(3)
    with name:
        typed_line("Name", f"{FORM}:name", placeholder="letters, digits, - _ .")
    with version:
        typed_line("Version", f"{FORM}:version", "1.0")
    with licence:
        typed_line("Licence of queries and code", f"{FORM}:licence", placeholder="CC-BY-4.0")
    st.multiselect(
        "Seeds",
        [seed.name for seed in seeds if seed.profile is not None],
        key=f"{FORM}:seeds",
        placeholder="all of them",
        on_change="ignore",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Author", AUTHORS, key=f"{FORM}:author", help=author_help(), width=180, on_change="ignore")
        draw_language(FORM)
        st.number_input(
            "Sketches of each seed", 1, 50, SKETCHES, key=f"{FORM}:sketches", width=180, persist_state="session",
            on_change="ignore",
        )  # fmt: skip
        st.number_input(
            "Least problems of a set", 1, 100, LEAST, key=f"{FORM}:least", width=180, persist_state="session",
            help="A set of which fewer problems pass every check is dropped.", on_change="ignore",
        )  # fmt: skip
        st.number_input(
            "Random seed", 0, 2**31 - 1, key=f"{FORM}:rng_seed", width=140, persist_state="session", on_change="ignore"
        )
        draw_author_options(FORM)
    st.button(
        "Make the release", key=f"{FORM}:send", type="primary", icon=":material/rocket_launch:", on_click=order_auto
    )


@writes(Role.MAINTAINER)
def order_auto() -> None:
    """Order the release as a job."""
    from authoring.rounds.auto import release_folder

    name = str(state.widget_value(f"{FORM}:name") or "").strip()
    version = str(state.widget_value(f"{FORM}:version") or "").strip()
    release_folder(workspace(), name, version)  # refuses what cannot be a name
    author = str(state.widget_value(f"{FORM}:author") or AUTHORS[0])
    order(
        "bootstrap_auto",
        {
            "name": name,
            "version": version,
            "seeds": list(state.widget_value(f"{FORM}:seeds") or ()),
            "author": author,
            "rng_seed": int(state.widget_value(f"{FORM}:rng_seed") or 0),
            "sketches": int(state.widget_value(f"{FORM}:sketches") or SKETCHES),
            "least": int(state.widget_value(f"{FORM}:least") or LEAST),
            "licence": str(state.widget_value(f"{FORM}:licence") or "").strip(),
            "language": language_of(FORM),
            "created_by": current_user(),
            **(author_options_of(FORM) if author == "model" else {}),
        },
        key=JOB_KEY,
    )


def draw_auto_job(ws: Workspace) -> None:
    """Draw the newest such job: its progress, or the release and what became of every seed."""
    job = jobs.find_latest(ws, JOB_KEY)
    if job is None or job.state == JobState.CANCELLED or job.dismissed_by or is_old(job):
        return
    with st.container(border=True):
        draw_job(job, log=job.state != JobState.DONE, on_done=lambda done: _draw_made(ws, done))


def _draw_made(ws: Workspace, job: Job) -> None:
    result = job_result(ws, job.id) or {}
    release = result.get("release") or {}
    seeds = [each for each in result.get("seeds") or [] if isinstance(each, Mapping)]
    if not isinstance(result.get("id"), int):
        draw_empty("No release came of it", "Every set was dropped: the reasons stand below.")
    else:
        st.markdown(
            f":green[:material/check_circle:] **{label(str(release.get('name')))} "
            f"{label(str(release.get('version')))}** with {plural(int(result.get('problems') or 0), 'problem')}"
        )
        page_link("releases", "Open the release", icon=":material/inventory_2:", release=result["id"])
    st.table([_row(each) for each in seeds], border="horizontal", alt="what became of every seed")
    dropped = [drop for each in seeds for drop in each.get("dropped_sets") or []]
    for drop in dropped[:MAX_REASONS]:
        st.caption(f"dropped {label(str(drop.get('set')))}: {label(str(drop.get('why')), limit=300)}")
    if len(dropped) > MAX_REASONS:
        st.caption(f"{len(dropped) - MAX_REASONS} more sets were dropped: see the plan.")


def _row(seed: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Seed": label(str(seed.get("seed"))),
        "Sketches": str(seed.get("sketches")),
        "Problems drafted": str(seed.get("drafted")),
        "Left out": str(len(seed.get("left_out") or [])),
        "Accepted": str(seed.get("accepted")),
        "Seconds": f"{float(seed.get('seconds') or 0):.0f}",
    }
