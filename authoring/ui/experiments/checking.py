"""What is wrong with the text of an experiment, told by its lines. Nothing is run."""

import re
from pathlib import Path
from typing import NamedTuple

from authoring.jobs.experiments import parse_experiment
from authoring.store.experiments import ExperimentText, folder_of
from authoring.store.people import Role
from authoring.store.releases import select as list_releases
from authoring.store.workspace import Workspace
from authoring.ui.experiments.planning import kept_plan
from authoring.ui.runs.agent_text import check_agent, names_files, read_agent
from authoring.ui.shell.auth import require
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_os
from evaluator.experiments.experiment_file import Experiment
from evaluator.experiments.published_rows import rows_beside
from evaluator.installation import shipped_benchmark
from evaluator.language import read_yaml

_LINE = re.compile(r":(\d+)$")


class CheckedText(NamedTuple):
    """The text of an experiment after a look at it."""

    experiment: Experiment | None  # None: it cannot be read
    diagnostics: tuple[Diagnostic, ...]


def check_text(ws: Workspace, name: str, text: str) -> CheckedText:
    """Return the experiment of a text, and what is wrong with it; its agents are not started."""
    if not text.strip():
        return CheckedText(None, (_diagnostic(name, 1, "the file is empty", "write name, benchmarks and agents"),))
    try:
        experiment = parse_experiment(name, text)
    except ContentError as error:
        found = _LINE.search(error.where)
        return CheckedText(None, (_diagnostic(name, int(found[1]) if found else 1, error.what, error.fix),))
    faults = [*_agent_faults(ws, name, text, experiment), *_published_faults(name, text, experiment)]
    if not faults:
        try:
            kept_plan(ws, experiment)
        except ToolkitError as error:
            faults.append(_plan_fault(name, text, experiment, error))
        except OSError as error:  # such as a name that is longer than any file's
            faults.append(_plan_fault(name, text, experiment, error_from_os(error)))
    return CheckedText(experiment, tuple(faults))


def _agent_faults(ws: Workspace, name: str, text: str, experiment: Experiment) -> list[Diagnostic]:
    """Return what is wrong with each agent, its options and the files that it names."""
    document, faults = read_yaml(text), []
    for number, entry in enumerate(experiment.agents):
        try:
            check_agent(entry.text, ws.root)
        except UsageError as error:
            where = f" ({error.where})" if error.where.startswith("paths count") else ""
            faults.append(_diagnostic(name, document.line("agents", number), f"{error.what}{where}", error.fix))
        except ToolkitError:
            continue  # a model or a key is missing: that is told when the experiment is checked by the worker
    return faults


def _published_faults(name: str, text: str, experiment: Experiment) -> list[Diagnostic]:
    """Return what is wrong with the published rows that an experiment, or an agent of it, names."""
    try:
        rows_beside(experiment)
    except UsageError as error:
        document, titles = read_yaml(text), [f"agents: {entry.title}" for entry in experiment.agents]
        place = ("agents", titles.index(error.where)) if error.where in titles else ("published",)
        return [_diagnostic(name, document.line(*place), error.what, error.fix)]
    return []


def _plan_fault(name: str, text: str, experiment: Experiment, error: ToolkitError) -> Diagnostic:
    """Return what is wrong with a plan, at the benchmark that it is about, and how to get one that is not here."""
    document = read_yaml(text)
    for number, entry in enumerate(experiment.benchmarks):
        if entry.benchmark and entry.benchmark in f"{error.where} {error.what}":
            return _diagnostic(name, document.line("benchmarks", number), error.what, entry.needs or error.fix)
    line = document.line(error.where) if error.where in ("benchmarks", "agents", "policies") else 1
    return _diagnostic(name, line, error.what, error.fix)


def _diagnostic(name: str, line: int, what: str, fix: str) -> Diagnostic:
    return Diagnostic("experiment", Severity.ERROR, Path(f"{name}.yaml"), max(1, line), what, fix)


def needs_maintainer(ws: Workspace, experiment: Experiment) -> str:
    """Return what of an experiment is for maintainers alone, in words: code and files of this machine; empty: nothing.

    Where nobody signs in everybody is one.
    """
    for entry in experiment.agents:
        if names_files(read_agent(entry.text)) or entry.variables or entry.folder is not None:
            return f"the agent {entry.title[:60]!r}"
    releases, root = {str(Path(release.path)) for release in list_releases(ws)}, ws.root.resolve()
    for benchmark in experiment.benchmarks:
        place = ws.root / benchmark.benchmark
        inside = place.resolve().is_relative_to(root) and place.exists()
        if not inside and str(place) not in releases and shipped_benchmark(benchmark.benchmark) is None:
            return f"the benchmark {benchmark.benchmark[:60]!r}"
    if experiment.out is not None and not (ws.root / experiment.out).resolve().is_relative_to(root):
        return f"the folder {str(experiment.out)[:60]!r}"
    return ""


def readable(ws: Workspace, stored: ExperimentText) -> Experiment:
    """Return the experiment of a file.

    Raises:
        ContentError: If something of it is wrong; `where` is the line.
    """
    checked = check_text(ws, stored.name, stored.text)
    if checked.experiment is None or checked.diagnostics:
        fault = checked.diagnostics[0]
        raise ContentError(fault.what, where=f"{stored.name}.yaml, line {fault.line}", fix=fault.fix)
    return checked.experiment


def require_rights(ws: Workspace, experiment: Experiment) -> None:
    """Refuse who may not run what an experiment names.

    Raises:
        UsageError: If it names code or files of this machine, and the person is no maintainer.
    """
    if needs_maintainer(ws, experiment):
        require(Role.MAINTAINER)


def replies_folder(ws: Workspace, name: str) -> Path:
    """Return where replies of models are kept beside an experiment's file."""
    return folder_of(ws) / f"{name}.replies"
