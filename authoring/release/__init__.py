"""Frozen releases: folders of accepted problemsets that can be run, verified and published."""

from authoring.release.creating import ReleaseResult, create_release
from authoring.release.folder import Difference, ReleaseFault, release_digest, verify_release

__all__ = [
    "Difference",
    "ReleaseFault",
    "ReleaseResult",
    "create_release",
    "release_digest",
    "verify_release",
]
