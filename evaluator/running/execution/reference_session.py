"""A session that holds the reference state of one problemset and survives the loss of its processes."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ContentError, RecordingError, ToolkitError, UsageError
from evaluator.language import (
    Problem,
    Problemset,
    graded_validators,
    problem_id,
    resolve_validators,
    validator_line,
    wants_figures,
    withheld_names,
)
from evaluator.running.execution.author_errors import SETUP_WALL_S, Cells, ended, over_time, raised, shorten
from evaluator.running.execution.control_trial import ControlTrials
from evaluator.running.isolation import isolation_of, unsafe_modules
from evaluator.scoring import AuthorFault
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    Isolation,
    Outcome,
    PersistentFork,
    Probe,
    ProbeFault,
    Session,
    SessionLost,
    record_probes,
)

_log = logging.getLogger(__name__)

REFERENCE_GRACE_S: Final = 10.0
"""How far past its limit reference code may run before it is killed; past its limit, it is refused in any case."""

DESCRIBE_S: Final = 10.0
"""Seconds that describing variables may take."""

T = TypeVar("T")


class AuthorError(ContentError):
    """A setup cell, reference code or validator does not work: the problemset is refused from there."""

    def __init__(self, diagnostic: Diagnostic, cause: AuthorFault | None = None) -> None:
        super().__init__(diagnostic.what, where=f"{diagnostic.path}:{diagnostic.line}", fix=diagnostic.fix)
        self.diagnostic = diagnostic
        self.cause = cause  # of the validators; None: a cell is at fault


class EngineFailedError(ToolkitError):
    """The engine failed twice under the same cell; nothing is known about the work that was to be judged."""


class _DoubtfulError(Exception):
    """A cell ended in a way that a loaded machine may have caused; the second time it is the author's fault."""

    def __init__(self, fault: AuthorError, *, is_slow_machine: bool = False) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.is_slow_machine = is_slow_machine  # on a nominal machine the cell would have met its limit


