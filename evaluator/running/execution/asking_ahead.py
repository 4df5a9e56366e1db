"""Asks agents about a whole problemset before it is judged, so that nothing waits for a model with a session open.

Only agents whose first answer rests on the request alone, on the reference's way through the problemset: the references
are executed once for the requests of all of them, and once more when the answers are judged.
"""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Final

from evaluator.agents import Agent, AgentCard, Execution, Scope, SessionInfo, SolveRequest, Submission, Tools, Variable
from evaluator.language import LoadedSet, Problem
from evaluator.running.execution.executed_cell import Asks, Conditions, Contender, every_problem
from evaluator.running.execution.executor import ProblemsetExecutor
from evaluator.running.execution.policies import BetweenAttempts, HistoryPolicy, StatePolicy
from evaluator.running.execution.problem_attempts import ProblemAttempts
from evaluator.running.execution.reference_session import AuthorError
from evaluator.session import BRIEF, Engine

Requests = dict[str, tuple[SolveRequest, "Future[Submission]"]]
"""Of one agent: problem id -> what it is asked, and its answer."""


class NeedsSessionError(BaseException):
    """An agent wants to look at the session, which is not there yet; it is asked again when it is.

    No agent's own handling of errors may take it for an answer, so it is no `Exception`.
    """


class _NoSessionYet:
    """Grants nothing: the session that the agent means is not there yet."""

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        raise NeedsSessionError(code, scope, timeout_s)

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        raise NeedsSessionError(encoding, names)

    def progress(self, text: str) -> None:
        """Pass over how far the agent is."""


class AskingPool:
    """Threads that wait for agents; they end with the process, whatever they wait for."""

    def __init__(self, count: int) -> None:
        """Prepare.

        Args:
            count: Requests that wait for an answer at once, at most.
        """
        self.count: Final = count
        self.changed: Final = threading.Condition()  # told of each answer
        self._waiting: SimpleQueue[tuple[Callable[[], Submission], Future[Submission]]] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._pending = 0
        self._is_closed = False

    @property
    def has_room(self) -> bool:
        """Whether so few requests are without an answer that there should be more."""
        return self._pending < 2 * self.count

    def submit(self, ask: Callable[[], Submission]) -> "Future[Submission]":
        """Ask on one of the threads."""
        future: Future[Submission] = Future()
        with self.changed:
            self._pending += 1
            self._waiting.put((ask, future))
            if len(self._threads) < min(self.count, self._pending):
                self._threads.append(threading.Thread(target=self._work, daemon=True, name="asking"))
                self._threads[-1].start()
        return future

    def close(self) -> None:
        """Ask nothing more."""
        self._is_closed = True

    def _work(self) -> None:
        while not self._is_closed:
            try:
                ask, future = self._waiting.get(timeout=0.2)
            except Empty:
                continue
            try:
                future.set_result(ask())
            except BaseException as error:  # noqa: BLE001 - raised where the answer is wanted
                future.set_exception(error)
            with self.changed:
                self._pending -= 1
                self.changed.notify_all()


