"""Problemsets out of material that exists, and out into other forms: notebooks, records of completions."""

from authoring.conversion.benchmarks import ImportedSets, import_benchmark, import_file
from authoring.conversion.converted import ConversionFinding, Converted, import_converted, import_problemset
from authoring.conversion.exercise_books import problemset_from_exercises
from authoring.conversion.notebook_reader import read_notebook_file
from authoring.conversion.notebooks import is_ours, notebook_of, problemset_of
from authoring.conversion.records import problemset_from_completions

__all__ = [
    "ConversionFinding",
    "Converted",
    "ImportedSets",
    "import_benchmark",
    "import_converted",
    "import_file",
    "import_problemset",
    "is_ours",
    "notebook_of",
    "problemset_from_completions",
    "problemset_from_exercises",
    "problemset_of",
    "read_notebook_file",
]
