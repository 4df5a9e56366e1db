"""Whether the runs of an experiment can be written where they shall lie: tried for all before any of them starts."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluator.agents import AgentCard
from evaluator.errors import UsageError
from evaluator.experiments.planned_runs import PlannedBenchmark, PlannedRun, experiment_folder
from evaluator.language import Benchmark
from evaluator.running import RECORDS
from evaluator.running.plan import identify_sets, plan_run
from evaluator.running.run import RunPlace, identity_at
from evaluator.running.run_folder import MANIFEST
from evaluator.running.run_manifest import RunIdentity, SetIdentity, parse_identity


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
    sets: tuple[SetIdentity, ...] | None = None  # the same for all runs on a benchmark
    for run in planned.runs:
        config = run.config
        if not (config.out / MANIFEST).exists():
            if (config.out / RECORDS).exists():
                fix = "name another folder with --out, or move the file away"
                raise UsageError("the folder holds records without a manifest", where=str(config.out), fix=fix)
            continue
        if sets is None:
            sets = identify_sets(plan_run(planned.content, names=config.sets, limit=config.limit).sets)
        found = parse_identity(config.out / MANIFEST)
        difference = found.difference(_wanted(found, run, planned.content, cards[run.agent.title], sets))
        if difference is not None:
            fix = "name another folder with --out, give the entry another label, or remove the folder"
            raise UsageError(f"the folder holds another run: {difference}", where=str(config.out), fix=fix)


def _wanted(
    found: RunIdentity, run: PlannedRun, content: Benchmark, card: AgentCard, sets: tuple[SetIdentity, ...]
) -> RunIdentity:
    """Return what a run will be; its environment, sandbox and engine are taken to be those that are found."""
    place = RunPlace(found.environment, found.sandbox, found.engine, run.config.rng_seed)
    return identity_at(place, run.config, content, card, sets)


def _existing(path: Path) -> Path:
    """Return the nearest place on a path that is there."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())
