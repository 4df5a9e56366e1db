"""A run's report for a terminal."""

from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.run_details import RunDetails
from evaluator.reporting.tables import percent, text_table


def run_text(run: FinishedRun, details: RunDetails) -> str:
    """Return what `benchwright report` prints: rates only when everything was judged."""
    if not run.records:
        return "no records"
    head = run.records[0]
    agent = run.manifest.get("agent", "recorded results")
    parts = [f"{head.benchmark} {head.version}, {agent}"]
    if details.board is None:
        left = details.report.total.rates.not_judged
        parts.append(f"{left} not judged: no rates before the same command has judged them too")
        parts.append(
            text_table(["verdict", "problems"], [[n, str(c)] for n, c in details.report.total.verdicts.items()])
        )
    else:
        parts.append(details.report.to_text())
    rows = [[verdict, sub, str(number)] for (verdict, sub), number in details.subverdicts.items()]
    parts.append(text_table(["verdict", "subverdict", "problems"], rows, numbers_from=2))
    if len(details.by_attempt) > 1:
        by_attempt = [[str(n), str(r.judged), percent(r.pass_rate)] for n, r in details.by_attempt.items()]
        parts.append(text_table(["after attempts", "judged", "pass rate"], by_attempt))
        changes = [[str(t.attempt), t.before, t.after, str(t.problems)] for t in details.transitions]
        parts.append(text_table(["after attempt", "from", "to", "problems"], changes, numbers_from=3))
    if len(details.by_epoch) > 1:
        by_epoch = [[str(n), str(r.judged), percent(r.pass_rate)] for n, r in details.by_epoch.items()]
        parts.append(text_table(["epoch", "judged", "pass rate"], by_epoch))
    if run.missing:
        parts.append(f"reference code is not at hand: {run.missing}")
    return "\n\n".join(parts)
