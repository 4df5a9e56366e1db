"""What a benchmark consists of, read from its text: sizes, difficulty, validators, dependencies, libraries."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from evaluator.language import (
    LEVELS,
    Benchmark,
    Level,
    Problem,
    Problemset,
    ValidatorSpec,
    imported_modules,
    levels_apart,
    longest_chain,
    measured_difficulties,
    problem_id,
    resolve_validators,
    session_dependencies,
    stated_level,
    syntactic_difficulty,
)


class DifficultyBand(NamedTuple):
    """Difficulties from `lowest` to `highest`, both included."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        """Return the band in words."""
        return f"{self.lowest} to {self.highest}"


def difficulty_band(difficulty: int) -> DifficultyBand:
    """Return the band of a syntactic difficulty (>= 0); the bounds double from 8 on."""
    bits = max(3, difficulty.bit_length())
    return DifficultyBand(0 if bits == 3 else 2 ** (bits - 1), 2**bits - 1)


ANSWER_IN_SOURCE: Final = "answer_in_source"
"""The rule by which an answer that stands in the source of a failed cell counts as a presentation error."""


@dataclass(frozen=True)
class Spread:
    """How numbers lie; all None without any."""

    mean: float | None
    median: float | None
    lowest: float | None
    highest: float | None

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Spread":
        """Return the spread of some numbers."""
        if not numbers:
            return cls(None, None, None, None)
        return cls(statistics.fmean(numbers), statistics.median(numbers), min(numbers), max(numbers))

    def to_json(self) -> dict[str, float | None]:
        """Return plain JSON values."""
        return {"mean": self.mean, "median": self.median, "lowest": self.lowest, "highest": self.highest}


class ProblemLevel(NamedTuple):
    """The level that a problem states beside the one that is measured."""

    problem: str  # its id
    stated: Level | None  # None: it states none
    measured: Level


@dataclass(frozen=True)
class Levels:
    """Measured levels of problems, and how they agree with the stated ones."""

    problems: tuple[ProblemLevel, ...]

    @property
    def labelled(self) -> int:
        """How many problems state a level (count)."""
        return sum(each.stated is not None for each in self.problems)

    @property
    def agreement(self) -> float | None:
        """Share of labelled problems whose stated level is the measured one, 0..1; None without any."""
        same = sum(each.stated == each.measured for each in self.problems)
        return same / self.labelled if self.labelled else None

    @property
    def far_apart(self) -> tuple[ProblemLevel, ...]:
        """Problems that state `easy` and measure `hard`, or the other way round."""
        return tuple(each for each in self.problems if each.stated and levels_apart(each.stated, each.measured) == 2)

    def count(self, stated: Level | None, measured: Level) -> int:
        """Return how many problems state the one and measure the other."""
        return sum(each.stated == stated and each.measured == measured for each in self.problems)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        measured = Counter(each.measured for each in self.problems)
        return {
            "measured": {level: measured[level] for level in LEVELS},
            "stated": {stated: {level: self.count(stated, level) for level in LEVELS} for stated in LEVELS},
            "labelled": self.labelled,
            "agreement": self.agreement,
            "far_apart": [each._asdict() for each in self.far_apart],
        }


@dataclass(frozen=True)
class SetStatistics:
    """One problemset."""

    name: str
    setup_cells: int
    difficulties: tuple[int, ...]  # one per problem, in order
    dependencies: tuple[frozenset[int], ...]  # per problem: numbers (from 1) of the earlier problems it rests on
    validators: Mapping[str, int]  # canonical name -> uses (count)
    libraries: frozenset[str]  # top-level modules that its code imports
    knowledge_points: tuple[str, ...]  # as labelled, one entry per problem and label
    levels: Levels

    @property
    def problems(self) -> int:
        """How many problems it asks."""
        return len(self.difficulties)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "name": self.name,
            "problems": self.problems,
            "setup_cells": self.setup_cells,
            "difficulty": Spread.of(self.difficulties).to_json(),
            "dependencies": sum(map(len, self.dependencies)),
            "longest_chain": longest_chain(self.dependencies),
        }


@dataclass(frozen=True)
class BenchmarkStatistics:
    """A benchmark at a glance; problemsets that do not parse are counted as refused and are in nothing else."""

    name: str
    version: str
    sets: tuple[SetStatistics, ...]
    refused: tuple[str, ...]

    @property
    def problems(self) -> int:
        """How many problems it asks."""
        return sum(each.problems for each in self.sets)

    @property
    def difficulty(self) -> Spread:
        """Syntactic difficulty over all problems (dimensionless)."""
        return Spread.of([number for each in self.sets for number in each.difficulties])

    @property
    def levels(self) -> Levels:
        """The levels of all problems; each is named with its set."""
        return Levels(
            tuple(each._replace(problem=f"{of.name}.{each.problem}") for of in self.sets for each in of.levels.problems)
        )

    @property
    def validators(self) -> Mapping[str, int]:
        """Uses of each validator (count), most frequent first."""
        return _added(each.validators for each in self.sets)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        validators = self.validators
        return {
            "benchmark": self.name,
            "version": self.version,
            "problemsets": len(self.sets),
            "refused": list(self.refused),
            "problems": self.problems,
            "setup_cells": sum(each.setup_cells for each in self.sets),
            "difficulty": self.difficulty.to_json(),
            "levels": self.levels.to_json(),
            "validators": dict(validators),
            "validators_per_problem": sum(validators.values()) / self.problems if self.problems else None,
            "dependencies": self._dependencies(),
            "libraries": dict(_added(dict.fromkeys(each.libraries, 1) for each in self.sets)),
            "knowledge_points": dict(_added(Counter(each.knowledge_points) for each in self.sets)),
            "by_set": [each.to_json() for each in self.sets],
        }

    def _dependencies(self) -> dict[str, Any]:
        degrees = [len(earlier) for each in self.sets for earlier in each.dependencies]
        chains = [longest_chain(each.dependencies) for each in self.sets if each.problems]
        return {
            "problems_with_any": sum(map(bool, degrees)),
            "in_degree": Spread.of(degrees).to_json(),
            "longest_chain": Spread.of(chains).to_json(),
        }


def benchmark_statistics(benchmark: Benchmark) -> BenchmarkStatistics:
    """Count what a benchmark holds, from its text alone.

    Dependencies are read from names: a problem rests on the problems that last wrote the variables it reads.

    Source of the difficulty and of the way validators are counted: Zhang et al. 2024, arXiv:2402.17168, appendix B.
    """
    sets = tuple(_set_statistics(loaded.problemset) for loaded in benchmark.sets if loaded.problemset is not None)
    refused = tuple(loaded.name for loaded in benchmark.sets if loaded.problemset is None)
    return BenchmarkStatistics(benchmark.name, benchmark.version, sets, refused)


def _set_statistics(problemset: Problemset) -> SetStatistics:
    problems = problemset.problems
    return SetStatistics(
        problemset.name,
        len(problemset.cells) - len(problems),
        tuple(syntactic_difficulty(problem.code) for problem in problems),
        session_dependencies(problemset),
        _added(_validators_of(resolve_validators(problem)) for problem in problems),
        frozenset(
            name.partition(".")[0]
            for cell in problemset.cells
            for name in imported_modules(cell.code if isinstance(cell, Problem) else cell.source)
        ),
        tuple(point for problem in problems for point in _labels(problem)),
        _levels(problemset),
    )


def _levels(problemset: Problemset) -> Levels:
    measured = enumerate(zip(problemset.problems, measured_difficulties(problemset), strict=True), 1)
    return Levels(
        tuple(
            ProblemLevel(problem_id(problemset, number), stated_level(problem), found.level)
            for number, (problem, found) in measured
        )
    )


def _labels(problem: Problem) -> tuple[str, ...]:
    written = problem.metadata.get("knowledge_points") or ()
    return (written,) if isinstance(written, str) else tuple(map(str, written))


def _validators_of(spec: ValidatorSpec) -> Counter[str]:
    """Count a tree's validators; a crash check stands for itself, the look at the source, and the `or` of both."""
    counts = Counter([spec.name])
    if spec.name == "crash":
        counts.update([ANSWER_IN_SOURCE, "or"])
    for child in spec.children:
        counts.update(_validators_of(child))
    return counts


def _added(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    """Add counts up; the largest first, equal ones by name."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items(), key=lambda entry: (-entry[1], entry[0])))
