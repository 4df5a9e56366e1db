"""Reads a run's folder for reports: its records, its manifest, and the benchmark that it ran."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.errors import ContentError, UsageError
from evaluator.language import LoadedSet, Problem, Problemset, read_benchmark, syntactic_difficulty
from evaluator.language.benchmark import load_problemset, manifest_in
from evaluator.language.versions import UNSTATED_VERSION
from evaluator.running import DETAILS, MANIFEST, RECORDS, DetailsReader
from evaluator.running.attempt_facts import AttemptFacts, KeptRecords, read_attempts
from evaluator.running.plan import digest_of_set
from evaluator.scoring import last_attempts

_MAX_MANIFEST = 50_000_000


@dataclass(frozen=True)
class AskedSets:
    """The problemsets that a run asked, as far as they could be found unchanged."""

    sets: Mapping[str, Problemset]
    missing: str = ""  # why reference code is not at hand; empty when it is

    @property
    def problems(self) -> dict[tuple[str, int], Problem]:
        """Their problems by problemset and number, from 1."""
        return {(name, i): one for name, each in self.sets.items() for i, one in enumerate(each.problems, start=1)}


@dataclass(frozen=True)
class FinishedRun:
    """A run as its folder tells it. Everything in it may come from strangers: escape it."""

    path: Path  # the records file
    manifest: Mapping[str, Any]  # as written; empty for a records file alone
    attempts: tuple[AttemptFacts, ...]  # what counts of each attempt, by problemset, index, epoch, attempt
    problems: Mapping[tuple[str, int], Problem]  # of the benchmark, where it could be found unchanged
    missing: str = ""  # why reference code is not at hand; empty when it is
    details: DetailsReader | None = field(default=None, repr=False)  # what submissions showed, where it was kept

    @property
    def records(self) -> KeptRecords:
        """The record of each attempt, in the same order; each look reads it from the file."""
        return KeptRecords(self.path, self.attempts)

    @property
    def family_records(self) -> KeptRecords:
        """The records that count and hold scores of CIBench or the Qwen benchmark."""
        counted = [each for each in last_attempts(self.attempts) if each.has_family]
        return KeptRecords(self.path, counted)

    def difficulty(self, record: AttemptFacts) -> int | None:
        """Return the syntactic difficulty of a record's problem, if its reference code is at hand."""
        problem = self.problems.get((record.problemset, record.index))
        return None if problem is None else syntactic_difficulty(problem.code)


def read_run(path: Path, *, benchmark: Path | None = None) -> FinishedRun:
    """Read a run's folder, or a records file alone.

    Args:
        path: The folder that `--out` named, or a file of result records.
        benchmark: Where the benchmark lies now; without it, where the run found it.

    Raises:
        UsageError: If there is no run at `path`.
        ContentError: If the manifest or a record cannot be read.
    """
    records = path / RECORDS if path.is_dir() else path
    if not records.exists():
        what = "the folder holds no run" if path.is_dir() else "there is no run"
        raise UsageError(what, where=str(path), fix=f"name a folder with {RECORDS}")
    found = read_attempts(records)
    manifest = read_manifest(path / MANIFEST) if path.is_dir() else {}
    asked = _asked_sets(manifest, benchmark)
    kept = records.with_name(DETAILS)
    details = DetailsReader(kept) if kept.is_file() else None
    return FinishedRun(records, manifest, found, asked.problems, asked.missing, details)


def read_manifest(path: Path) -> Mapping[str, Any]:
    """Return what a run's manifest says; nothing when there is none.

    Raises:
        ContentError: If it cannot be read.
    """
    if not path.exists():
        return {}
    try:
        if path.stat().st_size > _MAX_MANIFEST:
            raise ValueError("it is too large")
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise TypeError("it holds no object")
    except (ValueError, TypeError, RecursionError) as error:
        fix = "restore it, or name the records file itself"
        raise ContentError(f"the manifest of the run cannot be read: {error}", where=str(path), fix=fix) from error
    return content


def read_asked_sets(folder: Path) -> AskedSets:
    """Return the problemsets that a run asked, without a look at its records.

    Raises:
        ContentError: If the manifest cannot be read.
    """
    return _asked_sets(read_manifest(folder / MANIFEST), None)


def read_asked_set(folder: Path, name: str) -> AskedSets:
    """Return one of the problemsets that a run asked; the others are read only where it has no file of its name.

    Raises:
        ContentError: If the manifest cannot be read.
    """
    manifest = read_manifest(folder / MANIFEST)
    source = _source(manifest)
    path = None if source is None else source / f"{name}.py"
    if path is None or path.parent != source or not path.is_file():
        return _asked_sets(manifest, None)
    about = manifest_in(path.parent)
    version = UNSTATED_VERSION if about is None else about.language_version
    return _unchanged([load_problemset(path, language_version=version)], manifest)


def _asked_sets(manifest: Mapping[str, Any], benchmark: Path | None) -> AskedSets:
    source = benchmark if benchmark is not None else _source(manifest)
    hint = "name the benchmark with --benchmark"
    if source is None:
        return AskedSets({}, f"the run does not say where its benchmark lies: {hint}")
    try:
        loaded = read_benchmark(source)
    except UsageError:
        if benchmark is not None:
            raise
        return AskedSets({}, f"the benchmark is no longer at {str(source)!r}: {hint}")
    return _unchanged(loaded.sets, manifest)


def _unchanged(loaded: Iterable[LoadedSet], manifest: Mapping[str, Any]) -> AskedSets:
    """Return those of some problemsets that are as the run asked them."""
    digests = {str(each.get("name")): each.get("digest") for each in _dicts(manifest.get("sets"))}
    sets: dict[str, Problemset] = {}
    changed = []
    for each in loaded:
        if each.problemset is None:
            continue
        if digests.get(each.name) not in (None, digest_of_set(each)):
            changed.append(each.name)
            continue
        sets[each.name] = each.problemset
    return AskedSets(sets, f"changed since the run: {', '.join(changed)}" if changed else "")


def _source(manifest: Mapping[str, Any]) -> Path | None:
    source = manifest.get("source")
    return Path(source) if isinstance(source, str) and source and "\0" not in source else None


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
