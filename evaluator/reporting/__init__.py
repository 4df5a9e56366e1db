"""Tables and pages over the records of runs, and over benchmarks."""

from evaluator.reporting.finished_run import FinishedRun, read_run
from evaluator.reporting.html_report import html_report
from evaluator.reporting.run_details import RunDetails, Transition, run_details
from evaluator.reporting.run_text import run_text
from evaluator.reporting.statistics import BenchmarkStatistics, SetStatistics, Spread, benchmark_statistics
from evaluator.reporting.statistics_text import statistics_text
from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.tables import percent, text_table

__all__ = [
    "BenchmarkStatistics",
    "FinishedRun",
    "GroupSummary",
    "RunDetails",
    "RunReport",
    "SetStatistics",
    "Spread",
    "Transition",
    "benchmark_statistics",
    "html_report",
    "percent",
    "read_run",
    "run_details",
    "run_text",
    "statistics_text",
    "summarise_run",
    "text_table",
]
