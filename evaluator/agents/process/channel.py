"""The lines between us and an agent's process: JSON-RPC 2.0, one object a line, both sides may call.

Whatever the process does with its lines is the process's fault and ends it; nothing that it writes can hold us up.
"""

import contextlib
import json
import os
import queue
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from evaluator.agents.process.pipes import PipeReader, exit_code

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
MAX_WAITING: Final = 1_000  # messages of a process that nobody has read yet, from which on it is flooding us
MAX_WAITING_BYTES: Final = 64 * 1024 * 1024
MAX_NESTING: Final = 200
MAX_MESSAGES: Final = 10_000  # calls and notices during one call
MAX_STRAYS: Final = 1_000  # messages between two of our calls that belong to none
MAX_ID_CHARS: Final = 100
CANCEL_S: Final = 5.0  # within which a cancelled call returns
_SLICE_S: Final = 0.2  # after which a writer looks whether it is still wanted
_GRACE_S: Final = 1.0  # for what an ended process wrote to arrive

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNKNOWN_SESSION, BUDGET_SPENT, CAPABILITY_OFF, SESSION_DEAD, CANCELLED = -32001, -32002, -32003, -32004, -32005


class RpcError(Exception):
    """An error as JSON-RPC tells it: by the other side, or by us to it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.message = message


class ProcessLostError(Exception):
    """The process is of no more use; the text says why, and it is the agent's fault."""


class LateError(ProcessLostError):
    """It did not answer in time, nor when the call was cancelled."""


class CancelledError(Exception):
    """It did not answer in time, but did return when the call was cancelled."""


class _Said(NamedTuple):
    """A message that belongs to a pending call."""

    kind: str  # result | error | request | notice | lost
    body: Any
    size_bytes: int = 0


Serve = Callable[[str, Mapping[str, Any]], Any]
"""Answers a call of the process with a JSON value, or raises `RpcError`."""


@dataclass
class _Pending:
    session_id: str
    said: "queue.SimpleQueue[_Said]" = field(default_factory=queue.SimpleQueue)
    messages: int = 0


