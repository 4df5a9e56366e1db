"""An agent from a file or a module, in processes of its own: each can be killed, and none holds any reference code."""

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluator.agents.process.channel import CancelledError, LateError, ProcessLostError, RpcError
from evaluator.agents.process.launching import AgentCommand, AgentProcess, ModelDoor
from evaluator.agents.process.process_agent import ProcessAgent, RunInfo
from evaluator.agents.process.wire import COUNTS, UnreadableError, read_card, read_usage, usage_labels
from evaluator.agents.protocol import AgentCard, FailureKind, NoTools, SolveRequest, Submission, Tools
from evaluator.agents.solver import TIMEOUT_S, failed, late
from evaluator.errors import UsageError
from evaluator.plugins import AGENTS, warn_of_plugin

if TYPE_CHECKING:
    from pydantic import TypeAdapter

CHILD_PROCESS: Final = "child-process"
"""Isolation of an agent whose code runs in a process of its own, which can be killed and holds no references."""
MODULE: Final = "evaluator.agents.child_main"
MAX_TOLD: Final = 2_000  # characters of what is told of code that does not load
_MEND: Final = "mend the agent's code, or name another one with --agent"


class _NotLoadedError(ProcessLostError):
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


class ChildAgent(ProcessAgent):
    """Asks an agent in processes that speak the protocol of all others, with whole requests and submissions in it.

    After a death another process goes on; after a late answer the session is given up. Network, files and environment
    are the user's own, and what it prints goes to our standard error.
    """

    def __init__(self, target: Target, run: RunInfo | None = None, *, timeout_s: float = TIMEOUT_S) -> None:
        """Take the target; nothing is started until it is loaded or asked.

        Args:
            target: Where the agent's code is.
            run: What its processes are told of the run.
            timeout_s: What one call may take (s), the loading of the code among them; then the process is killed.
        """
        # not from the current folder, where a file may be called as a module that we import
        words = (sys.executable, "-P", "-m", MODULE, target.kind, target.place, target.name)
        command = AgentCommand(words, Path.cwd(), "none", written=target.shown, is_trusted=True)
        super().__init__(command, run, timeout_s=timeout_s)
        self._target = target
        self._given_up: dict[str, str] = {}  # session id -> why it is not asked again

    def load(self) -> None:
        """Start the first process, which the first session takes.

        Raises:
            UsageError: If the code is not found, fails while it is imported, or is no agent.
        """
        if self._processes or self._sessions:
            return
        target = self._target
        whose = f" of the package {target.package}" if target.package else ""
        try:
            self._started()
        except _NotLoadedError as error:
            what = f"the agent {target.shown!r}{whose} cannot be loaded: {error}"
            raise UsageError(what, where=error.where or target.place, fix=error.fix or _MEND) from error
        except LateError as error:
            what = f"the agent {target.shown!r}{whose} was not loaded within {self._timeout_s:g} s"
            raise UsageError(what, where=target.place, fix="do less on import, or allow more time") from error
        except (ProcessLostError, UnreadableError) as error:  # it ends the process, or is killed, while it is imported
            what = f"the agent {target.shown!r}{whose} cannot be loaded: {_told(error)}"
            raise UsageError(what, where=target.place, fix=_MEND) from error

    @property
    def _session_s(self) -> float:
        return self._timeout_s

    def describe(self) -> AgentCard:
        """Return the card."""
        target = self._target
        return AgentCard(target.shown, target.version, variables=True, history=True, isolation=CHILD_PROCESS)

    def solve(self, request: SolveRequest, tools: Tools | None = None) -> Submission:
        """Return the agent's answer. After a death another process goes on; after a late answer none does."""
        if reason := self._given_up.get(request.session_id):
            return failed(reason)
        return self._asked(request, tools or NoTools())

    def end(self, session_id: str) -> None:
        """Forget a session; its process waits for the next one."""
        self._given_up.pop(session_id, None)
        super().end(session_id)

    def _introduced(self, process: AgentProcess, door: ModelDoor | None) -> AgentCard:
        try:
            return read_card(process.channel.call("initialize", self._introduction(door), timeout_s=self._timeout_s))
        except RpcError as error:
            told = error.data if isinstance(error.data, dict) else {}
            where, fix = (str(told.get(key, ""))[:MAX_TOLD] for key in ("where", "fix"))
            raise _NotLoadedError(error.message, where=where, fix=fix) from error

    def _asked(self, request: SolveRequest, tools: Tools) -> Submission:
        session = self._session_of(request)
        try:
            home = self._home_of(session)
        except (ProcessLostError, UnreadableError, RpcError) as error:
            return self._not_started(request.session_id, _told(error))
        try:
            return _submission(self._called(home, request, tools))
        except (LateError, CancelledError):
            self._leave(session, home)
            reason = late(self._timeout_s)
            self._given_up[request.session_id] = reason
            return self._failed(reason, home)
        except ProcessLostError as error:
            self._leave(session, home)
            return self._failed(_told(error), home)
        except RpcError as error:
            return self._failed(error.message, home)

    def _not_started(self, session_id: str, reason: str) -> Submission:
        """Give a session up in which the agent does not begin."""
        if self._target.package:
            warn_of_plugin(AGENTS, self._target.package, self._target.shown, reason)
        self._given_up[session_id] = f"the agent does not start: {reason}"
        return self._failed(self._given_up[session_id])

    def params_of(self, request: SolveRequest) -> dict[str, Any]:
        """Return the parameters of `solve` and `retry`: the request whole, as agents in Python know it."""
        return {"session_id": request.session_id, "request": asdict(request)}


def _told(error: Exception) -> str:
    words = str(error)
    return f"the agent's process{words.removeprefix('its process')}" if words.startswith("its process") else words


def _submission(told: object) -> Submission:
    """Read what a stranger's process calls a submission; whose failure it was is not its to say."""
    answer = told if isinstance(told, dict) else {}
    if isinstance(error := answer.get("error"), dict):
        return failed(str(error.get("message", ""))[:MAX_TOLD])
    try:
        made = _adapter().validate_python(answer.get("submission"))
    except ValueError:  # pydantic's error is one
        return failed("the agent's process answered what is no submission")
    more = {name: value for name, value in made.usage.items() if name not in (*COUNTS, "cost", "usage_source")}
    labels = (*made.labels, *usage_labels(made.usage))
    made = replace(made, usage={**more, **read_usage(made.usage)}, labels=labels)
    if made.error is not None and made.error.kind is FailureKind.INFRA:
        return replace(made, error=replace(made.error, kind=FailureKind.AGENT))
    return made


def _adapter() -> "TypeAdapter[Submission]":
    from pydantic import TypeAdapter  # late: runs of other agents do not need it, and it takes long to import

    return TypeAdapter(Submission)
