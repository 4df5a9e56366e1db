"""A run over a cluster: the client ships, gives out problemsets, and alone writes what comes back."""

import contextlib
import queue
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from evaluator.agents.replay import NO_RECORD, missing_note
from evaluator.errors import ToolkitError, UsageError
from evaluator.language import Benchmark
from evaluator.running.cluster.checks import LEAST_DISK, WorkerRequirements
from evaluator.running.cluster.file_bundle import FileBundle, agent_files, benchmark_files, pack
from evaluator.running.cluster.messages import Fields
from evaluator.running.cluster.prepared_workers import prepared
from evaluator.running.cluster.run_task_runner import prepare_run
from evaluator.running.cluster.task_retries import work_off
from evaluator.running.cluster.tasks import RunOrder, SetTask, read_result
from evaluator.running.config import Executor, RunConfig, RunEvent, RunSummary
from evaluator.running.family_rules import FamilyRules
from evaluator.running.plan import PlannedSet, RunPlan, identify_sets, plan_run
from evaluator.running.run_agent import agent_of_run, paths_hidden
from evaluator.running.run_folder import RECORDS, RunFolder
from evaluator.running.run_keeper import RunKeeper
from evaluator.running.run_manifest import RunIdentity, SetIdentity, identity_of
from evaluator.running.tally import Tally, read_tally

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec
    from evaluator.running.cluster.given_tasks import TaskResult


def run_on_cluster(
    config: RunConfig,
    benchmark: Benchmark,
    *,
    on_event: Callable[[RunEvent], None],
    trusted: bool = False,
    family: FamilyRules | None = None,
    needs: WorkerRequirements | None = None,
    discarded: tuple[str, ...] | None = None,
    cluster: "DaskCluster | None" = None,
) -> RunSummary:
    """Run an agent on a benchmark over a cluster; the same config resumes, here or on one machine.

    Args:
        config: What to run.
        benchmark: As it was read.
        on_event: Told what happens, one event at a time.
        trusted: The benchmark is our own shipped code.
        family: How problems are asked and scored, where they are of a family.
        needs: What workers must have left.
        discarded: Names of files that go, with the records and the manifest of an earlier run, once the workers are
            ready; None: nothing goes.
        cluster: One that is open, and stays so; None: that of the config.

    Raises:
        UsageError: If an option does not work over a cluster, or Dask is not installed.
        ContentError: If the folder holds another run, or another run is writing to it.
        ToolkitError: If the scheduler or a worker is not fit, or is lost.
        KeyboardInterrupt: After Ctrl-C, once the records are safe.
    """
    refuse_without_dask()
    plan = plan_run(benchmark, names=config.sets, limit=config.limit)
    folder = RunFolder.acquire(config.out)
    try:
        order, bundle = _shipped(config, benchmark, trusted)
        return _run(config, benchmark, plan, folder, order, bundle, on_event, family, needs, discarded, cluster)
    finally:
        folder.close()


def refuse_without_dask() -> None:
    """Refuse to go on without Dask.

    Raises:
        UsageError: If it is not installed.
    """
    if find_spec("distributed") is None or find_spec("cryptography") is None:
        raise UsageError("Dask is not installed", where="--executor dask", fix="pip install 'benchwright[dask]'")


def _shipped(config: RunConfig, benchmark: Benchmark, trusted: bool) -> tuple[RunOrder, FileBundle]:
    shipped = benchmark_files(benchmark, config.benchmark, apart_from=config.out)
    agent, more = agent_files(config.agent)
    absolute = replace(config, benchmark=config.benchmark.absolute(), out=config.out.absolute())
    hidden = tuple(sorted({str(path) for path in paths_hidden(absolute)}))  # as at a first start, without the folder
    plain = replace(absolute, executor=Executor.LOCAL, scheduler="", workers=1, concurrency=1)
    return RunOrder(plain, shipped.place, agent, trusted, hidden), pack((*shipped.files, *more))


def _run(
    config: RunConfig,
    benchmark: Benchmark,
    plan: RunPlan,
    folder: RunFolder,
    order: RunOrder,
    bundle: FileBundle,
    on_event: Callable[[RunEvent], None],
    family: FamilyRules | None,
    needs: WorkerRequirements | None,
    discarded: tuple[str, ...] | None,
    opened: "DaskCluster | None",
) -> RunSummary:
    from evaluator.running.cluster.dask_executor import DaskCluster, WorkSpec  # late: Dask is an extra

    with contextlib.ExitStack() as stack:
        cluster = opened
        if cluster is None:
            processes = config.workers
            if processes > 1 and not config.scheduler:
                processes = min(processes, pieces_of_work(config, plan, fresh=discarded is not None))
            cluster = stack.enter_context(DaskCluster.open(config.scheduler, workers=processes))
        order = _as_wide_as(cluster.threads, order, config.concurrency)
        needs = needs or WorkerRequirements(disk=LEAST_DISK + 2 * len(bundle.data))
        build = partial(prepare_run, None if family is None else type(family))
        work = WorkSpec(build, order.to_bytes(), bundle.data, needs)
        try:
            told = prepared(cluster, work)
            identity, scale = _agreed(told, plan)
            kind, _, file = config.agent.partition(":")
            agent = agent_of_run(config) if kind == "replay" else None  # which names its file as it is called here
            notes = agent.describe().notes if agent is not None else told[next(iter(told))].texts("notes")
            if discarded is not None:
                folder.discard(*discarded)
            keeper = RunKeeper(config, plan, identity, folder, on_event, time_scale=scale)
            with keeper.opened():
                missing = _work_off(cluster, work, keeper, identity, benchmark)
            return keeper.end((*notes, *missing_note(missing, file)))
        finally:
            cluster.release(work)


