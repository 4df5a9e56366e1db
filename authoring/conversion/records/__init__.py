"""Records of completions (a prompt, its solution, a test) become problems, each independent of the others."""

from authoring.conversion.records.completions import problemset_from_completions

__all__ = ["problemset_from_completions"]
