"""Answers of probes are claims: what does not fit the question is no answer at all."""

import dataclasses
import random
from typing import Any

import pytest

from evaluator.inside.claim import BadClaim, read_reports
from evaluator.inside.codec import pack, value_node
from evaluator.inside.decoded import ErrorFacts
from evaluator.inside.encoder import Encoder

CALL = {"probes": [{"kind": "call", "cases": 2, "ending": "ok"}]}
PREDICT = {"probes": [{"kind": "predict", "cases": 0, "ending": "ok"}]}
YES = [value_node(Encoder(), 1), value_node(Encoder(), []), None]
FACTS = dataclasses.asdict(ErrorFacts("ValueError", ("ValueError",), "", ""))
RAISED = [["absent"], value_node(Encoder(), []), FACTS]


def answer(cases: Any, found: Any = True) -> bytes:
    return pack({"found": found, "cases": cases}, [])


def test_every_case_has_an_answer() -> None:
    (report,) = read_reports([answer([YES, YES])], CALL)
    assert (report.found, [case.output for case in report.cases]) == (True, [1, 1])
    (report,) = read_reports([answer([YES, RAISED])], CALL)
    assert report.cases[1].error is not None
    (report,) = read_reports([answer([], found=False)], CALL)
    assert report.found is False


@pytest.mark.parametrize(
    "cases", [[], [YES], [YES, YES, YES], [RAISED, YES], [YES, YES, RAISED], [YES, [1]], [YES, 3], "no list", None]
)
def test_surplus_missing_and_malformed_answers_are_bad_claims(cases: Any) -> None:
    with pytest.raises(BadClaim):
        read_reports([answer(cases)], CALL)


@pytest.mark.parametrize("tree", [{}, [], {"found": True}, {"found": 1, "cases": []}, {"found": False, "cases": [YES]}])
def test_an_answer_of_another_form_is_a_bad_claim(tree: Any) -> None:
    for evidence in (CALL, PREDICT):
        with pytest.raises(BadClaim):
            read_reports([pack(tree, [])], evidence)


def test_answers_and_probes_come_in_pairs() -> None:
    for answers in ([], [None, None]):
        with pytest.raises(BadClaim):
            read_reports(answers, CALL)


@pytest.mark.parametrize("ending", ["died", "timed_out", "missing"])
def test_without_an_answer_there_is_no_evidence(ending: str) -> None:
    (report,) = read_reports([None], {"probes": [{"kind": "call", "cases": 2, "ending": ending}]})
    assert (report.ending, report.found, report.cases) == (ending, False, ())


def test_random_bytes_are_bad_claims() -> None:
    draw = random.Random(1)
    good = answer([YES, YES])
    for length in range(len(good)):
        cut = good[:length] + draw.randbytes(len(good) - length) if length % 2 else good[:length]
        for evidence in (CALL, PREDICT):
            with pytest.raises(BadClaim):
                read_reports([cut], evidence)