@dataclass
class ReferenceSession:
    """Runs setup cells and reference code in order; attempts are forks of the state in between.

    Whatever the machine spoils is done once more in a fresh session, into which the cells so far are replayed.
    """

    engine: Engine
    name: str  # of the problemset
    path: Path
    inputs: Path | None
    problemset: Problemset | None = None  # whose problems are named by number and id in what is said to its author
    rng_seed: int | None = None  # None: the engine's
    time_scale: float = 1.0  # how many times slower than the nominal machine this one is
    magics: bool = True  # whether submissions may hold what IPython adds to Python; else it is a syntax error
    renders: bool = True  # whether anybody looks at what cells' last values look like
    key: str = ""  # what the random states are drawn from beside the seed; empty: the name
    imports: tuple[str, ...] = ()  # modules that are imported first, so that no time limit pays for them
    goes_on: bool = False  # a cell of the author that fails leaves an outcome like any other, and refuses nothing
    lost: str = ""  # with `goes_on`: why nothing is executed any more; a cell of the author ended the session
    _passed: list[Cells] = field(default_factory=list)  # executed, in order: what a replay repeats
    _session: Session | None = None
    _controls: ControlTrials = field(default_factory=ControlTrials)
    _took_session: set[str] = field(default_factory=set)  # submissions whose session died with them
    _fails_in_trials: bool = False  # a control failed like a submission of the problem that is judged now
    _is_replayed: bool = False
    _may_have_threads: bool = False  # a cell has run since they were looked for
    _has_threads: bool = False  # cells left threads, which no fork would have: state is replayed instead
    _is_second_try: bool = False  # what fails now fails by itself, not by a loaded machine

    @property
    def is_gone(self) -> bool:
        """Whether its processes have ended."""
        return bool(self.lost) or self._session is None or self._session.is_lost

    @property
    def is_replayed(self) -> bool:
        """Whether copies are made by replaying its cells in fresh processes, which need the inputs folder each time."""
        return self._is_replayed

    @property
    def is_second_try(self) -> bool:
        """Whether an action is tried once more, after the machine may have spoiled it."""
        return self._is_second_try

    def open(self) -> None:
        """Start the session now, not at its first use.

        Raises:
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        self._opened()

    def close(self) -> None:
        """End the session's processes."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def probes(self, problem: Problem) -> tuple[Probe, ...]:
        """Return what is tried with the functions and models of a problem, for submissions and reference alike.

        Raises:
            AuthorError: If a test case or a model's inputs are wrong.
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        limits = limits_of(problem, grace_s=REFERENCE_GRACE_S)
        try:
            return record_probes(self._opened(), problem, limits)
        except ProbeFault as fault:
            raise self.validator_error(problem, AuthorFault(fault.what, fault.where, fault.fix)) from fault

    def attempt(
        self,
        source: str,
        problem: Problem,
        *,
        names: tuple[str, ...],
        probes: tuple[Probe, ...] = (),
        has_control: bool = True,
    ) -> Outcome:
        """Run a submission on a fork of the current state, under the problem's limits.

        Args:
            source: Of the submission.
            problem: Whose limits hold.
            names: Variables that its payload shall hold.
            probes: What is tried with its functions and models.
            has_control: Whether an end that a trial may have caused is compared with that of the reference code.

        Raises:
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        capture = CaptureSpec(names=names, infer=True, probes=probes, figures=asks_for_figures(problem))
        session = self._opened()
        try:
            outcome = session.attempt(source, capture=capture, limits=self._limits_of_attempts(problem))
            if outcome.ending is Ending.TIMED_OUT and has_control and not session.is_lost:
                # A machine that stood still for a moment is no fault of a submission: only what is late twice is late.
                outcome = session.attempt(source, capture=capture, limits=self._limits_of_attempts(problem))
        except SessionLost:
            self._took_session.add(source)
            raise
        if outcome.ending is Ending.ENGINE_ERROR:
            raise ToolkitError("the engine could not run a submission", where=str(self.path))
        if outcome.ending is Ending.DIED and session.is_lost:
            self.close()
            if source not in self._took_session:
                self._took_session.add(source)
                raise ToolkitError("the session died, and a submission with it", where=str(self.path))
        if session.is_lost or not has_control:
            return outcome
        limits = limits_of(problem, grace_s=problem.time_limit_s)
        if self._controls.fails_alike(session, problem.code, outcome, capture=capture, limits=limits):
            self._fails_in_trials = True
        return outcome

    def dry_execute(self, problem: Problem, *, names: tuple[str, ...], probes: tuple[Probe, ...] = ()) -> Outcome:
        """Run a problem's reference code on a fork, so that attempts can be judged before the state moves on.

        Raises:
            AuthorError: If it raises.
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        limits = limits_of(problem, grace_s=REFERENCE_GRACE_S)
        capture = CaptureSpec(names=names, probes=probes, figures=asks_for_figures(problem))
        outcome = self._opened().attempt(problem.code, capture=capture, limits=limits)
        return self._checked(problem, outcome)

    def look(self, capture: CaptureSpec) -> Outcome:
        """Return what can be told of the current state, from a fork of it.

        Raises:
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        return self._opened().attempt("", capture=capture, limits=CellLimits(wall_s=DESCRIBE_S))

    def keep(self, life: CellLimits) -> PersistentFork:
        """Fork a trial that lives on; until it is closed, this session does nothing else.

        Raises:
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        return self._opened().keep(life)

    def try_on_copy(self, steps: Sequence[tuple[str, CellLimits]], within_s: float) -> tuple[Outcome, ...]:
        """Run codes one after the other on one copy of the current state; the first that ends the copy is the last.

        Args:
            steps: Codes, and what each may use.
            within_s: Seconds that all of them together may compute.

        Raises:
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        found: list[Outcome] = []
        memory = [limits.memory_mb for _, limits in steps if limits.memory_mb is not None]
        with self.keep(CellLimits(wall_s=within_s, memory_mb=max(memory, default=None))) as copy:
            for source, limits in steps:
                outcome = copy.execute(source, limits=replace(limits, wall_s=min(limits.wall_s, within_s)))
                if outcome.ending is Ending.ENGINE_ERROR:
                    raise ToolkitError("the engine could not run a cell", where=str(self.path))
                found.append(outcome)
                if outcome.ending not in (Ending.OK, Ending.ERROR):
                    break
        return tuple(found)

    def advance(self, cell: Cells, *, names: tuple[str, ...] = (), probes: tuple[Probe, ...] = ()) -> Outcome:
        """Run a setup cell or a problem's reference code, so that the state moves on.

        Raises:
            AuthorError: If the cell raises.
            ToolkitError: If the engine failed; only inside `with_retry` is that tried again.
        """
        if self.lost:
            return Outcome(Ending.ENGINE_ERROR, cell.code if isinstance(cell, Problem) else cell.source)
        figures = isinstance(cell, Problem) and asks_for_figures(cell)
        outcome = self._execute(self._opened(), cell, CaptureSpec(names=names, probes=probes, figures=figures))
        if self.lost:  # pyrefly: ignore[redundant-condition]  # by this very cell: it does not matter how trials of its code ended
            self._passed.append(cell)
            return outcome
        is_late = isinstance(cell, Problem) and outcome.seconds > cell.time_limit_s
        if isinstance(cell, Problem) and is_late and not self.goes_on:
            nominal_s = outcome.seconds / max(1.0, self.time_scale)
            is_slow_machine = nominal_s <= cell.time_limit_s
            raise _DoubtfulError(self.fault(cell, *over_time(cell)), is_slow_machine=is_slow_machine)
        if isinstance(cell, Problem) and self._fails_in_trials and not is_late:  # only there: its code is not at fault
            what = f"the reference code of {self._called(cell)} fails like a submission when it runs in a trial"
            fix = "use `isolation: replay`: a library that the setup cells use may not survive a fork"
            raise ToolkitError(what, where=str(self.path), fix=fix)
        self._passed.append(cell)
        return outcome

    def skip(self, cell: Cells) -> None:
        """Count a cell as passed although it was not executed; the next use replays it in a fresh session."""
        self.close()
        self._passed.append(cell)

    def step_back(self) -> None:
        """Undo the last cell: the next use replays those before it in a fresh session."""
        self.close()
        self.lost = ""
        del self._passed[-1:]

    def with_retry(self, action: Callable[[], T]) -> T:
        """Run an action on this session; if the machine spoils it, once more in a fresh session.

        Raises:
            AuthorError: If a cell of the author fails, both times where a loaded machine may be the cause.
            RecordingError: If a reply cannot be recorded: it is not asked for once more.
            EngineFailedError: If the engine failed both times.
        """
        passed = len(self._passed)
        self._fails_in_trials = self._is_second_try = False
        try:
            return action()
        except (ContentError, UsageError, RecordingError):
            raise
        except (_DoubtfulError, ToolkitError):
            self.close()
            del self._passed[passed:]
            self._fails_in_trials = False
        self._is_second_try = True
        try:
            return action()
        except (ContentError, UsageError, RecordingError):
            raise
        except _DoubtfulError as doubtful:
            if not doubtful.is_slow_machine:
                raise doubtful.fault from doubtful
            self.close()
            del self._passed[passed:]
            what = (
                f"{doubtful.fault.what} on this machine, which is {self.time_scale:.1f} times slower than the nominal"
            )
            raise EngineFailedError(what, where=doubtful.fault.where, fix="use a faster machine") from doubtful
        except ToolkitError as error:
            self.close()
            del self._passed[passed:]
            raise EngineFailedError(error.what, where=error.where, fix=error.fix) from error

    def _renders(self, cell: Cells) -> bool:
        """Return whether a last value is shown as a notebook does: for people, or for validators that read it."""
        return self.renders or (isinstance(cell, Problem) and reads_what_is_shown(cell))

    def fault(self, cell: Cells, code: str, what: str, fix: str) -> AuthorError:
        """Return an author's fault at a cell, as the exception that refuses the problemset."""
        line = cell.code_line if isinstance(cell, Problem) else cell.line
        return AuthorError(Diagnostic(code, Severity.ERROR, self.path, line, f"{self._whose(cell)} {what}", fix))

    def validator_error(self, problem: Problem, fault: AuthorFault) -> AuthorError:
        """Return what is wrong with a problem's validators, at the line of the one at fault."""
        what = f"the validators of {self._called(problem)} do not fit: {fault.what}"
        fix = fault.fix or "repair the validators or the reference code"
        line = validator_line(problem, fault.where)
        return AuthorError(Diagnostic("validator-does-not-fit", Severity.ERROR, self.path, line, what, fix), fault)

    def _whose(self, cell: Cells) -> str:
        return f"the reference code of {self._called(cell)}" if isinstance(cell, Problem) else "a setup cell"

    def _called(self, problem: Problem) -> str:
        """Return a problem's number, id and query, by which its author knows it."""
        cells = self.problemset.cells if self.problemset is not None else ()
        problems = [cell for cell in cells if isinstance(cell, Problem)]
        index = next((number for number, each in enumerate(problems, 1) if each is problem), 0)
        if self.problemset is None or not index:
            return f"the problem {shorten(problem.query)!r}"
        return f"problem {index} ({problem_id(self.problemset, index)}: {shorten(problem.query)!r})"

    def _opened(self) -> Session:
        if self._session is not None and self._leaves_threads(self._session):
            _log.info("event=replayed problemset=%s cause=threads", self.name)
            self._has_threads = True
            self.close()
        if self._session is None:
            self._session = self._open()
            for cell in self._passed:
                self._execute(self._session, cell, CaptureSpec())
        return self._session

    def _leaves_threads(self, session: Session) -> bool:
        """Return whether cells left threads, where the engine leaves it to us to replay instead of forking."""
        must_look, self._may_have_threads = self._may_have_threads, False
        return must_look and self.engine.isolation is None and bool(session.lost_threads())

    def _open(self) -> Session:
        isolation = Isolation.FORK
        preload: tuple[str, ...] = ()
        if self.problemset is not None:
            isolation = isolation_of(self.problemset, self.engine.environment)
        if self._has_threads:
            isolation = Isolation.REPLAY
        self._is_replayed = (self.engine.isolation or isolation) is Isolation.REPLAY
        if self.problemset is not None and self._is_replayed:
            preload = unsafe_modules(self.problemset, self.engine.environment)
        key = self.key or self.name
        session = self.engine.open(
            key=key, inputs=self.inputs, rng_seed=self.rng_seed, isolation=isolation, preload=preload
        )
        for module in self.imports:
            source = f"__import__('importlib').import_module({module!r}) is None"
            session.execute(source, limits=CellLimits(wall_s=SETUP_WALL_S))
        return session

    def _execute(self, session: Session, cell: Cells, capture: CaptureSpec) -> Outcome:
        self._may_have_threads = True
        if isinstance(cell, Problem):
            limits = replace(limits_of(cell, grace_s=REFERENCE_GRACE_S), renders=self._renders(cell))
            outcome = session.execute(cell.code, capture=capture, limits=limits)
        else:
            outcome = session.execute(cell.source, limits=CellLimits(wall_s=SETUP_WALL_S))
        return self._checked(cell, outcome)

    def _limits_of_attempts(self, problem: Problem) -> CellLimits:
        limits = replace(limits_of(problem, magics=self.magics), renders=self._renders(problem))
        is_published = not self.magics  # whose dummy hides a variable, and no more
        return limits if is_published else replace(limits, withheld_names=withheld_names(problem))

    def _checked(self, cell: Cells, outcome: Outcome) -> Outcome:
        if outcome.ending is Ending.ENGINE_ERROR:
            raise ToolkitError("the engine could not run a cell", where=str(self.path))
        if self.goes_on and outcome.ending is Ending.ERROR:
            return outcome
        if self.goes_on and outcome.ending is not Ending.OK and self._is_second_try:
            self.lost = f"not executed, because {self._whose(cell)} {ended(cell, outcome)[1]}"
            return outcome
        if outcome.ending is Ending.ERROR:
            raise self.fault(cell, *raised(cell, outcome, self.engine.environment.name))
        if outcome.ending is not Ending.OK:
            raise _DoubtfulError(self.fault(cell, *ended(cell, outcome)))
        return outcome


def limits_of(problem: Problem, *, grace_s: float = 0.0, magics: bool = True) -> CellLimits:
    """Return a problem's limits as the engine takes them."""
    execution = problem.execution
    return CellLimits(
        wall_s=problem.time_limit_s + grace_s,
        memory_mb=execution.max_memory_mb,
        forbid_names=execution.forbid_names,
        magics=magics,
    )


def reads_what_is_shown(problem: Problem) -> bool:
    """Return whether a problem's validators read last values as a cell shows them; faults in them are told later."""
    try:
        return bool(graded_validators(resolve_validators(problem)))
    except ContentError:
        return False


def asks_for_figures(problem: Problem) -> bool:
    """Return whether a problem's validators need to know what figures show; what is wrong with them is told later."""
    try:
        return wants_figures(resolve_validators(problem))
    except ContentError:
        return False
