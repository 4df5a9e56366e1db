"""The identity of the environment in which problem code runs."""

import hashlib
import platform
import sys
from functools import cache
from importlib.metadata import distributions


@cache
def environment_id() -> str:
    """Return a digest of the Python version, the platform and every installed package's version."""
    packages = sorted({f"{d.metadata['Name']}=={d.version}".lower() for d in distributions()})
    facts = [sys.implementation.name, platform.python_version(), platform.system(), platform.machine(), *packages]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
