"""The editor's tab of validators: what judges the problem, and the form that changes it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import jobs
from authoring.store.people import Role
from authoring.store.settings import workspace_validators
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.proposal_matrix import LEGEND, left_out, matrix_rows, name_list, number_of
from authoring.ui.editor.draft_view import digests, with_settings
from authoring.ui.editor.editing import OpenDraft, change_settings, draft_on_screen, sound_text
from authoring.ui.editor.validators.equality_table import draw_equality
from authoring.ui.editor.validators.validator_building import (
    EVERY,
    NONE,
    TEMPLATE_WORDS,
    FormField,
    fields_of,
    names_on,
    options_from,
    validator_summaries,
    with_validator,
    without_validator,
    written_validators,
)
from authoring.ui.jobs import draw_job, order
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import draw_diagnostics
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError
from evaluator.language import OptionKind, changed_settings, write_yaml
from evaluator.language.document_cells import DocumentCell

UNTITLED: Final = "template"  # not a validator: which ones apply without being named


def draw_written(opened: OpenDraft, cell: DocumentCell) -> None:
    """Draw the validators that the settings name, each with a way to remove it, and the template."""
    written = written_validators(opened.draft.value(cell, "settings"))
    key = f"written:{opened.row.id}:{cell.key}"
    st.markdown("**Validators in force**")
    template = str(written.pop(UNTITLED, "")) or None
    state.put_widget_value(f"{key}:template", template if template in TEMPLATE_WORDS else None)
    st.selectbox(
        "Template: validators that apply by default",
        list(TEMPLATE_WORDS),
        key=f"{key}:template",
        format_func=lambda name: f"{name}: {TEMPLATE_WORDS[name]}",
        placeholder=f"comparison: {TEMPLATE_WORDS['comparison']} (as nothing else is written)",
        on_change=pick_template,
        args=(opened.row.id, cell.key, f"{key}:template"),
    )
    if not written:
        st.caption("The settings name no validator of their own.")
    for name, options in written.items():
        with st.container(border=True, gap="xsmall"):
            st.code(write_yaml({name: options}), language="yaml", wrap_lines=True)
            st.button(
                f"Remove {label(name)}",
                key=f"{key}:{name}",
                icon=":material/delete:",
                on_click=remove,
                args=(opened.row.id, cell.key, name),
            )


def draw_form(opened: OpenDraft, cell: DocumentCell) -> None:
    """Draw the form for one more validator, with a preview of what it adds to the settings."""
    own = opened.draft.document.own_validators
    summaries = validator_summaries(own)
    st.markdown("**Build one**")
    key = f"build:{opened.row.id}:{cell.key}"
    name = st.selectbox(
        "Validator", list(summaries), key=f"{key}:name", format_func=lambda each: f"{each}: {summaries[each]}"
    )
    names = names_on(opened.draft, cell)
    for field in fields_of(name, own):
        _draw_field(field, names, f"{key}:{name}:{field.name}")
    _draw_preview(opened, cell, name, key)
    stands = name in written_validators(opened.draft.value(cell, "settings"))
    st.button(
        "Replace in settings" if stands else "Add to settings",
        key=f"{key}:add",
        icon=":material/swap_horiz:" if stands else ":material/add:",
        help="Writes it into the settings on the screen; it is saved with the next revision.",
        on_click=add,
        args=(opened.row.id, cell.key, name),
    )


@writes(Role.ANNOTATOR)
def add(problemset_id: int, cell_key: str, name: str) -> None:
    """Write the validator of the form into the settings, as an unsaved change."""
    own = workspace_validators(workspace())
    filled = _filled(f"build:{problemset_id}:{cell_key}", name, fields_of(name, own))
    options = options_from(name, filled, own)
    change_settings(problemset_id, cell_key, lambda settings: with_validator(settings, name, options))
    state.flash("success", f"{name} stands in the settings; save a revision to keep it for everybody")


@writes(Role.ANNOTATOR)
def remove(problemset_id: int, cell_key: str, name: str) -> None:
    """Take a validator out of the settings, as an unsaved change."""
    change_settings(problemset_id, cell_key, lambda settings: without_validator(settings, name))


@writes(Role.ANNOTATOR)
def pick_template(problemset_id: int, cell_key: str, key: str) -> None:
    """Write the chosen template into the settings, as an unsaved change."""
    chosen = state.widget_value(key)
    if chosen:
        change_settings(problemset_id, cell_key, lambda settings: with_validator(settings, UNTITLED, chosen))


def _filled(key: str, name: str, fields: Sequence[FormField]) -> dict[str, Any]:
    return {field.name: state.widget_value(f"{key}:{name}:{field.name}") for field in fields}


def _draw_field(field: FormField, names: Sequence[str], key: str) -> None:
    title = f"{field.name}{' (needed)' if field.required else ''}"
    shown = _default_words(field)
    about = f"{field.summary}{shown}."
    if field.is_list:
        options = list(field.choices or names)
        if field.kind is OptionKind.FLAG_OR_NAMES:
            options = [EVERY, NONE, *options]
        st.multiselect(title, options, key=key, help=about, accept_new_options=not field.choices)
        return
    match field.kind:
        case OptionKind.FLAG if field.is_open:
            st.selectbox(title, [True, False], index=None, key=key, help=about, format_func=_flag_words)
        case OptionKind.FLAG:
            st.checkbox(f"{title}: {field.summary}", key=key)
        case OptionKind.NUMBER:
            placeholder = f"{field.default:g}" if isinstance(field.default, float) else "not set"
            st.number_input(title, value=None, key=key, help=about, format="%g", placeholder=placeholder)
        case OptionKind.NAME | OptionKind.DOTTED_NAME:
            st.selectbox(title, list(names), index=None, key=key, help=about, accept_new_options=True)
        case OptionKind.CODE:
            st.text_area(title, key=key, help=f"{about} It must define {field.defines}.", height=96)
        case _:
            st.text_area(title, key=key, help=f"{about} Write {field.wanted}.", height=96)


def _flag_words(flag: bool) -> str:
    return str(flag).lower()


def _default_words(field: FormField) -> str:
    if field.default is None or isinstance(field.default, bool):
        return ""
    return f"; {field.default:g} if not set" if isinstance(field.default, int | float) else ""


def _draw_preview(opened: OpenDraft, cell: DocumentCell, name: str, key: str) -> None:
    own = opened.draft.document.own_validators
    settings = opened.draft.value(cell, "settings")
    try:
        options = options_from(name, _filled(key, name, fields_of(name, own)), own)
        made = with_validator(settings, name, options)
    except ContentError as error:
        st.caption(f":material/edit: {label(error.what, limit=400)}. {label(error.fix, limit=400)}.")
        return
    st.code(write_yaml({"validator": {name: options}}), language="yaml", wrap_lines=True)
    written = written_validators(settings)
    if name in written and written[name] != options:
        st.warning(
            f"The settings hold {label(name)} already. What stands there falls away:", icon=":material/swap_horiz:"
        )
        st.code(write_yaml({name: written[name]}), language="yaml", wrap_lines=True)
    known = set(with_settings(opened.draft, cell, settings))
    draw_diagnostics([each for each in with_settings(opened.draft, cell, made) if each not in known])


def proposals_key(problemset_id: int, person: str, cell_key: str) -> str:
    """Return the key of the jobs that propose validators for a problem."""
    return f"validators:{problemset_id}:{person}:{cell_key}"


def draw_validators(ws: Workspace, opened: OpenDraft, cell: DocumentCell, now: Mapping[str, str]) -> None:
    """Draw what judges the problem, when its values are equal, the form and the proposals."""
    draw_written(opened, cell)
    draw_equality(opened, cell)
    draw_form(opened, cell)
    st.markdown("**Proposals**")
    st.button(
        "Propose validators",
        key=f"propose:{opened.row.id}:{cell.key}",
        icon=":material/lightbulb:",
        help="Runs the reference and rewrites of it, and shows which of them each choice would accept.",
        on_click=propose,
        args=(opened.row.id, cell.key),
    )
    found = jobs.select_results(ws, proposals_key(opened.row.id, current_user(), cell.key), 1)
    with st.container():
        for job, result in found:
            if job.state != JobState.DONE:
                draw_job(job)
            elif result is not None:
                if job.payload.get("digest") != now.get(cell.key):
                    st.caption(":material/history: stale: the text has changed since. Propose again.")
                proposals = result.get("proposals") or ()
                if matrix_rows(proposals):
                    st.table(matrix_rows(proposals), border="horizontal", width="content")
                    st.caption(f"{LEGEND} {left_out(proposals)}".rstrip())
                for proposal in proposals:
                    _draw_proposal(opened, cell, proposal, f"proposal:{job.id}:{proposal.get('number')}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def propose(problemset_id: int, cell_key: str) -> None:
    """Order proposals for a problem as it stands on the screen."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    if cell is None:
        raise ContentError("there is no such problem any more", where=opened.row.name, fix="open another one")
    payload = {"problemset_id": problemset_id, "text": sound_text(opened), "problem": cell.number}
    payload["digest"] = digests(opened.draft)[cell_key]
    order("validators", payload, key=proposals_key(problemset_id, current_user(), cell_key))


