"""The queue: which problemsets wait for whom, found by status, holder, making, tag, text and doubt, and sorted."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from authoring.store.database.connections import timestamp
from authoring.store.people import Role
from authoring.store.problem_index import match_expression
from authoring.store.problemsets import COLUMNS, ProblemsetRow, filters, problemset_row
from authoring.store.workspace import Workspace

SUSPECT_KINDS: Final = ("samples_agree", "agents_agree", "suspect")
"""Items of the roundtable that doubt a reference: answers agree with each other and not with it, or somebody does."""

_HELD: Final = "SELECT problemset_id FROM claim WHERE expires_at > :now"
_SUSPECT: Final = f"""SELECT problemset_id FROM roundtable WHERE resolution IS NULL
    AND json_extract(evidence, '$.kind') IN ({", ".join(f"'{kind}'" for kind in SUSPECT_KINDS)})"""


@dataclass(frozen=True)
class QueueFilter:
    """Which problemsets to list; None: any."""

    status: str | None = None
    holder: str | None = None  # who has claimed it now; empty: nobody
    origin: str | None = None  # of the first revision: model, template, person or import
    search: str | None = None  # in names, queries and comments
    only_suspect: bool = False
    tag: str | None = None


class QueueSort(StrEnum):
    """What comes first in the list."""

    CHANGED = "changed"  # last
    NAME = "name"
    STATUS = "status"  # submitted, sent back, draft, accepted
    FAILING = "failing"  # most problems that forbid accepting
    PRIORITY = "priority"  # as `next_for` picks: submitted, then drafts and what was sent back; longest waiting first
    PERSON = "person"  # who holds it; those that nobody holds last


_NEWEST: Final = "p.updated_at DESC, p.id DESC"
_FAILING: Final = """(SELECT count(*) FROM dry_run_problem f WHERE f.dry_run_id = (SELECT d.id FROM dry_run d
    JOIN revision r ON r.id = d.revision_id WHERE r.problemset_id = p.id ORDER BY r.number DESC, d.id DESC LIMIT 1)
    AND (f.reference_verdict != 'CORRECT' OR f.empty_verdict = 'CORRECT'))"""
_ORDERS: Final[Mapping[QueueSort, str]] = {
    QueueSort.CHANGED: _NEWEST,
    QueueSort.NAME: "p.name COLLATE NOCASE",
    QueueSort.STATUS: f"""CASE p.status WHEN 'submitted' THEN 0 WHEN 'sent_back' THEN 1 WHEN 'draft' THEN 2 ELSE 3 END,
        {_NEWEST}""",
    QueueSort.FAILING: f"{_FAILING} DESC, {_NEWEST}",
    QueueSort.PRIORITY: """CASE p.status WHEN 'submitted' THEN 0 WHEN 'accepted' THEN 2 ELSE 1 END,
        p.updated_at, p.id""",
    QueueSort.PERSON: f"holder IS NULL, holder COLLATE NOCASE, {_NEWEST}",
}


@dataclass(frozen=True)
class QueueFacets:
    """What the list can be narrowed to, each with how many problemsets."""

    holders: Mapping[str, int]  # who has claimed problemsets now
    tags: Mapping[str, int]
    suspects: int  # with an open doubt about a reference


@dataclass(frozen=True)
class Progress:
    """How far the work is, all in problemsets."""

    total: int
    accepted: int
    touched: int  # that the person saved a revision of
    touched_accepted: int  # of those, accepted by now
    decided: int  # that the person accepted or sent back
    held: int  # that the person has claimed now


@dataclass(frozen=True)
class TextHit:
    """A problem whose query, or a comment on which, holds the words of a search."""

    problemset_id: int
    problemset_name: str
    problem: str | None  # its id; None: a comment on the whole set
    text: str
    is_comment: bool


def list_queue(
    ws: Workspace, chosen: QueueFilter, *, sort: QueueSort = QueueSort.CHANGED, limit: int = 50, offset: int = 0
) -> list[ProblemsetRow]:
    """Return one page of the problemsets that match, sorted."""
    where, values = _terms(chosen)
    sql = f"""SELECT {COLUMNS} FROM problemset p {where} ORDER BY {_ORDERS[sort]} LIMIT :limit OFFSET :offset"""
    with ws.read() as db:
        return [problemset_row(row) for row in db.query(sql, {**values, "limit": limit, "offset": offset})]


def count_queue(ws: Workspace, chosen: QueueFilter) -> int:
    """Return how many problemsets match."""
    where, values = _terms(chosen)
    with ws.read() as db:
        return int(db.execute(f"SELECT count(*) FROM problemset p {where}", values).fetchone()[0])


def queue_facets(ws: Workspace) -> QueueFacets:
    """Return what the list can be narrowed to, in one statement."""
    sql = f"""SELECT 'holder', holder, count(*) FROM claim WHERE expires_at > ? GROUP BY holder
        UNION ALL SELECT 'tag', tag, count(*) FROM problemset_tag GROUP BY tag
        UNION ALL SELECT 'suspect', '', count(DISTINCT problemset_id) FROM ({_SUSPECT})"""
    found: dict[str, dict[str, int]] = {"holder": {}, "tag": {}, "suspect": {}}
    with ws.read() as db:
        for kind, name, count in db.execute(sql, [timestamp()]).fetchall():
            found[kind][name] = int(count)
    sizes = {kind: {name: of[name] for name in sorted(of, key=str.casefold)} for kind, of in found.items()}
    return QueueFacets(sizes["holder"], sizes["tag"], found["suspect"][""])


def search_texts(ws: Workspace, text: str, *, limit: int = 20) -> list[TextHit]:
    """Return problems whose query, or a comment on which, holds all words of `text`; queries first, best first."""
    words = match_expression(text)
    if not words:
        return []
    queries = """SELECT f.rank AS rank, p.id AS problemset_id, p.name AS problemset_name, i.problem_id AS problem,
        i.query AS text, 0 AS is_comment FROM problem_index_fts f JOIN problem_index i ON i.id = f.rowid
        JOIN problemset p ON p.id = i.problemset_id WHERE problem_index_fts MATCH :words
        ORDER BY f.rank LIMIT :limit"""
    comments = """SELECT f.rank AS rank, p.id AS problemset_id, p.name AS problemset_name, c.problem, c.text,
        1 AS is_comment FROM comment_fts f JOIN comment c ON c.id = f.rowid JOIN problemset p ON p.id = c.problemset_id
        WHERE comment_fts MATCH :words ORDER BY f.rank LIMIT :limit"""
    sql = f"""SELECT problemset_id, problemset_name, problem, text, is_comment
        FROM (SELECT * FROM ({queries}) UNION ALL SELECT * FROM ({comments})) ORDER BY is_comment, rank LIMIT :limit"""
    with ws.read() as db:
        found = db.query(sql, {"words": words, "limit": limit})
        return [TextHit(**(row | {"is_comment": bool(row["is_comment"])})) for row in found]


def measure_progress(ws: Workspace, person: str) -> Progress:
    """Return how far everybody's and one person's work is."""
    sql = """SELECT (SELECT count(*) FROM problemset), (SELECT count(*) FROM problemset WHERE status = 'accepted'),
        (SELECT count(DISTINCT problemset_id) FROM revision WHERE author = :person AND origin = 'person'),
        (SELECT count(*) FROM problemset p WHERE p.status = 'accepted'
            AND p.id IN (SELECT problemset_id FROM revision WHERE author = :person AND origin = 'person')),
        (SELECT count(DISTINCT problemset_id) FROM decision WHERE by = :person),
        (SELECT count(*) FROM claim WHERE holder = :person AND expires_at > :now)"""
    with ws.read() as db:
        return Progress(*db.execute(sql, {"person": person, "now": timestamp()}).fetchone())


def next_for(ws: Workspace, person: str, roles: Collection[Role]) -> int | None:
    """Return the problemset that waits longest for somebody with these roles, or that they have claimed already.

    Reviewers get what others submitted first; annotators then drafts and what was sent back. None: nothing waits.
    """
    everything = Role.MAINTAINER in roles
    reviewing = """p.status = 'submitted'
        AND (SELECT author FROM revision WHERE id = p.head_revision_id) != :person COLLATE NOCASE"""
    wanted = [reviewing] if everything or Role.REVIEWER in roles else []
    wanted += ["p.status IN ('draft', 'sent_back')"] if everything or Role.ANNOTATOR in roles else []
    firsts = [
        f"""SELECT * FROM (SELECT {rank} AS rank, p.id FROM problemset p
            LEFT JOIN claim c ON c.problemset_id = p.id AND c.expires_at > :now
            WHERE (c.holder IS NULL OR c.holder = :person) AND {condition}
            ORDER BY c.holder IS NULL, p.updated_at, p.id LIMIT 1)"""
        for rank, condition in enumerate(wanted)
    ]
    if not firsts:
        return None
    sql = f"SELECT id FROM ({' UNION ALL '.join(firsts)}) ORDER BY rank LIMIT 1"
    with ws.read() as db:
        found = db.execute(sql, {"now": timestamp(), "person": person}).fetchone()
    return None if found is None else int(found[0])


def _terms(chosen: QueueFilter) -> tuple[str, dict[str, Any]]:
    where, values = filters(chosen.status, chosen.search)
    terms = [where.removeprefix("WHERE ")] if where else []
    if chosen.holder is not None:
        held = f"{_HELD} AND holder = :holder" if chosen.holder else _HELD
        terms.append(f"p.id {'' if chosen.holder else 'NOT '}IN ({held})")
    if chosen.origin is not None:
        terms.append(
            "(SELECT origin FROM revision r WHERE r.problemset_id = p.id AND r.number = 1) = :origin",
        )
    if chosen.only_suspect:
        terms.append(f"p.id IN ({_SUSPECT})")
    if chosen.tag is not None:
        terms.append("p.id IN (SELECT problemset_id FROM problemset_tag WHERE tag = :tag)")
    values |= {"now": timestamp(), "holder": chosen.holder, "origin": chosen.origin, "tag": chosen.tag}
    return (f"WHERE {' AND '.join(terms)}" if terms else ""), values
