"""Problemsets execute against themselves over a cluster: each is a task, and findings are told in their order."""

import queue
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.errors import ToolkitError
from evaluator.language import Benchmark, LoadedSet
from evaluator.running.checking.self_check import joined_checks, problem_count, tries_cheats
from evaluator.running.checking.set_check import SelfCheck
from evaluator.running.cluster.check_task_runner import Families, prepare_check
from evaluator.running.cluster.check_tasks import CheckOrder, SetPlace, read_check, read_task, task_bytes
from evaluator.running.cluster.checks import LEAST_DISK, WorkerRequirements
from evaluator.running.cluster.file_bundle import BundledFile, FileBundle, benchmark_files, pack
from evaluator.running.cluster.messages import Fields
from evaluator.running.cluster.prepared_workers import prepared
from evaluator.running.cluster.run_on_cluster import refuse_without_dask
from evaluator.running.cluster.task_retries import work_off
from evaluator.running.config import EventKind, RunEvent
from evaluator.running.family_rules import FamilyRules
from evaluator.running.plan import identify_sets, whole_set
from evaluator.session import Environment, SandboxChoice

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
    from evaluator.running.cluster.given_tasks import TaskResult


@dataclass(frozen=True)
class CheckedBenchmark:
    """A benchmark of which some problemsets are checked."""

    named: Path  # what it was read from
    content: Benchmark
    family: FamilyRules | None = None  # how its problems are scored, where they are of one


@contextmanager
def open_cluster_check(
    benchmarks: Sequence[CheckedBenchmark], *, scheduler: str, workers: int
) -> Iterator["ClusterCheck"]:
    """Yield what checks problemsets over a cluster.

    Args:
        benchmarks: All that are checked; a problemset in two of them belongs to the first.
        scheduler: The address of a cluster's; empty: one is started on this machine.
        workers: Processes of such a cluster (count); no more are started than there are problemsets.

    Raises:
        UsageError: If Dask is not installed, or the address cannot be used.
        ToolkitError: If the scheduler is not fit.
    """
    refuse_without_dask()
    from evaluator.running.cluster.dask_executor import DaskCluster  # late: Dask is an extra

    paths = {loaded.path.resolve() for each in benchmarks for loaded in each.content.sets}
    with DaskCluster.open(scheduler, workers=min(workers, max(1, len(paths)))) as cluster:
        yield ClusterCheck(cluster, tuple(benchmarks))


@dataclass(frozen=True)
class ClusterCheck:
    """Checks problemsets over a cluster."""

    cluster: "DaskCluster"
    benchmarks: tuple[CheckedBenchmark, ...]

    def self_check(
        self,
        sets: Sequence[LoadedSet],
        *,
        environment: Environment,
        sandbox: SandboxChoice = SandboxChoice.AUTO,
        rng_seed: int = 0,
        cheat: bool | None = None,
        on_event: Callable[[RunEvent], None] = lambda _event: None,
    ) -> SelfCheck:
        """Return what `evaluator.running.checking.self_check.self_check` returns.

        Args:
            sets: Problemsets of the benchmarks, without errors.
            environment: Where their code runs: that of the same name on each worker.
            sandbox: Where to run them.
            rng_seed: Seeds the random states.
            cheat: Whether cheating is tried; None: on few problems.
            on_event: Told of each problemset that was executed.

        Raises:
            ToolkitError: If the scheduler or a worker is not fit, is lost, or cannot execute a problemset.
        """
        from evaluator.running.cluster.dask_executor import WorkSpec  # late: Dask is an extra

        cheats, wanted = tries_cheats(sets, cheat), _shipped(self.benchmarks, sets)
        order = CheckOrder(wanted.benchmarks, wanted.sets, environment.name, sandbox, rng_seed, cheats)
        needs = WorkerRequirements(disk=LEAST_DISK + 2 * len(wanted.bundle.data))
        work = WorkSpec(partial(prepare_check, wanted.families), order.to_bytes(), wanted.bundle.data, needs)
        try:
            told = prepared(self.cluster, work)
            _refuse_other_sets(next(iter(told.values())).inner("same"), sets)
            return joined_checks(self._worked_off(work, sets, on_event), cheated=cheats)
        finally:
            self.cluster.release(work)

    def _worked_off(
        self, work: "WorkSpec", sets: Sequence[LoadedSet], on_event: Callable[[RunEvent], None]
    ) -> list[SelfCheck]:
        """Return what was found in each problemset, in their order."""
        from evaluator.running.cluster.given_tasks import ClusterTask

        waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
        for number, loaded in enumerate(sets):
            waiting.put(ClusterTask(loaded.name, partial(task_bytes, number)))
        found: dict[int, SelfCheck] = {}
        total = problem_count(sets)
        on_event(RunEvent(EventKind.STARTED, 0, total))

        def keep(done: "TaskResult") -> ToolkitError | None:
            if done.error is not None:
                return done.error
            number = read_task(done.sent)
            loaded = sets[number]
            found[number] = read_check(done.result, loaded, place=done.worker)
            judged, last = problem_count(sets[each] for each in found), problem_count([loaded])
            on_event(RunEvent(EventKind.JUDGED, judged, total, loaded.name, last))
            return None

        work_off(self.cluster, work, waiting, keep)
        return [found[number] for number in range(len(sets))]


@dataclass(frozen=True)
class _Shipped:
    benchmarks: tuple[str, ...]  # where each lies among the files
    families: Families
    sets: tuple[SetPlace, ...]
    bundle: FileBundle


def _shipped(benchmarks: Sequence[CheckedBenchmark], sets: Sequence[LoadedSet]) -> _Shipped:
    """Return the files of those benchmarks that have some of the problemsets; a folder is shipped once."""
    places: dict[Path, SetPlace] = {}
    for number, each in enumerate(benchmarks):
        for position, loaded in enumerate(each.content.sets):
            places.setdefault(loaded.path.resolve(), SetPlace(number, position))
    wanted = [places[loaded.path.resolve()] for loaded in sets]
    used = sorted({place.benchmark for place in wanted})
    roots = list(dict.fromkeys(benchmarks[number].content.root.resolve() for number in used))
    files, where = dict[str, BundledFile](), list[str]()
    for number in used:
        one = benchmarks[number]
        found, folder = benchmark_files(one.content, one.named), roots.index(one.content.root.resolve())
        where.append(f"{folder}/{found.place}")
        files |= {place: BundledFile(place, file.path) for file in found.files if (place := f"{folder}/{file.place}")}
    families = tuple(None if (family := benchmarks[number].family) is None else type(family) for number in used)
    moved = tuple(SetPlace(used.index(place.benchmark), place.position) for place in wanted)
    return _Shipped(tuple(where), families, moved, pack(files.values()))


def _refuse_other_sets(told: Fields, sets: Sequence[LoadedSet]) -> None:
    """Refuse workers that have other problemsets than we.

    Raises:
        ToolkitError: If they have.
    """
    here = [asdict(each) for each in identify_sets(map(whole_set, sets))]
    if told.listed("sets") != here:
        what = "the problemsets that arrived on the workers are not those that are here"
        raise ToolkitError(what, where="Dask cluster", fix="leave the files alone while they are checked, then repeat")
