"""The fields of the editor for what a family knows of a problem; what is typed goes into the settings at once."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import streamlit as st

from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.editor.draft_view import compose
from authoring.ui.editor.editing import OpenDraft, change_settings
from authoring.ui.editor.family.family_settings import (
    CIBENCH,
    FAMILY_TITLES,
    QWEN,
    STEP_TYPES,
    counted_tags,
    differs_from_setup,
    families_of,
    family_settings,
    first_action_code,
    fitting_validator,
    is_word_problem,
    qwen_fields,
    told_by,
    with_field,
    with_qwen_field,
)
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.preferences import prefers_plain_editors
from authoring.ui.shell.auth import current_user, may
from authoring.ui.widgets import draw_code
from authoring.ui.wording import label
from evaluator.errors import ToolkitError
from evaluator.language import changed_settings, parse_problemset, write_yaml
from evaluator.language.document_cells import DocumentCell

LANGUAGES: Final = {"en": "en: English", "zh": "zh: Chinese"}
_THOUGHT_HELP: Final = "What one would think before this step. The notebook keeps it; agents are not asked with it."
_FIRST_ACTION_HELP: Final = "What follows the query in the record, marks and all. The agent goes on from there."


def draw_family(opened: OpenDraft, cell: DocumentCell) -> None:
    """Draw the fields of the families that the set is of; nothing where it is of none."""
    families = families_of(opened.draft)
    if not families or not cell.is_problem:
        return
    settings = opened.draft.value(cell, "settings")
    for family in families:
        with st.expander(FAMILY_TITLES[family], icon=":material/category:", key=f"family:{family}:{opened.row.id}"):
            if told_by(settings, family) is None:
                st.caption("What the settings say under `family` cannot be read. Mend the settings first.")
            elif not may(Role.ANNOTATOR):
                told = (family_settings(settings) or {}).get(family) or {}
                st.caption("To read only: your roles do not include editing")
                draw_code(write_yaml({family: told}), language="yaml")
            else:
                _DRAWS[family](opened, cell, settings)
    if may(Role.ANNOTATOR) and not prefers_plain_editors():
        keep_typed_text()  # code editors keep what is typed themselves, the areas here do not


def _draw_cibench(opened: OpenDraft, cell: DocumentCell, settings: str) -> None:
    told = told_by(settings, CIBENCH) or {}
    now = {name: "" if told.get(name) is None else str(told[name]) for name in ("step_type", "modules", "thought")}
    change = partial(set_field, opened.row.id, cell.key, CIBENCH)
    kind, modules = st.columns(2)
    with kind:
        _draw_choice(opened, cell, "step_type", "Step type", STEP_TYPES, now["step_type"], change)
    with modules:
        key = _start(opened, cell, "modules", now["modules"])
        about = "Names joined by &. The query as it is asked ends with: Please use ... modules."
        st.text_input("Modules", key=key, help=about, on_change=change, args=("modules", key), max_chars=400)
        _draw_unstored(key, "modules", now["modules"], change)
    key = _start(opened, cell, "thought", now["thought"])
    st.text_area("Thought", key=key, help=_THOUGHT_HELP, on_change=change, args=("thought", key), height=72)
    _draw_unstored(key, "thought", now["thought"], change)
    _draw_offer(opened, cell, settings, now["step_type"])


def _draw_offer(opened: OpenDraft, cell: DocumentCell, settings: str, step_type: str) -> None:
    """Offer the validators that CIBench judges steps of the type by, where the settings name others."""
    made = fitting_validator(settings, step_type)
    if made is None:
        return
    st.info(f"CIBench judges steps of type {label(step_type)} by these validators:", icon=":material/rule:")
    st.code(write_yaml({"validator": made}), language="yaml", wrap_lines=True)
    st.button(
        "Use them in the settings",
        key=f"family:{opened.row.id}:{cell.key}:fit",
        icon=":material/swap_horiz:",
        help="Replaces what the settings name now; the graded validator of another type falls away.",
        on_click=fit_validator,
        args=(opened.row.id, cell.key, step_type),
    )


def _draw_qwen(opened: OpenDraft, cell: DocumentCell, settings: str) -> None:
    now = qwen_fields(settings)
    change = partial(set_field, opened.row.id, cell.key, QWEN)
    if is_word_problem(settings):
        st.caption("A word problem: it has an answer and no tags, and counts under gsm8k.")
    else:
        tags, lang = st.columns(2)
        with tags:
            key = _start(opened, cell, "tags", now.get("tags", ""))
            about = "Joined by commas, such as all_ci,visualization. The board counts visualization, general and math."
            st.text_input("Tags", key=key, help=about, on_change=change, args=("tags", key), max_chars=400)
            _draw_unstored(key, "tags", now.get("tags", ""), change)
        with lang:
            _draw_choice(opened, cell, "lang", "Language", LANGUAGES, now.get("lang", ""), change)
        counted = ", ".join(counted_tags(settings))
        st.caption(f"It counts under {label(counted)}." if counted else "It counts under no row of the board.")
    prefill = now.get("prefill", "")
    key = _start(opened, cell, "prefill", prefill)
    title = "Given first action"
    st.text_area(title, key=key, help=_FIRST_ACTION_HELP, on_change=change, args=("prefill", key), height=160)
    _draw_unstored(key, "prefill", prefill, change)
    _draw_first_action(opened, prefill)


def _draw_first_action(opened: OpenDraft, prefill: str) -> None:
    text = compose(opened.draft).text
    made = parse_problemset(text, name=opened.row.name)[0] if text is not None else None
    if made is None or not differs_from_setup(prefill, made.cells):
        return
    code = first_action_code(prefill)
    if code is None:
        st.warning("It holds no action, but a setup cell runs one: remove that cell.", icon=":material/difference:")
        return
    what = "The setup cell 'Given: the first action' must hold this code, so that sessions begin where the text says:"
    st.warning(what, icon=":material/difference:")
    draw_code(code)


_DRAWS: Final[Mapping[str, Callable[[OpenDraft, DocumentCell, str], None]]] = {
    CIBENCH: _draw_cibench,
    QWEN: _draw_qwen,
}


def _draw_choice(
    opened: OpenDraft,
    cell: DocumentCell,
    name: str,
    title: str,
    known: Mapping[str, str],
    now: str,
    change: Callable[[str, str], None],
) -> None:
    options: Sequence[str] = [*known, *([now] if now and now not in known else [])]
    key = _start(opened, cell, name, now or None)
    st.selectbox(
        title, options, key=key, format_func=lambda each: known.get(each, each[:60]), placeholder="not said",
        index=None, on_change=change, args=(name, key),
    )  # fmt: skip


def _draw_unstored(key: str, name: str, now: str, change: Callable[[str, str], None]) -> None:
    """Say that a field holds what the settings do not: storing it was refused, as another tab had changed them."""
    if str(state.widget_value(key) or "") == now:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(":material/warning: This does not stand in the settings yet.", width="content")
        st.button("Store it", key=f"{key}:again", type="tertiary", on_click=change, args=(name, key))


def _start(opened: OpenDraft, cell: DocumentCell, name: str, now: str | None) -> str:
    """Let a field show what the settings say, unless it shows what somebody types on top of that; return its key."""
    key = f"family:{current_user()}:{opened.row.id}:{cell.key}:{name}"
    is_typed = state.is_on_screen(key) and state.recall(f"unstored:{key}")
    if not state.is_on_screen(key) or (state.recall(f"seen:{key}") != (now or "") and not is_typed):
        state.put_widget_value(key, now)
    state.remember(f"seen:{key}", now or "")
    return key


@writes(Role.ANNOTATOR)
def set_field(problemset_id: int, cell_key: str, family: str, name: str, key: str) -> None:
    """Write what a field holds into the settings, as an unsaved change."""
    value = str(state.widget_value(key) or "")
    write = with_qwen_field if family == QWEN else partial(_with_field, family)

    def change(settings: str) -> str:
        return write(settings, name, value)

    try:
        change_settings(problemset_id, cell_key, change)
    except ToolkitError:
        state.remember(f"unstored:{key}", True)  # what was typed stays in the field
        raise
    state.remember(f"unstored:{key}", False)
    state.remember(f"seen:{key}", value)


def _with_field(family: str, settings: str, name: str, value: str) -> str:
    return with_field(settings, family, name, value)


@writes(Role.ANNOTATOR)
def fit_validator(problemset_id: int, cell_key: str, step_type: str) -> None:
    """Put the validators of a type of step into the settings, as an unsaved change."""

    def change(settings: str) -> str:
        made = fitting_validator(settings, step_type)
        return settings if made is None else changed_settings(settings, "validator", made)

    change_settings(problemset_id, cell_key, change)
    state.flash("success", f"the settings judge as steps of type {step_type} are; save a revision to keep it")
