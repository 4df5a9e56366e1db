"""On which grounds an attack is fought: which sandbox, which kind of session, and what later code starts from."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from evaluator.session import Isolation, SandboxChoice
from evaluator.session.sandboxing.backends import probe_backend


class Policy(StrEnum):
    """What a submission starts from, and what starts from the state that it leaves."""

    REFERENCE = "reference"  # each submission in a trial of its own
    KEPT = "kept"  # the next attempt at the same problem, in the same trial
    OWN = "own"  # the answer to the next problem, in the same trial
    CORRECTED_ON_FAILURE = "corrected-on-failure"  # as own; after a failure the trial is replaced, the reference runs
    CORRECTED_ALWAYS = "corrected-always"  # as own; the reference runs in the same trial after every problem


@dataclass(frozen=True)
class Ground:
    """One of them; its text is what a row's overrides may name parts of."""

    backend: str = "bwrap"
    engine: Isolation = Isolation.FORK
    policy: Policy = Policy.REFERENCE

    @property
    def parts(self) -> tuple[str, str, str]:
        """Backend, engine and policy, by name."""
        return (self.backend, self.engine.value, self.policy.value)

    def __str__(self) -> str:
        return "/".join(self.parts)


BACKENDS: Final = tuple(choice.value for choice in (SandboxChoice.BWRAP, SandboxChoice.LANDLOCK))
_KERNELS_NEED: Final = "bwrap"  # they talk over sockets, which Landlock does not allow


@cache
def grounds() -> tuple[Ground, ...]:
    """Return what is to be had here, the default first; running without a sandbox is none.

    A kernel is the last cell's own and never lives on: replayed sessions know the reference's state only.
    """
    found = []
    for backend in BACKENDS:
        if not probe_backend(SandboxChoice(backend)).available:
            continue
        found += [Ground(backend, Isolation.FORK, policy) for policy in Policy]
        if backend == _KERNELS_NEED:
            found.append(Ground(backend, Isolation.REPLAY))
    return tuple(found)
