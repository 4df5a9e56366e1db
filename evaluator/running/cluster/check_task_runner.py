"""A worker's place for one check: an engine, and the problemsets that execute against themselves on it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.environments import choose_environment
from evaluator.language import Benchmark, LoadedSet, read_benchmark
from evaluator.running.checking.recorded_outputs import Recorded, nothing_recorded
from evaluator.running.checking.self_check import checking_engine
from evaluator.running.checking.set_check import check_set
from evaluator.running.cluster.check_tasks import CheckOrder, check_bytes, read_task
from evaluator.running.cluster.messages import BadMessageError
from evaluator.running.family_rules import FamilyRules
from evaluator.running.plan import identify_sets, whole_set

Families = tuple[type[FamilyRules] | None, ...]
"""How problems are scored, by the places of their benchmarks in the order; None: they are of no family."""


def prepare_check(families: Families, order: bytes, files: Path, threads: int) -> "CheckTaskRunner":
    """Return what does the tasks of a check on a worker.

    Args:
        families: Of the benchmarks.
        order: Of the check.
        files: The folder with what was shipped.
        threads: Tasks that are done at once (count).

    Raises:
        ToolkitError: If the sandbox or the environment is not here.
    """
    return CheckTaskRunner(CheckOrder.from_bytes(order), families, files, threads)


class _CheckedSet(NamedTuple):
    loaded: LoadedSet
    rules: str  # sound | published
    recorded: Recorded


class CheckTaskRunner:
    """Does the tasks of one check."""

    def __init__(self, order: CheckOrder, families: Families, files: Path, threads: int) -> None:
        self._order = order
        benchmarks = [read_benchmark(files / place) for place in order.benchmarks]
        self._sets = _checked_sets(order, benchmarks, families)
        sets = [each.loaded for each in self._sets]
        with ExitStack() as stack:
            environment = choose_environment(order.environment)
            comparators = (threads + 1) // 2  # as in a run: comparing takes a small part of the time of running
            made = checking_engine(sets, order.sandbox, order.rng_seed, environment, comparators)
            self._engine = stack.enter_context(made)
            self._engine.warm_up()
            self._stack = stack.pop_all()

    def told(self) -> Mapping[str, Any]:
        """Return where problem code runs, and what is executed."""
        identities = identify_sets(whole_set(each.loaded) for each in self._sets)
        return {
            "same": {
                "environment": self._engine.environment.label,
                "sandbox": self._engine.sandbox_name,
                "sets": [asdict(each) for each in identities],
            }
        }

    def work(self, task: bytes, cancelled: Callable[[], bool]) -> bytes:
        """Execute a problemset against itself.

        Raises:
            ToolkitError: If the task cannot be read, the engine fails, the work was cancelled, or its result is too
                large.
        """
        number = read_task(task)
        if number >= len(self._sets):
            raise BadMessageError(f"the check has {len(self._sets)} problemsets, not {number + 1}")
        loaded, rules, recorded = self._sets[number]
        found = check_set(
            self._engine, loaded, rules=rules, cheats=self._order.cheats, recorded=recorded, cancelled=cancelled
        )
        return check_bytes(found)

    def close(self) -> None:
        """End the engine."""
        self._stack.close()


def _checked_sets(order: CheckOrder, benchmarks: Sequence[Benchmark], families: Families) -> list[_CheckedSet]:
    """Return the problemsets of an order.

    Raises:
        BadMessageError: If one of them did not arrive as one that parses.
    """
    stored = [
        nothing_recorded if family is None else family.of_run(benchmark, benchmark.rules).recorded
        for benchmark, family in zip(benchmarks, families, strict=True)
    ]
    found = []
    for number, position in order.sets:
        loaded = benchmarks[number].sets[position] if position < len(benchmarks[number].sets) else None
        if loaded is None or loaded.problemset is None:
            fix = "leave the files alone while they are checked, then repeat the command"
            raise BadMessageError("a problemset did not arrive as it was sent", fix=fix)
        found.append(_CheckedSet(loaded, benchmarks[number].rules, stored[number]))
    return found
