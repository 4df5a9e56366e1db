"""An experiment with other benchmarks, a model or a judge of yours, or in small, as a command's options say it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from evaluator.agents import asks_model
from evaluator.agents.choice import runs_in_processes
from evaluator.agents.process.package_command import is_package
from evaluator.errors import UsageError
from evaluator.experiments.experiment_file import AgentEntry, BenchmarkEntry, Experiment
from evaluator.session import AgentNetwork


@dataclass(frozen=True)
class Changes:
    """What takes the place of what the file says."""

    is_small: bool = False  # the benchmarks that it names for a trial
    benchmarks: tuple[Path, ...] = ()  # empty: those of the file
    limit: int | None = None  # only the first so many problems of each benchmark (count, >= 1)
    model: str = ""  # that every agent asks; empty: each its own
    judge: str = ""  # a vision model that looks at figures; empty: that of the file


def adapted(experiment: Experiment, changes: Changes) -> Experiment:
    """Return the experiment with the changes; in small its runs lie in a folder of their own.

    Raises:
        UsageError: If the changes do not fit it, or one another.
    """
    found = experiment
    if changes.is_small:
        found = _in_small(found, changes)
    if changes.benchmarks:
        entries = tuple(_entry(experiment.benchmarks, path) for path in changes.benchmarks)
        found = found.model_copy(update={"benchmarks": entries})
    if changes.limit is not None:
        found = found.model_copy(update={"benchmarks": _limited(found.benchmarks, changes.limit)})
    if changes.model:
        found = found.model_copy(update={"agents": _asking(found.agents, changes.model)})
    return found.model_copy(update={"judge": changes.judge}) if changes.judge else found


def _in_small(experiment: Experiment, changes: Changes) -> Experiment:
    if changes.benchmarks:
        fix = "leave out one of the two"
        raise UsageError("--small and --benchmark both say what is run", where="--small", fix=fix)
    if not experiment.small:
        fix = "name one with --benchmark PATH, and how much of it with --limit N"
        raise UsageError("the file names no benchmark for a trial ('small')", where=experiment.name, fix=fix)
    out = experiment.out
    moved = {"name": f"{experiment.name}-small", "out": None if out is None else out.with_name(f"{out.name}-small")}
    return experiment.model_copy(update={**moved, "benchmarks": experiment.small})


def _entry(known: Sequence[BenchmarkEntry], path: Path) -> BenchmarkEntry:
    """Return the entry of a benchmark; one that the file has elsewhere keeps what the file says of it."""
    same = next((entry for entry in known if Path(entry.benchmark).stem == path.stem), None)
    return BenchmarkEntry(benchmark=str(path)) if same is None else same.model_copy(update={"benchmark": str(path)})


def _limited(entries: Sequence[BenchmarkEntry], limit: int) -> tuple[BenchmarkEntry, ...]:
    if limit < 1:
        raise UsageError(f"a limit of {limit} problems leaves none", where="--limit", fix="write at least 1")
    return tuple(entry.model_copy(update={"limit": min(limit, entry.limit or limit)}) for entry in entries)


def _asking(entries: Sequence[AgentEntry], model: str) -> tuple[AgentEntry, ...]:
    changed = tuple(_with_model(entry, model) for entry in entries)
    asking = [entry for entry in changed if _names_model(entry) or entry.model]
    for one, other in combinations(asking, 2):
        if _is_same(one, other):
            same = f"{one.title!r} and {other.title!r} are the same agent"
            what = f"with one model {same}: the experiment compares models"
            fix = "leave out --model, and write the models into a copy (benchwright experiment new)"
            raise UsageError(what, where="--model", fix=fix)
    return changed


def _is_same(one: AgentEntry, other: AgentEntry) -> bool:
    """Return whether two entries that ask one model are one agent, whatever they are called."""
    if _names_model(one):
        return one.text == other.text
    names = {"label": "", "published": ""}
    return one.model_copy(update=names) == other.model_copy(update=names)


def _with_model(entry: AgentEntry, model: str) -> AgentEntry:
    is_granted = runs_in_processes(entry.agent) and entry.network is AgentNetwork.MODEL
    if entry.model or (is_granted and not is_package(entry.agent)):
        return entry.model_copy(update={"model": model})
    if not _names_model(entry):
        return entry
    kind, _, rest = entry.agent.partition(":")
    options = f"?{rest.partition('?')[2]}" if "?" in rest else ""
    return entry.model_copy(update={"agent": f"{kind}:{model}{options}"})


def _names_model(entry: AgentEntry) -> bool:
    """Return whether a model stands in an agent's name."""
    return asks_model(entry.agent) or is_package(entry.agent)
