"""The door to a model, asked by a client that keeps to nothing: it counts, bounds, and gives nothing away."""

import contextlib
import http.client
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import Budget, BudgetLimits, ModelSettings, proxy
from evaluator.models.budget import Spent
from evaluator.models.metering import ProblemMeter, ProxyLimits
from evaluator.models.proxied_request import read_proxied
from evaluator.models.proxy import ModelProxy
from tests.scripted_model import KEY, Drop, Raw, Refuse, Say, ScriptedModel, Step, Stream, Wait, scripted_model
from tests.waiting import eventually

BODY = {"messages": [{"role": "user", "content": "How many?"}]}
STREAMED = {**BODY, "stream": True}
PRICED = "gpt-4.1-mini"


class Answer(NamedTuple):
    status: int
    text: str
    headers: dict[str, str]

    @property
    def why(self) -> str:
        return str(json.loads(self.text)["error"]["message"])


class Door:
    """A door that counts for one problem, and a client of it."""

    def __init__(self, url: str, limits: ProxyLimits | None = None, purse: Budget | None = None) -> None:
        self.proxy = ModelProxy(ModelSettings(PRICED, url, timeout_s=20), purse=purse)
        self.meter = ProblemMeter(limits)
        self.counting = contextlib.ExitStack()
        self.counting.enter_context(self.proxy.counting(self.meter))

    def ask(
        self, body: Any = BODY, path: str = "/v1/chat/completions", *, method: str = "POST", **headers: str
    ) -> Answer:
        assert self.proxy.port is not None
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=20)
        with contextlib.closing(connection):
            told = {"Authorization": f"Bearer {self.proxy.token}"} | headers
            connection.request(method, path, body if isinstance(body, bytes) else json.dumps(body), told)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read().decode(), dict(answer.headers))

    def open(self, sent: bytes = b"") -> socket.socket:
        assert self.proxy.port is not None
        made = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=10)
        made.sendall(sent)
        return made

    def begin(self, body: Any) -> socket.socket:
        """Send a request, and leave its answer unread."""
        text = json.dumps(body)
        head = ("POST /v1/chat/completions HTTP/1.1", f"Authorization: Bearer {self.proxy.token}")
        return self.open("\r\n".join([*head, f"Content-Length: {len(text)}", "", text]).encode())

    def raw(self, *lines: str, body: str = "") -> str:
        """Return what comes back for these lines, to the end of the connection."""
        head = [*lines, f"Authorization: Bearer {self.proxy.token}", "Connection: close", "", body]
        with self.open("\r\n".join(head).encode()) as connection:
            return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Say("len(df)", prompt_tokens=7, completion_tokens=3)]) as server:
        yield server


@contextlib.contextmanager
def door(model: ScriptedModel, limits: ProxyLimits | None = None, purse: Budget | None = None) -> Iterator[Door]:
    made = Door(model.url, limits, purse)
    try:
        yield made
    finally:
        made.proxy.close()


@contextlib.contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def at_once(opened: Door, count: int, body: Any) -> list[int]:
    found: list[int] = []
    asking = [threading.Thread(target=lambda: found.append(opened.ask(body).status)) for _ in range(count)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return sorted(found)


def test_calls_at_once_pass_no_limit_together(model: ScriptedModel) -> None:
    model.script = [Say("1", prompt_tokens=10, completion_tokens=100, delay_s=0.5)]
    for limits in (ProxyLimits(tokens=300), ProxyLimits(calls=2)):
        model.requests.clear()
        with door(model, limits) as opened:
            assert at_once(opened, 8, {**BODY, "max_tokens": 100}) == [200] * 2 + [429] * 6
            assert opened.meter.usage().calls == len(model.requests) == 2


def test_all_answers_of_a_call_are_put_aside(model: ScriptedModel) -> None:
    with door(model, ProxyLimits(tokens=400)) as opened:
        assert opened.ask({**BODY, "max_tokens": 100}).status == 200
        for more in ({"n": 5}, {"max_completion_tokens": 500}, {"best_of": 5}):
            assert "this call may take 5" in opened.ask({**BODY, "max_tokens": 100, **more}).why


def test_a_list_of_prompts_has_many_answers_and_pictures_are_counted() -> None:
    body = json.dumps({"prompt": ["a", "b", "c"], "max_tokens": 10, "n": 2}).encode()
    assert read_proxied(body, "small", is_embedding=False).answer == 60
    url = "data:image/png;base64," + "A" * 300_000
    shown = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]}
    assert 1500 <= read_proxied(json.dumps(shown).encode(), "small", is_embedding=False).prompt < 1600


