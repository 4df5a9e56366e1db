"""Results that were made elsewhere: runs and records as they are, predictions of CIBench and Qwen scored anew."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from authoring.conversion.family_imports import imported_benchmarks
from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.releases import select as list_releases
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.jobs import order
from authoring.ui.runs.run_form import draw_made_run
from authoring.ui.seeds.order_results import draw_done, draw_outcome
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import form_box
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError
from evaluator.families.predicted_run import MODES, RULES
from evaluator.running import DETAILS, MANIFEST
from evaluator.running import RECORDS as RECORDS_FILE

KEY: Final = "import:results"
RUN: Final = "run"
RECORDS: Final = "records"
PREDICTIONS: Final = "predictions"
FORMS: Final = {
    RUN: "a run's folder: benchwright run --out FOLDER",
    RECORDS: "result records: ours or DSEval's",
    PREDICTIONS: "CIBench predictions, or Qwen results",
}
_ABOUT: Final = {
    RUN: "What *benchwright run* wrote, here or on another machine, also with an agent of your own. It becomes a run "
    "as it is, with what its manifest says and what its attempts showed.",
    RECORDS: "One JSON object a line: records.jsonl of a run, or DSEval's. They become a run as they are; "
    "*Score again* judges their submissions anew.",
    PREDICTIONS: "A .json of CIBench's program, a .jsonl of Qwen's, or a .zip of one with the pictures that it names. "
    "What they stored is scored anew; nothing is executed.",
}
_ENDINGS: Final = {RECORDS: ["jsonl", "json"], PREDICTIONS: ["json", "jsonl", "zip"]}
_OF_RUN: Final = (RECORDS_FILE, MANIFEST, DETAILS)  # what a run's folder holds that is read


def draw_import_results(ws: Workspace) -> None:
    """Draw the form, and below it what the newest import came to."""
    with form_box("Import results", KEY, icon=":material/upload_file:"):
        form = st.selectbox("What they are", list(FORMS), format_func=FORMS.__getitem__, key=f"{KEY}:form")
        st.caption(_ABOUT[form])
        if form == RUN:
            _draw_folder()
        else:
            st.file_uploader("Records", type=_ENDINGS[form], key=_file_key(form))
        about, agent = st.columns(2)
        with about:
            if form == PREDICTIONS:
                _draw_benchmark(ws)
            else:
                _draw_release(ws)
        named = "as the run says" if form == RUN else "as the file"
        agent.text_input("Agent", key=f"{KEY}:agent", placeholder=named, max_chars=80, on_change="ignore")
        if form == PREDICTIONS:
            _draw_scoring()
        st.button("Import them", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)
        draw_refusal(KEY)
    draw_outcome(ws, jobs.find_latest(ws, KEY), _draw_head)


def _file_key(form: str) -> str:
    return f"{KEY}:file:{form}:{state.recall(KEY, 0)}"


def _draw_folder() -> None:
    st.file_uploader(  # of any type: a run's lock would be shown as an error
        "Folder of the run", accept_multiple_files="directory", key=_file_key(RUN),
        help=f"It holds {', '.join(_OF_RUN)}; other files are left out.",
    )  # fmt: skip
    st.file_uploader("Or a .zip of it", type=["zip"], key=_file_key("zip"))


def _draw_release(ws: Workspace) -> None:
    named: dict[int | None, str] = {release.id: f"{release.name} {release.version}" for release in list_releases(ws)}
    releases = {None: "as they say"} | named
    st.selectbox(
        "Release", list(releases), format_func=lambda each: releases[each],
        key=f"{KEY}:release", on_change="ignore", help="The records are checked against it.",
    )  # fmt: skip


def _draw_benchmark(ws: Workspace) -> None:
    known = list(imported_benchmarks(ws))
    st.selectbox(
        "Benchmark", known, key=f"{KEY}:benchmark", on_change="ignore", placeholder="import it under Releases first",
        help="What they are about: its notebooks or records, as they were imported under Releases.", disabled=not known,
    )  # fmt: skip


def _draw_scoring() -> None:
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
    with told_at(KEY):
        _order_import()


def _order_import() -> None:
    form = str(state.widget_value(f"{KEY}:form") or RUN)
    sent = _run_files() if form == RUN else {"file": _kept(_upload(form, "Records"))}
    asked = _predicted() if form == PREDICTIONS else {"release": state.widget_value(f"{KEY}:release")}
    fields = {
        **sent,
        **asked,
        "agent": str(state.widget_value(f"{KEY}:agent") or "").strip(),
        "created_by": current_user(),
    }
    order("import_results", fields, key=KEY)
    state.close_box(KEY)
    state.remember(KEY, state.recall(KEY, 0) + 1)


def _upload(form: str, title: str) -> UploadedFile:
    """Return the uploaded file.

    Raises:
        ContentError: If there is none.
    """
    upload: UploadedFile | None = state.widget_value(_file_key(form))
    if upload is None:
        raise ContentError("no file was chosen", where=title, fix="choose one, then press the button again")
    return upload


def _kept(upload: UploadedFile) -> dict[str, str]:
    return {"name": PurePath(upload.name).name, "digest": workspace().put_bytes(upload.getvalue())}


def _run_files() -> dict[str, Any]:
    """Return the files of the chosen folder, or else its archive, as fields of the order.

    Raises:
        ContentError: If none is chosen, or the folder holds no run, or several.
    """
    uploads: Sequence[UploadedFile] = state.widget_value(_file_key(RUN)) or ()
    if not uploads:
        return {"file": _kept(_upload("zip", "Folder of the run"))}
    of_run = {name: [each for each in uploads if PurePath(each.name).name == name] for name in _OF_RUN}
    fix = "choose the folder that `benchwright run --out` wrote"
    for name in (RECORDS_FILE, MANIFEST):
        if len(of_run[name]) != 1:
            what = f"the folder holds {'several runs' if of_run[name] else f'no run: there is no {name}'}"
            raise ContentError(what, where="Folder of the run", fix=fix)
    records, *beside = (_kept(each) for name in _OF_RUN for each in of_run[name][:1])
    return {"file": records, "beside": beside}


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
