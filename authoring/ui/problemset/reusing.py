"""Another problemset out of this one: in another language, or on other data by way of a template."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import problemsets
from authoring.store.drafting.seeds import Seed, list_seeds
from authoring.store.jobs import Job, find_latest_of_all
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.jobs import order
from authoring.ui.model_setup import needs_model_help
from authoring.ui.seeds.author_options import LANGUAGES, author_options_of, draw_author_options, draw_name, name_of
from authoring.ui.seeds.order_results import draw_done, draw_made, draw_outcome
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

KINDS: Final = ("translate", "generalise", "instantiate")


def draw_reusing(ws: Workspace, opened: OpenDraft) -> None:
    """Draw the forms that make another problemset out of this one, and what the newest order of each came to."""
    if opened.draft.has_edits:
        st.info("You have unsaved changes: what is made here is made of the saved revision.")
    newest = find_latest_of_all(ws, [_key(kind, opened.row.id) for kind in KINDS])
    jobs = {kind: newest.get(_key(kind, opened.row.id)) for kind in KINDS}
    seeds = list_seeds(ws)
    st.header("In another language", anchor=False)
    _draw_translation(ws, opened, jobs["translate"])
    st.header("On other data", anchor=False)
    _draw_template(ws, opened, seeds, jobs["generalise"])
    _draw_instance(ws, opened, seeds, jobs["instantiate"])


def _key(kind: str, problemset_id: int) -> str:
    return f"{kind}:{problemset_id}"


def _draw_translation(ws: Workspace, opened: OpenDraft, job: Job | None) -> None:
    key = _key("translate", opened.row.id)
    st.caption(
        "A model translates the queries; code, validators, names and values stay as they are. It becomes a problemset "
        "of its own, on the same data."
    )
    if lacks_model := needs_model_help():
        st.caption(f"{lacks_model} Translating needs one.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Into", sorted(LANGUAGES, reverse=True), format_func=LANGUAGES.__getitem__, key=f"{key}:to", width=180,
            on_change="ignore",
        )  # fmt: skip
        draw_name(key, "as this one, with the language")
        draw_author_options(key, examples=False)
        st.button(
            "Translate", key=f"{key}:send", icon=":material/translate:", on_click=translate,
            args=(opened.row.id, opened.revision.id), disabled=lacks_model is not None, help=lacks_model,
        )  # fmt: skip
    draw_outcome(ws, job, draw_made)


@writes(Role.MAINTAINER)
def translate(problemset_id: int, revision_id: int) -> None:
    """Order a translation of the revision on the screen."""
    key = _key("translate", problemset_id)
    wishes = author_options_of(key)
    wishes.pop("examples")
    order(
        "translate",
        {
            "problemset": revision_id,
            "language": str(state.widget_value(f"{key}:to") or max(LANGUAGES)),
            "name": _free_name(key),
            "created_by": current_user(),
            **wishes,
        },
        key=key,
    )


def _free_name(key: str) -> str | None:
    name = name_of(key)
    if name is not None:
        problemsets.refuse_name(workspace(), name)
    return name


def _draw_template(ws: Workspace, opened: OpenDraft, seeds: Sequence[Seed], job: Job | None) -> None:
    key = _key("generalise", opened.row.id)
    st.caption(
        "A template is this set with placeholders in the place of files, columns and values of its data. Put on "
        "another seed, it is executed there; problems that make no sense on those data are left out, with the reason."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if opened.row.seed_id is None:
            st.selectbox(
                "Data that this set is about", [seed.name for seed in seeds], index=None, key=f"{key}:about", width=240,
                placeholder="choose a seed", on_change="ignore",
            )  # fmt: skip
        st.button(
            "Make a template", key=f"{key}:send", icon=":material/data_object:", on_click=generalise,
            args=(opened.row.id, opened.revision.id), help="To read or edit it; Put it on these data makes one itself.",
        )  # fmt: skip
    draw_outcome(ws, job, _draw_template_head, _draw_places)


def _draw_template_head(job: Job, made: Mapping[str, Any]) -> None:
    name, problems = str(made.get("name") or "template"), int(made.get("problems") or 0)
    counts = f"{plural(problems, 'problem')}, {plural(len(made.get('columns') or {}), 'column')}"
    draw_done(f"Template **{label(name)}**: {counts}, {plural(len(made.get('values') or {}), 'value')}.")
    st.download_button(
        "Download .yaml",
        data=str(made.get("text") or "").encode("utf-8", "backslashreplace"),
        file_name=f"{name}-template.yaml",
        mime="application/octet-stream",
        key=f"template:{job.id}:download",
        icon=":material/download:",
        on_click="ignore",
    )


def _draw_places(made: Mapping[str, Any]) -> None:
    columns, values = made.get("columns") or {}, made.get("values") or {}
    rows = [_row(key, place["name"], f"a column: {place['meaning']}") for key, place in columns.items()]
    rows += [
        _row(key, place["was"], f"{place['rule']} {place['at']:g} of {place['column']}")
        for key, place in values.items()
    ]
    with st.expander("Its placeholders", icon=":material/data_object:"):
        st.table(rows, border="horizontal", width="content")
    with st.expander("Its text", icon=":material/notes:"):
        st.code(cell_text(str(made.get("text") or "")), language="yaml", height=320)


def _row(key: str, was: object, what: str) -> dict[str, str]:
    return {"Placeholder": label(f"<<{key}>>"), "Stands for": label(str(was)), "What it is": label(what)}


@writes(Role.MAINTAINER)
def generalise(problemset_id: int, revision_id: int) -> None:
    """Order a template of the revision on the screen."""
    order(
        "generalise",
        {"problemset": revision_id, **_about(problemset_id)},
        key=_key("generalise", problemset_id),
    )


def _about(problemset_id: int) -> dict[str, str]:
    """Return the seed that a set is about, where it has none of its own."""
    if problemsets.find(workspace(), problemset_id).seed_id is not None:
        return {}
    about = state.widget_value(f"{_key('generalise', problemset_id)}:about")
    if not about:
        raise ContentError(
            "it is not known which data this problemset is about",
            where="Data that this set is about",
            fix="choose the seed that its files and columns come from",
        )
    return {"about": str(about)}


def _draw_instance(ws: Workspace, opened: OpenDraft, seeds: Sequence[Seed], job: Job | None) -> None:
    key = _key("instantiate", opened.row.id)
    others = [seed.name for seed in seeds if seed.id != opened.row.seed_id]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Put it on", others, index=None, key=f"{key}:seed", width=240, placeholder="choose a seed",
            on_change="ignore",
        )  # fmt: skip
        draw_name(key, "after set and seed")
    left, right = st.columns(2)
    left.text_area(
        "Columns, where you want to choose", key=f"{key}:columns", height=90, placeholder="region=island",
        persist_state="session", on_change="ignore",
        help="One a line, OLD=NEW: NEW stands in the place of OLD. The others are matched by what they mean.",
    )  # fmt: skip
    right.file_uploader(
        "An edited template, in the place of this set's", type=["yaml", "yml"],
        key=f"{key}:file:{state.recall(key, 0)}",
    )  # fmt: skip
    st.button(
        "Put it on these data", key=f"{key}:send", type="primary", icon=":material/swap_horiz:", on_click=instantiate,
        args=(opened.row.id, opened.revision.id),
    )  # fmt: skip
    draw_outcome(ws, job, draw_made)


@writes(Role.MAINTAINER)
def instantiate(problemset_id: int, revision_id: int) -> None:
    """Order this set, or an edited template, on the chosen seed."""
    key = _key("instantiate", problemset_id)
    round_no = state.recall(key, 0)
    seed, upload = state.widget_value(f"{key}:seed"), state.widget_value(f"{key}:file:{round_no}")
    if not seed:
        raise ContentError("no seed is chosen", where="Put it on", fix="choose the data to put the set on")
    source: dict[str, Any] = {"problemset": revision_id}
    if upload is not None:
        source = {"template": {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())}}
    else:
        source |= _about(problemset_id)
    fields = {
        **source,
        "seed": seed,
        "columns": _chosen_columns(str(state.widget_value(f"{key}:columns") or "")),
        "name": _free_name(key),
        "created_by": current_user(),
    }
    order("instantiate", fields, key=key)
    state.remember(key, round_no + 1)


def _chosen_columns(text: str) -> dict[str, str]:
    """Return which column of the new data was chosen for which of the old.

    Raises:
        ContentError: If a line says no such thing.
    """
    chosen = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        old, mark, new = (part.strip() for part in line.partition("="))
        if not (old and mark and new):
            what = f"{line!r} names no pair of columns"
            raise ContentError(what, where="Columns", fix="write OLD=NEW, one pair a line")
        chosen[old] = new
    return chosen
