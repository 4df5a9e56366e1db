"""An agent in processes of its own: sessions are given to them, and one that fails is replaced by another."""

import contextlib
import math
import shlex
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from evaluator.agents.process.channel import (
    BUDGET_SPENT,
    CAPABILITY_OFF,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SESSION_DEAD,
    CancelledError,
    LateError,
    ProcessLostError,
    RpcError,
    Serve,
)
from evaluator.agents.process.launching import AgentCommand, AgentProcess, ModelDoor
from evaluator.agents.process.package_command import is_package, package_title
from evaluator.agents.process.redaction import Redactor
from evaluator.agents.process.tries import begins_anew, blamed, counted, measured, ours
from evaluator.agents.process.wire import (
    MAX_CODE_CHARS,
    PROTOCOL,
    UnreadableError,
    execution_json,
    read_card,
    read_seconds,
    read_submission,
    request_json,
    variable_json,
)
from evaluator.agents.protocol import (
    AgentCard,
    BudgetSpentError,
    CapabilityOffError,
    FailureKind,
    Scope,
    SessionDeadError,
    SessionInfo,
    SolveRequest,
    Submission,
    Submits,
    ToolRefusedError,
    Tools,
)
from evaluator.agents.solver import TIMEOUT_S, failed
from evaluator.errors import ToolkitError, UsageError, error_from_os
from evaluator.models import Budget, ModelSettings
from evaluator.models.metering import ProblemMeter, ProxyLimits
from evaluator.models.proxy import ModelProxy
from evaluator.session import BRIEF, ENCODINGS

MODEL_PORT: Final = 8080
"""On the loopback of a sandbox without a network: where the agent finds its model."""
START_S: Final = 60.0
"""Seconds until a process must have answered `initialize`."""
TRIES: Final = 3
"""How often an infrastructure failure is tried before the problem counts as not judged."""
_PAUSE_S: Final = 0.5  # before the second try; doubled before the third
_SESSION_S: Final = 60.0
_MAX_ENCODING: Final = 200  # characters of the name of one
_REFUSALS: Final[Mapping[type[ToolRefusedError], int]] = {
    BudgetSpentError: BUDGET_SPENT,
    CapabilityOffError: CAPABILITY_OFF,
    SessionDeadError: SESSION_DEAD,
}


class AgentNotStartedError(UsageError):
    """The first process of an agent ended, or gave no card that can be used."""


@dataclass(frozen=True)
class RunInfo:
    """What every process is told of the run."""

    run_id: str = "run"
    rng_seed: int = 0
    policies: Mapping[str, str] = field(default_factory=lambda: {"state": "reference", "history": "reference"})
    has_tools: bool = True  # whether `execute` and `inspect` are granted
    model: ModelSettings | None = None  # that the agent may ask, through us
    limits: ProxyLimits = field(default_factory=ProxyLimits)  # of what it may ask at one problem
    purse: Budget | None = None  # of the run


@dataclass
class HostedProcess:
    """A process that has introduced itself."""

    process: AgentProcess
    card: AgentCard
    proxy: ModelProxy | None = None  # to the model that it is granted
    sessions: set[str] = field(default_factory=set)  # that it serves now


@dataclass
class _Session:
    info: SessionInfo
    home: HostedProcess | None = None
    meter: ProblemMeter | None = None  # of what its problem asks of the model


