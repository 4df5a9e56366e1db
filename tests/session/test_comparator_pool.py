"""Comparators and graders that die, hang or answer nonsense, and payloads that break them."""

import io
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.export.payload import Exported, encode_payload
from evaluator.session import CaptureSpec, Ending, Engine, Outcome, Session
from evaluator.session import comparator_pool as judges
from evaluator.session.comparator_pool import ComparatorPool
from evaluator.session.grader_pool import Grade, GradeItem
from tests.session.conftest import PATIENT

pytestmark = pytest.mark.kernel

SPEC = {"name": "and", "options": {}, "children": [{"name": "result", "options": {}, "children": []}]}
HALF = "os.write(1, bytes([FrameKind.FINDINGS, 9, 0, 0, 0]) + b'{'); time.sleep(60)"  # a frame that never ends
FAILS = "write_frame(1, FrameKind.FAILED, json.dumps({'reason': 'ValueError while judging'}).encode())"
FRAME = """
import json, os, time
from evaluator.inside.runtime.frames import FrameKind, read_frame, unpack_parts, write_frame
def answer(**findings): write_frame(1, FrameKind.FINDINGS, json.dumps(findings).encode())
while True:
    frame = read_frame(0)
    if frame is None:
        break
    header, claims = unpack_parts(frame.body)
    side, claim = header["submission"], claims[1]
"""
Make = Callable[[str], ComparatorPool]


