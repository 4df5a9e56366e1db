"""A new experiment: from a short text on chosen benchmarks, one that is shipped, a copy, a file, or pasted text."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from authoring.conversion.family_imports import imported_benchmarks
from authoring.store import experiments
from authoring.store.people import Role
from authoring.store.releases import select as list_releases
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import sent, typed, typed_area
from authoring.ui.shell.navigation import go
from authoring.ui.widgets import form_box
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError, ToolkitError
from evaluator.experiments.shipped import renamed, shipped_experiments, shipped_file, shipped_names
from evaluator.installation import shipped_benchmarks
from evaluator.models.model_settings import configured_model

KEY: Final = "experiment:new"
PASTED: Final = f"{KEY}:pasted"
SHORT: Final = "short"
UPLOAD: Final = "upload"
PASTE: Final = "paste"
_SHIPPED: Final = "shipped:"
_COPY: Final = "copy:"
_SHORT_TEXT: Final = """\
name: {name}
benchmarks:                # a name that is shipped, or a path from the folder of the workspace
{benchmarks}
agents:                    # as benchwright run --agent takes them
- oracle                   # the ceiling
- empty                    # the floor
{models}
policies:                  # what agents meet
- {{label: one attempt}}
{more_policies}
epochs: 1
budget: {{tokens: 1000000}}  # of all runs together
"""
_NO_MODEL: Final = '# - {agent: "chat:MODEL", label: no examples, options: {shots: none}}'
_MORE_POLICIES: Final = "- {label: three attempts, max_attempts: 3, feedback: [error, output]}"


def draw_new_experiment(ws: Workspace) -> None:
    """Draw the form."""
    with form_box("New experiment", KEY, icon=":material/add:"):
        st.text_input("Name", key=f"{KEY}:name", max_chars=60, placeholder="such as shots-and-repairs", width=300)
        starts = _starts(ws)
        picked = st.selectbox(
            "Begin with", list(starts), format_func=lambda each: starts[each], key=f"{KEY}:start", width=420
        )
        if picked == SHORT:
            benchmarks = _benchmarks(ws)
            st.multiselect(
                "Benchmarks", list(benchmarks), format_func=lambda each: benchmarks[each], key=f"{KEY}:benchmarks",
                placeholder=next(iter(benchmarks.values()), "core"), on_change="ignore",
            )  # fmt: skip
        elif picked.startswith(_SHIPPED):
            _draw_shipped(picked.removeprefix(_SHIPPED))
        elif picked == UPLOAD:
            st.file_uploader("YAML file", type=["yaml", "yml"], key=f"{KEY}:file:{state.recall(KEY, 0)}")
        elif picked == PASTE:
            typed_area("Text of the experiment", PASTED, height=240)
        st.button("Make it", key=f"{KEY}:make", type="primary", icon=":material/add:", on_click=make)


def _draw_shipped(name: str) -> None:
    """Say what a shipped experiment repeats, and what it needs that is not here."""
    found = next((each for each in shipped_experiments() if each.name == name), None)
    if found is None:
        return
    st.caption(label(found.content.about, limit=400))
    for need in found.needs:
        st.caption(f":material/download: {label(need, limit=600)}")
    if found.content.small:
        on = ", ".join(label(each.benchmark) for each in found.content.small)
        st.checkbox(f"In small, for a trial: on {on}", key=f"{KEY}:small", value=bool(found.needs), on_change="ignore")


def in_small(text: str) -> str:
    """Return the text of an experiment on the benchmarks that it names for a trial (`small`) instead of its own."""
    without = re.sub(r"(?m)^benchmarks:.*\n(?:(?![A-Za-z_]+:).*\n)*", "", text, count=1)
    return re.sub(r"(?m)^small:", "benchmarks:", without, count=1)


def _starts(ws: Workspace) -> Mapping[str, str]:
    shipped = {f"{_SHIPPED}{name}": f"{name}: is shipped" for name in shipped_names()}
    copies = {f"{_COPY}{row.name}": f"a copy of {row.name}" for row in experiments.select(ws)}
    return {
        SHORT: "a short text, to be completed",
        **shipped,
        **copies,
        UPLOAD: "a file of yours",
        PASTE: "text that you paste",
    }


def _benchmarks(ws: Workspace) -> Mapping[str, str]:
    """Return what an experiment's file calls each benchmark -> what it is called here."""
    releases = {_place(ws, Path(each.path)): f"{each.name} {each.version}" for each in list_releases(ws)}
    imported = {_place(ws, path): f"{name} (imported)" for name, path in imported_benchmarks(ws).items()}
    return {**releases, **imported, **{name: f"{name} (shipped)" for name in shipped_benchmarks()}}


