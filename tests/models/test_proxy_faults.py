"""What the door to a model notes as the endpoint's failure, and what it does not."""

import socket
import struct
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from evaluator.models import proxy
from tests.models.test_proxy import BODY, door, serving
from tests.scripted_model import KEY, Drop, Refuse, Say, ScriptedModel, Step, Stream, Wait, scripted_model
from tests.waiting import eventually

STREAMED = {**BODY, "stream": True}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with scripted_model([Say("len(df)")]) as server:
        yield server


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (Refuse(308), "the model endpoint answered with 308 Permanent Redirect"),
        (Refuse(503), "the model endpoint answered with 503 Service Unavailable"),
        (Refuse(400), ""),
        (Drop(), "the model endpoint cannot be reached: RemoteDisconnected"),
        (Drop(after_bytes=20), "the model endpoint cannot be reached: IncompleteRead"),
        (Stream(("len(",), ends=False), "the model endpoint's answer broke off"),
        (Stream(("len(",), ends=False, error="overloaded"), "the model endpoint's answer broke off"),
        (Stream(("len(df)",)), ""),
        (Say("len(df)"), ""),
    ],
    ids=str,
)
def test_what_is_the_endpoints_failure(model: ScriptedModel, step: Step, fault: str) -> None:
    model.script = [step]
    with door(model) as opened:
        opened.ask(STREAMED if isinstance(step, Stream | Say) else BODY)
        assert opened.meter.take_fault() == fault


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("/chat/completions", "the model endpoint answered with 404 Not Found"),
        ("/completions", ""),
        ("/embeddings", ""),
    ],
)
def test_a_path_that_an_endpoint_lacks_is_no_failure_unless_it_is_the_one_all_have(
    model: ScriptedModel, path: str, fault: str
) -> None:
    """Else an agent could have every problem set aside by asking there."""
    model.script = [Refuse(404)]
    with door(model) as opened:
        opened.ask({"model": "m", "input": "a", "prompt": "a", "messages": BODY["messages"]}, f"/v1{path}")
        assert len(model.requests) == 1
        assert opened.meter.take_fault() == fault


def test_a_stream_that_is_reset_is_the_endpoints_failure(model: ScriptedModel) -> None:
    class Reset(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'data: {"choices": [{"delta": {"content": "len("}}]}\n\n')
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True

    with serving(Reset) as url, scripted_model([]) as other:
        other.url = url
        with door(other) as opened:
            opened.ask(STREAMED)
            assert opened.meter.take_fault() == "the model endpoint's answer broke off"


def test_a_stream_without_its_mark_has_ended_where_it_says_why(model: ScriptedModel) -> None:
    class Unmarked(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b'data: {"choices": [{"delta": {"content": "1"}, "finish_reason" : "stop"}]}\n\n')

    with serving(Unmarked) as url, scripted_model([]) as other:
        other.url = url
        with door(other) as opened:
            opened.ask(STREAMED)
            assert opened.meter.take_fault() == ""


def test_an_answer_past_all_bounds_is_the_endpoints_failure(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "MAX_BODY", 10_000)
    model.script = [Say("x" * 20_000)]
    with door(model) as opened:
        assert opened.ask().status == 502
        assert opened.meter.take_fault() == "the model endpoint's answer has more than 10000 bytes"


@pytest.mark.parametrize("body", [BODY, STREAMED], ids=["whole", "streamed"])
def test_a_call_that_ends_with_the_door_is_no_failure_of_the_endpoint(
    model: ScriptedModel, body: dict[str, object]
) -> None:
    model.script = [Wait(60) if body is BODY else Stream(("a", "b"), pause_s=60)]
    with door(model) as opened:
        pending = opened.begin(body)
        assert eventually(lambda: model.requests)
    with pending:
        assert opened.meter.usage(10).unknown == 1
    assert opened.meter.take_fault() == ""


def test_a_call_that_a_try_left_pending_tells_nothing_of_the_next_try(model: ScriptedModel) -> None:
    """The first try ended while it was under way; its answer comes after the second try's call has failed."""
    model.script = lambda request: Say("1", delay_s=0.5) if "slow" in str(request["messages"]) else Refuse(503)
    with door(model) as opened:
        opened.meter.begin_try()
        with opened.begin({"messages": [{"role": "user", "content": "slow"}]}):
            assert eventually(lambda: model.requests)
            opened.meter.begin_try()
            assert opened.ask(BODY).status == 503
            assert eventually(lambda: opened.meter.usage().unknown == 0)
            assert opened.meter.take_fault() == "the model endpoint answered with 503 Service Unavailable"
