"""What a revision must show before it is accepted: dry runs, proofs, gates, and agents that agree or fail."""

from authoring.checks.gates import (
    DEMO_AUTHOR,
    MACHINES,
    NOT_ASKED,
    PASSED,
    RULE_AUTHOR,
    Check,
    CheckFailure,
    EvidenceError,
    failures_of,
    find_repeats,
    fingerprints,
    known_fingerprints,
    refuse_failures,
    slow_problems,
)
from authoring.checks.notebook_style import style_diagnostics
from authoring.checks.proof import Proof, prove

__all__ = [
    "DEMO_AUTHOR",
    "MACHINES",
    "NOT_ASKED",
    "PASSED",
    "RULE_AUTHOR",
    "Check",
    "CheckFailure",
    "EvidenceError",
    "Proof",
    "failures_of",
    "find_repeats",
    "fingerprints",
    "known_fingerprints",
    "prove",
    "refuse_failures",
    "slow_problems",
    "style_diagnostics",
]
