"""The lines between us and an agent's process: JSON-RPC 2.0, one object a line, both sides may call.

Whatever the process does with its lines is the process's fault and ends it; nothing that it writes can hold us up.
"""

import contextlib
import json
import os
import queue
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
MAX_WAITING: Final = 1_000  # messages of a process that nobody has read yet, from which on it is flooding us
MAX_NESTING: Final = 200
MAX_PROGRESS: Final = 10_000  # notices during one call
CANCEL_S: Final = 5.0  # within which a cancelled call returns

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNKNOWN_SESSION, BUDGET_SPENT, CAPABILITY_OFF, SESSION_DEAD, CANCELLED = -32001, -32002, -32003, -32004, -32005


class RpcError(Exception):
    """An error as JSON-RPC tells it: by the other side, or by us to it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
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


Serve = Callable[[str, Mapping[str, Any]], Any]
"""Answers a call of the process with a JSON value, or raises `RpcError`."""


@dataclass
class _Pending:
    session_id: str
    said: "queue.SimpleQueue[_Said]" = field(default_factory=queue.SimpleQueue)
    notices: int = 0


class AgentChannel:
    """Calls a process and answers its calls. Calls of different sessions may be pending at once."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        """Take over the pipes of a process and listen to it from now on."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input = process.stdin.fileno()
        self._output = process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._last_id = 0
        self._lost = ""
        self.oddities: list[str] = []  # labels of what was wrong with its lines without ending it
        self._listener = threading.Thread(target=self._listen, daemon=True, name="agent-channel")
        self._listener.start()

    @property
    def lost(self) -> str:
        """Why the process is of no more use; empty while it is."""
        return self._lost

    def join(self, seconds: float) -> None:
        """Wait until everything that an ended process wrote is read."""
        self._listener.join(seconds)

    def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_s: float,
        session_id: str = "",
        serve: Serve | None = None,
    ) -> Any:
        """Call a method of the process and return its result; meanwhile answer calls of its session.

        Args:
            method: Its name.
            params: JSON values.
            timeout_s: What the process may take (s), without what we take to answer its calls.
            session_id: Whose calls are answered meanwhile.
            serve: Answers them; None: it may make none.

        Raises:
            RpcError: If it answers with an error.
            CancelledError: If it took too long, and returned when it was told.
            ProcessLostError: If it is of no more use, a `LateError` if it is that for taking too long.
        """
        pending = _Pending(session_id)
        with self._lock:
            self._last_id += 1
            number = self._last_id
            self._pending[number] = pending
        try:
            deadline = time.monotonic() + timeout_s
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, deadline, timeout_s)
            return self._wait(pending, deadline, timeout_s, serve)
        finally:
            with self._lock:
                self._pending.pop(number, None)

    def notify(self, method: str, params: Mapping[str, Any], *, timeout_s: float = CANCEL_S) -> None:
        """Tell the process something; it does not answer.

        Raises:
            ProcessLostError: If it is of no more use.
        """
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self._send(message, time.monotonic() + timeout_s, timeout_s)

    def _wait(self, pending: _Pending, deadline: float, timeout_s: float, serve: Serve | None) -> Any:
        is_cancelled = False
        while True:
            try:
                if self._lost and pending.said.empty():
                    raise ProcessLostError(self._lost)
                said = pending.said.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                if is_cancelled or not pending.session_id:
                    raise LateError(f"it did not answer within {timeout_s:g} s") from None
                is_cancelled, deadline = True, time.monotonic() + CANCEL_S
                self.notify("cancel", {"session_id": pending.session_id})
                continue
            if said.kind == "lost":
                raise ProcessLostError(str(said.body))
            if said.kind in ("result", "error") and is_cancelled:
                raise CancelledError(f"it did not answer within {timeout_s:g} s")
            if said.kind == "error":
                raise _error_of(said.body)
            if said.kind == "result":
                return said.body
            started = time.monotonic()
            self._answer(said, None if is_cancelled else serve, is_cancelled=is_cancelled)
            deadline += time.monotonic() - started

    def _answer(self, said: _Said, serve: Serve | None, *, is_cancelled: bool) -> None:
        """Answer a call of the process, or take notice."""
        body = said.body
        params = body.get("params", {})
        try:
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, "params must be an object")
            if serve is None:
                code = CANCELLED if is_cancelled else CAPABILITY_OFF
                raise RpcError(code, "the call is cancelled" if is_cancelled else "nothing can be called now")
            result = serve(str(body["method"]), params)
        except RpcError as error:
            if said.kind == "request":
                self._reply(body["id"], error=error)
            return
        if said.kind == "request":
            self._reply(body["id"], result=result)

    def _reply(self, number: Any, *, result: Any = None, error: RpcError | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        if error is None:
            message["result"] = result
        else:
            message["error"] = {"code": error.code, "message": error.message}
        self._send(message, time.monotonic() + 4 * CANCEL_S, 4 * CANCEL_S)

    def _send(self, message: Mapping[str, Any], until: float, timeout_s: float) -> None:
        data = json.dumps(message, ensure_ascii=True, allow_nan=False, default=str).encode("ascii") + b"\n"
        with self._writing, selectors.DefaultSelector() as selector:
            if self._lost:
                raise ProcessLostError(self._lost)
            selector.register(self._input, selectors.EVENT_WRITE)
            rest = memoryview(data)
            while rest:
                if not selector.select(max(0.0, until - time.monotonic())):
                    self._lose(f"it did not read its input within {timeout_s:g} s")
                    raise LateError(self._lost)
                try:
                    rest = rest[os.write(self._input, rest[:65_536]) :]
                except (BrokenPipeError, OSError) as error:
                    self._lose(self._ended())
                    raise ProcessLostError(self._lost) from error

    def _listen(self) -> None:
        """Read lines until there are no more, or one that cannot be."""
        rest = bytearray()
        while True:
            try:
                part = os.read(self._output, 1 << 20)
            except OSError:
                part = b""
            if not part:
                self._lose(self._ended())
                return
            start = len(rest)
            rest += part
            if b"\n" in part:
                *lines, tail = bytes(rest).split(b"\n")
                rest = bytearray(tail)
                for line in lines:
                    if len(line) > MAX_LINE_BYTES:
                        self._lose(_TOO_LONG)
                        return
                    if line.strip() and not self._take(line):
                        return
            elif start + len(part) > MAX_LINE_BYTES:
                self._lose(_TOO_LONG)
                return

    def _take(self, line: bytes) -> bool:
        """Hand a line to the call that waits for it; false if nothing more is to be read."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            shown = line[:80].decode("utf-8", "replace")
            self._lose(f"it wrote a line that is no JSON: {shown!r}; what it prints for people belongs on stderr")
            return False
        if not isinstance(message, dict):
            self._lose("it wrote a line that is no JSON object")
            return False
        if "method" in message:
            return self._take_call(message)
        number = message.get("id")
        with self._lock:
            is_known = isinstance(number, int) and not isinstance(number, bool)
            pending = self._pending.pop(number, None) if is_known and isinstance(number, int) else None
        if pending is None:
            self._note("answered-twice")
        elif "error" in message:
            pending.said.put(_Said("error", message["error"]))
        elif "result" in message:
            pending.said.put(_Said("result", message["result"]))
        else:
            pending.said.put(_Said("error", {"code": INVALID_REQUEST, "message": "neither result nor error"}))
        return True

    def _take_call(self, message: dict[str, Any]) -> bool:
        is_request = "id" in message
        params = message.get("params")
        session_id = params.get("session_id") if isinstance(params, dict) else None
        with self._lock:
            pending = next((each for each in self._pending.values() if each.session_id == session_id), None)
        if pending is None or not session_id:
            self._note("called-out-of-turn")
            if is_request:
                error = RpcError(UNKNOWN_SESSION, "no call of that session is pending")
                threading.Thread(target=self._reply_quietly, args=(message["id"], error), daemon=True).start()
            return True
        pending.notices += 1
        if pending.said.qsize() > MAX_WAITING or pending.notices > MAX_PROGRESS:
            self._lose("it floods us with messages")
            return False
        pending.said.put(_Said("request" if is_request else "notice", message))
        return True

    def _reply_quietly(self, number: Any, error: RpcError) -> None:
        with contextlib.suppress(ProcessLostError):
            self._reply(number, error=error)

    def _note(self, what: str) -> None:
        if what not in self.oddities:
            self.oddities.append(what)

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(CANCEL_S)
            return f"its process ended with exit code {code}" if code >= 0 else f"its process ended by signal {-code}"
        return "it closed its output"

    def _lose(self, why: str) -> None:
        with self._lock:
            self._lost = self._lost or why
            waiting = list(self._pending.values())
        for pending in waiting:
            pending.said.put(_Said("lost", self._lost))


_TOO_LONG: Final = f"it wrote a line of more than {MAX_LINE_BYTES // 1024**2} MiB"


def _error_of(body: Any) -> RpcError:
    known = body if isinstance(body, dict) else {}
    code = known.get("code")
    return RpcError(code if isinstance(code, int) else INTERNAL_ERROR, str(known.get("message", ""))[:2_000])
