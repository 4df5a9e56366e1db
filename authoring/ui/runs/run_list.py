"""Lists of runs and of agents, and one run: its rates, its problemsets, what was asked of it."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any, Final

import streamlit as st

from authoring.jobs.handlers.release_jobs import RunOrder
from authoring.store.jobs import Job, find_latest
from authoring.store.model_calls import job_spending
from authoring.store.run_results import ProblemFilter, list_matrix
from authoring.store.runs import RunRow, count_runs, newest_runs
from authoring.store.runs import select as list_runs
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.drawing.row_tables import Caption, RowColumn, RowLink, Strong
from authoring.ui.inputs.row_list import row_link, row_list
from authoring.ui.jobs import draw_job
from authoring.ui.releases.release_diff import rescore, rescore_key
from authoring.ui.runs.attempt_steps import filter_address
from authoring.ui.runs.boards.board_view import draw_board
from authoring.ui.runs.boards.family_scores import is_family_run
from authoring.ui.runs.charts import draw_charts, draw_rates
from authoring.ui.runs.comparing.selected_runs import draw_box, draw_selection
from authoring.ui.runs.exporting import draw_matrix_export, draw_run_exports
from authoring.ui.runs.importing import draw_import_results
from authoring.ui.runs.matrix_rows import matrix_line
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, added, interval_words, rate_words
from authoring.ui.runs.run_counts import causes_of_runs, problems_in_matrix, verdicts_by_set, verdicts_of_runs
from authoring.ui.runs.run_form import asked_words, draw_made_run, run_again
from authoring.ui.runs.run_words import copied_run, copy_words, policy_text, policy_words, run_title
from authoring.ui.seeds.author_options import draw_budget
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, cause_words, label, one_line, plural
from evaluator.errors import UsageError

MAX_AGENTS: Final = 6
MAX_SETS_LISTED: Final = 500
ANY: Final = "any"


def draw_filters(causes: Sequence[tuple[str, str, int]], sets: Sequence[str]) -> ProblemFilter:
    """Draw the filters, which stand in the address, and return what they say.

    Args:
        causes: Verdicts and subverdicts that occur, with how often.
        sets: Names of the problemsets.
    """
    verdicts = sorted({verdict for verdict, _, _ in causes})
    subverdicts = sorted({cause for _, cause, _ in causes if cause_words(cause)})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        verdict = st.selectbox(
            "Verdict", [ANY, *verdicts], key="r_verdict", bind="query-params", width=220,
            help="Problems with at least one attempt that got this verdict.",
        )  # fmt: skip
        subverdict = ANY
        if subverdicts:
            subverdict = st.selectbox(
                "Subverdict", [ANY, *subverdicts], key="r_cause", bind="query-params", width=220,
                help="The cause behind that verdict, as far as it is known: of a crash the kind of error.",
            )  # fmt: skip
        problemset = ANY
        if len(sets) <= MAX_SETS_LISTED:
            problemset = st.selectbox("Problemset", [ANY, *sets], key="r_set", bind="query-params", width=260)
        text = st.text_input(
            "Text", key="r_text", bind="query-params", width=260, placeholder="in the query or the set's name"
        )
    return ProblemFilter(
        verdict=None if verdict == ANY else verdict,
        subverdict=None if subverdict == ANY else subverdict,
        problemset=None if problemset == ANY else problemset,
        text=text or None,
    )


def draw_matrix(ws: Workspace, runs: Sequence[RunRow], chosen: ProblemFilter) -> None:
    """Draw one page of the problems of some runs on one release; each verdict leads to its attempt."""
    ids = [run.id for run in runs]
    found = problems_in_matrix(ws, runs, chosen)
    if not found:
        draw_empty("No problem matches", "Choose another verdict or problemset, or clear the text.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(
            f"{plural(found, 'problem')}. Open a verdict to see the submission beside the reference.", width="content"
        )
        draw_matrix_export(ws, runs, chosen)
    slot = st.container()
    key = f"matrix:{','.join(map(str, ids))}:{':'.join(map(str, astuple(chosen)))}"
    offset = draw_pager(found, key=key)
    within = filter_address(chosen)
    rows = [matrix_line(row, ids, within) for row in list_matrix(ws, ids, chosen, PAGE_SIZE, offset)]
    with slot:
        row_list("Verdicts by problem", _columns(runs), rows, key="matrix")


def _columns(runs: Sequence[RunRow]) -> list[RowColumn]:
    if len(runs) == 1:
        return [RowColumn([], 8), RowColumn([], 3)]  # the longest verdict fits on a narrow screen
    first = max(6, 11 - len(runs))
    how = [" · ".join(part for part in (copy_words(run), policy_text(run)) if part) for run in runs]
    heads = [RowColumn([_run_link(run), Caption(words)], 3) for run, words in zip(runs, how, strict=True)]
    return [RowColumn([Strong("Problem")], first), *heads]


def _run_link(run: RunRow) -> RowLink:
    return row_link([Strong(one_line(run.agent, limit=40))], "runs", {"run": run.id})


ALL: Final = "all releases"


def draw_run_rows(ws: Workspace) -> None:
    """Draw the scored runs, newest first, fifty a page."""
    draw_import_results(ws)
    counts = count_runs(ws)
    if not counts:
        draw_empty("No run yet", "Choose a release and an agent above, then start the run.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox("Runs on", [ALL, *counts], key="r_release", bind="query-params", width=320)
        draw_selection()
    release = None if picked in (None, ALL) else str(picked)
    slot = st.container(border=True, gap="small")
    offset = draw_pager(counts[release] if release else sum(counts.values()), key=f"runs:page:{release}")
    runs = list_runs(ws, PAGE_SIZE, offset, release=release)
    verdicts = verdicts_of_runs(ws, [run.id for run in runs])
    with slot:
        for run in runs:
            _draw_run(run, Solved.of(verdicts[run.id]))


def draw_agents(ws: Workspace) -> None:
    """Draw the newest run of each agent on a release: rates with intervals, and the matrix of verdicts."""
    counts = count_runs(ws)
    if not counts:
        draw_empty("No run yet", "The verdicts of all agents on a release stand here beside each other.")
        return
    release = str(st.selectbox("Release", list(counts), key="r_matrix", bind="query-params", width=320))
    runs = newest_runs(ws, release, MAX_AGENTS)
    draw_rates(ws, runs)
    by_set = verdicts_by_set(ws, runs[0])
    causes = causes_of_runs(ws, [run.id for run in runs])
    draw_matrix(ws, runs, draw_filters(causes, list(by_set)))
    st.caption(f"The newest run of each agent, at most {MAX_AGENTS} agents. {counts[release]} runs in all.")


def draw_run(ws: Workspace, run: RunRow) -> None:
    """Draw one run: its rate, its problems, charts, problemsets."""
    counts = verdicts_by_set(ws, run)
    copied = copied_run(run)
    if copied is not None:
        page_link("runs", f"Open run {copied}, whose submissions these are", icon=":material/history:", run=copied)
    draw_head(ws, run, Solved.of(added(counts)))
    draw_comparing(ws, run)
    if not counts:
        draw_empty("No attempt is recorded", "The run was stopped before its first problem, or every set was refused.")
        return
    names = ["Problems", "Charts", "Problemsets", *(["Board"] if is_family_run(ws, run) else [])]
    problems, charts, sets, *boards = st.tabs(names, key="r_tab", on_change="rerun", bind="query-params")
    if problems.open:
        with problems:
            draw_matrix(ws, [run], draw_filters(causes_of_runs(ws, [run.id]), list(counts)))
    if charts.open:
        with charts:
            draw_charts(ws, run, counts)
    if sets.open:
        with sets:
            _draw_sets(run, counts)
    for board in boards:
        if board.open:
            with board:
                draw_board(ws, run)


def _draw_run(run: RunRow, solved: Solved) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_box(run)
        with st.container(width=420, gap=None):
            copied = copy_words(run)
            title = f"**{label(run.agent, limit=80)}** on {label(run.release)}{f' · {copied}' if copied else ''}"
            page_link("runs", title, icon=":material/leaderboard:", run=run.id)
            how = policy_words(run)
            st.caption(f"run {run.id}{f' · {how}' if how else ''}")
        st.markdown(solved.in_words(), width=380)
        st.caption(ago(run.created_at), width="content")


def _draw_sets(run: RunRow, counts: Mapping[str, Mapping[str, int]]) -> None:
    names: Sequence[str] = list(counts)
    st.caption(f"{plural(len(names), 'problemset')}. {INTERVAL_NOTE}")
    slot = st.container()
    offset = draw_pager(len(names), key=f"run:{run.id}:sets")
    withheld = Solved.of(added(counts)).withheld
    with slot:
        rows = [_set_row(name, counts[name], withheld) for name in names[offset : offset + PAGE_SIZE]]
        st.table(rows, border="horizontal", width="content")


def _set_row(name: str, verdicts: Mapping[str, int], withheld: str) -> dict[str, str]:
    solved = Solved.of(verdicts)
    others = [f"{count} {verdict}" for verdict, count in added({name: verdicts}).items() if verdict != "CORRECT"]
    return {
        "Problemset": label(name),
        "Correct": f"{solved.correct} of {solved.judged}",
        "Rate": "withheld" if withheld else f"{rate_words(solved.rate)}{interval_words(solved.interval)}",
        "Others": label(", ".join(others) or "–"),
    }


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
            help="Attempts without a verdict, by a fault of the toolkit, the machine or the problem. "
            "While there is any, no pass rate is shown.",
        )  # fmt: skip
    if solved.withheld:
        st.warning(f"Rates are withheld: {solved.withheld}.", icon=":material/hourglass_empty:")
    if isinstance(total, int) and total > solved.judged + solved.not_judged:
        lacking = f"{total - solved.judged - solved.not_judged:,} of {plural(total, 'problem')}"
        st.warning(f"{lacking} that the run asks have no result and count in no rate.", icon=":material/rule:")
    if solved.interval and not solved.withheld:
        st.caption(f"Interval of the pass rate: {interval_words(solved.interval).strip(' ()')}. {INTERVAL_NOTE}")
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
        asked = _order_of(run)
        if asked is None or asked.may_ask_model:
            with st.popover("Budget", icon=":material/tune:"):
                earlier = asked.limits() if asked is not None else None
                draw_budget(f"again:{run.id}", earlier)


def _order_of(run: RunRow) -> RunOrder | None:
    """Return what a run was asked; None: an older version asked it what this one cannot read."""
    try:
        return RunOrder.stored(_asked(run))
    except UsageError:
        return None


def draw_comparing(ws: Workspace, run: RunRow) -> None:
    """Draw the way to the comparison with another run: one of the newest, those of the same release first."""
    newest = [each for each in list_runs(ws, MAX_OTHERS) if each.id != run.id]
    others = {each.id: each for each in sorted(newest, key=lambda each: each.release != run.release)}
    if not others:
        draw_run_exports(ws, run)
        _draw_scored_again(_draw_rescoring(ws, run))
        return

    def name_of(run_id: int) -> str:
        return run_title(others[run_id], with_release=others[run_id].release != run.release)

    with st.container(horizontal=True, vertical_alignment="bottom", key="run_ways"):
        other = st.selectbox("Compare with", list(others), format_func=name_of, key=f"run:{run.id}:other", width=320)
        page_link("runs", "Compare", icon=":material/difference:", parameters=state.address(a=run.id, b=other))
        draw_run_exports(ws, run)
        job = _draw_rescoring(ws, run)
    _draw_scored_again(job)


def _draw_rescoring(ws: Workspace, run: RunRow) -> Job | None:
    """Draw the button that judges a run's submissions anew, and return the newest job that does or did it."""
    job = find_latest(ws, rescore_key(run.id, None))
    is_at_work = job is not None and job.live
    st.button(
        "Scoring again …" if is_at_work else "Score again", key=f"run:{run.id}:rescore", icon=":material/rule:",
        on_click=rescore, args=((run.id,), None), disabled=is_at_work,
        help="Judges the stored submissions anew on the release of that name, as a run of their own.",
    )  # fmt: skip
    return job


def _draw_scored_again(job: Job | None) -> None:
    """Draw the job that judges a run's submissions anew, and the way to the run that it made."""
    if job is None:
        return
    if job.state == JobState.DONE:
        draw_made_run(job, "Scored again: open the newest scores")
    elif job.state != JobState.CANCELLED:
        draw_job(job, key="rescore")
