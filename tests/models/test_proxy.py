"""The door to a model, asked by a client that keeps to nothing: it counts, bounds, and gives nothing away."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from evaluator.errors import ToolkitError
from evaluator.models import Budget, BudgetLimits, ModelSettings, proxy
from evaluator.models.budget import Spent
from evaluator.models.metering import ProblemMeter, ProxyLimits
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


def test_an_answer_is_bounded(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_BODY", 10_000)
    monkeypatch.setattr(proxy, "MAX_LINE", 10_000)
    model.script = [Say("x" * 20_000), Stream(("x", "y" * 20_000))]
    with door(model) as opened:
        assert opened.ask().why == "the model endpoint's answer has more than 10000 bytes"
        assert "yy" not in opened.ask(STREAMED).text
        assert opened.meter.usage().unknown == 2


def test_requests_at_a_time_are_bounded(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "MAX_CALLS", 3)
    model.script = [Say("1", delay_s=0.5)]
    with door(model) as opened:
        assert at_once(opened, 6, BODY) == [200] * 3 + [429] * 3
        assert opened.ask().status == 200


def test_outside_a_problem_nothing_passes(model: ScriptedModel) -> None:
    with door(model) as opened:
        opened.counting.close()
        assert opened.ask().status == 403
        assert not model.requests
