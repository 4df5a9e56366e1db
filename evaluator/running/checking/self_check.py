"""Executes problemsets against themselves: references must pass; doing nothing, or cheating, must not."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evaluator.language import LoadedSet
from evaluator.running.checking.recorded_outputs import Recorded, nothing_recorded
from evaluator.running.checking.set_check import SelfCheck, check_set
from evaluator.running.config import EventKind, RunEvent
from evaluator.running.execution.executed_cell import ExecutedCell
from evaluator.running.plan import modules_to_preload
from evaluator.session import Engine, Environment, SandboxChoice, own_environment

SMALL: Final = 12
"""So many problems together are few enough to be cheated on without being asked to: every trick is a trial."""


def self_check(
    sets: Iterable[LoadedSet],
    *,
    rules: Mapping[Path, str] = MappingProxyType({}),
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    rng_seed: int = 0,
    environment: Environment | None = None,
    cheat: bool | None = None,
    recorded: Mapping[Path, Recorded] = MappingProxyType({}),
    on_event: Callable[[RunEvent], None] = lambda _event: None,
) -> SelfCheck:
    """Execute problemsets that parse: the reference code, a harmless variation of it, an empty cell, kept examples.

    A problemset in which something of the author fails is executed a second time to its end, so that all is told.

    Args:
        sets: Problemsets without errors.
        rules: Path of a problemset -> "sound" or "published"; those not named are judged by sound rules.
        sandbox: Where to run them.
        rng_seed: Seeds the random states.
        environment: Where their code runs; None: our own Python.
        cheat: Also submit every trick of the agent `cheat` to every problem; None: if there are at most `SMALL`.
        recorded: Path of a problemset -> what its source stored of its cells' outputs.
        on_event: Told of each problem that was executed.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    chosen = tuple(sets)
    total, begun, cheats = problem_count(chosen), 0, tries_cheats(chosen, cheat)
    found: list[SelfCheck] = []
    with checking_engine(chosen, sandbox, rng_seed, environment or own_environment()) as engine:
        on_event(RunEvent(EventKind.STARTED, 0, total))
        engine.warm_up()
        for loaded in chosen:
            cells = count(begun + 1)

            def tell(cell: ExecutedCell, cells: Iterator[int] = cells) -> None:
                on_event(RunEvent(EventKind.JUDGED, next(cells), total, cell.problemset, cell.index))

            by, stored = rules.get(loaded.path, "sound"), recorded.get(loaded.path, nothing_recorded)
            found.append(check_set(engine, loaded, rules=by, cheats=cheats, recorded=stored, on_scored=tell))
            begun += problem_count([loaded])
    return joined_checks(found, cheated=cheats)


def problem_count(sets: Iterable[LoadedSet]) -> int:
    """Return how many problems some problemsets have together; those that do not parse have none."""
    return sum(len(loaded.problemset.problems) for loaded in sets if loaded.problemset is not None)


def tries_cheats(sets: Iterable[LoadedSet], cheat: bool | None) -> bool:
    """Return whether cheating is tried: as it was said, else on few problems."""
    return problem_count(sets) <= SMALL if cheat is None else cheat


def checking_engine(
    sets: Iterable[LoadedSet], sandbox: SandboxChoice, rng_seed: int, environment: Environment, comparators: int = 1
) -> Engine:
    """Return an engine for problemsets that execute against themselves: with what their code imports."""
    preload = modules_to_preload((each.problemset for each in sets if each.problemset is not None), environment)
    return Engine(sandbox=sandbox, rng_seed=rng_seed, comparators=comparators, preload=preload, environment=environment)


def joined_checks(found: Iterable[SelfCheck], *, cheated: bool) -> SelfCheck:
    """Return what was found in several problemsets as one."""
    parts = tuple(found)
    return SelfCheck(
        tuple(each for part in parts for each in part.diagnostics),
        sum(part.problems for part in parts),
        tuple(each for part in parts for each in part.not_judged),
        tuple(each for part in parts for each in part.waived),
        cheated,
    )
