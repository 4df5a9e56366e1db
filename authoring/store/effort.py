"""Human effort: minutes that people spent, what a manual baseline took, how experienced they are, what models cost."""

import math
from dataclasses import dataclass
from typing import Final

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

ACTIVITIES: Final = ("sketch", "revision", "review", "guide")
MAX_MINUTES: Final = 100_000.0
_MINUTES = """
    SELECT 'revision' AS activity, r.problemset_id, r.author AS person, r.minutes, r.guide_number
        FROM revision r WHERE r.minutes > 0
    UNION ALL
    SELECT 'sketch', p.id, v.author,
        v.minutes / (SELECT max(1, count(*)) FROM problemset q WHERE q.sketch_id = s.id), NULL
        FROM sketch_revision v JOIN sketch s ON s.id = v.sketch_id LEFT JOIN problemset p ON p.sketch_id = s.id
        WHERE v.minutes > 0
    UNION ALL
    SELECT activity, problemset_id, person, minutes, guide_number FROM effort WHERE activity != 'baseline'"""
_SPENDING = """SELECT purpose, count(*) AS calls, sum(prompt_tokens + completion_tokens) AS tokens,
    sum(cost IS NULL AND error = '') AS unpriced, coalesce(sum(cost), 0.0) AS cost,
    coalesce(max(currency), '') AS currency, count(DISTINCT nullif(currency, '')) AS currencies
    FROM model_call GROUP BY purpose ORDER BY purpose"""


@dataclass(frozen=True)
class MinutesRow:
    """Active minutes of one person on one thing."""

    activity: str  # one of ACTIVITIES
    problemset_id: int | None  # a sketch's minutes are shared evenly by the sets drafted from it
    person: str
    minutes: float
    guide_number: int | None


@dataclass(frozen=True)
class Baseline:
    """What making problems by hand, without the toolkit, took."""

    subject: str
    minutes: float
    problems: int
    person: str


@dataclass(frozen=True)
class Person:
    """An annotator."""

    name: str
    experience: str  # in their own words, such as "5 years of pandas"


@dataclass(frozen=True)
class SpendingRow:
    """What the calls of models for one purpose came to."""

    purpose: str
    calls: int  # failed ones too
    tokens: int  # read and written
    unpriced: int  # answered calls without a known price (count)
    cost: float  # of the others
    currency: str
    currencies: int  # how many different ones; costs in several cannot be added


def record_effort(
    ws: Workspace,
    activity: str,
    *,
    subject: str,
    person: str,
    minutes: float,
    problemset_id: int | None = None,
    guide_number: int | None = None,
) -> int:
    """Keep active minutes that no revision carries (a review, work on a sketch or the guide) and return the row's id.

    Raises:
        UsageError: If there is no such activity, nobody is named, or the minutes are not a positive number.
    """
    if activity not in ACTIVITIES:
        raise UsageError(f"there is no activity {activity!r}", fix=f"use one of {', '.join(ACTIVITIES)}")
    return _insert(ws, activity, subject, person, minutes, 0, problemset_id, guide_number)


def record_baseline(ws: Workspace, subject: str, *, person: str, minutes: float, problems: int) -> int:
    """Keep what making `problems` problems by hand took, measured, and return the row's id.

    Raises:
        UsageError: If nobody is named, or a number is not positive.
    """
    if problems < 1:
        raise UsageError("a baseline needs problems", where=f"problems {problems}", fix="say how many were made")
    return _insert(ws, "baseline", subject, person, minutes, problems, None, None)


def list_minutes(ws: Workspace) -> list[MinutesRow]:
    """Return all recorded minutes: of revisions, of sketches, and those recorded beside them."""
    with ws.read() as db:
        return [MinutesRow(**row) for row in db.query(_MINUTES)]


def list_baselines(ws: Workspace) -> list[Baseline]:
    """Return the measured baselines, oldest first."""
    sql = "SELECT subject, minutes, problems, person FROM effort WHERE activity = 'baseline' ORDER BY id"
    with ws.read() as db:
        return [Baseline(**row) for row in db.query(sql)]


def save_person(ws: Workspace, name: str, *, experience: str) -> Person:
    """Keep how experienced an annotator is; said again, it replaces what was said before.

    Raises:
        UsageError: If nobody is named.
    """
    name = _named(name)
    with ws.write() as db:
        db.execute(
            "INSERT INTO person (name, experience, created_at) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET experience = excluded.experience",
            [name, experience, timestamp()],
        )
    return Person(name, experience)


def list_experience(ws: Workspace) -> list[Person]:
    """Return the annotators whose experience is recorded, by name."""
    with ws.read() as db:
        return [Person(**row) for row in db.query("SELECT name, experience FROM person ORDER BY name")]


def model_spending(ws: Workspace) -> list[SpendingRow]:
    """Return what the calls of models came to, by purpose."""
    with ws.read() as db:
        return [SpendingRow(**row) for row in db.query(_SPENDING)]


def _insert(
    ws: Workspace,
    activity: str,
    subject: str,
    person: str,
    minutes: float,
    problems: int,
    problemset_id: int | None,
    guide_number: int | None,
) -> int:
    if not (math.isfinite(minutes) and 0 < minutes <= MAX_MINUTES):
        fix = f"give a number above 0, at most {MAX_MINUTES:.0f}"
        raise UsageError(f"{minutes!r} minutes cannot be", where=activity, fix=fix)
    row = {
        **{"activity": activity, "subject": subject, "problemset_id": problemset_id, "guide_number": guide_number},
        **{"person": _named(person), "minutes": minutes, "problems": problems, "created_at": timestamp()},
    }
    with ws.write() as db:
        return int(db.table("effort").insert(row).last_pk)


def _named(person: str) -> str:
    if not person.strip():
        raise UsageError("minutes need a name", fix="say who spent them")
    return person.strip()
