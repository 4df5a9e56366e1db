"""Idea seeds: data files, notebooks and their profiles."""

from authoring.seeds.adding import add_seed
from authoring.seeds.bundles import Bundle, SeedCard, open_bundle
from authoring.seeds.inputs import NotebookCell, materialise_inputs, read_notebook
from authoring.seeds.meanings import infer_semantics, seed_semantics
from authoring.seeds.profile import (
    ColumnProfile,
    ColumnRole,
    ForeignKey,
    ImageProfile,
    Link,
    Profile,
    TableProfile,
    Trap,
    find_traps,
    is_quotable,
)
from authoring.seeds.profiling import build_profile
from authoring.seeds.shipped import SHIPPED_SEEDS_DIR, load_shipped_seeds, shipped_seed_names

__all__ = [
    "SHIPPED_SEEDS_DIR",
    "Bundle",
    "ColumnProfile",
    "ColumnRole",
    "ForeignKey",
    "ImageProfile",
    "Link",
    "NotebookCell",
    "Profile",
    "SeedCard",
    "TableProfile",
    "Trap",
    "add_seed",
    "build_profile",
    "find_traps",
    "infer_semantics",
    "is_quotable",
    "load_shipped_seeds",
    "materialise_inputs",
    "open_bundle",
    "read_notebook",
    "seed_semantics",
    "shipped_seed_names",
]
