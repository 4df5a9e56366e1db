"""Items of a sketch as rows of a table, rows back to items, a sketch in words, and the drafts made of it."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from authoring.checks.standing import Standing, standings
from authoring.languages import Language
from authoring.prompting.sketch_fields import SKETCH_FIELDS, FieldKind, SketchField
from authoring.store import jobs
from authoring.store.drafting.sketches import Sketch, SketchItem
from authoring.store.people import Role
from authoring.store.revisions import DraftRow, count_drafts, list_drafts
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.model_setup import AUTHORS, author_help
from authoring.ui.seeds.author_options import (
    LANGUAGES,
    author_options_of,
    draw_author_options,
    draw_name,
    fill_author,
    name_of,
)
from authoring.ui.seeds.order_results import again_button, draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import standing_line
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural, status_chip
from authoring.ui.workplace import environment, workspace
from evaluator.errors import ContentError

WIDTHS = (4, 2, 2, 4)


def draw_drafts(ws: Workspace, seed_id: int, sketch_id: int | None = None) -> None:
    """Draw one line per draft, newest first."""
    count = count_drafts(ws, seed_id=seed_id, sketch_id=sketch_id)
    if not count:
        draw_empty("Nothing was drafted yet", "Draft the problemset from a sketch: it then stands here.")
        return
    slot = st.container(border=True, gap="small")
    offset = draw_pager(count, key=f"drafts:{seed_id}:{sketch_id}")
    rows = list_drafts(ws, seed_id=seed_id, sketch_id=sketch_id, limit=PAGE_SIZE, offset=offset)
    found = standings(ws, [row.head_revision_id for row in rows], environment())
    for row in rows:
        with slot:
            _draw_draft(row, found[row.head_revision_id])


def _draw_draft(row: DraftRow, standing: Standing) -> None:
    name, status, verdicts, facts = st.columns(WIDTHS, vertical_alignment="center")
    with name:
        page_link("problemset", f"**{label(row.name)}**", icon=":material/menu_book:", set=row.problemset_id)
    status.markdown(chip_text(status_chip(row.status)))
    verdicts.markdown(standing_line(standing))
    facts.caption(f"{plural(row.problem_count, 'problem')} · {_by(row)} · {ago(row.created_at)}")


def _by(row: DraftRow) -> str:
    """Return who wrote a draft and what that took; the provenance may hold anything."""
    known = row.provenance
    if row.origin != Origin.MODEL:
        return f"{label(row.origin)} author" if row.origin == Origin.TEMPLATE else label(row.origin)
    counts = [known.get(name) for name in ("prompt_tokens", "completion_tokens")]
    tokens = sum(int(count) for count in counts if isinstance(count, int))
    cost = known.get("cost")
    priced = f", cost {cost:.4f} {label(str(known.get('currency') or ''))}" if isinstance(cost, int | float) else ""
    repairs = known.get("repairs")
    mended = f", {plural(repairs, 'repair')}" if isinstance(repairs, int) and repairs else ""
    return f"model {label(str(known.get('model') or ''))}: {tokens:,} tokens{priced}{mended}"


Row = dict[str, Any]  # plain JSON: `item` is the number of the item it shows, 0 for an added one


def sketch_in_words(sketch: Sketch) -> str:
    """Return what a sketch is, for the line below its name."""
    spoken = "" if sketch.language is Language.ENGLISH else f", queries in {LANGUAGES[sketch.language.value]}"
    made = f"by the {label(sketch.author)} author{spoken}, {ago(sketch.created_at)}"
    return f"{plural(len(sketch.items), 'problem')} {made}, version {sketch.head_number}"


def row_of(item: SketchItem) -> Row:
    """Return an item as a row."""
    written = {field.name: getattr(item, field.name) for field in SKETCH_FIELDS}
    shown = {name: value if isinstance(value, str) else ", ".join(map(str, value)) for name, value in written.items()}
    return {"item": item.number, "keep": True, "number": item.number, **shown}


def changed_rows(
    rows: Sequence[Row], edited: Mapping[Any, Mapping[str, Any]], added: Sequence[Mapping[str, Any]]
) -> list[Row]:
    """Return the rows after a table's edits: cells by position, and rows added at the end."""
    kept = [{**row, **(edited.get(place) or edited.get(str(place)) or {})} for place, row in enumerate(rows)]
    for row in added:
        filled = {name: value for name, value in row.items() if value is not None}
        number = len(kept) + 1
        blank = {"keep": True, "number": number, **{field.name: "" for field in SKETCH_FIELDS}}
        kept.append({"item": 0, **blank, **filled})
    return kept


