"""What changed between two releases: problems added, removed and changed, by what of them changed, and data."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.release.release_folder import CHECKSUMS_NAME, file_digest
from evaluator.errors import UsageError
from evaluator.language import Benchmark, Problem, Problemset, problem_id, read_benchmark, resolve_validators
from evaluator.records import json_line

_INPUTS: Final = "_inputs"


@dataclass(frozen=True)
class ChangedProblem:
    """A problem that both releases hold, differently."""

    problemset: str
    problem: str  # its id
    parts: tuple[str, ...]  # query, code, validators, limits, notes, place

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"problemset": self.problemset, "problem": self.problem, "changed": list(self.parts)}


@dataclass(frozen=True)
class ReleaseDiff:
    """What the second release has that the first has not, and the reverse; problems as (problemset, id)."""

    before: str  # name and version
    after: str
    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]
    changed: tuple[ChangedProblem, ...]
    setup: tuple[str, ...]  # problemsets whose preparing cells differ
    data: tuple[str, ...]  # input files that were added, removed or changed, below `_inputs`
    unreadable: tuple[str, ...]  # problemsets that do not parse in one of them

    @property
    def is_empty(self) -> bool:
        """Whether the releases ask and judge alike."""
        return not any((self.added, self.removed, self.changed, self.setup, self.data, self.unreadable))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "before": self.before,
            "after": self.after,
            "same": self.is_empty,
            "added": [{"problemset": name, "problem": problem} for name, problem in self.added],
            "removed": [{"problemset": name, "problem": problem} for name, problem in self.removed],
            "changed": [each.to_json() for each in self.changed],
            "setup": list(self.setup),
            "data": list(self.data),
            "unreadable": list(self.unreadable),
        }

    def to_text(self) -> str:
        """Return what a terminal shows: one line per difference."""
        lines = [f"{self.before} -> {self.after}"]
        lines += [f"added    {name}: {problem}" for name, problem in self.added]
        lines += [f"removed  {name}: {problem}" for name, problem in self.removed]
        lines += [f"changed  {each.problemset}: {each.problem} ({', '.join(each.parts)})" for each in self.changed]
        lines += [f"setup    {name}" for name in self.setup]
        lines += [f"data     {path}" for path in self.data]
        lines += [f"unreadable {name}" for name in self.unreadable]
        return "\n".join(lines if not self.is_empty else [*lines, "no problem differs"])


def diff_releases(before: Path, after: Path) -> ReleaseDiff:
    """Compare the folders of two releases; problems are told apart by problemset and id.

    Raises:
        UsageError: If one of the folders is no benchmark.
    """
    for folder in (before, after):
        if not folder.is_dir():
            raise UsageError("there is no such folder", where=str(folder), fix="name the folder of a release")
    old, new = read_benchmark(before), read_benchmark(after)
    was, now = _problems(old), _problems(new)
    cells_before, cells_after = _setups(old), _setups(new)
    common = cells_before.keys() & cells_after.keys()
    return ReleaseDiff(
        before=f"{old.name} {old.version}",
        after=f"{new.name} {new.version}",
        added=tuple(key for key in now if key not in was),
        removed=tuple(key for key in was if key not in now),
        changed=tuple(
            ChangedProblem(*key, parts) for key in was if key in now and (parts := _differing(was[key], now[key]))
        ),
        setup=tuple(sorted(name for name in common if cells_before[name] != cells_after[name])),
        data=_differing_data(before, after),
        unreadable=tuple(
            sorted({each.name for benchmark in (old, new) for each in benchmark.sets if each.problemset is None})
        ),
    )


def problem_texts(folder: Path, problemset: str, problem: str) -> dict[str, str]:
    """Return the query, reference code, validators and limits of a released problem as texts; empty without it.

    Raises:
        UsageError: If the folder is no benchmark.
    """
    found = _problems(read_benchmark(folder)).get((problemset, problem))
    if found is None:
        return {}
    _, cell = found
    return {
        "query": cell.query.strip(),
        "code": cell.code.strip(),
        "validators": json.dumps(resolve_validators(cell).to_json(), indent=2, ensure_ascii=False, default=repr),
        "limits": str(cell.limits),
        "notes": json.dumps(dict(cell.metadata), indent=2, ensure_ascii=False, default=repr),
    }


def _readable(benchmark: Benchmark) -> dict[str, Problemset]:
    return {each.name: each.problemset for each in benchmark.sets if each.problemset is not None}


def _problems(benchmark: Benchmark) -> dict[tuple[str, str], tuple[int, Problem]]:
    return {
        (name, problem_id(problemset, number)): (number, problem)
        for name, problemset in _readable(benchmark).items()
        for number, problem in enumerate(problemset.problems, start=1)
    }


def _setups(benchmark: Benchmark) -> dict[str, list[str]]:
    return {
        name: [cell.source.strip() for cell in problemset.cells if not isinstance(cell, Problem)]
        for name, problemset in _readable(benchmark).items()
    }


def _differing(one: tuple[int, Problem], other: tuple[int, Problem]) -> tuple[str, ...]:
    (place, was), (new_place, now) = one, other
    pairs = {
        "query": (was.query, now.query),
        "code": (was.code, now.code),
        "validators": (_judging(was), _judging(now)),
        "limits": (was.limits, now.limits),
        "notes": (_plain(was.metadata), _plain(now.metadata)),
        "place": (place, new_place),
    }
    return tuple(part for part, (before, after) in pairs.items() if before != after)


def _judging(problem: Problem) -> bytes:
    return _plain(resolve_validators(problem).to_json())


def _plain(content: Mapping[str, Any]) -> bytes:
    return json_line({str(key): repr(value) for key, value in sorted(content.items(), key=lambda each: str(each[0]))})


def _differing_data(before: Path, after: Path) -> tuple[str, ...]:
    was, now = _data(before), _data(after)
    return tuple(sorted(path for path in was.keys() | now.keys() if was.get(path) != now.get(path)))


def _data(folder: Path) -> dict[str, str]:
    """Return input file -> sha256, by the list of digests where there is one."""
    listed = folder / CHECKSUMS_NAME
    if listed.is_file():
        lines = listed.read_text(encoding="utf-8", errors="replace").splitlines()
        pairs = (line.partition("  ") for line in lines)
        return {path: digest for digest, _, path in pairs if path.startswith(f"{_INPUTS}/")}
    files = sorted(path for path in (folder / _INPUTS).rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
