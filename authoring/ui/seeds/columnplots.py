"""Plots of a seed's columns from its stored profile, as Vega-Lite specifications. Pure: no data of a seed is read.

What a column is called comes from strangers; here it is only ever a value of data, which the browser draws as text.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from authoring.ui.drawing import ansi
from authoring.ui.drawing.shapes import frequent_values, histogram_of

COLOUR: Final = "#2b8f88"  # told apart on white and on black
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
