"""Payloads that a submission cuts, repeats, sends out of turn, too large or from a child: its own loss alone."""

import pytest

from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session

pytestmark = pytest.mark.kernel

PATIENT = CellLimits(wall_s=30)
WANTS = CaptureSpec(names=("ans",))
SPEC = {"name": "namespace_check", "options": {"ans": None}, "children": []}
FORGE = """
import json, os, struct, sys
from evaluator.inside.export.payload import Exported, encode_payload
from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.runtime.frames import FrameKind

claim = encode_payload(Exported(ABSENT, None, NamespaceDiff()), {"ans": 41}, lambda: None)
view = json.dumps({"error": None, "variables": [], "limits_hit": []}).encode()
links = {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2
         and os.path.lexists(f"/proc/self/fd/{fd}")}
control = [fd for fd, link in links.items() if link.startswith("socket:")]


def frame(kind, body=b""):
    return struct.pack("<BI", kind, len(body)) + body


def send(*parts):
    for fd in control:
        os.write(fd, b"".join(parts))


ans = 41
"""
DONE, VIEW, PAYLOAD = "frame(FrameKind.CELL_DONE)", "frame(FrameKind.VIEW, view)", "frame(FrameKind.PAYLOAD, claim)"
FORGED = {
    "a claim before the end of the cell": f"send({PAYLOAD})",
    "what people see before the end of the cell": f"send({VIEW})",
    "an answer of a probe that nobody asked": f"send({DONE}, {VIEW}, frame(FrameKind.ANSWER, claim))",
    "the end of the cell twice": f"send({DONE}, {DONE})",
    "what people see twice": f"send({DONE}, {VIEW}, {VIEW})",
    "a claim without what people see": f"send({DONE}, {PAYLOAD})",
    "a claim of another kind": f'send({DONE}, {VIEW}, frame(FrameKind.FINDINGS, b\'{{"answer": "yes"}}\'))',
    "the cell's own request": "send(frame(FrameKind.JUDGE, claim))",
    "a claim that announces more than may come": (
        f"send({DONE}, {VIEW}, struct.pack('<BI', FrameKind.PAYLOAD, 2**32 - 1))"
    ),
    "half a claim, and an end": f"send({DONE}, {VIEW}, {PAYLOAD}[: len(claim) // 2])\nos._exit(0)",
    "the head of a claim, and an end": f"send({DONE}, {VIEW}, {PAYLOAD}[:3])\nos._exit(0)",
    "a closed socket": "os.closerange(3, 256)",
    "half a claim from a child": (
        f"import time\nif os.fork() == 0:\n    send({VIEW}, {PAYLOAD}[:9])\n    os._exit(0)\nos.wait()\ntime.sleep(0.1)"
    ),
}


def judged(engine: Engine, reference: Outcome, outcome: Outcome) -> str:
    return str(engine.judge(reference, outcome, SPEC)["answer"])


@pytest.mark.parametrize("source", FORGED.values(), ids=FORGED)
def test_a_spoilt_payload_costs_nobody_but_its_sender(engine: Engine, session: Session, source: str) -> None:
    reference = session.attempt("ans = 42", capture=WANTS, limits=PATIENT)
    outcome = session.attempt(FORGE + source, capture=WANTS, limits=PATIENT)
    assert outcome.ending in (Ending.BAD_REPORT, Ending.DIED), outcome.error
    assert outcome.payload is None
    assert judged(engine, reference, outcome) == "no"
    for code, answer in (("ans = 42", "yes"), ("ans = 41", "no")):
        assert judged(engine, reference, session.attempt(code, capture=WANTS, limits=PATIENT)) == answer


@pytest.mark.parametrize(
    "source",
    [
        f"send({DONE}, {VIEW}, {PAYLOAD})",
        f"send({DONE}, {VIEW}, {PAYLOAD}, {PAYLOAD})",
        f"if os.fork() == 0:\n    send({DONE}, {VIEW}, {PAYLOAD})\n    os._exit(0)\nos.wait()\nans = 41",
    ],
    ids=["whole", "whole and once more", "from a child"],
)
def test_a_payload_of_the_cells_own_making_says_no_more_than_it_holds(
    engine: Engine, session: Session, source: str
) -> None:
    reference = session.attempt("ans = 42", capture=WANTS, limits=PATIENT)
    outcome = session.attempt(FORGE + source, capture=WANTS, limits=PATIENT)
    assert judged(engine, reference, outcome) == "no"
    assert judged(engine, reference, session.attempt("ans = 42", capture=WANTS, limits=PATIENT)) == "yes"
