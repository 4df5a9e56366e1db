"""Jobs that check experiments and run them; a job holds the text that was agreed to, whatever its file says later."""

from contextlib import chdir, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import Payload
from authoring.store.experiments import folder_of
from authoring.store.people import Role
from evaluator.errors import ContentError, ToolkitError, UsageError

if TYPE_CHECKING:
    from evaluator.experiments.experiment_file import Experiment

KEEP: Final = "keep"
REPEAT: Final = "repeat"


class ExperimentOrder(Payload):
    """An experiment."""

    name: str  # of its file
    digest: str  # of its text, which lies in the workspace's store
    replies: Literal["", "keep", "repeat"] = ""  # of models: keep them beside the file, or answer from what was kept


@job(
    "experiment_check",
    title="Check an experiment",
    lane="interactive",
    payload=ExperimentOrder,
    roles=(Role.EVALUATOR,),
)
def check_experiment(context: JobContext, payload: ExperimentOrder) -> dict[str, Any]:
    """Make every agent once, and return what is still to ask of models."""
    from authoring.jobs.experiments import plan_in_workspace
    from evaluator.experiments.execution import check_agents
    from evaluator.experiments.forecast import forecast
    from evaluator.experiments.results import run_results

    experiment = _ordered(context, payload)
    planned = plan_in_workspace(context.workspace, experiment, context.sandbox_choice())
    with chdir(context.workspace.root):  # from where paths of agents count
        check_agents(experiment, planned, record=_folder(context, payload, KEEP), recorded=_replies(context, payload))
        ahead = forecast(run_results(planned), asks=payload.replies != REPEAT)
    return {"name": payload.name, "digest": payload.digest, **ahead.to_json(), "text": ahead.to_text()}


@job(
    "experiment",
    title="Run an experiment",
    lane="batch",
    payload=ExperimentOrder,
    roles=(Role.EVALUATOR,),
    asks_model=True,
)
def experiment(context: JobContext, payload: ExperimentOrder) -> dict[str, Any]:
    """Run what is not judged yet, and enter the runs in the workspace; the same job again goes on where it stopped."""
    from authoring.jobs.experiments import enter_runs, plan_in_workspace
    from evaluator.experiments.execution import check_agents, run_experiment
    from evaluator.models import BudgetSpentError

    ordered = _ordered(context, payload)
    planned = plan_in_workspace(context.workspace, ordered, context.sandbox_choice())
    totals = [sum(run.problems for run in each.runs) for each in planned]
    before = {id(each): sum(totals[:number]) for number, each in enumerate(planned)}
    facts = {"experiment": payload.name, "started_by": context.job.created_by, "job": context.job.id}
    record, recorded = _folder(context, payload, KEEP), _replies(context, payload)
    try:
        with chdir(context.workspace.root):
            check_agents(ordered, planned, record=record, recorded=recorded)
            summaries = run_experiment(
                ordered,
                planned,
                record=record,
                recorded=recorded,
                on_event=lambda each, event: context.report(
                    before.get(id(each), 0) + event.done,
                    sum(totals),
                    f"{f'{each.content.name} {event.problemset}'.strip()}: {event.verdict or event.kind.value}",
                ),
            )
    except BudgetSpentError as error:
        with suppress(ToolkitError):  # records that cannot be read hide not why it ended
            enter_runs(context.workspace, planned, facts=facts)
        fix = "raise 'budget' in its file, then check and start it again: what is judged is kept"
        raise ContentError(error.what, where=error.where or payload.name, fix=fix) from error
    except ToolkitError as error:
        with suppress(ToolkitError):
            enter_runs(context.workspace, planned, facts=facts)
        error.fix = error.fix.replace("with --out", "as 'out' in the file")  # there is no such option here
        raise
    return {
        "name": payload.name,
        "runs": enter_runs(context.workspace, planned, summaries, facts),
        "not_judged": sum(summary.not_judged for summary in summaries),
        "refused": sorted({name for summary in summaries for name in summary.refused}),
        "diagnostics": [each.to_json() for each in dict.fromkeys(e for s in summaries for e in s.diagnostics)],
    }


def _ordered(context: JobContext, payload: ExperimentOrder) -> "Experiment":
    """Return the experiment as it was ordered.

    Raises:
        UsageError: If its text is not in the workspace's store any more.
        ContentError: If it is wrong.
    """
    from authoring.jobs.experiments import parse_experiment

    path = context.workspace.blob_path(payload.digest)
    if not path.is_file():
        what = "the text that was ordered is not in the workspace's store any more"
        raise UsageError(what, where=payload.name, fix="open the experiment and start it again")
    return parse_experiment(payload.name, path.read_text(encoding="utf-8"))


def _folder(context: JobContext, payload: ExperimentOrder, wish: str) -> Path | None:
    return folder_of(context.workspace) / f"{payload.name}.replies" if payload.replies == wish else None


def _replies(context: JobContext, payload: ExperimentOrder) -> Path | None:
    """Return the folder of kept replies where models are answered from it.

    Raises:
        UsageError: If nothing was kept.
    """
    folder = _folder(context, payload, REPEAT)
    if folder is not None and not folder.is_dir():
        what = "no replies were kept of this experiment"
        raise UsageError(what, where=str(folder), fix="run it once with 'keep them'")
    return folder
