"""Agents turn queries into submissions."""

from evaluator.agents.cheat import CheatAgent, cheat_agents
from evaluator.agents.choice import AGENTS, parse_agent
from evaluator.agents.fixtures import EmptyAgent, OracleAgent, VariedOracle, vary
from evaluator.agents.protocol import (
    Agent,
    AgentCard,
    AgentFailure,
    Cell,
    CellKind,
    FailureKind,
    Feedback,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Variable,
)
from evaluator.agents.replay import NO_RECORD, RecordedCode, ReplayAgent

__all__ = [
    "AGENTS",
    "NO_RECORD",
    "Agent",
    "AgentCard",
    "AgentFailure",
    "Cell",
    "CellKind",
    "CheatAgent",
    "EmptyAgent",
    "FailureKind",
    "Feedback",
    "OracleAgent",
    "RecordedCode",
    "ReplayAgent",
    "SessionInfo",
    "SolveLimits",
    "SolveRequest",
    "Submission",
    "SubmissionStatus",
    "Variable",
    "VariedOracle",
    "cheat_agents",
    "parse_agent",
    "vary",
]
