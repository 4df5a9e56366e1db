"""A door to one model for agents that bring a client of their own: what passes is measured, and limits are kept.

The agent speaks the OpenAI interface to it, with a key that is good for nothing else; the real key never leaves this
process. One door serves one agent process, which is asked one problem at a time.
"""

import contextlib
import http.client
import json
import logging
import re
import secrets
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.budget import Budget, BudgetSpentError, Spent, price_of
from evaluator.models.exchange import BYTES_PER_TOKEN
from evaluator.models.interfaces import OPENAI
from evaluator.models.metering import DEFAULT_ANSWER_TOKENS, ProblemMeter, PutAside, TokenCounts, token_counts
from evaluator.models.model_settings import ModelSettings
from evaluator.models.proxied_request import ProxiedRequest, RequestRefusedError, read_proxied

MAX_BODY: Final = 32 * 1024 * 1024
"""Bytes of a request, and of an answer that comes whole."""
MAX_LINE: Final = 4 * 1024 * 1024
"""Bytes of one line of a streamed answer."""
MAX_CALLS: Final = 32
"""Requests that a door passes on at a time."""
MAX_CONNECTIONS: Final = 128
"""Connections that a door holds at a time, idle ones among them."""
PATIENCE_S: Final = 30.0
"""Seconds between parts of a request, between requests of a connection, and until a part of an answer is read."""
SHORTEST_KEY: Final = 16
"""Characters of a key that is a secret: what local endpoints are given ("EMPTY") may be a word of an answer."""
_PATHS: Final = ("/chat/completions", "/completions", "/embeddings", "/models")
_BROKEN: Final = "the model endpoint's answer broke off"
_ENDS: Final = re.compile(rb'"finish_reason"\s*:\s*"')  # in a line of a stream, of which some have no [DONE]
_FAULTS: Final = (401, 402, 403, 404, 408, 425, 429)  # HTTP statuses that are no fault of who asks, as 5xx are
_PART: Final = 65_536
_BUSY: Final = b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_log: Final = logging.getLogger(__name__)


def refuse_other_interfaces(settings: ModelSettings, where: str = "--agent-model") -> None:
    """Refuse models of other interfaces: requests of processes are handed on as they are.

    Args:
        settings: Of the model.
        where: It is named.

    Raises:
        UsageError: If the model is not behind an OpenAI-compatible endpoint.
    """
    if settings.interface is not OPENAI:
        what = f"processes reach models over OpenAI's interface, and {settings.model!r} is behind another"
        raise UsageError(what, where=where, fix="name a model behind an OpenAI-compatible endpoint")


