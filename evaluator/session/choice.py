"""Which sandbox a session may run in, and the consent that running without one needs."""

from dataclasses import dataclass
from enum import StrEnum


class SandboxChoice(StrEnum):
    """What was asked for. `AUTO` never becomes `NONE` by itself; BENCHWRIGHT_SANDBOX overrides `AUTO`."""

    AUTO = "auto"
    BWRAP = "bwrap"
    LANDLOCK = "landlock"  # weaker: no namespaces
    NONE = "none"


class EngineChoice(StrEnum):
    """What was asked for. With `AUTO` each problemset decides."""

    AUTO = "auto"
    FORK = "fork"
    REPLAY = "replay"


class Isolation(StrEnum):
    """What keeps a submission apart from the session it starts from."""

    FORK = "fork"  # a forked copy of the session's process
    REPLAY = "replay"  # a fresh kernel, into which the session's cells are replayed


@dataclass(frozen=True)
class SandboxReport:
    """Whether a sandbox can be had on this machine, found by trying the whole chain once."""

    available: bool
    backend: str  # "bwrap" or "landlock", or "" when there is none
    reason: str = ""  # why not, or why not "bwrap"
    fix: str = ""  # what the reader can do about it
