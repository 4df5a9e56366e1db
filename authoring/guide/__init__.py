"""The outer loop: what reviewers say becomes changes of the guide, and the guide's effect is counted."""

from authoring.guide.effects import GuideEffect, guide_effects
from authoring.guide.proposing import ProposedAmendments, propose_amendments, propose_one
from authoring.guide.showing import guide_diff, read_guide_file, shown_guide

__all__ = [
    "GuideEffect",
    "ProposedAmendments",
    "guide_diff",
    "guide_effects",
    "propose_amendments",
    "propose_one",
    "read_guide_file",
    "shown_guide",
]
