"""Experiments of a workspace as runs: paths in their files count from its folder, as for a command run there."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from authoring.store import runs
from authoring.store.runs import index_attempts
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError

if TYPE_CHECKING:
    from evaluator.experiments.experiment_file import Experiment
    from evaluator.experiments.planned_runs import PlannedBenchmark
    from evaluator.experiments.results import ExperimentReport
    from evaluator.running import RunSummary
    from evaluator.session import SandboxChoice


def parse_experiment(name: str, text: str) -> "Experiment":
    """Return an experiment as its text says it.

    Raises:
        ContentError: If it is no YAML, or a key or value is wrong; `where` is the name of the file and the line.
    """
    from evaluator.experiments.experiment_file import read_experiment

    with TemporaryDirectory(prefix="benchwright-experiment-") as folder:
        path = Path(folder) / "experiment.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            return read_experiment(path)
        except ContentError as error:
            where = error.where.replace(str(path), f"{name}.yaml")
            raise ContentError(error.what, where=where, fix=error.fix) from error


def plan_in_workspace(
    ws: Workspace, experiment: "Experiment", sandbox: "SandboxChoice | None" = None
) -> tuple["PlannedBenchmark", ...]:
    """Return the runs of an experiment, with their places as whole paths; nothing is started or written.

    Raises:
        UsageError: If there is no such benchmark or problemset, or there are too many runs.
        ContentError: If a benchmark's manifest is broken, or two entries have one title.
    """
    from evaluator.experiments.planned_runs import plan_experiment
    from evaluator.session import SandboxChoice

    entries = [
        each.model_copy(update={"benchmark": str(ws.root / each.benchmark)})
        if (ws.root / each.benchmark).exists()
        else each
        for each in experiment.benchmarks
    ]
    placed = experiment.model_copy(update={"benchmarks": tuple(entries)})
    planned = plan_experiment(placed, sandbox=sandbox or SandboxChoice.AUTO)
    return tuple(
        replace(
            each,
            runs=tuple(replace(run, config=replace(run.config, out=ws.root / run.config.out)) for run in each.runs),
        )
        for each in planned
    )


def report_of(experiment: "Experiment", planned: Sequence["PlannedBenchmark"]) -> "ExperimentReport":
    """Return the table of an experiment as the folders of its runs tell it.

    A run that cannot be read says so; so does one that is another than the experiment's, as far as that can be told
    from elsewhere than the workspace's folder, from which paths of agents count.

    Raises:
        UsageError: If there are no published rows as the file says.
    """
    from evaluator.experiments.published_rows import rows_beside
    from evaluator.experiments.results import experiment_report

    return experiment_report(
        experiment.name,
        planned,
        rows_beside(experiment),
        about=experiment.about,
        with_broken=True,
        with_files=False,
    )


def enter_runs(
    ws: Workspace,
    planned: Sequence["PlannedBenchmark"],
    summaries: Sequence["RunSummary"] = (),
    facts: Mapping[str, Any] = MappingProxyType({}),
    *,
    known: Container[str] = (),
) -> list[int]:
    """Enter what the runs of an experiment have recorded as runs of the workspace, and return their ids.

    A run whose records cannot be read keeps no other one out; what is another run than the experiment's is none of it.

    Args:
        ws: The workspace.
        planned: The runs.
        summaries: What they came to, where they are at their end.
        facts: What the workspace keeps beside it, plain JSON.
        known: Folders of runs that are left as they are.

    Raises:
        ToolkitError: If the records of a run cannot be read; all others are entered then.
    """
    from evaluator.experiments.counted_records import all_attempts
    from evaluator.experiments.output_folders import compared_with_folders
    from evaluator.running import RECORDS

    told = {summary.out: summary.to_json() for summary in summaries}
    entered: list[int] = []
    faults: list[ToolkitError] = []
    for each in compared_with_folders(planned, with_files=False):
        with_policy = len({run.titles[2] for run in each.runs}) > 1
        for run in each.runs:
            out = run.config.out
            if run.other or str(out) in known or not (out / RECORDS).is_file():
                continue
            try:
                records = all_attempts(run)
            except ToolkitError as error:
                faults.append(error)
                continue
            _, agent, policy = run.titles
            run_id = runs.insert(
                ws,
                release=f"{each.content.name} {each.content.version}",
                agent=f"{agent}, {policy}" if with_policy else agent,
                out_dir=str(out),
                summary={**told.get(out, {}), **facts},
                adds=out not in told,  # what an earlier start told of a run that is done stays
            )
            index_attempts(ws, run_id, map(vars, records))
            entered.append(run_id)
    if faults:
        raise faults[0]
    return entered
