"""What columns and rows mean: told by rules, read from files, corrected by people, and checked."""

from authoring.seeds.meanings.rules import infer_semantics
from authoring.seeds.meanings.stored import seed_semantics

__all__ = ["infer_semantics", "seed_semantics"]
