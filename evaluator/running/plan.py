"""Which problems of a benchmark a run asks, which problemsets it refuses before it begins, and what it must import."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from evaluator.diagnostics import Severity, has_errors
from evaluator.errors import ContentError, UsageError
from evaluator.language import (
    Benchmark,
    LoadedSet,
    Problem,
    Problemset,
    imported_modules,
    used_own_validators,
)
from evaluator.registry import nearest_name
from evaluator.running.run_manifest import RefusedSet, SetIdentity
from evaluator.session import Environment

_DRAWS: Final = re.compile(r"\.(?:plot|hist|boxplot)\b")  # of pandas, which imports its library when it first draws
PRELOADABLE: Final = frozenset({"matplotlib", "scipy", "seaborn", "sklearn", "sympy"})
"""Libraries that a session's template may import beforehand: slow to import, and known to survive a fork.

Those of an environment that passed its fork check are added."""


@dataclass(frozen=True)
class PlannedSet:
    """A problemset that a run asks."""

    loaded: LoadedSet
    problems: int  # the first so many are asked (count, >= 1)

    @property
    def problemset(self) -> Problemset:
        """The parsed problemset."""
        assert self.loaded.problemset is not None, "the plan refuses a problemset that does not parse"
        return self.loaded.problemset


@dataclass(frozen=True)
class RunPlan:
    """What a run asks, in order, and what it refuses."""

    sets: tuple[PlannedSet, ...]
    refused: tuple[RefusedSet, ...]

    @cached_property
    def total(self) -> int:
        """Problems to be asked (count)."""
        return sum(planned.problems for planned in self.sets)


def plan_run(benchmark: Benchmark, *, names: tuple[str, ...] = (), limit: int | None = None) -> RunPlan:
    """Select what to ask.

    Args:
        benchmark: As read.
        names: Problemsets to ask, in the benchmark's order whatever theirs; empty selects all.
        limit: Ask only the first so many problems of all selected and not refused problemsets together.

    Raises:
        UsageError: If a name is unknown; the fix says the nearest.
        ContentError: If the manifest is wrong, or the benchmark holds no problem.
    """
    _refuse_bad_manifest(benchmark)
    sets: list[PlannedSet] = []
    refused: list[RefusedSet] = []
    left = limit
    for loaded in _selected(benchmark, names):
        diagnostics = loaded.diagnostics
        if loaded.problemset is None or has_errors(diagnostics):
            refused.append(RefusedSet(loaded.name, diagnostics))
            continue
        count = len(loaded.problemset.problems)
        count = count if left is None else min(count, left)
        left = None if left is None else left - count
        if count:
            sets.append(PlannedSet(loaded, count))
    if not sets and not refused:
        fix = "add a problemset with at least one problem"
        raise ContentError("the benchmark holds no problem", where=str(benchmark.root), fix=fix)
    return RunPlan(tuple(sets), tuple(refused))


def _refuse_bad_manifest(benchmark: Benchmark) -> None:
    of_sets = {loaded.path for loaded in benchmark.sets}
    of_sets |= {loaded.own_validators.path for loaded in benchmark.sets if loaded.own_validators is not None}
    for each in benchmark.diagnostics:
        if each.severity is Severity.ERROR and each.path not in of_sets:
            raise ContentError(each.what, where=f"{each.path}:{each.line}", fix=each.fix)


def _selected(benchmark: Benchmark, names: tuple[str, ...]) -> Iterable[LoadedSet]:
    known = [loaded.name for loaded in benchmark.sets]
    for name in names:
        if name not in known:
            near = nearest_name(name, known)
            shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
            fix = f"use {near!r}" if near else f"use one of {shown}"
            raise UsageError(f"the benchmark has no problemset {name!r}", where=str(benchmark.root), fix=fix)
    return [loaded for loaded in benchmark.sets if not names or loaded.name in names]


def identify_sets(sets: Iterable[PlannedSet]) -> tuple[SetIdentity, ...]:
    """Return what fixes each problemset: its text, its inputs, how many of its problems are asked."""
    inputs: dict[Path | None, str] = {None: ""}
    identities = []
    for planned in sets:
        loaded = planned.loaded
        if loaded.inputs not in inputs:
            assert loaded.inputs is not None
            inputs[loaded.inputs] = digest_of_folder(loaded.inputs)
        identities.append(SetIdentity(loaded.name, planned.problems, digest_of_set(loaded), inputs[loaded.inputs]))
    return tuple(identities)


def whole_set(loaded: LoadedSet) -> PlannedSet:
    """Return a problemset of which all problems are asked."""
    assert loaded.problemset is not None, "a problemset that does not parse is refused before"
    return PlannedSet(loaded, len(loaded.problemset.problems))


def digest_of_set(loaded: LoadedSet) -> str:
    """Return the sha256 of a problemset's text and, where one of its problems uses them, its benchmark's validators."""
    text = loaded.portable_text.encode("utf-8", "surrogatepass")
    own = used_own_validators(loaded.problemset) if loaded.problemset is not None else None
    if own is not None:
        text += b"\0" + own.digest.encode()
    return hashlib.sha256(text).hexdigest()


def digest_of_folder(folder: Path) -> str:
    """Return the sha256 over the relative names and contents of a folder's files, in name order."""
    total = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{path.relative_to(folder).as_posix()}\0{content}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def modules_to_preload(
    problemsets: Iterable[Problemset], environment: Environment, *, more: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the slow modules that some code will import, so that no cell's time limit pays for them.

    Args:
        problemsets: Whose setup and reference code will run.
        environment: Where; what is not installed there, or not safe to import before a fork, is left out.
        more: Further code that will run, such as recorded submissions.
    """
    found: set[str] = set()
    cells = [cell for problemset in problemsets for cell in problemset.cells]
    for source in (*more, *(cell.code if isinstance(cell, Problem) else cell.source for cell in cells)):
        found |= imported_modules(source)
        if _DRAWS.search(source):
            found.add("matplotlib.pyplot")
    tops = {name.partition(".")[0] for name in found} & (PRELOADABLE | environment.fork_safe)
    known = {top for top in tops if environment.has_module(top)}
    return tuple(sorted(name for name in found if name.partition(".")[0] in known))
