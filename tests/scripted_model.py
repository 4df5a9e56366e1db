"""A real OpenAI-compatible HTTP server on loopback that plays a script, for every test with a model."""

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "sk-scripted-and-valid-0123456789"


@dataclass(frozen=True)
class Say:
    """Answer with a completion of this text, in pieces where the request asks for a stream."""

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 100
    completion_tokens: int = 20
    cached_tokens: int = 0  # of the prompt
    delay_s: float = 0.0  # before the answer
    streams: bool = True  # False: answer whole, whatever the request asks for
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()  # functions that it wants called: names and arguments
    calls_by_name: bool = False  # its one call as it was before there were tools; so where `functions` are told
    logprobs: tuple[float, ...] = ()  # of its tokens


@dataclass(frozen=True)
class Stream:
    """Answer with these pieces of a stream, whatever the request asks for; `ends`: with a reason and [DONE]."""

    pieces: tuple[str, ...]
    pause_s: float = 0.0  # before each piece
    ends: bool = True
    error: str = ""  # sent as an event at the end


@dataclass(frozen=True)
class Drip:
    body: bytes
    pause_s: float


@dataclass(frozen=True)
class Refuse:
    """Answer with an HTTP status and an error body."""

    status: int
    message: str = "refused"
    code: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    details: Sequence[dict[str, Any]] = ()  # as Google tells them
    after: threading.Semaphore | None = None  # what it waits for; a script itself must not: other requests wait for it


@dataclass(frozen=True)
class Drop:
    """Close the connection without an answer, or in the middle of one."""

    after_bytes: int = 0


