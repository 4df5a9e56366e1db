"""One self-contained HTML page about a run. All that agents and authors wrote is shown as text, never as markup."""

import base64
import hashlib
import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import groupby, zip_longest
from typing import Any, Final

from evaluator.families.predicted_run import family_analyses, family_board
from evaluator.families.published import published_boards
from evaluator.records import UNCATEGORIZED
from evaluator.reporting.benchmark_statistics import DifficultyBand, difficulty_band
from evaluator.reporting.family_tables import analyses_text, board_text, published_text
from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.run_details import RunDetails, run_details, validator_answers
from evaluator.reporting.text_tables import percent
from evaluator.reporting.uncounted import uncounted
from evaluator.reporting.verdict_marks import VERDICTS, mark_of, rank_of
from evaluator.running import AttemptDetails, Record
from evaluator.running.attempt_facts import AttemptFacts, KeptRecords, problem_of_attempt
from evaluator.scoring import MEANINGS, last_attempts, meaning_of

_BIDI_AND_INVISIBLE = {
    *range(0x200B, 0x2010),  # zero width, direction marks
    *range(0x202A, 0x202F),  # embeddings and overrides
    *range(0x2060, 0x2070),  # joiners, isolates, deprecated controls
    0xFEFF,
    0x061C,
    *range(0xE0000, 0xE0080),  # tags
}


def safe_html(text: object) -> str:
    """Return text for an element or a quoted attribute: markup escaped, hidden characters spelled out."""
    return html.escape("".join(map(_visible, str(text))), quote=True)


def _visible(char: str) -> str:
    code = ord(char)
    if char in "\n\t":
        return char
    if code < 0x20:
        return chr(0x2400 + code)
    if 0x7F <= code < 0xA0 or code in _BIDI_AND_INVISIBLE or 0xD800 <= code < 0xE000:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char


_ROW, _LABEL, _BAR, _SIDE = 22, 260, 460, 60
_SIGN_PX: Final = 14  # a narrower part of a bar has no room for its sign


def verdict_bars(groups: Sequence[tuple[str, Mapping[str, int]]], *, title: str) -> str:
    """Return a chart with one bar per group, as wide as all others, split by the shares of its verdicts.

    Args:
        groups: Label and verdict -> records (count).
        title: What the chart shows, for those who cannot see it.
    """
    height = _ROW * len(groups) + 8
    names = sorted({verdict for _, counts in groups for verdict in counts}, key=rank_of)
    parts = [
        f'<svg role="img" viewBox="0 0 {_LABEL + _BAR + _SIDE} {height}" width="{_LABEL + _BAR + _SIDE}"'
        f' height="{height}"><title>{safe_html(title)}</title>'
    ]
    for number, (label, counts) in enumerate(groups):
        parts += _bar(label, counts, 4 + number * _ROW)
    return "".join([*parts, f'</svg><p class="legend">{" ".join(map(_sign_and_name, names))}</p>'])


def _sign_and_name(verdict: str, subverdict: str = "") -> str:
    shown = safe_html(" ".join(part for part in (mark_of(verdict).sign, verdict, subverdict) if part))
    title = safe_html(meaning_of(verdict, subverdict))
    return f'<span class="badge" data-verdict="{safe_html(verdict)}" title="{title}">{shown}</span>'


def _bar(label: str, counts: Mapping[str, int], top: int) -> list[str]:
    total = sum(counts.values())
    shown = label if len(label) <= 38 else label[:37] + "…"
    parts = [f'<text x="{_LABEL - 8}" y="{top + 13}" text-anchor="end">{safe_html(shown)}</text>']
    left = float(_LABEL)
    for verdict in sorted(counts, key=rank_of):
        count, mark = counts[verdict], mark_of(verdict)
        width = _BAR * count / total
        parts.append(
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_ROW - 5}" fill="{mark.colour}"'
            f' class="part"><title>{safe_html(f"{label}: {verdict} {count}")}</title></rect>'
        )
        if width >= _SIGN_PX:
            middle = left + width / 2
            parts.append(f'<text class="sign" x="{middle:.1f}" y="{top + 13}">{safe_html(mark.sign)}</text>')
        left += width
    parts.append(f'<text x="{_LABEL + _BAR + 6}" y="{top + 13}">{total}</text>')
    return parts


