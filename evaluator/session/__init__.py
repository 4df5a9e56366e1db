"""The host's side of sessions: engines, sandboxes, the processes that run problem code, and what they report."""

from evaluator.session.backends import probe_sandbox
from evaluator.session.choice import SandboxChoice, SandboxReport
from evaluator.session.engine import Engine
from evaluator.session.environment import environment_id
from evaluator.session.outcome import CellLimits, Ending, ErrorView, Outcome, VariableView, Wants
from evaluator.session.scratch import scratch_folder
from evaluator.session.session import Session, SessionLost

__all__ = [
    "CellLimits",
    "Ending",
    "Engine",
    "ErrorView",
    "Outcome",
    "SandboxChoice",
    "SandboxReport",
    "Session",
    "SessionLost",
    "VariableView",
    "Wants",
    "environment_id",
    "probe_sandbox",
    "scratch_folder",
]
