"""The host's side of sessions: engines, sandboxes, the processes that run problem code, and what they report."""

from evaluator.inside.export.suspicious_code import FORBIDDEN_IN_REACH
from evaluator.session.backends import probe_sandbox
from evaluator.session.choice import EngineChoice, Isolation, SandboxChoice, SandboxReport
from evaluator.session.engine import KERNEL_MODULE, Engine
from evaluator.session.environment import DEFAULT, Environment, environment_id, own_environment, venv_environment
from evaluator.session.interpreter import Interpreter
from evaluator.session.outcome import (
    CellLimits,
    Ending,
    ErrorView,
    Outcome,
    Probe,
    ProbeAnswer,
    ProbeEnding,
    VariableView,
    Wants,
)
from evaluator.session.probes import ProbeFault, record_probes
from evaluator.session.scratch import scratch_folder
from evaluator.session.session import KeptTrial, Session, SessionLost

__all__ = [
    "DEFAULT",
    "FORBIDDEN_IN_REACH",
    "KERNEL_MODULE",
    "CellLimits",
    "Ending",
    "Engine",
    "EngineChoice",
    "Environment",
    "ErrorView",
    "Interpreter",
    "Isolation",
    "KeptTrial",
    "Outcome",
    "Probe",
    "ProbeAnswer",
    "ProbeEnding",
    "ProbeFault",
    "SandboxChoice",
    "SandboxReport",
    "Session",
    "SessionLost",
    "VariableView",
    "Wants",
    "environment_id",
    "own_environment",
    "probe_sandbox",
    "record_probes",
    "scratch_folder",
    "venv_environment",
]
