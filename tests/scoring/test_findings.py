"""What the comparator answers is believed only in the agreed form."""

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.inside.compare.match_model import Answer as InsideAnswer
from evaluator.inside.compare.match_model import Cause as InsideCause
from evaluator.inside.validators.basic import CHECKS, PROBE_CHECKS
from evaluator.inside.validators.graded import PASS_AT as INSIDE_PASS_AT
from evaluator.inside.validators.judging import judge
from evaluator.language import PASS_AT, VALIDATOR_SCHEMAS, ValidatorSpec
from evaluator.scoring import Answer, AuthorFault, BadFindingsError, Cause, Finding, parse_findings

Make = Callable[..., dict[str, Any]]
SPEC = ValidatorSpec(
    "and",
    {},
    (
        ValidatorSpec("crash"),
        ValidatorSpec("or", {}, (ValidatorSpec("result"), ValidatorSpec("stream"))),
        ValidatorSpec("namespace_check", {"a": {}, "b": {}}),
    ),
)


@pytest.fixture
def raw(node: Make) -> dict[str, Any]:
    checked = [node("namespace_check", "yes", variable=name) for name in ("a", "b")]
    either = node("or", "", None, node("result", "no", "VALUE", loose_cause="DTYPE"), node("stream", "yes"))
    return node("and", "", None, node("crash", "yes"), either, node("namespace_check", "", None, *checked))


def test_a_tree_that_fits_the_validators_is_read(raw: dict[str, Any]) -> None:
    finding = parse_findings(raw, SPEC)
    assert isinstance(finding, Finding)
    assert finding.answer is Answer.YES
    result = finding.children[1].children[0]
    assert result == Finding("result", Answer.NO, "because", Cause.VALUE, Cause.DTYPE)
    assert [child.variable for child in finding.children[2].children] == ["a", "b"]


def test_a_tree_becomes_the_published_form(raw: dict[str, Any]) -> None:
    finding = parse_findings(raw, SPEC)
    assert isinstance(finding, Finding)
    assert finding.to_json()["reason"][2] == {
        "correct": "yes",
        "category": "namespace_check",
        "reason": [
            {"correct": "yes", "category": "namespace_check", "reason": "because", "variable": "a"},
            {"correct": "yes", "category": "namespace_check", "reason": "because", "variable": "b"},
        ],
    }


def nodes(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [raw, *(below for child in raw["children"] for below in nodes(child))]


SPOILERS: list[Callable[[dict[str, Any]], Any]] = [
    lambda n: n.update(verdict="CORRECT"),
    lambda n: n.pop("cause"),
    lambda n: n.update(answer="maybe"),
    lambda n: n.update(answer=True),
    lambda n: n.update(answer=["yes"]),
    lambda n: n.update(answer="no" if n["answer"] == "yes" else "yes", cause=None, loose_cause="NON_CODE"),
    lambda n: n.update(cause="BECAUSE", answer="no"),
    lambda n: n.update(cause={"VALUE": 1}),
    lambda n: n.update(reason=5),
    lambda n: n.update(reason="x" * 20_000),
    lambda n: n.update(variable="z"),
    lambda n: n.update(validator="model"),
    lambda n: n.update(validator=None),
    lambda n: n.update(children={}),
    lambda n: n["children"].append(copy.deepcopy(n)),
    lambda n: n["children"].append(5),
]


def test_a_tree_with_anything_else_in_it_is_refused(raw: dict[str, Any]) -> None:
    for place, spoil in itertools.product(range(8), SPOILERS):
        spoilt = copy.deepcopy(raw)
        spoil(nodes(spoilt)[place])
        with pytest.raises(BadFindingsError):
            parse_findings(spoilt, SPEC)


def test_a_finding_that_is_missing_is_refused(raw: dict[str, Any]) -> None:
    for place in range(3):
        spoilt = copy.deepcopy(raw)
        del spoilt["children"][place]
        with pytest.raises(BadFindingsError):
            parse_findings(spoilt, SPEC)
    spoilt = copy.deepcopy(raw)
    spoilt["children"].reverse()
    with pytest.raises(BadFindingsError):
        parse_findings(spoilt, SPEC)


def test_an_answer_against_its_parts_is_refused(raw: dict[str, Any]) -> None:
    raw["children"][2]["children"][0]["answer"] = "no"
    with pytest.raises(BadFindingsError, match="against its parts"):
        parse_findings(raw, SPEC)


json_values: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=8,
)


@given(value=json_values)
def test_anything_that_is_no_tree_is_refused(value: Any) -> None:
    with pytest.raises(BadFindingsError):
        parse_findings(value, SPEC)


def test_the_authors_error_is_read_and_nothing_beside_it() -> None:
    fault = {"what": "w", "where": "x", "fix": "f"}
    assert parse_findings({"author_error": fault}, SPEC) == AuthorFault("w", "x", "f")
    for bad in (
        {"author_error": {**fault, "more": ""}},
        {"author_error": "w"},
        {"author_error": fault, "answer": "yes"},
    ):
        with pytest.raises(BadFindingsError):
            parse_findings(bad, SPEC)


def test_both_sides_of_the_sandbox_use_the_same_words() -> None:
    assert [cause.value for cause in Cause] == [cause.value for cause in InsideCause]
    assert [answer.value for answer in Answer] == [answer.value for answer in InsideAnswer]


def test_every_validator_is_implemented_and_no_other() -> None:
    assert set(VALIDATOR_SCHEMAS) == {*CHECKS, *PROBE_CHECKS, *INSIDE_PASS_AT, "and", "or"}
    assert {name for name, schema in VALIDATOR_SCHEMAS.items() if schema.graded} == set(PASS_AT)
    assert dict(PASS_AT) == INSIDE_PASS_AT


def test_what_the_comparator_answers_is_what_the_host_reads() -> None:
    from evaluator.inside.codec.decode.decoded import DecodedOutcome

    outcome = DecodedOutcome("ok", "x", result=1, variables={"a": 1, "b": 2})
    finding = parse_findings(judge(outcome, outcome, SPEC.to_json()), SPEC)
    assert isinstance(finding, Finding)
    assert finding.answer is Answer.YES
