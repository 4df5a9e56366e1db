"""What the columns and rows of a seed mean, on the screen: read, corrected, proposed by a model and accepted."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.seeds.meanings.column_names import plural as plural_of
from authoring.seeds.meanings.findings import SemanticsFinding
from authoring.seeds.meanings.statement_text import GRANULARITIES
from authoring.seeds.meanings.stored import (
    KnownSemantics,
    accept_proposal,
    drop_proposal,
    known_semantics,
    proposed_change,
    reset_semantics,
    seed_profile_of,
    seed_semantics,
    state_change,
)
from authoring.seeds.meanings.wording import MEANINGS_IN_WORDS, column_facts
from authoring.seeds.semantics import AddsUp, Meaning, Origin, Semantics, TableMeaning
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.inputs.typed_text import keep, sent, unsent
from authoring.ui.jobs import order
from authoring.ui.seeds.meaning_rows import ALONE, NOTHING, Row, edited_rows, rows_of, table_of_rows
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace

MAX_ROWS: Final = 16  # shown at once; more scroll
ROW_PX: Final = 35
HEAD_PX: Final = 115  # so that the whole head of a column is read
MAX_FINDINGS: Final = 30
_STEPS: Final = [NOTHING, *GRANULARITIES, *(f"{one}{ALONE}" for one in GRANULARITIES)]
_STEPS_HELP: Final = "of a time; alone: one part of a moment, such as the month without its year"
LISTS: Final = {"order": "Order", "entity": "Observed again and again", "groups": "Groups"}


class _Table(NamedTuple):
    """The table as it was mounted: what edits count from."""

    person: str
    digest: str  # of what is known
    mount: int
    rows: Sequence[Row]


def draw_meanings(ws: Workspace, seed: Seed) -> None:
    """Draw what each table means as a table to edit, with what is odd about it."""
    if seed.profile is None:
        draw_empty("Not profiled yet", "The worker reads the files in the sandbox and describes them.")
        return
    known = known_semantics(ws, seed)
    if not known.semantics.tables:
        draw_empty("No table", "Only tables have columns that mean something.")
        return
    st.caption(
        "Authors ask only what makes sense of a column. Rules guess from names, values and the description; what you "
        "correct here goes before them. The last column says who says so, and why."
    )
    _draw_proposal(ws, seed, known)
    for place, table in enumerate(known.semantics.tables):
        findings = [one for one in known.findings if one.file == table.file]
        _draw_table(seed, place, table, findings)
    if any(column.origin is not Origin.RULE for table in known.semantics.tables for column in table.columns):
        with st.popover("Forget corrections", icon=":material/restart_alt:"):
            st.markdown(
                "What people corrected, and what a model proposed, is forgotten; what came with the data stays."
            )
            st.button("Forget them", key=f"meanings:{seed.id}:reset", on_click=reset, args=(seed.id,))


def _draw_table(seed: Seed, place: int, table: TableMeaning, findings: Sequence[SemanticsFinding]) -> None:
    sheet = f", sheet {label(table.sheet)}" if table.sheet else ""
    st.header(f"{label(table.file)}{sheet}", anchor=False)
    for finding in findings[:MAX_FINDINGS]:
        st.warning(
            f"{label(finding.what, limit=300)}. To fix it: {label(finding.fix, limit=300)}", icon=":material/rule:"
        )
    mounted = _mounted(seed.id, place, table)
    names = [column.name for column in table.columns]
    st.data_editor(
        list(mounted.rows),
        key=_editor_key(seed.id, place, mounted.mount),
        hide_index=True,
        num_rows="fixed",
        width="stretch",
        row_height=ROW_PX,
        height=min(len(mounted.rows) + 1, MAX_ROWS) * ROW_PX + 3,
        on_change=keep_edits,
        args=(seed.id, place),
        disabled=["column", "said"],
        alt=f"what the columns of {table.file} mean, to edit",
        column_config=_columns(names),
    )
    _draw_whole(seed.id, place, table, names, mounted.mount)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save meanings", key=f"meanings:{seed.id}:{place}:save", icon=":material/save:", type="primary",
            on_click=save, args=(seed.id, place),
        )  # fmt: skip
        if unsent(edits_field(seed.id, place, mounted.digest)) is not None:
            st.button(
                "Undo all edits", key=f"meanings:{seed.id}:{place}:undo", icon=":material/undo:", type="tertiary",
                on_click=undo, args=(seed.id, place),
            )  # fmt: skip
            st.caption(":material/edit_note: edited; kept for you until you save", width="content")


def _columns(names: Sequence[str]) -> dict[str, Any]:
    meanings = "; ".join(f"{meaning.value}: {words}" for meaning, words in MEANINGS_IN_WORDS.items())
    text, choice = st.column_config.TextColumn, st.column_config.SelectboxColumn
    return {
        "column": text("Column", pinned=True),
        "meaning": choice("Meaning", options=[one.value for one in Meaning], required=True, help=meanings),
        "adds_up": choice(
            "Adds up", options=[one.value for one in AddsUp], required=True, width="small",
            help="over any rows; over rows of one moment only, such as population; or not at all",
        ),
        "levels": text("Levels, low to high", help="of an ordinal, with commas between them"),
        "unit": text("Unit", width="small", help="as it is written behind a number"),
        "granularity": choice("Step of time", options=_STEPS, width=HEAD_PX, help=_STEPS_HELP),
        "weighted_by": choice("Weighed by", options=[NOTHING, *names], width=HEAD_PX, help="averages of it weigh by"),
        "refers_to": text("Refers to", width="small", help="file:column of another table"),
        "said": text("Said by"),
    }  # fmt: skip


def _draw_whole(seed_id: int, place: int, table: TableMeaning, names: Sequence[str], mount: int) -> None:
    """Draw what is said of the table as a whole."""
    key = _whole_key(seed_id, place, mount)
    one, many, repeats = st.columns((2, 2, 3), vertical_alignment="bottom")
    one.text_input("One row is a", table.row, key=f"{key}:row", placeholder="such as flight", on_change="ignore")
    many.text_input("Plural", table.rows, key=f"{key}:rows", placeholder="such as flights", on_change="ignore")
    repeats.toggle(
        "Equal rows can only be a mistake", table.repeats_are_errors, key=f"{key}:repeats", on_change="ignore"
    )
    helps = {
        "order": "columns of time by which the rows are in order; none: no question about neighbouring rows",
        "entity": "what the table observes again and again, such as the country; the order holds within each",
        "groups": "columns to compare the rows by, best first",
    }
    for field, box in zip(LISTS, st.columns(3), strict=True):
        chosen = [name for name in getattr(table, field) if name in names]
        box.multiselect(
            LISTS[field], names, chosen, key=f"{key}:{field}", help=helps[field], on_change="ignore"
        )  # fmt: skip


def _draw_proposal(ws: Workspace, seed: Seed, known: KnownSemantics) -> None:
    """Draw the button that asks a model, and what a model proposed."""
    key = f"meanings:{seed.id}"
    if known.proposal is None:
        st.button(
            "Ask a model to propose", key=f"{key}:propose", icon=":material/auto_awesome:", on_click=propose,
            args=(seed.id,),
        )  # fmt: skip
        draw_made_job(ws, f"{key}:proposal")
        return
    with st.container(border=True):
        lines = _proposed_lines(ws, seed)
        st.markdown("**A model proposes**" + ("" if lines else " nothing that is not so already, or that you have set"))
        if lines:
            st.markdown("\n".join(lines))
        with st.container(horizontal=True):
            if lines:
                st.button("Accept", key=f"{key}:accept", type="primary", on_click=accept, args=(seed.id,))
            st.button("Discard", key=f"{key}:discard", on_click=discard, args=(seed.id,))


def _proposed_lines(ws: Workspace, seed: Seed) -> list[str]:
    lines = []
    for table in proposed_change(ws, seed).tables:
        for name, value in table.stated.items():
            shown = ", ".join(value) if isinstance(value, tuple) else str(value)
            lines.append(f"- {label(table.file)}, {LISTS.get(name, name.replace('_', ' '))}: {label(shown or 'none')}")
        for column in table.columns:
            why = f" ({label(column.reason)})" if column.reason else ""
            lines.append(f"- **{label(column.name)}**: {label(', '.join(column_facts(column)), limit=200)}{why}")
    return lines


@writes(ANYONE)
def keep_edits(seed_id: int, place: int) -> None:
    """Keep what stands in the table, for the person who edits it."""
    mounted, rows = _known(seed_id, place), _shown_rows(seed_id, place)
    if mounted is not None and rows is not None:
        keep(edits_field(seed_id, place, mounted.digest), rows)


@writes(ANYONE)
def undo(seed_id: int, place: int) -> None:
    """Forget what was edited in the table."""
    _forget(seed_id, place)


@writes(Role.MAINTAINER)
def save(seed_id: int, place: int) -> None:
    """Store what the table and the fields below it say."""
    seed = find_seed(workspace(), seed_id)
    before = seed_semantics(workspace(), seed)
    rows = _shown_rows(seed_id, place)
    mounted = _known(seed_id, place)
    if rows is None or mounted is None or place >= len(before.tables):
        state.flash("info", "nothing to save: the table is not on the screen")
        return
    table = table_of_rows(before.tables[place], rows, seed_profile_of(seed).tables[place])
    table = _with_whole(table, _whole_key(seed_id, place, mounted.mount))
    after = Semantics(tables=(*before.tables[:place], table, *before.tables[place + 1 :]))
    if after.tables == before.tables:
        state.flash("info", "nothing to save: nothing was changed")
        return
    findings = state_change(workspace(), seed, after, created_by=current_user())
    _forget(seed_id, place)
    odd = f"; {plural(len(findings), 'thing')} to look at" if findings else ""
    state.flash("success", f"saved what {table.file} means{odd}")


def _with_whole(table: TableMeaning, key: str) -> TableMeaning:
    """Return the table with what the fields below it say."""
    row = str(state.widget_value(f"{key}:row", table.row) or "").strip()
    rows = str(state.widget_value(f"{key}:rows", table.rows) or "").strip()
    if row != table.row and rows == table.rows:  # the plural was left as it was: it follows
        rows = plural_of(row) if row else ""
    lists: Mapping[str, Any] = {
        name: tuple(state.widget_value(f"{key}:{name}", list(getattr(table, name))) or ()) for name in LISTS
    }
    repeats = bool(state.widget_value(f"{key}:repeats", table.repeats_are_errors))
    return replace(table, row=row, rows=rows, repeats_are_errors=repeats, **lists)


@writes(Role.MAINTAINER)
def reset(seed_id: int) -> None:
    """Forget what people and models stated."""
    reset_semantics(workspace(), find_seed(workspace(), seed_id))
    state.flash("success", "corrections are forgotten")


@writes(Role.MAINTAINER)
def propose(seed_id: int) -> None:
    """Order a proposal by a model."""
    order("propose_semantics", {"seed": seed_id, "created_by": current_user()}, key=f"meanings:{seed_id}:proposal")


@writes(Role.MAINTAINER)
def accept(seed_id: int) -> None:
    """Make a model's proposal count."""
    findings = accept_proposal(workspace(), find_seed(workspace(), seed_id), accepted_by=current_user())
    odd = f"; {plural(len(findings), 'thing')} to look at" if findings else ""
    state.flash("success", f"the proposal counts{odd}")


