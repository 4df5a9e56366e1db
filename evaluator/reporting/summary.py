"""What a run amounts to: rates and verdicts, over all problemsets and for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluator.reporting.text_tables import percent, text_table
from evaluator.scoring import AttemptRecord, PassRates, count_verdicts, last_attempts, pass_rates, why_withheld


@dataclass(frozen=True)
class GroupSummary:
    """The records of one problemset, or of all."""

    name: str
    rates: PassRates
    verdicts: Mapping[str, int]  # verdict -> records (count), in catalogue order, no zeros

    @property
    def records(self) -> int:
        """All records of the group (count), NOT_JUDGED among them."""
        return self.rates.judged + self.rates.not_judged

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, **self.rates.to_json(), "verdicts": dict(self.verdicts)}


@dataclass(frozen=True)
class RunReport:
    """A run at a glance."""

    total: GroupSummary
    by_set: tuple[GroupSummary, ...]  # in order of first appearance

    @property
    def withheld(self) -> str:
        """Why no rate is shown; empty when they are."""
        return why_withheld(self.total.rates.not_judged)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; while anything is NOT_JUDGED every rate is null."""
        total, *groups = map(self.shown, [self.total, *self.by_set])
        return {
            "rates_withheld": self.withheld or None,
            "total": total.to_json(),
            "by_set": [group.to_json() for group in groups],
        }

    def shown(self, group: GroupSummary) -> GroupSummary:
        """Return a group as it may be shown: without rates while they are withheld."""
        return replace(group, rates=group.rates.withheld()) if self.withheld else group

    def to_text(self) -> str:
        """Return the two tables that a terminal shows: rates by problemset, then the verdicts of all."""
        if not self.total.records:
            return "no records"
        headers = ["problemset", "judged", "not judged", "pass rate", "w/o intact", "w/o PE", "w/o both"]
        groups = [*self.by_set, self.total] if len(self.by_set) > 1 else list(self.by_set)
        rates = text_table(headers, [_rates_row(self.shown(group)) for group in groups])
        verdicts = text_table(
            ["verdict", "records", "share"],
            [[name, str(n), self._share(n)] for name, n in self.total.verdicts.items()],
        )
        return "\n\n".join(part for part in (self.withheld, rates, verdicts) if part)

    def _share(self, records: int) -> str:
        return percent(None if self.withheld else records / self.total.records)


def _rates_row(group: GroupSummary) -> list[str]:
    rates = group.rates
    shares = (rates.pass_rate, rates.without_intact, rates.without_presentation, rates.without_both)
    return [group.name, str(rates.judged), str(rates.not_judged), *map(percent, shares)]


def summarise_run(records: Iterable[AttemptRecord]) -> RunReport:
    """Summarise the records of one run; of several attempts at a problem the last one counts."""
    counted = last_attempts(records)
    names = list(dict.fromkeys(record.problemset for record in counted))
    by_set = tuple(_summarise(name, [r for r in counted if r.problemset == name]) for name in names)
    return RunReport(_summarise("all", counted), by_set)


def _summarise(name: str, records: list[AttemptRecord]) -> GroupSummary:
    return GroupSummary(name, pass_rates(records), count_verdicts(records))
