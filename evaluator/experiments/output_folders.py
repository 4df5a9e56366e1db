"""The folders of an experiment's runs: whether they can be written, and whether they hold those runs or others."""

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from evaluator.agents import AGENTS, AgentCard, asks_model, is_recorded, parse_agent
from evaluator.agents.choice import runs_in_processes
from evaluator.agents.describing import described_model_agent, options_of
from evaluator.errors import ContentError, ToolkitError, UsageError, error_from_os
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun, experiment_folder
from evaluator.language import Benchmark
from evaluator.running import RECORDS
from evaluator.running.run_agent import names_its_model, process_text
from evaluator.running.run_folder import MANIFEST
from evaluator.running.run_manifest import RunIdentity, SetIdentity, parse_identity
from evaluator.running.run_setup import RunPlace, identity_at

_COMMAND: Final = re.compile(r", command [0-9a-f]+")
"""In what a manifest says of an agent's process."""


def try_folders(planned: Sequence[PlannedBenchmark]) -> None:
    """Write a file into the place of every folder, and remove it; nothing is left, and no folder is made.

    Raises:
        UsageError: If one cannot be written, or a file is in its place.
    """
    for place in dict.fromkeys(_existing(run.config.out) for each in planned for run in each.runs):
        try_place(place, "--out, or as `out` in the experiment's file")
    ledger_folder = experiment_folder(planned)
    if (ledger_folder / MANIFEST).exists():
        what = "the folder is that of a run; those of an experiment lie below it"
        raise UsageError(what, where=str(ledger_folder), fix="name another folder with --out")


def try_place(folder: Path, option: str) -> None:
    """Write a file where a folder is or shall be, and remove it; an option names the folder.

    Raises:
        UsageError: If it cannot be written, or a file is in its place.
    """
    place, fix = _existing(folder), f"name a folder that can be written with {option}"
    if not place.is_dir():
        raise UsageError("a file is where a folder of the experiment shall be", where=str(place), fix=fix)
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        what = f"cannot write the output folder: {error.strerror or error}"
        raise UsageError(what, where=str(place), fix=fix) from error


def refuse_other_runs(planned: PlannedBenchmark, cards: Mapping[str, AgentCard]) -> None:
    """Refuse folders that hold another run than the experiment's; what only a started engine tells is told then.

    Args:
        planned: A benchmark and its runs.
        cards: What the agents say of themselves once they are loaded, by their titles.

    Raises:
        UsageError: If one does, or holds records without a manifest.
        ContentError: If the manifest of one is none.
    """
    for run in planned.runs:
        config = run.config
        if not (config.out / MANIFEST).exists():
            if (config.out / RECORDS).exists():
                fix = "name another folder with --out, or move the file away"
                raise UsageError("the folder holds records without a manifest", where=str(config.out), fix=fix)
            continue
        found = parse_identity(config.out / MANIFEST)
        difference = found.difference(_wanted(found, run, planned.content, cards[run.agent.title], planned.sets))
        if difference is not None:
            fix = "name another folder with --out, give the entry another label, or remove the folder"
            raise UsageError(f"the folder holds another run: {difference}", where=str(config.out), fix=fix)


def compared_with_folders(
    planned: Iterable[PlannedBenchmark], *, with_files: bool = True
) -> tuple[PlannedBenchmark, ...]:
    """Return the runs, each with what its folder holds, and whether that is another run; no agent is started for it.

    Compared is what `refuse_other_runs` compares, except for what agents alone tell that are programs or files. Records
    without a manifest, or with one that cannot be read, are of another run, too.

    Args:
        planned: The runs of an experiment.
        with_files: Whether paths in agents count from the current folder. False: what they name is not looked at, and
            a command, or a model with examples from a file, is taken to be what the folder says.
    """
    return tuple(_compared(each, with_files=with_files) for each in planned)


def _compared(planned: PlannedBenchmark, *, with_files: bool) -> PlannedBenchmark:
    runs = []
    for run in planned.runs:
        found, other = None, ""
        if (run.config.out / MANIFEST).exists():
            try:
                found = _identity(run.config.out / MANIFEST)
            except ContentError as error:
                other = f"{MANIFEST}: {error.what}"
            else:
                wanted = _known(found, run, planned.content, planned.sets, with_files=with_files)
                other = found.difference(wanted) or ""
        elif (run.config.out / RECORDS).exists():
            other = "it holds records without a manifest"
        runs.append(replace(run, found=found, other=other))
    return replace(planned, runs=tuple(runs))


def _identity(path: Path) -> RunIdentity:
    try:
        return parse_identity(path)
    except OSError as error:
        raise ContentError(error_from_os(error).what, where=str(path)) from error


def _known(
    found: RunIdentity, run: PlannedRun, content: Benchmark, sets: tuple[SetIdentity, ...], *, with_files: bool
) -> RunIdentity:
    """Return what a run will be as far as that is known without its agent; all else is taken to be as it is found."""
    place = RunPlace(found.environment, found.sandbox, found.engine, run.config.rng_seed)
    card = _known_card(found, run.config.agent, with_files=with_files)
    wanted = identity_at(place, replace(run.config, agent=""), content, card, sets)
    try:
        process = process_text(run.config) if names_its_model(run.config) else found.agent_process
    except ToolkitError:  # it cannot be started as it is written now
        process = found.agent_process
    if not with_files and _COMMAND.sub("", process) == _COMMAND.sub("", found.agent_process):
        process = found.agent_process
    return replace(wanted, agent_process=process)


def _known_card(found: RunIdentity, agent: str, *, with_files: bool) -> AgentCard:
    """Return the card of an agent as far as its text tells it."""
    as_found = AgentCard(found.agent, found.agent_version)
    name = agent.partition(":")[0]
    if runs_in_processes(agent) or is_recorded(agent):
        return as_found
    if name not in AGENTS:  # a function in a file, a module or a plug-in is called as it was written
        return AgentCard(agent, found.agent_version)
    if name == "replay":  # of which records, only they tell
        return AgentCard(name, found.agent_version)
    try:
        if not asks_model(agent):
            return parse_agent(agent).describe()
        is_named = bool(agent.partition(":")[2].partition("?")[0].strip())  # else it was asked what a shell named
        is_known = is_named and (with_files or not _reads_a_file(agent))
        return described_model_agent(agent).describe() if is_known else as_found
    except ToolkitError:  # it cannot be started as it is written now
        return as_found


def _reads_a_file(agent: str) -> bool:
    return any(each.name == "shots" and each.value not in ("shipped", "none") for each in options_of(agent))


def _wanted(
    found: RunIdentity, run: PlannedRun, content: Benchmark, card: AgentCard, sets: tuple[SetIdentity, ...]
) -> RunIdentity:
    """Return what a run will be; its environment, sandbox and engine are taken to be those that are found."""
    place = RunPlace(found.environment, found.sandbox, found.engine, run.config.rng_seed)
    return identity_at(place, run.config, content, card, sets)


def _existing(path: Path) -> Path:
    """Return the nearest place on a path that is there."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())
