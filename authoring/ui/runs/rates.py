"""Rates of runs in words: with intervals, or withheld while anything is not judged. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import dataclass

from authoring.ui.wording import plural
from evaluator.reporting import CONFIDENCE, Interval, wilson_interval
from evaluator.scoring import why_withheld

INTERVAL_NOTE = (
    f"Intervals are Wilson's at {CONFIDENCE:.0%}; each problem and epoch counts as one. Problems of one problemset "
    "share data and state, so the true rate may lie outside its interval."
)


@dataclass(frozen=True)
class Solved:
    """How many problems were solved, epochs counted apart."""

    correct: int
    judged: int
    not_judged: int = 0

    @classmethod
    def of(cls, verdicts: Mapping[str, int]) -> "Solved":
        """Return what a count of verdicts comes to."""
        not_judged = verdicts.get("NOT_JUDGED", 0)
        return cls(verdicts.get("CORRECT", 0), sum(verdicts.values()) - not_judged, not_judged)

    @property
    def withheld(self) -> str:
        """Why no rate is shown; empty when one may be."""
        return why_withheld(self.not_judged)

    @property
    def rate(self) -> float | None:
        """A fraction in 0..1; None while it is withheld or nothing was judged."""
        return self.correct / self.judged if self.judged and not self.not_judged else None

    @property
    def interval(self) -> Interval | None:
        """Where the true rate lies; None where there is no rate."""
        return None if self.rate is None else wilson_interval(self.correct, self.judged)

    def in_words(self) -> str:
        """Return `50.0% of 2 problems (95% CI 9.5% to 90.5%)`, or why there is no rate."""
        problems = plural(self.judged, "problem")
        if self.not_judged:
            return f"withheld: {self.not_judged:,} of {plural(self.judged + self.not_judged, 'problem')} not judged"
        interval = interval_words(self.interval).replace("(", f"({CONFIDENCE:.0%} CI ")
        return f"{rate_words(self.rate)} of {problems}{interval}"


def rate_words(rate: object) -> str:
    """Return a rate in 0..1 as a percentage; a dash when there is none."""
    return f"{float(rate):.1%}" if isinstance(rate, (int, float)) else "–"


def interval_words(interval: Interval | None) -> str:
    """Return ` (9.5% to 90.5%)`, or nothing."""
    return f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""


def added(counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return verdict -> number over all groups, CORRECT first, then the most frequent."""
    total: dict[str, int] = {}
    for group in counts.values():
        for verdict, number in group.items():
            total[verdict] = total.get(verdict, 0) + number
    return dict(sorted(total.items(), key=lambda entry: (entry[0] != "CORRECT", -entry[1], entry[0])))
