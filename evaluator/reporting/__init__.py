"""Tables and pages over the records of runs, and over benchmarks."""

from evaluator.reporting.benchmark_statistics import (
    BenchmarkStatistics,
    DifficultyBand,
    SetStatistics,
    Spread,
    benchmark_statistics,
    difficulty_band,
)
from evaluator.reporting.finished_run import AskedSets, FinishedRun, read_asked_sets, read_manifest, read_run
from evaluator.reporting.html_report import html_report
from evaluator.reporting.paired import (
    CONFIDENCE,
    Interval,
    MovedRank,
    PairedCounts,
    RateDifference,
    mcnemar_exact,
    moved_ranks,
    paired_difference,
    ranks,
    wilson_interval,
)
from evaluator.reporting.run_comparison import (
    ComparedProblem,
    PairedResult,
    RunComparison,
    compare_runs,
    differing_facts,
    statistics_words,
    why_no_statistics,
)
from evaluator.reporting.run_details import RunDetails, Transition, ValidatorAnswer, run_details, validator_answers
from evaluator.reporting.spreadsheet import attempts_csv, comparison_csv, csv_table, csv_text, safe_cell, solved_by
from evaluator.reporting.summary import GroupSummary, RunReport, summarise_run
from evaluator.reporting.terminal_text import run_text, statistics_text
from evaluator.reporting.text_tables import percent, text_table

__all__ = [
    "CONFIDENCE",
    "AskedSets",
    "BenchmarkStatistics",
    "ComparedProblem",
    "DifficultyBand",
    "FinishedRun",
    "GroupSummary",
    "Interval",
    "MovedRank",
    "PairedCounts",
    "PairedResult",
    "RateDifference",
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
