"""What the host keeps of a cell's pipes, whatever a hostile cell writes into them."""

import json
import time
from typing import Any

from evaluator.inside.runtime.capture import DISPLAY_END, DISPLAY_PART, RECORD_HEAD, STDERR, STDOUT
from evaluator.session.recording import KEEP_BYTES, KILL_BYTES, Recording


def record(tag: bytes, body: bytes = b"", number: int = 0) -> bytes:
    return RECORD_HEAD.pack(tag, number, len(body)) + body


def bundle(content: object, number: int = 0) -> bytes:
    return record(DISPLAY_PART, json.dumps(content).encode(), number) + record(DISPLAY_END, number=number)


def display(text: str, *, kind: str = "display_data", **more: Any) -> bytes:
    return bundle({"output_type": kind, "data": {"text/plain": text}, **more})


def texts(recording: Recording) -> list[str]:
    return [output["data"]["text/plain"] for output in recording.outputs() if "data" in output]


def test_streams_and_displays_keep_their_order() -> None:
    recording = Recording()
    for part in (record(STDOUT, b"a"), record(STDOUT, b"b"), display("d"), record(STDERR, b"c"), record(STDOUT, b"e")):
        recording.feed_records(part[:4])
        recording.feed_records(part[4:])  # as it comes
    recording.feed_descriptor("stderr", b"f")
    assert recording.outputs() == (
        {"output_type": "stream", "name": "stdout", "text": "ab"},
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "d"}},
        {"output_type": "stream", "name": "stderr", "text": "c"},
        {"output_type": "stream", "name": "stdout", "text": "e"},
        {"output_type": "stream", "name": "stderr", "text": "f"},
    )


def test_an_update_changes_every_display_with_its_id() -> None:
    recording = Recording()
    recording.feed_records(display("old", display_id="one") + display("other", display_id="two"))
    recording.feed_records(display("new", display_id="one", update=True))
    assert texts(recording) == ["new", "other"]


def test_what_was_shown_before_the_value_stands_before_it() -> None:
    recording = Recording()
    recording.feed_records(display("a") + display("value", kind="execute_result") + display("b", before_value=True))
    assert texts(recording) == ["a", "b", "value"]


def test_displays_of_another_form_are_dropped() -> None:
    recording = Recording()
    wrong: list[object] = [None, [], {"output_type": "stream"}, {"output_type": "display_data", "data": []}]
    for content in wrong:
        recording.feed_records(bundle(content))
    recording.feed_records(record(DISPLAY_PART, b"{") + record(DISPLAY_END) + record(DISPLAY_END, number=5))
    assert recording.outputs() == ()
    recording.feed_records(bundle({"output_type": "display_data", "data": {"text/plain": 1, "a/json": [1], "b": "c"}}))
    assert [output["data"] for output in recording.outputs()] == [{"a/json": [1], "b": "c"}]
    assert recording.limits_hit == set()
    recording.feed_records(record(DISPLAY_PART, b"[" * 200 + b"]" * 200) + record(DISPLAY_END))
    assert recording.limits_hit == {"displays"}


def test_output_that_switches_streams_costs_no_text_and_little_time() -> None:
    recording = Recording()
    started = time.monotonic()
    recording.feed_records(display("x", display_id="one"))
    recording.feed_records((record(STDOUT, b"o") + record(STDERR, b"e")) * (KEEP_BYTES // 16))
    recording.feed_records(display("x", display_id="one", update=True) * 2_000)
    assert time.monotonic() - started < 10
    shown = recording.outputs()
    assert len(shown) < 30_000
    printed = "".join(output["text"] for output in shown if output["output_type"] == "stream")
    assert printed.count("o") == printed.count("e") == KEEP_BYTES // 16


def test_text_is_kept_up_to_a_limit_and_a_cell_stopped_at_another() -> None:
    recording = Recording()
    recording.feed_descriptor("stdout", bytes(KEEP_BYTES - 1))
    recording.feed_descriptor("stderr", b"ab")
    assert [len(output["text"]) for output in recording.outputs()] == [KEEP_BYTES - 1, 1]
    assert recording.limits_hit == {"output"}
    assert not recording.is_over_limit
    recording.total_bytes = KILL_BYTES
    assert not recording.is_over_limit
    recording.feed_descriptor("stdout", b"x")
    assert recording.is_over_limit
