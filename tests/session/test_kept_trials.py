"""Trials that live on: one agent's cells, one after the other, isolated like any submission."""

import time

import pytest

from evaluator.inside.codec.decode.decoded import NamespaceDiff
from evaluator.inside.export.payload import Exported, decode_payload, encode_payload
from evaluator.language import Problem
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    PersistentFork,
    ProbeEnding,
    Session,
    SessionLost,
    record_probes,
)
from evaluator.session.sealing import Stillness, Thread, has_stood, pid_of, threads_below
from tests.session.conftest import PATIENT, read, result

LIFE = CellLimits(wall_s=60)


def test_its_cells_build_on_each_other_and_leave_the_session_alone(session: Session) -> None:
    session.execute("a, b, c = [1], [2], [3]\nopen('kept.txt', 'w').write('before')")
    with session.keep(LIFE) as kept:
        assert read(kept.execute("a.append(2); d = 3", limits=PATIENT)).diff.added == ("d",)
        shows = kept.execute("import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1));", limits=PATIENT)
        assert [output["output_type"] for output in shows.outputs] == ["display_data"]
        second = read(seen := kept.execute("a, d", capture=CaptureSpec(names=("a",)), limits=PATIENT))
        assert [output["output_type"] for output in seen.outputs] == ["execute_result"]  # no figure again
        assert (second.result, second.variables) == (([1, 2], 3), {"a": [1, 2]})
        kept.execute("open('kept.txt', 'w').write('after')", limits=PATIENT)
        diff = read(kept.execute("b.append(1); c = 5; e = 1", limits=PATIENT)).diff
        assert (diff.updated, diff.replaced, diff.added) == (("b",), ("c",), ("e",))
        assert read(kept.execute("open('kept.txt').read()", limits=PATIENT)).result == "after"
    with pytest.raises(SessionLost, match="has ended"):
        kept.execute("1")
    assert result(session, "a, open('kept.txt').read()") == ([1], "before")


def test_an_error_ends_no_state_and_a_hidden_variable_comes_back(session: Session) -> None:
    session.execute("secret = 7")
    with session.keep(LIFE) as kept:
        hidden = CellLimits(wall_s=30, forbid_names=("secret",))
        assert kept.execute("x = 1\nsecret + 1", limits=hidden).ending is Ending.ERROR
        assert read(kept.execute("x, secret", limits=PATIENT)).result == (1, 7)


def test_what_is_evaluated_or_probed_for_a_report_does_not_touch_its_state(session: Session) -> None:
    session.execute("stack, calls = [1, 2, 3], []")
    table = {"function_name": "f", "test_cases": [[1], [2]]}
    probes = record_probes(session, Problem("q", "", validator={"template": "empty", "table_test": table}), PATIENT)
    with session.keep(LIFE) as kept:
        shown = kept.execute("print(stack.pop())", capture=CaptureSpec(infer=True), limits=PATIENT)
        assert shown.outputs[0]["text"] == "3\n"
        source = "def f(x):\n    calls.append(x)\n    return x"
        outcome = kept.execute(source, capture=CaptureSpec(probes=probes), limits=PATIENT)
        assert [answer.ending for answer in outcome.answers] == [ProbeEnding.OK]
        assert read(kept.execute("stack, calls", limits=PATIENT)).result == ([1, 2], [])


def test_a_cell_that_ends_it_leaves_the_session_as_it_was(session: Session) -> None:
    session.execute("a = 1")
    closes = "import os\nfor fd in range(3, 200):\n    try: os.close(fd)\n    except OSError: pass"
    for source, endings in (
        ("while True: pass", {Ending.TIMED_OUT}),
        ("import os\nos.kill(os.getpid(), 9) or os.abort()", {Ending.DIED}),
        (closes, {Ending.BAD_REPORT, Ending.DIED}),
    ):
        with session.keep(LIFE) as kept:
            kept.execute("a = 2", limits=PATIENT)
            limits = CellLimits(wall_s=0.5) if source.startswith("while") else PATIENT
            assert kept.execute(source, limits=limits).ending in endings, source
            with pytest.raises(SessionLost):
                kept.execute("1", limits=PATIENT)
            assert not kept.origin_is_lost
        assert result(session, "a") == 1


