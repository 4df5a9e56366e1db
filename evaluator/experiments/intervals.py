"""Where a pass rate lies: problems are what is sampled, also where each was answered several times."""

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, variance
from typing import Final

from evaluator.records import Record
from evaluator.reporting.paired import CONFIDENCE, Interval, wilson_interval
from evaluator.scoring import Verdict

_Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def rate_interval(records: Sequence[Record]) -> Interval | None:
    """Return where the pass rate lies with 95% confidence: Wilson's interval, over epochs on the level of problems.

    Epochs of one problem are not independent. Of several it is the wider one, at each end, of two intervals: that of
    the mean of the problems' rates, by its standard error and the normal distribution, and Wilson's for as many
    independent answers as these are worth (`effective_answers`). The second keeps its width where all problems have
    the same rate, so that the first has none.

    Args:
        records: One per problem and epoch: the attempt that counts.

    Returns:
        Fractions; None without a verdict.
    """
    solved: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for record in records:
        if record.verdict != Verdict.NOT_JUDGED:
            solved[record.problemset, record.index].append(record.verdict == Verdict.CORRECT)
    answers = list(solved.values())
    if not answers:
        return None
    if all(len(each) == 1 for each in answers):
        return wilson_interval(sum(each[0] for each in answers), len(answers))
    means = [fmean(each) for each in answers]
    rate = fmean(means)
    score = _score_interval(rate, effective_answers(answers))
    half = _Z * sqrt(variance(means) / len(means)) if len(means) > 1 else 0.0
    return Interval(max(0.0, min(score.low, rate - half)), min(1.0, max(score.high, rate + half)))


def effective_answers(answers: Sequence[Sequence[bool]]) -> float:
    """Return how many independent answers those of several epochs are worth: from one a problem up to all of them.

    That is their number over the design effect 1 + (m - 1) * rho, where m is the mean number of epochs and rho the
    correlation within a problem, by the analysis of variance; it counts as 1 where nothing varies at all.

    Args:
        answers: Of each problem, whether each epoch solved it; no problem without any.

    Source: Kish 1965, Survey Sampling, section 5.4.
    """
    total = sum(map(len, answers))
    epochs = total / len(answers)
    within = sum(len(each) * fmean(each) * (1 - fmean(each)) for each in answers)
    freedom = total - len(answers)
    if len(answers) < 2 or freedom < 1:
        return float(len(answers))
    mean_within = within / freedom
    grand = sum(map(sum, answers)) / total
    between = sum(len(each) * (fmean(each) - grand) ** 2 for each in answers) / (len(answers) - 1)
    spread = between + (epochs - 1) * mean_within
    rho = 1.0 if spread <= 0 else min(1.0, max(0.0, (between - mean_within) / spread))
    return total / (1 + (epochs - 1) * rho)


def _score_interval(rate: float, trials: float) -> Interval:
    """Return Wilson's interval for a number of trials that need not be whole."""
    spread = _Z * _Z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z * sqrt(max(0.0, rate * (1 - rate) / trials + spread / (4 * trials))) / (1 + spread)
    return Interval(middle - half if rate > 0 else 0.0, middle + half if rate < 1 else 1.0)