@dataclass(frozen=True)
class Raw:
    """Answer 200 with this body and type."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Wait:
    seconds: float


Step = Say | Stream | Drip | Refuse | Drop | Raw | Wait
Events = Sequence[dict[str, Any] | None]  # server-sent events
Script = Sequence[Step] | Callable[[dict[str, Any]], Step]


@dataclass
class ScriptedModel:
    """The running server: its address, and the requests it got, in order."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def prompts(self) -> list[str]:
        return [str(_asked(request)) for request in self.requests]

    def next_step(self, request: dict[str, Any]) -> Step:
        """Note the request and return what the script says to it."""
        with self.lock:
            self.requests.append(request)
            if callable(self.script):
                return self.script(request)
            return self.script[min(len(self.requests), len(self.script)) - 1]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: ScriptedModel, handler: "type[Handler]") -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.model = model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that is gone; whatever else fails is printed, as tests that read stderr must see it."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server
    below = "/v1"  # the path below which the interface lies
    is_text = False  # whether a text is to be gone on with, not a conversation

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        given = self.given_key()
        if given != KEY:
            self.play(Refuse(401, f"Incorrect API key provided: {given}"))
        elif self.path.endswith("/embeddings"):
            request = json.loads(body)
            step = self.server.model.next_step(request)
            is_said = isinstance(step, Say)
            self.play(Raw(json.dumps(_embeddings(request["input"])).encode()) if is_said else step)
        elif not self.knows_path():
            self.play(Refuse(404, f"no such path {self.path}"))
        else:
            request = self.read(json.loads(body))
            self.is_text = not self.path.endswith("/chat/completions")
            step = self.server.model.next_step(request)
            if isinstance(step, Say) and "functions" in request:
                step = replace(step, calls_by_name=True)
            if isinstance(step, Say) and step.streams and request.get("stream"):
                self.server.model.released.wait(step.delay_s)
                self.send_events(self.chunks(step))
            else:
                self.play(step)

    def given_key(self) -> str:
        return str(self.headers.get("Authorization", ""))[7:]

    def knows_path(self) -> bool:
        return self.path.endswith("/completions")

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        return body

    def whole(self, step: Say) -> bytes:
        return _text_completion(step) if self.is_text else _completion(step)

    def chunks(self, step: Say) -> Events:
        return _chunks(step)

    def pieces(self, step: Stream) -> Events:
        return _pieces(step)

    def refusal(self, step: Refuse) -> dict[str, Any]:
        return {"error": {"message": step.message, "code": step.code or None, "type": "error"}}

    def event(self, event: dict[str, Any] | None) -> str:
        """One event of a stream; None stands for the mark of the end."""
        return f"data: {'[DONE]' if event is None else json.dumps(event)}\n\n"

    def play(self, step: Step) -> None:
        if isinstance(step, Say):
            self.server.model.released.wait(step.delay_s)
            self.send(200, "application/json", self.whole(step))
        elif isinstance(step, Raw):
            self.send(200, step.content_type, step.body)
        elif isinstance(step, Refuse):
            if step.after is not None:
                assert step.after.acquire(timeout=60)
            self.send(step.status, "application/json", json.dumps(self.refusal(step)).encode(), step.headers)
        elif isinstance(step, Stream):
            self.send_events(self.pieces(step), step.pause_s)
        elif isinstance(step, Drip):
            self.drip(step)
        elif isinstance(step, Wait):
            self.server.model.released.wait(step.seconds)
            self.close_connection = True
        else:
            if step.after_bytes:
                self.send(200, "application/json", self.whole(Say("x" * 1000)), cut=step.after_bytes)
            self.close_connection = True

    def send(
        self,
        status: int,
        content_type: str,
        body: bytes,
        headers: tuple[tuple[str, str], ...] = (),
        cut: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the client may have given up
            self.wfile.write(body if cut is None else body[:cut])

    def send_events(self, events: Events, pause_s: float = 0.0) -> None:
        """Send server-sent events; None stands for the mark of the end."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            for event in events:
                self.server.model.released.wait(pause_s)
                self.wfile.write(self.event(event).encode())
                self.wfile.flush()

    def drip(self, step: Drip) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(step.body)))
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(ConnectionError):
            for byte in step.body:
                if self.server.model.released.wait(step.pause_s):
                    return
                self.wfile.write(bytes([byte]))

    def log_message(self, *_: Any) -> None:  # pyrefly: ignore[bad-override]  # never called by name
        """Write no access log."""


@contextlib.contextmanager
def scripted_model(script: Script, handler: type[Handler] = Handler) -> Iterator[ScriptedModel]:
    """Serve the script; when its steps are used up, the last one is repeated."""
    model = ScriptedModel(script)
    with Server(model, handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        model.url = f"http://127.0.0.1:{server.server_address[1]}{handler.below}"
        try:
            yield model
        finally:
            model.released.set()
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def served_to_commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], ScriptedModel]]:
    """Yield what serves a script, and lets whatever asks a model ask there, once each time."""
    with contextlib.ExitStack() as stack:

        def serve(script: Script) -> ScriptedModel:
            server = stack.enter_context(scripted_model(script))
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            return server

        yield serve


def _asked(request: dict[str, Any]) -> Any:
    return request["prompt"] if "prompt" in request else request["messages"][-1]["content"]


def _text_completion(step: Say) -> bytes:
    whole = json.loads(_completion(step))
    (choice,) = whole["choices"]
    text = {"index": 0, "text": choice["message"]["content"], "finish_reason": choice["finish_reason"]}
    return json.dumps({**whole, "object": "text_completion", "choices": [text]}).encode()


def _embeddings(texts: list[str]) -> dict[str, Any]:
    """Vectors of how often each letter stands in the texts: texts of the same words are near."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    vectors = [[float(text.lower().count(letter)) for letter in letters] for text in texts]
    data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    return {"object": "list", "model": "scripted", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _completion(step: Say) -> bytes:
    answer = {
        "id": "c-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": step.finish_reason,
                "message": {"role": "assistant", "content": step.text, **_calls(step)},
                "logprobs": {
                    "content": [{"token": "x", "logprob": each, "top_logprobs": []} for each in step.logprobs]
                },
            }
        ],
        "usage": _usage(step),
    }
    return json.dumps(answer).encode()


def _calls(step: Say) -> dict[str, Any]:
    made = [
        {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(step.calls, 1)
    ]
    if made and step.calls_by_name:
        return {"function_call": made[0]["function"]}
    return {"tool_calls": made} if made else {}


def _usage(step: Say) -> dict[str, Any]:
    return {
        "prompt_tokens": step.prompt_tokens,
        "completion_tokens": step.completion_tokens,
        "total_tokens": step.prompt_tokens + step.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": step.cached_tokens},
    }


def _chunks(step: Say) -> list[dict[str, Any] | None]:
    """Return a text as a stream of a few pieces, with its tokens at the end."""
    size = max(1, len(step.text) // 5 + 1)
    pieces = [_chunk(step.text[at : at + size]) for at in range(0, len(step.text), size)]
    return [*pieces, _chunk("", step.finish_reason), {**_chunk(""), "choices": [], "usage": _usage(step)}, None]


def _pieces(step: Stream) -> list[dict[str, Any] | None]:
    events: list[dict[str, Any] | None] = [_chunk(piece) for piece in step.pieces]
    if step.error:
        events.append({"error": {"message": step.error}})
    return [*events, _chunk("", "stop"), None] if step.ends else events


def _chunk(text: str, finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 0, "model": "scripted", "choices": [choice]}
