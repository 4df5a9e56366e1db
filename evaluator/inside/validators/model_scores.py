"""The `model` validator: a fitted model's scores beside those of the reference's model (dseal.md, section 3)."""

import math
import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from evaluator.inside.codec.decode.decoded import ABSENT, ProbeReport
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.match_model import Answer, AuthorFaultError, Cause, Rules
from evaluator.inside.compare.model_metrics import METRICS, holds_values, measure
from evaluator.inside.validators.interface import Case, InsideFinding

NAME: Final = "model"


def check_model(case: Case, options: Mapping[str, Any], number: int) -> InsideFinding:
    """Score both models' predictions on the reference's inputs against the reference's labels.

    Args:
        case: The two outcomes.
        options: As written.
        number: Which probe of the problem holds the predictions.
    """
    model, labels_name = str(options.get("model_name")), str(options.get("labels_name"))
    asked = _read_metrics(options, case.rules)
    labels = case.reference.variables.get(labels_name, ABSENT)
    if labels is ABSENT or find_incomparable(labels) is not None:
        what = f"the reference leaves no labels {labels_name!r} that can be compared"
        where = f"{NAME}.labels_name"
        raise AuthorFaultError(what, where=where, fix="name an array, Series or list that the code makes")
    expected = _reference_predictions(case.report(case.reference, number), model)
    wanted = {metric: _reference_score(metric, labels, expected, model, case.rules) for metric in asked}
    found = case.report(case.submission, number)
    if case.has_evidence and found.ending == "timed_out":
        reason = f"the model {model!r} takes too long to predict"
        return InsideFinding(NAME, Answer.NO, reason, Cause.TIMEOUT)
    refusal = _why_no_predictions(case, found, model)
    if refusal:
        return InsideFinding(NAME, Answer.NO, refusal)
    for metric, tolerance in asked.items():
        try:
            score = _score(metric, labels, found.value, case.rules)
        except Exception as error:  # noqa: BLE001  # predictions of any kind, which metrics refuse in any way
            return InsideFinding(NAME, Answer.NO, f"{metric} cannot be computed ({type(error).__name__})")
        if not is_good_enough(score, wanted[metric], tolerance, rules=case.rules):
            reason = f"{metric} is {score:.6g}, the reference's is {wanted[metric]:.6g} (tolerance {tolerance:g})"
            return InsideFinding(NAME, Answer.NO, reason)
    return InsideFinding(NAME, Answer.YES)


def is_good_enough(score: float, reference: float, tolerance: float, *, rules: Rules = Rules.SOUND) -> bool:
    """Compare a score with the reference's; one that is infinite or NaN is never good enough.

    Args:
        score: Of the submission's model.
        reference: Of the reference's model.
        tolerance: 0: equal within `isclose`; above: at most (1 + tolerance) times the reference's, for losses;
            below: at least that, for scores.
        rules: To the sound ones a tolerance is a part of the reference's magnitude, so that it loosens also where the
            reference's score is negative.
    """
    if not math.isfinite(score):
        return False
    if tolerance == 0:
        return bool(np.isclose(score, reference))
    limit = (1 + tolerance) * reference if rules is Rules.PUBLISHED else reference + tolerance * abs(reference)
    return score <= limit if tolerance > 0 else score >= limit


def _read_metrics(options: Mapping[str, Any], rules: Rules) -> dict[str, float]:
    """Return each metric with its tolerance."""
    metrics, tolerances = _as_list(options.get("metric_type")), _as_list(options.get("tolerance") or 0.0)
    if len(tolerances) == 1:
        tolerances *= len(metrics)
    if not metrics or len(metrics) != len(tolerances):
        fix = "write one tolerance for all metrics, or one for each"
        raise AuthorFaultError("metric_type and tolerance differ in length", where=NAME, fix=fix)
    unknown = [str(metric) for metric in metrics if metric not in METRICS]
    if unknown:
        raise AuthorFaultError(f"there is no metric {unknown[0]!r}", where=NAME, fix=f"use one of {', '.join(METRICS)}")
    asked = dict(zip(metrics, map(float, tolerances), strict=True))
    if rules is Rules.SOUND and not all(map(math.isfinite, asked.values())):
        raise AuthorFaultError(
            "a tolerance is infinite", where=f"{NAME}.tolerance", fix="write a fraction, such as 0.1"
        )
    return asked


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _reference_predictions(report: ProbeReport, model: str) -> Any:
    fix = "correct the names, or the reference code"
    if report.ending != "ok":
        why = " in time" if report.ending == "timed_out" else ""
        raise AuthorFaultError(f"the reference's model {model!r} gave no predictions{why}", where=NAME, fix=fix)
    if not report.found:
        raise AuthorFaultError(f"the reference leaves no model {model!r}", where=f"{NAME}.model_name", fix=fix)
    if report.error is not None:
        what = f"the reference's model {model!r} cannot predict: {report.error.name}: {report.error.message}"
        raise AuthorFaultError(what[:500], where=NAME, fix=fix)
    if not report.same_inputs:
        what = "the reference makes other inputs each time it runs, so its labels would not fit"
        raise AuthorFaultError(what, where=NAME, fix="set random_state wherever the data are split or drawn")
    return report.value


def _reference_score(metric: str, labels: Any, predictions: Any, model: str, rules: Rules) -> float:
    try:
        score = _score(metric, labels, predictions, rules)
    except Exception as error:  # labels and metrics that do not fit
        what = f"{metric} of the reference's model {model!r} cannot be computed: {error}"
        raise AuthorFaultError(what[:500], where=NAME, fix="use a metric that fits the labels") from error
    if not math.isfinite(score):
        what = f"{metric} of the reference's model {model!r} is {score}"
        raise AuthorFaultError(what, where=NAME, fix="use a metric that fits the labels")
    return score


def _score(metric: str, labels: Any, predictions: Any, rules: Rules) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return measure(metric, labels, predictions, counts_strangers=rules is Rules.PUBLISHED)


def _why_no_predictions(case: Case, found: ProbeReport, model: str) -> str:
    if not case.has_evidence or found.ending in ("missing", "died"):
        return f"the model {model!r} left no report"
    if not found.found:
        return f"there is no model {model!r} after the cell"
    if found.error is not None:
        return f"the model {model!r} cannot predict: {found.error.name}: {found.error.message}"
    if find_incomparable(found.value) is not None or not holds_values(found.value):
        return f"the model {model!r} predicts something else than values"
    return ""
