"""Write an agent for Benchwright in Python 3.8 or newer. One file, standard library only: copy it beside your agent.

    from benchwright_agent import serve

    def solve(request, tools):
        seen = tools.execute("df.columns.tolist()")     # on a scratch copy of the session, if you like
        return "df['price'].mean()"                     # the code that is judged

    serve(solve, name="my-agent")

`request` is what the protocol calls `solve`, as a dictionary: `query`, `history` (cells with `source`, `query`,
`outputs`), `variables` (`name`, `type`, `text`), `files`, `limits`, `attempt`; of later attempts also `code` and
`feedback`. Return code, or a dictionary with `code`, `status` (ok, gave_up, refused, error), `text`, `usage`, `trace`,
`labels`. What you print goes to the log. An exception is your agent's failure at that problem, and no more.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading
import time
import traceback
from typing import Any, Callable, Iterable

PROTOCOL = 1
CANCELLED = -32005
CANCEL_S = 2.0  # that an agent has to hear that a call is cancelled


class RefusedError(Exception):
    """Benchwright refuses what was asked: `code` is -32002 when the executions are used up, -32005 when cancelled."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Tools:
    """What an agent may ask while it solves one problem."""

    def __init__(self, connection: _Connection, session_id: str) -> None:
        self._connection = connection
        self._session_id = session_id

    def execute(self, code: str, scope: str = "scratch", timeout_s: float | None = None) -> dict[str, Any]:
        """Execute code; return `status`, `outputs`, `error` (`ename`, `evalue`, `traceback`), `seconds`, `text`.

        With scope "scratch" it runs on a copy of the session that builds up and is never judged; with "live" (only if
        the agent submits a session) in the session that is.
        """
        told = {"session_id": self._session_id, "code": code, "scope": scope, "timeout_s": timeout_s}
        execution: dict[str, Any] = self._connection.call("execute", told)
        execution["text"] = output_text(execution)
        return execution

    def inspect(self, encoding: str = "brief", names: list[str] | None = None) -> list[dict[str, str]]:
        """Return the session's variables as a list of `name`, `type`, `text`."""
        told = {"session_id": self._session_id, "encoding": encoding, "names": names}
        found: list[dict[str, str]] = self._connection.call("inspect", told)["variables"]
        return found

    def progress(self, text: str) -> None:
        """Tell what the agent is at."""
        self._connection.notify("progress", {"session_id": self._session_id, "text": text})


def output_text(execution: dict[str, Any]) -> str:
    """Return what an execution printed and showed, or its traceback, as one text."""
    parts: list[str] = []
    for output in execution["outputs"]:
        if output["output_type"] == "stream":
            parts.append(output["text"])
        elif isinstance(output.get("data", {}).get("text/plain"), str):
            parts.append(output["data"]["text/plain"] + "\n")
    if execution["error"]:
        parts.append(execution["error"]["traceback"])
    return "".join(parts)


def serve(
    agent: Any,
    name: str | None = None,
    version: str = "1",
    submits: str = "code",
    variables: str = "brief",
    history: str = "code+outputs",
    max_sessions: int = 1,
    files: bool = True,
) -> None:
    """Answer Benchwright until it closes our input.

    `agent` is a function `solve(request)` or `solve(request, tools)`, or an object with `solve` and, if it likes,
    `retry` (later attempts), `initialize(run)`, `start(session)`, `end(session_id)` and `cancel(session_id)`, after
    which nobody waits for the answer. With `max_sessions` above 1 it is called from several threads. Where it submits
    "text", what it returns as a text is its answer in prose, not code.
    """
    solve = getattr(agent, "solve", agent)
    submits = str(getattr(agent, "submits", submits))
    card = {
        "name": name or getattr(agent, "name", None) or getattr(agent, "__name__", type(agent).__name__),
        "version": str(getattr(agent, "version", version)),
        "submits": submits,
        "variables": variables,
        "history": history,
        "files": files,
        "retry": True,
        "stateful": hasattr(agent, "start"),
        "max_sessions": max_sessions,
    }
    connection = _Connection()

    def initialize(params: dict[str, Any]) -> dict[str, Any]:
        getattr(agent, "initialize", _nothing)(params)
        return {"protocol": PROTOCOL, "agent": card}

    def start(params: dict[str, Any]) -> dict[str, Any]:
        getattr(agent, "start", _nothing)(params)
        return {}

    def end(params: dict[str, Any]) -> dict[str, Any]:
        getattr(agent, "end", _nothing)(params["session_id"])
        return {}

    connection.serve(
        {
            "initialize": initialize,
            "session/start": start,
            "session/end": end,
            "shutdown": lambda _: {},
            "solve": lambda params: _submission(_called(solve, params, connection), submits),
            "retry": lambda params: _submission(_called(getattr(agent, "retry", solve), params, connection), submits),
        },
        cancelled=getattr(agent, "cancel", _nothing),
    )