class ProcessAgent:
    """Asks an agent in processes. A process that dies is replaced; the session goes on with the same history."""

    def __init__(self, command: AgentCommand, run: RunInfo | None = None, *, timeout_s: float = TIMEOUT_S) -> None:
        """Take the command; the first process starts when the card is asked for.

        Args:
            command: Starts a process.
            run: What it is told.
            timeout_s: What one call of it may take (s), without what we execute for it: that stops its clock for as
                long as all executions of the problem may take.

        Raises:
            ToolkitError: If there is no room for what is exchanged.
        """
        self._run = run or RunInfo()
        self._timeout_s = timeout_s
        self._lock = threading.Lock()  # never held while a process is waited for
        self._is_closed = False
        self._redactor = Redactor(command.variables)
        self._starting: list[AgentProcess] = []  # that have not introduced themselves
        self._processes: list[HostedProcess] = []
        self._sessions: dict[str, _Session] = {}
        self._describing = threading.Lock()
        self._card: AgentCard | None = None
        self._doors = 0
        try:
            self._exchange = tempfile.TemporaryDirectory(prefix="benchwright-exchange-")
        except OSError as error:
            raise error_from_os(error) from error
        self._pictures = Path(self._exchange.name)
        self._command = replace(command, readable=(*command.readable, self._exchange.name))

    def load(self) -> None:
        """Start the first process and let it introduce itself.

        Raises:
            UsageError: If it gives no card that we can use, or its program is not there.
            ToolkitError: If it cannot be started.
        """
        self.describe()

    def describe(self) -> AgentCard:
        """Return the card that the agent's first process gave.

        Raises:
            AgentNotStartedError: If it gives none that we can use.
            UsageError: If its program is not there.
            ToolkitError: If it cannot be started.
        """
        with self._describing:
            if self._card is None:
                try:
                    first = self._started()
                except (ProcessLostError, UnreadableError) as error:
                    fix = f"test it by itself: benchwright agents check {shlex.quote(self._where)}"
                    what = f"the agent does not start: {error}"
                    raise AgentNotStartedError(what, where=self._where, fix=fix) from error
                isolation = "none" if self._command.backend == "none" else self._command.backend
                notes = (f"runs as: {self._command.text}",)
                card = replace(first.card, isolation=f"process-{isolation}", notes=notes)
                if is_package(self._command.written) and self._run.model is not None:
                    card = replace(card, name=package_title(self._command.written, self._run.model.model))
                self._card = card
            return self._card

    @property
    def command(self) -> AgentCommand:
        """How its processes are started."""
        return self._command

    @property
    def _where(self) -> str:
        return self._command.name

    @property
    def _session_s(self) -> float:
        """What the beginning of a session may take (s)."""
        return _SESSION_S

    def start(self, session: SessionInfo) -> None:
        """Begin a session; its process is found when the first problem is asked."""
        self._sessions[session.session_id] = _Session(session)

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return the agent's answer; what is our fault is tried three times, and then NOT_JUDGED.

        Raises:
            ToolkitError: If the run's budget is spent and the agent could not do without, or what models took cannot
                be written down.
        """
        pause_s, meter = _PAUSE_S, self._meter_of(request)
        for number in range(1, TRIES + 1):
            if meter is not None:
                meter.begin_try()
            answer = self._asked(request, tools)
            submits = self._card.submits if self._card is not None else Submits.CODE
            submission = blamed(answer, meter, submits) if meter is not None else answer
            is_ours = submission.error is not None and submission.error.kind is FailureKind.INFRA
            is_over = not is_ours or number == TRIES or self._is_closed
            if is_over or not begins_anew(tools, meter, is_spoiled=submission is not answer):
                return measured(submission, meter) if meter is not None else submission
            time.sleep(pause_s)
            pause_s *= 2
        raise AssertionError

    def _meter_of(self, request: SolveRequest) -> ProblemMeter | None:
        """Return what counts an attempt's calls of the model, within the limits of its problem; None: it has none."""
        if self._run.model is None:
            return None
        session = self._session_of(request)
        if request.attempt == 1 or session.meter is None:
            session.meter = ProblemMeter(self._run.limits)
        session.meter.begin_attempt()
        return session.meter

    def end(self, session_id: str) -> None:
        """Forget a session; its process serves others."""
        session = self._sessions.pop(session_id, None)
        home = session.home if session is not None else None
        if home is None:
            return
        try:
            params = {"session_id": session_id, "reason": "done"}
            home.process.channel.call("session/end", params, timeout_s=_SESSION_S)
        except RpcError:
            pass
        except ProcessLostError:
            self._drop(home)
        with self._lock:
            home.sessions.discard(session_id)

    def close(self) -> None:
        """End all processes, and remove the folder of what was exchanged; no process is started any more."""
        with self._lock:
            self._is_closed = True
            starting, self._starting = self._starting, []
            processes, self._processes = self._processes, []
        closing = [threading.Thread(target=each.kill) for each in starting]
        closing += [threading.Thread(target=each.process.close) for each in processes]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()
        for each in processes:
            if each.proxy is not None:
                each.proxy.close()
        self._exchange.cleanup()

    def _session_of(self, request: SolveRequest) -> _Session:
        return self._sessions.setdefault(request.session_id, _Session(SessionInfo(request.session_id, "")))

    def _asked(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return the agent's answer, or whose failure it is that there is none."""
        session = self._session_of(request)
        try:
            home = self._home_of(session)
        except ToolkitError as error:
            return ours(f"the agent's process cannot be started: {error}")
        except (ProcessLostError, UnreadableError) as error:
            return self._failed(f"the agent failed before it was asked: {error}")
        except RpcError as error:
            return failed(f"the agent does not start the session: {error}")
        try:
            with counted(home.proxy, session.meter):
                return self._answer(home, request, tools)
        except RpcError as error:
            return self._failed(f"the agent answered with an error: {error}", home)
        except UnreadableError as error:
            return self._failed(str(error), home)
        except CancelledError as error:
            return self._failed(f"the agent was cancelled: {error}", home)
        except ProcessLostError as error:
            self._leave(session, home)
            said = home.process.last_words if not isinstance(error, LateError) else ""
            return self._failed(f"the agent failed: {error}", home, said)
        except BaseException as error:  # ours: the process is amid a call that nobody waits for any more
            self._leave(session, home)
            if isinstance(error, ToolkitError):
                return ours(f"the agent could not be asked: {error}")
            raise

    def _failed(self, message: str, home: HostedProcess | None = None, said: str = "") -> Submission:
        """Return a failure of the agent, unless it is we who ended it, with all that may explain it."""
        if self._is_closed:
            return ours("the agent was closed while it was asked")
        oddities = home.process.channel.take_oddities() if home is not None else {}
        labels = (*oddities, *_log_label(home))
        also = f" (before that {', and '.join(oddities.values())})" if oddities else ""
        submission = failed(f"{message}{also}" + (f"\n{said}" if said else ""))
        return replace(submission, labels=labels)

    def _answer(self, home: HostedProcess, request: SolveRequest, tools: Tools) -> Submission:
        told = self._called(home, request, tools)
        submission = read_submission(told, request.session_id, home.card.submits)
        labels = (*home.process.channel.take_oddities(), *_log_label(home))
        return replace(submission, labels=(*submission.labels, *labels)) if labels else submission

    def _called(self, home: HostedProcess, request: SolveRequest, tools: Tools) -> Any:
        """Return what a process answers to `solve` or `retry`."""
        most = request.limits.executions
        return home.process.channel.call(
            "solve" if request.attempt == 1 else "retry",
            self.params_of(request),
            timeout_s=self._timeout_s,
            session_id=request.session_id,
            serve=self._serve(tools),
            served_s=math.inf if most is None else most * request.limits.wall_s,
        )

    def params_of(self, request: SolveRequest) -> dict[str, Any]:
        """Return the parameters of `solve` and `retry`."""
        return request_json(request, self._pictures, self._run.limits if self._run.model is not None else None)

    def _serve(self, tools: Tools) -> Serve:
        def serve(method: str, params: Mapping[str, Any]) -> Any:
            if method == "progress":
                tools.progress(self._redactor.text(str(params.get("text", ""))[:2_000]))
                return {}
            if not self._run.has_tools:
                raise RpcError(CAPABILITY_OFF, f"this run grants no {method!r}")
            try:
                if method == "execute":
                    return self._executed(params, tools)
                if method == "inspect":
                    return self._inspected(params, tools)
            except UnreadableError as error:
                raise RpcError(INVALID_PARAMS, str(error)) from error
            except ToolRefusedError as error:
                raise RpcError(_REFUSALS.get(type(error), CAPABILITY_OFF), str(error)) from error
            raise RpcError(METHOD_NOT_FOUND, f"there is no method {method!r}; use execute, inspect or progress")

        return serve

    def _executed(self, params: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
        code, scope, timeout_s = params.get("code"), params.get("scope", "scratch"), params.get("timeout_s")
        if not isinstance(code, str) or len(code) > MAX_CODE_CHARS:
            raise RpcError(INVALID_PARAMS, f"`code` must be a text of at most {MAX_CODE_CHARS} characters")
        if scope not in ("scratch", "live"):
            raise RpcError(INVALID_PARAMS, "`scope` must be scratch or live")
        execution = tools.execute(code, scope=Scope(scope), timeout_s=read_seconds(timeout_s))
        return execution_json(execution, self._pictures)

    @staticmethod
    def _inspected(params: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
        encoding, names = params.get("encoding", "brief"), params.get("names")
        is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if not isinstance(encoding, str) or len(encoding) > _MAX_ENCODING or (names is not None and not is_list):
            raise RpcError(INVALID_PARAMS, "`encoding` must be a short text, and `names` a list of names or null")
        return {"variables": [variable_json(each) for each in tools.inspect(encoding, names)]}

    def _home_of(self, session: _Session) -> HostedProcess:
        """Return the process that serves a session, and tell a new one of it."""
        if session.home is not None and not session.home.process.channel.lost:
            return session.home
        session.home = None
        home = self._free_process(session.info.session_id)
        try:
            home.process.channel.call("session/start", self._told(session.info), timeout_s=self._session_s)
        except ProcessLostError:
            self._drop(home)
            raise
        except RpcError:
            with self._lock:
                home.sessions.discard(session.info.session_id)
            raise
        session.home = home
        return home

    def _free_process(self, session_id: str) -> HostedProcess:
        """Return a process that has room for a session; those that are of no more use are ended."""
        with self._lock:
            lost = [each for each in self._processes if each.process.channel.lost]
        for each in lost:
            self._drop(each)
        with self._lock:
            for each in self._processes:
                most = each.card.max_sessions if each.proxy is None else 1  # else nobody knows for which a call is
                if len(each.sessions) < most and not each.process.channel.lost:
                    each.sessions.add(session_id)
                    return each
        return self._started(session_id)

    def _started(self, session_id: str | None = None) -> HostedProcess:
        """Start a process, for a session or until one comes, and let it introduce itself."""
        proxy, door = self._door()
        try:
            process = AgentProcess(self._command, door)
        except BaseException:
            _close(proxy)
            raise
        try:
            with self._lock:
                self._refuse_if_closed()
                self._starting.append(process)
            card = self._introduced(process, door)
            made = HostedProcess(process, card, proxy, set() if session_id is None else {session_id})
            with self._lock:
                self._refuse_if_closed()
                self._processes.append(made)
        except BaseException:
            process.kill()
            _close(proxy)
            raise
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._starting.remove(process)
        return made

    def _refuse_if_closed(self) -> None:
        if self._is_closed:
            raise ToolkitError("the agent was closed", where=self._where, fix="make another one")

    def _introduced(self, process: AgentProcess, door: ModelDoor | None) -> AgentCard:
        try:
            return read_card(process.channel.call("initialize", self._introduction(door), timeout_s=START_S))
        except RpcError as error:
            raise ProcessLostError(f"it refused `initialize`: {error}") from error
        except (ProcessLostError, UnreadableError) as error:
            said = process.last_words
            raise type(error)(f"{error}\n{said}" if said else str(error)) from error

    def _door(self) -> tuple[ModelProxy | None, ModelDoor | None]:
        """Return what measures the model's use of one process, and where that process finds it."""
        run = self._run
        if run.model is None:
            return None, None
        is_sandboxed = self._command.backend != "none"
        with self._lock:
            self._refuse_if_closed()
            self._doors += 1
            place = Path(self._exchange.name) / f"model-{self._doors}.sock" if is_sandboxed else None
        proxy = ModelProxy(run.model, purse=run.purse, place=place)
        port = proxy.port if proxy.port is not None else MODEL_PORT
        return proxy, ModelDoor(run.model.model, proxy.token, port, place)

    def _introduction(self, door: ModelDoor | None) -> dict[str, Any]:
        run = self._run
        return {
            "protocol": PROTOCOL,
            "harness": {"name": "benchwright", "version": "1"},
            "run": {"id": run.run_id, "epoch": 1},
            "rng_seed": run.rng_seed,
            "exchange_dir": str(self._pictures),
            "model": door.to_json() if door is not None else None,
            "capabilities": {
                "execute": run.has_tools,
                "live": run.has_tools,
                "fork": True,
                "inspect": [BRIEF, *ENCODINGS] if run.has_tools else [],
            },
        }

    def _told(self, info: SessionInfo) -> dict[str, Any]:
        submits = self._card.submits if self._card is not None else Submits.CODE
        return {
            "session_id": info.session_id,
            "problemset": info.problemset,
            "epoch": info.epoch,
            "cwd": str(self._command.folder),
            "policies": dict(self._run.policies),
            "submit": submits.value,
            "language": "python",
        }

    def _leave(self, session: _Session, home: HostedProcess) -> None:
        """Kill the process of a session, which goes on in another one."""
        session.home = None
        self._drop(home)

    def _drop(self, home: HostedProcess) -> None:
        """Kill a process; the sessions that it served go on in others."""
        with self._lock, contextlib.suppress(ValueError):
            self._processes.remove(home)
        home.process.kill()
        _close(home.proxy)


def _close(proxy: ModelProxy | None) -> None:
    if proxy is not None:
        proxy.close()


def _log_label(home: HostedProcess | None) -> tuple[str, ...]:
    return ("log-cut",) if home is not None and home.process.is_log_cut else ()
