"""Turns findings into verdicts, and verdicts into rates."""

from evaluator.scoring.decisions import Judged, decide, example_is_met, wanted_in_words
from evaluator.scoring.findings import Answer, AuthorFault, BadFindingsError, Cause, Finding, parse_findings
from evaluator.scoring.judgement import find_author_fault, judge_submission
from evaluator.scoring.metrics import (
    AttemptRecord,
    HasVerdict,
    PassRates,
    count_verdicts,
    last_attempts,
    pass_rate,
    pass_rates,
    rates_of_counts,
    why_withheld,
)
from evaluator.scoring.verdicts import MEANINGS, SCORING_VERSION, Subverdict, Verdict, meaning_of

__all__ = [
    "MEANINGS",
    "SCORING_VERSION",
    "Answer",
    "AttemptRecord",
    "AuthorFault",
    "BadFindingsError",
    "Cause",
    "Finding",
    "HasVerdict",
    "Judged",
    "PassRates",
    "Subverdict",
    "Verdict",
    "count_verdicts",
    "decide",
    "example_is_met",
    "find_author_fault",
    "judge_submission",
    "last_attempts",
    "meaning_of",
    "parse_findings",
    "pass_rate",
    "pass_rates",
    "rates_of_counts",
    "wanted_in_words",
    "why_withheld",
]