class ModelProxy:
    """Serves one agent process, over a socket in the file system or on loopback."""

    def __init__(self, settings: ModelSettings, *, purse: Budget | None = None, place: Path | None = None) -> None:
        """Listen; nothing passes until calls are counted for a problem.

        Args:
            settings: Which model, where.
            purse: The run's budget; None: there is no limit.
            place: Of the socket; None: a port on loopback.

        Raises:
            ToolkitError: If there is no key, or nothing can listen there.
            UsageError: If the model's interface is not the one that is served.
        """
        refuse_other_interfaces(settings)
        key = settings.interface.key()
        if not key.isascii() or not key.isprintable():  # else an error of http.client would show it
            fix = f"set {settings.interface.key_variables[0]} to a key alone"
            raise ToolkitError("the key holds what no key may hold", where=settings.host, fix=fix)
        self.settings = settings
        self.token = f"benchwright-{secrets.token_hex(16)}"
        self.purse = purse
        self.passing = threading.BoundedSemaphore(MAX_CALLS)
        self.reading = threading.Lock()  # one request is parsed at a time: parsed, it may be many times as large
        self._key = key
        self._price = price_of(settings.model)
        self._lock = threading.Lock()
        self._meter: ProblemMeter | None = None
        self.is_closed = False  # nothing passes any more
        self._upstream: set[socket.socket] = set()
        try:
            self._server = _UnixServer(str(place), self) if place is not None else _LoopbackServer(self)
        except OSError as error:
            what = f"nothing can listen for the agent's model: {error.strerror or error}"
            raise ToolkitError(what, where=str(place or "loopback"), fix="check the temporary folder") from error
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    @property
    def port(self) -> int | None:
        """Where it listens on loopback; None: it has a socket in the file system."""
        address = self._server.server_address
        return int(address[1]) if isinstance(address, tuple) else None

    @contextlib.contextmanager
    def counting(self, meter: ProblemMeter) -> Iterator[None]:
        """Let calls pass, and count them for a problem; before and after nothing passes."""
        with self._lock:
            self._meter = meter
        try:
            yield
        finally:
            with self._lock:
                self._meter = None

    def close(self) -> None:
        """Stop listening, and end all connections on both sides; a pending call takes what was put aside for it."""
        self._server.shutdown()
        self._server.server_close()
        with self._lock:
            self.is_closed = True
            upstream = list(self._upstream)
        self._server.end_connections()
        for connection in upstream:
            _end(connection)

    def admit(self, request: ProxiedRequest) -> "_Call | _Refusal":
        """Put aside what a call may take, or say why it is refused."""
        with self._lock:
            meter = self._meter
        if meter is None:
            return _Refusal(403, "the model may be asked only while a problem is to be solved")
        aside = meter.put_aside(request.prompt, request.answer)
        if isinstance(aside, str):
            return _Refusal(429, aside)
        answer = DEFAULT_ANSWER_TOKENS if request.answer is None else request.answer
        cost = self._price.cost(aside.prompt, answer) if self._price else 0.0
        paid = Spent(aside.prompt + answer, cost)
        if self.purse is not None:
            try:
                self.purse.reserve(paid)
            except ToolkitError as error:
                meter.take_back(aside)
                meter.end_run(error)
                return _Refusal(429 if isinstance(error, BudgetSpentError) else 503, error.what)
        return _Call(self, meter, aside, paid)

    def settle(self, call: "_Call", told: TokenCounts | None, least: int) -> None:
        """Count what a call took; None: the endpoint did not tell, and what was put aside is taken."""
        cost = self._price.cost(*told) if self._price and told is not None else None
        tokens = call.meter.settle(call.aside, told, least=least, cost=cost)
        if self.purse is None:
            return
        spent = Spent(tokens, cost or 0.0)
        if told is None:
            guess = self._price.cost(call.aside.prompt, max(call.aside.answer, least)) if self._price else 0.0
            spent = Spent(max(tokens, call.paid.tokens), max(guess, call.paid.cost))
        try:
            self.purse.settle(call.paid, spent)
        except ToolkitError as error:
            call.meter.end_run(error)

    @contextlib.contextmanager
    def upstream(self) -> Iterator[tuple[http.client.HTTPConnection, str]]:
        """Yield a connection to the endpoint, and the path below which its interface lies."""
        parts = urlsplit(self.settings.base_url or "https://api.openai.com/v1")
        host, patience = str(parts.hostname), self.settings.timeout_s
        connection: http.client.HTTPConnection
        if parts.scheme == "https":
            safely = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, parts.port, timeout=patience, context=safely)
        else:
            connection = http.client.HTTPConnection(host, parts.port, timeout=patience)
        with contextlib.closing(connection):
            connection.connect()
            opened: socket.socket = connection.sock  # the connection forgets it where an answer ends with its socket
            with self._lock:
                if self.is_closed:
                    raise ConnectionAbortedError
                self._upstream.add(opened)
            try:
                yield connection, parts.path.rstrip("/")
            finally:
                with self._lock:
                    self._upstream.discard(opened)

    @property
    def authorization(self) -> str:
        """What the endpoint wants to read."""
        return f"Bearer {self._key}"

    def without_key(self, body: bytes) -> bytes:
        """Return what the endpoint says, without the real key, which errors of some endpoints repeat."""
        is_secret = len(self._key) >= SHORTEST_KEY
        return body.replace(self._key.encode(), b"[the key of the endpoint]") if is_secret else body


@dataclass
class _Call:
    """One call that passes, and is counted once."""

    proxy: ModelProxy
    meter: ProblemMeter
    aside: PutAside
    paid: Spent  # put aside in the run's budget
    is_settled: bool = False

    def note(self, fault: str) -> None:
        """Note what the endpoint failed with; "": it did not fail. What ends with this door is no failure of its."""
        if not self.proxy.is_closed:
            self.meter.note(self.aside, fault)

    def settle(self, told: TokenCounts | None, least: int = 0) -> None:
        if not self.is_settled:
            self.is_settled = True
            self.proxy.settle(self, told, least)


class _Refusal(NamedTuple):
    """Why a call does not pass, and with which HTTP status that is said."""

    status: int
    why: str


