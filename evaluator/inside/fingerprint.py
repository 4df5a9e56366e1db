"""The fingerprint of a value."""

import hashlib
from typing import Any, NamedTuple


class Fingerprint(NamedTuple):
    """A digest, and whether equal digests mean equal values."""

    digest: bytes
    is_exact: bool


def fingerprint(value: Any) -> Fingerprint:
    """Return the fingerprint of a value."""
    return Fingerprint(hashlib.sha256(repr(value).encode()).digest(), True)
