"""The shape of a column as a few block characters: cheap, the same in both themes, and text. No Streamlit here."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

BLOCKS: Final = "▁▂▃▄▅▆▇█"
BINS: Final = 12
MAX_BARS: Final = 12


def shape_of(column: Mapping[str, Any]) -> str:
    """Return how a column's values spread: a histogram of numbers, bars of the most frequent values; empty: unknown.

    Args:
        column: As a profile holds it. It may be hostile: only numbers are read.
    """
    if column.get("role") == "number":
        return _bars([share for _, _, share in histogram_of(column)])
    return _bars([count for _, count in frequent_values(column)])


def histogram_of(column: Mapping[str, Any]) -> list[tuple[float, float, float]]:
    """Return `BINS` equal bins of a column of numbers, read off its quantiles: from, to, share of the values."""
    points = _distribution(column) if column.get("role") == "number" else []
    if not points:
        return []
    low, high = points[0][0], points[-1][0]
    edges = [low + (high - low) * step / BINS for step in range(BINS + 1)]
    shares = [0.0, *(_share_below(points, edge) for edge in edges[1:])]  # values that are the least count too
    return [
        (start, end, after - before)
        for (start, end), (before, after) in zip(itertools.pairwise(edges), itertools.pairwise(shares), strict=True)
    ]


def frequent_values(column: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the most frequent values of a column with how often they occur, as the profile counted them."""
    pairs = [pair for pair in column.get("top") or [] if isinstance(pair, (list, tuple)) and len(pair) == 2]
    return [(str(value), float(count)) for value, count in pairs[:MAX_BARS] if _is_number(count)]


def _distribution(column: Mapping[str, Any]) -> list[tuple[float, float]]:
    low, high = column.get("min"), column.get("max")
    quantiles = column.get("quantiles") or {}
    if not (_is_number(low) and _is_number(high)) or not isinstance(quantiles, Mapping) or high <= low:
        return []
    inner = [
        (float(value), float(share)) for share, value in quantiles.items() if _is_share(share) and _is_number(value)
    ]
    return [(float(low), 0.0), *sorted(point for point in inner if low <= point[0] <= high), (float(high), 1.0)]


def _share_below(points: Sequence[tuple[float, float]], edge: float) -> float:
    best = 0.0
    for (left, share), (right, next_share) in itertools.pairwise(points):
        if edge >= right:
            best = next_share
        elif edge > left:
            return share + (next_share - share) * (edge - left) / (right - left)
    return best


def _bars(heights: Sequence[float]) -> str:
    top = max(heights, default=0.0)
    if top <= 0 or len(heights) < 2:
        return ""
    return "".join(
        BLOCKS[min(len(BLOCKS) - 1, round(max(0.0, height) / top * (len(BLOCKS) - 1)))] for height in heights
    )


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _is_share(text: object) -> bool:
    return isinstance(text, str) and text.replace(".", "", 1).isdecimal() and text.isascii() and 0 <= float(text) <= 1