def items_of_rows(items: Sequence[SketchItem], rows: Sequence[Row]) -> list[SketchItem]:
    """Return the items that rows say: dropped, reordered, added, numbered anew, dependencies following.

    Args:
        items: What the rows were made of.
        rows: The rows; `depends_on` names items by the numbers that they had, or for added rows, have.

    Raises:
        ContentError: If nothing would be left, an added row says nothing, or a row builds on what is no item.
    """
    known = {item.number: item for item in items}
    last = max(known, default=0)
    kept: list[tuple[int, int, SketchItem]] = []
    names = _names(rows, known)
    for place, row in enumerate(rows, 1):
        if row.get("keep") is False:
            continue
        own = int(row["item"]) or last + place
        number = int(row["number"]) if row.get("number") is not None else own
        kept.append((number, place, _item(known.get(own), own, row, names)))
    if not kept:
        raise ContentError("a sketch needs at least one item", fix="keep one row, or leave the sketch as it is")
    ordered = [item for _, _, item in sorted(kept, key=lambda entry: entry[:2])]
    numbers = {item.number: number for number, item in enumerate(ordered, 1)}
    return [_renumbered(item, numbers) for item in ordered]


def _names(rows: Sequence[Row], known: Mapping[int, SketchItem]) -> dict[int, int]:
    """Return by what numbers rows can be built on: of items those they had, of added rows those that were typed."""
    last = max(known, default=0)
    added = {
        int(row["number"]): last + place for place, row in enumerate(rows, 1) if not row["item"] and row.get("number")
    }
    return {**added, **{number: number for number in known}}


def _item(before: SketchItem | None, own: int, row: Row, names: Mapping[int, int]) -> SketchItem:
    if before is None and not str(row.get("query_idea") or "").strip():
        raise ContentError("a row was added without a query idea", fix="write what is to be asked, or untick the row")
    item = before or SketchItem(own, "")
    return dataclasses.replace(item, **{field.name: _typed(field, item, row, names) for field in SKETCH_FIELDS})


def _typed(field: SketchField, item: SketchItem, row: Row, names: Mapping[int, int]) -> Any:
    """Return what a row says of a field; an empty text leaves what the item had."""
    match field.kind:
        case FieldKind.WORDS:
            return _points(row.get(field.name))
        case FieldKind.NUMBERS:
            return _numbers(row, names)
        case _:
            return str(row.get(field.name) or "").strip() or getattr(item, field.name)


def _points(text: object) -> tuple[str, ...]:
    return tuple(point for part in str(text or "").split(",") if (point := part.strip()))


def _numbers(row: Row, names: Mapping[int, int]) -> tuple[int, ...]:
    parts = [part.strip() for part in str(row.get("depends_on") or "").replace(";", ",").split(",") if part.strip()]
    for part in parts:
        if not (part.isascii() and part.isdigit() and int(part[:9]) in names):
            what = f"{part!r} under “Builds on” is the number of no item"
            raise ContentError(what, where=str(row.get("query_idea") or "")[:80], fix="write numbers such as 1, 3")
    return tuple(dict.fromkeys(names[int(part[:9])] for part in parts))


def _renumbered(item: SketchItem, numbers: Mapping[int, int]) -> SketchItem:
    """Return the item under its new number; dependencies on dropped or later items go."""
    number = numbers[item.number]
    earlier = sorted(numbers[other] for other in item.depends_on if numbers.get(other, number) < number)
    return dataclasses.replace(item, number=number, depends_on=tuple(earlier))


def draw_draft_form(ws: Workspace, sketch: Sketch) -> None:
    """Draw what is needed to draft a problemset from a sketch, and what became of the newest such order."""
    key = f"draft:{sketch.id}"
    start = sketch.author if sketch.author in AUTHORS else AUTHORS[0]
    state.start_widget_value(f"{key}:author", start)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Author", AUTHORS, key=f"{key}:author", help=author_help(), width=220, on_change="ignore")
        st.number_input(
            "Random seed", 0, 2**31 - 1, value=None, key=f"{key}:rng_seed", width=160, on_change="ignore",
            placeholder="as sketch", help="Another number gives another draft.",
        )  # fmt: skip
        draw_name(key, "as the sketch")
        draw_author_options(key)
        st.button(
            "Draft the problemset",
            key=f"{key}:send",
            type="primary",
            icon=":material/edit_document:",
            help="Writes query, reference code and validators for each item, and executes them.",
            on_click=draft,
            args=(sketch.id,),
        )
    draw_made_job(ws, key, draw_again=again_button(change_draft))


@writes(Role.MAINTAINER)
def change_draft(job_id: int) -> None:
    """Fill the form of a sketch's drafts with what a job was ordered with."""
    job = jobs.find(workspace(), job_id)
    state.put_widget_value(f"{job.key}:rng_seed", job.payload.get("rng_seed"))
    fill_author(job)


@writes(Role.MAINTAINER)
def draft(sketch_id: int) -> None:
    """Order a draft."""
    key = f"draft:{sketch_id}"
    author = str(state.widget_value(f"{key}:author") or AUTHORS[0])
    order(
        "draft",
        {
            "sketch": sketch_id,
            "author": author,
            "rng_seed": state.widget_value(f"{key}:rng_seed"),
            "name": name_of(key),
            "created_by": current_user(),
            **(author_options_of(key) if author == "model" else {}),
        },
        key=key,
    )
