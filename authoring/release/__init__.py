"""Frozen releases: folders of accepted problemsets that can be run, verified and published."""

from authoring.release.creating import VERSION, ReleaseResult, create_release, preview_card
from authoring.release.differing import ChangedProblem, ReleaseDiff, diff_releases, problem_texts
from authoring.release.gate import (
    GateCheck,
    GateFinding,
    GateRow,
    GateStanding,
    SignedWaiver,
    release_gate,
    unanswered,
    waivers_of,
)
from authoring.release.release_folder import (
    DigestDifference,
    ReleaseFault,
    check_destination,
    release_digest,
    verify_release,
)

__all__ = [
    "VERSION",
    "ChangedProblem",
    "DigestDifference",
    "GateCheck",
    "GateFinding",
    "GateRow",
    "GateStanding",
    "ReleaseDiff",
    "ReleaseFault",
    "ReleaseResult",
    "SignedWaiver",
    "check_destination",
    "create_release",
    "diff_releases",
    "preview_card",
    "problem_texts",
    "release_digest",
    "release_gate",
    "unanswered",
    "verify_release",
    "waivers_of",
]