class _Serving(socketserver.ThreadingMixIn, socketserver.BaseServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = MAX_CONNECTIONS

    def hold(self, proxy: ModelProxy) -> None:
        """Note whose connections these are, before the first comes."""
        self.proxy = proxy
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, or refuse it where there are too many."""
        with self._lock:
            is_full = len(self._open) >= MAX_CONNECTIONS
            if not is_full:
                self._open.add(request)
        if not is_full:
            super().process_request(request, client_address)
            return
        with contextlib.suppress(OSError):
            request.setblocking(False)
            request.send(_BUSY)
            request.recv(_PART)  # what is left unread takes the answer away
        self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection, and end it."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """End what is open: nobody waits for it any more."""
        with self._lock:
            for request in self._open:
                _end(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - as the base class has it
        """Note what went wrong with a connection; most often its client has left."""
        _log.debug("event=model_door_failed", exc_info=True)


class _LoopbackServer(_Serving, socketserver.TCPServer):
    def __init__(self, proxy: ModelProxy) -> None:
        self.hold(proxy)
        super().__init__(("127.0.0.1", 0), _Handler)


class _UnixServer(_Serving, socketserver.UnixStreamServer):
    def __init__(self, place: str, proxy: ModelProxy) -> None:
        self.hold(proxy)
        super().__init__(place, _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        request, _ = super().get_request()
        return request, ("agent", 0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE_S
    server: _LoopbackServer | _UnixServer
    has_begun = False  # to answer

    def handle_one_request(self) -> None:
        self.has_begun = False
        super().handle_one_request()

    def do_GET(self) -> None:
        path = self._entered()
        if path == "/models":
            listed = {"object": "list", "data": [{"id": self.server.proxy.settings.model, "object": "model"}]}
            self._answer(200, json.dumps(listed).encode())
        elif path is not None:
            self._refuse(405, f"{path} is to be asked with POST")

    def do_POST(self) -> None:
        lengths = self.headers.get_all("Content-Length", [])
        length = lengths[0] if len(lengths) == 1 and "Transfer-Encoding" not in self.headers else ""
        if not (length.isascii() and length.isdigit()):
            self._refuse(411, "a request must say its length (Content-Length)", ends=True)
        elif len(length) > 12 or int(length) > MAX_BODY:
            self._refuse(413, f"a request may have {MAX_BODY} bytes at most", ends=True)
        else:
            self._pass_on(int(length))

    def _pass_on(self, length: int) -> None:
        path, passing = self._entered(length), self.server.proxy.passing
        if path is None:
            return
        if path == "/models":
            self._discard(length)
            self._refuse(405, f"{path} is to be asked with GET")
        elif not passing.acquire(blocking=False):
            self._discard(length)
            self._refuse(429, f"at most {MAX_CALLS} requests are passed on at a time", retry="1")
        else:
            try:
                self._ask(path, length)
            finally:
                passing.release()

    def _entered(self, length: int = 0) -> str | None:
        """Return which of its paths a request names; None: it is refused, for it has no key or names none."""
        try:
            path = urlsplit(self.path).path.removeprefix("/v1")
        except ValueError:
            path = ""
        if self.headers.get_all("Authorization", []) != [f"Bearer {self.server.proxy.token}"]:
            self._discard(length)
            self._refuse(401, "this door opens with the key that the agent was given")
        elif path not in _PATHS:
            self._discard(length)
            self._refuse(404, f"only {', '.join(_PATHS)} lead to the model")
        else:
            return path
        return None

    def _discard(self, length: int) -> None:
        while length > 0 and (part := self.rfile.read(min(length, _PART))):
            length -= len(part)

    def _ask(self, path: str, length: int) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        try:
            with proxy.reading:
                request = read_proxied(body, proxy.settings.model, is_embedding=path == "/embeddings")
        except RequestRefusedError as error:
            self._refuse(400, str(error))
            return
        call = proxy.admit(request)
        if isinstance(call, _Refusal):
            self._refuse(call.status, call.why)
            return
        untold: TokenCounts | None = TokenCounts()  # nothing was asked yet
        try:
            with proxy.upstream() as (connection, base):
                untold = None
                headers = {"Authorization": proxy.authorization, "Content-Type": "application/json"}
                connection.request("POST", base + path, request.body, headers)
                self._relay(connection.getresponse(), call, request, path)
        except (OSError, http.client.HTTPException) as error:
            why = f"the model endpoint cannot be reached: {type(error).__name__}"
            if not call.is_settled:  # else its answer is whole, and what fails belongs to its end
                call.note(why)
            call.settle(untold)
            self._refuse(502, why, ends=True)
        finally:
            call.settle(untold)

    def _relay(self, response: http.client.HTTPResponse, call: _Call, request: ProxiedRequest, path: str) -> None:
        """Pass an answer on; what it took is counted before its end is there to be read."""
        is_absent = response.status == 404 and path != "/chat/completions"  # many endpoints have only that one
        is_redirect = 300 <= response.status < 400
        is_fault = is_redirect or response.status >= 500 or (response.status in _FAULTS and not is_absent)
        call.note(f"the model endpoint answered with {response.status} {response.reason}" if is_fault else "")
        if "event-stream" in response.headers.get("Content-Type", ""):
            self._relay_stream(response, call, request)
            return
        body = response.read(MAX_BODY + 1)
        if len(body) <= MAX_BODY and response.length:
            raise http.client.IncompleteRead(b"", response.length)
        too_long = f"the model endpoint's answer has more than {MAX_BODY} bytes" if len(body) > MAX_BODY else ""
        if too_long:
            call.note(too_long)
        call.settle(_told(body) or _untold(response), len(body) // BYTES_PER_TOKEN)
        if too_long:
            self._refuse(502, too_long)
        elif is_redirect:
            self._refuse(502, "the model endpoint redirects to another place, which is not followed")
        else:
            retry = response.headers.get("Retry-After", "")
            said = call.proxy.without_key(body)
            self._answer(response.status, said, retry=retry if retry.isascii() and retry.isdigit() else None)

    def _relay_stream(self, response: http.client.HTTPResponse, call: _Call, request: ProxiedRequest) -> None:
        """Pass lines on as they come; they are read to the end, and counted, even where the client has left."""
        told, events, is_skipped, is_whole = None, 0, False, not 200 <= response.status < 300
        is_read = self._begin(response.status, {"Content-Type": "text/event-stream", "Connection": "close"})
        try:
            while line := response.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    break
                if line.startswith(b"data:"):
                    events += 1
                    told = _told(line[5:]) or told  # some tell it with every part: the last counts
                    is_whole = is_whole or line[5:].strip() == b"[DONE]" or _ENDS.search(line) is not None
                    is_skipped = not request.wants_usage and _is_usage_alone(line[5:])
                    if line[5:].strip() == b"[DONE]":
                        call.settle(told or _untold(response), events)
                if is_read and not is_skipped:
                    is_read = self._write(call.proxy.without_key(line))
        finally:
            if not is_whole:
                call.note(_BROKEN)
            call.settle(told or _untold(response), events)

    def _answer(self, status: int, body: bytes, *, retry: str | None = None, ends: bool = False) -> None:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        headers |= {"Retry-After": retry} if retry else {}
        headers |= {"Connection": "close"} if ends else {}
        if self._begin(status, headers):
            self._write(body)

    def _begin(self, status: int, headers: dict[str, str]) -> bool:
        """Send the head of an answer, unless one was sent; return whether the client is there to read on."""
        self.close_connection = self.close_connection or headers.get("Connection") == "close" or self.has_begun
        if self.has_begun:
            return False
        self.has_begun = True
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        try:
            self.end_headers()
        except OSError:
            self.close_connection = True
            return False
        return True

    def _write(self, part: bytes) -> bool:
        try:
            self.wfile.write(part)
        except OSError:
            self.close_connection = True
            return False
        return True

    def _refuse(self, status: int, why: str, *, retry: str | None = None, ends: bool = False) -> None:
        error = {"error": {"message": why, "type": "benchwright", "code": None}}
        self._answer(status, json.dumps(error).encode(), retry=retry, ends=ends)

    def log_message(self, *_: Any) -> None:  # pyrefly: ignore[bad-override]  # never called by name
        """Write no access log."""


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _told(body: bytes) -> TokenCounts | None:
    return token_counts(_parsed(body).get("usage")) if b'"usage"' in body else None


def _untold(response: http.client.HTTPResponse) -> TokenCounts | None:
    """Return what an answer took that tells no tokens: a refusal nothing, and of others nobody knows."""
    return None if 200 <= response.status < 300 else TokenCounts()


def _is_usage_alone(body: bytes) -> bool:
    return b'"usage"' in body and _parsed(body).get("choices") == [] and _told(body) is not None
