"""Anybody's agent as a function or an object with `solve`: how it is called, and what counts as its answer."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTimeError
from typing import Any, Final

from evaluator.agents.protocol import (
    AgentCard,
    AgentFailure,
    FailureKind,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Tools,
)
from evaluator.errors import UsageError

IN_PROCESS: Final = "in-process"
"""Isolation of an agent whose code runs in the evaluator's own process: it is trusted."""
TIMEOUT_S: Final = 600.0
"""Seconds that an agent may take for one call, unless somebody says otherwise."""


def failed(message: str) -> Submission:
    """Return what counts as an agent's answer when it has none: an empty cell with the cause, never correct."""
    failure = AgentFailure(FailureKind.AGENT, message)
    return Submission(code="", status=SubmissionStatus.ERROR, error=failure)


def late(timeout_s: float) -> str:
    """Return what is said of a call that took too long, and of the problems after it."""
    return f"the agent did not return within {timeout_s:g} s; it is not asked again in this problemset"


class Solver:
    """What somebody gave as an agent: a function of a request, or an object with `solve`.

    A function of two arguments is given the tools of the attempt as the second.
    `start`, `retry`, `end` and `cancel` are called where the object has them, with the session, the request of a later
    attempt, and the id of the session. Each of the five may be async: coroutines run on one event loop of the solver's
    own.
    """

    def __init__(self, target: object) -> None:
        """Take the target; a class is called without arguments first.

        Raises:
            UsageError: If it can neither be called nor has `solve`.
        """
        made = target() if isinstance(target, type) else target
        solve = getattr(made, "solve", made)
        if not callable(solve):
            what = f"{type(made).__name__!r} is no agent: it can neither be called nor has a method 'solve'"
            raise UsageError(what, fix="give a function of one request that returns code")
        self.name = str(getattr(made, "name", "") or getattr(made, "__name__", type(made).__name__))
        self.version = str(getattr(made, "version", "1"))
        self._solve = _with_tools(solve)
        self._retry = _with_tools(getattr(made, "retry", solve))
        self._start: Callable[[SessionInfo], Any] = getattr(made, "start", _nothing)
        self._end: Callable[[str], Any] = getattr(made, "end", _nothing)
        self._cancel: Callable[[str], Any] = getattr(made, "cancel", _nothing)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def start(self, session: SessionInfo) -> None:
        """Begin a session; raises what the agent raises."""
        self._awaited(self._start(session))

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return the agent's answer; raises what the agent raises."""
        ask = self._solve if request.attempt == 1 else self._retry
        return submission_of(self._awaited(ask(request, tools)))

    def end(self, session_id: str) -> None:
        """Forget a session; raises what the agent raises."""
        self._awaited(self._end(session_id))

    def cancel(self, session_id: str) -> None:
        """Tell the agent, if it listens, that nobody waits for its answer any more; raises what the agent raises."""
        self._awaited(self._cancel(session_id))

    def _awaited(self, value: Any) -> Any:
        if not inspect.isawaitable(value):
            return value

        async def outcome() -> Any:
            return await value

        return asyncio.run_coroutine_threadsafe(outcome(), self._running_loop()).result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True, name="agent-loop").start()
            return self._loop


def _with_tools(solve: Callable[..., Any]) -> Callable[[SolveRequest, Tools], Any]:
    """Return a function of a request and tools, also where the agent's own takes a request alone."""
    try:
        inspect.signature(solve).bind(None, None)
    except (TypeError, ValueError):  # ValueError: a function of C, which does not say what it takes
        return lambda request, _tools: solve(request)
    return solve


def _nothing(_of: object) -> None:
    """Stand for a method that an agent does not have."""


def submission_of(answer: object) -> Submission:
    """Return what an agent returned as a submission: code as text, or a whole `Submission`."""
    if isinstance(answer, Submission):
        return answer if isinstance(answer.code, str) else failed(_no_text(answer.code))
    return Submission(code=str(answer)) if isinstance(answer, str) else failed(_no_text(answer))


def _no_text(answer: object) -> str:
    if answer is None:
        return "the agent returned None, not code"
    return f"the agent returned {type(answer).__name__}, not code as text"


class InProcessAgent:
    """A solver that runs in this process. Every session has its own thread while it is asked, in time or abandoned."""

    def __init__(self, target: object, *, timeout_s: float = TIMEOUT_S) -> None:
        """Take a function or an object with `solve`.

        Args:
            target: As `Solver` takes it; it is trusted, and called from several threads where a run has workers.
            timeout_s: What one call may take (s); one that takes longer is abandoned, and its problemset given up.

        Raises:
            UsageError: If it can neither be called nor has `solve`.
        """
        self._solver = Solver(target)
        self._timeout_s = timeout_s
        self._broken: dict[str, str] = {}  # session id -> why it is not asked again

    def describe(self) -> AgentCard:
        """Return the card."""
        solver = self._solver
        return AgentCard(solver.name, solver.version, variables=True, history=True, isolation=IN_PROCESS)

    def start(self, session: SessionInfo) -> None:
        """Begin a session; one that does not begin fails at each of its problems."""
        try:
            self._in_time(lambda: self._solver.start(session))
        except NotInTimeError:
            self._broken[session.session_id] = late(self._timeout_s)
        except Exception as error:  # noqa: BLE001 - an agent is a boundary: its faults never end a run
            self._broken[session.session_id] = f"the agent does not start: {type(error).__name__}: {error}"

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return the solver's answer; one that comes too late is the last of its session."""
        if reason := self._broken.get(request.session_id):
            return failed(reason)
        try:
            answer: Submission = self._in_time(lambda: self._solver.solve(request, tools))
        except NotInTimeError:
            self._broken[request.session_id] = late(self._timeout_s)
            return failed(late(self._timeout_s))
        return answer

    def end(self, session_id: str) -> None:
        """Forget a session; one that was abandoned is not told."""
        if self._broken.pop(session_id, None) is None:
            self._in_time(lambda: self._solver.end(session_id))

    def _in_time(self, call: Callable[[], Any]) -> Any:
        """Return what the call returns, or raise what it raises.

        Raises:
            NotInTimeError: If it takes too long; its thread is left to itself.
        """
        done: Future[Any] = Future()

        def work() -> None:
            try:
                done.set_result(call())
            except BaseException as error:  # noqa: BLE001 - handed to the caller, SystemExit too
                done.set_exception(_as_exception(error))

        threading.Thread(target=work, daemon=True, name="agent").start()
        return done.result(self._timeout_s)


def _as_exception(error: BaseException) -> Exception:
    """Return an agent's attempt to end the program as an error of the agent; so is a timeout of its own."""
    if isinstance(error, Exception) and not isinstance(error, NotInTimeError):
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")
