"""Runs agents on benchmarks, keeps records, resumes."""

from evaluator.records import AttemptKey, Record, last_records, read_records
from evaluator.running.attempt_details import DETAILS, AttemptDetails, DetailsReader, OutputsKept
from evaluator.running.candidate import PriorAnswer
from evaluator.running.cell_faults import SETUP_WALL_S
from evaluator.running.config import EventKind, RunConfig, RunEvent, RunSummary
from evaluator.running.conversation import AttemptResult
from evaluator.running.folder import MANIFEST, RECORDS, write_atomically
from evaluator.running.imported import BadRecordsError, ImportedRun, import_results
from evaluator.running.manifest import RefusedSet, RunIdentity, SetIdentity, parse_identity
from evaluator.running.measuring import Measured, MeasuredProblem, measure_benchmark
from evaluator.running.plan import PlannedSet, RunPlan, modules_to_preload, plan_run
from evaluator.running.policies import (
    BetweenAttempts,
    FeedbackPart,
    HistoryPolicy,
    Policies,
    StatePolicy,
    parse_feedback,
)
from evaluator.running.problemset_run import Conditions, ScoredProblem, score_problemset
from evaluator.running.reference_history import ReferenceHistory
from evaluator.running.reference_session import REFERENCE_GRACE_S, limits_of
from evaluator.running.run import run_benchmark
from evaluator.running.self_check import SelfCheck, self_check

__all__ = [
    "DETAILS",
    "MANIFEST",
    "RECORDS",
    "REFERENCE_GRACE_S",
    "SETUP_WALL_S",
    "AttemptDetails",
    "AttemptKey",
    "AttemptResult",
    "BadRecordsError",
    "BetweenAttempts",
    "Conditions",
    "DetailsReader",
    "EventKind",
    "FeedbackPart",
    "HistoryPolicy",
    "ImportedRun",
    "Measured",
    "MeasuredProblem",
    "OutputsKept",
    "PlannedSet",
    "Policies",
    "PriorAnswer",
    "Record",
    "ReferenceHistory",
    "RefusedSet",
    "RunConfig",
    "RunEvent",
    "RunIdentity",
    "RunPlan",
    "RunSummary",
    "ScoredProblem",
    "SelfCheck",
    "SetIdentity",
    "StatePolicy",
    "import_results",
    "last_records",
    "limits_of",
    "measure_benchmark",
    "modules_to_preload",
    "parse_feedback",
    "parse_identity",
    "plan_run",
    "read_records",
    "run_benchmark",
    "score_problemset",
    "self_check",
    "write_atomically",
]
