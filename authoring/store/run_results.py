"""What runs came to, counted in SQL over the index of attempts. The last attempt at a problem in an epoch counts."""
# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from authoring.store.runs import AttemptRow, attempt_of
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

MAX_OF_EPOCH: Final = 20
"""Attempts of one epoch at one problem that are listed whole."""
ProblemKey = tuple[str, int]  # problemset and number of the problem, from 1

LAST_ATTEMPT: Final = "a.counts = 1"
_FOUND: Final = """(:verdict IS NULL OR a.verdict = :verdict) AND (:cause IS NULL OR a.subverdict = :cause)
    AND (:set IS NULL OR a.problemset = :set)
    AND (:text IS NULL OR a.problemset LIKE :text ESCAPE '\\' OR a.query LIKE :text ESCAPE '\\')"""


@dataclass(frozen=True)
class ProblemFilter:
    """Which problems of runs to list; None: any."""

    verdict: str | None = None  # that at least one of the runs got
    subverdict: str | None = None  # of that same attempt
    problemset: str | None = None
    text: str | None = None  # in the query or the problemset's name, whatever its case


class CellCount(NamedTuple):
    """How one run did on one problem, over its epochs."""

    attempt_id: int  # one that failed where there is one: the one to look at
    verdict: str  # of that attempt
    correct: int  # epochs (count)
    epochs: int  # count, NOT_JUDGED among them
    subverdict: str = ""  # of that attempt


@dataclass(frozen=True)
class MatrixRow:
    """One problem as several runs did on it."""

    problemset: str
    position: int  # from 1
    query: str
    cells: Mapping[int, CellCount]  # by run; a run that did not come to the problem is absent


class ProblemCount(NamedTuple):
    """How often one problem was solved."""

    correct: int
    judged: int  # without NOT_JUDGED


class AttemptPlace(NamedTuple):
    """Where an attempt stands among those of its run that count and fit a filter, in the order of lists."""

    number: int  # of those up to its problem and epoch (count)
    total: int  # count
    is_listed: bool  # whether its problem and epoch are among them
    previous: int | None  # ids of attempts
    next: int | None
    next_failing: int | None  # the next one that was judged, and not CORRECT


class AttemptMark(NamedTuple):
    """An attempt as a link to it needs it."""

    id: int
    run_id: int
    agent: str
    epoch: int
    attempt: int
    verdict: str


def count_last_verdicts(ws: Workspace, run_id: int) -> dict[str, dict[str, int]]:
    """Return problemset -> verdict -> problems of a run, epochs counted apart."""
    sql = """SELECT problemset, verdict, sum(problems) FROM verdict_of_set WHERE run_id = ?
        GROUP BY problemset, verdict ORDER BY problemset, verdict"""
    counts: dict[str, dict[str, int]] = {}
    with ws.read() as db:
        for problemset, verdict, number in db.execute(sql, [run_id]):
            counts.setdefault(problemset, {})[verdict] = number
    return counts


