"""An agent from a file or a module, in child processes: each can be killed, and none holds any reference code."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from evaluator.agents.protocol import AgentCard, FailureKind, SessionInfo, SolveRequest, Submission
from evaluator.agents.solver import TIMEOUT_S, failed, late
from evaluator.errors import UsageError
from evaluator.plugins import AGENTS, warn_of_plugin

if TYPE_CHECKING:
    from pydantic import TypeAdapter

CHILD_PROCESS: Final = "child-process"
"""Isolation of an agent whose code runs in a process of its own, which can be killed and holds no references."""
MODULE: Final = "evaluator.agents.child_main"
MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
MAX_TOLD: Final = 2_000  # characters of what is told of code that does not load
_MEND: Final = "mend the agent's code, or name another one with --agent"
PATIENCE_S: Final = 5.0  # until an idle process that was told to end is killed


class _ChildFailedError(Exception):
    """The process is of no more use; the text says why."""


class _LateError(_ChildFailedError):
    """It did not answer in time."""


class _NotLoadedError(_ChildFailedError):
    """It could not load the agent; whoever wrote or named the code can mend it."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.where = where
        self.fix = fix


@dataclass(frozen=True)
class Target:
    """Where an agent's code is."""

    kind: str  # file | module
    place: str  # absolute path, or dotted name
    name: str  # of the function, class or object in it; dots reach into objects
    shown: str  # as the user wrote it
    version: str = "1"  # part of a run's identity
    package: str = ""  # that offers it as a plug-in; empty: it is none


class ChildAgent:
    """Asks an agent in child processes: one for each session at a time, used again by the sessions that follow."""

    def __init__(self, target: Target, *, timeout_s: float = TIMEOUT_S) -> None:
        """Take the target; nothing is started until it is loaded or begins a session.

        Args:
            target: Where the agent's code is.
            timeout_s: What one call may take (s), the loading of the code among them; then the process is killed.
        """
        self._target = target
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._sessions: dict[str, _Session] = {}

    def load(self) -> None:
        """Start the first process, which the first session takes.

        Raises:
            UsageError: If the code is not found, fails while it is imported, or is no agent.
        """
        with self._lock:
            if self._idle or self._sessions:
                return
        target = self._target
        whose = f" of the package {target.package}" if target.package else ""
        try:
            child = _Child(target, self._timeout_s)
        except _NotLoadedError as error:
            what = f"the agent {target.shown!r}{whose} cannot be loaded: {error}"
            raise UsageError(what, where=error.where or target.place, fix=error.fix or _MEND) from error
        except _LateError as error:
            what = f"the agent {target.shown!r}{whose} was not loaded within {self._timeout_s:g} s"
            raise UsageError(what, where=target.place, fix="do less on import, or allow more time") from error
        except _ChildFailedError as error:  # it ends the process, or is killed, while it is imported
            what = f"the agent {target.shown!r}{whose} cannot be loaded: {error}"
            raise UsageError(what, where=target.place, fix=_MEND) from error
        with self._lock:
            self._idle.append(child)

    def describe(self) -> AgentCard:
        """Return the card."""
        target = self._target
        return AgentCard(target.shown, target.version, variables=True, history=True, isolation=CHILD_PROCESS)

    def start(self, session: SessionInfo) -> None:
        """Begin a session; one that does not begin fails at each of its problems."""
        self._sessions[session.session_id] = _Session(session)
        self._child_of(self._sessions[session.session_id])

    def solve(self, request: SolveRequest, _tools: object = None) -> Submission:
        """Return the agent's answer. After a death another process goes on; after a late answer none does."""
        session = self._sessions[request.session_id]
        child = self._child_of(session)
        if child is None:
            return failed(session.given_up)
        try:
            answer = child.ask({"call": "solve", "request": asdict(request)}, self._timeout_s)
        except _ChildFailedError as error:
            self._drop(session, error)
            return failed(str(error))
        return failed(str(answer["failed"])) if "failed" in answer else _submission(answer.get("submission"))

    def end(self, session_id: str) -> None:
        """Forget a session; its process waits for the next one."""
        session = self._sessions.pop(session_id)
        if session.child is None:
            return
        try:
            session.child.ask({"call": "end", "session_id": session_id}, self._timeout_s)
        except _ChildFailedError:
            session.child.kill()
            return
        with self._lock:
            self._idle.append(session.child)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            children = [*self._idle, *(each.child for each in self._sessions.values() if each.child is not None)]
            self._idle.clear()
        for child in children:
            child.close()

    def _child_of(self, session: "_Session") -> "_Child | None":
        """Return the session's process, begun; None if there is none any more, for the reason that it says."""
        if session.child is not None or session.given_up:
            return session.child
        try:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            session.child = child or _Child(self._target, self._timeout_s)
            answer = session.child.ask({"call": "start", "session": asdict(session.info)}, self._timeout_s)
        except _ChildFailedError as error:
            self._drop(session, error)
            session.given_up = self._not_started(str(error))
            return None
        if "failed" in answer:
            session.given_up = self._not_started(str(answer["failed"]))
            with self._lock:
                self._idle.append(session.child)
            session.child = None
        return session.child

    def _not_started(self, reason: str) -> str:
        if self._target.package:
            warn_of_plugin(AGENTS, self._target.package, self._target.shown, reason)
        return f"the agent does not start: {reason}"

    def _drop(self, session: "_Session", error: _ChildFailedError) -> None:
        if session.child is not None:
            session.child.kill()
            session.child = None
        if isinstance(error, _LateError):
            session.given_up = str(error)