@dataclass
class AskedAhead:
    """An agent whose first attempts were asked for before; what comes later it is asked itself."""

    inner: Agent
    requests: Requests = field(default_factory=dict)

    @property
    def is_answered(self) -> bool:
        """Whether all answers are there."""
        return all(future.done() for _, future in self.requests.values())

    def describe(self) -> AgentCard:
        """Return the agent's card; requests of this pass need not describe anything again."""
        return replace(self.inner.describe(), variables=False, history=False, encoding=BRIEF)

    def start(self, session: SessionInfo) -> None:
        """Do nothing: the session began with the requests."""

    def end(self, session_id: str) -> None:
        """End the session."""
        self.inner.end(session_id)

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return what was answered, or ask with all that the first request told.

        Raises:
            ToolkitError: As the agent.
        """
        known = self.requests.get(request.problem_id)
        if known is None:
            return self.inner.solve(request, tools)
        asked, future = known
        if request.attempt == 1:
            with contextlib.suppress(NeedsSessionError):
                return future.result()
        again = replace(
            asked,
            attempt=request.attempt,
            feedback=request.feedback,
            starts_anew=request.starts_anew,
            limits=request.limits,
        )
        return self.inner.solve(again, tools)


class _Listener:
    """Stands for an agent while its requests are gathered."""

    def __init__(self, inner: Agent) -> None:
        self._inner = inner

    def describe(self) -> AgentCard:
        return self._inner.describe()

    def start(self, session: SessionInfo) -> None:
        self._inner.start(session)

    def end(self, session_id: str) -> None:
        """Do nothing: the session goes on while its answers are judged."""

    def solve(self, request: SolveRequest, _tools: Tools) -> Submission:
        raise AssertionError(f"nothing is asked while requests are gathered: {request.problem_id}")


class _Gatherer(ProblemsetExecutor):
    """Goes through a problemset for what agents will be asked."""

    def requests(
        self, agents: Sequence[Contender], *, asks: Asks = every_problem, upto: int | None = None
    ) -> Iterator[tuple[int, SolveRequest]]:
        """Execute setup cells and references in order; before each yield the places of agents, and what they are asked.

        Args:
            agents: On the reference's state and history; none of them is asked.
            asks: Which problems are asked.
            upto: The last problem of interest; None: every cell.

        Raises:
            AuthorError: If a cell of the author fails.
            ToolkitError: If the engine failed.
        """
        self._histories = []
        self._candidates = [self._candidate(agent) for agent in agents]
        index = 0
        for position, cell in enumerate(self.problemset.cells, 1):
            if self._cancelled() or (upto is not None and index >= upto):
                return
            if isinstance(cell, Problem):
                index += 1
                for place, candidate in enumerate(self._candidates) if asks(index) else ():
                    if candidate.asks(index):
                        attempts = ProblemAttempts(candidate, index, cell, self._reference, candidate.mark())
                        yield place, attempts.request()
                if index == upto:
                    return
            self._passed = position
            self._unasked(position, index, cell)


def may_be_asked_ahead(contender: Contender) -> bool:
    """Return whether an agent's first attempts rest on requests that do not hang on what it answered before."""
    policies = contender.policies
    on_reference = (policies.state, policies.history) == (StatePolicy.REFERENCE, HistoryPolicy.REFERENCE)
    anew = contender.max_attempts == 1 or policies.between_attempts is BetweenAttempts.RESET
    return on_reference and anew and contender.agent.describe().asks_ahead


def ask_ahead(
    engine: Engine,
    loaded: LoadedSet,
    contenders: Sequence[Contender],
    pool: AskingPool,
    *,
    wanted: Collection[int],
    conditions: Conditions,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Contender]:
    """Ask agents about a problemset; the answers come in while others are asked.

    Nothing is executed where nobody may be asked ahead, or no more than one request may wait.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses.
        contenders: Who is asked; those that may not be asked ahead are returned as they are.
        pool: Waits for the answers.
        wanted: Indexes of the problems to ask (from 1).
        conditions: As for scoring.
        cancelled: Asked between cells; True ends the work quietly.

    Raises:
        ToolkitError: If the engine failed.
    """
    assert loaded.problemset is not None, "a problemset that does not parse is refused before"
    may = [pool.count > 1 and may_be_asked_ahead(each) for each in contenders]
    if not any(may):
        return list(contenders)
    ahead = {place: AskedAhead(each.agent) for place, each in enumerate(contenders) if may[place]}
    listening = [replace(contenders[place], agent=_Listener(contenders[place].agent)) for place in ahead]
    executor = _Gatherer(
        engine, loaded.problemset, loaded.path, loaded.inputs, conditions=conditions, cancelled=cancelled
    )
    made: Mapping[int, AskedAhead] = dict(enumerate(ahead.values()))
    with executor, contextlib.suppress(AuthorError):  # which is told when the answers are judged
        for place, request in executor.requests(listening, asks=wanted.__contains__, upto=max(wanted, default=0)):
            agent = made[place]
            agent.requests[request.problem_id] = request, pool.submit(_asking(agent.inner, request))
    return [replace(each, agent=ahead[place]) if place in ahead else each for place, each in enumerate(contenders)]


def _asking(agent: Agent, request: SolveRequest) -> Callable[[], Submission]:
    return lambda: agent.solve(request, _NoSessionYet())


def are_answered(contenders: Sequence[Contender]) -> bool:
    """Return whether nobody's answer is waited for."""
    return all(each.agent.is_answered for each in contenders if isinstance(each.agent, AskedAhead))