def test_what_is_no_request_is_refused(model: ScriptedModel) -> None:
    bad = (
        {"n": True},
        {"max_tokens": "9"},
        {"max_tokens": 1.5},
        {"n": 10**400},
        {"stream": 1},
        {"n": 9, "max_tokens": 10**9},
    )
    with door(model) as opened:
        for body in (b"?", b"[1]", b"[" * 100_000, *({**BODY, **each} for each in bad)):
            assert opened.ask(body).status == 400
        assert opened.meter.usage().calls == 0


@pytest.mark.parametrize(
    "step",
    [Raw(b'{"usage": {"prompt_tokens": 0}}'), Raw(b"?"), Stream(("1",)), Drop(), Drop(after_bytes=300)],
    ids=str,
)
def test_an_answer_that_tells_no_tokens_takes_what_was_put_aside(model: ScriptedModel, step: Step) -> None:
    model.script = [step]
    purse = Budget(BudgetLimits(tokens=100_000))
    with door(model, ProxyLimits(tokens=1200), purse) as opened:
        opened.ask({**BODY, "max_tokens": 1000})
        assert opened.meter.usage().to_json() == {"calls": 1, "usage_source": "measured"}
        assert purse.spent.tokens >= 1000
        assert purse.spent.cost >= 1000 * 1.60 / 1e6
        assert opened.ask({**BODY, "max_tokens": 1000}).status == 429


def test_a_long_stream_that_tells_no_tokens_takes_one_for_each_part(model: ScriptedModel) -> None:
    model.script = [Stream(("x",) * 3000)]
    with door(model, ProxyLimits(tokens=2500)) as opened:
        assert opened.ask(STREAMED).status == 200
        assert opened.ask().why == "the 2500 tokens that this problem allows are used up"


def test_a_stream_that_nobody_reads_to_its_end_is_counted(model: ScriptedModel) -> None:
    model.script = [Say("x" * 3_000_000, prompt_tokens=7, completion_tokens=900)]
    with door(model) as opened:
        with opened.begin(STREAMED) as connection:
            connection.recv(10)
        assert opened.meter.usage(10).completion_tokens == 900


def test_a_refusal_of_the_endpoint_takes_nothing_and_shows_no_key(model: ScriptedModel) -> None:
    purse = Budget(BudgetLimits(tokens=2000))
    with door(model, purse=purse) as opened:
        for status in (400, 401, 429, 500):
            model.script = [Refuse(status, f"no, {KEY}", headers=(("Retry-After", "3"), ("X-Key", KEY)))]
            answer = opened.ask()
            assert (answer.status, answer.why) == (status, "no, [the key of the endpoint]")
            assert answer.headers["Retry-After"] == "3"
            assert KEY not in str(answer)
        assert purse.spent == Spent()
        assert opened.meter.usage().unknown == 0
        model.script = [Say(KEY)]
        assert KEY not in str(opened.ask())
        assert KEY not in str(opened.ask(STREAMED))


def test_an_endpoint_that_is_not_there_takes_nothing(model: ScriptedModel) -> None:
    with door(replace(model, url="http://127.0.0.1:9/v1")) as opened:
        assert opened.ask().why == "the model endpoint cannot be reached: ConnectionRefusedError"
        assert opened.meter.usage().to_json()["prompt_tokens"] == 0


def test_what_the_run_cannot_pay_is_no_call(model: ScriptedModel) -> None:
    with door(model, ProxyLimits(calls=2), Budget(BudgetLimits(tokens=50))) as opened:
        assert opened.ask().why.startswith("the budget ends here")
        assert [opened.ask({**BODY, "max_tokens": 9}).status for _ in range(3)] == [200, 200, 429]


def test_redirects_are_not_followed(model: ScriptedModel) -> None:
    away = Refuse(307, headers=(("Location", model.url + "/chat/completions"),))
    with scripted_model([away]) as elsewhere, door(elsewhere) as opened:
        answer = opened.ask()
    assert (answer.status, answer.headers.get("Location")) == (502, None)
    assert answer.why == "the model endpoint redirects to another place, which is not followed"
    assert not model.requests


