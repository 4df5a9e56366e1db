"""Sums of recorded minutes and of what models cost; what was not measured stays unknown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from authoring.edits import problem_ids
from authoring.store.effort import (
    Baseline,
    MinutesRow,
    Person,
    SpendingRow,
    list_baselines,
    list_experience,
    list_minutes,
    model_spending,
)
from authoring.store.histories import SetHistory, revision_texts, set_histories
from authoring.store.workspace import Workspace


class Grouping(StrEnum):
    """By what minutes are added up."""

    SET = "set"
    PERSON = "person"
    GUIDE = "guide"


@dataclass(frozen=True)
class EffortGroup:
    """Minutes of one problemset, person or guide revision."""

    name: str
    minutes: float
    by_activity: Mapping[str, float]  # minutes
    problems: int  # accepted ones that the minutes went into (count)
    minutes_per_problem: float | None  # of sets that are accepted; None: there is no denominator
    experience: str = ""  # of a person


@dataclass(frozen=True)
class EffortReport:
    """What people and models spent."""

    grouping: Grouping
    groups: tuple[EffortGroup, ...]
    minutes: float  # of everybody, for everything
    minutes_by_activity: Mapping[str, float]
    revisions_measured: int  # with minutes (count)
    minutes_per_revision: float | None  # of those
    accepted_problems: int  # in accepted revisions (count)
    measured_problems: int  # in accepted sets that have minutes (count)
    minutes_per_problem: float | None  # minutes of those sets / measured_problems
    tokens: int  # of all calls of models
    tokens_per_accepted_problem: float | None
    cost: float | None  # of all answered calls; None: unknown for some of them, or in several currencies
    currency: str
    unpriced_calls: int  # answered calls without a known price (count)
    cost_per_accepted_problem: float | None
    baseline_minutes_per_problem: float | None  # None: none was measured
    reduction: float | None  # baseline / minutes per problem; None without both

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class EffortBooks:
    """What is recorded."""

    histories: Sequence[SetHistory]
    problems: Mapping[int, int]  # in the accepted revision, by id of the set
    minutes: Sequence[MinutesRow]
    people: Sequence[Person]

    def per_problem(self, rows: Sequence[MinutesRow]) -> tuple[int, float | None]:
        """Return the accepted problems that `rows` went into, and the minutes for each."""
        sets = {row.problemset_id for row in rows if row.problemset_id in self.problems}
        problems = sum(self.problems[one] for one in sets if one is not None)
        return problems, _quotient(sum(row.minutes for row in rows if row.problemset_id in sets), problems)


def effort_report(ws: Workspace, grouping: Grouping = Grouping.SET) -> EffortReport:
    """Add up what is recorded in a workspace."""
    histories = set_histories(ws)
    accepted = {history.accepted_id: history.id for history in histories if history.accepted_id is not None}
    texts = revision_texts(ws, accepted)
    problems = {accepted[revision]: len(problem_ids(text)) for revision, text in texts.items()}
    books = EffortBooks(histories, problems, list_minutes(ws), list_experience(ws))
    return summarise(books, model_spending(ws), list_baselines(ws), grouping)


def summarise(
    books: EffortBooks, spending: Sequence[SpendingRow], baselines: Sequence[Baseline], grouping: Grouping
) -> EffortReport:
    """Return the report on what is recorded."""
    revisions = [step.minutes for history in books.histories for step in history.steps if step.minutes > 0]
    measured, per_problem = books.per_problem(books.minutes)
    accepted = sum(books.problems.values())
    by_hand = _quotient(sum(b.minutes for b in baselines), sum(b.problems for b in baselines))
    tokens, cost, currency = sum(row.tokens for row in spending), _cost(spending), _currency(spending)
    return EffortReport(
        grouping=grouping,
        groups=_groups(books, grouping),
        minutes=_total(books.minutes),
        minutes_by_activity=_by_activity(books.minutes),
        revisions_measured=len(revisions),
        minutes_per_revision=_quotient(sum(revisions), len(revisions)),
        accepted_problems=accepted,
        measured_problems=measured,
        minutes_per_problem=per_problem,
        tokens=tokens,
        tokens_per_accepted_problem=_quotient(tokens, accepted),
        cost=cost,
        currency=currency,
        unpriced_calls=sum(row.unpriced for row in spending),
        cost_per_accepted_problem=None if cost is None else _quotient(cost, accepted),
        baseline_minutes_per_problem=by_hand,
        reduction=_quotient(by_hand, per_problem) if by_hand and per_problem else None,
    )


def _groups(books: EffortBooks, grouping: Grouping) -> tuple[EffortGroup, ...]:
    names = {history.id: history.name for history in books.histories}
    guides = {history.id: history.guide_number for history in books.histories}
    grouped: dict[str, list[MinutesRow]] = defaultdict(list)
    for row in books.minutes:
        if grouping is Grouping.PERSON:
            grouped[row.person].append(row)
        elif grouping is Grouping.GUIDE:
            number = guides.get(row.problemset_id) if row.problemset_id else row.guide_number
            grouped["no guide" if number is None else f"guide {number}"].append(row)
        else:
            grouped[names.get(row.problemset_id or 0, "no problemset")].append(row)
    said = {person.name.casefold(): person.experience for person in books.people}
    experience = said if grouping is Grouping.PERSON else {}
    return tuple(_group(books, name, grouped[name], experience) for name in sorted(grouped))


def _group(books: EffortBooks, name: str, rows: Sequence[MinutesRow], experience: Mapping[str, str]) -> EffortGroup:
    problems, per_problem = books.per_problem(rows)
    return EffortGroup(
        name=name,
        minutes=_total(rows),
        by_activity=_by_activity(rows),
        problems=problems,
        minutes_per_problem=per_problem,
        experience=experience.get(name.casefold(), ""),
    )


def _cost(spending: Sequence[SpendingRow]) -> float | None:
    """Return what all calls cost: nothing without calls, unknown when one of them has no price."""
    currencies = {row.currency for row in spending if row.currency}
    mixed = len(currencies) > 1 or any(row.currencies > 1 for row in spending)
    if mixed or any(row.unpriced for row in spending):
        return None
    return round(sum(row.cost for row in spending), 6)


def _currency(spending: Sequence[SpendingRow]) -> str:
    return next((row.currency for row in spending if row.currency), "") if _cost(spending) is not None else ""


def _by_activity(rows: Sequence[MinutesRow]) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for row in rows:
        found[row.activity] += row.minutes
    return {activity: round(found[activity], 2) for activity in sorted(found)}


def _total(rows: Sequence[MinutesRow]) -> float:
    return round(sum(row.minutes for row in rows), 2)


def _quotient(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
