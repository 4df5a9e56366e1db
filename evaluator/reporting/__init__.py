"""Tables over the records of runs, and over benchmarks."""

from evaluator.reporting.statistics import BenchmarkStatistics, SetStatistics, Spread, benchmark_statistics
from evaluator.reporting.statistics_text import statistics_text
from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.tables import percent, text_table

__all__ = [
    "BenchmarkStatistics",
    "GroupSummary",
    "RunReport",
    "SetStatistics",
    "Spread",
    "benchmark_statistics",
    "percent",
    "statistics_text",
    "summarise_run",
    "text_table",
]
