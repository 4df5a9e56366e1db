"""The template author: drafts without a language model."""

from authoring.templates.families import FAMILIES
from authoring.templates.identities import sketch_identities
from authoring.templates.levels import WISHES, Wish, check_wish
from authoring.templates.sketched_thread import sketch_from_profile
from authoring.templates.template_draft import DraftedSet, draft_from_sketch

__all__ = [
    "FAMILIES",
    "WISHES",
    "DraftedSet",
    "Wish",
    "check_wish",
    "draft_from_sketch",
    "sketch_from_profile",
    "sketch_identities",
]