@writes(Role.ANNOTATOR)
def use(problemset_id: int, cell_key: str, validator: Mapping[str, Any], title: str) -> None:
    """Put the validators of a proposal into the settings, as an unsaved change."""
    change_settings(problemset_id, cell_key, lambda settings: changed_settings(settings, "validator", dict(validator)))
    state.flash("success", f"the settings judge by {title} now; save a revision to keep it")


def _draw_proposal(opened: OpenDraft, cell: DocumentCell, proposal: Mapping[str, Any], key: str) -> None:
    rewrites = proposal.get("rewrites") or {}
    accepted = [name for name, verdict in rewrites.items() if verdict == "CORRECT"]
    rejected = [name for name, verdict in rewrites.items() if verdict != "CORRECT"]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"{number_of(proposal)} · **{label(str(proposal.get('title')))}**")
        st.code(write_yaml({"validator": proposal.get("validator") or {}}), language="yaml", wrap_lines=True)
        st.caption(f":material/check: accepts: {name_list(accepted)}")
        st.caption(f":material/close: rejects: {name_list(rejected)}")
        if not proposal.get("reference_passes"):
            st.caption(":material/error: The reference itself does not pass.")
        st.button(
            "Use in settings",
            key=key,
            icon=":material/add:",
            disabled=not proposal.get("reference_passes"),
            on_click=use,
            args=(opened.row.id, cell.key, proposal.get("validator") or {}, str(proposal.get("title"))),
        )
