"""What agents are shown before each problem, cells, variables and files, and which names the reference's way made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evaluator.agents import AgentCard, CellKind, HistoryCell, SessionInfo, SolveLimits, SolveRequest, Variable
from evaluator.language import Problem, Problemset, SetupCell, problem_id
from evaluator.session import Outcome

MOST_REPORTED: Final = 200  # MAX_VIEWS of inside: of a cell that changed more names, not all are known


def as_written(problem: Problem) -> str:
    """Ask a query as it is written."""
    return problem.query


@dataclass
class ReferenceHistory:
    """The way of the reference through one problemset, as far as agents may see it."""

    problemset: Problemset
    inputs: Path | None
    epoch: int = 1
    cells: list[HistoryCell] = field(default_factory=list)  # executed so far
    variables: dict[str, Variable] = field(default_factory=dict)  # as the last cell left them
    setup_names: set[str] = field(default_factory=set)  # that setup cells bound and no reference deleted
    wording: Callable[[Problem], str] = as_written  # how a query is asked
    has_gaps: bool = False  # a cell was lost, or changed more names than are reported: `variables` may lack some
    _sizes: dict[str, int] = field(default_factory=dict)  # of the files that sessions see, by their names (bytes)

    def __post_init__(self) -> None:
        self._sizes = _input_files(self.inputs)

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
            query=self.wording(problem),
            limits=SolveLimits(problem.time_limit_s, problem.execution.max_memory_mb),
            history=tuple(self.cells) if card.history else (),
            variables=tuple(self.variables.values()) if card.variables else (),
            files=tuple(self._sizes) if card.files else (),
            sizes=self._sizes if card.files else {},
            epoch=self.epoch,
        )

    def executed_cell(self, cell: SetupCell | Problem, index: int, outcome: Outcome) -> HistoryCell:
        """Return a setup cell, or the reference code of problem `index`, as agents are shown it."""
        status = outcome.ending.value
        if isinstance(cell, Problem):
            which, query = problem_id(self.problemset, index), self.wording(cell)
            return HistoryCell(CellKind.PROBLEM, cell.code, which, query, "reference", status, outcome.outputs)
        return HistoryCell(CellKind.SETUP, cell.source, origin="given", status=status, outputs=outcome.outputs)

    def remember(self, cell: SetupCell | Problem, index: int, outcome: Outcome) -> None:
        """Add an executed cell: a setup cell, or the reference code of problem `index`."""
        self.cells.append(self.executed_cell(cell, index, outcome))
        follow_variables(self.variables, outcome)
        follow_bound_names(self.setup_names, outcome, adds=isinstance(cell, SetupCell))
        changes = sum(view.change != "unchanged" for view in outcome.variables)
        self.has_gaps = self.has_gaps or changes >= MOST_REPORTED


def follow_variables(variables: dict[str, Variable], outcome: Outcome) -> None:
    """Bring a table of variables up to date with what a cell did to them."""
    for view in outcome.variables:
        if view.change == "deleted":
            variables.pop(view.name, None)
        else:
            variables[view.name] = Variable(view.name, view.type, view.text)


def follow_bound_names(names: set[str], outcome: Outcome, *, adds: bool) -> None:
    """Take deleted names out of a set, and put those in that a cell made or bound anew if they are to be followed."""
    names.difference_update(view.name for view in outcome.variables if view.change == "deleted")
    if adds:
        names.update(view.name for view in outcome.variables if view.change in ("added", "replaced"))


def _input_files(inputs: Path | None) -> dict[str, int]:
    if inputs is None:
        return {}
    found = sorted((path.relative_to(inputs).as_posix(), path) for path in inputs.rglob("*") if path.is_file())
    return {name: path.stat().st_size for name, path in found}