@writes(Role.MAINTAINER)
def discard(seed_id: int) -> None:
    """Forget a model's proposal."""
    drop_proposal(workspace(), find_seed(workspace(), seed_id))
    state.flash("success", "the proposal is forgotten")


def table_digest(table: TableMeaning) -> str:
    """Return a short digest of what is known: edits belong to what was shown."""
    return hashlib.sha256(repr(table).encode("utf-8", "replace")).hexdigest()[:16]


def _mounted(seed_id: int, place: int, table: TableMeaning) -> _Table:
    """Return the table that is on the screen, or a new one with what the person left in it."""
    digest = table_digest(table)
    known, person = _known(seed_id, place), current_user()
    on_screen = known is not None and state.is_on_screen(_editor_key(seed_id, place, known.mount))
    if known is not None and on_screen and (known.person, known.digest) == (person, digest):
        return known
    left = unsent(edits_field(seed_id, place, digest))
    rows = left if isinstance(left, list) else rows_of(table)
    mounted = _Table(person, digest, known.mount + 1 if known is not None else 1, rows)
    state.remember(f"meanings:{seed_id}:{place}", mounted)
    return mounted


def _shown_rows(seed_id: int, place: int) -> list[Row] | None:
    """Return the rows as they stand in the table; None when this tab shows none."""
    known = _known(seed_id, place)
    if known is None:
        return None
    edited: Mapping[str, Any] = state.widget_value(_editor_key(seed_id, place, known.mount)) or {}
    return edited_rows(known.rows, edited.get("edited_rows") or {})


def _forget(seed_id: int, place: int) -> None:
    known = _known(seed_id, place)
    if known is not None:
        sent(edits_field(seed_id, place, known.digest), shown=None)
        state.remember(f"meanings:{seed_id}:{place}", known._replace(digest=""))  # a new mount begins anew


def _known(seed_id: int, place: int) -> _Table | None:
    found: _Table | None = state.recall(f"meanings:{seed_id}:{place}")
    return found


def edits_field(seed_id: int, place: int, digest: str) -> str:
    """Return the name under which a person's unsaved edits are kept."""
    return f"meanings:{seed_id}:{place}:{digest}"


def _editor_key(seed_id: int, place: int, mount: int) -> str:
    return f"meanings:{seed_id}:{place}:rows:{mount}"


def _whole_key(seed_id: int, place: int, mount: int) -> str:
    return f"meanings:{seed_id}:{place}:whole:{mount}"
