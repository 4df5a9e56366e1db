"""Plans of experiments, kept in the tab: reading a benchmark takes a second, and one page needs its plan many times."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from authoring.jobs.experiments import plan_in_workspace
from authoring.store.workspace import Workspace
from authoring.ui import state
from evaluator.errors import ToolkitError
from evaluator.experiments.experiment_file import Experiment
from evaluator.experiments.planned_runs import PlannedBenchmark
from evaluator.installation import shipped_benchmark

_MEMORY: Final = "experiment:plans"
_KEPT: Final = 2  # the text that is typed, and the file
_MOST_FILES: Final = 2_000  # of one benchmark, that are looked at to see whether it has changed

Plan = tuple[PlannedBenchmark, ...]
Mark = tuple[tuple[str, int, int], ...]


def kept_plan(ws: Workspace, experiment: Experiment) -> Plan:
    """Return the runs of an experiment, as `plan_in_workspace` does; anew when a file of its benchmarks has changed.

    Raises:
        ToolkitError: As `plan_in_workspace`.
    """
    plans: dict[tuple[str, Mark], Plan | ToolkitError] = state.recall(_MEMORY) or {}
    marks = tuple(mark for each in experiment.benchmarks for mark in _mark(ws, each.benchmark))
    key = (experiment.model_dump_json(), marks)
    if key not in plans:
        try:
            plans[key] = plan_in_workspace(ws, experiment)
        except ToolkitError as error:
            plans[key] = error
        state.remember(_MEMORY, dict(list(plans.items())[-_KEPT:]))
    found = plans[key]
    if isinstance(found, ToolkitError):
        raise found
    return found


def _mark(ws: Workspace, benchmark: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, size and time of the files of a benchmark."""
    place = ws.root / benchmark
    if not place.exists():
        place = shipped_benchmark(benchmark) or place
    paths = sorted(place.glob("*"))[:_MOST_FILES] if place.is_dir() else [place]
    for path in paths:
        yield _stat(path)


def _stat(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except OSError:
        return (str(path), -1, -1)
    return (str(path), found.st_size, found.st_mtime_ns)
