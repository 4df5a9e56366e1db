"""Rates over judged attempts (dseal.md, section 6). Every rate is a fraction in 0..1, or None without judged records.

The denominator is the number of records that were judged; NOT_JUDGED records are outside and counted beside it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from evaluator.scoring.verdicts import Verdict


class HasVerdict(Protocol):
    """A judged attempt, as far as rates look at it."""

    @property
    def verdict(self) -> str:
        """One of the names in `Verdict`; a name that is none of them counts as judged and not correct."""
        ...


class AttemptRecord(HasVerdict, Protocol):
    """A judged attempt that knows what it was an attempt at."""

    @property
    def problemset(self) -> str:
        """Name of the problemset."""
        ...

    @property
    def index(self) -> int:
        """Number of the problem, counts from 1."""
        ...

    @property
    def attempt(self) -> int:
        """Number of the try, counts from 1."""
        ...

    @property
    def epoch(self) -> int:
        """Number of the independent pass, counts from 1."""
        ...


R = TypeVar("R", bound=AttemptRecord)


def last_attempts(records: Iterable[R]) -> list[R]:
    """Return, for each problem and epoch, the record of the last attempt: the one that counts.

    Of two records of one attempt the later one in `records` is kept. The order is that of first appearance.
    """
    kept: dict[tuple[str, int, int], R] = {}
    for record in records:
        key = (record.problemset, record.index, record.epoch)
        if key not in kept or record.attempt >= kept[key].attempt:
            kept[key] = record
    return list(kept.values())


@dataclass(frozen=True)
class PassRates:
    """The four published rates of one group of records."""

    judged: int  # records that count (count)
    not_judged: int  # records that count nowhere (count)
    pass_rate: float | None  # CORRECT / judged
    without_intact: float | None  # INTACT_VIOLATION counts as correct too
    without_presentation: float | None  # PRESENTATION_ERROR counts as correct too
    without_both: float | None  # both count as correct too

    def withheld(self) -> "PassRates":
        """Return the counts without the rates, for a run in which something is still to be judged."""
        return replace(self, pass_rate=None, without_intact=None, without_presentation=None, without_both=None)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain JSON values."""
        return {
            "judged": self.judged,
            "not_judged": self.not_judged,
            "pass_rate": self.pass_rate,
            "without_intact": self.without_intact,
            "without_presentation": self.without_presentation,
            "without_both": self.without_both,
        }


def why_withheld(not_judged: int) -> str:
    """Return why a run's rates are not shown yet; empty when they may be: rates over a part would flatter.

    Args:
        not_judged: Problems of the run that are NOT_JUDGED, epochs counted apart (count).
    """
    return f"{not_judged} not judged: no rates before the same command has judged them too" if not_judged else ""


def pass_rates(records: Iterable[HasVerdict]) -> PassRates:
    """Compute the rates of records, each of which counts once: pass `last_attempts` where there may be several tries.

    Returns:
        Rates in [0, 1] with the number of judged records as denominator; all None when that is 0. NOT_JUDGED records
        are in no rate.
    """
    return rates_of_counts(count_verdicts(records))


def rates_of_counts(counts: Mapping[str, int]) -> PassRates:
    """Compute the rates of records that are counted by verdict, as `pass_rates` does."""
    not_judged = counts.get(Verdict.NOT_JUDGED, 0)
    judged = sum(counts.values()) - not_judged
    intact, presentation = Verdict.INTACT_VIOLATION, Verdict.PRESENTATION_ERROR

    def rate(*also: Verdict) -> float | None:
        accepted = (Verdict.CORRECT, *also)
        return sum(counts.get(verdict, 0) for verdict in accepted) / judged if judged else None

    return PassRates(judged, not_judged, rate(), rate(intact), rate(presentation), rate(intact, presentation))


def pass_rate(records: Iterable[HasVerdict]) -> float | None:
    """Return CORRECT / judged, a fraction in [0, 1]; NOT_JUDGED records are left out, None when no other is there."""
    return pass_rates(records).pass_rate


def count_verdicts(records: Iterable[HasVerdict]) -> Mapping[str, int]:
    """Count records by verdict, NOT_JUDGED among them; in catalogue order, names outside it last, no zeros."""
    counts = Counter(str(record.verdict) for record in records)
    catalogue: Sequence[str] = [verdict.value for verdict in Verdict]
    known = {name: counts[name] for name in catalogue if counts[name]}
    return {**known, **{name: counts[name] for name in sorted(counts) if name not in catalogue}}
