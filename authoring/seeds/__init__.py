"""Idea seeds: data files, notebooks and their profiles."""

from authoring.seeds.adding import add_seed
from authoring.seeds.inputs import NotebookCell, materialise_inputs, read_notebook
from authoring.seeds.profile import ColumnProfile, ForeignKey, Profile, Role, TableProfile
from authoring.seeds.profiling import build_profile
from authoring.seeds.shipped import SHIPPED_SEEDS_DIR, load_shipped_seeds
from authoring.seeds.traps import Trap, find_traps

__all__ = [
    "SHIPPED_SEEDS_DIR",
    "ColumnProfile",
    "ForeignKey",
    "NotebookCell",
    "Profile",
    "Role",
    "TableProfile",
    "Trap",
    "add_seed",
    "build_profile",
    "find_traps",
    "load_shipped_seeds",
    "materialise_inputs",
    "read_notebook",
]
