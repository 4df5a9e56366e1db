"""Comparator processes that die, hang or answer nonsense, and claims that break them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.errors import ToolkitError, UsageError
from evaluator.session import CellLimits, Ending, Engine, Outcome, Session, Wants, judges
from evaluator.session.judges import Judges

pytestmark = pytest.mark.kernel

SPEC = {"name": "and", "options": {}, "children": [{"name": "result", "options": {}, "children": []}]}
HALF = "os.write(1, bytes([Kind.FINDINGS, 9, 0, 0, 0]) + b'{'); time.sleep(60)"  # a frame that never ends
FRAME = """
import json, os, time
from evaluator.inside.frames import Kind, read_frame, unpack_parts, write_frame
def answer(**findings): write_frame(1, Kind.FINDINGS, json.dumps(findings).encode())
while True:
    frame = read_frame(0)
    if frame is None:
        break
    header, claims = unpack_parts(frame.body)
    side, claim = header["submission"], claims[1]
"""


def outcome(claim: bytes | None, ending: Ending = Ending.OK) -> Outcome:
    return Outcome(ending=ending, source="1", claim=claim)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Judges]]:
    monkeypatch.setattr(judges, "_ANSWER_S", 1.0)
    monkeypatch.setattr(judges, "_START_S", 3.0)
    made: list[Judges] = []

    def pool(body: str) -> Judges:
        (tmp_path / "payload").mkdir()
        (tmp_path / "payload" / "fake.py").write_text(FRAME + body)
        made.append(Judges("none", scratch=tmp_path, module="fake"))
        return made[0]

    yield pool
    for one in made:
        one.close()


def test_findings_come_back_as_they_were_given(make: Callable[[str], Judges]) -> None:
    pool = make("    answer(answer='yes', seen=[header['rules'], side['names']])\n")
    assert pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound") == {"answer": "yes", "seen": ["sound", []]}


@pytest.mark.parametrize(
    "fault", ["os._exit(1)", "time.sleep(60)", "os.write(1, b'nonsense' * 100)", "answer(); 1/0", HALF]
)
def test_a_claim_that_breaks_two_comparators_is_a_bad_report(make: Callable[[str], Judges], fault: str) -> None:
    if fault.startswith("answer"):
        fault = "write_frame(1, Kind.FAILED, json.dumps({'reason': 'ValueError while judging'}).encode())"
    pool = make(f"    if claim == b'bomb':\n        {fault}\n    else:\n        answer(ending=side['ending'])\n")
    findings = pool.judge(outcome(b"r"), outcome(b"bomb"), SPEC, rules="sound")
    assert findings["ending"] == "bad_report"
    assert findings["bad_report"]
    assert pool.judge(outcome(b"r"), outcome(b"fine"), SPEC, rules="sound") == {"ending": "ok"}


def test_a_reference_that_breaks_comparators_is_our_error_with_a_remedy(make: Callable[[str], Judges]) -> None:
    pool = make("    if claims[0] == b'bomb':\n        os._exit(1)\n    answer(ending=side['ending'])\n")
    with pytest.raises(ToolkitError, match="compared with itself") as caught:
        pool.judge(outcome(b"bomb"), outcome(b"s"), SPEC, rules="sound")
    assert caught.value.fix


def test_a_comparator_that_cannot_start_is_our_error(make: Callable[[str], Judges]) -> None:
    pool = make("    raise SystemExit\n")
    with pytest.raises(ToolkitError):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")


@pytest.fixture
def judged(engine: Engine, session: Session) -> Callable[[str, str], dict[str, object]]:
    def judge(reference: str, submission: str) -> dict[str, object]:
        patient = CellLimits(wall_s=30)
        found = session.attempt(submission, wants=Wants(infer=True), limits=patient)
        return engine.judge(session.execute(reference, limits=patient), found, SPEC)

    return judge


def test_a_right_answer_is_yes_and_a_wrong_one_no(judged: Callable[[str, str], dict[str, object]]) -> None:
    assert judged("21 * 2", "x = 42\nx")["answer"] == "yes"
    assert judged("21 * 2", "41")["answer"] == "no"


def test_a_printed_answer_is_partial(judged: Callable[[str, str], dict[str, object]]) -> None:
    assert judged("21 * 2", "x = 6 * 7\nprint('it is', x)")["answer"] == "partial"


def test_a_claim_of_random_bytes_is_a_bad_report(engine: Engine, session: Session) -> None:
    reference = session.execute("5")
    forged = replace(session.attempt("5", limits=CellLimits(wall_s=30)), claim=b"BWC1" + bytes(100))
    findings = engine.judge(reference, forged, SPEC)
    assert findings["answer"] == "no"
    assert "bad_report" in findings


def test_a_claim_with_other_variables_than_asked_is_a_bad_report(engine: Engine, session: Session) -> None:
    reference = session.execute("a = 1\na", wants=Wants(names=("a",)))
    short = session.attempt("a", limits=CellLimits(wall_s=30))
    findings = engine.judge(reference, replace(short, wants=Wants(names=("a",))), SPEC)
    assert "other variables" in str(findings["bad_report"])


def test_a_closed_pool_starts_no_more_comparators(make: Callable[[str], Judges]) -> None:
    pool = make("    answer(answer='yes')\n")
    pool.close()
    with pytest.raises(UsageError, match="closed"):
        pool.judge(outcome(b"r"), outcome(b"s"), SPEC, rules="sound")
