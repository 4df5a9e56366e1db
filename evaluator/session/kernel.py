"""The host's end of one kernel: code goes to it as `execute_request`, outcomes come over descriptors."""

import contextlib
import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import zmq
from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session as Messages

from evaluator.errors import ToolkitError
from evaluator.inside.runtime.channel import Channel
from evaluator.inside.runtime.frames import FrameKind
from evaluator.session.cell_request import request_body
from evaluator.session.input_files import input_files
from evaluator.session.outcome import (
    DEFAULT_LIMITS,
    NO_CAPTURE,
    CaptureSpec,
    CellLimits,
    Ending,
    Outcome,
    Probe,
    ProbeAnswer,
    ProbeEnding,
)
from evaluator.session.sandboxing.backends import Isolation
from evaluator.session.session import SETUP_LIMITS, PersistentFork, Session, SessionLost
from evaluator.session.template import WorkerDiedError, receive_within

_START_S: Final = 60.0
_REPLY_S: Final = 30.0
_FOLDER_MB: Final = 512
_LINGER_MS: Final = 5000
_TRY_AGAIN_MS: Final = 100
_MAX_MESSAGE: Final = 1024 * 1024
_MAX_MESSAGES: Final = 4


class Kernel(Session):
    """One kernel and the process that keeps it: `prepare` it, `start` it, `execute` cells, `attempt` one submission.

    No message of a kernel decides anything. A cell's outcome is what the host's clock, the death of the process and
    the report over the cell's own descriptor say. Before a submission runs the host hangs up.
    """

    _probes_end_it = True

    def __init__(self, channel: Channel, pidfd: int, *, folder: Path | None = None) -> None:
        super().__init__(channel, pidfd, folder=folder)
        self._messages = Messages(key=secrets.token_hex(32).encode(), pack=_pack)
        self._shell = _connecting()
        self._requests: Channel | None = None
        self._kernel = -1
        self._asked = ""

    def start(self, place: Path, *, preload: Sequence[str] = ()) -> None:
        """Start the kernel; nobody else can connect to it afterwards.

        Args:
            place: Path of a socket that exists for a moment, in a folder that nobody else may enter.
            preload: Modules to import before the first cell.

        Raises:
            SessionLost: If the kernel or its keeper died.
            ToolkitError: If it cannot start, and says why.
        """
        ours, theirs = socket.socketpair()
        self._requests = Channel(ours)
        body = json.dumps({"key": self._messages.key.decode(), "preload": list(preload)}).encode()
        try:
            with theirs, _listening(place) as listener:
                self._shell.connect(f"ipc://{place}")
                self._channel.send(FrameKind.KERNEL, body, [theirs.fileno(), listener.fileno()])
                self._kernel = self._receive_started().descriptors[0]
                theirs.close()  # now the end of a kernel that dies is noticed
                message = receive_within(self._requests, _START_S)
                if message.kind == FrameKind.READY and not self._shell.poll(int(_START_S * 1000), zmq.POLLOUT):
                    raise self._lose("a kernel does not answer its connection")
        except (OSError, WorkerDiedError) as error:
            raise self._lose("a kernel died while it started") from error
        finally:
            place.unlink(missing_ok=True)
        if message.kind != FrameKind.READY:
            reason = json.loads(message.body)["reason"]
            fix = "install ipykernel in the environment of the run, or run it with `--engine fork`"
            raise ToolkitError(f"a kernel could not start: {reason}", fix=fix)

    def execute(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a cell whose code is trusted; a kernel that does not reply to it is lost.

        Raises:
            SessionLost: If the kernel is gone.
        """
        run = self._send(FrameKind.EXEC, source, capture, limits, is_trusted=True)
        try:
            outcome = self._watch(run, self._kernel)
            if outcome.ending in (Ending.OK, Ending.ERROR):
                self._await_reply()
            else:
                run.kill(self._kernel)
                self._lost = f"a cell ended as {outcome.ending.value} and took the session with it"
        finally:
            run.close()
        return outcome

    def attempt(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a submission, the last cell of this kernel.

        Raises:
            SessionLost: If the kernel is gone.
        """
        run = self._send(FrameKind.TRY, source, capture, limits)
        self._shell.close()  # what it has to say now is said over its descriptors
        grew_too_large = False
        try:
            outcome = self._watch(run, self._kernel)
        finally:
            grew_too_large = self._end_trial(run, self._kernel)
            self._kernel = -1
            self._lost = self._lost or "its submission has run"
        if grew_too_large and outcome.ending is Ending.DIED:
            return replace(outcome, ending=Ending.OVER_LIMIT, limits_hit=(*outcome.limits_hit, "memory"))
        return outcome

    def _folder_mb(self, inputs: Path | None) -> int:
        """Return what its files may occupy: less than a session's own, for a submission writes there."""
        copied = 0 if inputs is None else sum((inputs / name).stat().st_size for name in input_files(inputs))
        return _FOLDER_MB + copied // (1024 * 1024)

    def _deliver(self, kind: FrameKind, source: str, limits: CellLimits, descriptors: Sequence[int]) -> None:
        assert self._requests is not None, "it is started first"
        body = request_body("", limits)
        if kind == FrameKind.TRY:
            self._channel.send(FrameKind.WATCH, body)
        self._requests.send(kind, body, descriptors)
        content = {"code": source, "silent": True, "store_history": False, "allow_stdin": False}
        try:
            message = self._messages.send(self._shell, "execute_request", {**content, "stop_on_error": False})
        except zmq.Again as error:
            raise BrokenPipeError("the kernel hung up") from error
        assert message is not None
        self._asked = message["header"]["msg_id"]

    def _await_reply(self) -> None:
        deadline = time.monotonic() + _REPLY_S
        for _ in range(_MAX_MESSAGES):
            if not self._shell.poll(max(0, int((deadline - time.monotonic()) * 1000))):
                break
            try:
                _, message = self._messages.recv(self._shell)
            except (ValueError, TypeError, KeyError, RecursionError):  # no message of the protocol
                break
            if message is not None and _is_reply(message, self._asked):
                return
        raise self._lose("a kernel does not reply")

    def close(self) -> None:
        """End the kernel and everything it started."""
        super().close()
        self._shell.close(linger=0)
        if self._requests is not None:
            self._requests.close()
        if self._kernel >= 0:
            os.close(self._kernel)
            self._kernel = -1


def _pack(part: Any) -> bytes:
    return json.dumps(part, default=json_default).encode()  # all in ASCII: code may hold what no encoding takes


def _is_reply(message: Mapping[str, Any], asked: str) -> bool:
    return bool(message["msg_type"] == "execute_reply" and message["parent_header"].get("msg_id") == asked)


@contextlib.contextmanager
def _listening(place: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(str(place))
        except OSError as error:
            fix = "set TMPDIR to a folder with a shorter path"
            raise ToolkitError(f"a kernel cannot be reached: {error}", where=str(place), fix=fix) from error
        listener.listen(1)
        yield listener


def _connecting() -> "zmq.Socket[bytes]":
    """Return a socket that has a peer only once a kernel answers, and tries until then.

    Its place goes when it is connected: a kernel that hangs up is gone.

    All share the context of the process. One of a kernel's own would wait for its sockets when it is collected, and
    those that are collected together with it are closed only later: the process would stand still.
    """
    shell: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    shell.setsockopt(zmq.IMMEDIATE, 1)
    shell.setsockopt(zmq.RECONNECT_IVL, _TRY_AGAIN_MS)
    shell.setsockopt(zmq.SNDTIMEO, int(_REPLY_S * 1000))
    shell.setsockopt(zmq.HANDSHAKE_IVL, 0)  # how long a kernel may take to start is for the host's clock to say
    shell.setsockopt(zmq.MAXMSGSIZE, _MAX_MESSAGE)
    shell.setsockopt(zmq.RCVHWM, _MAX_MESSAGES)
    shell.setsockopt(zmq.LINGER, _LINGER_MS)
    return shell


_REPORTED: Final = (Ending.OK, Ending.ERROR)
REPLAY_GRACE_S: Final = 10.0
"""How far past its limit an agent's earlier cell may run when it is replayed."""


@dataclass(frozen=True)
class _Passed:
    """A cell that made the session's state."""

    source: str
    limits: CellLimits
    ending: Ending


class ReplaySession(Kernel):
    """Runs cells as any session does: `execute` in a kernel of its own, `attempt` in a fresh one after a replay.

    Each probe but an attempt's first gets a fresh kernel too: one that has answered a probe is worn.
    """

    def __init__(self, channel: Channel, pidfd: int, *, folder: Path | None, another: Callable[[], Kernel]) -> None:
        super().__init__(channel, pidfd, folder=folder)
        self._another = another
        self._passed: list[_Passed] = []

    def execute(self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = SETUP_LIMITS) -> Outcome:
        """Run a cell in the session's own kernel and advance its state.

        A cell that ends as `died`, `timed_out` or `over_limit` takes the session with it: its outcome is
        returned, and every later call raises `SessionLost`.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            outcome = super().execute(source, capture=replace(capture, probes=()), limits=limits)
            answers: tuple[ProbeAnswer, ...] = ()
            if outcome.ending in _REPORTED:
                answers = self._answers(source, capture.probes, limits)
                self._passed.append(_Passed(source, limits, outcome.ending))
            return replace(outcome, capture=capture, answers=answers, engine=Isolation.REPLAY.value)

    def attempt(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a submission in a fresh kernel; the session's state stays as it is.

        Raises:
            SessionLost: If the session is gone, or its cells do not run as they did.
        """
        return self.attempt_after((), source, capture, limits)

    def lost_threads(self) -> tuple[str, ...]:
        """Return nothing: no state is forked."""
        return ()

    def keep(self, limits: CellLimits) -> PersistentFork:  # noqa: ARG002  # each kernel has the limits of its cells
        """Return a copy of the session that lives on as the list of its cells: each runs after all before it.

        Raises:
            SessionLost: If the session is gone.
        """
        with self._lock:
            self._refuse_unusable()
            return _ReplayedState(self)

    def attempt_after(
        self, steps: Sequence["_Passed"], source: str, capture: CaptureSpec, limits: CellLimits
    ) -> Outcome:
        """Run a submission in a fresh kernel, after the session's cells and earlier submissions.

        Raises:
            SessionLost: If the session is gone, or what ran before does not end as it did.
        """
        with self._lock:
            self._refuse_unusable()
            outcome = self._try(source, replace(capture, probes=capture.probes[:1]), limits, steps)
            answers = outcome.answers
            if outcome.ending in _REPORTED:
                answers += self._answers(source, capture.probes[1:], limits, steps)
            return replace(outcome, capture=capture, answers=answers, engine=Isolation.REPLAY.value)

    def _answers(
        self, source: str, probes: tuple[Probe, ...], limits: CellLimits, steps: Sequence["_Passed"] = ()
    ) -> tuple[ProbeAnswer, ...]:
        """Return what each probe finds after the cell, which runs anew for each."""
        return tuple(self._answer(source, probe, limits, steps) for probe in probes)

    def _answer(self, source: str, probe: Probe, limits: CellLimits, steps: Sequence["_Passed"]) -> ProbeAnswer:
        outcome = self._try(source, CaptureSpec(probes=(probe,)), limits, steps)
        return outcome.answers[0] if outcome.answers else ProbeAnswer(ProbeEnding.MISSING)

    def _try(self, source: str, capture: CaptureSpec, limits: CellLimits, steps: Sequence["_Passed"] = ()) -> Outcome:
        kernel = self._another()
        try:
            self._replay(kernel)
            for number, step in enumerate(steps, 1):
                patient = replace(step.limits, wall_s=step.limits.wall_s + REPLAY_GRACE_S)
                if kernel.execute(step.source, limits=patient).ending is not step.ending:
                    what = f"submission {number} did not end as before when it was replayed"
                    raise SessionLost(what, fix="keep another copy of the session and replay its cells")
            return kernel.attempt(source, capture=capture, limits=limits)
        finally:
            kernel.close()

    def _replay(self, kernel: Kernel) -> None:
        for number, cell in enumerate(self._passed, 1):
            ending = kernel.execute(cell.source, limits=cell.limits).ending
            if ending is not cell.ending:
                what = f"cell {number} ended as {ending.value} when it was replayed, as {cell.ending.value} before"
                raise SessionLost(what, fix="open the session again and replay its cells")


class _ReplayedState(PersistentFork):
    """An agent's own state on kernels: no process of it lives on between two cells, only their texts do."""

    def __init__(self, session: ReplaySession) -> None:
        self._session = session
        self._steps: list[_Passed] = []
        self._is_closed = False

    @property
    def origin_is_lost(self) -> bool:
        """Whether the session is gone, which no cell in here can bring about."""
        return self._session.is_lost

    def execute(
        self, source: str, *, capture: CaptureSpec = NO_CAPTURE, limits: CellLimits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a cell after all cells before it, and remember it.

        Raises:
            SessionLost: If an earlier cell ended as anything but `ok` or `error`, or the session is gone.
        """
        if self._is_closed:
            raise SessionLost("the state has ended", fix="keep another copy of the session and replay its cells")
        outcome = self._session.attempt_after(self._steps, source, capture, limits)
        if outcome.ending in _REPORTED:
            self._steps.append(_Passed(source, limits, outcome.ending))
        else:
            self._is_closed = True
        return outcome

    def close(self) -> None:
        """Forget the cells."""
        self._is_closed = True
