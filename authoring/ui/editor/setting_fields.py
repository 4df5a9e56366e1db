"""Fields for what the settings of a problem say of difficulty, tags, knowledge points and limits.

The settings (YAML) alone are kept: a field shows what they say, and writes what is chosen back into them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from authoring.store.database.connections import ConflictError
from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.editor.editing import OpenDraft, change_settings
from authoring.ui.shell.auth import current_user, may
from authoring.ui.wording import label
from evaluator.language import LEVELS, ExecutionLimits, Problem, changed_part, changed_settings, read_yaml
from evaluator.language.document_cells import DocumentCell

WORDS: Final = {"tags": "Tags", "knowledge_points": "Knowledge points"}
LIMITS: Final = {"max_time": "Time limit (seconds)", "max_memory": "Memory limit (megabytes)"}


class UnreadableError(ValueError):
    """The settings cannot be shown in fields; says where and why."""


def read_fields(settings: str) -> dict[str, Any]:
    """Return what the fields show: `difficulty` (text), both lists of words, both limits (number); None: not said.

    Raises:
        UnreadableError: If the settings are no readable YAML, or say something else at one of these places.
    """
    document = read_yaml(settings)
    if document.faults or not document.is_readable:
        fault = document.faults[0] if document.faults else None
        raise UnreadableError(f"line {fault.line}: {fault.what}" if fault else "line 1")
    told = document.value if isinstance(document.value, Mapping) else {}
    execution = told.get("execution") or {}
    if not isinstance(execution, Mapping):
        raise UnreadableError(f"line {document.line('execution')}: 'execution' is no mapping")
    level = told.get("difficulty")
    found: dict[str, Any] = {"difficulty": None if level is None else str(level)}
    for name in WORDS:
        words = told.get(name)
        if words is not None and not (isinstance(words, list) and all(isinstance(each, str) for each in words)):
            raise UnreadableError(f"line {document.line(name)}: {name!r} is no list of texts")
        found[name] = list(words or ())
    for name in LIMITS:
        limit = execution.get(name)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float)) or limit <= 0):
            raise UnreadableError(f"line {document.line('execution', name)}: {name!r} is no number above 0")
        found[name] = None if limit is None else float(limit)
    return found


def with_value(settings: str, name: str, value: Any) -> str:
    """Return settings in which one of the fields says something else; empty or None takes it out.

    Raises:
        ContentError: If the settings cannot be read as they are, or would lose a comment.
    """
    if name in LIMITS:
        limit = int(value) if value and float(value).is_integer() else value
        return changed_part(settings, "execution", name, limit or None, drop=not limit, keep_comments=True)
    if name in WORDS:
        value = list(dict.fromkeys(word.strip() for word in value or () if word.strip()))
    return changed_settings(settings, name, value or None, keep_comments=True)


def draw_setting_fields(opened: OpenDraft, cell: DocumentCell) -> None:
    """Draw the fields below the settings, in a box that is closed at first; grey where the settings are broken."""
    if not cell.is_problem or not may(Role.ANNOTATOR):
        return
    title = "Difficulty, tags and limits"
    with st.expander(title, icon=":material/tune:", key=f"fields:{opened.row.id}:open", on_change="rerun") as box:
        if not box.open:
            return
        try:
            now = read_fields(opened.draft.value(cell, "settings"))
        except UnreadableError as error:
            st.warning(f"Mend the settings above first, {label(str(error), limit=400)}", icon=":material/error:")
            now = {}
        _draw(opened, cell, now)


def _draw(opened: OpenDraft, cell: DocumentCell, now: Mapping[str, Any]) -> None:
    def started(name: str) -> dict[str, Any]:
        key = _start(opened, cell, name, now)
        args = (opened.row.id, cell.key, name, key)
        return {"key": key, "disabled": not now, "on_change": set_value, "args": args}

    level = now.get("difficulty")
    st.selectbox(
        "Difficulty",
        [*LEVELS, *([level] if level and level not in LEVELS else [])],
        index=None,
        placeholder="not said",
        **started("difficulty"),
    )
    for name, title in WORDS.items():
        options = _known_words(opened, name, now.get(name) or ())
        st.multiselect(title, options, accept_new_options=True, placeholder="none; type to add", **started(name))
    columns = st.columns(2)
    for column, (name, title) in zip(columns, LIMITS.items(), strict=True):
        with column:
            hint = _default_time(cell) if name == "max_time" else "not said"
            st.number_input(title, min_value=0.0, value=None, placeholder=hint, format="%g", **started(name))


def _default_time(cell: DocumentCell) -> str:
    """Return how long a problem may take that does not say it."""
    if not isinstance(cell.cell, Problem):
        return "not said"
    return f"default: {replace(cell.cell, execution=ExecutionLimits()).time_limit_s:g}"


def _known_words(opened: OpenDraft, name: str, now: Sequence[str]) -> list[str]:
    """Return the words that the problems of the set use, those of this one first."""
    others = (
        word
        for each in opened.draft.problems
        if isinstance(each.cell, Problem)
        for word in each.cell.metadata.get(name) or ()
    )
    return list(dict.fromkeys([*now, *(str(word) for word in others)]))


def _start(opened: OpenDraft, cell: DocumentCell, name: str, now: Mapping[str, Any]) -> str:
    """Let a field show what the settings say, unless it shows what was refused to go into them; return its key."""
    key = f"fields:{current_user()}:{opened.row.id}:{cell.key}:{name}"
    told = now.get(name, [] if name in WORDS else None)
    if not state.is_on_screen(key) or state.recall(f"seen:{key}") != told:
        state.put_widget_value(key, told)
    state.remember(f"seen:{key}", told)
    return key


@writes(Role.ANNOTATOR)
def set_value(problemset_id: int, cell_key: str, name: str, key: str) -> None:
    """Write what a field holds into the settings, as an unsaved change."""
    value = state.widget_value(key)
    try:
        change_settings(problemset_id, cell_key, lambda settings: with_value(settings, name, value))
    except ConflictError:
        state.remember(f"seen:{key}", None if name in WORDS else "")  # no field's value: the stored one is shown again
        raise