def _place(ws: Workspace, path: Path) -> str:
    return str(path.relative_to(ws.root)) if path.is_relative_to(ws.root) else str(path)


@writes(Role.EVALUATOR)
def make() -> None:
    """Write the file and open it."""
    name = str(state.widget_value(f"{KEY}:name") or "").strip()
    made = experiments.save(workspace(), name, _text(name), base=None)
    sent(PASTED)
    state.close_box(KEY)
    state.remember(KEY, state.recall(KEY, 0) + 1)
    go("experiments", experiment=made.name)


def _text(name: str) -> str:
    """Return the text to begin with.

    Raises:
        ContentError: If there is none.
        UsageError: If what was chosen is gone.
    """
    start = str(state.widget_value(f"{KEY}:start") or SHORT)
    if start == UPLOAD:
        upload: UploadedFile | None = state.widget_value(f"{KEY}:file:{state.recall(KEY, 0)}")
        if upload is None:
            raise ContentError("no file was chosen", where="YAML file", fix="choose one, then press the button again")
        return _decoded(upload)
    if start == PASTE:
        if not typed(PASTED).strip():
            raise ContentError("there is no text", where="Text of the experiment", fix="paste it, or begin otherwise")
        return typed(PASTED)
    if start.startswith(_COPY):
        return renamed(experiments.read(workspace(), start.removeprefix(_COPY)).text, name)
    if start.startswith(_SHIPPED):
        text = renamed(shipped_file(start.removeprefix(_SHIPPED)).read_text(encoding="utf-8"), name)
        return in_small(text) if state.widget_value(f"{KEY}:small") else text
    return short_text(workspace(), name, list(state.widget_value(f"{KEY}:benchmarks") or []))


def _decoded(upload: UploadedFile) -> str:
    if upload.size > experiments.MAX_BYTES:
        raise ContentError("the file has more than 1 MB", where=upload.name, fix="leave data to other files")
    try:
        return upload.getvalue().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContentError("the file is no UTF-8 text", where=upload.name, fix="save it as UTF-8") from error


def short_text(ws: Workspace, name: str, chosen: list[str]) -> str:
    """Return a short experiment on the chosen benchmarks, else on the first that there is; it can be run as it is.

    Args:
        ws: The workspace.
        name: Of the experiment.
        chosen: Benchmarks, as its file shall name them.
    """
    known = _benchmarks(ws)
    names = chosen or list(known)[:1]
    entries = [
        f"- {{benchmark: {json.dumps(each)}, label: {json.dumps(known.get(each, each).partition(' (')[0])}}}"
        for each in names
    ]
    model = _model()
    quoted = json.dumps(f"chat:{model}", ensure_ascii=False)
    models = (
        f"- {{agent: {quoted}, label: five examples}}\n"
        f"- {{agent: {quoted}, label: no examples, options: {{shots: none}}}}"
        if model
        else _NO_MODEL
    )
    return _SHORT_TEXT.format(
        name=json.dumps(name, ensure_ascii=False),
        benchmarks="\n".join(entries),
        models=models,
        more_policies=_MORE_POLICIES if model else f"# {_MORE_POLICIES}",
    )


def _model() -> str:
    try:
        settings = configured_model()
    except ToolkitError:
        return ""
    return "" if settings is None else settings.model
