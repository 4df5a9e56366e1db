"""Waiting for what another process or thread brings about."""

import time
from collections.abc import Callable


def eventually(is_so: Callable[[], object], *, within_s: float = 10.0) -> bool:
    """Return whether something becomes true in time."""
    deadline = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
