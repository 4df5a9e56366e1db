"""The cards of a report: one per problem, with every attempt beside the reference code."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from evaluator.reporting.charts import html_table
from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.hostile_text import safe_html
from evaluator.reporting.validator_answers import validator_answers
from evaluator.running import AttemptDetails, Record

MAX_PROBLEMS: Final = 5_000
"""More problems than that are left out, those that are not CORRECT last."""
MAX_TEXT: Final = 20_000
"""Characters shown of one code or reason."""


def problem_filters(records: Sequence[Record]) -> str:
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
    chains = [list(chain) for _, chain in groupby(run.records, key=lambda r: (r.problemset, r.index, r.epoch))]
    kept = chains
    if len(chains) > MAX_PROBLEMS:
        failing_first = sorted(chains, key=lambda chain: chain[-1].verdict == "CORRECT")
        kept = failing_first[:MAX_PROBLEMS]
        left_out = len(chains) - MAX_PROBLEMS
        yield f'<p class="warn">{left_out} problems are left out, correct ones first; records.jsonl holds all.</p>'
    if run.missing:
        yield f'<p class="warn">Reference code is not at hand: {safe_html(run.missing)}</p>'
    for chain in kept:
        yield _problem(run, chain)


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
    sub = "" if record.subverdict in ("UNCATEGORIZED", "") else f" {record.subverdict}"
    return f'<span class="badge" data-verdict="{safe_html(record.verdict)}">{safe_html(record.verdict + sub)}</span>'


def _attempt(run: FinishedRun, record: Record, reference: str, *, alone: bool) -> str:
    heading = "" if alone else f"<h3>Attempt {record.attempt} {_badge(record)}</h3>"
    seconds = "" if record.seconds is None else f"{record.seconds:.2f} s"
    tokens = [f"{key} {value}" for key, value in (record.agent_stats or {}).items() if not isinstance(value, dict)]
    said = ", ".join(part for part in [seconds, *tokens, record.agent_exception or ""] if part)
    return (
        f'{heading}<div class="pair"><div><h4>Submission</h4>{_code(record.code or "")}</div>{reference}</div>'
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
    """Return a table of what each validator answered."""
    rows = [[each.name, each.answer, each.reason] for each in validator_answers(tree)]
    return html_table(["validator", "answer", "reason"], rows) if rows else ""