def _nothing(_: object) -> None:
    """Stand for a method that an agent does not have."""


def _called(function: Callable[..., Any], params: dict[str, Any], connection: _Connection) -> Any:
    tools = Tools(connection, params["session_id"])
    try:
        inspect.signature(function).bind(params, tools)
    except TypeError:
        return function(params)
    return function(params, tools)


def _submission(answer: Any, submits: str) -> dict[str, Any]:
    if isinstance(answer, str):
        return {"status": "ok", "text" if submits == "text" else "code": answer}
    if isinstance(answer, dict):
        return {"status": "ok", **answer}
    message = "the agent returned %s, neither code nor a dictionary" % type(answer).__name__
    return {"status": "error", "error": {"kind": "agent", "message": message}}


def _in_time(cancelled: Callable[[str], Any], sessions: Iterable[str]) -> None:
    """Tell the agent that sessions are cancelled, and wait a little until it has heard."""
    told = [threading.Thread(target=cancelled, args=(session,), daemon=True) for session in sessions]
    for each in told:
        each.start()
    until = time.monotonic() + CANCEL_S
    for each in told:
        each.join(max(0.0, until - time.monotonic()))


class _Connection:
    """JSON-RPC over the descriptors that were standard input and output; `print` goes to standard error from now on."""

    def __init__(self) -> None:
        self._lines = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()
        self._waiting: dict[Any, list[Any]] = {}
        self._open: dict[Any, Any] = {}  # id of a call that we are asked -> session
        self._last_id = 0

    def call(self, method: str, params: dict[str, Any]) -> Any:
        with self._lock:
            self._last_id += 1
            number = "a%d" % self._last_id
            arrived: list[Any] = [threading.Event(), None, params["session_id"]]
            self._waiting[number] = arrived
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        arrived[0].wait()
        answer = arrived[1]
        if "error" in answer:
            raise RefusedError(answer["error"].get("code"), answer["error"].get("message"))
        return answer["result"]

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def serve(
        self, handlers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]], cancelled: Callable[[str], Any]
    ) -> None:
        for line in self._lines:
            message = json.loads(line.decode("utf-8"))
            if "method" not in message:
                self._arrive(message.get("id"), message)
            elif message["method"] == "cancel":
                session = message["params"]["session_id"]
                with self._lock:  # from here on nobody else answers these
                    asked = [number for number, each in self._open.items() if each == session]
                    for number in asked:
                        del self._open[number]
                if asked:
                    threading.Thread(target=self._cancel, args=(session, asked, cancelled), daemon=True).start()
            elif "id" in message:
                with self._lock:
                    self._open[message["id"]] = message.get("params", {}).get("session_id")
                threading.Thread(target=self._answer, args=(handlers, message), daemon=True).start()
        with self._lock:
            left = {session for session in self._open.values() if session is not None}
        _in_time(cancelled, left)
        os._exit(0)

    def _arrive(self, number: Any, message: dict[str, Any]) -> None:
        with self._lock:
            arrived = self._waiting.pop(number, None)
        if arrived is not None:
            arrived[1] = message
            arrived[0].set()

    def _cancel(self, session_id: str, asked: list[Any], cancelled: Callable[[str], Any]) -> None:
        """Answer what was asked in a session in place of the agent, whatever the agent is at.

        The agent is told before, so that what it ends then belongs to this call: the next comes after our answer.
        """
        _in_time(cancelled, [session_id])
        error = {"code": CANCELLED, "message": "the call was cancelled"}
        with self._lock:
            waiting = [number for number, arrived in self._waiting.items() if arrived[2] == session_id]
        for number in waiting:
            self._arrive(number, {"error": error})
        for number in asked:
            self._write({"jsonrpc": "2.0", "id": number, "error": error})

    def _answer(self, handlers: dict[str, Any], message: dict[str, Any]) -> None:
        handler = handlers.get(message["method"])
        if handler is None:
            error = {"code": -32601, "message": "there is no method %r" % message["method"]}
            self._reply(message["id"], {"error": error})
            return
        try:
            answer = {"result": handler(message.get("params", {}))}
            json.dumps(answer)
        except BaseException as raised:
            traceback.print_exc()
            told = {"kind": "agent", "message": "%s: %s" % (type(raised).__name__, raised)}
            answer = {"result": {"status": "error", "error": told}}
            if message["method"] not in ("solve", "retry"):
                answer = {"error": {"code": -32603, "message": told["message"]}}
        self._reply(message["id"], answer)

    def _reply(self, number: Any, answer: dict[str, Any]) -> None:
        with self._lock:
            if number not in self._open:  # it was cancelled meanwhile
                return
            del self._open[number]
        self._write({"jsonrpc": "2.0", "id": number, **answer})

    def _write(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode("utf-8") + b"\n"
        with self._lock:
            while data:
                data = data[self._out.write(data) :]