_ONE_NUMBER: Final = r"[+\-−]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: ?(?:%|ms|s|min|h|[kKMG]?i?B|[kMG]))?"
_NUMBER: Final = re.compile(rf"{_ONE_NUMBER}(?: ?(?:to|/|-|–) ?{_ONE_NUMBER})?")


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; columns that hold anything but numbers are set to the left."""
    listed = [list(row) for row in rows]
    marks = ["" if all(map(_is_number, column)) else ' class="text"' for column in zip_longest(*listed, fillvalue="")]
    marks += [""] * (len(headers) - len(marks))  # no rows
    head = "".join(f"<th{mark}>{safe_html(name)}</th>" for name, mark in zip(headers, marks, strict=False))
    cells = [[f"<td{mark}>{safe_html(cell)}</td>" for cell, mark in zip(row, marks, strict=False)] for row in listed]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(cell: str) -> bool:
    """Tell whether a cell is a number or a span of two, maybe with a unit, or stands for one that is missing."""
    return cell.strip() in {"", "-", "–"} or _NUMBER.fullmatch(cell.strip()) is not None


MAX_PROBLEMS: Final = 5_000
"""More problems than that are left out, those that are not CORRECT last."""
MAX_TEXT: Final = 20_000
"""Characters shown of one code or reason."""


def problem_filters(records: Sequence[AttemptFacts]) -> str:
    """Return the controls that hide cards."""
    verdicts = dict.fromkeys(sorted({record.verdict for record in records}))
    sets = dict.fromkeys(record.problemset for record in records)
    return (
        '<h2>Problems</h2>\n<div class="filters">'
        f'<label>Verdict <select id="verdict"><option value="">all</option>{_options(verdicts)}</select></label>'
        f'<label>Problemset <select id="set"><option value="">all</option>{_options(sets)}</select></label>'
        '<label>Text <input id="text" type="search"></label>'
        '<button id="open" type="button">Open or close all</button><span id="shown" aria-live="polite"></span></div>'
    )


def _options(values: Iterable[str]) -> str:
    return "".join(f'<option value="{safe_html(value)}">{safe_html(value)}</option>' for value in values)


def problem_cards(run: FinishedRun) -> Iterable[str]:
    """Yield one card per problem and epoch: query, attempts beside the reference code, validators' answers."""
    chains = [tuple(chain) for _, chain in groupby(run.attempts, key=problem_of_attempt)]
    kept = chains
    if len(chains) > MAX_PROBLEMS:
        failing_first = sorted(chains, key=lambda chain: chain[-1].verdict == "CORRECT")
        kept = failing_first[:MAX_PROBLEMS]
        left_out = len(chains) - MAX_PROBLEMS
        yield f'<p class="warn">{left_out} problems are left out, correct ones first; records.jsonl holds all.</p>'
    if run.missing:
        yield f'<p class="warn">Reference code is not at hand: {safe_html(run.missing)}</p>'
    for chain in kept:
        yield _problem(run, list(KeptRecords(run.path, chain)))


def _problem(run: FinishedRun, chain: Sequence[Record]) -> str:
    last = chain[-1]
    problem = run.problems.get((last.problemset, last.index))
    epoch = f" epoch {last.epoch}" if last.epoch > 1 else ""
    heading = f"{last.problemset} {last.index}{epoch}"
    query = problem.query if problem is not None else last.question
    reference = "" if problem is None else f"<div><h4>Reference code</h4>{_code(problem.code)}</div>"
    return (
        f'<details class="problem" data-verdict="{safe_html(last.verdict)}" data-set="{safe_html(last.problemset)}">'
        f"<summary>{_badge(last)} {safe_html(heading)} "
        f'<span class="reason">{safe_html(last.extended_verdict[:200])}</span></summary>\n'
        f'<p class="query">{safe_html(query[:MAX_TEXT])}</p>\n'
        + "".join(_attempt(run, record, reference, alone=len(chain) == 1) for record in chain)
        + "</details>"
    )


def _badge(record: Record) -> str:
    return _sign_and_name(record.verdict, "" if record.subverdict == UNCATEGORIZED else record.subverdict)


