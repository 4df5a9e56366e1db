"""Which sandbox a session may run in, and the consent that running without one needs."""

from dataclasses import dataclass
from enum import StrEnum


class SandboxChoice(StrEnum):
    """What was asked for. `AUTO` never becomes `NONE` by itself; BENCHWRIGHT_SANDBOX overrides `AUTO`."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"


@dataclass(frozen=True)
class SandboxReport:
    """Whether a sandbox can be had on this machine, found by trying the whole chain once."""

    available: bool
    backend: str  # "bwrap", or "" when there is none
    reason: str = ""  # why not
    fix: str = ""  # what the reader can do about it
