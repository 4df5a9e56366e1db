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
    epoch: int = 1
    cells: list[Cell] = field(default_factory=list)  # executed so far
    variables: dict[str, Variable] = field(default_factory=dict)  # as the last cell left them
    _files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._files = _input_files(self.inputs)

    @property
    def session_info(self) -> SessionInfo:
        """What an agent is told before the first problem."""
        name = self.problemset.name
        return SessionInfo(name if self.epoch == 1 else f"{name}#{self.epoch}", name, self.epoch)

    def request(self, index: int, problem: Problem, card: AgentCard) -> SolveRequest:
        """Return what the agent with that card is asked at problem `index` (from 1)."""
        return SolveRequest(
            session_id=self.session_info.session_id,
            problemset=self.problemset.name,
            problem_id=problem_id(self.problemset, index),
            index=index,
            query=problem.query,
            limits=SolveLimits(problem.execution.max_time_s, problem.execution.max_memory_mb),
            history=tuple(self.cells) if card.history else (),
            variables=tuple(self.variables.values()) if card.variables else (),
            files=self._files,
            epoch=self.epoch,
        )

    def remember(self, cell: SetupCell | Problem, index: int, outcome: Outcome) -> None:
        """Add an executed cell: a setup cell, or the reference code of problem `index`."""
        self.cells.append(executed_cell(self.problemset, cell, index, outcome))
        follow_variables(self.variables, outcome)


def executed_cell(problemset: Problemset, cell: SetupCell | Problem, index: int, outcome: Outcome) -> Cell:
    """Return a setup cell, or the reference code of problem `index`, as agents are shown it."""
    status = outcome.ending.value
    if isinstance(cell, Problem):
        which = problem_id(problemset, index)
        return Cell(CellKind.PROBLEM, cell.code, which, cell.query, "reference", status, outcome.outputs)
    return Cell(CellKind.SETUP, cell.source, origin="given", status=status, outputs=outcome.outputs)


def follow_variables(variables: dict[str, Variable], outcome: Outcome) -> None:
    """Bring a table of variables up to date with what a cell did to them."""
    for view in outcome.variables:
        if view.change == "deleted":
            variables.pop(view.name, None)
        else:
            variables[view.name] = Variable(view.name, view.type, view.text)


def _input_files(inputs: Path | None) -> tuple[str, ...]:
    if inputs is None:
        return ()
    return tuple(sorted(path.relative_to(inputs).as_posix() for path in inputs.rglob("*") if path.is_file()))
