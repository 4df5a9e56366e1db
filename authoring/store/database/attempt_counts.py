"""Counts of verdicts that are kept beside the attempts, so that no list counts a million of them: tables and upkeep."""
# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite_utils import Database

VERSION_12: Final = (  # what counts of a run's attempts is marked, and counted by verdict
    "ALTER TABLE run ADD COLUMN newest_attempt INTEGER NOT NULL DEFAULT 0",
    "UPDATE run SET newest_attempt = ifnull((SELECT max(id) FROM attempt WHERE run_id = run.id), 0)",
    "ALTER TABLE attempt ADD COLUMN counts INTEGER NOT NULL DEFAULT 1",
    """UPDATE attempt SET counts = 0 WHERE EXISTS (SELECT 1 FROM attempt n WHERE n.run_id = attempt.run_id
        AND n.problemset = attempt.problemset AND n.position = attempt.position AND n.epoch = attempt.epoch
        AND n.attempt > attempt.attempt)""",
    "DROP INDEX attempt_that_counts",
    "DROP INDEX attempt_by_agent",
    """CREATE INDEX attempt_counted ON attempt(run_id, problemset, position, epoch, verdict, subverdict, counts)
        WHERE counts = 1""",
    """CREATE TABLE verdict_of_set (
        run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        problemset TEXT NOT NULL,
        verdict TEXT NOT NULL,
        subverdict TEXT NOT NULL,
        problems INTEGER NOT NULL,
        PRIMARY KEY (run_id, problemset, verdict, subverdict)) WITHOUT ROWID""",
    """CREATE TABLE verdict_of_run (
        run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
        verdict TEXT NOT NULL,
        subverdict TEXT NOT NULL,
        problems INTEGER NOT NULL,
        PRIMARY KEY (run_id, verdict, subverdict)) WITHOUT ROWID""",
    """INSERT INTO verdict_of_set SELECT run_id, problemset, verdict, subverdict, count(*) FROM attempt
        WHERE counts = 1 GROUP BY run_id, problemset, verdict, subverdict""",
    """INSERT INTO verdict_of_run SELECT run_id, verdict, subverdict, sum(problems) FROM verdict_of_set
        GROUP BY run_id, verdict, subverdict""",
)

VERSION_13: Final = (  # queries of attempts are searched and compared without a look at the records
    """ALTER TABLE attempt ADD COLUMN query TEXT GENERATED ALWAYS AS
        (CASE WHEN json_valid(body) THEN trim(coalesce(json_extract(body, '$.question'), '')) ELSE '' END) VIRTUAL""",
    "DROP INDEX attempt_counted",
    """CREATE INDEX attempt_counted ON attempt(run_id, problemset, position, epoch, verdict, subverdict, query, counts)
        WHERE counts = 1""",
)

_HERE: Final = "run_id = :run AND problemset IN (SELECT value FROM json_each(:sets))"
_RENEWED: Final = (
    f"""UPDATE attempt SET counts = 0 WHERE {_HERE} AND counts = 1 AND EXISTS (SELECT 1 FROM attempt n
        WHERE n.run_id = attempt.run_id AND n.problemset = attempt.problemset AND n.position = attempt.position
        AND n.epoch = attempt.epoch AND n.attempt > attempt.attempt)""",
    f"DELETE FROM verdict_of_set WHERE {_HERE}",
    f"""INSERT INTO verdict_of_set SELECT run_id, problemset, verdict, subverdict, count(*) FROM attempt
        WHERE {_HERE} AND counts = 1 GROUP BY problemset, verdict, subverdict""",
    "DELETE FROM verdict_of_run WHERE run_id = :run",
    """INSERT INTO verdict_of_run SELECT run_id, verdict, subverdict, sum(problems) FROM verdict_of_set
        WHERE run_id = :run GROUP BY verdict, subverdict""",
    "UPDATE run SET newest_attempt = :newest WHERE id = :run",
)


def renew_counts(db: "Database", run_id: int, problemsets: Iterable[str]) -> None:
    """Bring the counts of a run up to the attempts that were just written, in the transaction that wrote them.

    Args:
        db: The open transaction; what it wrote last are attempts.
        run_id: Their run.
        problemsets: Theirs.
    """
    newest = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    values = {"run": run_id, "sets": json.dumps(sorted(set(problemsets))), "newest": newest}
    for statement in _RENEWED:
        db.execute(statement, values)
