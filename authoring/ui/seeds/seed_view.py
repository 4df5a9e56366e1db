"""A seed on the screen: its facts, its profile, the beginning of its files."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.seeds.licences import LicenceAdvice, LicenceKind, licence_advice
from authoring.store.drafting.seeds import Seed, delete_seed, describe_seed, find_seed
from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.shapes import shape_of
from authoring.ui.inputs.typed_text import sent, typed_line
from authoring.ui.shell.navigation import go
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import workspace

MAX_COLUMNS: Final = 200
MIDNIGHT: Final = "T00:00:00"
ROLE_ICONS: Final = {
    "number": ":material/tag:",
    "category": ":material/category:",
    "date": ":material/calendar_month:",
    "text": ":material/notes:",
    "bool": ":material/toggle_on:",
    "id": ":material/key:",
    "other": ":material/help:",
}


def draw_seed_facts(seed: Seed) -> None:
    """Draw where a seed comes from and under which licence."""
    if seed.description:
        st.text(cell_text(seed.description))
    facts = {
        "Licence": label(seed.licence or "not recorded"),
        "Source": label(seed.source_url or "not recorded", limit=300),
        "Published on": label(seed.published_on or "not recorded"),
        "Files": ", ".join(f"{label(file.name)} ({size_words(file.size_bytes)})" for file in seed.files),
        "Added": f"{ago(seed.created_at)} by {label(seed.created_by or 'Benchwright')}",
    }
    if seed.popularity:
        facts["Popularity"] = label(seed.popularity)
    if seed.synthetic:
        facts["Synthetic"] = ":orange[:material/science:] made by a program, and marked so wherever it is described"
    if seed.notebook:
        facts["Notebook"] = "its code and text cells are kept beside the data"
    draw_facts(facts)
    advice = licence_advice(seed.licence)
    if advice.kind in (LicenceKind.FORBIDDEN, LicenceKind.RESTRICTED, LicenceKind.MISSING):
        draw_licence_advice(advice)
    if seed.statement:
        with st.expander("What the data were drawn from", icon=":material/science:"):
            st.code(seed.statement, language="yaml")


def draw_licence_advice(advice: LicenceAdvice) -> None:
    """Draw what a licence means for a release."""
    text = f"{advice.text[:1].upper()}{advice.text[1:]}."
    if advice.kind is LicenceKind.FORBIDDEN:
        st.warning(
            f"**{label(text, limit=300)}** Release no problemset of it, or ask its owner.", icon=":material/block:"
        )
    else:
        st.caption(f":material/license: {label(text, limit=300)}")


def draw_profile(seed: Seed) -> None:
    """Draw what is known about each table of a seed."""
    profile = seed.profile
    if profile is None:
        draw_empty("Not profiled yet", "The worker reads the files in the sandbox and describes them.")
        return
    traps = profile.get("traps") or []
    for table in profile.get("tables") or []:
        name = str(table.get("file") or "table")
        sheet = f", sheet {label(str(table['sheet']))}" if table.get("sheet") else ""
        st.header(f"{label(name)}{sheet}", anchor=False)
        columns = list(table.get("columns") or [])
        st.caption(f"{plural(int(table.get('rows') or 0), 'row')} · {plural(len(columns), 'column')}")
        st.table([_column_row(column, table) for column in columns[:MAX_COLUMNS]], border="horizontal")
        if len(columns) > MAX_COLUMNS:
            st.caption(f"{len(columns) - MAX_COLUMNS:,} more columns are not shown.")
        _draw_traps([trap for trap in traps if trap.get("file") == name])
    if profile.get("tables"):
        st.caption(
            "Shape: where numbers lie between least and greatest; else how frequent the most frequent values are."
        )
    _draw_images(profile.get("images") or [])
    _draw_foreign_keys(profile)


def draw_source_files(seed: Seed) -> None:
    """Draw the files with their digests."""
    for file in seed.files:
        with st.container(border=True, gap="xsmall"):
            st.markdown(f"**{label(file.name)}** · {label(file.kind)} · {size_words(file.size_bytes)}")
            st.caption(f"sha256 {file.digest}")


def _draw_images(images: list[Mapping[str, Any]]) -> None:
    if images:
        st.header("Pictures", anchor=False)
        shown = [
            f"{label(str(image.get('file')), limit=60)} ({image.get('width')} × {image.get('height')})"
            for image in images
        ]
        st.markdown(", ".join(shown[:50]) + (f" and {len(shown) - 50} more" if len(shown) > 50 else ""))


def _column_row(column: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, str]:
    rows = int(table.get("rows") or 0)
    missing = int(column.get("missing") or 0)
    share = f" ({missing / rows:.0%})" if rows and missing else ""
    role = str(column.get("role") or "other")
    return {
        "Column": f"**{label(str(column.get('name', '')), limit=60)}**",
        "Role": f"{ROLE_ICONS.get(role, '')} {label(role)}{' · key' if column.get('candidate_key') else ''}",
        "Type": label(str(column.get("dtype") or ""), limit=30),
        "Missing": f"{missing:,}{share}" if missing else "–",
        "Distinct": f"{int(column.get('distinct') or 0):,}",
        "Range or samples": _range(column),
        "Shape": shape_of(column) or "–",
    }


def _range(column: Mapping[str, Any]) -> str:
    if column.get("role") in ("number", "date") and column.get("min") is not None:
        ends = [_short(column.get(end)) for end in ("min", "max")]
        if all(end.endswith(MIDNIGHT) for end in ends):  # of dates that name no time of day
            ends = [end.removesuffix(MIDNIGHT) for end in ends]
        return f"{label(ends[0])} … {label(ends[1])}"
    values = [pair[0] for pair in column.get("top") or []] or list(column.get("samples") or [])
    return label(", ".join(_short(value) for value in values[:5]), limit=120)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)[:40]


def _draw_traps(traps: list[Mapping[str, Any]]) -> None:
    if not traps:
        return
    st.markdown("**Worth knowing before writing problems**")
    lines = []
    for trap in traps[:50]:
        where = f"**{label(str(trap['column']))}**: " if trap.get("column") else ""
        lines.append(f"- :orange[:material/warning:] {where}{label(str(trap.get('text') or ''), limit=300)}")
    st.markdown("\n".join(lines))


def _draw_foreign_keys(profile: Mapping[str, Any]) -> None:
    tables = profile.get("tables") or []
    keys = profile.get("foreign_keys") or []
    if not keys:
        return
    st.header("How the tables fit together", anchor=False)
    lines = []
    for key in keys[:50]:
        source, target = (tables[int(key[side])].get("file", "") for side in ("table", "to_table"))
        lines.append(
            f"- {label(str(source))}, **{label(str(key.get('column')))}** → {label(str(target))}, "
            f"**{label(str(key.get('to_column')))}** ({float(key.get('coverage') or 0):.0%} found)"
        )
    st.markdown("\n".join(lines))


FIELDS: Final = {
    "name": ("Name", "how commands call it"),
    "title": ("Title", "how lists call it"),
    "description": ("Description", "what one row stands for, units"),
    "licence": ("Licence", "for example CC-BY-4.0"),
    "source_url": ("Source address", "where the data comes from"),
    "published_on": ("Published on", "2024-05-01"),
    "popularity": ("Popularity", "for example 1,200 votes"),
}


def draw_care(seed: Seed) -> None:
    """Draw the fields to correct, and the button that removes the seed."""
    with st.container(horizontal=True):
        with st.popover("Correct", icon=":material/edit:", width="content"):
            for field, (title, example) in FIELDS.items():
                key = _key(seed.id, field)
                typed_line(title, key, getattr(seed, field), in_box=True, placeholder=example, width=440)
            st.button("Save", key=f"seed:{seed.id}:correct", type="primary", on_click=correct, args=(seed.id,))
        with st.popover("Remove", icon=":material/delete:"):
            st.markdown(f"Remove **{label(seed.name)}**? It is kept while a sketch, a problemset or a plan uses it.")
            st.button("Remove the seed", key=f"seed:{seed.id}:remove", on_click=remove, args=(seed.id,))


@writes(Role.MAINTAINER)
def correct(seed_id: int) -> None:
    """Store the corrected fields."""
    seed = find_seed(workspace(), seed_id)
    texts = {field: str(state.widget_value(_key(seed_id, field), "") or "").strip() for field in FIELDS}
    changed = {field: text for field, text in texts.items() if text != getattr(seed, field)}
    if not changed:
        state.flash("info", "nothing to save: no field was changed")
        return
    describe_seed(workspace(), seed_id, **changed)
    sent(*(_key(seed_id, field) for field in FIELDS), shown=None)
    state.flash("success", f"corrected: {', '.join(FIELDS[field][0].lower() for field in changed)}")


@writes(Role.MAINTAINER)
def remove(seed_id: int) -> None:
    """Remove a seed; refused with its users named."""
    gone = delete_seed(workspace(), seed_id)
    state.flash("success", f"removed the seed {gone.name}")
    go("seeds")


def _key(seed_id: int, field: str) -> str:
    return f"seed:{seed_id}:{field}"
