"""A run's report for a terminal."""

from collections.abc import Mapping

from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.run_details import RunDetails
from evaluator.reporting.tables import percent, text_table
from evaluator.scoring import PassRates


def run_text(run: FinishedRun, details: RunDetails) -> str:
    """Return what `benchwright report` prints: rates only when everything was judged."""
    if not run.records:
        return "no records"
    head = run.records[0]
    agent = run.manifest.get("agent", "recorded results")
    parts = [f"{head.benchmark} {head.version}, {agent}"]
    parts.append(details.report.to_text())
    rows = [[verdict, sub, str(number)] for (verdict, sub), number in details.subverdicts.items()]
    parts.append(text_table(["verdict", "subverdict", "problems"], rows, numbers_from=2))
    if len(details.by_attempt) > 1:
        parts.append(text_table(["after attempts", "judged", "pass rate"], _rows(details, details.by_attempt)))
        changes = [[str(t.attempt), t.before, t.after, str(t.problems)] for t in details.transitions]
        parts.append(text_table(["after attempt", "from", "to", "problems"], changes, numbers_from=3))
    if len(details.by_epoch) > 1:
        parts.append(text_table(["epoch", "judged", "pass rate"], _rows(details, details.by_epoch)))
    if run.missing:
        parts.append(f"reference code is not at hand: {run.missing}")
    return "\n\n".join(parts)


def _rows(details: RunDetails, rates: Mapping[int, PassRates]) -> list[list[str]]:
    return [[str(number), str(each.judged), percent(details.shown(each).pass_rate)] for number, each in rates.items()]
