"""Jobs on the screen: order one, watch it, cancel or resume it. The server itself does no work."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st

from authoring.jobs import JOB_KINDS, find_kind
from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.model_calls import job_spending
from authoring.store.people import Role
from authoring.store.statuses import JobState
from authoring.ui import state
from authoring.ui.boundary import show_message, writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.model_setup import refuse_missing_model
from authoring.ui.seeds.author_options import budget_of, draw_budget
from authoring.ui.shell.auth import current_user, may, require
from authoring.ui.shell.own_worker import draw_start_button, is_starting
from authoring.ui.widgets import draw_chip
from authoring.ui.wording import ago, label, status_chip
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

POLL_S: Final = 0.5
FEW_LINES: Final = 6  # of a log that is shown whole
IDLE_POLL_S: Final = 5.0  # while there is no worker


def job_title(kind: str) -> str:
    """Return what a kind of job is called on the screen."""
    return JOB_KINDS[kind].title if kind in JOB_KINDS else kind.replace("_", " ")


def job_name(kind: str, subject: str) -> str:
    """Return what a job is called on the screen: its kind, and what it is about."""
    return f"{job_title(kind)}: {subject}" if subject else job_title(kind)


def order(kind: str, payload: Mapping[str, Any], *, key: str | None) -> Job:
    """Queue a job; a live job with the same key is returned instead, so a double click is one job.

    An order that differs from the one that is live, say of a text that was changed since, is told to be too early.

    Raises:
        ContentError: If it needs a model and none is configured.
        UsageError: If the person may not order it, or a field does not fit.
    """
    require(*ordered_by(kind))
    asked = find_kind(JOB_KINDS, kind)
    fields = asked.payload.ordered(payload)
    if fields.needs_maintainer(workspace()):
        require(Role.MAINTAINER)
    if fields.needs_model:
        refuse_missing_model()
    job = asked.order(workspace(), payload, key=key, created_by=current_user())
    if not is_order_of(job, payload):
        what = f"job {job.id} of the same kind is at work, on what was ordered before"
        state.flash("warning", what, fix="wait for its end or cancel it, then order again")
    return job


def is_order_of(job: Job, payload: Mapping[str, Any]) -> bool:
    """Return whether a job is of this very order, and not of an earlier one that is still at work."""
    return bool(job.payload == json.loads(json.dumps(dict(payload))))


@writes(*Role)
def cancel(job_id: int) -> None:
    """Ask the worker to end a job."""
    _require_for(job_id)
    jobs.cancel(workspace(), job_id)


@writes(*Role)
def resume(job_id: int) -> None:
    """Put an interrupted, failed or cancelled job back into the queue."""
    _require_to_resume(job_id)
    jobs.resume(workspace(), job_id)


@writes(*Role)
def resume_with_budget(job_id: int, key: str) -> None:
    """Put a job back into the queue with the limits that were typed; what it spent before counts."""
    _require_to_resume(job_id)
    jobs.resume(workspace(), job_id, {"budget": budget_of(key)})


@writes(*Role)
def dismiss(job_id: int) -> None:
    """Put the notice of a job that came to nothing away; the list of jobs keeps it."""
    _require_for(job_id)
    jobs.dismiss(workspace(), job_id, by=current_user())


def _require_for(job_id: int) -> None:
    require(*ordered_by(jobs.find(workspace(), job_id).kind))


def _require_to_resume(job_id: int) -> None:
    _require_for(job_id)
    if _is_for_maintainers(jobs.find(workspace(), job_id)):
        require(Role.MAINTAINER)


def _is_for_maintainers(job: Job) -> bool:
    try:
        return bool(find_kind(JOB_KINDS, job.kind).payload.stored(job.payload).needs_maintainer(workspace()))
    except UsageError:
        return False  # a kind or fields that cannot be read: the worker says so, and runs nothing


def ordered_by(kind: str) -> tuple[Role, ...]:
    """Return who may order, cancel and resume jobs of a kind, beside maintainers."""
    return JOB_KINDS[kind].roles if kind in JOB_KINDS else ()


def asks_model(kind: str) -> bool:
    """Return whether jobs of a kind may ask a model."""
    return kind in JOB_KINDS and JOB_KINDS[kind].asks_model


def draw_job(
    job: Job,
    *,
    log: bool = False,
    on_done: Callable[[Job], None] | None = None,
    spent: tuple[int, float, float] | None = None,
    subject: str | None = None,
    listed: bool = False,
    each_step: bool = False,
    key: str = "job",
    can_resume: bool = True,
) -> None:
    """Draw a job with its progress; while it lives, poll it.

    A failure that somebody dismissed is drawn only where jobs are listed.

    Args:
        job: As it was read for this run of the page.
        log: Whether to show the tail of its log too.
        on_done: Draws what a finished job made.
        spent: Tokens, cost and seconds of its model, where a list has read them for all its jobs; None: read them.
        subject: What it is about, where a page has read it; None: read it.
        listed: Whether it stands in a list of jobs or on its own page, and is no notice.
        each_step: Whether the page shows what each of its steps makes, and is drawn anew after each.
        key: What its buttons' keys begin with: a notice and a list on one page may draw the same job.
        can_resume: Whether to offer to resume it; not where the page does, beside a better way.
    """
    if job.dismissed_by and not listed:
        return
    named = job_name(job.kind, jobs.subjects(workspace(), [job.id]).get(job.id, "") if subject is None else subject)
    was_live = job.live
    was_stranded = _is_stranded(job)
    as_read = iter([(job, spent)])  # a poll runs the panel alone, and finds nothing here

    @st.fragment(run_every=_poll_s(job) if was_live else None)
    def panel() -> None:
        now, told = next(as_read, (None, None))
        now = now or jobs.find(workspace(), job.id)
        _draw_head(now, told, named, listed=listed, key=f"{key}:{now.id}", can_resume=can_resume)
        if now.state == JobState.FAILED:
            _draw_failure(now)
        if now.state == JobState.INTERRUPTED:
            st.caption("The worker stopped in the middle of it. Nothing is lost: resume it to go on.")
        if log:
            draw_log(now)
        has_ended = was_live and not now.live and not state.saw_job_end(now.id, now.finished_at)
        put_away = bool(now.dismissed_by) and not listed
        has_moved = each_step and now.live and now.done != job.done
        has_begun = job.state == JobState.QUEUED and now.state == JobState.RUNNING  # the page calls it queued
        is_resumed = now.live and not was_live  # from inside this fragment, as what was put away
        is_served = was_stranded and not _is_stranded(now)  # somebody started a worker: the sidebar says so, too
        if has_ended or put_away or has_moved or has_begun or is_resumed or is_served:
            st.rerun()  # the interval above is fixed until the whole page runs again

    with st.container():  # the page's own: on a busy server a poll drops what the fragment drew and was not sent yet,
        panel()  # and its place must be known to the browser when what stands below it arrives
    if job.state == JobState.DONE and on_done is not None:
        on_done(job)


def _is_stranded(job: Job) -> bool:
    """Return whether a job waits, and no worker is there or on the way."""
    return job.state == JobState.QUEUED and not state.recall("workers") and not is_starting(workspace())


def _poll_s(job: Job) -> float:
    """Return how often to look; many people who wait for a worker that is not there must not keep the server busy."""
    return POLL_S if job.state == JobState.RUNNING or state.recall("workers") else IDLE_POLL_S


def draw_log(job: Job) -> None:
    """Draw the tail of a job's log, if it has one; a long one scrolls."""
    if job.log_tail.strip():
        is_long = job.log_tail.count("\n") > FEW_LINES
        st.code(cell_text(job.log_tail), language=None, height=160 if is_long else "content")


