"""A door to one model for agents that bring a client of their own: what passes is measured, and limits are kept.

The agent speaks the OpenAI interface to it, with a key that is good for nothing else; the real key never leaves this
process.
"""

import contextlib
import http.client
import json
import secrets
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from evaluator.errors import ToolkitError, UsageError
from evaluator.models.budget import Budget, BudgetSpentError, Spent, price_of
from evaluator.models.exchange import BYTES_PER_TOKEN
from evaluator.models.interfaces import OPENAI
from evaluator.models.model_settings import ModelSettings

MAX_BODY: Final = 32 * 1024 * 1024
_PATHS: Final = ("/chat/completions", "/completions", "/embeddings", "/models")
_PART: Final = 65_536


@dataclass(frozen=True)
class ProxyLimits:
    """What an agent may ask of the model at one problem; None: no limit."""

    calls: int | None = None  # count
    tokens: int | None = None  # prompt and completion together


@dataclass
class ProxyUsage:
    """What was asked since it was last set back."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    calls: int = 0
    cost: float | None = None
    unknown: int = 0  # calls of which the endpoint told no tokens (count)

    def to_json(self) -> dict[str, Any]:
        """Return what a record's statistics hold; tokens that nobody told are left out."""
        told: dict[str, Any] = {"calls": self.calls, "usage_source": "measured"}
        if not self.unknown:
            told |= {
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.completion_tokens,
                "cached_tokens": self.cached_tokens,
            }
        return {**told, "cost": self.cost} if self.cost is not None else told


def refuse_other_interfaces(settings: ModelSettings) -> None:
    """Refuse models of other interfaces: requests of processes are handed on as they are.

    Raises:
        UsageError: If the model is not behind an OpenAI-compatible endpoint.
    """
    if settings.interface is not OPENAI:
        what = f"processes reach models over OpenAI's interface, and {settings.model!r} is behind another"
        raise UsageError(what, where="--agent-model", fix="name a model behind an OpenAI-compatible endpoint")


