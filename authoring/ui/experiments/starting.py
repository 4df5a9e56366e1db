"""Check an experiment, see its forecast, agree to it, start it, and follow it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import experiments, jobs
from authoring.store.experiments import ExperimentText
from authoring.store.jobs import Job, job_result
from authoring.store.people import Role
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.experiments.checking import check_text, needs_maintainer, readable, replies_folder, require_rights
from authoring.ui.experiments.experiment_list import check_key, job_key
from authoring.ui.jobs import draw_job, order
from authoring.ui.shell.auth import may
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_facts
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

REPLIES: Final = {
    "": "are not kept",
    "keep": "are kept, to repeat it without a key",
    "repeat": "come from what was kept; none is asked",
}
_ENDED: Final = (JobState.INTERRUPTED, JobState.CANCELLED, JobState.FAILED)


def draw_starting(ws: Workspace, stored: ExperimentText, *, is_changed: bool) -> None:
    """Draw what is needed to start an experiment, or the job that runs it."""
    job = jobs.find_latest(ws, job_key(stored.name))
    if job is not None:
        draw_experiment_job(job, stored)
    if job is not None and job.live:
        return
    checked = check_text(ws, stored.name, stored.text)
    if checked.experiment is None or checked.diagnostics:
        st.caption("It can be started once its text is right.")
        return
    if is_changed:
        st.info("What is started is the file as it was saved last: save your text first.", icon=":material/save:")
    guarded = needs_maintainer(ws, checked.experiment)
    if guarded and not may():
        st.caption(f":material/lock: A maintainer has to start it: {label(guarded)} is code or a file of this machine.")
        return
    offered = [each for each in REPLIES if each != "repeat" or replies_folder(ws, stored.name).is_dir()]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Replies of models", offered, format_func=REPLIES.__getitem__, key=_replies_key(stored.name), width=330
        )
        st.button(
            "Check and forecast", key="experiment:check", icon=":material/fact_check:", on_click=check,
            args=(stored.name, stored.digest), help="Starts every agent once; no model is asked.",
        )  # fmt: skip
    _draw_forecast(ws, stored, after=0 if job is None else job.id)


def _replies_key(name: str) -> str:
    return f"experiment:replies:{name}"


def _replies(name: str) -> str:
    return str(state.widget_value(_replies_key(name)) or "")


def draw_experiment_job(job: Job, stored: ExperimentText | None = None) -> None:
    """Draw the job that runs an experiment, and what its end asks for."""
    with st.container(border=True, gap="xsmall"):
        if stored is not None and job.payload.get("digest") != stored.digest:
            st.caption(":material/history: This job is of an earlier text of the file.")
        draw_job(job, listed=True)
        page_link("runs", "Log and details", icon=":material/notes:", job=job.id)
        if job.state in _ENDED:
            st.caption(
                "What is judged is kept. *Resume* goes on with the text as it was started; a changed text is checked "
                "and started below, and asks only what is not judged."
            )
        made = job_result(workspace(), job.id) if job.state == JobState.DONE else None
        if made is not None:
            _draw_outcome(made)


def _draw_outcome(made: Mapping[str, Any]) -> None:
    if made.get("not_judged"):
        said = plural(int(made["not_judged"]), "problem")
        st.warning(f"{said} could not be judged; start it again to try them once more.", icon=":material/help:")
    refused: Sequence[Any] = made.get("refused") or []
    if refused:
        names = ", ".join(label(str(name)) for name in refused[:20])
        st.warning(f"Refused, and in no rate: {names}.", icon=":material/block:")
        for each in (made.get("diagnostics") or [])[:5]:
            st.caption(label(f"{each.get('path')}:{each.get('line')} {each.get('what')}; {each.get('fix')}", limit=500))


def _draw_forecast(ws: Workspace, stored: ExperimentText, *, after: int) -> None:
    """Draw what the newest check came to, and the button that starts what it forecast.

    Args:
        ws: The workspace.
        stored: The experiment.
        after: The job that ran it last; what was checked before has other problems left.
    """
    job = jobs.find_latest(ws, check_key(stored.name))
    if job is None or job.id < after:
        return
    is_current = job.payload.get("digest") == stored.digest and job.payload.get("replies", "") == _replies(stored.name)
    if job.live or (is_current and job.state != JobState.DONE):
        draw_job(job)
        return
    ahead = job_result(ws, job.id)
    if not is_current or ahead is None:
        st.caption(":material/history: It was checked before this change: check it again to start it.")
        return
    with st.container(border=True, gap="small"):
        st.markdown("**Forecast**")
        draw_facts(forecast_facts(ahead))
        if not all(run.get("tokens_measured") for run in ahead["runs"] if run["requests"][1]):
            last = " ".join(str(ahead.get("text") or "").splitlines()[-1:])
            st.caption(label(f"{last[:1].upper()}{last[1:]}.", limit=300))
        is_large = bool(ahead.get("is_large"))
        agreed = not is_large
        if is_large:
            agreed = st.checkbox(
                f"I agree to {plural(len(ahead['runs']), 'run')} and {ahead['requests'][0]:,.0f} requests or more",
                key=f"experiment:agree:{job.id}",
            )
        st.button(
            "Start the experiment", key="experiment:start", type="primary", icon=":material/play_arrow:",
            disabled=not agreed, on_click=start, args=(stored.name, stored.digest, job.id),
            help=None if agreed else "It is large: agree to it first.",
        )  # fmt: skip


def forecast_facts(ahead: Mapping[str, Any]) -> dict[str, str]:
    """Return a forecast as names and values."""
    left = sum(int(run["problems_left"]) for run in ahead["runs"])
    facts = {"Runs": f"{len(ahead['runs']):,}", "Problems left to judge": f"{left:,}"}
    if not ahead["requests"][1]:
        return facts | {"Models": "none is asked"}
    cost = ahead.get("cost")
    return facts | {
        "Requests to models": span_words(ahead["requests"]),
        "Tokens": span_words(ahead["tokens"]),
        "Cost": "not known: some model has no price" if cost is None else span_words(cost, digits=2),
    }


def span_words(span: Sequence[float], *, digits: int = 0) -> str:
    """Return `2,000 to 6,000`, or one number where both are the same."""
    least, most = (f"{each:,.{digits}f}" for each in span)
    return least if least == most else f"{least} to {most}"


@writes(Role.EVALUATOR)
def check(name: str, digest: str) -> None:
    """Order the check of the text on the screen."""
    order("experiment_check", _order(name, digest), key=check_key(name))


@writes(Role.EVALUATOR)
def start(name: str, digest: str, check_id: int) -> None:
    """Start what was checked and forecast; whoever saved another text meanwhile is told."""
    wanted = _order(name, digest)
    ahead = job_result(workspace(), check_id) or {}
    if jobs.find(workspace(), check_id).payload != wanted or not ahead:
        raise ContentError("this text was not checked", where=name, fix="press Check and forecast first")
    if ahead.get("is_large") and not state.widget_value(f"experiment:agree:{check_id}"):
        raise ContentError("the experiment is large", where=name, fix="agree to it beside the button first")
    order("experiment", wanted, key=job_key(name))


def _order(name: str, digest: str) -> dict[str, Any]:
    """Return the order of a job on the text that is on the screen.

    Raises:
        ContentError: If its file holds another text by now, or what it holds is wrong.
        UsageError: If the person may not run what it names.
    """
    stored = experiments.read(workspace(), name)
    if stored.digest != digest:
        raise ContentError("the file was changed meanwhile", where=name, fix="look at it, then check it again")
    require_rights(workspace(), readable(workspace(), stored))
    kept = workspace().put_bytes(stored.text.encode())
    wanted = {"name": name, "digest": kept}
    return {**wanted, "replies": _replies(name)} if _replies(name) else wanted
