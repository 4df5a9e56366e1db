"""Which problemsets are replayed into kernels instead of forked."""

from collections.abc import Iterable
from typing import Final

from evaluator.language import Manifest, Problem, Problemset, imported_modules
from evaluator.session import KERNEL_MODULE, EngineChoice, Environment, Isolation

PRESUMED_UNSAFE: Final = frozenset({"duckdb", "jax", "polars", "tensorflow", "torch"})
"""Libraries whose threads do not survive a fork, until an environment's fork check says otherwise."""


def isolation_of_run(choice: EngineChoice, manifest: Manifest) -> Isolation | None:
    """Return what holds for all problemsets of a run: what was asked for, else what the manifest says, if anything."""
    return isolation_for(choice) or (Isolation(manifest.isolation) if manifest.isolation else None)


def isolation_for(choice: EngineChoice) -> Isolation | None:
    """Return what was asked for; None: each problemset decides."""
    return None if choice is EngineChoice.AUTO else Isolation(choice.value)


def kernels_to_preload(problemsets: Iterable[Problemset], environment: Environment) -> tuple[str, ...]:
    """Return what a template imports so that kernels start fast, if some problemset is replayed."""
    replayed = any(isolation_of(each, environment) is Isolation.REPLAY for each in problemsets)
    return (KERNEL_MODULE,) if replayed else ()


def isolation_of(problemset: Problemset, environment: Environment) -> Isolation:
    """Return what keeps the submissions of a problemset apart where the run leaves it to the problemset.

    A problem that says `isolation: replay` decides for its whole set, then one that says `isolation: fork`, then
    whether setup or reference code imports a library that is presumed not to survive a fork.
    """
    asked = {problem.metadata.get("isolation") for problem in problemset.problems}
    if Isolation.REPLAY in asked:
        return Isolation.REPLAY
    if Isolation.FORK in asked or not unsafe_modules(problemset, environment):
        return Isolation.FORK
    return Isolation.REPLAY


def unsafe_modules(problemset: Problemset, environment: Environment) -> tuple[str, ...]:
    """Return the modules that a problemset's code imports and that must not be imported before a fork."""
    sources = [cell.code if isinstance(cell, Problem) else cell.source for cell in problemset.cells]
    found = {name for source in sources for name in imported_modules(source)}
    unsafe = PRESUMED_UNSAFE - environment.fork_safe
    return tuple(sorted(name for name in found if name.partition(".")[0] in unsafe))
