"""Goes through a problemset whose author's code fails somewhere, so that everything that is wrong is told at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evaluator.agents import Agent
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import LoadedSet, Problem, Problemset, SetupCell
from evaluator.running.execution.author_errors import ended, over_time, raised
from evaluator.running.execution.executed_cell import Conditions, ExecutedCell
from evaluator.running.execution.executor import ProblemsetExecutor
from evaluator.running.execution.reference_session import ReferenceSession
from evaluator.session import Ending, Engine

MAX_RESTARTS: Final = 5
"""So many cells may end their session; what stands behind the next one is not executed."""


@dataclass(frozen=True)
class FailingSet:
    """What executing a failing problemset to its end found."""

    sound: tuple[ExecutedCell, ...]  # problems whose own code and validators work
    failing: tuple[ExecutedCell, ...]  # problems that cannot be judged, each told in `diagnostics`
    diagnostics: tuple[Diagnostic, ...]


def execute_to_the_end(
    engine: Engine,
    loaded: LoadedSet,
    agents: Sequence[Agent],
    by: Conditions,
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> FailingSet:
    """Execute every cell, in the state that those before it leave, whether they fail or not.

    A cell that ends its session (a crash of Python, no end in time) is left out of the sessions for those after it.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses.
        agents: Who is asked.
        by: Rule set, policies, attempts.
        cancelled: Asked between cells; True ends the work quietly.

    Raises:
        ToolkitError: If the engine cannot start a session.
    """
    assert loaded.problemset is not None, "a problemset that does not parse is refused before"
    problemset, told = loaded.problemset, 0
    sound: list[ExecutedCell] = []
    failing: list[ExecutedCell] = []
    diagnostics: list[Diagnostic] = []
    for _ in range(MAX_RESTARTS + 1):
        left_out = 0
        for cell in _executed(engine, loaded, problemset, agents, by, told, cancelled):
            found = list(_faults(engine, loaded, problemset, cell))
            diagnostics += found
            if isinstance(cell.cell, Problem):
                (failing if found else sound).append(cell)
            told, left_out = cell.position, cell.position if _ended_session(cell) else 0
            if left_out:
                break
        if not left_out:
            break
        problemset = _without(problemset, left_out)
    else:
        diagnostics += _not_executed(loaded, problemset, told)
    return FailingSet(tuple(sound), tuple(failing), tuple(diagnostics))


def _executed(
    engine: Engine,
    loaded: LoadedSet,
    problemset: Problemset,
    agents: Sequence[Agent],
    by: Conditions,
    told: int,
    cancelled: Callable[[], bool],
) -> Iterator[ExecutedCell]:
    """Yield the cells after the first `told`; those are executed for the state alone that they leave."""
    done = sum(isinstance(cell, Problem) for cell in problemset.cells[:told])
    conditions = replace(by, goes_on=True)
    executor = ProblemsetExecutor(
        engine, problemset, loaded.path, loaded.inputs, conditions=conditions, cancelled=cancelled
    )
    with executor:
        for cell in executor.cells(agents, asks=lambda index: index > done):
            if cell.position > told:
                yield cell


def _ended_session(cell: ExecutedCell) -> bool:
    return cell.outcome is not None and cell.outcome.ending not in (Ending.OK, Ending.ERROR, Ending.ENGINE_ERROR)


def _without(problemset: Problemset, position: int) -> Problemset:
    """Return the problemset with an idle cell at a position (from 1); the numbers of its problems stay."""
    cells = list(problemset.cells)
    cell = cells[position - 1]
    if isinstance(cell, Problem):
        cells[position - 1] = replace(cell, code="pass", validator=None)
    else:
        cells[position - 1] = replace(cell, source="pass")
    return replace(problemset, cells=tuple(cells))


def _faults(engine: Engine, loaded: LoadedSet, problemset: Problemset, cell: ExecutedCell) -> Iterator[Diagnostic]:
    """Yield what is wrong with a cell's own code, or else with its validators."""
    outcome, it = cell.outcome, cell.cell
    if outcome is None or outcome.ending is Ending.ENGINE_ERROR:
        return  # nothing is known of it: it counts as not judged
    words = ReferenceSession(engine, loaded.name, loaded.path, loaded.inputs, problemset)
    if outcome.ending is Ending.ERROR:
        yield words.fault(it, *raised(it, outcome, engine.environment.name)).diagnostic
    elif outcome.ending is not Ending.OK:
        yield words.fault(it, *ended(it, outcome)).diagnostic
    elif isinstance(it, Problem) and outcome.seconds > it.time_limit_s:
        yield words.fault(it, *over_time(it)).diagnostic
    elif isinstance(it, Problem):
        faults = (attempt.judged.author_fault for attempt in cell.attempts)
        fault = next((each for each in faults if each is not None), None)
        if fault is not None:
            yield words.validator_error(it, fault).diagnostic


def _not_executed(loaded: LoadedSet, problemset: Problemset, told: int) -> Iterator[Diagnostic]:
    for cell in problemset.cells[told:]:
        line = cell.line if isinstance(cell, SetupCell) else cell.code_line
        what = f"this cell was not executed: more than {MAX_RESTARTS} cells before it ended their session"
        yield Diagnostic("not-executed", Severity.ERROR, loaded.path, line, what, "repair those cells first")
