"""The way from a seed to an accepted problemset: sketch, draft, dry run, decision."""

from authoring.pipeline.agreeing_agents import open_suspects
from authoring.pipeline.answers import UnreadableAnswerError, read_problemset_text
from authoring.pipeline.assessing import Assessor, errors_text
from authoring.pipeline.authors import Author
from authoring.pipeline.checked_set import CheckedCell, CheckedSet
from authoring.pipeline.controversies import most_agreeing, open_controversies
from authoring.pipeline.deciding import accept, send_back
from authoring.pipeline.dialogue import CUT_OFF, Assessment, RepairLoop, left_over_findings, open_client
from authoring.pipeline.difficulty_mix import DifficultyMix, read_mix
from authoring.pipeline.drafting import DraftResult, make_draft
from authoring.pipeline.dry_run_rows import outcome_digest, row_of
from authoring.pipeline.dry_running import (
    DryRunResult,
    current_dry_run,
    dry_run,
    dry_run_problemset,
    execute_revision,
    readable_problemset,
    readable_text,
    store_executed,
)
from authoring.pipeline.evidence import Evidence, complaint_of, evidence_in
from authoring.pipeline.examples import ExampleStrategy, choose_examples
from authoring.pipeline.execution import execute_cells, execute_problemset
from authoring.pipeline.kept_answers import KeptAnswer
from authoring.pipeline.knowledge import column_names, knowledge_points_of, profile_text
from authoring.pipeline.model_draft import language_text
from authoring.pipeline.progress import OnEvent, PipelineEvent, no_progress
from authoring.pipeline.prompts import PromptBook, guide_revision
from authoring.pipeline.prompts import section as prompt_section
from authoring.pipeline.sketch_files import edit_sketch, edit_sketch_file, sketch_to_text, write_sketch
from authoring.pipeline.sketching import make_sketch
from authoring.pipeline.solve_rates import SolveRate, WrongAnswers, solve_rates
from authoring.pipeline.warm_sessions import WarmPlace, WarmSessions
from authoring.pipeline.workplace import open_workspace

__all__ = [
    "CUT_OFF",
    "Assessment",
    "Assessor",
    "Author",
    "CheckedCell",
    "CheckedSet",
    "DifficultyMix",
    "DraftResult",
    "DryRunResult",
    "Evidence",
    "ExampleStrategy",
    "KeptAnswer",
    "OnEvent",
    "PipelineEvent",
    "PromptBook",
    "RepairLoop",
    "SolveRate",
    "UnreadableAnswerError",
    "WarmPlace",
    "WarmSessions",
    "WrongAnswers",
    "accept",
    "choose_examples",
    "column_names",
    "complaint_of",
    "current_dry_run",
    "dry_run",
    "dry_run_problemset",
    "edit_sketch",
    "edit_sketch_file",
    "errors_text",
    "evidence_in",
    "execute_cells",
    "execute_problemset",
    "execute_revision",
    "guide_revision",
    "knowledge_points_of",
    "language_text",
    "left_over_findings",
    "make_draft",
    "make_sketch",
    "most_agreeing",
    "no_progress",
    "open_client",
    "open_controversies",
    "open_suspects",
    "open_workspace",
    "outcome_digest",
    "profile_text",
    "prompt_section",
    "read_mix",
    "read_problemset_text",
    "readable_problemset",
    "readable_text",
    "row_of",
    "send_back",
    "sketch_to_text",
    "solve_rates",
    "store_executed",
    "write_sketch",
]
