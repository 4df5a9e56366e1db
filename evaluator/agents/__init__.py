"""Agents turn queries into submissions."""

from evaluator.agents.cheat import CheatAgent, cheat_agents
from evaluator.agents.child import ChildAgent
from evaluator.agents.choice import AGENTS, asks_model, model_agent, parse_agent
from evaluator.agents.fixtures import EmptyAgent, OracleAgent, VariedOracle, vary
from evaluator.agents.protocol import (
    Agent,
    AgentCard,
    AgentFailure,
    CellKind,
    FailureKind,
    Feedback,
    HistoryCell,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    SubmissionStatus,
    SupportsClose,
    SupportsLoad,
    Variable,
)
from evaluator.agents.replay import NO_RECORD, RecordedCode, ReplayAgent
from evaluator.agents.solver import TIMEOUT_S as AGENT_TIMEOUT_S
from evaluator.agents.solver import InProcessAgent

__all__ = [
    "AGENTS",
    "AGENT_TIMEOUT_S",
    "NO_RECORD",
    "Agent",
    "AgentCard",
    "AgentFailure",
    "CellKind",
    "CheatAgent",
    "ChildAgent",
    "EmptyAgent",
    "FailureKind",
    "Feedback",
    "HistoryCell",
    "InProcessAgent",
    "OracleAgent",
    "RecordedCode",
    "ReplayAgent",
    "SessionInfo",
    "SolveLimits",
    "SolveRequest",
    "Submission",
    "SubmissionStatus",
    "SupportsClose",
    "SupportsLoad",
    "Variable",
    "VariedOracle",
    "asks_model",
    "cheat_agents",
    "model_agent",
    "parse_agent",
    "vary",
]
