"""An experiment's table as one HTML page that needs nothing else; all names in it are escaped. No Streamlit here."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from authoring.ui.drawing.ansi import plain_text
from authoring.ui.experiments.outcome_tables import rate_words, tokens_words
from authoring.ui.runs.boards.board_tables import percent

_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1200px;"
    "padding:0 1rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .6rem;"
    "border-bottom:1px solid #8886}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".bar{background:#8883;height:.6rem;min-width:8rem;position:relative}.bar i{position:absolute;height:100%;"
    "background:#2b8f88}"
)


def outcome_page(body: Mapping[str, Any]) -> str:
    """Return the page.

    Args:
        body: As `ExperimentReport.to_json` has it.
    """
    title = _text(body["name"])
    source = body.get("published_source")
    remarks = ["Correct: percent, with its 95 % interval. A run that is not at its end shows no rate."]
    remarks += [f"Published: {_text(source)}; data, not measured here."] if source else []
    said = "".join(f"<p>{remark}</p>" for remark in remarks)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{title}</h1>{_table(body["runs"])}{said}'
        f"{_curves(body.get('curves') or [])}</body></html>\n"
    )


def _table(runs: Sequence[Mapping[str, Any]]) -> str:
    titles = ["Benchmark", "Agent", "Policy", "State", "Judged", "Correct", "", "Side effects forgiven"]
    titles += ["Form forgiven", "Both forgiven", "Tokens a problem", "Published"]
    rows = []
    for run in runs:
        names = [_cell(run[part]) for part in ("benchmark", "agent", "policy", "state")]
        numbers = [f"{run.get('judged') or 0:,} of {run['problems']:,}", rate_words(run)]
        forgiving = [percent(run.get(f"without_{part}")) for part in ("intact", "presentation", "both")]
        behind = [*forgiving, tokens_words(run), percent(run.get("published"))]
        cells = [*names, *map(_number, numbers), f"<td>{_bar(run)}</td>", *map(_number, behind)]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return _grid(titles, rows)


def _bar(run: Mapping[str, Any]) -> str:
    interval = run.get("interval")
    if run.get("pass_rate") is None or not interval:
        return ""
    low, high = (max(0.0, min(1.0, float(each))) for each in interval)
    return f'<div class="bar"><i style="left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"></i></div>'


def _curves(curves: Sequence[Mapping[str, Any]]) -> str:
    if not curves:
        return ""
    most = max(len(curve.get("attempts") or []) for curve in curves)
    rows = []
    for curve in curves:
        rates = [percent(rate) for _, rate in curve.get("attempts") or []]
        cells = [_cell(curve[part]) for part in ("benchmark", "agent", "policy")]
        rows.append(f"<tr>{''.join([*cells, *map(_number, rates)])}</tr>")
    titles = ["Benchmark", "Agent", "Policy", *(f"after {number}" for number in range(1, most + 1))]
    return f"<h2>Correct after each attempt</h2>{_grid(titles, rows)}"


def _grid(titles: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f"<th>{title}</th>" for title in titles)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cell(value: object) -> str:
    return f"<td>{_text(value)}</td>"


def _number(text: str) -> str:
    return f'<td class="n">{escape(text)}</td>'


def _text(value: object) -> str:
    return escape(plain_text(str(value)))