class AgentChannel:
    """Calls a process and answers its calls. Calls of different sessions may be pending at once."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        """Take over the pipes of a process and listen to it from now on."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input = process.stdin
        os.set_blocking(self._input.fileno(), False)
        self._lock = threading.Lock()
        self._writing = threading.Lock()  # held by whoever writes to the input or closes it
        self._pending: dict[int, _Pending] = {}
        self._asked: set[int | str] = set()  # ids of the process's calls that are not answered yet
        self._waiting_bytes = 0
        self._last_id = 0
        self._lost = ""
        self._rest = bytearray()  # of a line that has not ended
        self._oddities: dict[str, str] = {}
        self._strays = 0  # since our last call
        self._owed: deque[bytes] = deque()  # refusals that found no room
        self._listener = PipeReader(process.stdout, self._read, self._stopped, self._pay)

    @property
    def lost(self) -> str:
        """Why the process is of no more use; empty while it is."""
        return self._lost

    def take_oddities(self) -> dict[str, str]:
        """Return what was wrong with its lines without ending it since this was asked last: labels -> in words."""
        with self._lock:
            oddities, self._oddities = self._oddities, {}
        return oddities

    def close_input(self, seconds: float = CANCEL_S) -> None:
        """Close its input; whoever writes there has so long to finish."""
        if not self._writing.acquire(timeout=seconds):
            self.lose("it did not read its input")
            self._writing.acquire()  # a writer looks for that every moment
        try:
            with contextlib.suppress(OSError):
                self._input.close()
        finally:
            self._writing.release()

    def close(self) -> None:
        """Let go of an ended process: what it wrote is read, its pipes are closed, and nobody listens any more."""
        self.lose("it was ended")
        self.close_input()
        self._listener.close(_GRACE_S)

    def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_s: float,
        session_id: str = "",
        serve: Serve | None = None,
        served_s: float = 0.0,
    ) -> Any:
        """Call a method of the process and return its result; meanwhile answer calls of its session.

        Args:
            method: Its name.
            params: JSON values.
            timeout_s: What the process may take (s), without what we take to answer its calls.
            session_id: Whose calls are answered meanwhile.
            serve: Answers them; None: it may make none.
            served_s: What answering them may add to its time in all (s).

        Raises:
            RpcError: If it answers with an error.
            CancelledError: If it took too long, and returned when it was told.
            ProcessLostError: If it is of no more use, a `LateError` if it is that for taking too long.
        """
        pending = _Pending(session_id)
        with self._lock:
            self._strays = 0
            self._last_id += 1
            number = self._last_id
            self._pending[number] = pending
        try:
            deadline = time.monotonic() + timeout_s
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, deadline, timeout_s)
            return self._wait(pending, deadline, timeout_s, serve, served_s)
        finally:
            self._forget(number, pending)

    def notify(self, method: str, params: Mapping[str, Any], *, timeout_s: float = CANCEL_S) -> None:
        """Tell the process something; it does not answer.

        Raises:
            ProcessLostError: If it is of no more use.
        """
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self._send(message, time.monotonic() + timeout_s, timeout_s)

    def _wait(self, pending: _Pending, deadline: float, timeout_s: float, serve: Serve | None, served_s: float) -> Any:
        late, is_cancelled = f"it did not answer within {timeout_s:g} s", False
        while True:
            said = self._next(pending, deadline)
            if said is None:
                if is_cancelled or not pending.session_id:
                    self.lose(late)  # before anybody else can ask it something
                    raise LateError(late)
                is_cancelled, deadline = True, time.monotonic() + CANCEL_S
                self.notify("cancel", {"session_id": pending.session_id})
            elif said.kind == "lost":
                raise ProcessLostError(str(said.body))
            elif said.kind in ("result", "error") and is_cancelled:
                raise CancelledError(late)
            elif said.kind == "error":
                raise _error_of(said.body)
            elif said.kind == "result":
                return said.body
            elif is_cancelled:
                self._refuse_cancelled(said)
            else:
                added_s = min(self._answer(said, serve), served_s)
                deadline, served_s = deadline + added_s, served_s - added_s

    def _next(self, pending: _Pending, deadline: float) -> _Said | None:
        """Return what the process says next; None if it is late, and has not answered."""
        try:
            said = pending.said.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        with self._lock:
            self._waiting_bytes -= said.size_bytes
        if said.kind in ("request", "notice") and time.monotonic() >= deadline:
            self._refuse_cancelled(said)
            return None
        return said

    def _refuse_cancelled(self, said: _Said) -> None:
        if said.kind == "request":
            self._reply(said.body["id"], error=RpcError(CANCELLED, "the call is cancelled"))

    def _answer(self, said: _Said, serve: Serve | None) -> float:
        """Answer a call of the process, or take notice; return how long it took to find an answer (s)."""
        body, started = said.body, time.monotonic()
        result = refusal = None
        try:
            if serve is None:
                raise RpcError(CAPABILITY_OFF, "nothing can be called now")
            if not isinstance(body["params"], dict):
                raise RpcError(INVALID_PARAMS, "params must be an object")
            result = serve(str(body["method"])[:MAX_ID_CHARS], body["params"])
        except RpcError as error:
            refusal = error
        seconds = time.monotonic() - started
        if said.kind == "request":
            self._reply(body["id"], result=result, error=refusal)
        return seconds

    def _forget(self, number: int, pending: _Pending) -> None:
        """End a call; what the process asked meanwhile and nobody answered is refused."""
        unanswered = []
        with self._lock:
            self._pending.pop(number, None)
            while not pending.said.empty():
                said = pending.said.get()
                self._waiting_bytes -= said.size_bytes
                if said.kind == "request":
                    unanswered.append(said)
        with contextlib.suppress(ProcessLostError):
            for said in unanswered:
                self._reply(said.body["id"], error=RpcError(UNKNOWN_SESSION, _NOT_PENDING))

    def _reply(self, number: int | str, *, result: Any = None, error: RpcError | None = None) -> None:
        with self._lock:
            self._asked.discard(number)
        self._send(_reply_of(number, result, error), time.monotonic() + 4 * CANCEL_S, 4 * CANCEL_S)

    def _send(self, message: Mapping[str, Any], until: float, timeout_s: float) -> None:
        data = _line_of(message)
        late = f"it did not read its input within {timeout_s:g} s"
        if not self._writing.acquire(timeout=max(0.0, until - time.monotonic())):
            self.lose(late)
            raise LateError(late)
        try:
            self._write(memoryview(data), until, late)
        finally:
            self._writing.release()

    def _write(self, rest: memoryview, until: float, late: str) -> None:
        if self._input.closed:
            raise ProcessLostError(self._lost or "its input is closed")
        with selectors.PollSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            while rest:
                if self._lost:
                    raise ProcessLostError(self._lost)
                if not selector.select(max(0.0, min(until - time.monotonic(), _SLICE_S))):
                    if time.monotonic() < until:
                        continue
                    self.lose(late)
                    raise LateError(late)
                try:
                    rest = rest[os.write(self._input.fileno(), rest[:65_536]) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    self.lose(self._end_of("input"))
                    raise ProcessLostError(self._lost) from error

    def _read(self, part: bytes) -> bool:
        """Take what the process wrote; false if nothing more is to be read."""
        self._rest += part
        if b"\n" in part:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            if not all(self._take(line) for line in lines if line.strip()):
                return False
        if len(self._rest) > MAX_LINE_BYTES:
            return self.lose(_TOO_LONG)
        return True

    def _stopped(self, failure: Exception | None) -> None:
        """Whatever ends the listener ends the process's use."""
        if failure is not None:
            self.lose(f"its output cannot be read: {type(failure).__name__}: {failure}")
        elif not self._lost:
            self.lose(self._end_of("output"))

    def _take(self, line: bytes) -> bool:
        """Hand a line to the call that waits for it; false if nothing more is to be read."""
        if len(line) > MAX_LINE_BYTES:
            return self.lose(_TOO_LONG)
        try:
            message = json.loads(line)
        except RecursionError:
            return self.lose(_TOO_DEEP)
        except ValueError:
            shown = line[:80].decode("utf-8", "replace")
            return self.lose(
                f"it wrote a line that is not JSON: {shown!r}; what it prints for people belongs on stderr"
            )
        if line.count(b"[") + line.count(b"{") > MAX_NESTING and _is_too_deep(message):
            return self.lose(_TOO_DEEP)
        if not isinstance(message, dict):
            return self.lose("it wrote a line that is no JSON object")
        if "method" in message:
            return self._take_call(message, len(line))
        return self._take_answer(message, len(line))

    def _take_answer(self, message: dict[str, Any], size_bytes: int) -> bool:
        number = message.get("id")
        is_number = isinstance(number, int) and not isinstance(number, bool)
        if "error" in message:
            said = _Said("error", message["error"], size_bytes)
        elif "result" in message:
            said = _Said("result", message["result"], size_bytes)
        else:
            said = _Said("error", {"code": INVALID_REQUEST, "message": "neither result nor error"}, size_bytes)
        with self._lock:
            pending = self._pending.pop(number, None) if is_number and isinstance(number, int) else None
            if pending is not None:
                self._waiting_bytes += size_bytes
                pending.said.put(said)
                return True
            is_old = is_number and isinstance(number, int) and 1 <= number <= self._last_id
        if is_old:
            return self._is_borne("answered-twice", f"it answered our call {number} twice")
        return self._is_borne("answered-unasked", f"it answered a call {str(number)[:20]} that we did not make")

    def _take_call(self, message: dict[str, Any], size_bytes: int) -> bool:
        is_request, number = "id" in message, _id_of(message.get("id", 0))
        if number is None:
            return self.lose("it called us with an id that is neither a whole number nor a short text")
        params = message.setdefault("params", {})
        session_id = params.get("session_id") if isinstance(params, dict) else None
        with self._lock:
            if is_request and number in self._asked:
                pending, flaw = None, f"it called us twice with the id {number!r}, before the first was answered"
            else:
                pending = next((each for each in self._pending.values() if each.session_id == session_id), None)
                pending, flaw = (pending, self._flood(pending, size_bytes)) if session_id else (None, "")
            if pending is not None and not flaw:
                pending.messages += 1
                self._waiting_bytes += size_bytes
                if is_request:
                    self._asked.add(number)
                pending.said.put(_Said("request" if is_request else "notice", message, size_bytes))
        if flaw:
            return self.lose(flaw)
        if pending is not None:
            return True
        if is_request:
            refusal = _reply_of(number, None, RpcError(UNKNOWN_SESSION, _NOT_PENDING))
            self._owed.append(json.dumps(refusal).encode("ascii") + b"\n")
            self._pay()
        return self._is_borne("called-out-of-turn", "it called us for a session in which no call was pending")

    def _flood(self, pending: _Pending | None, size_bytes: int) -> str:
        """Return in which way one more message were a flood; empty: it is none."""
        if pending is not None and pending.messages >= MAX_MESSAGES:
            return f"it floods us: more than {MAX_MESSAGES} calls and notices during one call"
        if pending is not None and pending.said.qsize() >= MAX_WAITING:
            return f"it floods us: more than {MAX_WAITING} calls and notices that are not answered yet"
        if self._waiting_bytes + size_bytes > MAX_WAITING_BYTES:
            return f"it floods us: more than {MAX_WAITING_BYTES // 1024**2} MiB that are not answered yet"
        return ""

    def _pay(self) -> None:
        """Write refusals that are owed, if nobody else writes now: each fits into a pipe whole or not at all.

        Only the listener does, so that no call of a process starts a thread or waits for one.
        """
        while self._owed and self._writing.acquire(blocking=False):
            try:
                if not self._input.closed:
                    os.write(self._input.fileno(), self._owed[0])
                self._owed.popleft()
            except BlockingIOError:
                return
            except OSError:  # it has closed its input, which whoever calls it next is told
                self._owed.clear()
            finally:
                self._writing.release()

    def _is_borne(self, label: str, words: str) -> bool:
        """Note a message that belongs to no call; false if there are too many of them."""
        with self._lock:
            self._oddities.setdefault(label, words)
            self._strays += 1
            is_flood = self._strays > MAX_STRAYS
        return not is_flood or self.lose(f"it floods us: more than {MAX_STRAYS} messages that belong to no call")

    def _end_of(self, pipe: str) -> str:
        code = exit_code(self._process, CANCEL_S)
        if code is None:
            return f"it closed its {pipe}"
        return (
            f"its process ended with exit code {code}" if code >= 0 else f"its process ended by {_signal_name(-code)}"
        )

    def lose(self, why: str) -> Literal[False]:
        """Make no more use of the process, for the first reason that is given; who waits for it is told."""
        with self._lock:
            self._lost = self._lost or why
            for pending in self._pending.values():
                pending.said.put(_Said("lost", self._lost))
        return False


def _line_of(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line; numbers that JSON has not, as displays of cells may hold them, become texts."""
    try:
        text = json.dumps(message, ensure_ascii=True, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(json.loads(json.dumps(message, default=str), parse_constant=str))
    return text.encode("ascii") + b"\n"


def _signal_name(number: int) -> str:
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:  # those for programs' own use have no names
        return f"signal {number}"


_NOT_PENDING: Final = "no call of that session is pending"
_TOO_DEEP: Final = f"it wrote a line of JSON that is nested more than {MAX_NESTING} deep"
_TOO_LONG: Final = f"it wrote a line of more than {MAX_LINE_BYTES // 1024**2} MiB"


def _error_of(body: Any) -> RpcError:
    known = body if isinstance(body, dict) else {}
    code = known.get("code")
    return RpcError(
        code if isinstance(code, int) else INTERNAL_ERROR, str(known.get("message", ""))[:2_000], known.get("data")
    )


def _reply_of(number: Any, result: Any, error: RpcError | None) -> dict[str, Any]:
    if error is None:
        return {"jsonrpc": "2.0", "id": number, "result": result}
    return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": error.message}}


def _id_of(value: object) -> int | str | None:
    """Return the id of a call; None if it is none that we take."""
    if isinstance(value, str):
        return value if len(value) <= MAX_ID_CHARS else None
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 64
    return value if is_number and isinstance(value, int) else None


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_NESTING):
        inner: list[object] = []
        for each in level:
            inner += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        if not inner:
            return False
        level = inner
    return True
