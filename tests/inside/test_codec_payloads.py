"""Claims and frames: what the exporter writes is what the comparator reads, and nothing else is accepted."""

import os
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.codec.decode.decoded import ABSENT, DecodedOutcome, ErrorFacts, Inferred, NamespaceDiff
from evaluator.inside.export.payload import BadPayload, Exported, decode_payload, encode_inferred, encode_payload
from evaluator.inside.runtime.frames import (
    FrameBuffer,
    FrameError,
    Packet,
    pack_parts,
    read_frame,
    unpack_parts,
    write_frame,
)
from evaluator.inside.runtime.inference import Inference

ERROR = ErrorFacts("KeyError", ("KeyError", "LookupError"), "'x'", "Traceback ...")


def payload(result: Any = ABSENT, error: ErrorFacts | None = None, **wanted: Any) -> bytes:
    inferred = Inference((Inferred("x", 1, None, "print"),))
    return encode_payload(
        Exported(result, error, NamespaceDiff(added=("a",))), wanted, lambda: encode_inferred(inferred)
    )


def evidence(ending: str = "ok", *names: str) -> dict[str, Any]:
    return {"ending": ending, "source": "1", "streams": [["stdout", "hi\n"]], "names": list(names)}


def test_a_claim_carries_everything_and_the_host_adds_what_it_saw() -> None:
    assert decode_payload(payload(5, a=[1], b=ABSENT), evidence("ok", "a", "b")) == DecodedOutcome(
        ending="ok",
        source="1",
        result=5,
        variables={"a": [1], "b": ABSENT},
        diff=NamespaceDiff(added=("a",)),
        streams=(("stdout", "hi\n"),),
        inferred=(Inferred("x", 1, None, "print"),),
    )


def test_no_claim_leaves_the_hosts_own_evidence() -> None:
    outcome = decode_payload(None, evidence("timed_out", "a"))
    assert (outcome.ending, outcome.result, outcome.variables) == ("timed_out", ABSENT, {})


def test_other_variables_than_asked_are_refused() -> None:
    for names in ((), ("a", "b"), ("b",)):
        with pytest.raises(BadPayload, match="other variables"):
            decode_payload(payload(a=1), evidence("ok", *names))


def test_an_error_that_does_not_fit_the_ending_is_refused() -> None:
    for claim, ending in ((payload(error=ERROR), "ok"), (payload(), "error")):
        with pytest.raises(BadPayload):
            decode_payload(claim, evidence(ending))


def test_a_claim_of_another_form_is_refused() -> None:
    tree, buffers = unpack(payload())
    kinds = ("updated", "touched", "replaced", "rebound_equal", "deleted")
    changes: tuple[dict[str, Any], ...] = (
        *({"verdict": "CORRECT"}, {"diff": {}}, {"diff": {"added": [1]} | {kind: [] for kind in kinds}}),
        *({"error": "KeyError"}, {"inferred": [["x"]]}, {"inferred": 99}, {"figures": []}, {"figures": [[None, None]]}),
        *({"files": [["a", "absent", None]]}, {"files": [["a", "fine", 0]]}, {"variables": [["a"]]}, {"result": None}),
    )
    for change in changes:
        with pytest.raises(BadPayload):
            decode_payload(pack({**tree, **change}, [bytes(b) for b in buffers]), evidence())


def test_an_inference_that_left_no_report_has_failed() -> None:
    bare = encode_payload(Exported(1, None, NamespaceDiff()), {}, lambda: b"")
    assert decode_payload(bare, evidence()).inference_failed
    nothing = encode_payload(Exported(1, None, NamespaceDiff()), {}, lambda: None)
    assert not decode_payload(nothing, evidence()).inference_failed


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=50))), st.integers(1, 7))
def test_frames_survive_any_cutting_into_pieces(frames: list[tuple[int, bytes]], step: int) -> None:
    reader, writer = os.pipe()
    for kind, body in frames:
        write_frame(writer, kind, body)
    os.close(writer)
    with open(reader, "rb") as file:
        stream = file.read()
    buffer = FrameBuffer()
    found = [frame for start in range(0, len(stream), step) for frame in buffer.feed(stream[start : start + step])]
    assert found == [Packet(kind, body) for kind, body in frames]


def test_a_frame_that_announces_too_much_is_refused_before_it_comes() -> None:
    with pytest.raises(FrameError, match="announces"):
        list(FrameBuffer(limit=100).feed(b"\x01\xff\xff\xff\xff"))


def test_a_stream_may_end_between_frames_and_not_inside_one() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\x01\x05\x00\x00\x00abc")
    os.close(writer)
    with pytest.raises(FrameError, match="ended"):
        read_frame(reader)
    assert read_frame(reader) is None
    os.close(reader)


def test_a_large_frame_passes_a_small_pipe() -> None:
    reader, writer = os.pipe()
    body = os.urandom(3_000_000)
    thread = threading.Thread(target=write_frame, args=(writer, 7, body))
    thread.start()
    assert read_frame(reader) == Packet(7, body)
    thread.join()
    os.close(reader)
    os.close(writer)


@given(st.lists(st.none() | st.binary(max_size=30), max_size=4))
def test_parts_come_back_as_they_were(blobs: list[bytes | None]) -> None:
    assert unpack_parts(pack_parts({"a": [1, None]}, *blobs)) == ({"a": [1, None]}, blobs)


@given(st.binary(max_size=60))
def test_malformed_parts_are_refused(body: bytes) -> None:
    try:
        header, _ = unpack_parts(body)
    except FrameError:
        return
    assert isinstance(header, dict)