def test_other_paths_and_methods_lead_nowhere_else(model: ScriptedModel) -> None:
    tried = {
        "POST http://127.0.0.1:1/v1/chat/completions": "200",  # there is one place only, whatever it names
        "POST //127.0.0.1:1/v1/chat/completions": "200|404",
        "POST /v1/../files": "404",
        "POST /v1/chat/completions/../../files": "404",
        "POST http://[/v1/chat/completions": "404",
        "POST /v1/models": "405",
        "GET /v1/chat/completions": "405",
        "GET /v1/models": "200",
        "DELETE /v1/models": "501",
        "CONNECT 127.0.0.1:1": "501",
    }
    body = json.dumps(BODY)
    with door(model) as opened:
        for line, status in tried.items():
            told = opened.raw(f"{line} HTTP/1.1", f"Content-Length: {len(body)}", body=body)
            assert re.match(rf"HTTP/1.1 ({status}) ", told), line


def test_headers_that_say_two_things_are_refused(model: ScriptedModel) -> None:
    tried = [
        (411, "Transfer-Encoding: chunked"),
        (411, "Transfer-Encoding: chunked", "Content-Length: 5"),
        (411, "Content-Length: -1"),
        (411, "Content-Length: 5", "Content-Length: 50"),
        (411, "Content-Length: ²"),
        (413, "Content-Length: 99999999999999999999"),
        (413, f"Content-Length: {proxy.MAX_BODY + 1}"),
        (401, "Content-Length: 0", "Authorization: Bearer sk-other"),
    ]
    with door(model) as opened:
        for status, *headers in tried:
            told = opened.raw("POST /v1/chat/completions HTTP/1.1", *map(str, headers))
            assert told.startswith(f"HTTP/1.1 {status} "), headers
            assert told.count("HTTP/1.1") == 1
        assert not model.requests


def test_what_was_read_is_passed_on_and_nothing_else(model: ScriptedModel) -> None:
    other = b'"model": "small", "model": "large", "models": ["large"], "api_base": "http://x"'
    body = b'{%s, "n": 1, "n": 2, "prompt": "a"}' % other
    with door(model) as opened:
        assert opened.ask(body, "/v1/completions?model=large", Host="elsewhere", Cookie="a=b").status == 200
        assert model.requests == [{"model": PRICED, "n": 2, "prompt": "a"}]