def count_verdicts_of_runs(ws: Workspace, run_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return run -> verdict -> problems, epochs counted apart."""
    sql = f"""SELECT run_id, verdict, sum(problems) FROM verdict_of_run WHERE run_id IN ({_marks(run_ids)})
        GROUP BY run_id, verdict ORDER BY run_id, verdict"""
    counts: dict[int, dict[str, int]] = {run_id: {} for run_id in run_ids}
    with ws.read() as db:
        for run_id, verdict, number in db.execute(sql, list(run_ids)):
            counts[run_id][verdict] = number
    return counts


def count_causes(ws: Workspace, run_ids: Sequence[int]) -> list[tuple[str, str, int]]:
    """Return verdict, subverdict and problems of all these runs together, epochs counted apart, most frequent first."""
    sql = f"""SELECT verdict, subverdict, sum(problems) FROM verdict_of_run WHERE run_id IN ({_marks(run_ids)})
        GROUP BY verdict, subverdict ORDER BY sum(problems) DESC, verdict, subverdict"""
    with ws.read() as db:
        return [(str(verdict), str(cause), int(number)) for verdict, cause, number in db.execute(sql, list(run_ids))]


def count_correct(ws: Workspace, run_id: int) -> dict[ProblemKey, ProblemCount]:
    """Return how often each problem of a run was solved, in order."""
    sql = f"""SELECT problemset, position, sum(verdict = 'CORRECT'), sum(verdict != 'NOT_JUDGED') FROM attempt a
        WHERE run_id = ? AND {LAST_ATTEMPT} GROUP BY problemset, position ORDER BY problemset, position"""
    with ws.read() as db:
        return {(name, number): ProblemCount(*counts) for name, number, *counts in db.execute(sql, [run_id])}


def count_matrix(ws: Workspace, run_ids: Sequence[int], chosen: ProblemFilter) -> int:
    """Return how many problems `list_matrix` finds."""
    sql = f"SELECT count(*) FROM (SELECT 1 {_matrix_source(run_ids)} GROUP BY a.problemset, a.position)"
    with ws.read() as db:
        return int(db.execute(sql, _values(run_ids, chosen)).fetchone()[0])


def list_matrix(
    ws: Workspace, run_ids: Sequence[int], chosen: ProblemFilter, limit: int = 50, offset: int = 0
) -> list[MatrixRow]:
    """Return one page of the problems of some runs, each with what every run got, by problemset and number."""
    sql = f"""SELECT k.problemset, k.position, b.query FROM (
        SELECT a.problemset, a.position, min(a.id) AS one {_matrix_source(run_ids)}
        GROUP BY a.problemset, a.position ORDER BY a.problemset, a.position LIMIT :limit OFFSET :offset) k
        JOIN attempt b ON b.id = k.one ORDER BY k.problemset, k.position"""
    with ws.read() as db:
        found = db.execute(sql, {**_values(run_ids, chosen), "limit": limit, "offset": offset}).fetchall()
        cells = _cells(db, run_ids, [(name, number) for name, number, _ in found])
    return [MatrixRow(name, number, str(query or ""), cells.get((name, number), {})) for name, number, query in found]


def tells_of_family(ws: Workspace, run_id: int, *, looked_at: int = 200) -> bool:
    """Return whether one of the first records of a run holds scores of another system's family."""
    sql = """SELECT 1 FROM (SELECT body FROM attempt WHERE run_id = ? LIMIT ?)
        WHERE json_extract(body, '$.family.family') IS NOT NULL LIMIT 1"""
    with ws.read() as db:
        return db.execute(sql, [run_id, looked_at]).fetchone() is not None


def list_last_records(ws: Workspace, run_id: int) -> list[tuple[int, str]]:
    """Return the attempts of a run that count, by problem: their ids, and their whole records as JSON."""
    sql = f"""SELECT a.id, a.body FROM attempt a WHERE a.run_id = ? AND {LAST_ATTEMPT}
        ORDER BY a.problemset, a.position, a.epoch"""
    with ws.read() as db:
        return [(int(number), str(body)) for number, body in db.execute(sql, [run_id])]


def find_attempt(ws: Workspace, attempt_id: int) -> AttemptRow:
    """Return an attempt with its whole record.

    Raises:
        UsageError: If there is none with that id.
    """
    found = seek_attempt(ws, attempt_id)
    if found is None:
        fix = "go back to the runs: the list shows what there is"
        raise UsageError(f"no attempt has the id {attempt_id}", fix=fix)
    return found


def seek_attempt(ws: Workspace, attempt_id: int) -> AttemptRow | None:
    """Return an attempt with its whole record; None where there is none with that id, or not any more."""
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM attempt WHERE id = ?", [attempt_id]))
    return attempt_of(rows[0]) if rows else None


def queries_of(ws: Workspace, attempt_ids: Sequence[int]) -> dict[int, str]:
    """Return attempt -> the query that it answers, of those attempts that there are."""
    sql = f"SELECT id, query FROM attempt WHERE id IN ({_marks(attempt_ids)})"
    with ws.read() as db:
        return {int(number): str(query or "") for number, query in db.execute(sql, list(attempt_ids))}


def list_attempts_at(ws: Workspace, run_id: int, problem: ProblemKey) -> list[AttemptMark]:
    """Return all attempts of a run at one problem, by epoch and attempt."""
    sql = """SELECT id, run_id, agent, epoch, attempt, verdict FROM attempt
        WHERE run_id = ? AND problemset = ? AND position = ? ORDER BY epoch, attempt LIMIT 200"""
    with ws.read() as db:
        return [AttemptMark(*row) for row in db.execute(sql, [run_id, *problem])]


def list_epoch(ws: Workspace, run_id: int, problem: ProblemKey, epoch: int) -> list[AttemptRow]:
    """Return the attempts of one epoch of a run at one problem, in their order; of very many the first ones."""
    where = "run_id = ? AND problemset = ? AND position = ? AND epoch = ?"
    with ws.read() as db:
        rows = db["attempt"].rows_where(where, [run_id, *problem, epoch], order_by="attempt", limit=MAX_OF_EPOCH)
        return [attempt_of(row) for row in rows]


def place_attempt(ws: Workspace, attempt: AttemptRow, chosen: ProblemFilter) -> AttemptPlace:
    """Return where an attempt stands in its run, and which ones stand beside it."""
    sql = f"""WITH found AS MATERIALIZED (SELECT a.id, a.problemset, a.position, a.epoch, a.verdict
        {_matrix_source([attempt.run_id])})
        SELECT coalesce(sum(({_STANDS}) <= ({_HERE})), 0), count(*), coalesce(max(({_STANDS}) = ({_HERE})), 0),
        (SELECT id FROM found WHERE ({_STANDS}) < ({_HERE})
            ORDER BY problemset DESC, position DESC, epoch DESC LIMIT 1),
        (SELECT id FROM found WHERE ({_STANDS}) > ({_HERE}) ORDER BY {_STANDS} LIMIT 1),
        (SELECT id FROM found WHERE ({_STANDS}) > ({_HERE}) AND verdict NOT IN ('CORRECT', 'NOT_JUDGED')
            ORDER BY {_STANDS} LIMIT 1) FROM found"""
    here = {"in_set": attempt.problemset, "in_position": attempt.position, "in_epoch": attempt.epoch}
    with ws.read() as db:
        number, total, is_listed, *ids = db.execute(sql, {**_values([attempt.run_id], chosen), **here}).fetchone()
    return AttemptPlace(number, total, bool(is_listed), *ids)


_STANDS: Final = "problemset, position, epoch"
_HERE: Final = ":in_set, :in_position, :in_epoch"


def list_other_agents(ws: Workspace, run_id: int, release: str, problem: ProblemKey) -> list[AttemptMark]:
    """Return what counts of the other runs on the same release at one problem, newest run first.

    Runs of the same submissions count as one, whose newest scores are taken; those of the run itself are left out.
    """
    sql = f"""{_SUBMISSIONS} SELECT a.id, a.run_id, a.agent, a.epoch, a.attempt, a.verdict FROM attempt a
        WHERE a.problemset = ? AND a.position = ? AND {LAST_ATTEMPT} AND a.run_id IN
        (SELECT max(r.id) FROM run r LEFT JOIN submissions s ON s.id = r.id WHERE r.release = ?
            AND coalesce(s.first, r.id) != coalesce((SELECT first FROM submissions WHERE id = ?), ?)
            GROUP BY coalesce(s.first, r.id))
        ORDER BY a.run_id DESC, a.epoch LIMIT 20"""
    with ws.read() as db:
        return [AttemptMark(*row) for row in db.execute(sql, [*problem, release, run_id, run_id])]


_SUBMISSIONS: Final = """WITH RECURSIVE copies(id, origin) AS MATERIALIZED
    (SELECT id, json_extract(summary, '$.rescored_from') FROM run
        WHERE json_extract(summary, '$.rescored_from') IS NOT NULL),
    submissions(id, first) AS (SELECT DISTINCT origin, origin FROM copies WHERE origin NOT IN (SELECT id FROM copies)
        UNION SELECT copies.id, submissions.first FROM copies JOIN submissions ON copies.origin = submissions.id)"""
"""Defines `submissions`: of each run that was scored again, and of its copies, the run that was asked first."""


def _matrix_source(run_ids: Sequence[int]) -> str:
    return f"FROM attempt a WHERE a.run_id IN ({_named(run_ids)}) AND {LAST_ATTEMPT} AND {_FOUND}"


def _values(run_ids: Sequence[int], chosen: ProblemFilter) -> dict[str, Any]:
    text = (chosen.text or "").strip()
    for sign in "\\%_":
        text = text.replace(sign, f"\\{sign}")
    values = {"verdict": chosen.verdict, "cause": chosen.subverdict, "set": chosen.problemset}
    values["text"] = f"%{text}%" if text else None
    return values | _numbered(run_ids)


def _cells(
    db: "Database", run_ids: Sequence[int], problems: Sequence[ProblemKey]
) -> dict[ProblemKey, dict[int, CellCount]]:
    if not problems or not run_ids:
        return {}
    keys = ", ".join("(?, ?)" for _ in problems)
    sql = f"""WITH k(problemset, position) AS (VALUES {keys})
        SELECT a.problemset, a.position, a.run_id, a.verdict, min(a.id), count(*), a.subverdict
        FROM k CROSS JOIN attempt a ON a.problemset = k.problemset AND a.position = k.position
        WHERE a.run_id IN ({_marks(run_ids)}) AND {LAST_ATTEMPT}
        GROUP BY a.problemset, a.position, a.run_id, a.verdict ORDER BY a.verdict = 'CORRECT', min(a.id)"""
    cells: dict[ProblemKey, dict[int, CellCount]] = {}
    values = [*(value for problem in problems for value in problem), *run_ids]
    for name, number, run_id, verdict, attempt_id, count, cause in db.execute(sql, values):  # the cause of min(a.id)
        cell = cells.setdefault((name, number), {}).get(run_id, CellCount(attempt_id, verdict, 0, 0, str(cause)))
        correct = cell.correct + (count if verdict == "CORRECT" else 0)
        cells[name, number][run_id] = cell._replace(correct=correct, epochs=cell.epochs + count)
    return cells


def _marks(values: Sequence[int]) -> str:
    return ", ".join("?" for _ in values)


def _named(run_ids: Sequence[int]) -> str:
    return ", ".join(f":run{number}" for number in range(len(run_ids)))


_PAIRS: Final = f"""FROM attempt a JOIN attempt b ON b.run_id = :after AND b.problemset = a.problemset
    AND b.position = a.position AND b.epoch = a.epoch WHERE a.run_id = :before AND {LAST_ATTEMPT}
    AND b.counts = 1"""
_SAME_QUERY: Final = " AND a.query = b.query"


class PairGroup(StrEnum):
    """Which problems of two runs to list."""

    CHANGED = "verdicts differ"
    BOTH = "solved by both"
    FIRST = "only A solved"
    SECOND = "only B solved"
    NEITHER = "solved by none"
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


class ComparedAttempts(NamedTuple):
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
) -> list[ComparedAttempts]:
    """Return one page of the problems of a group: first those that stopped or started being CORRECT.

    With `limit` None all are returned.
    """
    sql = f"""SELECT a.problemset, a.position, a.epoch, a.id, a.verdict, b.id, b.verdict {_PAIRS}
        {_SAME_QUERY if same_query else ""} {_GROUPS[group]}
        ORDER BY CASE WHEN a.verdict = b.verdict THEN 3 WHEN a.verdict = 'CORRECT' THEN 0
        WHEN b.verdict = 'CORRECT' THEN 1 ELSE 2 END, a.problemset, a.position, a.epoch LIMIT :limit OFFSET :offset"""
    values = {"before": before, "after": after, "limit": -1 if limit is None else limit, "offset": offset}
    with ws.read() as db:
        return [ComparedAttempts(*row) for row in db.execute(sql, values)]


