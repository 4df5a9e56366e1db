"""Plots of a seed's columns from its stored profile, as Vega-Lite specifications: a seed's data are not read.

What a column is called comes from strangers; here it is only ever a value of data, which the browser draws as text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.store.drafting.seeds import Seed
from authoring.store.drafting.sketches import Sketch
from authoring.store.problem_index import points_of_seed
from authoring.store.workspace import Workspace
from authoring.ui.drawing import ansi
from authoring.ui.drawing.markup import cell_text, safe_markdown
from authoring.ui.drawing.shapes import frequent_values, histogram_of
from authoring.ui.widgets import draw_empty, draw_pager
from authoring.ui.wording import label, plural

COLOUR: Final = "#027c81"  # told apart on white and on black
MAX_NAME: Final = 40
HEIGHT: Final = 150
BAR_HEIGHT: Final = 22


class ColumnPlot(NamedTuple):
    """A plot and what it shows in words."""

    spec: dict[str, Any]
    words: str


def plot_of(column: Mapping[str, Any], rows: int) -> ColumnPlot | None:
    """Return a histogram of numbers, or bars of the most frequent values; None where the profile knows neither.

    Args:
        column: As a profile holds it; it may be hostile.
        rows: Of its table (count).
    """
    bins = histogram_of(column)
    if bins:
        return _histogram(bins, column)
    values = frequent_values(column)
    return _bars(values, rows) if values else None


def _histogram(bins: list[tuple[float, float, float]], column: Mapping[str, Any]) -> ColumnPlot:
    values = [{"from": low, "to": high, "share": round(share, 4)} for low, high, share in bins]
    axis = {"title": None, "format": "~s", "tickCount": 5}
    spec: dict[str, Any] = {
        "data": {"values": values},
        "height": HEIGHT,
        "mark": {"type": "bar", "color": COLOUR, "stroke": None},
        "encoding": {
            "x": {"field": "from", "type": "quantitative", "axis": axis, "bin": {"binned": True}},
            "x2": {"field": "to"},
            "y": {"field": "share", "type": "quantitative", "axis": {"title": None, "format": ".0%", "tickCount": 4}},
            "tooltip": [
                {"field": "from", "format": ".4~g"},
                {"field": "to", "format": ".4~g"},
                {"field": "share", "format": ".1%"},
            ],
        },
    }
    low, high, share = max(bins, key=lambda each: each[2])
    middle = (column.get("quantiles") or {}).get("0.5")
    half = f", half of them up to {middle:.4g}" if isinstance(middle, int | float) else ""
    words = f"from {bins[0][0]:.4g} to {bins[-1][1]:.4g}{half}; most ({share:.0%}) from {low:.4g} to {high:.4g}"
    return ColumnPlot(spec, words)


def _bars(counts: list[tuple[str, float]], rows: int) -> ColumnPlot:
    named = [(_shown(name, place), count) for place, (name, count) in enumerate(counts)]
    values = [{"value": name, "rows": count} for name, count in named]
    spec: dict[str, Any] = {
        "data": {"values": values},
        "height": {"step": BAR_HEIGHT},
        "mark": {"type": "bar", "color": COLOUR},
        "encoding": {
            "y": {
                "field": "value",
                "type": "nominal",
                "sort": [name for name, _ in named],
                "title": None,
                "axis": {"labelLimit": 120, "labelOverlap": False},
            },
            "x": {"field": "rows", "type": "quantitative", "axis": {"title": None, "format": "~s", "tickCount": 4}},
            "tooltip": [{"field": "value"}, {"field": "rows", "format": ",.0f"}],
        },
    }
    share = f" ({counts[0][1] / rows:.0%} of rows)" if rows else ""
    words = f"most frequent: {', '.join(name for name, _ in named[:3])}; the first in {counts[0][1]:,.0f}{share}"
    return ColumnPlot(spec, words)


def _shown(name: str, place: int) -> str:
    text = " ".join(ansi.plain_text(name).split())
    short = f"{text[: MAX_NAME - 1]}…" if len(text) > MAX_NAME else text
    return short or f"(empty {place + 1})"


PLOTS_ON_PAGE: Final = 12
IN_A_ROW: Final = 3
MAX_CELLS: Final = 40
MAX_CELL_CHARS: Final = 4_000


def draw_plots(seed: Seed) -> None:
    """Draw one small plot for each column of which the profile knows how its values spread."""
    tables = (seed.profile or {}).get("tables") or []
    if not tables:
        draw_empty("There is nothing to plot", "Plots are drawn from the profile of tables; this seed has none.")
        return
    names = {place: label(str(table.get("file") or "table")) for place, table in enumerate(tables)}
    place = 0
    if len(tables) > 1:
        key = f"plots:{seed.id}:table"
        place = st.selectbox("Table", list(names), format_func=names.__getitem__, key=key, width=320)
    table = tables[place]
    words = st.text_input(
        "Columns", key=f"plots:{seed.id}:{place}:words", placeholder="part of a name", width=320, live=True
    )
    columns = [
        column
        for column in table.get("columns") or []
        if (words or "").casefold() in str(column.get("name")).casefold()
    ]
    slot = st.container()
    offset = 0
    if len(columns) > PLOTS_ON_PAGE:
        pages = -(-len(columns) // PLOTS_ON_PAGE)
        offset = (int(st.pagination(pages, key=f"plots:{seed.id}:{place}:page")) - 1) * PLOTS_ON_PAGE
    with slot:
        _draw_grid(columns[offset : offset + PLOTS_ON_PAGE], int(table.get("rows") or 0))
    if not columns:
        draw_empty("No column is called so", "Clear the field to see all of them.")


def _draw_grid(columns: Sequence[Mapping[str, Any]], rows: int) -> None:
    for start in range(0, len(columns), IN_A_ROW):
        for cell, column in zip(st.columns(IN_A_ROW), columns[start : start + IN_A_ROW], strict=False):
            with cell:
                _draw_plot(column, rows)


def _draw_plot(column: Mapping[str, Any], rows: int) -> None:
    name = str(column.get("name", ""))
    st.markdown(f"**{label(name, limit=60)}**")
    plot = plot_of(column, rows)
    if plot is None:
        st.caption(f"{label(str(column.get('role') or 'other'))}: its profile holds no frequencies.")
        return
    st.vega_lite_chart(spec=plot.spec, width="stretch", alt=f"{name}: {plot.words}")
    missing = int(column.get("missing") or 0)
    st.caption(label(plot.words, limit=160) + (f" · {plural(missing, 'value')} missing" if missing else ""))


def draw_notebook(ws: Workspace, seed: Seed) -> None:
    """Draw the notebook of a seed as it is shown to authors: its code and text, nothing executed."""
    from authoring.seeds import read_notebook

    if seed.notebook is None:
        draw_empty("The seed has no notebook", "Add one together with the data: its cells give authors ideas.")
        return
    cells = read_notebook(ws, seed)
    code = [cell for cell in cells if cell.type == "code"]
    st.caption(f"{plural(len(code), 'code cell')}, {plural(len(cells) - len(code), 'text cell')}; not executed here")
    titles = [line.lstrip("#").strip() for cell in cells if cell.type != "code" for line in _headings(cell.source)]
    if titles:
        st.markdown("**Its headings:** " + " · ".join(label(title, limit=80) for title in titles[:MAX_CELLS]))
    for cell in cells[:MAX_CELLS]:
        if cell.type == "code":
            st.code(cell_text(cell.source[:MAX_CELL_CHARS]), language="python", wrap_lines=True)
        else:
            st.markdown(safe_markdown(cell.source[:MAX_CELL_CHARS]))
    if len(cells) > MAX_CELLS:
        st.caption(f"{plural(len(cells) - MAX_CELLS, 'more cell')} not shown.")


def _headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def draw_covered(ws: Workspace, seed: Seed, sketches: Sequence[Sketch]) -> None:
    """Draw which knowledge points sketches and problemsets on a seed ask for."""
    sketched = Counter(point for sketch in sketches for item in sketch.items for point in item.knowledge_points)
    asked = points_of_seed(ws, seed.id)
    points = sorted({*sketched, *asked}, key=lambda point: (-asked.get(point, 0), -sketched[point], point))
    if not points:
        draw_empty("Nothing is covered yet", "Sketch problems: each item names the knowledge points that it asks for.")
        return
    offset = draw_pager(len(points), key=f"covered:{seed.id}")
    st.caption(f"{plural(len(points), 'knowledge point')}, by how many sketched items and problems ask for them")
    st.table(
        [
            {
                "Knowledge point": label(point, limit=80),
                "Sketched items": str(sketched[point]),
                "Problems": str(asked.get(point, 0)),
            }
            for point in points[offset : offset + 50]
        ],
        border="horizontal",
        alt="knowledge points that are covered",
    )
