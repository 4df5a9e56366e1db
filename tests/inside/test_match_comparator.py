"""The comparator process: one answer per request, whatever the request is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.inside.runtime.frames import FrameKind, Packet, pack_parts, read_frame, write_frame

pytestmark = pytest.mark.kernel
CRASH = {"name": "and", "options": {}, "children": [{"name": "crash", "options": {}, "children": []}]}


class Comparator(NamedTuple):
    process: "subprocess.Popen[bytes]"
    requests: int
    answers: int

    def ask(self, body: bytes, kind: int = FrameKind.JUDGE) -> Packet:
        write_frame(self.requests, kind, body)
        frame = read_frame(self.answers)
        assert frame is not None
        return frame


@pytest.fixture(scope="module")
def comparator() -> Iterator[Comparator]:
    command = [sys.executable, "-m", "evaluator.inside.validators.comparator"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Comparator(process, process.stdin.fileno(), process.stdout.fileno())
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def header(ending: str = "died", **more: Any) -> dict[str, Any]:
    evidence = {"ending": "ok", "source": "5", "streams": [], "names": []}
    return {
        "reference": evidence,
        "submission": {**evidence, "ending": ending},
        "validators": CRASH,
        "rules": "sound",
    } | (more)


def is_alive_and_right(comparator: Comparator) -> bool:
    frame = comparator.ask(pack_parts(header("ok"), None, None))
    return frame.kind == FrameKind.FINDINGS and json.loads(frame.body)["answer"] == "yes"


def test_a_request_gets_its_findings(comparator: Comparator) -> None:
    frame = comparator.ask(pack_parts(header(), None, None))
    assert frame.kind == FrameKind.FINDINGS
    assert json.loads(frame.body)["children"][0]["answer"] == "no"


def test_a_claim_that_is_none_is_reported_with_its_side(comparator: Comparator) -> None:
    for payload in (b"", b"{}", b"[]", b"\x80\x04.", os.urandom(300), b"[" * 100_000):
        for payloads, side in (((None, payload), "submission"), ((payload, None), "reference")):
            frame = comparator.ask(pack_parts(header("ok"), *payloads))
            assert frame.kind == FrameKind.BAD_PAYLOAD
            assert json.loads(frame.body)["side"] == side
        assert is_alive_and_right(comparator)


@given(body=st.binary(max_size=200), kind=st.integers(0, 255))
def test_any_bytes_get_an_answer_that_is_no_finding(comparator: Comparator, body: bytes, kind: int) -> None:
    assert comparator.ask(body, kind).kind == FrameKind.FAILED
    assert is_alive_and_right(comparator)


def test_a_header_that_is_none_ends_nothing(comparator: Comparator) -> None:
    headers: tuple[dict[str, Any], ...] = (
        *({"validators": None}, {"validators": []}, {"validators": {"name": "and", "children": 5}}, {"rules": None}),
        *({"validators": {"name": "result", "options": 7}}, {"reference": None}, {"submission": {}}),
    )
    for spoilt in headers:
        frame = comparator.ask(pack_parts(header(**spoilt), None, None))
        answer = json.loads(frame.body)
        assert frame.kind == FrameKind.FAILED or "author_error" in answer or answer.get("answer") == "no", spoilt
        assert is_alive_and_right(comparator)


def test_a_stream_that_breaks_off_ends_the_process() -> None:
    command = [sys.executable, "-m", "evaluator.inside.validators.comparator"]
    process = subprocess.run(command, input=b"\x14\xff\x00\x00\x00short", stdout=subprocess.PIPE, check=False)
    assert process.returncode == 1
    assert process.stdout == b""