class ModelProxy:
    """Serves one agent process, over a socket in the file system or on loopback."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        limits: ProxyLimits | None = None,
        purse: Budget | None = None,
        place: Path | None = None,
    ) -> None:
        """Listen.

        Args:
            settings: Which model, where.
            limits: At each problem.
            purse: The run's budget; None: there is no limit.
            place: Of the socket; None: a port on loopback.

        Raises:
            ToolkitError: If there is no key, or nothing can listen there.
            UsageError: If the model's interface is not the one that is served.
        """
        refuse_other_interfaces(settings)
        key = settings.interface.key()
        self.settings = settings
        self.token = f"benchwright-{secrets.token_hex(16)}"
        self.limits = limits or ProxyLimits()
        self.purse = purse
        self._key = key
        self._price = price_of(settings.model)
        self._lock = threading.Lock()
        self._usage = ProxyUsage()
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

    def reset(self) -> None:
        """Count from zero, for the next problem."""
        with self._lock:
            self._usage = ProxyUsage()

    def usage(self) -> ProxyUsage:
        """Return what was asked since."""
        with self._lock:
            return ProxyUsage(**vars(self._usage))

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def admit(self, prompt_bytes: int, most_tokens: int) -> Spent | str:
        """Return what is put aside for a call, or why it is refused."""
        with self._lock:
            if self.limits.calls is not None and self._usage.calls >= self.limits.calls:
                return f"the {self.limits.calls} calls of the model that this problem allows are used up"
            used = self._usage.prompt_tokens + self._usage.completion_tokens
            if self.limits.tokens is not None and used >= self.limits.tokens:
                return f"the {self.limits.tokens} tokens that this problem allows are used up"
            self._usage.calls += 1
        prompt = prompt_bytes // BYTES_PER_TOKEN
        cost = self._price.cost(prompt, most_tokens) if self._price else 0.0
        if self.purse is None:
            return Spent()
        try:
            return self.purse.reserve(Spent(prompt + most_tokens, cost))
        except BudgetSpentError as error:
            return error.what

    def settle(self, aside: Spent, usage: Mapping[str, Any] | None) -> None:
        """Count what a call took; None: the endpoint did not tell."""
        counts = [_count((usage or {}).get(name)) for name in ("prompt_tokens", "completion_tokens")]
        details = (usage or {}).get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
        cost = self._price.cost(counts[0], counts[1], cached) if self._price else None
        with self._lock:
            self._usage.prompt_tokens += counts[0]
            self._usage.completion_tokens += counts[1]
            self._usage.cached_tokens += cached
            self._usage.unknown += usage is None
            if cost is not None:
                self._usage.cost = (self._usage.cost or 0.0) + cost
        if self.purse is not None:
            self.purse.settle(aside, Spent(sum(counts) or aside.tokens, cost or 0.0))

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
        try:
            yield connection, parts.path.rstrip("/")
        finally:
            connection.close()

    @property
    def authorization(self) -> str:
        """What the endpoint wants to read."""
        return f"Bearer {self._key}"


@dataclass
class _Call:
    """One call that passes, and is counted once."""

    proxy: ModelProxy
    aside: Spent
    is_settled: bool = False

    def settle(self, usage: Mapping[str, Any] | None) -> None:
        if not self.is_settled:
            self.is_settled = True
            self.proxy.settle(self.aside, usage)


class _Serving(socketserver.ThreadingMixIn):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64
    proxy: ModelProxy


class _LoopbackServer(_Serving, socketserver.TCPServer):
    def __init__(self, proxy: ModelProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)


class _UnixServer(_Serving, socketserver.UnixStreamServer):
    def __init__(self, place: str, proxy: ModelProxy) -> None:
        self.proxy = proxy
        super().__init__(place, _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        request, _ = super().get_request()
        return request, ("agent", 0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _LoopbackServer | _UnixServer

    def do_GET(self) -> None:
        self._pass_on(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            self._refuse(413, f"a request may have {MAX_BODY} bytes at most")
            self.close_connection = True
            return
        self._pass_on(self.rfile.read(int(length)))

    def _pass_on(self, body: bytes) -> None:
        proxy = self.server.proxy
        path = urlsplit(self.path).path.removeprefix("/v1")
        if self.headers.get("Authorization", "") != f"Bearer {proxy.token}":
            self._refuse(401, "this door opens with the key that the agent was given")
        elif path not in _PATHS:
            self._refuse(404, f"only {', '.join(_PATHS)} lead to the model")
        elif path == "/models":
            listed = {"object": "list", "data": [{"id": proxy.settings.model, "object": "model"}]}
            self._answer(200, json.dumps(listed).encode())
        else:
            self._ask(path, body)

    def _ask(self, path: str, body: bytes) -> None:
        proxy = self.server.proxy
        try:
            asked = json.loads(body)
            asked["model"] = proxy.settings.model  # whatever it asks for: the run names the model
        except (ValueError, TypeError, RecursionError):
            self._refuse(400, "the request is no JSON object")
            return
        if asked.get("stream") is True and path != "/embeddings":
            asked.setdefault("stream_options", {"include_usage": True})
        most = asked.get("max_tokens", asked.get("max_completion_tokens"))
        aside = proxy.admit(len(body), most if isinstance(most, int) and most > 0 else 1000)
        if isinstance(aside, str):
            self._refuse(429, aside)
            return
        call = _Call(proxy, aside)
        try:
            with proxy.upstream() as (connection, base):
                headers = {"Authorization": proxy.authorization, "Content-Type": "application/json"}
                connection.request("POST", base + path, json.dumps(asked).encode(), headers)
                self._relay(connection.getresponse(), call)
        except (OSError, http.client.HTTPException) as error:
            call.settle(None)
            with contextlib.suppress(OSError):
                self._refuse(502, f"the model endpoint cannot be reached: {type(error).__name__}")
        finally:
            call.settle(None)

    def _relay(self, response: http.client.HTTPResponse, call: "_Call") -> None:
        """Pass an answer on as it comes; what it took is counted before its end is there to be read."""
        kind = response.headers.get("Content-Type", "application/json")
        if "event-stream" not in kind:
            body = response.read(MAX_BODY)
            call.settle(_usage_of(body))
            self._answer(response.status, body, kind, response.headers.get("Retry-After"))
            return
        self.send_response(response.status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for line in response:
            usage = _usage_of(line[5:]) if line.startswith(b"data:") else None
            if usage is not None or line.strip() == b"data: [DONE]":
                call.settle(usage)
            self.wfile.write(line)
            if not line.strip():
                self.wfile.flush()

    def _answer(self, status: int, body: bytes, kind: str = "application/json", retry: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if retry:
            self.send_header("Retry-After", retry)
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: int, why: str) -> None:
        error = {"error": {"message": why, "type": "benchwright", "code": None}}
        self._answer(status, json.dumps(error).encode())

    def log_message(self, *_: Any) -> None:
        """Write no access log."""


def _usage_of(body: bytes) -> Mapping[str, Any] | None:
    try:
        usage = json.loads(body).get("usage")
    except (ValueError, AttributeError, RecursionError):
        return None
    return usage if isinstance(usage, dict) else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