def _attempt(run: FinishedRun, record: Record, reference: str, *, alone: bool) -> str:
    heading = "" if alone else f"<h3>Attempt {record.attempt} {_badge(record)}</h3>"
    seconds = "" if record.seconds is None else f"{record.seconds:.2f} s"
    tokens = [f"{key} {value}" for key, value in (record.agent_stats or {}).items() if not isinstance(value, dict)]
    answer = f"<h4>Answer in prose</h4>{_code(record.answer)}" if record.answer else ""
    labels = f"labels {' '.join(record.labels)}" if record.labels else ""
    said = ", ".join(part for part in [seconds, *tokens, labels, record.agent_exception or ""] if part)
    return (
        f'{heading}<div class="pair"><div><h4>Submission</h4>{_code(record.code or "")}{answer}</div>{reference}</div>'
        f'<p class="facts">{safe_html(said[:MAX_TEXT])}</p>{_validation(record.validation)}{_kept(run, record)}'
    )


def _kept(run: FinishedRun, record: Record) -> str:
    """Return what the submission showed and the transcript, as text, where the run kept them."""
    details = run.details.find(record.key) if run.details is not None else None
    if details is None:
        return ""
    shown = shown_text(details)
    parts = [f"<h4>What the submission showed</h4>{_code(shown)}"] if shown else []
    if details.transcript:
        messages = [[str(each.get("role", "")), str(each.get("content", ""))[:MAX_TEXT]] for each in details.transcript]
        parts.append(f"<h4>Transcript</h4>{html_table(['role', 'message'], messages)}")
    return "".join(parts)


def shown_text(details: AttemptDetails) -> str:
    """Return what a submission printed, displayed and raised as plain text."""
    parts = []
    for output in details.outputs:
        data = output.get("data")
        if output.get("output_type") == "stream":
            parts.append(str(output.get("text") or ""))
        elif isinstance(data, dict):
            kinds = ", ".join(map(str, data))
            parts.append(str(data.get("text/plain") or f"({kinds})"))
    if details.error is not None:
        parts.append(details.error.get("traceback") or details.error.get("message", ""))
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _code(text: str) -> str:
    cut = "" if len(text) <= MAX_TEXT else f"\n... {len(text) - MAX_TEXT} more characters"
    return f"<pre>{safe_html(text[:MAX_TEXT] + cut)}</pre>"


def _validation(tree: Any) -> str:
    """Return a table of what each validator says, and why."""
    rows = [[each.title, each.about, each.result, each.reason] for each in validator_answers(tree)]
    return html_table(["validator", "what it checks", "result", "reason"], rows) if rows else ""


MAX_BARS: Final = 80
_FORGIVEN: Final = (
    "Changed variables forgiven: INTACT_VIOLATION counts as solved, too. Presentation errors forgiven: so does "
    f"PRESENTATION_ERROR: {MEANINGS['PRESENTATION_ERROR']}."
)
_RULES: Final = (
    "Rules of judging: sound are those of this program, published those of the DSEval paper, fault for fault."
)
_FACTS: Final = ("agent", "agent_version", "environment", "sandbox", "engine", "rules", "scoring_version", "rng_seed")


def html_report(run: FinishedRun) -> str:
    """Return the page as text; it loads nothing and runs only its own script."""
    return "".join(html_report_parts(run))


def html_report_parts(run: FinishedRun) -> Iterator[str]:
    """Yield the page in parts, so that no more than a problem of it is in memory at a time."""
    details = run_details(run.attempts)
    head = run.records[0] if run.attempts else None
    name = run.manifest.get("benchmark") or (head.benchmark if head else "no records")
    version = run.manifest.get("version") or (head.version if head else "")
    title = f"{name} {version}: {run.manifest.get('agent', 'recorded results')}"
    head_part, tail_part = page_of(title, _BODY, script=_asset("report.js")).split(_BODY)
    yield head_part + "\n".join(
        [
            f"<h1>{safe_html(title)}</h1>",
            f'<p class="facts">{_facts(run)}</p>',
            f'<p class="facts">{_RULES}</p>' if "rules" in run.manifest else "",
            _uncounted(run),
            _board(details),
            _family(run),
            _charts(run, details),
            _attempts(details),
            _faults(details),
            problem_filters(run.attempts),
        ]
    )
    for card in problem_cards(run):
        yield f"\n{card}"
    yield tail_part


_BODY: Final = "\0body\0"  # stands in no page: what is not to be seen is spelled out


