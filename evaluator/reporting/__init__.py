"""Tables and pages over the records of runs, and over benchmarks."""

from evaluator.reporting.difficulty import DifficultyBand, difficulty_band
from evaluator.reporting.finished_run import AskedSets, FinishedRun, read_asked_sets, read_run
from evaluator.reporting.html_report import html_report
from evaluator.reporting.intervals import CONFIDENCE, Interval, wilson_interval
from evaluator.reporting.run_details import RunDetails, Transition, run_details
from evaluator.reporting.run_text import run_text
from evaluator.reporting.statistics import BenchmarkStatistics, SetStatistics, Spread, benchmark_statistics
from evaluator.reporting.statistics_text import statistics_text
from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.tables import percent, text_table
from evaluator.reporting.validator_answers import ValidatorAnswer, validator_answers

__all__ = [
    "CONFIDENCE",
    "AskedSets",
    "BenchmarkStatistics",
    "DifficultyBand",
    "FinishedRun",
    "GroupSummary",
    "Interval",
    "RunDetails",
    "RunReport",
    "SetStatistics",
    "Spread",
    "Transition",
    "ValidatorAnswer",
    "benchmark_statistics",
    "difficulty_band",
    "html_report",
    "percent",
    "read_asked_sets",
    "read_run",
    "run_details",
    "run_text",
    "statistics_text",
    "summarise_run",
    "text_table",
    "validator_answers",
    "wilson_interval",
]
