"""Executes a problemset up to a cell in the sandbox and reads a page of a variable before and after that cell.

Sessions that wait before the cell are used and go on waiting: the cell runs on a copy of them.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from authoring.checks.dry_run.checked_execution import open_executor
from authoring.checks.dry_run.dry_running import readable_text
from authoring.checks.dry_run.warm_sessions import WarmPlace
from authoring.checks.variables.variable_page import TOTAL_S, read_page
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.seeds import materialise_inputs
from authoring.store import problemsets
from authoring.store.problemsets import problemset_inputs
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.running import REFERENCE_GRACE_S, SETUP_WALL_S, ExecutedCell, limits_of
from evaluator.session import CellLimits, Ending, Engine, Outcome, scratch_folder

PlaceOfCell = Callable[[Mapping[str, str], int | None], WarmPlace | None]
"""From a problemset's input files (name -> digest) and a problem's number to where sessions wait."""
_CELL: Final = Path(__file__).parent / "page_cell.py"
_MODULE: Final = "_benchwright_variable_page"
_ENDED: Final = (Ending.OK, Ending.ERROR)
_MAX_ERROR: Final = 300  # characters


@dataclass(frozen=True, kw_only=True)
class AskedPage:
    """Which part of which variable."""

    name: str
    offset: int = 0  # rows before the page
    columns_from: int = 0  # columns before the page
    changed_only: bool = False  # only rows that the cell changed or added

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dict(vars(self))


def no_place(inputs: Mapping[str, str], number: int | None) -> None:
    """Let no sessions wait."""
    del inputs, number


def read_variable(
    ws: Workspace,
    problemset_id: int,
    text: str,
    position: int,
    asked: AskedPage,
    *,
    engine: Engine,
    place: PlaceOfCell = no_place,
    on_event: OnEvent = no_progress,
) -> dict[str, Any]:
    """Return a page of a variable after a cell, with what changed since before it.

    Args:
        ws: The workspace.
        problemset_id: Whose input files the sessions see.
        text: Of the problemset, saved or not.
        position: Of the cell among all cells, from 1.
        asked: Which part of which variable.
        engine: Where the cells run.
        place: Where sessions wait.
        on_event: Told of each cell before.

    Returns:
        The fields of `VariablePage`, and `stopped`: the error that ended the cell, or empty.

    Raises:
        UsageError: If there is no such cell, or the name is none.
        ContentError: If the text has errors, the cell is not reached, or the variable has no rows.
        ToolkitError: If the engine fails.
    """
    problemset = readable_text(text, problemsets.find(ws, problemset_id).name, workspace_validators(ws))
    if not 1 <= position <= len(problemset.cells):
        raise UsageError(f"there is no cell {position}", where="position", fix="look at the page again")
    if not asked.name.isidentifier():
        raise UsageError(f"{asked.name[:80]!r} is no name of a variable", where="name", fix="choose one of the list")
    digests = problemset_inputs(ws, problemset_id)
    number = _number(problemset, position)
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, digests, folder / "inputs")
        sought = _Sought(problemset, inputs, position, asked)
        _, cell, page = _look(engine, sought, place(digests, number), on_event)
    stopped = "" if cell.error is None else f"{cell.error.name}: {cell.error.message}"[:_MAX_ERROR]
    return {**read_page(_printed(page), asked.name).model_dump(mode="json"), "stopped": stopped}


class _Sought(NamedTuple):
    """What is looked at: a variable after a cell."""

    problemset: Problemset
    inputs: Path | None
    position: int  # of the cell among all cells, from 1
    asked: AskedPage


def _look(
    engine: Engine, sought: _Sought, place: WarmPlace | None, on_event: OnEvent
) -> tuple[Outcome, Outcome, Outcome]:
    """Return what came of noting the variable, of the cell, and of printing the page."""
    problemset, inputs, position, asked = sought
    deadline = time.monotonic() + TOTAL_S
    waiting = None if place is None else place.take(engine, problemset, lambda _: False)
    executor = open_executor(engine, problemset, inputs) if waiting is None else waiting.executor
    goes_on_waiting = False
    try:
        executor.go_on_with(problemset, inputs)
        executor.open()
        executed: list[ExecutedCell] = []
        done = () if waiting is None else waiting.executed
        for cell in islice(executor.cells(asks=lambda _: False, done=done), position - 1):
            executed.append(cell)
            on_event(PipelineEvent(len(executed), position, f"cell {len(executed)} of {position}"))
            _refuse_late(deadline)
            _refuse_lost(cell)
        steps = _steps(problemset.cells[position - 1], asked)
        found = executor.tried_on_copy(steps, within_s=max(1.0, deadline - time.monotonic()))
        goes_on_waiting = place is not None and place.give_back(engine, problemset, executor, executed)
    finally:
        if not goes_on_waiting:
            executor.close()
    return _complete(found, asked.name)


def _steps(cell: Problem | SetupCell, asked: AskedPage) -> Sequence[tuple[str, CellLimits]]:
    """Return what is executed on the copy: a note of the variable, the cell, the page."""
    module = f"__import__('sys').modules.setdefault({_MODULE!r}, __import__('types').ModuleType({_MODULE!r}))"
    make = f"exec({_CELL.read_text(encoding='utf-8')!r}, {module}.__dict__)"
    keep = f"{module}.keep(globals(), {asked.name!r})"
    show = f"{module}.show(globals(), __import__('json').loads({json.dumps(json.dumps(asked.to_json()))}))"
    code, limits = _code_of(cell)
    whole = CellLimits(wall_s=TOTAL_S, memory_mb=limits.memory_mb, renders=False)
    return ((f"{make}\n{keep}\n", whole), (code, limits), (f"{show}\n", whole))


def _code_of(cell: Problem | SetupCell) -> tuple[str, CellLimits]:
    if isinstance(cell, Problem):
        return cell.code, replace(limits_of(cell, grace_s=REFERENCE_GRACE_S), renders=False)
    return cell.source, CellLimits(wall_s=SETUP_WALL_S)


def _complete(found: Sequence[Outcome], name: str) -> tuple[Outcome, Outcome, Outcome]:
    """Return the three outcomes.

    Raises:
        ContentError: If one of them is missing or did not come to its end.
    """
    last = found[-1]
    part = ("noting what it was", "the code", "reading the page")[len(found) - 1]
    if last.ending not in _ENDED:
        reason = {Ending.TIMED_OUT: "takes too long", Ending.OVER_LIMIT: "goes over a limit, such as memory"}
        what = f"{name!r} cannot be shown: {part} {reason.get(last.ending, 'ends the session')}"
        raise ContentError(what, where="Variables", fix="press Run to see how the code ends, or use a smaller table")
    keep, cell, page = found
    if page.error is not None:
        what = f"{name!r} cannot be shown: {page.error.name}: {page.error.message}"[: _MAX_ERROR + 100]
        raise ContentError(what, where="Variables", fix="show it in the last line of the code and press Run")
    return keep, cell, page


def _printed(outcome: Outcome) -> str:
    return "".join(str(each.get("text", "")) for each in outcome.outputs if each.get("name") == "stdout")


def _number(problemset: Problemset, position: int) -> int | None:
    """Return the number of the problem at a position; None of a setup cell, before which no sessions wait."""
    if not isinstance(problemset.cells[position - 1], Problem):
        return None
    return sum(isinstance(cell, Problem) for cell in problemset.cells[:position])


def _refuse_late(deadline: float) -> None:
    if time.monotonic() > deadline:
        what = f"the cells before this one take longer than {TOTAL_S:.0f} s"
        raise ContentError(what, where="Variables", fix="show the table in the last line of the code and press Run")


def _refuse_lost(cell: ExecutedCell) -> None:
    ending = Ending.ENGINE_ERROR if cell.outcome is None else cell.outcome.ending
    if ending is Ending.ENGINE_ERROR:
        raise ToolkitError(f"cell {cell.position} could not be executed", fix="press Show rows again")
    if ending not in _ENDED:
        what = f"this cell is not reached: cell {cell.position} ends the session"
        raise ContentError(what, where="Variables", fix="repair that cell first; Run on it says how it ends")
