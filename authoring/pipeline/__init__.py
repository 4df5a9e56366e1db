"""The way from a seed to an accepted problemset: sketch, draft, dry run, decision."""

from authoring.pipeline.authors import Author
from authoring.pipeline.deciding import accept, send_back
from authoring.pipeline.drafting import DraftResult, make_draft
from authoring.pipeline.dry_running import DryRunResult, current_dry_run, dry_run, dry_run_problemset
from authoring.pipeline.execution import ExecutedCell, ExecutedSet, execute_cells, execute_problemset
from authoring.pipeline.knowledge import knowledge_points_of, profile_text
from authoring.pipeline.progress import OnEvent, PipelineEvent
from authoring.pipeline.sketching import make_sketch
from authoring.pipeline.workplace import open_workspace

__all__ = [
    "Author",
    "DraftResult",
    "DryRunResult",
    "ExecutedCell",
    "ExecutedSet",
    "OnEvent",
    "PipelineEvent",
    "accept",
    "current_dry_run",
    "dry_run",
    "dry_run_problemset",
    "execute_cells",
    "execute_problemset",
    "knowledge_points_of",
    "make_draft",
    "make_sketch",
    "open_workspace",
    "profile_text",
    "send_back",
]
