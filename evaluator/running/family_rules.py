"""What a run asks of a benchmark's family, where it is of one: wording, recorded outputs, scores beside verdicts."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from evaluator.language import Benchmark, Problem
from evaluator.running.execution.executed_cell import ExecutedCell
from evaluator.scoring.grading import Expected, Grader


class FamilyRules(Protocol):
    """How problems of a family are asked and scored; used from several threads."""

    @classmethod
    def of_run(cls, benchmark: Benchmark, rules: str) -> Self:
        """Return the rules for a run of a benchmark, on any machine that has its files.

        Args:
            benchmark: What is run.
            rules: published | sound.
        """
        ...

    def wording(self, problemset: str, problem: Problem) -> str:
        """Return a query as an agent is asked it."""
        ...

    def recorded(self, problemset: str, problem: Problem) -> Expected | None:
        """Return what graded validators expect; None: what the reference shows."""
        ...

    def rounds(self, problemset: str, problem: Problem) -> int:
        """Return how many attempts an agent has at a problem at most (count, >= 1)."""
        ...

    def told(self, grader: Grader, executed: ExecutedCell) -> Mapping[str, Any]:
        """Return what the record of the last attempt tells as `family`: place, tag and scores; None: not graded."""
        ...
