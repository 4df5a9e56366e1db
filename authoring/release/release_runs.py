"""Run an agent on a release, or on any benchmark, and enter the run and its records in the workspace."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from authoring.store import runs
from authoring.store.runs import index_attempts
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from evaluator.agents import Agent
    from evaluator.families.predicted_run import PredictedRun
    from evaluator.running import ImportedRun, RunConfig, RunEvent, RunSummary
    from evaluator.scoring.grading import FigureJudge
    from evaluator.session import SandboxChoice


def run_in_workspace(
    ws: Workspace,
    config: "RunConfig",
    *,
    label: str,
    agent: "Agent | None" = None,
    figure_judge: "FigureJudge | None" = None,
    called: str | None = None,
    facts: Mapping[str, Any] = MappingProxyType({}),
    trusted: bool = False,
    on_event: "Callable[[RunEvent], None] | None" = None,
) -> tuple[int, "RunSummary"]:
    """Run, or resume, what `config` says and return the run's id in the workspace and its summary.

    Args:
        ws: The workspace.
        config: Benchmark, agent, output folder and the rest.
        label: What the runs table calls the benchmark, such as "core 1.0".
        agent: Runs instead of the one that the config names.
        figure_judge: Looks at figures where problems ask for it; None: what hangs on it is NOT_JUDGED.
        called: What the runs table calls the agent; None: as the config does.
        facts: What the workspace keeps beside the summary, plain JSON: who started it, what was asked.
        trusted: The benchmark is our own shipped code: no sandbox is needed.
        on_event: Told of each judged problem.

    Raises:
        UsageError: If the benchmark or the agent does not exist.
        ContentError: If the output folder holds a run of something else.
        ToolkitError: If the engine cannot start or the disk refuses.
    """
    from evaluator.families.live_run import rules_of_run
    from evaluator.language import read_benchmark
    from evaluator.running import run_benchmark

    about = read_benchmark(config.benchmark)
    family = rules_of_run(about, mode=config.mode, rules=config.rules)
    summary = run_benchmark(
        config,
        on_event=on_event,
        trusted=trusted,
        agent=agent,
        benchmark=about,
        family=family,
        figure_judge=figure_judge,
    )
    body = {**summary.to_json(), **facts}
    name = called or config.agent
    run_id = runs.insert(ws, release=label, agent=name, out_dir=str(config.out), summary=body)
    index_attempts(ws, run_id, _records(config.out))
    return run_id, summary


def import_run(
    ws: Workspace, file: Path, out: Path, *, label: str, agent: str = "", benchmark: Path | None = None, by: str = ""
) -> tuple[int, "ImportedRun"]:
    """Import a file of result records, or the folder of a run, and enter it as a run; return its id and what was read.

    Args:
        ws: The workspace.
        file: JSON Lines, ours or published; or a folder that a run wrote.
        out: The folder to write; it may not hold a run already.
        label: What the runs table calls the benchmark, such as "core 1.0"; empty: as the records do.
        agent: What it calls the agent; empty: as the run's manifest, else as the file.
        benchmark: What the records are about; they are checked against it.
        by: Who imports it.

    Raises:
        UsageError: If there is no such file or benchmark.
        ContentError: If a line is no record, or the folder holds a run.
        ToolkitError: If the folder cannot be written.
    """
    from evaluator.running import import_results

    made = import_results(file, out, benchmark=benchmark)
    where = label or f"{made.benchmark} {made.version}".strip()
    facts = {"imported": file.name, "started_by": by, "total": made.asked}
    run_id = runs.insert(ws, release=where, agent=agent or made.agent, out_dir=str(out), summary=facts)
    index_attempts(ws, run_id, _records(out))
    return run_id, made


def import_predicted_run(
    ws: Workspace,
    file: Path,
    out: Path,
    *,
    benchmark: Path,
    label: str,
    agent: str,
    mode: str = "end-to-end",
    rules: str = "published",
    sandbox: "SandboxChoice",
    by: str = "",
) -> tuple[int, "PredictedRun"]:
    """Score CIBench predictions or Qwen results anew and enter them as a run; return its id and what was read.

    Args:
        ws: The workspace.
        file: The predictions, or results; the pictures that it names lie below its folder.
        out: The folder to write; it may not hold a run already.
        benchmark: The folder that the import of its notebooks or records wrote.
        label: What the runs table calls the benchmark.
        agent: What it calls the agent.
        mode: How the agent was run.
        rules: How outputs are scored: published | sound.
        sandbox: Where pictures are decoded.
        by: Who imports it.

    Raises:
        UsageError: If there is no such file, benchmark, mode or rules.
        ContentError: If the file predicts nothing of the benchmark, or the folder holds a run.
        ToolkitError: If there is no sandbox, or the folder cannot be written.
    """
    from evaluator.families.predicted_run import import_predictions

    made = import_predictions(file, out, benchmark=benchmark, mode=mode, rules=rules, sandbox=sandbox)
    facts = {"imported": file.name, "started_by": by}
    run_id = runs.insert(ws, release=label, agent=agent, out_dir=str(out), summary=facts)
    index_attempts(ws, run_id, _records(out))
    return run_id, made


def _records(out: Path) -> Iterator[Mapping[str, Any]]:
    from evaluator.running import RECORDS, read_records

    return (vars(record) for record in read_records(out / RECORDS))
