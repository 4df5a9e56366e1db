"""Where a state lives on, what it says of itself is compared with what was known of it before."""

from typing import Any

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome, NamespaceDiff
from evaluator.inside.export.payload import Exported, decode_payload, encode_payload
from evaluator.language import Problem, resolve_validators
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session

pytestmark = pytest.mark.kernel

PATIENT = CellLimits(wall_s=60)
LIFE = CellLimits(wall_s=300)
ANS = CaptureSpec(names=("ans",))
SETUP = """
import collections, datetime, enum, functools, math, threading, time
from dataclasses import dataclass
import numpy as np
import pandas as pd

df = pd.DataFrame({"x": range(5), "when": pd.date_range("2024", periods=5), "kind": list("abcab")})
big = np.arange(400_000.0)
pairs = [(n, str(n)) for n in range(120_000)]
loose = [1.0, None, 2.0]
holder = {"a": [1, {2, 3}], "b": (4, 5)}
counted = collections.Counter("abca")
Point = collections.namedtuple("Point", "x y")
rng = np.random.default_rng(0)

class Color(enum.Enum):
    RED = 1

@dataclass
class Trip:
    fare: float = 1.0

class Node:
    count = 0
    def __init__(self): self.next = None

@functools.lru_cache
def cached(n): return n

def f(x, *, base=2): return math.log(x, base)

node, trip, point = Node(), Trip(), Point(1, 2)
node.next = Node()
"""
MOST_CELLS = 500
TRIES = 10
SECRETLY = """
import sys

def when_idle():
    main = threading.main_thread().ident
    names = ["run"]
    while "run" in names:  # of the cell: until its report is made
        time.sleep(0.001)
        frame, names = sys._current_frames()[main], []
        while frame is not None:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
    df["x"] = 0

threading.Thread(target=when_idle).start()
ans = 42
"""


def read(outcome: Outcome) -> DecodedOutcome:
    evidence = {"ending": outcome.ending.value, "source": outcome.source, "names": list(outcome.capture.names)}
    return decode_payload(outcome.payload, {**evidence, "watched": [list(each) for each in outcome.watched]})


@pytest.fixture
def prepared(session: Session) -> Session:
    assert session.execute(SETUP, limits=PATIENT).ending is Ending.OK
    return session


def test_a_state_that_nobody_touches_is_what_it_was(prepared: Session) -> None:
    with prepared.keep(LIFE) as kept:
        for number in range(3):
            outcome = kept.execute(f"ans = {number}\ncached(3), f(8), df.sum(numeric_only=True)", limits=PATIENT)
            decoded = read(outcome)
            assert (decoded.diff.updated, outcome.marks) == ((), ())
            assert all(each.known == each.found == each.left for each in outcome.watched)
            assert {"df", "big", "pairs", "node", "f", "Node", "Color"} <= {each.name for each in outcome.watched}


def test_what_a_cell_says_it_changed_is_the_state_that_follows(prepared: Session) -> None:
    changes = (
        "df['x'] = 0\nbig[3] = 0\npairs.pop()\nnode.next.count = 3\nf.__defaults__ = (1,)\nNode.count = 1\ndel point"
    )
    with prepared.keep(LIFE) as kept:
        first = read(kept.execute(changes, limits=PATIENT))
        second = kept.execute("ans = 1\npoint = 3", limits=PATIENT)
        third = kept.execute("ans = 2", limits=PATIENT)
    told = {*first.diff.updated, *first.diff.touched}
    assert told == {"df", "big", "pairs", "node", "f", "Node"}
    assert first.diff.deleted == ("point",)
    assert [(read(outcome).diff.updated, outcome.marks) for outcome in (second, third)] == [((), ()), ((), ())]


def test_a_change_within_the_tolerance_is_no_secret(prepared: Session) -> None:
    with prepared.keep(LIFE) as kept:
        first = read(kept.execute("loose[0] += 1e-9", limits=PATIENT))
        second = kept.execute("ans = 1", limits=PATIENT)
    assert (first.diff.updated, first.diff.near) == ((), ("loose",))
    assert (read(second).diff.updated, second.marks) == ((), ())


def test_a_variable_that_was_hidden_is_not_asked_for(prepared: Session) -> None:
    hidden = CellLimits(wall_s=60, forbid_names=("df",))
    with prepared.keep(LIFE) as kept:
        outcome = kept.execute("ans = 1", limits=hidden)
        later = kept.execute("ans = 2", limits=PATIENT)
    assert "df" not in {each.name for each in outcome.watched}
    assert (read(outcome).diff.updated, read(later).diff.updated) == ((), ())


def test_data_changed_in_secret_are_a_violation_from_then_on(engine: Engine, prepared: Session) -> None:
    """A thread that a cell left changes protected data when that cell has been judged, and puts nothing back."""
    problem = Problem("q", "ans = 42", validator={"template": "intact", "namespace_check": {"ans": None}})
    validators = resolve_validators(problem).to_json()
    reference = prepared.attempt("ans = 42", capture=ANS, limits=PATIENT)

    def answer(outcome: Outcome) -> str:
        return answer_of(engine.judge(reference, outcome, validators))

    for _ in range(TRIES):  # in a few, the change comes while a cell is reported, and that cell tells of it
        with prepared.keep(LIFE) as kept:
            assert answer(kept.execute(SECRETLY, capture=ANS, limits=PATIENT)) == "yes"
            for _ in range(MOST_CELLS):  # between two cells it stands still: it has the moments before and after them
                outcome = kept.execute("ans = 42", capture=ANS, limits=PATIENT)
                if answer(outcome) == "no":
                    break
            later = [outcome, kept.execute("ans = 42", capture=ANS, limits=PATIENT)]
        assert answer(later[0]) == "no"
        if later[0].marks:
            break
    assert [answer(outcome) for outcome in later] == ["no", "no"]
    assert [outcome.marks for outcome in later] == [("export_tampered",)] * 2


def answer_of(found: dict[str, Any]) -> str:
    (intact,) = [child for child in found["children"] if child["validator"] == "namespace_intact"]
    return str(intact["answer"])


Row = tuple[str, str, str, str]
CASES: list[tuple[str, NamespaceDiff, Row, bool]] = [
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
]


@pytest.mark.parametrize(("diff", "watched", "is_lie"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_claimed_is_compared_with_what_is_known(diff: NamespaceDiff, watched: Row, is_lie: bool) -> None:
    payload = encode_payload(Exported(None, None, diff), {}, lambda: None)
    evidence = {"ending": "ok", "source": "", "watched": [list(watched)]}
    updated = decode_payload(payload, evidence).diff.updated
    assert ("df" in updated) is (is_lie or "df" in diff.updated)


def test_a_report_that_leaves_out_what_is_asked_is_no_report(prepared: Session) -> None:
    silent = (
        "import json\nfrom evaluator.inside.runtime.channel import Channel\nsend = Channel.send\n"
        "def forged(self, kind, body=b'', descriptors=()):\n"
        "    if kind == 12:\n        view = json.loads(body)\n        view['states'] = {}\n"
        "        body = json.dumps(view).encode()\n"
        "    return send(self, kind, body, descriptors)\n"
        "Channel.send = forged"
    )
    with prepared.keep(LIFE) as kept:
        assert kept.execute(silent, limits=PATIENT).ending is Ending.BAD_REPORT
