"""The eight metrics of models, with and without scikit-learn."""

import math

import numpy as np
import pytest

from evaluator.inside.compare import model_metrics as metrics
from evaluator.inside.compare.model_metrics import METRICS, measure
from evaluator.inside.validators.model_scores import is_good_enough

TRUE = [0, 1, 1, 0, 1, 1]
FOUND = [0, 1, 0, 1, 1, 1]
EXPECTED = {
    "accuracy": 4 / 6,
    "precision": 3 / 4,
    "recall": 3 / 4,
    "f1": 3 / 4,
    "roc_auc": 0.625,
    "r2": 1 - 2 / (6 * (4 / 6) * (2 / 6)),
    "mse": 2 / 6,
    "rmse": math.sqrt(2 / 6),
}


@pytest.fixture(params=[True, False], ids=["sklearn", "own"])
def _implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        pytest.importorskip("sklearn")
    monkeypatch.setattr(metrics, "_has_sklearn", lambda: request.param)


@pytest.mark.usefixtures("_implementation")
def test_a_metric_has_its_textbook_value() -> None:
    assert {metric: measure(metric, TRUE, FOUND) for metric in METRICS} == pytest.approx(EXPECTED)


@pytest.mark.usefixtures("_implementation")
def test_more_than_two_classes_are_averaged() -> None:
    assert measure("recall", list("abcc"), list("abca")) == pytest.approx((1 + 1 + 0.5) / 3)
    assert measure("precision", ["no", "yes"], ["yes", "yes"]) == pytest.approx(0.5)


@pytest.mark.usefixtures("_implementation")
def test_a_prediction_does_not_change_what_a_score_is_about() -> None:
    labels = np.array([0, 0, 0, 1] * 5)
    for metric in ("precision", "recall", "f1"):
        for strangers in ([2], [-1, 2, 3]):
            predictions = np.zeros(20)
            predictions[: len(strangers)] = strangers
            assert measure(metric, labels, predictions) == measure(metric, labels * 0, predictions) == 0
            assert measure(metric, labels, predictions, counts_strangers=True) > 0  # as published rules have it


def test_the_positive_class_is_1_where_there_is_one() -> None:
    assert measure("precision", [1, 2, 2, 1], [1, 1, 2, 2]) == pytest.approx(0.5)
    assert measure("recall", [1, 2, 2, 2], [1, 1, 2, 2]) == pytest.approx(1.0)
    assert measure("recall", [-1, 1, 1], [-1, -1, 1]) == pytest.approx(0.5)
    assert measure("recall", [True, False], [True, True]) == pytest.approx(1.0)


@pytest.mark.usefixtures("_implementation")
def test_a_regression_of_several_values_per_row_is_scored_by_their_mean() -> None:
    labels, found = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), np.array([[1.0, 10.0], [2.0, 26.0], [3.0, 30.0]])
    assert measure("mse", labels, found) == pytest.approx(6.0)
    assert measure("rmse", labels, found) == pytest.approx(math.sqrt(6.0))
    assert measure("r2", labels, found) == pytest.approx((1 + (1 - 36 / 200)) / 2)


def test_predictions_that_do_not_fit_the_labels_have_no_score() -> None:
    for labels, predictions in (([1, 0], [1]), ([], []), ([1, 0], [[1, 0], [0, 1]]), ([1], 3)):
        with pytest.raises(ValueError, match=r"labels|row"):
            measure("mse", labels, predictions)
    assert measure("mse", np.array([[1], [2]]), [1, 2]) == 0  # a column counts as one value a row


def test_the_sign_of_a_tolerance_says_what_is_better() -> None:
    good = (
        (0.5, 0.5, 0.0),
        (0.55, 0.5, 0.2),
        (0.1, 0.5, 0.2),
        (0.46, 0.5, -0.1),
        (0.9, 0.5, -0.1),
        (-0.52, -0.5, -0.1),
    )
    bad = ((0.6, 0.5, 0.0), (0.61, 0.5, 0.2), (0.44, 0.5, -0.1), (-0.56, -0.5, -0.1))
    unbounded = ((math.inf, -0.2), (math.inf, 0.2), (-math.inf, 0.2), (math.inf, math.inf), (math.inf, 0.0))
    assert all(is_good_enough(*case) for case in good)
    assert not any(is_good_enough(*case) for case in bad)
    for score, tolerance in (*unbounded, (math.nan, 0.2), (math.nan, -0.2)):
        assert not is_good_enough(score, 0.5, tolerance)