class SolvedBy(StrEnum):
    """Which problems of several runs to list."""

    DIFFER = "verdicts differ"
    SOME = "solved by some"
    EVERY = "solved by all"
    NONE = "solved by none"
    ALL = "all"


class MaskCount(NamedTuple):
    """Problems that the same runs were asked and solved. Bit 0 of a mask is the first run, bit 1 the second."""

    asked: int  # mask: runs that came to the problem
    solved: int  # mask: runs that solved it in an epoch
    unsolved: int  # mask: runs that did not in an epoch, or were not judged on it
    differs: bool  # whether there is more than one verdict
    problems: int  # count

    def is_in(self, group: SolvedBy, runs: int) -> bool:
        """Return whether these problems belong to a group, of so many runs."""
        return {
            SolvedBy.DIFFER: self.differs,
            SolvedBy.SOME: bool(self.solved and self.unsolved),
            SolvedBy.EVERY: self.solved == 2**runs - 1 and not self.unsolved,
            SolvedBy.NONE: not self.solved,
            SolvedBy.ALL: True,
        }[group]


_MASK_GROUPS: Final = {
    SolvedBy.DIFFER: "verdicts > 1",
    SolvedBy.SOME: "solved AND unsolved",
    SolvedBy.EVERY: "solved = :every AND NOT unsolved",
    SolvedBy.NONE: "NOT solved",
    SolvedBy.ALL: "1",
}


