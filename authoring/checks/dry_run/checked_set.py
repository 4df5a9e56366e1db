"""An executed problemset: what its cells left, how they were judged, and the rows that are stored of it."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final

from authoring.checks import NOT_ASKED
from authoring.checks.dry_run.sampled_answers import KeptAnswer, Tried, sample_to_json
from authoring.store.dry_runs import DryRunProblem, DryRunSample
from evaluator.errors import ToolkitError
from evaluator.models import ModelSettings
from evaluator.running.quality.warning import ProblemWarning
from evaluator.scoring import SCORING_VERSION, Judged, Verdict
from evaluator.session import Ending, Environment, Outcome


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
    warnings: tuple[ProblemWarning, ...] = ()  # what is doubtful about it although it runs

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
            "warnings": [warning.to_json() for warning in self.warnings],
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


_ADDRESS: Final = re.compile(r"\b0x[0-9a-f]{6,16}\b")


def outcome_digest(outcome: Outcome) -> str:
    """Return the sha256 of what a cell left behind: its ending, error, outputs, claim and answers to probes.

    Time and the addresses of objects, which differ each time, are left out. Two executions of the same code on the
    same state have the same digest, unless the code draws random numbers or tells the time.
    """
    error = (outcome.error.name, outcome.error.message) if outcome.error else None
    shown = json.dumps([outcome.ending.value, error, [dict(output) for output in outcome.outputs]], sort_keys=True)
    digest = hashlib.sha256(_ADDRESS.sub("0x", shown).encode("utf-8", "surrogatepass"))
    for data in (outcome.payload, *(answer.data for answer in outcome.answers)):
        digest.update(hashlib.sha256(data or b"").digest())
    return digest.hexdigest()


def row_of(cell: CheckedCell) -> DryRunProblem:
    """Return an executed and judged problem as it is stored."""
    judged = {"reference": cell.reference, "empty": cell.empty, "agent": cell.agent}
    verdicts = {who: found.verdict.value if found else NOT_ASKED for who, found in judged.items()}
    outcome = cell.outcome
    return DryRunProblem(
        index=cell.problem or 0,
        problem_id=cell.problem_id,
        seconds=round(outcome.seconds, 4),
        reference_verdict=verdicts["reference"],
        empty_verdict=verdicts["empty"],
        agent_verdict=verdicts["agent"],
        outputs=[dict(output) for output in outcome.outputs],
        variables=[variable.to_json() for variable in outcome.variables],
        error=outcome.error.to_json() if outcome.error else None,
        reasons={who: found.reason for who, found in judged.items() if found and found.reason},
        agent_code=cell.agent_code,
        outcome_digest=outcome_digest(outcome),
        findings={who: found.validation for who, found in judged.items() if found and found.validation},
        examples=[kept.to_json() for kept in cell.examples],
        warnings=[warning.to_json() for warning in cell.warnings],
    )


def summary_of(executed: CheckedSet, model: ModelSettings | None, environment: Environment) -> dict[str, Any]:
    """Return what is stored of a dry run as a whole."""
    broken = executed.failed_setup
    said = ""
    if broken is not None:
        error = broken.outcome.error
        said = f"line {broken.line}: " + (f"{error.name}: {error.message}" if error else broken.outcome.ending.value)
    return {
        "problems": len(executed.problems),
        "seconds": round(sum(cell.outcome.seconds for cell in executed.cells), 4),
        "max_time_s": {cell.problem_id: cell.max_time_s for cell in executed.problems},
        "scoring_version": SCORING_VERSION,
        "versions": library_versions(environment),
        "agent": model.model if model else NOT_ASKED,
        "setup_failure": said,
    }


def samples_of(executed: CheckedSet, model: ModelSettings | None) -> list[DryRunSample]:
    """Return the answers of the reference agent as they are stored, where it was asked more than once."""
    agent = model.model if model else NOT_ASKED
    return [
        DryRunSample(
            index=cell.problem or 0,
            sample=number,
            agent=agent,
            verdict=tried.judged.verdict.value,
            subverdict=tried.judged.subverdict.value,
            **sample_to_json(tried),
        )
        for cell in executed.problems
        if len(cell.tries) > 1
        for number, tried in enumerate(cell.tries, 1)
    ]


def library_versions(environment: Environment) -> dict[str, str]:
    """Return the versions in an environment that people ask for first when an answer has moved."""
    found = {"python": environment.interpreter.version}
    for name in ("numpy", "pandas", "scipy", "scikit-learn"):
        if name in environment.packages:
            found[name] = environment.packages[name]
    return found
