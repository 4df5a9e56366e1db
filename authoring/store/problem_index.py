"""One row per problem of each head revision: lists and searches read these rows, never the texts."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database


class IndexedProblem(NamedTuple):
    """What the index keeps of a problem."""

    position: int  # from 1, problems only
    problem_id: str
    query: str
    knowledge_points: str  # JSON list
    line: int  # of the cell's first line


@dataclass(frozen=True)
class ProblemHit:
    """A problem found by its query, its comments or by listing."""

    problemset_id: int
    problemset_name: str
    status: ProblemsetStatus
    position: int
    problem_id: str
    query: str


def index_problems(name: str, text: str) -> tuple[IndexedProblem, ...]:
    """Parse `text` for the index; empty when it does not parse. Call it outside of any transaction."""
    from evaluator.language import parse_problemset, problem_id

    problemset = parse_problemset(text, name=name).problemset
    if problemset is None:
        return ()
    return tuple(
        IndexedProblem(
            position=position,
            problem_id=problem_id(problemset, position),
            query=problem.query,
            knowledge_points=json.dumps(problem.metadata.get("knowledge_points", []), default=str),
            line=problem.line,
        )
        for position, problem in enumerate(problemset.problems, start=1)
    )


def points_of_seed(ws: Workspace, seed_id: int) -> dict[str, int]:
    """Return the knowledge points of the problemsets on a seed, by how many problems name each."""
    sql = """SELECT i.knowledge_points AS points FROM problem_index i JOIN problemset p ON p.id = i.problemset_id
        WHERE p.seed_id = ?"""
    with ws.read() as db:
        written = [json.loads(row["points"]) for row in db.query(sql, [seed_id])]
    named = [points if isinstance(points, list) else [points] for points in written if points]
    return dict(Counter(str(point) for points in named for point in dict.fromkeys(map(str, points))))


def write_index(db: "Database", problemset_id: int, revision_id: int, problems: tuple[IndexedProblem, ...]) -> None:
    """Replace the rows of a problemset, inside the caller's transaction."""
    db.execute("DELETE FROM problem_index WHERE problemset_id = ?", [problemset_id])
    db.conn.executemany(
        "INSERT INTO problem_index (problemset_id, revision_id, position, problem_id, query, knowledge_points, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(problemset_id, revision_id, *problem) for problem in problems],
    )


def rebuild_index(ws: Workspace) -> int:
    """Make the index anew from the head revisions and return the number of problems."""
    with ws.read() as db:
        heads = list(
            db.query(
                "SELECT p.id, p.name, p.head_revision_id, r.text FROM problemset p"
                " JOIN revision r ON r.id = p.head_revision_id"
            )
        )
    indexed = [(row, index_problems(row["name"], row["text"])) for row in heads]
    with ws.write() as db:
        for row, problems in indexed:
            now = db.execute("SELECT head_revision_id FROM problemset WHERE id = ?", [row["id"]]).fetchone()[0]
            if now == row["head_revision_id"]:  # otherwise a newer save has already written newer rows
                write_index(db, row["id"], row["head_revision_id"], problems)
                db.execute("UPDATE problemset SET problem_count = ? WHERE id = ?", [len(problems), row["id"]])
    return sum(len(problems) for _, problems in indexed)


def match_expression(text: str) -> str:
    """Return `text` as an FTS5 query: all words must occur, the last may be the beginning of one; '' without words."""
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return " ".join([*(f'"{word}"' for word in words[:-1]), *(f'"{word}"*' for word in words[-1:])])


def search_problems(ws: Workspace, text: str, *, limit: int = 50, offset: int = 0) -> list[ProblemHit]:
    """Return the problems whose query holds all words of `text`, best match first."""
    expression = match_expression(text)
    if not expression:
        return []
    sql = """SELECT p.id AS problemset_id, p.name AS problemset_name, p.status, i.position, i.problem_id, i.query
        FROM problem_index_fts f JOIN problem_index i ON i.id = f.rowid JOIN problemset p ON p.id = i.problemset_id
        WHERE problem_index_fts MATCH :words ORDER BY f.rank, i.id LIMIT :limit OFFSET :offset"""
    with ws.read() as db:
        return _hits(db, sql, {"words": expression, "limit": limit, "offset": offset})


def list_problems(
    ws: Workspace, *, status: str | None = None, problemset_id: int | None = None, limit: int = 50, offset: int = 0
) -> list[ProblemHit]:
    """Return the problems of all head revisions in order of problemset and position."""
    sql = """SELECT p.id AS problemset_id, p.name AS problemset_name, p.status, i.position, i.problem_id, i.query
        FROM problem_index i JOIN problemset p ON p.id = i.problemset_id
        WHERE (:status IS NULL OR p.status = :status) AND (:id IS NULL OR i.problemset_id = :id)
        ORDER BY i.problemset_id, i.position LIMIT :limit OFFSET :offset"""
    with ws.read() as db:
        return _hits(db, sql, {"status": status, "id": problemset_id, "limit": limit, "offset": offset})


def _hits(db: "Database", sql: str, values: dict[str, Any]) -> list[ProblemHit]:
    return [ProblemHit(**row) for row in db.query(sql, values)]