def test_an_answer_is_bounded(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_BODY", 10_000)
    monkeypatch.setattr(proxy, "MAX_LINE", 10_000)
    model.script = [Say("x" * 20_000), Stream(("x", "y" * 20_000))]
    with door(model) as opened:
        assert opened.ask().why == "the model endpoint's answer has more than 10000 bytes"
        assert "yy" not in opened.ask(STREAMED).text
        assert opened.meter.usage().unknown == 2


def test_many_connections_and_halves_of_requests_harm_nothing(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy._Handler, "timeout", 1.0)
    monkeypatch.setattr(proxy, "MAX_CONNECTIONS", 8)
    half = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 100\r\n"
    with door(model) as opened, contextlib.ExitStack() as held:
        token = f"Authorization: Bearer {opened.proxy.token}\r\n\r\n{{".encode()
        made = [held.enter_context(opened.open(half + token * (number % 2))) for number in range(12)]
        assert made[-1].recv(100).startswith(b"HTTP/1.1 503 ")
        assert made[0].recv(100) == b""  # it said nothing more, and was ended
        assert eventually(lambda: opened.ask().status == 200)
        assert opened.meter.usage().calls == 1


def test_requests_at_a_time_are_bounded(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_CALLS", 3)
    model.script = [Say("1", delay_s=0.5)]
    with door(model) as opened:
        assert at_once(opened, 6, BODY) == [200] * 3 + [429] * 3
        assert opened.ask().status == 200


@pytest.mark.parametrize("step", [Wait(60), Stream(("1",), pause_s=60)], ids=str)
def test_a_door_closes_at_once_and_lets_nothing_pass_after(model: ScriptedModel, step: Step) -> None:
    model.script = [step]
    opened = Door(model.url)
    kept = opened.open()
    pending = opened.begin(BODY)
    assert eventually(lambda: model.requests)
    began = time.monotonic()
    opened.proxy.close()
    opened.proxy.close()
    usage = opened.meter.usage(5)
    assert time.monotonic() - began < 3
    assert usage.to_json() == {"calls": 1, "usage_source": "measured"}  # what it took nobody told
    with kept, pending:
        assert kept.recv(10) == b""
        while pending.recv(65_536):  # until it ends
            pass


CHUNKED = json.dumps({"choices": [{"delta": {"content": "é"}}], "usage": {"prompt_tokens": 5, "total_tokens": 14}})


class Chunked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        is_stream = json.loads(self.rfile.read(int(self.headers["Content-Length"]))).get("stream")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for part in re.findall(r"(?s).{1,7}", f"data: {CHUNKED}\n\ndata: [DONE]\n\n" if is_stream else CHUNKED):
            self.wfile.write(f"{len(part.encode()):x}\r\n{part}\r\n".encode())
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None: ...


def test_answers_in_chunks_pass_and_are_counted() -> None:
    with serving(Chunked) as url:
        opened = Door(url)
        assert opened.ask().text == CHUNKED
        assert opened.ask(STREAMED).text == f"data: {CHUNKED}\n\ndata: [DONE]\n\n"
        told = opened.meter.usage()
        assert (told.prompt_tokens, told.completion_tokens) == (10, 18)
        opened.proxy.close()


def test_outside_a_problem_nothing_passes(model: ScriptedModel) -> None:
    with door(model) as opened:
        opened.counting.close()
        assert opened.ask().status == 403
        assert not model.requests


def test_a_key_that_no_header_may_hold_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one\nsk-two")
    with pytest.raises(ToolkitError, match="the key holds what no key may hold") as caught:
        ModelProxy(ModelSettings("small", "http://127.0.0.1:9/v1"))
    assert "sk-" not in str(caught.value)


# What is the endpoint's failure


def test_what_is_the_endpoints_failure(model: ScriptedModel) -> None:
    faults: list[tuple[Step, str]] = [
        (Refuse(308), "the model endpoint answered with 308 Permanent Redirect"),
        (Refuse(503), "the model endpoint answered with 503 Service Unavailable"),
        (Refuse(400), ""),
        (Drop(), "the model endpoint cannot be reached: RemoteDisconnected"),
        (Drop(after_bytes=20), "the model endpoint cannot be reached: IncompleteRead"),
        (Stream(("len(",), ends=False), "the model endpoint's answer broke off"),
        (Stream(("len(",), ends=False, error="overloaded"), "the model endpoint's answer broke off"),
        (Stream(("len(df)",)), ""),
        (Say("len(df)"), ""),
    ]
    with door(model) as opened:
        for step, fault in faults:
            model.script = [step]
            opened.ask(STREAMED if isinstance(step, Stream | Say) else BODY)
            assert opened.meter.take_fault() == fault, step


def test_a_path_that_an_endpoint_lacks_is_a_failure_only_where_all_have_it(model: ScriptedModel) -> None:
    """Else an agent could have every problem set aside by asking there."""
    model.script = [Refuse(404)]
    body = {"model": "m", "input": "a", "prompt": "a", "messages": BODY["messages"]}
    with door(model) as opened:
        for path in ("/completions", "/embeddings"):
            opened.ask(body, f"/v1{path}")
            assert opened.meter.take_fault() == ""
        opened.ask(body)
        assert len(model.requests) == 3
        assert opened.meter.take_fault() == "the model endpoint answered with 404 Not Found"


class Unmarked(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        says_why = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["user"] == "why"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        why = ', "finish_reason" : "stop"' if says_why else ""
        self.wfile.write(b'data: {"choices": [{"delta": {"content": "1"}%s}]}\n\n' % why.encode())
        if not says_why:  # and a reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def log_message(self, *_: Any) -> None: ...


def test_a_stream_without_its_mark_has_ended_only_where_it_says_why() -> None:
    with serving(Unmarked) as url:
        opened = Door(url)
        for word, fault in (("why", ""), ("reset", "the model endpoint's answer broke off")):
            opened.ask({**STREAMED, "user": word})
            assert opened.meter.take_fault() == fault
        opened.proxy.close()


def test_a_call_that_ends_with_the_door_is_no_failure_of_the_endpoint(model: ScriptedModel) -> None:
    for body, step in ((BODY, Wait(60)), (STREAMED, Stream(("a", "b"), pause_s=60))):
        model.script = [step]
        model.requests.clear()
        with door(model) as opened:
            pending = opened.begin(body)
            assert eventually(lambda: model.requests)
        with pending:
            assert opened.meter.usage(10).unknown == 1
        assert opened.meter.take_fault() == ""
