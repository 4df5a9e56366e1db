"""CIBench notebooks and Qwen records, brought in as benchmarks to run agents on, and to edit."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.conversion.family_imports import imported_benchmarks
from authoring.store.jobs import Job
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.refusals import draw_refusal, told_at
from authoring.ui.jobs import order
from authoring.ui.releases.releasing import draw_sets, draw_way_to_sets
from authoring.ui.seeds.order_results import draw_done, draw_outcome
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import form_box
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

KEY: Final = "import:family"
FORMS: Final = {
    "cibench": "CIBench: a .zip of its folder of notebooks",
    "qwen": "Qwen code-interpreter benchmark: records, one a line",
}
_ABOUT: Final = {
    "cibench": "Sets, modules or notebooks, with the data files where the published sets have them. Stored outputs are "
    "kept: they are what is expected.",
    "qwen": "A .jsonl, or a .zip of it with its upload files. Each record becomes a problemset of one problem.",
}
_ENDINGS: Final = {"cibench": ["zip"], "qwen": ["jsonl", "zip"]}


def draw_import_family() -> None:
    """Draw the form that imports notebooks or records."""
    with form_box("Import CIBench or Qwen", KEY, icon=":material/upload_file:"):
        form = st.selectbox("What it is", list(FORMS), format_func=FORMS.__getitem__, key=f"{KEY}:form")
        st.caption(f"{_ABOUT[form]} Nothing is executed.")
        st.file_uploader("File", type=_ENDINGS[form], key=f"{KEY}:file:{form}:{state.recall(KEY, 0)}")
        st.text_input("Name", key=f"{KEY}:name", placeholder="as the file", max_chars=60, on_change="ignore")
        st.checkbox(
            "Put its problemsets into the queue, too", key=f"{KEY}:queue", on_change="ignore",
            help="To edit them here. Agents run on the imported benchmark without that.",
        )  # fmt: skip
        st.button("Import it", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)
        draw_refusal(KEY)


def draw_imported_families(ws: Workspace, job: Job | None) -> None:
    """Draw what the newest import came to, if there was one, and the names of all imported benchmarks."""
    draw_outcome(ws, job, _draw_head, _draw_rest)
    names = list(imported_benchmarks(ws))
    if names:
        st.caption(f"Imported benchmarks, to run agents on under Runs: {label(', '.join(names), limit=600)}.")


def _draw_head(_job: Job, made: Mapping[str, Any]) -> None:
    sets, problems = int(made.get("problemsets") or 0), int(made.get("problems") or 0)
    counts = f"{plural(sets, 'problemset')}, {plural(problems, 'problem')}"
    draw_done(f"Imported **{label(str(made.get('benchmark')))}**: {counts}.")
    page_link("runs", "Run an agent on it", icon=":material/play_arrow:", on=f"benchmark:{made.get('benchmark')}")
    draw_way_to_sets(made.get("kept") or [])


def _draw_rest(made: Mapping[str, Any]) -> None:
    draw_sets(made.get("kept") or [], made.get("refused") or [])


@writes(Role.MAINTAINER)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    with told_at(KEY):
        _order_import()


def _order_import() -> None:
    form, round_no = str(state.widget_value(f"{KEY}:form") or next(iter(FORMS))), state.recall(KEY, 0)
    upload = state.widget_value(f"{KEY}:file:{form}:{round_no}")
    if upload is None:
        raise ContentError("no file was chosen", where="File", fix="choose one, then press the button again")
    fields = {
        "family": form,
        "file": {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())},
        "name": str(state.widget_value(f"{KEY}:name") or "").strip(),
        "queue": bool(state.widget_value(f"{KEY}:queue")),
        "created_by": current_user(),
    }
    order("import_family", fields, key=KEY)
    state.close_box(KEY)
    state.remember(KEY, round_no + 1)
    state.replace_text(f"{KEY}:name", "")
