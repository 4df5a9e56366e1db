"""The host's side of sessions: engines, sandboxes, the processes that run problem code, and what they report."""

from evaluator.inside.export.suspicious_code import FORBIDDEN_IN_REACH
from evaluator.session.engine import DRAWING, KERNEL_MODULE, Engine
from evaluator.session.outcome import (
    ENDING_WORDS,
    CaptureSpec,
    CellLimits,
    Ending,
    ErrorView,
    Outcome,
    Probe,
    ProbeAnswer,
    ProbeEnding,
    VariableView,
)
from evaluator.session.probes import ProbeFault, record_probes
from evaluator.session.sandboxing.agent_sandbox import AgentNetwork, AgentView, agent_command, interpreter_places
from evaluator.session.sandboxing.agent_watch import excess_of, most_memory
from evaluator.session.sandboxing.backends import (
    EngineChoice,
    Isolation,
    SandboxChoice,
    SandboxReport,
    probe_sandbox,
    resolve_backend,
)
from evaluator.session.sandboxing.environment import (
    DEFAULT,
    Environment,
    environment_id,
    own_environment,
    venv_environment,
)
from evaluator.session.sandboxing.interpreter import Interpreter
from evaluator.session.sandboxing.launcher import start_program
from evaluator.session.sandboxing.scratch import scratch_folder
from evaluator.session.session import PersistentFork, Session, SessionLost
from evaluator.session.variable_encoding import BRIEF, ENCODINGS, VariableEncoding, parse_encoding

__all__ = [
    "BRIEF",
    "DEFAULT",
    "DRAWING",
    "ENCODINGS",
    "ENDING_WORDS",
    "FORBIDDEN_IN_REACH",
    "KERNEL_MODULE",
    "AgentNetwork",
    "AgentView",
    "CaptureSpec",
    "CellLimits",
    "Ending",
    "Engine",
    "EngineChoice",
    "Environment",
    "ErrorView",
    "Interpreter",
    "Isolation",
    "Outcome",
    "PersistentFork",
    "Probe",
    "ProbeAnswer",
    "ProbeEnding",
    "ProbeFault",
    "SandboxChoice",
    "SandboxReport",
    "Session",
    "SessionLost",
    "VariableEncoding",
    "VariableView",
    "agent_command",
    "environment_id",
    "excess_of",
    "interpreter_places",
    "most_memory",
    "own_environment",
    "parse_encoding",
    "probe_sandbox",
    "record_probes",
    "resolve_backend",
    "scratch_folder",
    "start_program",
    "venv_environment",
]