def draw_resume(job: Job, key: str = "") -> None:
    """Draw the button that puts a job that came to nothing back into the queue as it was ordered."""
    place = key or f"job:{job.id}"
    st.button("Resume", key=f"{place}:resume", icon=":material/restart_alt:", on_click=resume, args=(job.id,))


def _draw_head(
    job: Job, spent: tuple[int, float, float] | None, named: str, *, listed: bool, key: str, can_resume: bool
) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_chip(status_chip(job.state))
        st.markdown(f"**{label(named)}**", width="content")
        away = f" · dismissed by {label(job.dismissed_by)}" if job.dismissed_by else ""
        st.caption(f"job {job.id} · {label(job.created_by)} · {ago(job.created_at)}{away}", width="content")
        _draw_actions(job, key, listed=listed, can_resume=can_resume)
    if job.live:
        _draw_progress(job)
    else:
        st.empty()  # takes the place of the progress at once, as of the buttons above
    if asks_model(job.kind):
        draw_spending(job, spent)


def _draw_actions(job: Job, key: str, *, listed: bool, can_resume: bool) -> None:
    """Draw what can be done about a job as it is now.

    What an earlier poll drew stays on the screen until a whole run ends; so the place of Cancel is filled at once.
    """
    if job.live:
        st.button(
            "Cancel" if not job.cancel_requested else "Cancelling …",
            key=f"{key}:cancel",
            icon=":material/cancel:",
            disabled=bool(job.cancel_requested),
            on_click=cancel,
            args=(job.id,),
        )
        if not listed and _is_stranded(job) and may(Role.MAINTAINER):
            draw_start_button(where=key)  # whose place in the sidebar a narrow screen does not show
        return
    if job.state == JobState.DONE:
        st.empty()
        return
    if can_resume and not job.fails_again:
        draw_resume(job, key)
    if job.payload.get("budget") and not job.fails_again:
        _draw_other_budget(job, key)
    if job.state in (JobState.FAILED, JobState.INTERRUPTED) and not listed:
        st.button(
            "Dismiss", key=f"{key}:dismiss", type="tertiary", icon=":material/close:", on_click=dismiss,
            args=(job.id,), help="Runs, tab Jobs, keeps it.",
        )  # fmt: skip


