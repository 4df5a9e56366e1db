"""How sure a rate is."""

import pytest

from evaluator.reporting import difficulty_band, validator_answers, wilson_interval


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_is_wilson_s(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_without_trials_there_is_no_interval_and_more_successes_than_trials_are_refused() -> None:
    assert wilson_interval(0, 0) is None
    with pytest.raises(ValueError, match="successes=3"):
        wilson_interval(3, 2)


def test_bands_of_difficulty_double() -> None:
    assert [str(difficulty_band(each)) for each in (0, 7, 8, 15, 16, 100)] == [
        *("0 to 7", "0 to 7", "8 to 15", "8 to 15", "16 to 31", "64 to 127"),
    ]


def test_the_answers_of_validators_are_read_from_whatever_stands_there() -> None:
    inner = {"category": "result", "correct": "no", "reason": "5 is not 4"}
    tree = {"category": "and", "correct": "no", "reason": [{"category": "crash", "correct": "yes"}, inner, 7]}
    assert [each[:3] for each in validator_answers(tree)] == [("crash", "yes", ""), ("result", "no", "5 is not 4")]
    told = [(each.title, each.result) for each in validator_answers(tree)]
    assert told == [("no crash", "passed"), ("result", "failed")]
    assert validator_answers("no tree") == []


def test_the_answers_of_validators_are_told_with_how_deep_they_stand() -> None:
    inner: dict[str, object] = {"category": "crash", "correct": "yes"}
    part = {"category": "namespace_check", "correct": "no", "variable": "totals"}
    for level in range(4):
        told = [(each.title, bool(each.about)) for each in validator_answers(inner)]
        assert told == [("- " * max(0, level - 1) + "no crash", True)]
        inner = {"category": "or", "correct": "yes", "reason": [inner]}
    parts = {"category": "and", "reason": [{"category": "namespace_check", "correct": "no", "reason": [part]}]}
    assert [each.title for each in validator_answers(parts)] == ["namespace_check of totals"]


def test_the_score_of_a_graded_validator_is_read_whatever_stands_there() -> None:
    def score(written: object) -> float | None:
        (answer,) = validator_answers({"category": "visual", "correct": "no", "reason": "", "score": written})
        return answer.score

    assert [score(each) for each in (0.25, 1, None, "0.5", True, float("nan"), [1])] == [0.25, 1.0, *[None] * 5]
