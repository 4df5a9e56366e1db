"""What a cell says of itself: forged, cut or late reports cost their sender alone, changes of the state are told."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.language import Problem, resolve_validators
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from evaluator.session.cell_report import MAX_JSON_DEPTH, ExportTime, NestedTooDeeplyError, read_hostile_json, read_view
from tests.session.conftest import PATIENT, read

ANS = CaptureSpec(names=("ans",))
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
    "a payload before the end of the cell": f"send({PAYLOAD})",
    "what people see before the end of the cell": f"send({VIEW})",
    "an answer of a probe that nobody asked": f"send({DONE}, {VIEW}, frame(FrameKind.ANSWER, claim))",
    "the end of the cell twice": f"send({DONE}, {DONE})",
    "what people see twice": f"send({DONE}, {VIEW}, {VIEW})",
    "a payload without what people see": f"send({DONE}, {PAYLOAD})",
    "findings": f'send({DONE}, {VIEW}, frame(FrameKind.FINDINGS, b\'{{"answer": "yes"}}\'))',
    "the cell's own request": "send(frame(FrameKind.JUDGE, claim))",
    "one that announces more than may come": (
        f"send({DONE}, {VIEW}, struct.pack('<BI', FrameKind.PAYLOAD, 2**32 - 1))"
    ),
    "half a payload, and an end": f"send({DONE}, {VIEW}, {PAYLOAD}[: len(claim) // 2])\nos._exit(0)",
    "the head of a payload, and an end": f"send({DONE}, {VIEW}, {PAYLOAD}[:3])\nos._exit(0)",
    "a closed socket": "os.closerange(3, 256)",
    "half a payload from a child": (
        f"import time\nif os.fork() == 0:\n    send({VIEW}, {PAYLOAD}[:9])\n    os._exit(0)\nos.wait()\ntime.sleep(0.1)"
    ),
}


def test_a_spoilt_report_costs_nobody_but_its_sender(engine: Engine, session: Session) -> None:
    reference = session.attempt("ans = 42", capture=ANS, limits=PATIENT)

    def answer(outcome: Outcome) -> str:
        return str(engine.judge(reference, outcome, SPEC)["answer"])

    for what, source in FORGED.items():
        outcome = session.attempt(FORGE + source, capture=ANS, limits=PATIENT)
        assert outcome.ending in (Ending.BAD_REPORT, Ending.DIED), (what, outcome.error)
        assert outcome.payload is None, what
    assert answer(outcome) == "no"  # pyrefly: ignore[unbound-name]
    for source in (  # whole, whole and once more, from a child: it says no more than it holds
        f"send({DONE}, {VIEW}, {PAYLOAD})",
        f"send({DONE}, {VIEW}, {PAYLOAD}, {PAYLOAD})",
        f"if os.fork() == 0:\n    send({DONE}, {VIEW}, {PAYLOAD})\n    os._exit(0)\nos.wait()\nans = 41",
    ):
        assert answer(session.attempt(FORGE + source, capture=ANS, limits=PATIENT)) == "no", source
    for source, expected in (("ans = 42", "yes"), ("ans = 41", "no")):
        assert answer(session.attempt(source, capture=ANS, limits=PATIENT)) == expected


def test_a_view_has_exactly_the_agreed_form() -> None:
    variable = {"name": "x", "type": "int", "text": "1", "change": "added"}
    view: dict[str, object] = {
        "error": None,
        "variables": [variable],
        "limits_hit": ["memory"],
        "marks": ["ctypes"],
        "states": {},
    }
    assert read_view(json.dumps(view).encode()) == view
    wrong: list[dict[str, object]] = [
        {"error": {"name": "E", "message": "m"}},
        {"error": {"name": "E", "message": "m", "traceback": 1}},
        {"variables": {}},
        {"variables": [variable] * 1001},
        {"variables": [{**variable, "more": ""}]},
        {"limits_hit": ["time"]},  # for the host to say
        {"limits_hit": None},
        {"marks": ["anything"]},
        {"states": []},
        {"states": {"x": ["a"]}},
        {"states": {"x": ["a", "b" * 65]}},
    ]
    for change in wrong:
        assert read_view(json.dumps({**view, **change}).encode()) is None, change
    assert read_view(b"[]") is read_view(b"{") is read_view(b'{"error": null}') is None
    assert read_view(json.dumps(view).encode() + b" " * 4 * 1024 * 1024) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_honest_json_arrives_as_it_is(value: object) -> None:
    for ascii_only in (True, False):
        assert read_hostile_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


def test_json_out_of_a_sandbox_can_be_written_down_or_is_refused() -> None:
    for body in (
        b'{"a\\ud800": ["\\udfff\\ud83d", "\\ud83d\\ude00"]}',
        b'{"a\xed\xa0\x80": ["??", "\xf0\x9f\x98\x80"]}',
    ):
        assert read_hostile_json(body) == {"a?": ["??", "😀"]}  # halves of surrogate pairs
    numbers = read_hostile_json(b'[NaN, Infinity, {"a": -Infinity}, 1e999, -1e999, 1.5, 2]')
    assert numbers == [None, None, {"a": None}, None, None, 1.5, 2]
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        assert read_hostile_json(opening * MAX_JSON_DEPTH + b"1" + closing * MAX_JSON_DEPTH)
        for depth in (MAX_JSON_DEPTH + 1, 520, 990, 200_000):
            with pytest.raises(NestedTooDeeplyError):
                read_hostile_json(opening * depth + b"1" + closing * depth)
    for body in (b"", b"{", b"\xff\xff", b"nul"):
        with pytest.raises(ValueError):  # noqa: PT011  # of whatever kind
            read_hostile_json(body)


PATCHED = """
import gc, time
from evaluator.inside.runtime.channel import Channel
send = Channel.send
for channel in [c for c in gc.get_objects() if type(c) is Channel]:
    try:
        send(channel, 10)
    except OSError:
        pass  # the session's own, which is closed