@dataclass
class _Session:
    info: SessionInfo
    child: "_Child | None" = None
    given_up: str = field(default="")  # why the agent is not asked again; empty while it is


class _Child:
    """One process and the pipes to it."""

    def __init__(self, target: Target, timeout_s: float) -> None:
        """Start the process and wait until the agent is loaded.

        Raises:
            _ChildFailedError: If it is not.
        """
        calls_end, self._calls = os.pipe()
        self._answers, answers_end = os.pipe()
        command = [sys.executable, "-m", MODULE, str(calls_end), str(answers_end)]
        try:
            self._process = subprocess.Popen(
                [*command, target.kind, target.place, target.name],
                stdin=subprocess.DEVNULL,
                stdout=sys.__stderr__ or subprocess.DEVNULL,  # what it prints is a log
                pass_fds=(calls_end, answers_end),
                start_new_session=True,  # so that all that it starts can be killed with it
            )
        finally:
            os.close(calls_end)
            os.close(answers_end)
        os.set_blocking(self._calls, False)
        os.set_blocking(self._answers, False)
        self._rest = b""
        try:
            greeting = self._read(timeout_s)
            if "failed" in greeting:
                what, where, fix = (str(greeting.get(key, ""))[:MAX_TOLD] for key in ("failed", "where", "fix"))
                raise _NotLoadedError(what, where=where, fix=fix)
        except _ChildFailedError:
            self.kill()
            raise

    def ask(self, call: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the answer to a call.

        Raises:
            _ChildFailedError: If there is none, or nothing that can be read.
        """
        until = time.monotonic() + timeout_s
        self._write(json.dumps(call).encode("ascii") + b"\n", until, timeout_s)
        return self._read(timeout_s, until)

    def _write(self, data: bytes, until: float, timeout_s: float) -> None:
        rest = memoryview(data)
        while rest:
            _wait(self._calls, selectors.EVENT_WRITE, until, timeout_s)
            try:
                rest = rest[os.write(self._calls, rest[:65_536]) :]
            except BrokenPipeError as error:
                raise _ChildFailedError(self._ended()) from error

    def _read(self, timeout_s: float, until: float | None = None) -> dict[str, Any]:
        until = time.monotonic() + timeout_s if until is None else until
        while b"\n" not in self._rest:
            _wait(self._answers, selectors.EVENT_READ, until, timeout_s)
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise _ChildFailedError(self._ended())
            self._rest += part
            if len(self._rest) > MAX_ANSWER_BYTES:
                raise _ChildFailedError(f"the agent's answer is longer than {MAX_ANSWER_BYTES // 1024**2} MiB")
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _ChildFailedError("the agent's process answered what is no JSON") from error
        if not isinstance(answer, dict):
            raise _ChildFailedError("the agent's process answered what is no JSON object")
        return answer

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(PATIENCE_S)
            how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            return f"the agent's process ended {how}"
        return "the agent's process no longer answers"

    def close(self) -> None:
        """End the process: by the end of its calls, or by force."""
        with contextlib.suppress(OSError):
            os.close(self._calls)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE_S)
        self.kill(is_open=False)

    def kill(self, *, is_open: bool = True) -> None:
        """Kill the process with all that it started, and close the pipes."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for descriptor in (self._calls, self._answers) if is_open else (self._answers,):
            with contextlib.suppress(OSError):
                os.close(descriptor)


def _wait(descriptor: int, event: int, until: float, timeout_s: float) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, event)
        if not selector.select(max(0.0, until - time.monotonic())):
            raise _LateError(late(timeout_s))


def _submission(content: object) -> Submission:
    """Read what a stranger's process calls a submission; whose failure it was is not its to say."""
    try:
        made = _adapter().validate_python(content)
    except ValueError:  # pydantic's error is one
        return failed("the agent's process answered what is no submission")
    if made.error is not None and made.error.kind is FailureKind.INFRA:
        return replace(made, error=replace(made.error, kind=FailureKind.AGENT))
    return made


def _adapter() -> "TypeAdapter[Submission]":
    from pydantic import TypeAdapter  # late: runs of other agents do not need it, and it takes long to import

    return TypeAdapter(Submission)
