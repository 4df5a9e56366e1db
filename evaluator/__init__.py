"""Reads problemsets, runs them in sandboxed sessions, judges submissions and reports the results."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evaluator.agents import SolveRequest, Submission
    from evaluator.agents.model_agents.replies import read_code
    from evaluator.api import RunResult, compare, evaluate, judge
    from evaluator.language import Benchmark, Problem, Problemset
    from evaluator.running import AttemptResult

__all__ = [
    "AttemptResult",
    "Benchmark",
    "Problem",
    "Problemset",
    "RunResult",
    "SolveRequest",
    "Submission",
    "compare",
    "evaluate",
    "judge",
    "read_code",
]

_HOMES: Final = {
    "AttemptResult": "evaluator.running",
    "Benchmark": "evaluator.language",
    "Problem": "evaluator.language",
    "Problemset": "evaluator.language",
    "SolveRequest": "evaluator.agents",
    "Submission": "evaluator.agents",
    "read_code": "evaluator.agents.model_agents.replies",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: whoever needs one layer does not pay for the others."""
    if name not in __all__:
        raise AttributeError(f"module 'evaluator' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "evaluator.api")), name)
