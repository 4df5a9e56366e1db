"""Revising drafts: what an edit reaches, how two come together, what else answers; refining by a model."""

from authoring.revising.aligning import PlacedCell, PlacedCells, align, place_cells
from authoring.revising.approvals import Approval, Approvals, Standing, approvals_of
from authoring.revising.commenting import comment_on, resolve_numbered
from authoring.revising.deciding import SuggestionView, accept_suggestion, change_suggestion, view_suggestion
from authoring.revising.dependence import Affected, Change
from authoring.revising.diversity import Diversity, Repetition, measure_diversity, normalised_code
from authoring.revising.merging import Conflict, Merged, Side, conflict_text, merge_texts, merged_json
from authoring.revising.proposing import Proposal, Proposals, apply_proposal, propose_for_text, propose_validators
from authoring.revising.rebase import (
    Brought,
    bring_onto_head,
    read_takes,
    read_text_file,
    save_brought,
    write_merged,
)
from authoring.revising.refining import RefineOptions, RefineResult, refine
from authoring.revising.rerunning import Moved, Rerun, affected_by_edit, output_text, outputs_text, rerun
from authoring.revising.reshaping import (
    add_problem,
    delete_cell,
    move_cell,
    text_with_move,
    text_with_problem,
    text_without,
)
from authoring.revising.restoring import restore_revision
from authoring.revising.splicing import cell_texts, replace_problems
from authoring.revising.trying import (
    Kept,
    TriedAnswer,
    find_kept,
    keep_answer,
    open_item,
    try_answer,
    try_on_text,
    with_example,
    without_example,
)

__all__ = [
    "Affected",
    "Approval",
    "Approvals",
    "Brought",
    "Change",
    "Conflict",
    "Diversity",
    "Kept",
    "Merged",
    "Moved",
    "PlacedCell",
    "PlacedCells",
    "Proposal",
    "Proposals",
    "RefineOptions",
    "RefineResult",
    "Repetition",
    "Rerun",
    "Side",
    "Standing",
    "SuggestionView",
    "TriedAnswer",
    "accept_suggestion",
    "add_problem",
    "affected_by_edit",
    "align",
    "apply_proposal",
    "approvals_of",
    "bring_onto_head",
    "cell_texts",
    "change_suggestion",
    "comment_on",
    "conflict_text",
    "delete_cell",
    "find_kept",
    "keep_answer",
    "measure_diversity",
    "merge_texts",
    "merged_json",
    "move_cell",
    "normalised_code",
    "open_item",
    "output_text",
    "outputs_text",
    "place_cells",
    "propose_for_text",
    "propose_validators",
    "read_takes",
    "read_text_file",
    "refine",
    "replace_problems",
    "rerun",
    "resolve_numbered",
    "restore_revision",
    "save_brought",
    "text_with_move",
    "text_with_problem",
    "text_without",
    "try_answer",
    "try_on_text",
    "view_suggestion",
    "with_example",
    "without_example",
    "write_merged",
]