Channel.send = lambda self, kind, body=b"", descriptors=(): kind == 10 or send(self, kind, body, descriptors)
"""
"""Says that the cell has ended, and keeps the worker from saying it again."""


def test_a_cell_that_says_it_ended_and_works_on_runs_out_of_time(session: Session) -> None:
    started = time.monotonic()
    outcome = session.attempt(f"{PATCHED}time.sleep(50)\nans = 42", capture=ANS, limits=CellLimits(wall_s=1))
    assert (outcome.ending, outcome.limits_hit) == (Ending.TIMED_OUT, ("time",))
    assert outcome.payload is None
    assert outcome.seconds > 1
    assert time.monotonic() - started < 45  # nobody waits for it
    in_time = session.attempt(f"{PATCHED}ans = 42", capture=ANS, limits=PATIENT)  # earns what it says
    assert (in_time.ending, read(in_time).variables) == (Ending.OK, {"ans": 42})


def test_a_report_that_never_comes_is_a_timeout(session: Session) -> None:
    silent = f"{PATCHED}Channel.send = lambda *a: None\nans = 42"
    outcome = session.attempt(silent, capture=ANS, limits=CellLimits(wall_s=0.3))
    assert outcome.ending in (Ending.TIMED_OUT, Ending.DIED)  # when all is said, its process ends
    assert outcome.payload is None


def test_drawing_and_evaluating_again_are_no_time_of_the_cell(session: Session) -> None:
    session.execute("import matplotlib\nimport matplotlib.pyplot as plt\nimport time", limits=PATIENT)
    slow = "class Slow(plt.Figure):\n    def draw(self, *a): time.sleep(1); return super().draw(*a)\n"
    source = f"{slow}_ = plt.figure(FigureClass=Slow)\nans = 1"
    outcome = session.attempt(source, capture=ANS, limits=CellLimits(wall_s=0.8))
    assert outcome.ending is Ending.OK
    assert [output["output_type"] for output in outcome.outputs] == ["display_data"]
    source = "def slow():\n    time.sleep(0.3)\n    global ans\n    ans += 1\n    return ans\nans = 1\nprint(slow())"
    decoded = read(session.attempt(source, capture=CaptureSpec(names=("ans",), infer=True), limits=PATIENT))
    assert (decoded.variables, [each.value for each in decoded.inferred]) == ({"ans": 2}, [3])


def test_the_allowance_grows_with_what_was_measured_held_and_received() -> None:
    exports, mb = ExportTime(), 1024 * 1024
    bare = exports.allowance_s(held_bytes=0, received_bytes=0)
    assert exports.allowance_s(held_bytes=100 * mb, received_bytes=0) > bare
    assert exports.allowance_s(held_bytes=0, received_bytes=64 * mb) > bare + 5
    exports.measure(1.0)
    exports.measure(0.1)
    assert exports.allowance_s(held_bytes=0, received_bytes=0) == bare + 5
    exports.measure(10_000.0)  # the machine slept
    assert exports.allowance_s(held_bytes=0, received_bytes=0) < 60


TAMPERED = """
from evaluator.inside.runtime import namespace
from evaluator.inside.codec.decode.decoded import NamespaceDiff
nothing = NamespaceDiff(added=("ans",))
namespace._difference = lambda *a: nothing
df['x'] = 0
ans = 42
"""
HONEST = """
import builtins, json, hashlib
from evaluator.inside.runtime import namespace
builtins.sorted = json.dumps = hashlib.sha256 = np.asarray = None
pd.DataFrame.sum = lambda *a: namespace._difference.__name__
ans = 42
"""


def test_changing_what_reports_a_cell_is_marked_and_a_violation(engine: Engine, session: Session) -> None:
    session.execute("import numpy as np\nimport pandas as pd\ndf = pd.DataFrame({'x': range(5)})", limits=PATIENT)
    problem = Problem("q", "ans = 42", validator={"template": "intact", "namespace_check": {"ans": None}})
    validators = resolve_validators(problem).to_json()
    reference, honest, tampered = (
        session.attempt(source, capture=ANS, limits=PATIENT) for source in ("ans = 42", HONEST, TAMPERED)
    )
    assert ("export_tampered" in honest.marks, read(honest).diff.tampered) == (False, ())
    assert ("export_tampered" in tampered.marks, bool(read(tampered).diff.tampered)) == (True, True)
    for outcome, is_intact in ((honest, "yes"), (tampered, "no")):
        found = engine.judge(reference, outcome, validators)
        answers = {leaf["validator"]: leaf["answer"] for child in found["children"] for leaf in [child]}
        assert answers["namespace_intact"] == is_intact
        assert answers["namespace_check"] == "yes"


STATE = """import os, threading, time
import numpy as np
import pandas as pd
frame = pd.DataFrame({"x": np.arange(300_000)})
array = np.ones(300_000)
"""


def test_every_change_of_large_data_is_reported(session: Session) -> None:
    """The kernel is asked which of its pages were written to."""
    session.execute(STATE, limits=PATIENT)

    def changed(outcome: Outcome) -> set[str]:
        return {variable.name for variable in outcome.variables if variable.change == "updated"}

    for code, names in (
        ("frame.sum()", set()),
        ("frame.iloc[299_999, 0] = -1", {"frame"}),
        ("array[150_000] = 2\narray[150_000] = 1", set()),
        ("frame['x'] = frame['x']\narray *= 2", {"array"}),
        ("frame.columns = ['y']", {"frame"}),
        ("array[0] = 2\nos.fork() or time.sleep(60)", {"array"}),
        ("array[0] = 2\nthreading.Thread(target=lambda: time.sleep(60)).start()", {"array"}),
    ):
        assert changed(session.attempt(code, limits=PATIENT)) == names, code
    assert changed(session.execute("array[7] = 3", limits=PATIENT)) == {"array"}
    assert changed(session.attempt("array[7] = 1", limits=PATIENT)) == {"array"}
    assert changed(session.attempt("array.sum()", limits=PATIENT)) == set()
