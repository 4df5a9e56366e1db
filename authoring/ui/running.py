"""Starting runs, and a run at a glance."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import (
    Job,
    RunRow,
    Workspace,
    count_attempts_by_set,
    find_latest_job,
    job_result,
    list_releases,
)
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import draw_job, order
from authoring.ui.markup import cell_text
from authoring.ui.navigation import page_link
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label, plural
from evaluator.errors import ContentError

AGENTS: Final = ("oracle", "empty")
AGENT_HELP: Final = (
    "The oracle answers with the reference code: it must be CORRECT everywhere. The empty agent answers nothing: "
    "it must be CORRECT nowhere. Other agents run from the command line: benchwright run."
)
ROW: Final = (4, 2, 3, 2)
RUN_KEY: Final = "run:app"


def draw_run_form(ws: Workspace) -> None:
    """Draw what is needed to run an agent on a release."""
    releases = list_releases(ws)
    if not releases:
        draw_empty("There is no release to run on", "Accept a problemset, then create a release.")
        page_link("releases", "Go to Releases", icon=":material/inventory_2:")
        return
    names = {release.id: f"{release.name} {release.version}" for release in releases}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Release", list(names), format_func=lambda each: names[each], key="run:release", width=280,
            on_change="ignore",
        )  # fmt: skip
        st.selectbox("Agent", AGENTS, key="run:agent", help=AGENT_HELP, width=200, on_change="ignore")
        st.button("Start the run", key="run:start", type="primary", icon=":material/play_arrow:", on_click=start)
    job = find_latest_job(ws, RUN_KEY)
    if job is not None and job.state not in ("done", "cancelled"):
        draw_job(job, log=True)
    elif job is not None and job.state == "done":
        found = (job_result(ws, job.id) or {}).get("run") or (job_result(ws, job.id) or {}).get("id")
        if isinstance(found, int):
            page_link("runs", "Open the newest run", icon=":material/arrow_forward:", run=found)


@writes
def start() -> None:
    """Order a run."""
    release = state.widget_value("run:release")
    if release is None:
        raise ContentError("no release was chosen", fix="choose a release")
    order(
        "run",
        {"release": int(release), "agent": str(state.widget_value("run:agent")), "created_by": current_user()},
        key=RUN_KEY,
    )


def draw_run_rows(runs: Sequence[RunRow]) -> None:
    """Draw one line per scored run."""
    if not runs:
        draw_empty("No run yet", "Choose a release and an agent above, then start the run.")
        return
    with st.container(border=True, gap="small"):
        for run in runs:
            name, agent, rate, when = st.columns(ROW, vertical_alignment="center")
            with name:
                page_link("runs", f"**{label(run.release)}**", icon=":material/leaderboard:", run=run.id)
            agent.markdown(label(run.agent))
            rate.markdown(f"{rate_words(run.summary.get('pass_rate'))} of {_judged(run.summary)}")
            when.caption(ago(run.created_at))


def draw_run_summary(ws: Workspace, run: RunRow) -> None:
    """Draw the rates of a run, in total and by problemset; what was not judged stands beside them."""
    summary = run.summary
    counts = count_attempts_by_set(ws, run.id)
    with st.container(horizontal=True):
        st.metric("Pass rate", rate_words(summary.get("pass_rate")), border=True, width=180)
        st.metric("Judged", str(summary.get("judged", "–")), border=True, width=180)
        st.metric(
            "Not judged",
            str(summary.get("not_judged", 0)),
            border=True,
            width=180,
            help="Our fault or the machine's: outside every rate.",
        )
    for name in summary.get("refused") or []:
        st.warning(f"The problemset {label(str(name))} was refused.", icon=":material/block:")
    if counts:
        st.table([_set_row(name, verdicts) for name, verdicts in counts.items()], border="horizontal", width="content")


def draw_job_facts(job: Job) -> None:
    """Draw when a job ran and what it was asked."""
    draw_facts(
        {
            "Kind": label(job.kind),
            "Ordered": f"{ago(job.created_at)} by {label(job.created_by)}",
            "Started": ago(job.started_at),
            "Ended": ago(job.finished_at),
            "Attempts": str(job.attempts),
        }
    )
    with st.expander("What it was asked"):
        st.code(cell_text(json.dumps(job.payload, indent=2, ensure_ascii=False)), language="json", wrap_lines=True)


def rate_words(rate: object) -> str:
    """Return a rate in 0..1 as a percentage; a dash when nothing was judged."""
    return f"{float(rate):.1%}" if isinstance(rate, (int, float)) else "–"


def _judged(summary: Mapping[str, Any]) -> str:
    judged, not_judged = summary.get("judged"), summary.get("not_judged") or 0
    words = plural(int(judged), "problem") if isinstance(judged, int) else "–"
    return f"{words}, {not_judged} not judged" if not_judged else words


def _set_row(name: str, verdicts: Mapping[str, int]) -> dict[str, str]:
    judged = sum(count for verdict, count in verdicts.items() if verdict != "NOT_JUDGED")
    correct = verdicts.get("CORRECT", 0)
    others = [f"{count} {verdict}" for verdict, count in verdicts.items() if verdict != "CORRECT"]
    return {
        "Problemset": label(name),
        "Correct": f"{correct} of {judged}",
        "Rate": rate_words(correct / judged if judged else None),
        "Others": label(", ".join(others) or "–"),
    }