def count_masks(ws: Workspace, run_ids: Sequence[int], *, same_query: bool = False) -> list[MaskCount]:
    """Return how many problems which of the runs solved; `same_query`: only those asked in the same words."""
    sql = f"""{_masks(run_ids, same_query=same_query)}
        SELECT asked, solved, unsolved, verdicts > 1, count(*) FROM p GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
    with ws.read() as db:
        found = db.execute(sql, _numbered(run_ids)).fetchall()
    return [
        MaskCount(asked, solved, unsolved, bool(differs), count) for asked, solved, unsolved, differs, count in found
    ]


def list_compared(
    ws: Workspace,
    run_ids: Sequence[int],
    group: SolvedBy,
    limit: int = 50,
    offset: int = 0,
    *,
    same_query: bool = False,
) -> list[MatrixRow]:
    """Return one page of the problems of a group, each with what every run got, by problemset and number."""
    sql = f"""{_masks(run_ids, same_query=same_query)}
        SELECT k.problemset, k.position, b.query FROM (
        SELECT problemset, position, one FROM p WHERE {_MASK_GROUPS[group]}
        ORDER BY problemset, position LIMIT :limit OFFSET :offset) k
        JOIN attempt b ON b.id = k.one ORDER BY k.problemset, k.position"""
    values = {**_numbered(run_ids), "limit": limit, "offset": offset}
    if group is SolvedBy.EVERY:
        values["every"] = 2 ** len(run_ids) - 1
    with ws.read() as db:
        found = db.execute(sql, values).fetchall()
        cells = _cells(db, run_ids, [(name, number) for name, number, _ in found])
    return [MatrixRow(name, number, str(query or ""), cells.get((name, number), {})) for name, number, query in found]


def _masks(run_ids: Sequence[int], *, same_query: bool) -> str:
    """Return the start of a statement: `p` holds each problem with the runs that were asked it, solved it, did not."""
    bit = f"CASE a.run_id {' '.join(f'WHEN :run{number} THEN {2**number}' for number in range(len(run_ids)))} END"
    return f"""WITH p AS (SELECT a.problemset, a.position, min(a.id) AS one, count(DISTINCT a.verdict) AS verdicts,
        sum(DISTINCT {bit}) AS asked,
        sum(DISTINCT CASE WHEN a.verdict = 'CORRECT' THEN {bit} ELSE 0 END) AS solved,
        sum(DISTINCT CASE WHEN a.verdict = 'CORRECT' THEN 0 ELSE {bit} END) AS unsolved
        FROM attempt a WHERE a.run_id IN ({_named(run_ids)}) AND {LAST_ATTEMPT} GROUP BY a.problemset, a.position
        {"HAVING min(a.query) = max(a.query)" if same_query else ""})"""


def _numbered(run_ids: Sequence[int]) -> dict[str, Any]:
    return {f"run{number}": run_id for number, run_id in enumerate(run_ids)}
