"""An experiment as one page that needs nothing else: its tables, and its curves as figures."""

from collections.abc import Callable, Sequence
from typing import Final

from evaluator.experiments.curves import Curve, Point, by_benchmark
from evaluator.experiments.losses import LOSS_HEADERS, loss_rows
from evaluator.experiments.provenance import AGENT_HEADERS, agent_rows, facts_told, legend_of
from evaluator.experiments.results import ExperimentReport
from evaluator.families.leaderboard import Leaderboard
from evaluator.reporting.html_report import html_table, page_of, safe_html
from evaluator.reporting.text_tables import percent

MOST_CURVES: Final = 12
"""In one figure; the table below it holds all."""
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _LEGEND = 420, 240, 48, 12, 40, 18
_COLOURS: Final = ("#1174b4", "#cf2a29", "#14823e", "#7d5bc6", "#a95b06", "#027c81")  # 3:1 on white and on black
_DASHES: Final = ("", "6 4")
_MOST_MARKS: Final = 10


def experiment_page(report: ExperimentReport) -> str:
    """Return the report of an experiment as one self-contained HTML page."""
    headers, rows = report.table()
    body = [f"<h1>{safe_html(report.name)}</h1>"]
    body += [f'<p class="facts">{safe_html(each)}</p>' for each in (report.about, facts_told(report.runs)) if each]
    body += [html_table(headers, rows), f'<p class="facts">{safe_html(legend_of(headers))}</p>']
    body += [f'<p class="warn">{safe_html(remark)}</p>' for remark in report.remarks()]
    if report.losses:
        body += ["<h2>Losses between policies</h2>", html_table(LOSS_HEADERS, loss_rows(report.losses))]
    if report.curves:
        body.append("<h2>Pass rate over attempts and tokens</h2>")
        body += [_figures(name, curves) for name, curves in by_benchmark(report.curves).items()]
        body.append(html_table(*report.attempts_table()))
    if report.board is not None:
        body += ["<h2>Board</h2>", _board(report.board)]
    body += ["<h2>Agents</h2>", html_table(AGENT_HEADERS, agent_rows(report.runs))]
    return page_of(report.name, "\n".join(body))


def _board(board: Leaderboard) -> str:
    rows = [
        [row.model, "published" if row.is_published else "here", *(percent(row.scores.get(c)) for c in board.columns)]
        for row in board.rows
    ]
    return html_table(["model", "source", *board.columns], rows)


def _figures(benchmark: str, curves: Sequence[Curve]) -> str:
    shown = curves[:MOST_CURVES]
    figures = [_figure(f"{benchmark}: pass rate over attempts", "attempts", shown, lambda curve: curve.attempts)]
    told = [curve for curve in shown if curve.tokens]
    if told:
        title = f"{benchmark}: pass rate over tokens a problem"
        figures.append(_figure(title, "tokens a problem", told, lambda curve: curve.tokens, is_stepped=True))
    more = f"<p>{len(curves) - MOST_CURVES} further curves stand in the table.</p>" if len(curves) > MOST_CURVES else ""
    return f"<h3>{safe_html(benchmark)}</h3>{''.join(figures)}{more}"


def _figure(
    title: str,
    unit: str,
    curves: Sequence[Curve],
    points_of: Callable[[Curve], Sequence[Point]],
    *,
    is_stepped: bool = False,
) -> str:
    """Return a chart of rates from 0 to 100 %; a legend below it names the curves.

    Args:
        title: For those who cannot see it.
        unit: What stands along the horizontal axis.
        curves: At least one.
        points_of: Gives the points of a curve, at least one.
        is_stepped: A rate holds until the next point, as with tokens that pay for no further attempt.
    """
    most = max(point.at for curve in curves for point in points_of(curve)) or 1.0
    height = _HEIGHT + _BOTTOM + _LEGEND * len(curves)
    parts = [
        f'<svg role="img" viewBox="0 0 {_WIDTH + _LEFT + 40} {height}" width="{_WIDTH + _LEFT + 40}"'
        f' height="{height}"><title>{safe_html(title)}</title>',
        *_axes(unit, most),
    ]
    for number, curve in enumerate(curves):
        colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]
        line = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        path = _path(points_of(curve), most, is_stepped=is_stepped)
        parts.append(f'<path d="{path}" {line}><title>{safe_html(curve.title)}</title></path>')
        top = _HEIGHT + _BOTTOM + _LEGEND * number
        parts.append(f'<path d="M{_LEFT} {top} h24" {line}/>')
        parts.append(f'<text x="{_LEFT + 32}" y="{top + 4}">{safe_html(curve.title[:60])}</text>')
    return "".join([*parts, "</svg>"])


def _axes(unit: str, most: float) -> list[str]:
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = _y(share)
        parts.append(f'<path d="M{_LEFT} {y:.1f} h{_WIDTH}" stroke="#8884"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    is_counted = most <= _MOST_MARKS  # attempts: each has a mark
    for at in range(int(most) + 1) if is_counted else (0.0, most / 2, most):
        parts.append(f'<text x="{_x(at, most):.1f}" y="{_HEIGHT + 6}" text-anchor="middle">{at:,.0f}</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH / 2}" y="{_HEIGHT + 22}" text-anchor="middle">{safe_html(unit)}</text>')
    return parts


def _path(points: Sequence[Point], most: float, *, is_stepped: bool) -> str:
    first = points[0]
    parts = [f"M{_x(first.at, most):.1f} {_y(first.rate):.1f}"]
    for point in points[1:]:
        if is_stepped:
            parts.append(f"H{_x(point.at, most):.1f}")
        parts.append(f"L{_x(point.at, most):.1f} {_y(point.rate):.1f}")
    if is_stepped:
        parts.append(f"H{_LEFT + _WIDTH}")
    return " ".join(parts)


def _x(at: float, most: float) -> float:
    return _LEFT + _WIDTH * at / most


def _y(rate: float) -> float:
    return _TOP + (_HEIGHT - _TOP - 12) * (1 - rate)
