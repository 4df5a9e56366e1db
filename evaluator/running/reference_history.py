"""What agents are shown before each problem: the cells so far as the reference left them, variables and files."""

from dataclasses import dataclass, field
from pathlib import Path

from evaluator.agents import AgentCard, Cell, CellKind, SessionInfo, SolveLimits, SolveRequest, Variable
from evaluator.language import Problem, Problemset, SetupCell, problem_id
from evaluator.session import Outcome


@dataclass
class ReferenceHistory:
    """The way of the reference through one problemset, as far as agents may see it."""

    problemset: Problemset
    inputs: Path | None
    _cells: list[Cell] = field(default_factory=list)
    _variables: dict[str, Variable] = field(default_factory=dict)
    _files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._files = _input_files(self.inputs)

    @property
    def session_info(self) -> SessionInfo:
        """What an agent is told before the first problem."""
        return SessionInfo(session_id=self.problemset.name, problemset=self.problemset.name)

    def request(self, index: int, problem: Problem, card: AgentCard) -> SolveRequest:
        """Return what the agent with that card is asked at problem `index` (from 1)."""
        return SolveRequest(
            session_id=self.problemset.name,
            problemset=self.problemset.name,
            problem_id=problem_id(self.problemset, index),
            index=index,
            query=problem.query,
            limits=SolveLimits(problem.execution.max_time_s, problem.execution.max_memory_mb),
            history=tuple(self._cells) if card.history else (),
            variables=tuple(self._variables.values()) if card.variables else (),
            files=self._files,
        )

    def remember(self, cell: SetupCell | Problem, index: int, outcome: Outcome) -> None:
        """Add an executed cell: a setup cell, or the reference code of problem `index`."""
        status = outcome.ending.value
        if isinstance(cell, Problem):
            which = problem_id(self.problemset, index)
            entry = Cell(CellKind.PROBLEM, cell.code, which, cell.query, "reference", status, outcome.outputs)
        else:
            entry = Cell(CellKind.SETUP, cell.source, origin="given", status=status, outputs=outcome.outputs)
        self._cells.append(entry)
        for view in outcome.variables:
            if view.change == "deleted":
                self._variables.pop(view.name, None)
            else:
                self._variables[view.name] = Variable(view.name, view.type, view.text)


def _input_files(inputs: Path | None) -> tuple[str, ...]:
    if inputs is None:
        return ()
    return tuple(sorted(path.relative_to(inputs).as_posix() for path in inputs.rglob("*") if path.is_file()))
