"""One self-contained HTML page about a run. All that agents and authors wrote is shown as text, never as markup."""

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib import resources
from typing import Final

from evaluator.reporting.charts import COLOURS, html_table, verdict_bars
from evaluator.reporting.difficulty import DifficultyBand, difficulty_band
from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.hostile_text import safe_html
from evaluator.reporting.html_cards import problem_cards, problem_filters
from evaluator.reporting.run_details import RunDetails, run_details
from evaluator.reporting.tables import percent
from evaluator.running import Record

MAX_BARS: Final = 80
_FACTS: Final = ("agent", "agent_version", "environment", "sandbox", "engine", "rules", "scoring_version", "rng_seed")


def html_report(run: FinishedRun) -> str:
    """Return the page as text; it loads nothing and runs only its own script."""
    details = run_details(run.records)
    badges = "".join(f'.badge[data-verdict="{name}"] {{ background: {fill}; }}\n' for name, fill in COLOURS.items())
    style, script = _asset("report.css") + badges, _asset("report.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:"
    head = run.records[0] if run.records else None
    name = run.manifest.get("benchmark") or (head.benchmark if head else "no records")
    version = run.manifest.get("version") or (head.version if head else "")
    title = f"{name} {version}: {run.manifest.get('agent', 'recorded results')}"
    body = "\n".join(
        [
            f"<h1>{safe_html(title)}</h1>",
            f'<p class="facts">{_facts(run)}</p>',
            _board(details),
            _charts(run, details),
            _attempts(details),
            problem_filters(run.records),
            *problem_cards(run),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe_html(title)}</title>\n<style>{style}</style></head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body></html>\n"
    )


def _asset(name: str) -> str:
    return resources.files("evaluator.reporting").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _facts(run: FinishedRun) -> str:
    facts = [f"{name.replace('_', ' ')} {run.manifest[name]}" for name in _FACTS if name in run.manifest]
    policies = run.manifest.get("policies")
    if isinstance(policies, dict):
        facts.append(f"state {policies.get('state')}, history {policies.get('history')}")
    return safe_html(", ".join(facts) or str(run.path))


def _board(details: RunDetails) -> str:
    rates, board = details.report.total.rates, details.board
    if board is None:
        what = "Nothing was judged yet." if not rates.judged else f"{rates.not_judged} attempts are NOT_JUDGED:"
        more = "" if not rates.judged else " no rates are shown until the same command has judged them too."
        return f'<p class="warn">{what}{more}</p>'
    shares = {
        "pass rate": board.pass_rate,
        "w/o intact": board.without_intact,
        "w/o presentation errors": board.without_presentation,
        "w/o both": board.without_both,
    }
    tiles = [f'<div class="tile"><b>{percent(share)}</b>{name}</div>' for name, share in shares.items()]
    return f'<div class="tiles"><div class="tile"><b>{board.judged}</b>problems judged</div>{"".join(tiles)}</div>'


def _charts(run: FinishedRun, details: RunDetails) -> str:
    groups = [(group.name, group.verdicts) for group in details.report.by_set[:MAX_BARS]]
    parts = ["<h2>Verdicts</h2>", html_table(["verdict", "subverdict", "problems"], _subverdict_rows(details))]
    if len(groups) > 1:
        parts += ["<h2>By problemset</h2>", verdict_bars(groups, title="Verdicts by problemset")]
        if len(details.report.by_set) > MAX_BARS:
            parts.append(f"<p>The first {MAX_BARS} of {len(details.report.by_set)} problemsets.</p>")
    by_difficulty = _by_difficulty(run)
    if len(by_difficulty) > 1:
        chart = verdict_bars(by_difficulty, title="Verdicts by difficulty of the reference code")
        parts += ["<h2>By difficulty of the reference code</h2>", chart]
    return "\n".join(parts)


def _subverdict_rows(details: RunDetails) -> list[list[str]]:
    return [[verdict, sub, str(number)] for (verdict, sub), number in details.subverdicts.items()]


def _by_difficulty(run: FinishedRun) -> list[tuple[str, Counter[str]]]:
    """Group problems into bands of difficulty with bounds that double."""
    bands: dict[DifficultyBand, Counter[str]] = defaultdict(Counter)
    for record in _last(run.records):
        difficulty = run.difficulty(record)
        if difficulty is not None:
            bands[difficulty_band(difficulty)][record.verdict] += 1
    return [(str(band), bands[band]) for band in sorted(bands)]


def _last(records: Sequence[Record]) -> list[Record]:
    return list({(record.problemset, record.index, record.epoch): record for record in records}.values())


def _attempts(details: RunDetails) -> str:
    parts = []
    if len(details.by_attempt) > 1:
        rows = [[str(n), str(r.judged), percent(details.shown(r).pass_rate)] for n, r in details.by_attempt.items()]
        parts += ["<h2>By attempt</h2>", html_table(["after attempts", "judged", "pass rate"], rows)]
        changes = [[str(each.attempt), each.before, each.after, str(each.problems)] for each in details.transitions]
        parts.append(html_table(["after attempt", "from", "to", "problems"], changes))
    if len(details.by_epoch) > 1:
        rows = [[str(n), str(r.judged), percent(details.shown(r).pass_rate)] for n, r in details.by_epoch.items()]
        parts += ["<h2>By epoch</h2>", html_table(["epoch", "judged", "pass rate"], rows)]
    return "\n".join(parts)
