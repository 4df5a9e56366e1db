"""Quality gates: the evidence a revision must show before it is accepted."""

from authoring.checks.evidence import (
    NOT_ASKED,
    PASSED,
    Check,
    CheckFailure,
    failures_of,
    refuse_failures,
    slow_problems,
)

__all__ = [
    "NOT_ASKED",
    "PASSED",
    "Check",
    "CheckFailure",
    "failures_of",
    "refuse_failures",
    "slow_problems",
]
