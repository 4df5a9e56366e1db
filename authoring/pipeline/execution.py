"""Execute a problemset and judge each reference against itself, against doing nothing, and against an agent.

Two sessions go through the set side by side. The first is the reference. The second replays it with other random
states, and its outcomes are judged as submissions: a reference with more than one answer does not agree with itself.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from authoring.pipeline.asking import AgentReply, Asker
from authoring.pipeline.executed import ExecutedCell, ExecutedSet
from authoring.pipeline.kept_answers import KeptAnswer
from authoring.pipeline.progress import OnEvent, PipelineEvent, no_progress
from authoring.pipeline.sampling import Tried, clustered
from authoring.pipeline.tracks import Track, open_tracks, preloaded
from authoring.pipeline.warm_sessions import Waiting, WarmPlace
from evaluator.agents import Agent
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError, ToolkitError
from evaluator.language import (
    OwnValidators,
    Problem,
    Problemset,
    SetupCell,
    example_answers,
    parse_problemset,
    problem_id,
    resolve_validators,
    wanted_names,
)
from evaluator.running import REFERENCE_GRACE_S, SETUP_WALL_S, limits_of
from evaluator.scoring import AuthorFault, Judged, Verdict, find_author_fault, judge_submission
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Outcome,
    Probe,
    ProbeFault,
    record_probes,
)

ShouldJudge = Callable[[int, Sequence[ExecutedCell]], bool]


def always(number: int, before: Sequence[ExecutedCell]) -> bool:
    """Judge every problem."""
    del number, before
    return True


def execute_cells(
    engine: Engine,
    problemset: Problemset,
    inputs: Path | None,
    *,
    upto: int | None = None,
    agents: Sequence[Agent] = (),
    judges: ShouldJudge = always,
    place: WarmPlace | None = None,
    on_event: OnEvent = no_progress,
) -> ExecutedSet:
    """Execute and judge the cells of a problemset in order.

    Args:
        engine: Where they run.
        problemset: What runs; validators that are not scored yet are judged UNKNOWN.
        inputs: The folder that the sessions see as `inputs/`.
        upto: The last problem to execute, from 1; None: every cell.
        agents: Each is asked for a submission to each problem that is judged.
        judges: Tells, from a problem's number and the cells before it, whether it is judged or only executed.
        place: Where sessions wait that stand before the problem somebody works on, and where the next ones shall.
        on_event: Told before each problem and at the end; what it raises ends the execution.

    Returns:
        The executed cells. When a cell ends the session, the cells after it are there as not executed.

    Raises:
        ToolkitError: If the engine cannot start.
    """
    total = min(len(problemset.problems), upto or len(problemset.problems))
    on_event(PipelineEvent(0, total, "starting a session"))
    cells: list[ExecutedCell] = []
    with ExitStack() as stack:
        waiting = None if place is None else _taken(engine, problemset, place, lambda number: judges(number, ()))
        if waiting is not None:
            tracks, done = waiting.tracks, waiting.executed
            stack.push(waiting.stack)
        else:
            tracks, done = open_tracks(engine, problemset, inputs, stack), ()
            tracks.warm_up(preloaded(engine, problemset))
        asker = Asker(agents, problemset, inputs) if agents else None
        walk = _Walk(engine, problemset, *tracks, asker)
        for cell in walk.cells(upto, lambda number: judges(number, cells), done):
            cells.append(cell)
            if cell.problem is not None:
                on_event(PipelineEvent(cell.problem, total, f"problem {cell.problem} of {total}"))
        if place is not None:
            place.shelf.begin(engine, place.key, problemset, inputs, place.number, cells)
    return ExecutedSet(problemset.name, tuple(cells))


def _taken(engine: Engine, problemset: Problemset, place: WarmPlace, judges: Callable[[int], bool]) -> Waiting | None:
    return place.shelf.take(engine, place.key, problemset, place.number, judges)


@dataclass
class _Walk:
    """The way of both sessions through one problemset."""

    engine: Engine
    problemset: Problemset
    reference: Track
    replay: Track
    asker: Asker | None
    fault: AuthorFault | None = None  # of the current problem's validators, found before anything is judged

    def cells(
        self, upto: int | None, judges: Callable[[int], bool], done: Sequence[ExecutedCell]
    ) -> Iterator[ExecutedCell]:
        """Yield the cells in order; those that the sessions have executed already as they were then."""
        number = 0
        for position, cell in enumerate(self.problemset.cells, 1):
            if upto is not None and number >= upto:
                return
            if position <= len(done):
                number += isinstance(cell, Problem)
                self._remember(cell, number if isinstance(cell, Problem) else 0, done[position - 1].outcome)
                yield done[position - 1]
                continue
            if isinstance(cell, SetupCell):
                yield self._setup(position, cell)
            else:
                number += 1
                yield (self._problem if judges(number) else self._unjudged)(position, number, cell)

    def _setup(self, position: int, cell: SetupCell) -> ExecutedCell:
        limits = CellLimits(wall_s=SETUP_WALL_S)
        outcome = self.reference.advance(cell.source, CaptureSpec(), limits)
        self.replay.advance(cell.source, CaptureSpec(), limits)
        self._remember(cell, 0, outcome)
        return ExecutedCell(position, cell.line, outcome)

    def _problem(self, position: int, number: int, problem: Problem) -> ExecutedCell:
        names = wanted_names(resolve_validators(problem))
        limits, patient = limits_of(problem), limits_of(problem, grace_s=REFERENCE_GRACE_S)
        probes = self._probes(problem, patient)
        wants = CaptureSpec(names, infer=True, probes=probes)
        asked = self.asker.ask(number, problem) if self.asker and not self.reference.lost else ()
        empty = self.reference.attempt("", wants, limits)
        tried = [self._try(each, wants, limits) for each in asked]
        kept = [(each, self.reference.attempt(each.code, wants, limits)) for each in example_answers(problem)]
        outcome = self.reference.advance(problem.code, CaptureSpec(names, probes=probes), patient)
        self._try_code(outcome, problem)
        replayed = self.replay.attempt(problem.code, wants, limits)
        self.replay.advance(problem.code, CaptureSpec(names), patient)
        self._remember(problem, number, outcome)
        judged = self._judge_reference(outcome, replayed, problem)
        judged_empty = self._judge(outcome, empty, problem, self.reference)
        tries = tuple(
            Tried(each.code, each.verdict_without_run or self._judge(outcome, left, problem, self.reference), left)
            for each, left in zip(asked, tried, strict=True)
        )
        if len(tries) > 1:
            tries = clustered(self.engine, problem, tries)
        examples = tuple(KeptAnswer(each, self._judge(outcome, left, problem, self.reference)) for each, left in kept)
        done = replace(self._executed(position, number, outcome), reference=judged, empty=judged_empty)
        return replace(done, tries=tries, examples=examples)

    def _remember(self, cell: Problem | SetupCell, number: int, outcome: Outcome) -> None:
        if self.asker:
            self.asker.remember(cell, number, outcome)

    def _try(self, asked: AgentReply, wants: CaptureSpec, limits: CellLimits) -> Outcome | None:
        return None if asked.verdict_without_run else self.reference.attempt(asked.code, wants, limits)

    def _unjudged(self, position: int, number: int, problem: Problem) -> ExecutedCell:
        """Execute a problem as if it were judged, so that its outcome can be compared with that of an earlier run."""
        names = wanted_names(resolve_validators(problem))
        patient = limits_of(problem, grace_s=REFERENCE_GRACE_S)
        wants = CaptureSpec(names, probes=self._probes(problem, patient))
        outcome = self.reference.advance(problem.code, wants, patient)
        self.replay.advance(problem.code, CaptureSpec(names), patient)
        self._remember(problem, number, outcome)
        return self._executed(position, number, outcome)

    def _executed(self, position: int, number: int, outcome: Outcome) -> ExecutedCell:
        problem = self.problemset.problems[number - 1]
        name, limit = problem_id(self.problemset, number), problem.execution.max_time_s
        return ExecutedCell(position, problem.line, outcome, number, name, limit)

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

    def _judge(self, reference: Outcome, submission: Outcome | None, problem: Problem, track: Track) -> Judged:
        if submission is None:
            fault = AuthorFault(track.lost, "an earlier cell", "make it faster or smaller") if track.by_author else None
            return Judged(Verdict.NOT_JUDGED, reason=track.lost, author_fault=fault)
        if self.fault is not None:
            return Judged(Verdict.NOT_JUDGED, reason=self.fault.what, author_fault=self.fault)
        return judge_submission(self.engine, reference, submission, problem)


def execute_problemset(
    engine: Engine,
    text: str,
    name: str,
    inputs: Path | None,
    *,
    own_validators: OwnValidators | None = None,
    first: int = 1,
    upto: int | None = None,
    place: WarmPlace | None = None,
    on_event: OnEvent = no_progress,
) -> ExecutedSet:
    """Execute the text of a problemset, saved or not, up to a problem (from 1), and judge it from the first one on.

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
    return execute_cells(
        engine,
        problemset,
        inputs,
        upto=upto,
        judges=lambda number, _: number >= first,
        place=place,
        on_event=on_event,
    )
