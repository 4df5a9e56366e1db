"""Tables and pages over the records of runs, and over benchmarks."""

from evaluator.reporting.csv_tables import attempts_csv, comparison_csv, solved_by
from evaluator.reporting.difficulty import DifficultyBand, difficulty_band
from evaluator.reporting.finished_run import AskedSets, FinishedRun, read_asked_sets, read_manifest, read_run
from evaluator.reporting.html_report import html_report
from evaluator.reporting.intervals import CONFIDENCE, Interval, wilson_interval
from evaluator.reporting.paired import Difference, PairedCounts, mcnemar_exact, paired_difference
from evaluator.reporting.ranks import MovedRank, moved_ranks, ranks
from evaluator.reporting.run_comparison import (
    ComparedProblem,
    PairedResult,
    RunComparison,
    compare_runs,
    differing_facts,
    statistics_words,
    why_no_statistics,
)
from evaluator.reporting.run_details import RunDetails, Transition, run_details
from evaluator.reporting.run_text import run_text
from evaluator.reporting.spreadsheet import csv_table, csv_text, safe_cell
from evaluator.reporting.statistics import BenchmarkStatistics, SetStatistics, Spread, benchmark_statistics
from evaluator.reporting.statistics_text import statistics_text
from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.tables import percent, text_table
from evaluator.reporting.validator_answers import ValidatorAnswer, validator_answers

__all__ = [
    "CONFIDENCE",
    "AskedSets",
    "BenchmarkStatistics",
    "ComparedProblem",
    "Difference",
    "DifficultyBand",
    "FinishedRun",
    "GroupSummary",
    "Interval",
    "MovedRank",
    "PairedCounts",
    "PairedResult",
    "RunComparison",
    "RunDetails",
    "RunReport",
    "SetStatistics",
    "Spread",
    "Transition",
    "ValidatorAnswer",
    "attempts_csv",
    "benchmark_statistics",
    "compare_runs",
    "comparison_csv",
    "csv_table",
    "csv_text",
    "differing_facts",
    "difficulty_band",
    "html_report",
    "mcnemar_exact",
    "moved_ranks",
    "paired_difference",
    "percent",
    "ranks",
    "read_asked_sets",
    "read_manifest",
    "read_run",
    "run_details",
    "run_text",
    "safe_cell",
    "solved_by",
    "statistics_text",
    "statistics_words",
    "summarise_run",
    "text_table",
    "validator_answers",
    "why_no_statistics",
    "wilson_interval",
]
