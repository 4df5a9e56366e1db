"""Comparator processes that die, hang or answer nonsense, and claims that break them."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.codec.decode.decoded import ABSENT, NamespaceDiff
from evaluator.inside.export.payload import Exported, encode_payload
from evaluator.inside.validators import author_code as checkers
from evaluator.session import CaptureSpec, CellLimits, Ending, Engine, Outcome, Session
from evaluator.session import comparator_pool as judges
from evaluator.session.comparator_pool import ComparatorPool

pytestmark = pytest.mark.kernel

SPEC = {"name": "and", "options": {}, "children": [{"name": "result", "options": {}, "children": []}]}
HALF = "os.write(1, bytes([FrameKind.FINDINGS, 9, 0, 0, 0]) + b'{'); time.sleep(60)"  # a frame that never ends
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


def outcome(payload: bytes | None, ending: Ending = Ending.OK) -> Outcome:
    return Outcome(ending=ending, source="1", payload=payload)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ComparatorPool]]:
    monkeypatch.setattr(judges, "_BASE_S", 0.5)
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


def test_findings_come_back_as_they_were_given(make: Callable[[str], ComparatorPool]) -> None:
    pool = make("    answer(answer='yes', seen=[header['rules'], side['names']])\n")
    assert pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound") == {"answer": "yes", "seen": ["sound", []]}


@pytest.mark.parametrize(
    "fault", ["os._exit(1)", "time.sleep(60)", "os.write(1, b'nonsense' * 100)", "answer(); 1/0", HALF]
)
def test_a_claim_that_breaks_two_comparators_is_a_bad_report(make: Callable[[str], ComparatorPool], fault: str) -> None:
    if fault.startswith("answer"):
        fault = "write_frame(1, FrameKind.FAILED, json.dumps({'reason': 'ValueError while judging'}).encode())"
    pool = make(f"    if claim == b'bomb':\n        {fault}\n    else:\n        answer(ending=side['ending'])\n")
    findings = pool.judge(outcome(b"r"), outcome(b"bomb"), SPEC, rules="sound")
    assert findings["ending"] == "bad_report"
    assert findings["bad_report"]
    assert pool.judge(outcome(b"r"), outcome(b"fine"), SPEC, rules="sound") == {"ending": "ok"}


def test_a_reference_that_breaks_comparators_is_our_error_with_a_remedy(make: Callable[[str], ComparatorPool]) -> None:
    pool = make("    if claims[0] == b'bomb':\n        os._exit(1)\n    answer(ending=side['ending'])\n")
    with pytest.raises(ToolkitError, match="compared with itself") as caught:
        pool.judge(outcome(b"bomb"), outcome(b"s"), SPEC, rules="sound")
    assert caught.value.fix


def test_a_comparator_that_cannot_start_is_our_error(make: Callable[[str], ComparatorPool]) -> None:
    pool = make("    raise SystemExit\n")
    with pytest.raises(ToolkitError):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")


@pytest.fixture
def judged(engine: Engine, session: Session) -> Callable[[str, str], dict[str, object]]:
    def judge(reference: str, submission: str) -> dict[str, object]:
        patient = CellLimits(wall_s=30)
        found = session.attempt(submission, capture=CaptureSpec(infer=True), limits=patient)
        return engine.judge(session.execute(reference, limits=patient), found, SPEC)

    return judge


def test_a_right_answer_is_yes_and_a_wrong_one_no(judged: Callable[[str, str], dict[str, object]]) -> None:
    assert judged("21 * 2", "x = 42\nx")["answer"] == "yes"
    assert judged("21 * 2", "41")["answer"] == "no"


def test_a_printed_answer_is_partial(judged: Callable[[str, str], dict[str, object]]) -> None:
    assert judged("21 * 2", "x = 6 * 7\nprint('it is', x)")["answer"] == "partial"


def test_a_claim_of_random_bytes_is_a_bad_report(engine: Engine, session: Session) -> None:
    reference = session.execute("5")
    forged = replace(session.attempt("5", limits=CellLimits(wall_s=30)), payload=b"BWC1" + bytes(100))
    findings = engine.judge(reference, forged, SPEC)
    assert findings["answer"] == "no"
    assert "bad_report" in findings


def test_a_claim_with_other_variables_than_asked_is_a_bad_report(engine: Engine, session: Session) -> None:
    reference = session.execute("a = 1\na", capture=CaptureSpec(names=("a",)))
    short = session.attempt("a", limits=CellLimits(wall_s=30))
    findings = engine.judge(reference, replace(short, capture=CaptureSpec(names=("a",))), SPEC)
    assert "other variables" in str(findings["bad_report"])


def test_a_closed_pool_starts_no_more_comparators(make: Callable[[str], ComparatorPool]) -> None:
    pool = make("    answer(answer='yes')\n")
    pool.close()
    with pytest.raises(UsageError, match="closed"):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")


def payload_of(value: Any) -> bytes:
    return encode_payload(Exported(ABSENT, None, NamespaceDiff()), {"ans": value}, lambda: None)


def bomb() -> bytes:
    """Return a claim of little text that takes far longer to read than any comparison may: fractions to be reduced."""
    tree, _ = unpack(payload_of(1))
    one = ["frac", ["I", 0], ["I", 1]]
    tree["variables"] = [["ans", ["list", ["n", [one] * 1900]]]]
    return pack(tree, [os.urandom(16_000).hex().encode(), os.urandom(16_000).hex().encode()])


def about(value: bytes) -> Outcome:
    return Outcome(ending=Ending.OK, source="", payload=value, capture=CaptureSpec(names=("ans",)))


def comparing(options: Any = None) -> dict[str, Any]:
    return {"name": "namespace_check", "options": {"ans": options}, "children": []}


def test_a_claim_that_takes_too_long_is_a_bad_report_and_the_next_one_is_judged(engine: Engine) -> None:
    reference, hostile = about(payload_of(42)), about(bomb())
    started = time.monotonic()
    findings = engine.judge(reference, hostile, comparing())
    assert "bad_report" in findings
    assert findings["answer"] == "no"
    assert time.monotonic() - started < 100  # reading it all takes minutes
    assert engine.judge(reference, about(payload_of(42)), comparing())["answer"] == "yes"
    assert engine.judge(reference, about(payload_of(41)), comparing())["answer"] == "no"


def test_a_comparator_dies_of_its_own_clock_when_its_time_is_used_up(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judges, "_BASE_S", 0.2)
    monkeypatch.setattr(judges, "_AGAIN_S", 0.2)
    monkeypatch.setattr(judges, "_PATIENCE", 5_000.0)  # so that nobody else ends it
    findings = engine.judge(about(payload_of(42)), about(bomb()), comparing())
    assert "bad_report" in findings


SLOW = "import time\n\n\ndef compare_fn(expected, found):\n    time.sleep({})\n    return expected == found\n"


def test_an_authors_slow_code_costs_a_submission_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "_BASE_S", 0.5)
    monkeypatch.setattr(judges, "_AGAIN_S", 0.5)
    reference = about(payload_of(42))
    spec = {"name": "and", "options": {}, "children": [comparing(SLOW.format(1.5)), comparing(SLOW.format(1.5))]}
    engine.judge(reference, reference, spec)  # so that the comparator has started
    for value, answer in ((42, "yes"), (41, "no")):
        findings = engine.judge(reference, about(payload_of(value)), spec)
        assert "bad_report" not in findings
        assert findings["answer"] == answer


def test_as_long_is_waited_as_all_of_an_authors_code_may_take() -> None:
    def wall_s(*validators: dict[str, Any]) -> float:
        spec = {"name": "and", "options": {}, "children": list(validators)}
        return judges._Request(outcome(b""), outcome(b""), spec, "sound", 1.0).wall_s

    table = {"function_name": "f", "test_cases": [[1], [2], "//"], "output_checker": "code", "input_checker": None}
    plain = wall_s(SPEC, {"name": "namespace_check", "options": {"a": None, "b": {"atol": 1}}, "children": []})
    assert judges._CHECKER_S > checkers.LIMIT_S
    assert wall_s(SPEC) == plain
    for runs, validator in (
        (1, {"name": "namespace_check", "options": {"a": "code", "b": {"atol": 1}}}),
        (2, {"name": "namespace_check", "options": {"a": "code", "b": {"compare_fn": "code"}}}),
        (1, {"name": "result", "options": {"compare_fn": "code"}}),
        (1, {"name": "mine", "code": "code", "options": {"column": "x"}}),
        (4, {"name": "table_test", "options": table}),  # for all cases at once, then for each
        (8, {"name": "table_test", "options": {**table, "input_checker": {"compare_fn": "code"}}}),
        (0, {"name": "table_test", "options": {**table, "output_checker": None}}),
    ):
        assert wall_s(validator) == pytest.approx(plain + runs * judges._CHECKER_S), validator


def test_a_reference_that_takes_long_gives_its_submissions_longer(make: Callable[[str], ComparatorPool]) -> None:
    pool = make("    answer(limit=header['limit_s'], seconds=0.7 if claims[0] == b'large' else 0.01)\n")
    sound: dict[str, Any] = {"validators": SPEC, "rules": "sound"}
    assert pool.judge(outcome(b"large"), outcome(b"s"), **sound) == {"limit": pytest.approx(0.5, abs=0.01)}
    pool._measure(outcome(b"large"), **sound)
    pool._measure(outcome(b"small"), **sound)
    assert pool.judge(outcome(b"large"), outcome(b"s"), **sound) == {"limit": pytest.approx(14.5, abs=0.01)}
    assert pool.judge(outcome(b"small"), outcome(b"s"), **sound) == {"limit": pytest.approx(0.5, abs=0.01)}


def test_a_submission_that_is_slow_because_its_reference_is_gets_a_second_chance(
    make: Callable[[str], ComparatorPool],
) -> None:
    pool = make("    if claim == b's' and header['limit_s'] < 14:\n        os._exit(1)\n    answer(seconds=0.7)\n")
    assert pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound") == {}


def test_a_real_comparison_tells_what_it_took(engine: Engine) -> None:
    assert engine._comparator_pool._measure(about(payload_of(list(range(100_000)))), comparing(), "sound") > 0
    assert json.dumps(engine.judge(about(payload_of(1)), about(payload_of(1)), comparing())).count("seconds") == 0
