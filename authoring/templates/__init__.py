"""The template author: drafts without a language model."""

from authoring.templates.drafting import DraftedSet, draft_from_sketch
from authoring.templates.families import FAMILIES
from authoring.templates.planning import sketch_from_profile

__all__ = ["FAMILIES", "DraftedSet", "draft_from_sketch", "sketch_from_profile"]
