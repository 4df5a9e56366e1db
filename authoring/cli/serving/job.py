"""`benchwright job` and `worker`: the background work of a workspace, without the app."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from authoring.cli.options import (
    DEFAULT_WORKSPACE,
    BudgetCostOption,
    BudgetMinutesOption,
    BudgetTokensOption,
    ByOption,
    JsonOption,
    WorkspaceOption,
    budget_of,
)
from authoring.cli.output import emit, note
from authoring.store.jobs import cancel as cancel_job
from authoring.store.jobs import find as find_job
from authoring.store.jobs import job_result
from authoring.store.jobs import resume as resume_job
from authoring.store.jobs import select as list_jobs
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from authoring.store.jobs import Job

JobArgument = Annotated[int, typer.Argument(metavar="ID", help="The job's number, as the list shows it.")]


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    _register_worker(app)
    commands = typer.Typer(help="Order background work, follow it, cancel or resume it.", no_args_is_help=True)
    commands.command("list", help="List the newest jobs and what became of them.")(list_all)
    commands.command("show", help="Show a job: state, progress, the end of its log, its result or error.")(show)
    commands.command("order", help="Queue a job for a worker (benchwright worker).")(order)
    commands.command("cancel", help="Cancel a queued job at once, a running one within seconds.")(cancel)
    commands.command("resume", help="Queue a failed, cancelled or interrupted job again.")(resume)
    app.add_typer(commands, name="job")


def list_all(
    state: Annotated[list[str] | None, typer.Option(help="Only these states, such as failed; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """List jobs."""
    jobs = list_jobs(Workspace.open(workspace, create=False), limit, checked_states(state))
    emit({"jobs": [job_summary(job) for job in jobs]}, as_json, "\n".join(map(_line, jobs)) or "no jobs")
    return 0


def show(job: JobArgument, workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Show one job; 0: it is well, 1: it failed."""
    ws = Workspace.open(workspace, create=False)
    found = find_job(ws, job)
    summary = {**job_summary(found), "log": found.log_tail, "result": job_result(ws, job)}
    emit(summary, as_json, f"{_line(found)}\n\n{found.log_tail}".rstrip())
    return 1 if found.state == JobState.FAILED else 0


def order(
    kind: Annotated[str, typer.Argument(help="What to do, such as draft; a wrong one lists them all.")],
    payload: Annotated[str, typer.Option(metavar="JSON", help="The fields of the order, a JSON object.")] = "{}",
    by: ByOption = "",
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Queue a job."""
    from authoring.jobs.kinds import order_job

    job = order_job(Workspace.open(workspace, create=False), kind, payload, created_by=by)
    emit(job_summary(job), as_json, _line(job))
    return 0


def cancel(job: JobArgument, workspace: WorkspaceOption = DEFAULT_WORKSPACE, as_json: JsonOption = False) -> int:
    """Cancel a job."""
    found = cancel_job(Workspace.open(workspace, create=False), job)
    emit(job_summary(found), as_json, _line(found))
    return 0


def resume(
    job: JobArgument,
    budget_tokens: BudgetTokensOption = None,
    budget_cost: BudgetCostOption = None,
    budget_minutes: BudgetMinutesOption = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    as_json: JsonOption = False,
) -> int:
    """Queue a job again, with another budget if one is given."""
    budget = budget_of(budget_tokens, budget_cost, budget_minutes)
    changes = {"budget": budget.to_json()} if budget else None
    found = resume_job(Workspace.open(workspace, create=False), job, changes)
    emit(job_summary(found), as_json, _line(found))
    return 0


def checked_states(states: list[str] | None) -> list[str] | None:
    """Return the states to list; None: all.

    Raises:
        UsageError: If one of them is none.
    """
    for state in states or ():
        if state not in list(JobState):
            raise UsageError(f"no job has the state {state!r}", fix=f"use one of {', '.join(JobState)}")
    return states or None


def job_summary(job: "Job") -> dict[str, Any]:
    """Return a job as lists show it, as plain JSON values."""
    names = ("id", "kind", "state", "done", "total", "payload", "error", "attempts", "created_by")
    times = ("created_at", "started_at", "finished_at")
    return {name: getattr(job, name) for name in (*names, *times)}


def _line(job: "Job") -> str:
    progress = f"{job.done}/{job.total}" if job.total else ""
    said = f"{job.error['what']}; fix: {job.error['fix']}" if job.error else ""
    return f"{job.id:>5}  {job.kind:<14} {job.state:<12} {progress:<8} {said}".rstrip()


def _register_worker(app: typer.Typer) -> None:
    """Add the command."""
    app.command("worker", help="Work off the jobs of a workspace until SIGTERM or Ctrl-C.")(worker)


def worker(
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    once: Annotated[bool, typer.Option("--once", help="End when no job is left.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Work until told to end."""
    from authoring.worker import run_worker

    note(f"working off the jobs of {str(workspace)!r}; Ctrl-C ends it")
    run_worker(workspace, once=once)
    emit({"workspace": str(workspace), "ended": True}, as_json, "the worker has ended")
    return 0
