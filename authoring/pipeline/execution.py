"""Execute a problemset and judge each reference against itself, against doing nothing, and against an agent.

Two sessions go through the set side by side. The first is the reference. The second replays it with other random
states, and its outcomes are judged as submissions: a reference with more than one answer does not agree with itself.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authoring.pipeline.asking import Asked, Asker
from authoring.pipeline.progress import OnEvent, PipelineEvent, unheard
from evaluator.agents import Agent
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError, ToolkitError
from evaluator.language import (
    OwnValidators,
    Problem,
    Problemset,
    SetupCell,
    parse_problemset,
    problem_id,
    resolve_validators,
    wanted_names,
)
from evaluator.running import REFERENCE_GRACE_S, SETUP_WALL_S, limits_of, modules_to_preload
from evaluator.scoring import AuthorFault, Judged, Verdict, find_author_fault, judge_submission
from evaluator.session import (
    CellLimits,
    Ending,
    Engine,
    Outcome,
    Probe,
    ProbeFault,
    Session,
    Wants,
    record_probes,
)


@dataclass(frozen=True)
class ExecutedCell:
    """One cell with what it left behind; problems are judged too."""

    position: int  # of the cell in the file, from 1
    line: int  # of its first line in the file
    outcome: Outcome
    problem: int | None = None  # its number among the problems, from 1; None: a setup cell
    problem_id: str = ""
    max_time_s: float = 0.0
    reference: Judged | None = None  # the replayed reference as a submission; None: not judged
    empty: Judged | None = None  # the empty cell as a submission
    agent: Judged | None = None  # None: no agent was asked
    agent_code: str = ""

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
        }


@dataclass(frozen=True)
class ExecutedSet:
    """The cells that were executed, in order."""

    name: str
    cells: tuple[ExecutedCell, ...]

    @property
    def problems(self) -> tuple[ExecutedCell, ...]:
        """The cells that are asked."""
        return tuple(cell for cell in self.cells if cell.problem is not None)

    @property
    def failed_setup(self) -> ExecutedCell | None:
        """The first setup cell that did not run to its end."""
        return next((cell for cell in self.cells if cell.problem is None and cell.failed), None)

    def refuse_engine_faults(self) -> None:
        """Refuse to draw conclusions from what the engine failed on.

        Raises:
            ToolkitError: If a reference was not judged for a reason that lies in the machine, not in the problem.
        """
        for cell in self.problems:
            for judged in (cell.reference, cell.empty):
                if judged and judged.verdict is Verdict.NOT_JUDGED and judged.author_fault is None:
                    what = f"the engine failed on problem {cell.problem} ({cell.problem_id}): {judged.reason}"
                    raise ToolkitError(what, where=self.name, fix="repeat the command; nothing was concluded from it")

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "cells": [cell.to_json() for cell in self.cells]}


def execute_cells(
    engine: Engine,
    problemset: Problemset,
    inputs: Path | None,
    *,
    upto: int | None = None,
    agent: Agent | None = None,
    on_event: OnEvent = unheard,
) -> ExecutedSet:
    """Execute and judge the cells of a problemset in order.

    Args:
        engine: Where they run.
        problemset: What runs; validators that are not scored yet are judged UNKNOWN.
        inputs: The folder that the sessions see as `inputs/`.
        upto: The last problem to execute, from 1; None: every cell.
        agent: Asked for a submission to each problem.
        on_event: Told before each problem and at the end; what it raises ends the execution.

    Returns:
        The executed cells. When a cell ends the session, the cells after it are there as not executed.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    total = min(len(problemset.problems), upto or len(problemset.problems))
    on_event(PipelineEvent(0, total, "starting a session"))
    cells = []
    with ExitStack() as stack:
        sessions = [stack.enter_context(engine.open(key=key, inputs=inputs)) for key in _keys(problemset)]
        asker = Asker(agent, problemset, inputs) if agent else None
        walk = _Walk(engine, problemset, _Track(sessions[0]), _Track(sessions[1]), asker)
        walk.warm_up()
        for cell in walk.cells(upto):
            cells.append(cell)
            if cell.problem is not None:
                on_event(PipelineEvent(cell.problem, total, f"problem {cell.problem} of {total}"))
    return ExecutedSet(problemset.name, tuple(cells))


def _keys(problemset: Problemset) -> tuple[str, str]:
    return problemset.name, f"{problemset.name} replayed"  # another key gives other random states


@dataclass
class _Track:
    """One session on its way; `lost` says why it went no further."""

    session: Session
    lost: str = ""
    by_author: bool = False  # a cell of the author ended the session, not the machine

    def advance(self, source: str, wants: Wants, limits: CellLimits) -> Outcome:
        """Execute a cell; a session that is gone leaves an outcome of the engine's failure instead."""
        if not self.lost:
            try:
                outcome = self.session.execute(source, wants=wants, limits=limits)
            except ToolkitError as error:
                self.lost = error.what
            else:
                if outcome.ending not in (Ending.OK, Ending.ERROR):
                    self.lost = f"a cell ended the session ({outcome.ending.value})"
                    self.by_author = outcome.ending is not Ending.ENGINE_ERROR
                return outcome
        return Outcome(ending=Ending.ENGINE_ERROR, source=source)

    def attempt(self, source: str, wants: Wants, limits: CellLimits) -> Outcome | None:
        """Try a submission on a fork; None when the session is gone."""
        if self.lost:
            return None
        try:
            return self.session.attempt(source, wants=wants, limits=limits)
        except ToolkitError as error:
            self.lost = error.what
            return None


