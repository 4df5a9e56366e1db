"""What the host keeps of a cell's pipes, whatever a hostile cell writes into them."""

import fcntl
import json
import os
import select
import time

from evaluator.inside.runtime.capture import DISPLAY_END, DISPLAY_PART, MAX_DISPLAYS, RECORD_HEAD, STDERR, STDOUT
from evaluator.session.recording import KEEP_BYTES, CellPipes, Recording


def record(tag: bytes, body: bytes = b"", number: int = 0) -> bytes:
    return RECORD_HEAD.pack(tag, number, len(body)) + body


def display(text: str, *, number: int = 0, display_id: str | None = None, update: bool = False) -> bytes:
    bundle = {"output_type": "display_data", "data": {"text/plain": text}, "display_id": display_id, "update": update}
    return record(DISPLAY_PART, json.dumps(bundle).encode(), number) + record(DISPLAY_END, number=number)


def test_streams_and_displays_keep_their_order() -> None:
    recording = Recording()
    for part in (record(STDOUT, b"a"), record(STDOUT, b"b"), display("d"), record(STDERR, b"c"), record(STDOUT, b"e")):
        recording.feed_records(part)
    assert recording.outputs() == (
        {"output_type": "stream", "name": "stdout", "text": "ab"},
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "d"}},
        {"output_type": "stream", "name": "stderr", "text": "c"},
        {"output_type": "stream", "name": "stdout", "text": "e"},
    )


def test_an_update_changes_every_display_with_its_id() -> None:
    recording = Recording()
    recording.feed_records(display("old", display_id="one") + display("other", display_id="two"))
    recording.feed_records(display("new", display_id="one", update=True))
    assert [output["data"]["text/plain"] for output in recording.outputs()] == ["new", "other"]


def test_output_that_switches_streams_without_end_costs_no_text_and_little_time() -> None:
    recording = Recording()
    switches = record(STDOUT, b"o") + record(STDERR, b"e")
    updates = display("x", display_id="one", update=True) * 20_000
    started = time.monotonic()
    recording.feed_records(display("x", display_id="one"))
    recording.feed_records(switches * (KEEP_BYTES // 4))
    recording.feed_records(updates)
    assert time.monotonic() - started < 10
    shown = recording.outputs()
    assert len(shown) < 30_000
    printed = [output["text"] for output in shown if output["output_type"] == "stream"]
    assert "".join(printed).count("o") == "".join(printed).count("e") == KEEP_BYTES // 4


def test_displays_that_are_begun_and_never_ended_are_few() -> None:
    recording = Recording()
    for number in range(10 * MAX_DISPLAYS):
        recording.feed_records(record(DISPLAY_PART, b"", number))
    assert len(recording._parts) <= MAX_DISPLAYS + 1
    assert recording.limits_hit == {"displays"}


def test_descriptors_hold_much_at_once_and_records_once_their_pipe_was_full() -> None:
    pipes, recording, size = CellPipes(), Recording(), 64 * 1024

    def sizes() -> list[int]:
        return [fcntl.fcntl(near, fcntl.F_GETPIPE_SZ) for near in pipes.near]

    try:
        before = sizes()
        os.write(pipes.far[0], b"x" * size)
        pipes.read(set(pipes.near), select.poll(), recording)
        after = sizes()
    finally:
        pipes.close()
    assert before[0] == size
    assert before[1:] == after[1:]
    assert min(after) > size
