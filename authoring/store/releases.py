"""Releases: frozen, content-hashed sets of accepted revisions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from authoring.store.database.connections import timestamp
from authoring.store.database.names import check_name
from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError, by_place
from evaluator.registry import nearest_name

if TYPE_CHECKING:
    from sqlite_utils import Database

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound


@dataclass(frozen=True)
class Release:
    """A release and the revisions in it."""

    id: int
    name: str
    version: str
    digest: str  # sha256 over its files
    path: str  # the folder it was written to
    created_at: str
    items: tuple[tuple[int, str], ...]  # (revision id, problemset name), by name
    created_by: str = ""


def insert(
    ws: Workspace,
    *,
    name: str,
    version: str,
    digest: str,
    path: str,
    items: Sequence[tuple[int, str]],
    created_by: str = "",
) -> int:
    """Record a release and return its id; recording the same content again returns the id it has.

    Raises:
        UsageError: If the name cannot be a name, or this name and version stand for other content.
    """
    check_name(name, kind="release")
    row = {
        **{"name": name, "version": version, "digest": digest, "path": path},
        **{"created_by": created_by, "created_at": timestamp()},
    }
    with ws.write() as db:
        sql = "SELECT id, digest FROM release WHERE name = ? AND version = ?"
        if (there := db.execute(sql, [name, version]).fetchone()) is not None:
            if there[1] != digest:
                raise UsageError(
                    f"release {name!r} {version!r} exists with other content",
                    where=f"release {there[0]}",
                    fix="choose the next version",
                )
            db.execute("UPDATE release SET path = ? WHERE id = ?", [path, there[0]])
            return int(there[0])
        release_id = int(db.table("release").insert(row).last_pk)
        db.conn.executemany("INSERT INTO release_item VALUES (?, ?, ?)", [(release_id, *item) for item in items])
    return release_id


def select(ws: Workspace) -> list[Release]:
    """Return all releases, newest first."""
    items: dict[int, list[tuple[int, str]]] = {}
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM release ORDER BY id DESC"))
        sql = "SELECT release_id, revision_id, problemset_name FROM release_item ORDER BY release_id, problemset_name"
        for release_id, *item in db.execute(sql):
            items.setdefault(release_id, []).append((int(item[0]), str(item[1])))
    return [Release(**row, items=tuple(items.get(row["id"], ()))) for row in rows]


def release_names(ws: Workspace, release_ids: Sequence[int]) -> dict[int, str]:
    """Return release -> name and version, of those that there are."""
    marks = ", ".join("?" for _ in release_ids)
    with ws.read() as db:
        sql = f"SELECT id, name || ' ' || version FROM release WHERE id IN ({marks})"
        return dict(db.execute(sql, list(release_ids)).fetchall())


def find(ws: Workspace, ref: str | int) -> Release:
    """Return the release with that id, `NAME@VERSION`, or `NAME` (its newest).

    Raises:
        UsageError: If there is none.
    """
    text = str(ref).strip()
    name, _, version = text.partition("@")
    by_id = text.isascii() and text.isdigit() and len(text) <= 18
    with ws.read() as db:
        rows = list(
            db.query(
                "SELECT * FROM release WHERE (:id IS NOT NULL AND id = :id) OR (:id IS NULL AND name = :name AND"
                " (:version = '' OR version = :version)) ORDER BY id DESC LIMIT 1",
                {"id": int(text) if by_id else None, "name": name, "version": version},
            )
        )
        if rows:
            return _release(db, rows[0])
        known = sorted({str(row["name"]) for row in db.query("SELECT name FROM release")})
    near = nearest_name(name, known) or ", ".join(known[:8])
    raise by_place(UsageError(f"there is no release {text!r}", fix=f"use {near}" if near else "create one first"))


def _release(db: "Database", row: Mapping[str, Any]) -> Release:
    sql = "SELECT revision_id, problemset_name FROM release_item WHERE release_id = ? ORDER BY problemset_name"
    return Release(**row, items=tuple((int(r[0]), str(r[1])) for r in db.execute(sql, [row["id"]])))


class ReleasedRevision(NamedTuple):
    """One problemset of a release, as it was released."""

    problemset_id: int
    name: str
    number: int  # of the revision
    problems: int  # in its newest dry run (count)


def list_released(ws: Workspace, items: Sequence[tuple[int, str]]) -> list[ReleasedRevision]:
    """Return what some `items` of a release are, in their order; without those whose revision is gone."""
    marks = ",".join("?" * len(items))
    sql = f"""SELECT v.id, v.problemset_id, v.number, (SELECT count(*) FROM dry_run_problem WHERE dry_run_id =
            (SELECT max(d.id) FROM dry_run d WHERE d.revision_id = v.id))
        FROM revision v WHERE v.id IN ({marks})"""
    with ws.read() as db:
        found = {row[0]: row[1:] for row in db.execute(sql, [revision_id for revision_id, _ in items])}
    rows = ((name, found[revision_id]) for revision_id, name in items if revision_id in found)
    return [ReleasedRevision(problemset_id, name, number, count) for name, (problemset_id, number, count) in rows]


class ReleasedPlace(NamedTuple):
    """Where a problem stands in the workspace now."""

    problemset_id: int
    problem_id: str
    same_query: bool  # otherwise only its number is the same


def find_problem_place(ws: Workspace, problemset: str, position: int, query: str) -> ReleasedPlace | None:
    """Return where the workspace holds a problem: that with the same query, else that with the same number, else None.

    Args:
        ws: The workspace.
        problemset: Its name.
        position: The problem's number in the run, from 1.
        query: As the run asked it.
    """
    # A mode may have added words to the end of a query, such as the modules to use.
    sql = """SELECT p.id, i.problem_id, trim(i.query) = trim(:query) OR (i.position = :position
            AND trim(i.query) <> '' AND instr(:query, rtrim(i.query, char(10) || ' ')) = 1) FROM problemset p
        JOIN problem_index i ON i.problemset_id = p.id
        WHERE p.name = :name AND (trim(i.query) = trim(:query) OR i.position = :position)
        ORDER BY trim(i.query) = trim(:query) DESC, i.position = :position DESC LIMIT 1"""
    with ws.read() as db:
        found = db.execute(sql, {"name": problemset, "position": position, "query": query}).fetchone()
    return ReleasedPlace(int(found[0]), str(found[1]), bool(found[2])) if found else None


def reference_outputs(ws: Workspace, release: str, problemset: str, position: int) -> list[Mapping[str, Any]] | None:
    """Return the outputs of a reference in the newest dry run of the released revision; None without one.

    Args:
        ws: The workspace.
        release: Name and version, as runs call it: "core 1.0".
        problemset: Its name in the release.
        position: The problem's number, from 1.
    """
    sql = """SELECT p.body FROM release r JOIN release_item i ON i.release_id = r.id
        JOIN dry_run d ON d.revision_id = i.revision_id
        JOIN dry_run_problem p ON p.dry_run_id = d.id AND p.position = :position
        WHERE r.name || ' ' || r.version = :release AND i.problemset_name = :name ORDER BY d.id DESC LIMIT 1"""
    with ws.read() as db:
        found = db.execute(sql, {"release": release, "name": problemset, "position": position}).fetchone()
    return list(json.loads(found[0]).get("outputs") or []) if found else None


class Guess(NamedTuple):
    """An agent that solves nothing passed a problem that the workspace still asks in these words."""

    problemset_id: int
    problem_id: str
    agent: str
    run_id: int
    attempt_id: int


@dataclass(frozen=True)
class SetEvidence:
    """The head of one problemset with its newest dry run and decision."""

    problemset_id: int
    name: str
    status: ProblemsetStatus
    revision_id: int
    number: int
    decided_by: str  # who decided on the revision last; empty: nobody
    dry_run: DryRun | None  # without outputs, code and reasons
    open_items: tuple[str, ...] = ()  # of the roundtable: problem and reason
    seed: str = ""  # its name; empty: the set has none
    data_licence: str = ""  # as the seed states it
    open_comments: int = 0  # threads, whether they block accepting or not


def list_set_evidence(ws: Workspace) -> list[SetEvidence]:
    """Return the evidence about the head of every problemset, by name."""
    newest = "SELECT max(d.id) FROM problemset p JOIN dry_run d ON d.revision_id = p.head_revision_id GROUP BY p.id"
    heads = f"""SELECT p.id AS problemset_id, p.name, p.status, p.head_revision_id, p.head_number,
        (SELECT d.by FROM decision d WHERE d.revision_id = p.head_revision_id ORDER BY d.id DESC LIMIT 1) AS decided_by,
        (SELECT json_group_array(t.problem || ': ' || t.reason) FROM roundtable t
            WHERE t.problemset_id = p.id AND t.resolution IS NULL) AS items,
        d.id, d.revision_id, d.environment, d.sandbox, d.summary, d.created_at, s.name AS seed, s.licence,
        (SELECT count(*) FROM comment c WHERE c.problemset_id = p.id AND c.resolved_at IS NULL
            AND c.reply_to IS NULL) AS open_comments
        FROM problemset p LEFT JOIN dry_run d ON d.revision_id = p.head_revision_id AND d.id IN ({newest})
        LEFT JOIN seed s ON s.id = p.seed_id
        ORDER BY p.name"""
    with ws.read() as db:
        rows = list(db.query(heads))
        problems: dict[int, list[DryRunProblem]] = {}
        for dry_run_id, *values in db.execute(
            f"""SELECT dry_run_id, position, problem_id, seconds, reference_verdict, empty_verdict, agent_verdict
            FROM dry_run_problem WHERE dry_run_id IN ({newest}) ORDER BY dry_run_id, position"""
        ):
            problems.setdefault(dry_run_id, []).append(DryRunProblem(*values))
    return [
        SetEvidence(
            problemset_id=row["problemset_id"],
            name=row["name"],
            status=row["status"],
            revision_id=row["head_revision_id"],
            number=row["head_number"],
            decided_by=row["decided_by"] or "",
            dry_run=_dry_run(row, problems),
            open_items=tuple(json.loads(row["items"])),
            seed=row["seed"] or "",
            data_licence=row["licence"] or "",
            open_comments=row["open_comments"],
        )
        for row in rows
    ]


def _dry_run(row: Mapping[str, Any], problems: Mapping[int, Sequence[DryRunProblem]]) -> DryRun | None:
    if row["id"] is None:
        return None
    plain = {name: row[name] for name in ("id", "revision_id", "environment", "sandbox", "created_at")}
    return DryRun(**plain, summary=json.loads(row["summary"]), problems=tuple(problems.get(row["id"], ())))


def list_guesses(ws: Workspace) -> list[Guess]:
    """Return the problems of head revisions that the agents `cheat` passed, each with the newest attempt that shows it.

    A problem is the same while its problemset's name and its query are.
    """
    sql = """WITH passed AS MATERIALIZED (SELECT a.agent, a.run_id, a.id, a.problemset, a.query
            FROM attempt a WHERE a.verdict = 'CORRECT'
            AND a.run_id IN (SELECT id FROM run WHERE agent = 'cheat' OR agent LIKE 'cheat:%'))
        SELECT p.id, i.problem_id, a.agent, a.run_id, max(a.id) FROM passed a
        JOIN problemset p ON p.name = a.problemset
        JOIN problem_index i ON i.problemset_id = p.id AND trim(i.query) = a.query
        GROUP BY p.id, i.problem_id ORDER BY p.id, i.position"""
    with ws.read() as db:
        return [Guess(*row) for row in db.execute(sql)]


def head_texts(ws: Workspace, revision_ids: Sequence[int]) -> dict[int, str]:
    """Return revision -> text."""
    marks = ", ".join("?" for _ in revision_ids)
    with ws.read() as db:
        return dict(db.execute(f"SELECT id, text FROM revision WHERE id IN ({marks})", list(revision_ids)).fetchall())