def pieces_of_work(config: RunConfig, plan: RunPlan, *, fresh: bool = False) -> int:
    """Return how many problemsets lack a verdict, each counted in each epoch; at least 1: workers say what they are.

    Args:
        config: Of the run.
        plan: Of the run.
        fresh: Whether what an earlier run left counts for nothing.
    """
    records, tally = config.out / RECORDS, Tally()
    if not fresh and records.is_file():
        with contextlib.suppress(ToolkitError, OSError):  # what is wrong with it is told when the run begins
            tally, _ = read_tally(records)
    passes = ((each, epoch) for epoch in range(1, config.epochs + 1) for each in plan.sets)
    return max(1, sum(bool(tally.missing(each.loaded.name, epoch, each.problems)) for each, epoch in passes))


def _as_wide_as(threads: Mapping[str, int], order: RunOrder, concurrency: int) -> RunOrder:
    """Return the order for workers of these threads: what is done at once on a machine, and of models in all."""
    hosts: dict[str, int] = {}
    for worker, count in threads.items():
        host = worker.rpartition(":")[0]
        hosts[host] = hosts.get(host, 0) + count
    return replace(
        order,
        threads_of_machine=max(hosts.values(), default=1),
        concurrency=max(1, concurrency // max(1, sum(hosts.values()))),
    )


def _agreed(told: Mapping[str, Fields], plan: RunPlan) -> tuple[RunIdentity, float]:
    """Return what the workers agree in, the run's identity, and how slow the slowest of their machines is.

    Raises:
        ToolkitError: If they have other problemsets than we.
    """
    first = identity_of(next(iter(told.values())).inner("same").content, where="Dask cluster")
    if first.sets != identify_sets(plan.sets):
        what = "the problemsets that arrived on the workers are not those that are here"
        raise ToolkitError(what, where="Dask cluster", fix="leave the benchmark alone while it is run, then repeat")
    return first, max(each.number("time_scale") for each in told.values())


def _work_off(
    cluster: "DaskCluster",
    work: "WorkSpec",
    keeper: RunKeeper,
    identity: RunIdentity,
    benchmark: Benchmark,
) -> set[tuple[str, int]]:
    """Give out what has no verdict and keep what comes back; return which problems a replay has no record of.

    Raises:
        ToolkitError: If a problemset could not be judged to its end: at once where more of the same is to be
            expected, else after all others.
    """
    from evaluator.running.cluster.given_tasks import ClusterTask

    waiting: queue.SimpleQueue[ClusterTask] = queue.SimpleQueue()
    sets = {entry.name: entry for entry in identity.sets}
    for epoch, planned in keeper.passes():
        if keeper.missing(planned, epoch):
            name = planned.loaded.name
            make = partial(_task_of, keeper, planned, epoch, sets[name])
            waiting.put(ClusterTask(name, make, partial(keeper.missing, planned, epoch)))
    missing: set[tuple[str, int]] = set()
    work_off(cluster, work, waiting, lambda done: _kept(done, keeper, identity, benchmark, missing))
    return missing


def _task_of(keeper: RunKeeper, planned: PlannedSet, epoch: int, identity: SetIdentity) -> bytes:
    missing = keeper.missing(planned, epoch)
    return SetTask(identity, epoch, missing, keeper.answers(planned, epoch, missing)).to_bytes()


def _kept(
    done: "TaskResult", keeper: RunKeeper, identity: RunIdentity, benchmark: Benchmark, missing: set[tuple[str, int]]
) -> ToolkitError | None:
    """Keep what was judged; return what ended the work, if anything did."""
    if done.error is not None:
        return done.error
    task = SetTask.from_bytes(done.sent)
    result = read_result(done.result, task, identity, root=benchmark.root, place=done.worker)
    for judged in result.judged:
        keeper.keep(judged)
        if NO_RECORD in judged.records[0].labels:
            missing.add((judged.key.problemset, judged.key.index))
    if result.diagnostics:
        keeper.refuse(done.task.name, result.diagnostics)
    elif result.error is None and done.task.lacks():  # Dask took it for cancelled meanwhile, and wanted it again
        what = f"not all of the problemset {done.task.name!r} came back"
        return ToolkitError(what, where=done.worker or "Dask cluster", fix="repeat the same command: it resumes")
    return result.error
