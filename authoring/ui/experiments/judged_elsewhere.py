"""How far experiments are that no job of the workspace ran, as the folders of their runs tell it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from authoring.jobs.experiments import parse_experiment, plan_in_workspace
from authoring.store import experiments
from authoring.store.experiments import ExperimentRow
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.experiments.planning import file_mark
from authoring.ui.wording import Chip
from evaluator.errors import ToolkitError
from evaluator.experiments.planned_runs import output_folder
from evaluator.experiments.results import RunResult, run_results
from evaluator.running import RECORDS

NOT_STARTED: Final = Chip("not started", ":material/hourglass_empty:", "gray")
_MEMORY: Final = "experiment:judged:"
_Mark = tuple[str, tuple[tuple[str, int, int], ...]]  # when the file was changed, and the records of its runs


def judged_chip(ws: Workspace, row: ExperimentRow) -> Chip:
    """Return how much of an experiment is judged; records that did not change are not read again in this tab."""
    known: tuple[_Mark, Sequence[Path], Chip] | None = state.recall(f"{_MEMORY}{row.name}")
    if known is not None and known[0] == _mark(row, known[1]):
        return known[2]
    try:
        experiment = parse_experiment(row.name, experiments.read(ws, row.name).text)
        if not (ws.root / output_folder(experiment)).is_dir():
            return NOT_STARTED
        results = run_results(plan_in_workspace(ws, experiment), with_broken=True)
    except (ToolkitError, OSError):  # its page tells what is wrong
        return NOT_STARTED
    places = [each.run.config.out / RECORDS for each in results]
    chip = _chip(results)
    state.remember(f"{_MEMORY}{row.name}", (_mark(row, places), places, chip))
    return chip


def _chip(results: Sequence[RunResult]) -> Chip:
    judged, problems = sum(each.judged for each in results), sum(each.run.problems for each in results)
    if not judged:
        return NOT_STARTED
    said = f"{judged:,} of {problems:,} judged"
    if all(each.state == "done" for each in results):
        return Chip(said, ":material/check_circle:", "green")
    return Chip(said, ":material/timelapse:", "blue")


def _mark(row: ExperimentRow, places: Sequence[Path]) -> _Mark:
    return row.changed_at, tuple(map(file_mark, places))
