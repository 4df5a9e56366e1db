"""How sure a rate over a few problems is."""

from statistics import NormalDist
from typing import Final, NamedTuple

CONFIDENCE: Final = 0.95


class Interval(NamedTuple):
    """Two fractions in 0..1 between which the true rate lies with the stated confidence."""

    low: float
    high: float


def wilson_interval(successes: int, trials: int, *, confidence: float = CONFIDENCE) -> Interval | None:
    """Return Wilson's score interval of a rate; None without trials.

    It takes trials for independent. Problems of one problemset share data and state, so the truth is somewhat wider.

    Args:
        successes: Trials that succeeded (count, 0..trials).
        trials: All of them (count).
        confidence: A fraction in 0..1.

    Raises:
        ValueError: If a number is out of the bounds above.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    if not 0 <= successes <= trials or not 0 < confidence < 1:
        raise ValueError(f"need 0 <= successes <= trials and 0 < confidence < 1, got {successes=} {trials=}")
    if not trials:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = successes / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = z * (rate * (1 - rate) / trials + spread / (4 * trials)) ** 0.5 / (1 + spread)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