def test_its_cells_have_the_rights_and_limits_of_a_submission(sandboxed: Session) -> None:
    seen = "[line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'NoNewPrivs'))]"
    small = CellLimits(wall_s=30, memory_mb=400)
    with sandboxed.keep(CellLimits(wall_s=60, memory_mb=900)) as kept:
        assert read(kept.execute(f"import os\n{seen}, os.getpid()", limits=PATIENT)).result == (
            ["0000000000000000", "1"],
            1,
        )
        outcome = kept.execute("b = bytearray(1 << 30)", limits=small)
        assert (outcome.ending, outcome.limits_hit) == (Ending.ERROR, ("memory",))
        assert kept.execute("c = bytearray(150 << 20)", limits=small).ending is Ending.OK
        assert kept.execute("d = bytearray(1100 << 20)", limits=PATIENT).ending is Ending.ERROR
    assert result(sandboxed, "1") == 1


COUNTS_ON = """
import mmap, os, threading
box, own = mmap.mmap(-1, 64), [0]
def count():
    while True:
        own[0] += 1
threading.Thread(target=count, daemon=True).start()
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        while True:
            box[0] = (box[0] + 1) % 251
    os._exit(0)
os.wait()
import time
time.sleep(0.3)
"""


def cpu_of(kept: PersistentFork) -> dict[int, int]:
    """Return the processor time in ticks of a trial and of what it started, thread by thread."""
    return {number: thread.ticks for number, thread in threads_below(pid_of(kept._cells._pidfd)).items()}


def test_what_a_cell_leaves_stands_still_until_the_next_one(session: Session) -> None:
    with session.keep(LIFE) as kept:
        assert kept.execute(COUNTS_ON, limits=PATIENT).ending is Ending.OK
        before = cpu_of(kept)
        assert len(before) >= 3
        time.sleep(0.3)
        assert cpu_of(kept) == before
        counted = "first = box[0], own[0]\nwhile box[0] == first[0] or own[0] == first[1]: time.sleep(0.01)"
        assert kept.execute(counted, limits=PATIENT).ending is Ending.OK  # and goes on with it
    assert result(session, "1") == 1


STOOD = {1: Thread(b"T", 100, 5), 2: Thread(b"Z", 7, 5), 3: Thread(b"D", 9, 5)}


def test_what_has_stood_still_has_done_nothing() -> None:
    table: list[tuple[Stillness, bool]] = [
        (STOOD, True),
        ({**STOOD, 1: Thread(b"T", 101, 5)}, False),
        ({**STOOD, 1: Thread(b"T", 100, 6)}, False),
        ({**STOOD, 3: Thread(b"T", 19, 50)}, True),  # the kernel let go of it, and it stopped
        ({**STOOD, 3: Thread(b"T", 20, 50)}, False),  # that was more than the end of a system call
        ({**STOOD, 3: Thread(b"R", 9, 5)}, False),
        ({1: STOOD[1], 2: STOOD[2]}, True),  # or its life came to an end with its system call
        ({**STOOD, 4: Thread(b"T", 0, 0)}, False),
        ({1: STOOD[1], 3: STOOD[3]}, True),  # somebody collected the dead one
        ({2: STOOD[2], 3: STOOD[3]}, False),
        ({}, False),
    ]
    assert [has_stood(STOOD, after) for after, _ in table] == [stood for _, stood in table]


SETUP = """
import collections, enum, functools, math
from dataclasses import dataclass
import numpy as np
import pandas as pd

df = pd.DataFrame({"x": range(5), "when": pd.date_range("2024", periods=5), "kind": list("abcab")})
big = np.arange(400_000.0)
pairs = [(n, str(n)) for n in range(1_000)]
loose = [1.0, None, 2.0]
holder = {"a": [1, {2, 3}], "b": (4, 5)}
Point = collections.namedtuple("Point", "x y")
rng = np.random.default_rng(0)

class Color(enum.Enum):
    RED = 1

class Node:
    count = 0
    def __init__(self): self.next = None

@functools.lru_cache
def cached(n): return n

def f(x, *, base=2): return math.log(x, base)

node, point = Node(), Point(1, 2)
node.next = Node()
"""


