"""The conformance kit: plays what a run may do to an agent, and says what of it the agent does not handle."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTimeError
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evaluator.agents.fixtures import OracleAgent
from evaluator.agents.process.channel import AgentChannel, CancelledError, ProcessLostError, RpcError
from evaluator.agents.process.launching import AgentCommand, AgentProcess
from evaluator.agents.process.process_agent import AgentNotStartedError, ProcessAgent
from evaluator.agents.process.wire import UnreadableError, read_card, read_submission
from evaluator.agents.protocol import (
    Agent,
    AgentCard,
    BudgetSpentError,
    CellKind,
    Execution,
    ExecutionStatus,
    Feedback,
    HistoryCell,
    Scope,
    SessionDeadError,
    SessionInfo,
    SolveLimits,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Submits,
    SupportsClose,
    ToolRefusedError,
    Variable,
)
from evaluator.errors import ToolkitError

MARGIN_S: Final = 10.0
"""What a process may take for what costs it nothing: to answer a call that does not exist, to end."""
_CANCEL_S: Final = 5.0
_LONG: Final = 1_000_000  # characters of the long query
_EXECUTIONS: Final = 20


@dataclass(frozen=True)
class CheckResult:
    """What came of one check."""

    name: str
    is_passed: bool
    detail: str  # what was wrong and how to mend it, or what was seen
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "check": self.name,
            "passed": self.is_passed,
            "detail": self.detail,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class ConformanceReport:
    """What came of all checks."""

    agent: str
    version: str
    results: tuple[CheckResult, ...]

    @property
    def is_passed(self) -> bool:
        """Whether the agent bears all that was played."""
        return all(result.is_passed for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "agent": self.agent,
            "version": self.version,
            "passed": self.is_passed,
            "checks": [result.to_json() for result in self.results],
        }

    def to_text(self) -> str:
        """Return a line for each check."""
        lines = [f"{'ok  ' if each.is_passed else 'FAIL'} {each.name}: {each.detail}" for each in self.results]
        failures = sum(not each.is_passed for each in self.results)
        last = f"{len(lines) - failures} of {len(lines)} checks passed"
        return "\n".join([f"{self.agent} {self.version}".rstrip(), "", *lines, "", last])


class _FailedError(Exception):
    """A check failed; the text says what was wrong and how to mend it."""


@dataclass
class _PlayedTools:
    """Tools that show the same for every code, from the first on or after some refuse."""

    refusal: ToolRefusedError | None = None
    most: int = _EXECUTIONS
    executed: list[str] = field(default_factory=list)

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        del scope, timeout_s
        if self.refusal is not None:
            raise self.refusal
        if len(self.executed) >= self.most:
            raise BudgetSpentError(f"the {self.most} executions that this problem allows are used up")
        self.executed.append(code)
        shown = {"output_type": "stream", "name": "stdout", "text": "3\n"}
        return Execution(len(self.executed), ExecutionStatus.OK, (shown,))

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        del encoding
        if self.refusal is not None:
            raise self.refusal
        return tuple(each for each in _REQUEST.variables if names is None or each.name in names)

    def progress(self, text: str) -> None:
        del text


_CELLS: Final = (
    HistoryCell(CellKind.SETUP, "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3]})", origin="given"),
    HistoryCell(CellKind.PROBLEM, "df['a'].sum()", "set[1]", "What is the sum of `a`?"),
)
_REQUEST: Final = SolveRequest(
    session_id="conformance",
    problemset="conformance",
    problem_id="set[2]",
    index=2,
    query="How many rows does `df` have?",
    limits=SolveLimits(10.0, executions=_EXECUTIONS),
    history=_CELLS,
    variables=(Variable("df", "DataFrame", "3 x 1: a"),),
    files=("trips.csv",),
)


def check_agent(make: Callable[[], Agent], *, timeout_s: float = 120.0) -> ConformanceReport:
    """Play what a run may do to an agent.

    Args:
        make: Makes the agent; one is used for all checks but those that end its processes.
        timeout_s: What one answer may take (s).

    Raises:
        ToolkitError: If the agent cannot be made.
    """
    agent = make()
    try:
        started = time.monotonic()
        try:
            card = agent.describe()
        except ToolkitError as error:
            shows_fix = error.fix and not isinstance(error, AgentNotStartedError)  # its fix is to check the agent
            told = f"{error.what}; {error.fix}" if shows_fix else error.what
            failed = CheckResult("introduces itself", False, told, time.monotonic() - started)
            return ConformanceReport("unknown", "", (failed,))
        results = [CheckResult("introduces itself", True, f"{card.name} {card.version}", time.monotonic() - started)]
        played: list[tuple[str, Callable[[], str]]] = _calls(agent, card, timeout_s)
        if isinstance(agent, ProcessAgent):
            played += _process_calls(agent, timeout_s)
        results += [_result(name, call) for name, call in played]
        return ConformanceReport(card.name, card.version, tuple(results))
    finally:
        if isinstance(agent, SupportsClose):
            agent.close()


def _result(name: str, call: Callable[[], str]) -> CheckResult:
    started = time.monotonic()
    try:
        detail, is_passed = call(), True
    except _FailedError as failure:
        detail, is_passed = str(failure), False
    except ToolkitError as error:
        detail, is_passed = f"{error.what}; {error.fix}" if error.fix else error.what, False
    return CheckResult(name, is_passed, detail, time.monotonic() - started)


def _calls(agent: Agent, card: AgentCard, timeout_s: float) -> list[tuple[str, Callable[[], str]]]:
    """Return the checks that hold for agents of every kind."""

    def asked(request: SolveRequest = _REQUEST, tools: _PlayedTools | None = None) -> Submission:
        request = request if card.files else replace(request, files=())
        submission = _asked(agent, request, tools or _PlayedTools(), timeout_s)
        if card.submits is Submits.TEXT and submission.status is SubmissionStatus.OK and not submission.answer:
            raise _FailedError("its card says that it submits text, and its answer holds no `text`")
        return submission

    def same_card() -> str:
        if agent.describe() != card:
            raise _FailedError("it says something else of itself the second time; a run could not be resumed")
        return "the same both times"

    def side_by_side() -> str:
        sessions = [replace(_REQUEST, session_id=f"conformance-{number}") for number in range(4)]
        with ThreadPoolExecutor(len(sessions)) as pool:
            list(pool.map(asked, sessions))
        return f"{len(sessions)} sessions at once"

    def again() -> str:
        feedback = Feedback("len(df) + x", "NameError: name 'x' is not defined", "", None)
        asked(replace(_REQUEST, attempt=2, feedback=feedback))
        return "after an attempt that failed"

    def noisy() -> str:
        query = (
            "What is the m\u00e9dia of `\u4ef7\u683c`? \U0001f4c8 \x1b[31m \x00 \ud800 </script> \"quotes\" 'and' \\ "
        )
        asked(replace(_REQUEST, query=query))
        return "text of other languages, control characters, an unpaired surrogate"

    return [
        ("says the same twice", same_card),
        ("answers a problem", lambda: _answered(asked())),
        ("answers without history, variables and files", lambda: _said(asked(_bare()))),
        ("answers again with feedback", again),
        ("handles a query of 1 MB", lambda: _said(asked(replace(_REQUEST, query="word " * (_LONG // 5))))),
        ("handles unusual characters", noisy),
        ("handles used-up executions", lambda: _said(asked(tools=_PlayedTools(most=0)))),
        ("handles a dead session", lambda: _said(asked(tools=_dead()))),
        ("serves sessions side by side", side_by_side),
    ]


def _bare() -> SolveRequest:
    return replace(_REQUEST, index=1, history=(), variables=(), files=())


def _dead() -> _PlayedTools:
    return _PlayedTools(SessionDeadError("the session is lost"))


def _answered(submission: Submission) -> str:
    """Return what an agent says to a plain problem: it may give up or refuse, but an error is one of its own."""
    if submission.status is SubmissionStatus.ERROR:
        raise _FailedError(_said(submission))
    return _said(submission)


def _said(submission: Submission) -> str:
    if submission.error is not None:
        return f"{submission.status.value}: {submission.error.message[:200]}"
    text = f", {len(submission.answer)} of text" if submission.answer else ""
    return f"{submission.status.value}, {len(submission.code)} characters of code{text}"


def _asked(agent: Agent, request: SolveRequest, tools: _PlayedTools, timeout_s: float) -> Submission:
    """Ask in a session of its own; an agent that dies, raises or is late does not handle it."""
    if isinstance(agent, OracleAgent):
        agent.reveal(request.session_id, request.problem_id, "len(df)")

    def ask() -> Submission:
        agent.start(SessionInfo(request.session_id, request.problemset))
        try:
            return agent.solve(request, tools)
        finally:
            agent.end(request.session_id)

    pool = ThreadPoolExecutor(1)
    try:
        submission = pool.submit(ask).result(timeout_s + _CANCEL_S)
    except NotInTimeError as error:
        raise _FailedError(f"it did not return within {timeout_s:g} s") from error
    except ToolkitError:
        raise
    except Exception as error:
        raise _FailedError(f"it raised {type(error).__name__}: {error}") from error
    finally:
        pool.shutdown(wait=False)
    if submission.error is not None and _is_fatal(submission.error.message):
        raise _FailedError(submission.error.message)
    return submission


def _is_fatal(message: str) -> bool:
    """Return whether a failure is one of the carrier, not one that the agent itself tells of."""
    return message.startswith(("the agent failed", "the agent's process", "the agent was cancelled", "its answer is"))


def _process_calls(agent: ProcessAgent, timeout_s: float) -> list[tuple[str, Callable[[], str]]]:
    """Return the checks of the lines between us and a process."""
    command, asked = agent.command, agent.params_of(_REQUEST)

    def unknown_fields() -> str:
        with _introduced(command, {"new_field": {"of": ["a", "later", "version"]}}) as channel:
            answer = _solve(channel, timeout_s, {**asked, "new_field": 1, "another": None})
        read_submission(answer)
        return "in `initialize` and `solve`"

    def unknown_method() -> str:
        with _introduced(command) as channel:
            try:
                channel.call("session/of-a-later-version", {}, timeout_s=MARGIN_S)
            except RpcError as error:
                return f"refused with {error.code}"
            return "answered"

    def cancelled() -> str:
        with _introduced(command) as channel, ThreadPoolExecutor(1) as pool:
            solving = pool.submit(_solve, channel, timeout_s, asked)
            time.sleep(0.2)
            channel.notify("cancel", {"session_id": _REQUEST.session_id, "problem_id": _REQUEST.problem_id})
            started = time.monotonic()
            try:
                solving.result(_CANCEL_S)
            except NotInTimeError as error:
                what = f"its call did not return within {_CANCEL_S:g} s after `cancel`; it is killed in a run"
                raise _FailedError(what) from error
            except RpcError:
                pass
            return f"returned {time.monotonic() - started:.1f} s after it"

    def end_of_input() -> str:
        process = AgentProcess(command)
        try:
            _initialize(process.channel, {})
            started = time.monotonic()
            if not process.ends_with_its_input(MARGIN_S):
                raise _FailedError(f"it did not end within {MARGIN_S:g} s after its input ended; it would be killed")
            return f"ended after {time.monotonic() - started:.1f} s"
        finally:
            process.kill()

    return [
        ("handles unknown fields", lambda: _readable(unknown_fields)),
        ("handles an unknown method", lambda: _readable(unknown_method)),
        ("returns when it is cancelled", lambda: _readable(cancelled)),
        ("ends when its input ends", lambda: _readable(end_of_input)),
    ]


def _readable(call: Callable[[], str]) -> str:
    try:
        return call()
    except (ProcessLostError, RpcError, UnreadableError, CancelledError) as error:
        raise _FailedError(str(error)) from error


@contextlib.contextmanager
def _introduced(command: AgentCommand, more: Mapping[str, Any] | None = None) -> Iterator[AgentChannel]:
    process = AgentProcess(command)
    try:
        card = _initialize(process.channel, more or {})
        told: dict[str, Any] = {"session_id": _REQUEST.session_id, "problemset": _REQUEST.problemset, "epoch": 1}
        told |= {"submit": card.submits.value}
        told |= {"cwd": str(command.folder), "policies": {"state": "reference", "history": "reference"}}
        process.channel.call("session/start", {**told, "language": "python", **(more or {})}, timeout_s=MARGIN_S)
        yield process.channel
    finally:
        process.kill()


def _initialize(channel: AgentChannel, more: Mapping[str, Any]) -> AgentCard:
    told = {"protocol": 1, "harness": {"name": "benchwright", "version": "1"}, "run": {"id": "check", "epoch": 1}}
    told |= {"rng_seed": 0, "exchange_dir": "/tmp", "model": None}  # noqa: S108 - it is told a folder that it has
    capabilities = {"execute": True, "live": True, "fork": True, "inspect": ["brief"]}
    return read_card(channel.call("initialize", {**told, "capabilities": capabilities, **more}, timeout_s=60.0))


def _solve(channel: AgentChannel, timeout_s: float, told: Mapping[str, Any]) -> Any:
    tools = _PlayedTools()

    def serve(method: str, params: Mapping[str, Any]) -> Any:
        if method == "execute":
            try:
                execution = tools.execute(str(params.get("code", "")))
            except BudgetSpentError as error:
                raise RpcError(-32002, str(error)) from error
            return {
                "number": execution.number,
                "status": "ok",
                "outputs": list(execution.outputs),
                "error": None,
                "seconds": 0.0,
            }
        if method == "inspect":
            return {"variables": []}
        return {}

    return channel.call("solve", told, timeout_s=timeout_s, session_id=_REQUEST.session_id, serve=serve)