@dataclass
class _Walk:
    """The way of both sessions through one problemset."""

    engine: Engine
    problemset: Problemset
    reference: _Track
    replay: _Track
    asker: Asker | None
    fault: AuthorFault | None = None  # of the current problem's validators, found before anything is judged

    def warm_up(self) -> None:
        """Import what is slow to import, as a run does, so that no problem's time limit pays for it."""
        for module in modules_to_preload([self.problemset], self.engine.environment):
            source = f"__import__('importlib').import_module({module!r}) is None"
            for track in (self.reference, self.replay):
                track.advance(source, Wants(), CellLimits(wall_s=SETUP_WALL_S))

    def cells(self, upto: int | None) -> Iterator[ExecutedCell]:
        number = 0
        for position, cell in enumerate(self.problemset.cells, 1):
            if upto is not None and number >= upto:
                return
            if isinstance(cell, SetupCell):
                yield self._setup(position, cell)
            else:
                number += 1
                yield self._problem(position, number, cell)

    def _setup(self, position: int, cell: SetupCell) -> ExecutedCell:
        limits = CellLimits(wall_s=SETUP_WALL_S)
        outcome = self.reference.advance(cell.source, Wants(), limits)
        self.replay.advance(cell.source, Wants(), limits)
        if self.asker:
            self.asker.remember(cell, 0, outcome)
        return ExecutedCell(position, cell.line, outcome)

    def _problem(self, position: int, number: int, problem: Problem) -> ExecutedCell:
        names = wanted_names(resolve_validators(problem))
        limits, patient = limits_of(problem), limits_of(problem, grace_s=REFERENCE_GRACE_S)
        probes = self._probes(problem, patient)
        wants = Wants(names, infer=True, probes=probes)
        asked = self.asker.ask(number, problem) if self.asker and not self.reference.lost else Asked()
        empty = self.reference.attempt("", wants, limits)
        tried = self.reference.attempt(asked.code, wants, limits) if asked.runs else None
        outcome = self.reference.advance(problem.code, Wants(names, probes=probes), patient)
        self._try_code(outcome, problem)
        replayed = self.replay.attempt(problem.code, wants, limits)
        self.replay.advance(problem.code, Wants(names), patient)
        if self.asker:
            self.asker.remember(problem, number, outcome)
        return ExecutedCell(
            position,
            problem.line,
            outcome,
            number,
            problem_id(self.problemset, number),
            problem.execution.max_time_s,
            self._judge_reference(outcome, replayed, problem),
            self._judge(outcome, empty, problem, self.reference),
            asked.verdict_without_run or (self._judge(outcome, tried, problem, self.reference) if asked.runs else None),
            asked.code,
        )

    def _probes(self, problem: Problem, limits: CellLimits) -> tuple[Probe, ...]:
        """Return what the problem's validators try; a fault of theirs is kept for the verdicts."""
        self.fault = None
        if self.reference.lost:
            return ()
        try:
            return record_probes(self.reference.session, problem, limits)
        except ProbeFault as fault:
            self.fault = AuthorFault(fault.what, fault.where, fault.fix)
        except ToolkitError as error:
            self.reference.lost = error.what
        return ()

    def _try_code(self, reference: Outcome | None, problem: Problem) -> None:
        """Try the author's own code on the reference; a fault of it is kept for the verdicts."""
        if reference is not None and self.fault is None and reference.ending is Ending.OK:
            self.fault = find_author_fault(self.engine, reference, problem)

    def _judge_reference(self, reference: Outcome, replayed: Outcome | None, problem: Problem) -> Judged:
        if reference.ending is Ending.TIMED_OUT:
            return Judged(Verdict.TIMEOUT, reason=f"it takes longer than {problem.execution.max_time_s:g} s")
        if reference.error is not None:
            broken = reference.error.name in ("SyntaxError", "IndentationError", "TabError")
            reason = f"{reference.error.name}: {reference.error.message}"
            return Judged(Verdict.SYNTAX_ERROR if broken else Verdict.CRASH, reason=reason)
        return self._judge(reference, replayed, problem, self.replay)

    def _judge(self, reference: Outcome, submission: Outcome | None, problem: Problem, track: _Track) -> Judged:
        if submission is None:
            fault = AuthorFault(track.lost, "an earlier cell", "make it faster or smaller") if track.by_author else None
            return Judged(Verdict.NOT_JUDGED, reason=track.lost, author_fault=fault)
        if self.fault is not None:
            return Judged(Verdict.NOT_JUDGED, reason=self.fault.what, author_fault=self.fault)
        return judge_submission(self.engine, reference, submission, problem)


def _judged_json(judged: Judged | None) -> dict[str, Any] | None:
    if judged is None:
        return None
    return {"verdict": judged.verdict.value, "subverdict": judged.subverdict.value, "reason": judged.reason}


def execute_problemset(
    engine: Engine,
    text: str,
    name: str,
    inputs: Path | None,
    *,
    own_validators: OwnValidators | None = None,
    upto: int | None = None,
    on_event: OnEvent = unheard,
) -> ExecutedSet:
    """Execute and judge the text of a problemset, saved or not, up to a problem (from 1).

    Raises:
        ContentError: If the text cannot be read as a problemset; it names the first errors.
        ToolkitError: If the engine cannot start.
    """
    problemset, diagnostics = parse_problemset(text, name=name, own_validators=own_validators)
    if problemset is None:
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        listed = "; ".join(f"line {e.line}: {e.what}" for e in errors[:5])
        fix = errors[0].fix if errors else "correct the text"
        raise ContentError(f"{name!r} cannot be read: {listed}", where=name, fix=fix)
    return execute_cells(engine, problemset, inputs, upto=upto, on_event=on_event)
