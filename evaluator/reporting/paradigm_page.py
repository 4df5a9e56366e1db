"""One agent under the rules of three systems, as a table for a terminal and as one page."""

from collections.abc import Mapping
from typing import Any, Final

from evaluator.reporting.html_report import html_table, page_of, safe_html
from evaluator.reporting.text_tables import percent, text_table

MAX_DIFFERING: Final = 2_000
"""More problems than that are left out of the page, not out of the JSON."""

_RATES: Final = {
    "correct": "correct",
    "presentation": "right in another form",
    "side_effects": "right, with side effects",
    "executable": "executable",
}
_LOSSES: Final = {
    "history": "history: right beside the reference's code, wrong beside its own",
    "state": "state: right on the reference's state, wrong on its own",
    "presentation": "presentation: right values in another form",
    "side_effects": "side effects: right, and changed what it should have left alone",
}


def paradigms_text(comparison: Mapping[str, Any]) -> str:
    """Return a comparison, as its `to_json` gives it, as tables."""
    title = f"{comparison['benchmark']}, agent {comparison['agent']}"
    loss = [[what, _shown(comparison["loss"][name])] for name, what in _LOSSES.items()]
    return "\n\n".join([title, text_table(_headers(), _rows(comparison)), text_table(["what is lost", "share"], loss)])


def paradigms_page(comparison: Mapping[str, Any]) -> str:
    """Return a comparison as one self-contained HTML page."""
    title = f"{comparison['benchmark']}: {comparison['agent']} under three systems' rules"
    losses = [
        f'<div class="tile"><b>{_shown(comparison["loss"][name])}</b>{safe_html(what)}</div>'
        for name, what in _LOSSES.items()
    ]
    legend = [[row["name"], row["what"]] for row in comparison["paradigms"]]
    body = [
        f"<h1>{safe_html(title)}</h1>",
        "<h2>What is lost</h2>",
        f'<div class="tiles">{"".join(losses)}</div>',
        *_partly(comparison),
        "<h2>By paradigm</h2>",
        html_table(_headers(), _rows(comparison)),
        "<h2>Problems that differ</h2>",
        _differing(comparison) or "<p>Every problem has the same verdict under all of them.</p>",
        "<h2>What they are</h2>",
        html_table(["paradigm", "how it runs"], legend),
    ]
    return page_of(title, "\n".join(body))


def _partly(comparison: Mapping[str, Any]) -> list[str]:
    """Return why shares are missing; nothing where all problems were judged."""
    if all(row["judged"] == row["problems"] for row in comparison["paradigms"]):
        return []
    return ['<p class="warn">Not all problems were judged: no shares are shown, since they would be of a part.</p>']


def _differing(comparison: Mapping[str, Any]) -> str:
    names = [row["name"] for row in comparison["paradigms"]]
    found = comparison["differing"]
    rows = [[each["problem"], *(each["verdicts"][name] for name in names)] for each in found[:MAX_DIFFERING]]
    more = f"<p>The first {MAX_DIFFERING} of {len(found)}.</p>" if len(found) > MAX_DIFFERING else ""
    return html_table(["problem", *names], rows) + more if rows else ""


def _headers() -> list[str]:
    return ["paradigm", "problems", "judged", "not judged", "refused", *_RATES.values()]


def _rows(comparison: Mapping[str, Any]) -> list[list[str]]:
    return [
        [
            row["name"],
            *(str(row[name]) for name in ("problems", "judged", "not_judged", "refused")),
            *(_shown(row["rates"][name]) for name in _RATES),
        ]
        for row in comparison["paradigms"]
    ]


def _shown(rate: float | None) -> str:
    return percent(rate)