def page_of(title: str, body: str, *, script: str = "") -> str:
    """Return a page that loads nothing and runs only our own script.

    Args:
        title: Plain text.
        body: Markup, in which all that others wrote is escaped.
        script: For that body.
    """
    badges = "".join(f'.badge[data-verdict="{name}"] {{ background: {mark_of(name).colour}; }}\n' for name in VERDICTS)
    style = _asset("report.css") + badges
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:"
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


def _uncounted(run: FinishedRun) -> str:
    told = uncounted(run).to_text()
    return f'<p class="warn">{safe_html(told)}</p>' if told else ""


def _board(details: RunDetails) -> str:
    rates, board = details.report.total.rates, details.board
    if board is None:
        what = "Nothing was judged yet." if not rates.judged else f"{rates.not_judged} attempts are NOT_JUDGED:"
        more = "" if not rates.judged else " no rates are shown until the same command has judged them too."
        return f'<p class="warn">{what}{more}</p>'
    shares = {
        "pass rate": board.pass_rate,
        "pass rate, changed variables forgiven": board.without_intact,
        "pass rate, presentation errors forgiven": board.without_presentation,
        "pass rate, both forgiven": board.without_both,
    }
    tiles = [f'<div class="tile"><b>{percent(share)}</b>{name}</div>' for name, share in shares.items()]
    judged = f'<div class="tile"><b>{board.judged}</b>problems judged</div>'
    return f'<div class="tiles">{judged}{"".join(tiles)}</div><p class="facts">{safe_html(_FORGIVEN)}</p>'


def _family(run: FinishedRun) -> str:
    """Return the score board of the family that a run is of, and what else is read out of it; empty for others."""
    counted = list(run.family_records)
    board = family_board(counted, run.manifest)
    if board is None:
        return ""
    published = published_boards()[board["family"]].to_json()
    parts = [board_text(board), analyses_text(family_analyses(counted)), published_text(published, board)]
    tables = "".join(f"<pre>{safe_html(part)}</pre>" for part in parts if part)
    return f"<h2>Score board</h2>{tables}"


def _charts(run: FinishedRun, details: RunDetails) -> str:
    groups = [(group.name, group.verdicts) for group in details.report.by_set[:MAX_BARS]]
    parts = ["<h2>Verdicts</h2>", html_table(_VERDICT_HEADS, _subverdict_rows(details))]
    if len(groups) > 1:
        parts += ["<h2>By problemset</h2>", verdict_bars(groups, title="Verdicts by problemset")]
        if len(details.report.by_set) > MAX_BARS:
            parts.append(f"<p>The first {MAX_BARS} of {len(details.report.by_set)} problemsets.</p>")
    by_difficulty = _by_difficulty(run)
    if len(by_difficulty) > 1:
        chart = verdict_bars(by_difficulty, title="Verdicts by difficulty")
        parts += ["<h2>By difficulty of the reference code</h2>", chart]
    return "\n".join(parts)


_VERDICT_HEADS: Final = ("verdict", "subverdict", "problems", "meaning")


def _subverdict_rows(details: RunDetails) -> list[list[str]]:
    """Return verdicts with what they mean; a subverdict that stands for none is explained where it stands first."""
    rows, told = [], set[str]()
    for (verdict, sub), number in details.subverdicts.items():
        is_first = sub == UNCATEGORIZED and sub not in told
        told.add(sub)
        means = meaning_of(verdict, sub) + (f" ({sub}: {MEANINGS[sub]})" if is_first else "")
        rows.append([verdict, sub, str(number), means])
    return rows


def _by_difficulty(run: FinishedRun) -> list[tuple[str, Counter[str]]]:
    """Group problems into bands of difficulty with bounds that double."""
    bands: dict[DifficultyBand, Counter[str]] = defaultdict(Counter)
    for record in last_attempts(run.attempts):
        difficulty = run.difficulty(record)
        if difficulty is not None:
            bands[difficulty_band(difficulty)][record.verdict] += 1
    return [(str(band), bands[band]) for band in sorted(bands)]


def _faults(details: RunDetails) -> str:
    tables = [html_table(headers, rows) for headers, rows in details.faults.tables()]
    return "\n".join(["<h2>The agent itself</h2>", *tables]) if tables else ""


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
