"""Runs agents on benchmarks, keeps records, resumes."""

from evaluator.records import AttemptKey, Record, last_records, read_records
from evaluator.running.attempt_details import DETAILS, AttemptDetails, DetailsReader, OutputsKept
from evaluator.running.config import MAX_AGENT_TIMEOUT_S, EventKind, Executor, RunConfig, RunEvent, RunSummary
from evaluator.running.execution.author_errors import SETUP_WALL_S
from evaluator.running.execution.candidate import PriorAnswer
from evaluator.running.execution.executed_cell import Conditions, ExecutedCell, JudgedAnswer
from evaluator.running.execution.executor import ProblemsetExecutor
from evaluator.running.execution.policies import (
    ROUNDS,
    BetweenAttempts,
    FeedbackPart,
    HistoryPolicy,
    Mode,
    Policies,
    StatePolicy,
    StopPolicy,
    parse_feedback,
    policies_of,
)
from evaluator.running.execution.problem_attempts import AttemptResult
from evaluator.running.execution.problem_tools import EXECUTIONS
from evaluator.running.execution.problemset_scoring import score_problemset
from evaluator.running.execution.reference_history import ReferenceHistory
from evaluator.running.execution.reference_session import REFERENCE_GRACE_S, AuthorError, ReferenceSession, limits_of
from evaluator.running.family_rules import FamilyRules
from evaluator.running.imported import BadRecordsError, ImportedRun, import_results
from evaluator.running.isolation import isolation_for
from evaluator.running.plan import PlannedSet, RunPlan, modules_to_preload, plan_run
from evaluator.running.run import run_benchmark
from evaluator.running.run_agent import agent_of_run, is_granted_model, model_asked
from evaluator.running.run_folder import MANIFEST, RECORDS, write_atomically
from evaluator.running.run_manifest import RefusedSet, RunIdentity, SetIdentity, parse_identity

__all__ = [
    "DETAILS",
    "EXECUTIONS",
    "MANIFEST",
    "MAX_AGENT_TIMEOUT_S",
    "RECORDS",
    "REFERENCE_GRACE_S",
    "ROUNDS",
    "SETUP_WALL_S",
    "AttemptDetails",
    "AttemptKey",
    "AttemptResult",
    "AuthorError",
    "BadRecordsError",
    "BetweenAttempts",
    "Conditions",
    "DetailsReader",
    "EventKind",
    "ExecutedCell",
    "Executor",
    "FamilyRules",
    "FeedbackPart",
    "HistoryPolicy",
    "ImportedRun",
    "JudgedAnswer",
    "Mode",
    "OutputsKept",
    "PlannedSet",
    "Policies",
    "PriorAnswer",
    "ProblemsetExecutor",
    "Record",
    "ReferenceHistory",
    "ReferenceSession",
    "RefusedSet",
    "RunConfig",
    "RunEvent",
    "RunIdentity",
    "RunPlan",
    "RunSummary",
    "SetIdentity",
    "StatePolicy",
    "StopPolicy",
    "agent_of_run",
    "import_results",
    "is_granted_model",
    "isolation_for",
    "last_records",
    "limits_of",
    "model_asked",
    "modules_to_preload",
    "parse_feedback",
    "parse_identity",
    "plan_run",
    "policies_of",
    "read_records",
    "run_benchmark",
    "score_problemset",
    "write_atomically",
]
