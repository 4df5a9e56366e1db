"""Failures of a model that callers tell apart."""

from evaluator.errors import ToolkitError


class ContextLengthError(ToolkitError):
    """The request is longer than the model reads; a shorter one may do."""
