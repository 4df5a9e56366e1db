"""Two runs problem by problem, counted and listed in SQL. The last attempt at a problem in an epoch counts."""

# SQL is put together from fragments of this file only; values are always bound

from enum import StrEnum
from typing import Final, NamedTuple

from authoring.store.run_results import LAST_ATTEMPT
from authoring.store.workspace import Workspace

_PAIRS: Final = f"""FROM attempt a JOIN attempt b ON b.run_id = :after AND b.problemset = a.problemset
    AND b.position = a.position AND b.epoch = a.epoch WHERE a.run_id = :before AND {LAST_ATTEMPT}
    AND {LAST_ATTEMPT.replace(" a.", " b.")}"""
_SAME_QUERY: Final = """ AND trim(coalesce(json_extract(a.body, '$.question'), ''))
    = trim(coalesce(json_extract(b.body, '$.question'), ''))"""


class PairGroup(StrEnum):
    """Which problems of two runs to list."""

    CHANGED = "changed verdict"
    BOTH = "both"
    FIRST = "only first"
    SECOND = "only second"
    NEITHER = "neither"
    ALL = "all"


_GROUPS: Final = {
    PairGroup.CHANGED: "AND a.verdict != b.verdict",
    PairGroup.BOTH: "AND a.verdict = 'CORRECT' AND b.verdict = 'CORRECT'",
    PairGroup.FIRST: "AND a.verdict = 'CORRECT' AND b.verdict NOT IN ('CORRECT', 'NOT_JUDGED')",
    PairGroup.SECOND: "AND b.verdict = 'CORRECT' AND a.verdict NOT IN ('CORRECT', 'NOT_JUDGED')",
    PairGroup.NEITHER: """AND a.verdict NOT IN ('CORRECT', 'NOT_JUDGED')
        AND b.verdict NOT IN ('CORRECT', 'NOT_JUDGED')""",
    PairGroup.ALL: "",
}


class ComparedProblem(NamedTuple):
    """A problem as two runs were judged on it."""

    problemset: str
    position: int
    epoch: int
    before_id: int  # the attempt of the first run
    before: str  # its verdict
    after_id: int
    after: str


class PairCount(NamedTuple):
    """Problems of one set that two runs got these verdicts on."""

    problemset: str
    before: str
    after: str
    problems: int  # count, epochs counted apart


def count_pairs(ws: Workspace, before: int, after: int, *, same_query: bool = False) -> list[PairCount]:
    """Return how many problems both runs came to, by problemset and both verdicts.

    Args:
        ws: The workspace.
        before: The first run.
        after: The second run.
        same_query: Only problems that both were asked in the same words; runs on one release need no look.
    """
    sql = f"""SELECT a.problemset, a.verdict, b.verdict, count(*) {_PAIRS}{_SAME_QUERY if same_query else ""}
        GROUP BY a.problemset, a.verdict, b.verdict ORDER BY a.problemset"""
    with ws.read() as db:
        return [PairCount(*row) for row in db.execute(sql, {"before": before, "after": after})]


def list_pairs(
    ws: Workspace,
    before: int,
    after: int,
    group: PairGroup = PairGroup.CHANGED,
    limit: int | None = 50,
    offset: int = 0,
    *,
    same_query: bool = False,
) -> list[ComparedProblem]:
    """Return one page of the problems of a group: first those that stopped or started being CORRECT.

    With `limit` None all are returned.
    """
    sql = f"""SELECT a.problemset, a.position, a.epoch, a.id, a.verdict, b.id, b.verdict {_PAIRS}
        {_SAME_QUERY if same_query else ""} {_GROUPS[group]}
        ORDER BY CASE WHEN a.verdict = b.verdict THEN 3 WHEN a.verdict = 'CORRECT' THEN 0
        WHEN b.verdict = 'CORRECT' THEN 1 ELSE 2 END, a.problemset, a.position, a.epoch LIMIT :limit OFFSET :offset"""
    values = {"before": before, "after": after, "limit": -1 if limit is None else limit, "offset": offset}
    with ws.read() as db:
        return [ComparedProblem(*row) for row in db.execute(sql, values)]
