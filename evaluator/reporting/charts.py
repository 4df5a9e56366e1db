"""Charts and tables of a report: inline SVG with one bar per group, split by verdict."""

from collections.abc import Iterable, Mapping, Sequence

from evaluator.reporting.hostile_text import safe_html

COLOURS: Mapping[str, str] = {
    "CORRECT": "#2e8b57",
    "INTACT_VIOLATION": "#9acd32",
    "PRESENTATION_ERROR": "#e6b800",
    "WRONG_OUTPUT": "#d9534f",
    "WRONG_VARIABLES": "#c76b98",
    "UNIT_TEST_FAILURE": "#b35900",
    "BAD_MODEL": "#8064a2",
    "TIMEOUT": "#5b8fb9",
    "CRASH": "#7a1f1f",
    "SYNTAX_ERROR": "#444444",
    "UNKNOWN": "#999999",
    "NOT_JUDGED": "#cccccc",
}
_ROW, _LABEL, _BAR, _SIDE = 22, 260, 460, 60


def verdict_bars(groups: Sequence[tuple[str, Mapping[str, int]]], *, title: str) -> str:
    """Return a chart with one bar per group, as wide as all others, split by the shares of its verdicts.

    Args:
        groups: Label and verdict -> records (count).
        title: What the chart shows, for those who cannot see it.
    """
    height = _ROW * len(groups) + 8
    parts = [
        f'<svg role="img" viewBox="0 0 {_LABEL + _BAR + _SIDE} {height}" width="{_LABEL + _BAR + _SIDE}"'
        f' height="{height}"><title>{safe_html(title)}</title>'
    ]
    for number, (label, counts) in enumerate(groups):
        parts += _bar(label, counts, 4 + number * _ROW)
    return "".join([*parts, "</svg>"])


def _bar(label: str, counts: Mapping[str, int], top: int) -> list[str]:
    total = sum(counts.values())
    shown = label if len(label) <= 38 else label[:37] + "…"
    parts = [f'<text x="{_LABEL - 8}" y="{top + 13}" text-anchor="end">{safe_html(shown)}</text>']
    left = float(_LABEL)
    for verdict in sorted(counts, key=lambda name: [*COLOURS, name].index(name)):
        count = counts[verdict]
        width = _BAR * count / total
        fill = COLOURS.get(verdict, COLOURS["UNKNOWN"])
        parts.append(
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_ROW - 5}" fill="{fill}">'
            f"<title>{safe_html(f'{label}: {verdict} {count}')}</title></rect>"
        )
        left += width
    parts.append(f'<text x="{_LABEL + _BAR + 6}" y="{top + 13}">{total}</text>')
    return parts


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts."""
    head = "".join(f"<th>{safe_html(name)}</th>" for name in headers)
    body = "".join("<tr>" + "".join(f"<td>{safe_html(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
