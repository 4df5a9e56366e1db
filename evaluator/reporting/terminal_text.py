"""A run's report for a terminal."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evaluator.language import LEVELS
from evaluator.reporting.benchmark_statistics import BenchmarkStatistics, Levels, Spread
from evaluator.reporting.finished_run import FinishedRun
from evaluator.reporting.run_details import RunDetails
from evaluator.reporting.text_tables import percent, text_table
from evaluator.reporting.uncounted import uncounted
from evaluator.scoring import PassRates

if TYPE_CHECKING:
    from evaluator.running.checking.measuring import Measured


def run_text(run: FinishedRun, details: RunDetails) -> str:
    """Return what `benchwright report` prints: rates only when everything was judged."""
    if not run.attempts:
        return "no records"
    head = run.records[0]
    agent = run.manifest.get("agent", "recorded results")
    parts = [f"{head.benchmark} {head.version}, {agent}", *filter(None, [uncounted(run).to_text()])]
    parts.append(details.report.to_text())
    rows = [[verdict, sub, str(number)] for (verdict, sub), number in details.subverdicts.items()]
    parts.append(text_table(["verdict", "subverdict", details.report.counted], rows, numbers_from=2))
    if len(details.by_attempt) > 1:
        parts.append(text_table(["after attempts", "judged", "pass rate"], _rows(details, details.by_attempt)))
        changes = [[str(t.attempt), t.before, t.after, str(t.problems)] for t in details.transitions]
        parts.append(text_table(["after attempt", "from", "to", "problems"], changes, numbers_from=3))
    if len(details.by_epoch) > 1:
        parts.append(text_table(["epoch", "judged", "pass rate"], _rows(details, details.by_epoch)))
    parts += [text_table(headers, rows) for headers, rows in details.faults.tables()]
    if run.missing:
        parts.append(f"reference code is not at hand: {run.missing}")
    return "\n\n".join(parts)


def _rows(details: RunDetails, rates: Mapping[int, PassRates]) -> list[list[str]]:
    return [[str(number), str(each.judged), percent(details.shown(each).pass_rate)] for number, each in rates.items()]


_SHOWN = 15


def statistics_text(found: BenchmarkStatistics, measured: "Measured | None", *, by_set: bool = False) -> str:
    """Return what `benchwright stats` prints."""
    content = found.to_json()
    dependencies = content["dependencies"]
    rows = [
        ["problemsets", str(len(found.sets))],
        ["problems", str(found.problems)],
        ["setup cells", str(content["setup_cells"])],
        ["difficulty, mean", _number(found.difficulty.mean)],
        ["difficulty, median", _number(found.difficulty.median)],
        ["difficulty, range", _range(found.difficulty)],
        ["validators per problem", _number(content["validators_per_problem"])],
        ["problems that build on others", str(dependencies["problems_with_any"])],
        ["in-degree, mean", _number(dependencies["in_degree"]["mean"], digits=2)],
        ["longest chain, mean", _number(dependencies["longest_chain"]["mean"], digits=2)],
        ["longest chain", _number(dependencies["longest_chain"]["highest"], digits=0)],
    ]
    if measured is not None:
        rows += _measured_rows(measured)
    parts = [f"{found.name} {found.version}", text_table(["", "all"], rows), levels_text(found.levels)]
    parts.append(_counts("validator", found.validators))
    parts.append(_counts("library imported", content["libraries"], unit="problemsets"))
    if measured is not None:
        parts.append(_counts("function called", measured.calls, unit="places"))
    if content["knowledge_points"]:
        parts.append(_counts("knowledge point", content["knowledge_points"], unit="problems"))
    if by_set:
        parts.append(_by_set(found))
    return "\n\n".join(part for part in parts if part)


def levels_text(levels: Levels) -> str:
    """Return how measured levels agree with stated ones, as a table; only the measured ones where none is stated."""
    if not levels.problems:
        return ""
    rows = [[f"stated {stated}", *(str(levels.count(stated, level)) for level in LEVELS)] for stated in LEVELS]
    rows.append(["not stated", *(str(levels.count(None, level)) for level in LEVELS)])
    shown = [row for row in rows if any(number != "0" for number in row[1:])]
    table = text_table(["problems measured", *LEVELS], shown)
    if levels.agreement is None:
        return table
    lines = [f"the measure agrees with {percent(levels.agreement)} of {levels.labelled} stated levels"]
    lines += [f"{each.problem} is stated {each.stated} and measured {each.measured}" for each in levels.far_apart]
    return "\n".join([table, *lines])


def _measured_rows(measured: "Measured") -> list[list[str]]:
    content = measured.to_json()
    return [
        ["function calls", str(content["api_calls"])],
        ["functions called", str(content["apis"])],
        ["variables per problem", _number(content["variables_per_problem"], digits=2)],
        ["most variables", str(content["most_variables"])],
        ["median variable, bytes", _number(content["median_variable_bytes"], digits=0)],
        ["largest variable, bytes", str(content["largest_variable_bytes"])],
    ]


def _counts(what: str, counts: Mapping[str, int], *, unit: str = "uses") -> str:
    if not counts:
        return ""
    rows = [[name, str(number)] for name, number in list(counts.items())[:_SHOWN]]
    more = len(counts) - len(rows)
    return text_table([what, unit], rows) + (f"\nand {more} more" if more > 0 else "")


def _by_set(found: BenchmarkStatistics) -> str:
    rows = []
    for each in found.sets:
        content = each.to_json()
        mean = _number(content["difficulty"]["mean"])
        rows.append([each.name, str(each.problems), mean, str(content["dependencies"]), str(content["longest_chain"])])
    return text_table(["problemset", "problems", "difficulty", "dependencies", "longest chain"], rows)


def _number(value: float | None, *, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _range(spread: Spread) -> str:
    return "-" if spread.lowest is None else f"{spread.lowest:g} to {spread.highest:g}"