def _draw_other_budget(job: Job, key: str) -> None:
    with st.popover("Resume with another budget", icon=":material/tune:"):
        draw_budget(key)
        st.button("Resume with it", key=f"{key}:resume_with", on_click=resume_with_budget, args=(job.id, key))


def draw_spending(job: Job, spent: tuple[int, float, float] | None = None) -> None:
    """Draw what a job asked of a model so far, against its budget; `spent` where that was read already."""
    tokens, cost, seconds = spent or job_spending(workspace(), job.id)
    if not tokens and not seconds:
        return
    budget = job.payload.get("budget") or {}
    parts = [f"{tokens:,} tokens{_of(budget.get('tokens'))}", f"{seconds:.0f} s of answers"]
    if cost or budget.get("cost"):
        parts.insert(1, f"cost {cost:.4f}{_of(budget.get('cost'))}")
    st.caption(f":material/payments: asked of the model: {' · '.join(parts)}")


def _of(limit: object) -> str:
    return f" of {limit:,}" if isinstance(limit, int | float) else ""


def _draw_progress(job: Job) -> None:
    line = next((line for line in reversed(job.log_tail.splitlines()) if line.strip()), "")
    text = _waits() if job.state == JobState.QUEUED else label(line) or "started"
    if job.total and f" of {job.total}" not in text:  # which tells it already
        text = f"{job.done:,} of {job.total:,} · {text}"
    st.progress(min(1.0, job.done / job.total) if job.total else 0.0, text=text)


def _waits() -> str:
    """Return what a queued job waits for."""
    if state.recall("workers"):
        return "waiting for its turn"
    return (
        "waiting for the worker, which is starting"
        if is_starting(workspace())
        else ("waiting for a worker: none is running")
    )


def _draw_failure(job: Job) -> None:
    error = job.error or {}
    show_message(
        state.Notice(
            "error",
            str(error.get("what") or "the job failed"),
            str(error.get("where") or ""),
            str(error.get("fix") or "look at the log, then resume the job"),
        )
    )
