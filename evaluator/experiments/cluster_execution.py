"""Runs an experiment over a Dask cluster: run by run, all over one cluster, each as `benchwright run` does."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluator.errors import UsageError
from evaluator.experiments.execution import OnEvent
from evaluator.experiments.experiment_file import Experiment
from evaluator.experiments.ledger import Ledger, opened_ledger
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun, experiment_folder
from evaluator.experiments.results import spent_before
from evaluator.models import Spent
from evaluator.running import EventKind, Executor, RunEvent, RunSummary
from evaluator.running.cluster.run_on_cluster import pieces_of_work, refuse_without_dask, run_on_cluster
from evaluator.running.plan import plan_run
from evaluator.running.run import refuse_bad_numbers

if TYPE_CHECKING:
    from evaluator.running.cluster.dask_executor import DaskCluster


def refuse_what_one_machine_does(experiment: Experiment, planned: Sequence[PlannedBenchmark]) -> None:
    """Refuse an experiment that cannot be run over a cluster.

    Raises:
        UsageError: If it has a budget, which one process alone can watch, or a judge of figures.
    """
    if any(run.config.judge for each in planned for run in each.runs):
        fix = "take 'judge' out of the experiment's file, or leave out --executor"
        raise UsageError("figures are judged on one machine, not over a cluster", where="judge", fix=fix)
    if experiment.limits is not None:
        fix = "take 'budget' out of the experiment's file, or leave out --executor"
        raise UsageError("a budget is watched on one machine, not over a cluster", where="budget", fix=fix)


def run_experiment_on_cluster(
    experiment: Experiment,
    planned: Sequence[PlannedBenchmark],
    *,
    scheduler: str = "",
    on_event: OnEvent = lambda _planned, _event: None,
) -> tuple[RunSummary, ...]:
    """Run what is not judged yet, one run after the other; what was stopped resumes here or on one machine.

    What models take is written into the ledger when a run ends or is stopped, by its records.

    Args:
        experiment: As its file says it; its `workers` are the processes of a cluster that is started here.
        planned: Its runs.
        scheduler: The address of a cluster's; empty: one is started on this machine.
        on_event: Told what happens; counts are of all runs on that benchmark.

    Returns:
        What each run came to, in order.

    Raises:
        UsageError: If the experiment cannot be run so, Dask is not installed, or the address cannot be used.
        ContentError, ToolkitError, KeyboardInterrupt: As `run_on_cluster` and `run_experiment`.
    """
    refuse_what_one_machine_does(experiment, planned)
    refuse_without_dask()
    from evaluator.running.cluster.dask_executor import DaskCluster  # late: Dask is an extra

    with (
        opened_ledger(experiment_folder(planned), lambda: spent_before(planned)) as ledger,
        DaskCluster.open(scheduler, workers=1 if scheduler else _processes(experiment, planned)) as cluster,
    ):
        runs = [_run_benchmark(each, cluster, ledger, _telling(each, on_event)) for each in planned]
        return tuple(summary for each in runs for summary in each)


def _processes(experiment: Experiment, planned: Sequence[PlannedBenchmark]) -> int:
    """Return how many processes are of use: runs follow one another, so that those of the largest one are enough."""
    runs = ((each.content, run.config) for each in planned for run in each.runs)
    plans = ((config, plan_run(content, names=config.sets, limit=config.limit)) for content, config in runs)
    return min(experiment.workers, max((pieces_of_work(config, plan) for config, plan in plans), default=1))


def _telling(planned: PlannedBenchmark, on_event: OnEvent) -> Callable[[RunEvent, int], None]:
    total = sum(run.problems for run in planned.runs)
    return lambda event, before: on_event(planned, replace(event, done=before + event.done, total=total))


def _run_benchmark(
    planned: PlannedBenchmark, cluster: "DaskCluster", ledger: Ledger, tell: Callable[[RunEvent, int], None]
) -> list[RunSummary]:
    summaries: list[RunSummary] = []
    for run in planned.runs:
        config, before = replace(run.config, executor=Executor.DASK), sum(map(_verdicts, summaries))
        refuse_bad_numbers(config)

        with _noted(ledger, planned, run) as begin:

            def on_event(event: RunEvent, before: int = before, begin: Callable[[], None] = begin) -> None:
                if event.kind is EventKind.STARTED:
                    begin()
                tell(event, before)

            family = planned.family(run)
            summary = run_on_cluster(config, planned.content, on_event=on_event, family=family, cluster=cluster)
        summaries.append(summary)
    return summaries


def _verdicts(summary: RunSummary) -> int:
    return summary.judged + summary.not_judged


@contextmanager
def _noted(ledger: Ledger, planned: PlannedBenchmark, run: PlannedRun) -> Iterator[Callable[[], None]]:
    """Yield what is called once the run begins; write down what models take from then on, by the records of the run.

    Not before: its folder then forgets what was NOT_JUDGED, which earlier starts have counted.
    """
    alone, before = [replace(planned, runs=(run,))], list[Spent]()
    try:
        yield lambda: before.append(spent_before(alone))
    finally:
        if before:
            now = spent_before(alone)
            tokens, cost = now.tokens - before[0].tokens, now.cost - before[0].cost
            ledger.note(returned=Spent(), spent=Spent(max(0, tokens), max(0.0, cost)))
