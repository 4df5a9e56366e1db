"""What an experiment came to so far: how far each run is, the table, the curves, and the downloads."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.jobs.experiments import enter_runs, report_of
from authoring.store import experiments
from authoring.store.people import Role
from authoring.store.runs import ids_by_folder
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import guard_page, show_message, writes
from authoring.ui.experiments.checking import readable, require_rights
from authoring.ui.experiments.outcome_charts import Spec, curve_lines, rate_points
from authoring.ui.experiments.outcome_tables import (
    MAX_ROWS,
    STATES,
    board_table,
    forgiving_table,
    main_table,
    published_table,
    rate_words,
    run_names,
)
from authoring.ui.experiments.planning import kept_plan
from authoring.ui.runs.exporting import file_name
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import Chip, label, plural
from authoring.ui.workplace import shown_path, workspace
from evaluator.experiments.experiment_file import Experiment
from evaluator.experiments.losses import LOSS_HEADERS, loss_rows
from evaluator.experiments.planned_runs import PlannedBenchmark
from evaluator.experiments.provenance import AGENT_HEADERS, agent_rows, facts_told
from evaluator.experiments.report_page import experiment_page
from evaluator.running import RECORDS
from evaluator.running.run_folder import MANIFEST

POLL_S: Final = 3.0
MAX_FAULTS: Final = 5
INTERVALS: Final = (
    "Correct: percent of all problems, with its 95% interval: Wilson's; over several epochs that of the problems' "
    "mean rates. A run that is not at its end shows no rate."
)


class Outcome(NamedTuple):
    """The table of an experiment as it is shown and downloaded."""

    body: Mapping[str, Any]  # as `ExperimentReport.to_json` has it
    spreadsheet: str
    page: str  # HTML
    remarks: Sequence[str]
    losses: Sequence[Mapping[str, str]]  # rows of a table
    facts: str  # what its runs were made with, in one line
    agents: Sequence[Mapping[str, str]]  # rows of a table


def draw_outcome(ws: Workspace, name: str, experiment: Experiment, *, is_live: bool, was_done: bool) -> None:
    """Draw what the folders of the runs hold; while a job works, what is new is read every few seconds.

    Args:
        ws: The workspace.
        name: Of the experiment's file.
        experiment: What the file says.
        is_live: Whether a job runs it.
        was_done: Whether a job ran it to its end, so that there should be something.
    """

    @st.fragment(run_every=POLL_S if is_live else None)
    def panel() -> None:
        guard_page(
            lambda: _draw(ws, name, experiment, is_live=is_live, was_done=was_done)
        )  # a broken folder leaves the rest

    with st.container():
        panel()


def _draw(ws: Workspace, name: str, experiment: Experiment, *, is_live: bool, was_done: bool) -> None:
    found = read_outcome(ws, name, experiment)
    runs: Sequence[Mapping[str, Any]] = found.body["runs"]
    if all(run["state"] == "waiting" for run in runs):
        if was_done:
            folder = label(shown_path(str(Path(str(runs[0]["out"])).parents[2])), limit=300)
            st.warning(
                f"**Its outputs are gone.** They should lie in {folder}: put that folder back, or check and start the "
                "experiment again.",
                icon=":material/folder_off:",
            )
        else:
            then = "The table stands here as soon as something is." if is_live else "Check it, then start it."
            draw_empty("Nothing is judged yet", then)
            return
    _draw_faults(runs)
    _draw_table(found)
    _draw_losses(found.losses)
    _draw_board(found.body["board"])
    _draw_charts(found)
    _draw_runs(ws, name, runs, is_live=is_live)


def read_outcome(ws: Workspace, name: str, experiment: Experiment) -> Outcome:
    """Return what the folders of the runs hold; records that did not change are not read again in this tab.

    Raises:
        ToolkitError: As `report_of` and `kept_plan`.
    """
    key = f"experiment:outcome:{name}"
    planned = kept_plan(ws, experiment)
    mark = (experiment.model_dump_json(), _mark(planned))
    known: tuple[Any, Outcome] | None = state.recall(key)
    if known is not None and known[0] == mark:
        return known[1]
    report = report_of(experiment, planned)
    found = Outcome(
        report.to_json(),
        report.to_spreadsheet(),
        experiment_page(report),
        report.remarks(),
        _rows(LOSS_HEADERS, loss_rows(report.losses)),
        facts_told(report.runs),
        _rows(AGENT_HEADERS, agent_rows(report.runs)),
    )
    state.remember(key, (mark, found))
    return found


def _rows(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    return [dict(zip(map(str.capitalize, headers), map(label, row), strict=True)) for row in rows[:MAX_ROWS]]


def _mark(planned: Sequence[PlannedBenchmark]) -> tuple[tuple[int, int], ...]:
    """Return size and time of the records and the manifest of each run."""
    places = (run.config.out / name for each in planned for run in each.runs for name in (RECORDS, MANIFEST))
    return tuple(map(_stat, places))


def _stat(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


def _draw_faults(runs: Sequence[Mapping[str, Any]]) -> None:
    """Tell which runs cannot be read, and how that is mended; the others stand in the table."""
    broken = [(name, run["fault"]) for name, run in zip(run_names(runs), runs, strict=True) if run.get("fault")]
    for name, fault in broken[:MAX_FAULTS]:
        what = f"{name}: {fault['what']}"
        show_message(state.Notice("error", what, shown_path(str(fault["where"])), str(fault["fix"])))
    if len(broken) > MAX_FAULTS:
        st.caption(f"{plural(len(broken) - MAX_FAULTS, 'further run')} cannot be read.")


def _draw_table(found: Outcome) -> None:
    runs = found.body["runs"]
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.header("Table", anchor=False, width="content")
        _draw_downloads(found)
    st.table(main_table(runs), border="horizontal")
    st.caption(INTERVALS)
    if len(runs) > MAX_ROWS:
        st.caption(f"The first {MAX_ROWS} of {len(runs):,} runs; downloads hold all of them.")
    for remark in found.remarks:
        st.caption(label(f"{remark[:1].upper()}{remark[1:]}.", limit=400))
    if found.facts:
        st.caption(label(f"{found.facts[:1].upper()}{found.facts[1:]}.", limit=1000))
        with st.expander("Agents, as they ran", icon=":material/smart_toy:"):
            st.table([dict(row) for row in found.agents], border="horizontal")
    if any(run["state"] == "done" for run in runs):
        with st.expander("The same, with side effects and form forgiven", icon=":material/rule:"):
            st.table(forgiving_table(runs), border="horizontal")
    alone = found.body.get("published_alone") or []
    if alone:
        with st.expander(f"{plural(len(alone), 'published row')} without a run here", icon=":material/menu_book:"):
            st.table(published_table(alone), border="horizontal", width="content")


def _draw_downloads(found: Outcome) -> None:
    with st.popover("Download", icon=":material/download:"):
        name = str(found.body["name"])
        files = {
            "Table (.csv)": (found.spreadsheet, "csv", "text/csv"),
            "All of it (.json)": (json.dumps(found.body, indent=2, ensure_ascii=False), "json", "application/json"),
            "Report (.html)": (found.page, "html", "text/html"),
        }
        for title, (text, ending, mime) in files.items():
            st.download_button(
                title, data=text.encode("utf-8", "backslashreplace"), file_name=file_name(name, ending=ending),
                mime=mime, key=f"experiment:download:{ending}", icon=":material/download:", on_click="ignore",
            )  # fmt: skip


def _draw_losses(losses: Sequence[Mapping[str, str]]) -> None:
    """Draw what agents lose from one policy to another, on the same problems."""
    if losses:
        st.header("Losses between policies", anchor=False)
        st.table([dict(row) for row in losses], border="horizontal")


def _draw_board(board: Mapping[str, Any] | None) -> None:
    """Draw the board of CIBench or the Qwen benchmark, with the published rows."""
    if board is None:
        return
    st.header("Board", anchor=False)
    st.table(board_table(board), border="horizontal")


def _draw_charts(found: Outcome) -> None:
    runs = found.body["runs"][:PAGE_SIZE]
    names = run_names(runs)
    spec = rate_points(list(zip(names, runs, strict=True)))
    if spec is not None:
        said = "; ".join(f"{name}: {rate_words(run)}" for name, run in zip(names, runs, strict=True))
        st.header("Rates", anchor=False)
        st.vega_lite_chart(spec=spec, width="stretch", alt=f"Pass rates with intervals, in percent. {said}")
    for over in ("attempts", "tokens"):
        _draw_curves(found.body["curves"], over)


def _draw_curves(curves: Sequence[Mapping[str, Any]], over: str) -> None:
    """Draw the pass rate over attempts or tokens, one figure for each benchmark."""
    benchmarks = list(dict.fromkeys(str(curve["benchmark"]) for curve in curves))
    for benchmark in benchmarks:
        here = [curve for curve in curves if curve["benchmark"] == benchmark]
        named = [(f"{curve['agent']}, {curve['policy']}", curve.get(over) or []) for curve in here]
        spec: Spec | None = curve_lines(named, over="attempts" if over == "attempts" else "tokens a problem")
        if spec is None:
            continue
        on = f" on {label(benchmark, limit=60)}" if len(benchmarks) > 1 else ""
        st.header(f"Pass rate over {over}{on}", anchor=False)
        ends = "; ".join(f"{name}: {points[-1][1]:.1%}" for name, points in named if points)
        st.vega_lite_chart(spec=spec, width="stretch", alt=f"Pass rate over {over}; at the end {ends}")


def _draw_runs(ws: Workspace, name: str, runs: Sequence[Mapping[str, Any]], *, is_live: bool) -> None:
    st.header("Runs", anchor=False)
    ids = ids_by_folder(ws, [str(run["out"]) for run in runs])
    names = run_names(runs)
    slot = st.container(border=True, gap="xsmall")
    offset = draw_pager(len(runs), key=f"experiment:runs:{name}")
    with slot:
        for title, run in list(zip(names, runs, strict=True))[offset : offset + PAGE_SIZE]:
            _draw_run(title, run, ids.get(str(run["out"])))
    if any(run["state"] not in ("waiting", "broken", "another run") and str(run["out"]) not in ids for run in runs):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("A run that has no link was started at the command line, or is at work.", width="content")
            if not is_live:
                st.button(
                    "Link them", key="experiment:enter", icon=":material/add_link:", on_click=enter, args=(name,),
                    help="Enters them among the workspace's runs; nothing is judged again.",
                )  # fmt: skip


def _draw_run(title: str, run: Mapping[str, Any], run_id: int | None) -> None:
    chip: Chip = STATES.get(str(run["state"]), STATES["waiting"])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(chip_text(chip), width="content")
        if run_id is None:
            st.markdown(label(title, limit=160), width="content")
        else:
            page_link("runs", label(title, limit=160), icon=":material/leaderboard:", run=run_id)
        st.caption(f"{_progress(run)} · {label(shown_path(str(run['out'])), limit=200)}", width="content")


def _progress(run: Mapping[str, Any]) -> str:
    if run.get("fault"):
        return "its records cannot be read"
    if run.get("difference"):
        return label(str(run["difference"]), limit=300)
    lacking = f", {run['not_judged']:,} could not be" if run.get("not_judged") else ""
    return f"{int(run.get('judged') or 0):,} of {int(run['problems']):,} judged{lacking}"


@writes(Role.EVALUATOR)
def enter(name: str) -> None:
    """Enter the runs that lie in the experiment's folders and are no runs of the workspace yet."""
    ws = workspace()
    experiment = readable(ws, experiments.read(ws, name))
    require_rights(ws, experiment)
    planned = kept_plan(ws, experiment)
    known = ids_by_folder(ws, [str(run.config.out) for each in planned for run in each.runs])
    entered = enter_runs(ws, planned, facts={"experiment": name, "entered_by": current_user()}, known=known)
    state.flash("success", f"linked {plural(len(entered), 'run')}")
