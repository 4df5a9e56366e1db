"""The host's side of sessions: engines, sandboxes, the processes that run problem code, and what they report."""

from evaluator.session.choice import SandboxChoice, SandboxReport
from evaluator.session.outcome import CellLimits, Ending, ErrorView, Outcome, VariableView, Wants

__all__ = [
    "CellLimits",
    "Ending",
    "ErrorView",
    "Outcome",
    "SandboxChoice",
    "SandboxReport",
    "VariableView",
    "Wants",
]