def outcome(payload: bytes | None, ending: Ending = Ending.OK) -> Outcome:
    return Outcome(ending=ending, source="1", payload=payload)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make a pool of comparators that answer as a few lines say."""
    monkeypatch.setattr(judges, "_BASE_S", 0.3)
    monkeypatch.setattr(judges, "_START_S", 3.0)
    made: list[ComparatorPool] = []

    def pool(body: str) -> ComparatorPool:
        (tmp_path / "payload").mkdir()
        (tmp_path / "payload" / "fake.py").write_text(FRAME + body)
        made.append(ComparatorPool("none", scratch=tmp_path, module="fake"))
        return made[0]

    yield pool
    for one in made:
        one.close()


def test_findings_come_back_as_they_were_given_until_the_pool_is_closed(make: Make) -> None:
    pool = make("    answer(answer='yes', seen=[header['rules'], side['names']])\n")
    assert pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound") == {"answer": "yes", "seen": ["sound", []]}
    pool.close()
    with pytest.raises(UsageError, match="closed"):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")


@pytest.mark.parametrize("fault", ["os.write(1, b'nonsense' * 100)", FAILS, pytest.param(HALF, marks=pytest.mark.deep)])
def test_a_payload_that_breaks_two_comparators_is_a_bad_report(make: Make, fault: str) -> None:
    pool = make(f"    if claim == b'bomb':\n        {fault}\n    else:\n        answer(ending=side['ending'])\n")
    findings = pool.judge(outcome(b"r"), outcome(b"bomb"), SPEC, rules="sound")
    assert findings["ending"] == "bad_report"
    assert findings["bad_report"]
    assert pool.judge(outcome(b"r"), outcome(b"fine"), SPEC, rules="sound") == {"ending": "ok"}


def test_a_reference_that_breaks_comparators_is_our_error_with_a_remedy(make: Make) -> None:
    pool = make("    if claims[0] == b'bomb':\n        os._exit(1)\n    answer(ending=side['ending'])\n")
    with pytest.raises(ToolkitError, match="compared with itself") as caught:
        pool.judge(outcome(b"bomb"), outcome(b"s"), SPEC, rules="sound")
    assert caught.value.fix


def test_a_comparator_that_cannot_start_is_our_error(make: Make) -> None:
    pool = make("    raise SystemExit\n")
    with pytest.raises(ToolkitError):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")


def test_answers_are_yes_no_or_partial_and_forged_payloads_bad_reports(engine: Engine, session: Session) -> None:
    def attempt(source: str) -> Outcome:
        return session.attempt(source, capture=CaptureSpec(infer=True), limits=PATIENT)

    reference = session.execute("21 * 2")
    for source, answer in (("x = 42\nx", "yes"), ("41", "no"), ("x = 6 * 7\nprint('it is', x)", "partial")):
        assert engine.judge(reference, attempt(source), SPEC)["answer"] == answer, source
    findings = engine.judge(reference, replace(attempt("42"), payload=b"BWC1" + bytes(100)), SPEC)
    assert (findings["answer"], "bad_report" in findings) == ("no", True)
    short = replace(attempt("42"), capture=CaptureSpec(names=("a",)))
    assert "other variables" in str(engine.judge(reference, short, SPEC)["bad_report"])


def payload_of(value: Any) -> bytes:
    return encode_payload(Exported(ABSENT, None, NamespaceDiff()), {"ans": value}, lambda: None)


def bomb() -> bytes:
    """Return a payload of little text that takes far longer to read than any comparison may: fractions to reduce."""
    tree, _ = unpack(payload_of(1))
    one = ["frac", ["I", 0], ["I", 1]]
    tree["variables"] = [["ans", ["list", ["n", [one] * 1900]]]]
    return pack(tree, [os.urandom(16_000).hex().encode(), os.urandom(16_000).hex().encode()])


def about(value: bytes) -> Outcome:
    return Outcome(ending=Ending.OK, source="", payload=value, capture=CaptureSpec(names=("ans",)))


def comparing(options: Any = None) -> dict[str, Any]:
    return {"name": "namespace_check", "options": {"ans": options}, "children": []}


@pytest.mark.parametrize("patience", [4.0, pytest.param(5_000.0, marks=pytest.mark.deep)])
def test_a_payload_that_takes_too_long_is_a_bad_report(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr(judges, "_BASE_S", 0.3)
    monkeypatch.setattr(judges, "_AGAIN_S", 0.3)
    monkeypatch.setattr(judges, "_PATIENCE", patience)
    reference, right, wrong = (about(payload_of(value)) for value in (42, 42, 41))
    started = time.monotonic()
    findings = engine.judge(reference, about(bomb()), comparing())
    assert (findings["answer"], "bad_report" in findings) == ("no", True)
    assert time.monotonic() - started < 100  # reading it all takes minutes
    monkeypatch.undo()
    assert engine.judge(reference, right, comparing())["answer"] == "yes"
    assert engine.judge(reference, wrong, comparing())["answer"] == "no"


SLOW = "import time\n\n\ndef compare_fn(expected, found):\n    time.sleep(0.8)\n    return expected == found\n"


def test_an_authors_slow_code_costs_a_submission_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = about(payload_of(42))
    engine.judge(reference, reference, comparing())  # so that the comparator has started
    monkeypatch.setattr(judges, "_BASE_S", 0.3)
    monkeypatch.setattr(judges, "_AGAIN_S", 0.3)
    for value, answer in ((42, "yes"), (41, "no")):
        findings = engine.judge(reference, about(payload_of(value)), comparing(SLOW))
        assert (findings["answer"], "bad_report" in findings) == (answer, False)


def test_a_reference_that_takes_long_gives_its_submissions_longer(make: Make) -> None:
    pool = make("    answer(limit=header['limit_s'], seconds=0.7 if claims[0] == b'large' else 0.01)\n")
    sound: dict[str, Any] = {"validators": SPEC, "rules": "sound"}
    assert pool.judge(outcome(b"large"), outcome(b"s"), **sound) == {"limit": pytest.approx(0.3, abs=0.01)}
    pool._measure(outcome(b"large"), **sound)
    pool._measure(outcome(b"small"), **sound)
    assert pool.judge(outcome(b"large"), outcome(b"s"), **sound) == {"limit": pytest.approx(14.3, abs=0.01)}
    assert pool.judge(outcome(b"small"), outcome(b"s"), **sound) == {"limit": pytest.approx(0.3, abs=0.01)}


def test_a_submission_as_slow_as_its_reference_gets_another_try(make: Make) -> None:
    pool = make("    if claim == b's' and header['limit_s'] < 14:\n        os._exit(1)\n    answer(seconds=0.7)\n")
    assert pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound") == {}


def test_a_real_comparison_tells_what_it_took(engine: Engine) -> None:
    assert engine._comparator_pool._measure(about(payload_of(list(range(100_000)))), comparing(), "sound") > 0
    assert json.dumps(engine.judge(about(payload_of(1)), about(payload_of(1)), comparing())).count("seconds") == 0


def picture(level: int, size: int = 40) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.full((size, size, 3), level, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def test_items_are_graded_in_order_and_hostile_pictures_score_nothing(engine: Engine) -> None:
    items = [
        GradeItem("visual", picture(100), picture(200), sound=False),
        GradeItem("text", b"a b d", b"a b c", sound=False),
        GradeItem("numeric", b"42", b"0.42", sound=False),
        GradeItem("numeric", b"42", b"0.42"),
        GradeItem("final_answer", b"#### 5", b"it is 5"),
        GradeItem("final_answer", b"none", b"it is 5"),
        GradeItem("numeric", None, b"5"),
        GradeItem("numeric", b"5", None),
        GradeItem("visual", picture(1), picture(1)[:70]),
        GradeItem("visual", picture(1), b"\x89PNG\r\n\x1a\n" + b"\xff" * 400),
        GradeItem("visual", picture(1), picture(1)),
    ]
    visual, text, *others = engine.grade(items)
    assert visual.score == pytest.approx(0.800026, abs=5e-7)
    assert text.score == pytest.approx(2 / 3)
    assert others == [
        Grade(1.0),
        Grade(0.0),
        Grade(1.0),
        Grade(None, "unreadable-expected"),
        Grade(0.0, "nothing-expected"),
        Grade(0.0, "nothing-found"),
        Grade(0.0, "unreadable"),
        Grade(0.0, "unreadable"),
        Grade(1.0),
    ]


def test_what_breaks_graders_is_not_graded_and_the_rest_is(engine: Engine) -> None:
    items = [GradeItem("text", b"a", b"a"), GradeItem("no such score", b"a", b"a"), GradeItem("text", b"a", b"b")]
    assert engine.grade(items) == [Grade(1.0), Grade(None, "broke-grader"), Grade(0.0)]
    numbers = [str(number).encode() for number in range(150)]  # in several frames
    grades = engine.grade([GradeItem("numeric", number, b"7") for number in numbers])
    assert [number for number, grade in zip(numbers, grades, strict=True) if grade.score] == [b"7"]
