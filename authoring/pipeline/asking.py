"""Ask the reference agent of a dry run: what it is shown, and what becomes of it when the model fails."""

from dataclasses import dataclass, field
from pathlib import Path

from evaluator.agents import (
    Agent,
    AgentFailure,
    Cell,
    CellKind,
    FailureKind,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Variable,
)
from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell, problem_id
from evaluator.scoring import Judged, Verdict
from evaluator.session import Outcome


@dataclass(frozen=True)
class Asked:
    """What came of asking: code to run, or a verdict without a run, or nothing at all."""

    code: str = ""
    runs: bool = False
    verdict_without_run: Judged | None = None


@dataclass
class Asker:
    """One agent going through one problemset on the reference's state and history.

    After the first failure of the model's endpoint it is not asked again: every further problem would wait for it.
    """

    agent: Agent
    problemset: Problemset
    inputs: Path | None
    _history: list[Cell] = field(default_factory=list)
    _variables: dict[str, Variable] = field(default_factory=dict)
    _broken: str = ""

    def __post_init__(self) -> None:
        self.agent.start(SessionInfo(self.problemset.name, self.problemset.name))

    def ask(self, number: int, problem: Problem) -> Asked:
        """Ask for a submission to problem `number` (from 1)."""
        submission = self._submission(number, problem)
        if submission.error and submission.error.kind is FailureKind.INFRA:
            self._broken = submission.error.message
            return Asked(verdict_without_run=Judged(Verdict.NOT_JUDGED, reason=submission.error.message))
        return Asked(code=submission.code, runs=True)

    def _submission(self, number: int, problem: Problem) -> Submission:
        if self._broken:
            return _lost(f"not asked after an earlier failure: {self._broken}")
        request = SolveRequest(
            session_id=self.problemset.name,
            problemset=self.problemset.name,
            problem_id=problem_id(self.problemset, number),
            index=number,
            query=problem.query,
            limits=SolveLimits(problem.execution.max_time_s, problem.execution.max_memory_mb),
            history=tuple(self._history),
            variables=tuple(self._variables.values()),
            files=tuple(sorted(p.name for p in self.inputs.iterdir())) if self.inputs else (),
        )
        try:
            return self.agent.solve(request)
        except ToolkitError as error:
            return _lost(str(error))

    def remember_setup(self, cell: SetupCell, outcome: Outcome) -> None:
        """Put a setup cell into the history that later requests show."""
        status = outcome.ending.value
        self._history.append(Cell(CellKind.SETUP, cell.source, origin="given", status=status, outputs=outcome.outputs))
        self._update(outcome)

    def remember_problem(self, number: int, problem: Problem, outcome: Outcome) -> None:
        """Put a problem with its reference code into the history that later requests show."""
        which, status = problem_id(self.problemset, number), outcome.ending.value
        cell = Cell(CellKind.PROBLEM, problem.code, which, problem.query, status=status, outputs=outcome.outputs)
        self._history.append(cell)
        self._update(outcome)

    def _update(self, outcome: Outcome) -> None:
        for view in outcome.variables:
            if view.change == "deleted":
                self._variables.pop(view.name, None)
            else:
                self._variables[view.name] = Variable(view.name, view.type, view.text)


def _lost(reason: str) -> Submission:
    failure = AgentFailure(FailureKind.INFRA, reason)
    return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
