"""The families by their names, and the one that problemsets are of."""

from collections.abc import Iterable, Mapping
from typing import Final

from evaluator.families import cibench, qwen
from evaluator.language import Problemset

FAMILIES: Final = (cibench.FAMILY, qwen.FAMILY)


def families_of(problemsets: Iterable[Problemset]) -> tuple[str, ...]:
    """Return the families that know something of a problem of these problemsets; most benchmarks are of none."""
    told = [problem.metadata.get("family") for problemset in problemsets for problem in problemset.problems]
    known = [each for each in told if isinstance(each, Mapping)]
    return tuple(family for family in FAMILIES if any(isinstance(each.get(family), Mapping) for each in known))
