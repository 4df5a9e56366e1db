"""CIBench (arXiv:2407.10499): notebooks as problemsets, predictions, score boards."""

from typing import Final

FAMILY: Final = "cibench"
"""Its name in manifests, records and problem settings."""
