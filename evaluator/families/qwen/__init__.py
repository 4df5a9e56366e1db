"""The Qwen code-interpreter benchmark: records as problemsets, result files, score boards."""

from typing import Final

FAMILY: Final = "qwen"
"""Its name in manifests, records and problem settings."""
