"""Results that were made elsewhere: records as they are, predictions of CIBench and results of Qwen scored anew."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.conversion.family_imports import imported_benchmarks
from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.releases import select as list_releases
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.runs.run_form import draw_made_run
from authoring.ui.seeds.order_results import draw_done, draw_outcome
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import form_box
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError
from evaluator.families.predicted_run import MODES, RULES

KEY: Final = "import:results"
RECORDS: Final = "records"
PREDICTIONS: Final = "predictions"
FORMS: Final = {
    RECORDS: "result records: ours or DSEval's",
    PREDICTIONS: "CIBench predictions, or Qwen results",
}
_ABOUT: Final = {
    RECORDS: "One JSON object a line: records.jsonl of a run, or DSEval's. They become a run as they are; "
    "*Score again* judges their submissions anew.",
    PREDICTIONS: "A .json of CIBench's program, a .jsonl of Qwen's, or a .zip of one with the pictures that it names. "
    "What they stored is scored anew; nothing is executed.",
}
_ENDINGS: Final = {RECORDS: ["jsonl", "json"], PREDICTIONS: ["json", "jsonl", "zip"]}


def draw_import_results(ws: Workspace) -> None:
    """Draw the form, and below it what the newest import came to."""
    with form_box("Import results", KEY, icon=":material/upload_file:"):
        form = st.selectbox("What they are", list(FORMS), format_func=FORMS.__getitem__, key=f"{KEY}:form")
        st.caption(_ABOUT[form])
        st.file_uploader("Records", type=_ENDINGS[form], key=f"{KEY}:file:{form}:{state.recall(KEY, 0)}")
        if form == RECORDS:
            _draw_release(ws)
        else:
            _draw_predicted(ws)
        st.text_input("Agent", key=f"{KEY}:agent", placeholder="as the file", max_chars=80, on_change="ignore")
        st.button("Import them", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)
    draw_outcome(ws, jobs.find_latest(ws, KEY), _draw_head)


def _draw_release(ws: Workspace) -> None:
    named: dict[int | None, str] = {release.id: f"{release.name} {release.version}" for release in list_releases(ws)}
    releases = {None: "as the records say"} | named
    st.selectbox(
        "Release", list(releases), format_func=lambda each: releases[each],
        key=f"{KEY}:release", on_change="ignore", help="The records are checked against it.",
    )  # fmt: skip


def _draw_predicted(ws: Workspace) -> None:
    known = list(imported_benchmarks(ws))
    st.selectbox(
        "Benchmark", known, key=f"{KEY}:benchmark", on_change="ignore", placeholder="import it under Releases first",
        help="What they are about: its notebooks or records, as they were imported under Releases.", disabled=not known,
    )  # fmt: skip
    mode, rules = st.columns(2)
    mode.selectbox("Mode", MODES, key=f"{KEY}:mode", on_change="ignore", help="How the agent was run: no file says it.")
    rules.selectbox("Rules", RULES, key=f"{KEY}:rules", on_change="ignore", help="How outputs are scored.")


def _draw_head(job: Job, made: Mapping[str, Any]) -> None:
    where = f"{made.get('benchmark') or ''} {made.get('version') or ''}".strip() or "an unknown benchmark"
    records = plural(int(made.get("records") or 0), "record")
    draw_done(f"Imported {records} of **{label(str(made.get('agent') or 'an agent'))}** on **{label(where)}**.")
    draw_made_run(job)


@writes(Role.EVALUATOR)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    round_no, form = state.recall(KEY, 0), str(state.widget_value(f"{KEY}:form") or RECORDS)
    upload = state.widget_value(f"{KEY}:file:{form}:{round_no}")
    if upload is None:
        raise ContentError("no file was chosen", where="Records", fix="choose one, then press the button again")
    asked = {"release": state.widget_value(f"{KEY}:release")} if form == RECORDS else _predicted()
    fields = {
        "file": {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())},
        **asked,
        "agent": str(state.widget_value(f"{KEY}:agent") or "").strip(),
        "created_by": current_user(),
    }
    order("import_results", fields, key=KEY)
    state.close_box(KEY)
    state.remember(KEY, round_no + 1)


def _predicted() -> Mapping[str, Any]:
    """Return what predictions are scored against, and how."""
    benchmark = state.widget_value(f"{KEY}:benchmark")
    if not benchmark:
        what = "predictions are scored against their benchmark, and none is chosen"
        raise ContentError(
            what, where="Benchmark", fix="import its notebooks or records under Releases, then choose it"
        )
    return {
        "benchmark": benchmark,
        "mode": state.widget_value(f"{KEY}:mode") or MODES[0],
        "rules": state.widget_value(f"{KEY}:rules") or RULES[0],
    }
