"""Answers of probes are claims: what does not fit the question is no answer at all."""

import dataclasses
import random
from typing import Any

import pytest

from evaluator.inside.codec.codec import pack, value_node
from evaluator.inside.codec.decode.decoded import ABSENT, FAILED, DecodedOutcome, ErrorFacts
from evaluator.inside.codec.encode.encoder import Encoder
from evaluator.inside.export.payload import BadPayload
from evaluator.inside.export.probe_reports import read_reports, with_declared_values

CALL = {"probes": [{"kind": "call", "cases": 2, "ending": "ok"}]}
PREDICT = {"probes": [{"kind": "predict", "cases": 0, "ending": "ok"}]}
YES = [value_node(Encoder(), 1), value_node(Encoder(), []), None]
FACTS = dataclasses.asdict(ErrorFacts("ValueError", ("ValueError",), "", ""))
RAISED = [["absent"], value_node(Encoder(), []), FACTS]


def parts(*trees: Any) -> bytes:
    packed = [pack(tree, []) for tree in trees]
    return b"".join(len(part).to_bytes(8, "little") + part for part in packed)


def answer(cases: Any, found: Any = True) -> bytes:
    return parts({"found": found}, *cases)


def predicted(given: Any, **more: Any) -> bytes:
    node = value_node(Encoder(), given)
    return parts({"found": True, "same_inputs": False, "value": node, "error": None, **more})


def test_every_case_has_an_answer() -> None:
    (report,) = read_reports([answer([YES, YES])], CALL)
    assert (report.ending, report.found, [case.output for case in report.cases]) == ("ok", True, [1, 1])
    (report,) = read_reports([answer([YES, RAISED])], CALL)
    assert report.ending == "ok"
    assert report.cases[1].error is not None
    (report,) = read_reports([answer([], found=False)], CALL)
    assert (report.ending, report.found) == ("ok", False)


def test_answers_before_a_death_or_a_hang_count() -> None:
    whole, more = answer([YES]), answer([YES, YES])
    late = {"probes": [{"kind": "call", "cases": 2, "ending": "timed_out"}]}
    for length in (0, 1, 9):
        for evidence, ending in ((CALL, "died"), (late, "timed_out")):
            (report,) = read_reports([more[: len(whole) + length]], evidence)
            assert (report.ending, len(report.cases)) == (ending, 1)


def test_surplus_and_malformed_answers_are_bad_claims() -> None:
    surplus = ([YES, YES, YES], [RAISED, YES], [RAISED, RAISED], [YES, YES, RAISED])
    for cases in (*surplus, [YES, [1]], [YES, 3], [YES, None]):
        with pytest.raises(BadPayload):
            read_reports([answer(cases)], CALL)
    others: tuple[Any, ...] = ({}, [], {"found": True, "cases": []}, {"found": 1}, {"found": None})
    for tree in others:
        for evidence in (CALL, PREDICT):
            with pytest.raises(BadPayload):
                read_reports([parts(tree)], evidence)


def test_a_value_is_answered_once() -> None:
    assert read_reports([predicted(3)], PREDICT)[0].value == 3
    with pytest.raises(BadPayload):
        read_reports([predicted(3) * 2], PREDICT)


def test_declared_values_stand_among_the_variables() -> None:
    evidence = {"probes": [{"kind": "eval", "cases": 0, "ending": "ok", "as": name} for name in "abcd"]}
    missing = predicted(0, found=False, value=["absent"])
    raised = predicted(0, error=FACTS, value=["absent"])
    reports = read_reports([predicted(3), missing, raised, b""], evidence)
    outcome = DecodedOutcome("ok", "", variables={"x": 1, "a": ABSENT}, reports=reports)
    values = with_declared_values(outcome, evidence).variables
    assert (values["x"], values["a"]) == (1, 3)
    assert values["b"] is ABSENT
    assert values["c"] is FAILED
    assert values["d"] is FAILED


def test_answers_and_probes_come_in_pairs() -> None:
    for answers in ([], [None, None]):
        with pytest.raises(BadPayload):
            read_reports(answers, CALL)


def test_without_an_answer_there_is_no_evidence() -> None:
    for ending in ("died", "timed_out", "missing"):
        (report,) = read_reports([None], {"probes": [{"kind": "call", "cases": 2, "ending": ending}]})
        assert (report.ending, report.found, report.cases) == (ending, False, ())


def test_random_bytes_are_bad_claims_or_say_less() -> None:
    draw = random.Random(1)
    for good, evidence in ((answer([YES, YES]), CALL), (predicted([1, 2]), PREDICT)):
        for length in range(len(good)):
            cut = good[:length] + draw.randbytes(len(good) - length) if length % 2 else good[:length]
            try:
                (report,) = read_reports([cut], evidence)
            except BadPayload:
                continue
            assert report.ending == "died"
            assert report.value is ABSENT
            assert len(report.cases) < 2
