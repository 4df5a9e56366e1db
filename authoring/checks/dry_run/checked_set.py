"""Executed cells: what they left behind and how they were judged."""

from dataclasses import dataclass
from typing import Any

from authoring.checks.dry_run.answer_samples import Tried
from authoring.checks.dry_run.kept_answers import KeptAnswer
from evaluator.errors import ToolkitError
from evaluator.scoring import Judged, Verdict
from evaluator.session import Ending, Outcome


@dataclass(frozen=True)
class CheckedCell:
    """One cell with what it left behind; problems are judged too."""

    position: int  # of the cell in the file, from 1
    line: int  # of its first line in the file
    outcome: Outcome
    problem: int | None = None  # its number among the problems, from 1; None: a setup cell
    problem_id: str = ""
    max_time_s: float = 0.0
    reference: Judged | None = None  # the replayed reference as a submission; None: not judged
    empty: Judged | None = None  # the empty cell as a submission
    tries: tuple[Tried, ...] = ()  # answers of the agents that were asked, in their order
    examples: tuple[KeptAnswer, ...] = ()  # the answers that the problem keeps

    @property
    def agent(self) -> Judged | None:
        """How the first agent's answer was judged; None: no agent was asked."""
        return self.tries[0].judged if self.tries else None

    @property
    def agent_code(self) -> str:
        """The first agent's answer."""
        return self.tries[0].code if self.tries else ""

    @property
    def failed(self) -> bool:
        """Whether the cell did not run to its end."""
        return self.outcome.ending is not Ending.OK

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "position": self.position,
            "line": self.line,
            "problem": self.problem,
            "problem_id": self.problem_id,
            "outcome": self.outcome.to_json(),
            "reference": _judged_json(self.reference),
            "empty": _judged_json(self.empty),
            "agent": _judged_json(self.agent),
            "agent_code": self.agent_code,
            "examples": [kept.to_json() for kept in self.examples],
        }


@dataclass(frozen=True)
class CheckedSet:
    """The cells that were executed, in order."""

    name: str
    cells: tuple[CheckedCell, ...]

    @property
    def problems(self) -> tuple[CheckedCell, ...]:
        """The cells that are asked."""
        return tuple(cell for cell in self.cells if cell.problem is not None)

    @property
    def failed_setup(self) -> CheckedCell | None:
        """The first setup cell that did not run to its end."""
        return next((cell for cell in self.cells if cell.problem is None and cell.failed), None)

    def refuse_engine_faults(self) -> None:
        """Refuse to draw conclusions from what the engine failed on.

        Raises:
            ToolkitError: If a reference was not judged for a reason that lies in the machine, not in the problem.
        """
        for cell in self.problems:
            for judged in (cell.reference, cell.empty, *(kept.judged for kept in cell.examples)):
                if judged and judged.verdict is Verdict.NOT_JUDGED and judged.author_fault is None:
                    what = f"the engine failed on problem {cell.problem} ({cell.problem_id}): {judged.reason}"
                    raise ToolkitError(what, where=self.name, fix="repeat the command; nothing was concluded from it")

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "cells": [cell.to_json() for cell in self.cells]}


def _judged_json(judged: Judged | None) -> dict[str, Any] | None:
    if judged is None:
        return None
    return {
        **{"verdict": judged.verdict.value, "subverdict": judged.subverdict.value},
        **{"reason": judged.reason, "validation": judged.validation},
    }
