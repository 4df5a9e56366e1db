"""Frozen releases: folders of accepted problemsets that can be run, verified and published."""

from authoring.release.creating import VERSION, ReleaseResult, create_release, preview_card
from authoring.release.differing import ChangedProblem, ReleaseDiff, diff_releases, problem_texts
from authoring.release.folder import Difference, ReleaseFault, check_destination, release_digest, verify_release
from authoring.release.gate import (
    GateCheck,
    GateFinding,
    GateRow,
    SignedWaiver,
    Standing,
    release_gate,
    unanswered,
    waivers_of,
)

__all__ = [
    "VERSION",
    "ChangedProblem",
    "Difference",
    "GateCheck",
    "GateFinding",
    "GateRow",
    "ReleaseDiff",
    "ReleaseFault",
    "ReleaseResult",
    "SignedWaiver",
    "Standing",
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
