"""The head of one run: what came of it, what was asked and by whom, what it cost, and what can be done with it."""

from typing import Any, Final

import streamlit as st

from authoring.store import RunRow, Workspace, job_spending, list_runs
from authoring.ui import state
from authoring.ui.navigation import page_link
from authoring.ui.releases.rankmoves import rescore
from authoring.ui.runs.exporting import draw_run_exports
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, interval_words, rate_words
from authoring.ui.runs.running import asked_words, run_again
from authoring.ui.seeds.wishes import draw_budget
from authoring.ui.wording import at_minute, label

MAX_OTHERS: Final = 50


def draw_head(ws: Workspace, run: RunRow, solved: Solved) -> None:
    """Draw the rate of a run, what is not judged, and what it was asked."""
    total = run.summary.get("total")
    with st.container(horizontal=True):
        st.metric("Pass rate", rate_words(solved.rate), border=True, width=180)
        of_all = f" of {total:,}" if isinstance(total, int) and total != solved.judged else ""
        st.metric("Judged", f"{solved.judged:,}{of_all}", border=True, width=180)
        st.metric(
            "Not judged", f"{solved.not_judged:,}", border=True, width=180,
            help="Our fault or the machine's: while there is any, no rate is shown.",
        )  # fmt: skip
    if solved.withheld:
        st.warning(f"Rates are withheld: {solved.withheld}.", icon=":material/hourglass_empty:")
    elif solved.interval:
        st.caption(f"Pass rate {rate_words(solved.rate)}{interval_words(solved.interval)}. {INTERVAL_NOTE}")
    for name in run.summary.get("refused") or []:
        st.warning(f"The problemset {label(str(name))} was refused.", icon=":material/block:")
    if _asked(run):
        st.caption(f"Asked: {asked_words(ws, _asked(run))}{_started(ws, run)}")
        if solved.not_judged:
            _draw_again(run)


def _asked(run: RunRow) -> dict[str, Any]:
    asked = run.summary.get("asked")
    return asked if isinstance(asked, dict) else {}


def _started(ws: Workspace, run: RunRow) -> str:
    parts = [f"started by {label(str(run.summary['started_by']))}"] if run.summary.get("started_by") else []
    job_id = run.summary.get("job")
    if isinstance(job_id, int):
        parts.append(f"job {job_id}")
        tokens, cost, seconds = job_spending(ws, job_id)
        if tokens:
            parts.append(f"{tokens:,} tokens{f', cost {cost:.4f}' if cost else ''}, {seconds:.0f} s of answers")
    return f" · {' · '.join(parts)}" if parts else ""


def _draw_again(run: RunRow) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Judge what is not judged", key=f"run:{run.id}:again", icon=":material/replay:", on_click=run_again,
            args=(run.id,), help="Only the problems without a verdict are asked again; the others stay as they are.",
        )  # fmt: skip
        if str(run.agent).partition(":")[0] == "chat":
            with st.popover("Budget", icon=":material/tune:"):
                draw_budget(f"again:{run.id}")


def draw_comparing(ws: Workspace, run: RunRow) -> None:
    """Draw the way to the comparison with another run: one of the newest, those of the same release first."""
    newest = [each for each in list_runs(ws, MAX_OTHERS) if each.id != run.id]
    others = {each.id: each for each in sorted(newest, key=lambda each: each.release != run.release)}
    if not others:
        draw_run_exports(ws, run)
        _draw_rescoring(run)
        return

    def name_of(run_id: int) -> str:
        other = others[run_id]
        where = "" if other.release == run.release else f" on {other.release}"
        return f"{run_id} · {other.agent}{where}, {at_minute(other.created_at)}"

    with st.container(horizontal=True, vertical_alignment="bottom"):
        other = st.selectbox("Compare with", list(others), format_func=name_of, key=f"run:{run.id}:other", width=320)
        page_link("runs", "Compare", icon=":material/difference:", parameters=state.address(a=other, b=run.id))
        draw_run_exports(ws, run)
        _draw_rescoring(run)


def _draw_rescoring(run: RunRow) -> None:
    st.button(
        "Score again", key=f"run:{run.id}:rescore", icon=":material/rule:", on_click=rescore, args=((run.id,), None),
        help="Judges the stored submissions anew on the release of that name, as a run of their own.",
    )  # fmt: skip