@pytest.fixture
def prepared(session: Session) -> Session:
    assert session.execute(SETUP, limits=PATIENT).ending is Ending.OK
    return session


def test_what_a_state_says_of_itself_is_compared_with_what_was_known_of_it(prepared: Session) -> None:
    changes = (
        "df['x'] = 0\nbig[3] = 0\npairs.pop()\nnode.next.count = 3\nf.__defaults__ = (1,)\nNode.count = 1\ndel point"
    )
    with prepared.keep(CellLimits(wall_s=300)) as kept:
        untouched = kept.execute("ans = 0\ncached(3), f(8), df.sum(numeric_only=True)", limits=PATIENT)
        assert (read(untouched).diff.updated, untouched.marks) == ((), ())
        assert all(each.known == each.found == each.left for each in untouched.watched)
        assert {"df", "big", "pairs", "node", "f", "Node", "Color"} <= {each.name for each in untouched.watched}
        near = read(kept.execute("loose[0] += 1e-9", limits=PATIENT)).diff  # within the tolerance
        assert (near.updated, near.near) == ((), ("loose",))
        diff = read(kept.execute(changes, limits=PATIENT)).diff
        assert {*diff.updated, *diff.touched} == {"df", "big", "pairs", "node", "f", "Node"}
        assert diff.deleted == ("point",)
        hidden = kept.execute("ans = 1\npoint = 3", limits=CellLimits(wall_s=60, forbid_names=("df",)))
        assert "df" not in {each.name for each in hidden.watched}
        later = kept.execute("ans = 2", limits=PATIENT)
    assert [(read(each).diff.updated, each.marks) for each in (hidden, later)] == [((), ()), ((), ())]


FORGES = """
import json
from evaluator.inside.runtime.channel import Channel
send, is_silent = Channel.send, False
def forged(self, kind, body=b'', descriptors=()):
    if kind == 12:
        view = json.loads(body)
        view['states']['df'][0] = 'another'
        view['states'] = {} if is_silent else view['states']
        body = json.dumps(view).encode()
    return send(self, kind, body, descriptors)
Channel.send = forged
"""


def test_a_state_that_is_not_the_known_one_is_marked_from_then_on(prepared: Session) -> None:
    with prepared.keep(LIFE) as kept:
        for source in (FORGES, "ans = 1"):
            outcome = kept.execute(source, limits=PATIENT)
            assert "export_tampered" in outcome.marks
            assert "df" in read(outcome).diff.updated
        assert kept.execute("is_silent = True", limits=PATIENT).ending is Ending.BAD_REPORT  # what is asked is left out


Row = tuple[str, str, str, str]
CLAIMS: tuple[tuple[str, NamespaceDiff, Row, bool], ...] = (
    ("nothing happened", NamespaceDiff(), ("df", "a", "a", "a"), False),
    ("a change that is told", NamespaceDiff(updated=("df",)), ("df", "a", "a", "b"), False),
    ("a change that is not", NamespaceDiff(), ("df", "a", "a", "b"), True),
    ("a change that only another variable's is told", NamespaceDiff(updated=("x",)), ("df", "a", "a", "b"), True),
    ("said to be unchecked", NamespaceDiff(not_checked=("df",)), ("df", "a", "a", "b"), True),
    ("a change before", NamespaceDiff(), ("df", "a", "b", "b"), True),
    ("a change before and back", NamespaceDiff(), ("df", "a", "b", "a"), True),
    ("within the tolerance", NamespaceDiff(near=("df",)), ("df", "a", "a", "b"), False),
    ("deleted", NamespaceDiff(deleted=("df",)), ("df", "a", "a", ""), False),
    ("deleted in secret", NamespaceDiff(), ("df", "a", "a", ""), True),
)


def test_what_is_claimed_is_compared_with_what_is_known() -> None:
    for what, diff, watched, is_lie in CLAIMS:
        payload = encode_payload(Exported(None, None, diff), {}, lambda: None)
        evidence = {"ending": "ok", "source": "", "watched": [list(watched)]}
        assert ("df" in decode_payload(payload, evidence).diff.updated) is (is_lie or "df" in diff.updated), what
