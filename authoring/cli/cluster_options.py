"""The options of commands that may work over a Dask cluster, and what of them does not fit together."""

from typing import Annotated, Any

import typer

from evaluator.running import Executor
from evaluator.running.config import no_address, refuse_many_processes, refuse_odd_scheduler


def executor_option(what: str, panel: str | None = None) -> Any:
    """Return the option that says where something is done; `what` begins its help, as in "Where drafts are written"."""
    return typer.Option("--executor", help=f"{what}: by this process, or over a Dask cluster.", rich_help_panel=panel)


def scheduler_option(processes: str = "--workers", panel: str | None = None) -> Any:
    """Return the option that names a cluster; `processes` says what counts those of a cluster that is started here."""
    said = "With --executor dask: tls://HOST:PORT, or tcp://127.0.0.1:PORT."
    default = f"[default: {processes} processes here]"
    return typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help=f"{said}  {default}",
        rich_help_panel=panel,
        callback=_refuse_no_address,
    )


def _refuse_no_address(context: typer.Context, scheduler: str) -> str:
    """Refuse an address that was given, but is empty, as a variable may be: no cluster is started in its place.

    Raises:
        UsageError: If it is.
    """
    source = context.get_parameter_source("scheduler")
    if not scheduler.strip() and source is not None and source.name != "DEFAULT":
        raise no_address(scheduler)
    return scheduler


SchedulerOption = Annotated[str, scheduler_option()]


def refuse_odd_cluster(executor: Executor, scheduler: str, workers: int) -> None:
    """Refuse a scheduler that nobody asks, and workers that nobody starts, or no machine.

    Args:
        executor: Where something is done.
        scheduler: The address of a cluster's; empty: none was named.
        workers: As --workers says.

    Raises:
        UsageError: If there is something.
    """
    refuse_odd_scheduler(executor, scheduler, are_workers_counted=workers > 1)
    if executor is Executor.DASK and not scheduler:
        refuse_many_processes(workers)


def refuse_no_cluster(scheduler: str) -> None:
    """Refuse a cluster without Dask, and a scheduler's address that cannot be used.

    Raises:
        UsageError: If Dask is not installed, or the address is not safe.
    """
    from evaluator.running.cluster.run_on_cluster import refuse_without_dask  # late: few commands are on a cluster

    refuse_without_dask()
    if scheduler:
        from evaluator.running.cluster.connection import refuse_unsafe  # late: Dask is an extra

        refuse_unsafe(scheduler)
