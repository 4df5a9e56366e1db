"""Workspaces that earlier versions of the program made open, whole, under this one."""

import gzip
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from authoring.store import jobs, model_calls, problem_index, problemsets, revisions, runs
from authoring.store.database import migrations
from authoring.store.database.migrations import SCHEMA_VERSION
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.problem_index import search_problems
from authoring.store.reviewing.reviews import add_reply, list_comments, list_decisions, record_decision
from authoring.store.reviewing.ticks import list_ticks, tick_problem
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

OLDER = Path(__file__).parent / "older"


@pytest.fixture(params=[1, 2])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    """A workspace whose database a program of an earlier schema wrote, opened and so migrated."""
    root = tmp_path / "ws"
    root.mkdir()
    packed = (OLDER / f"schema-{request.param}.sqlite.gz").read_bytes()
    (root / "workspace.sqlite").write_bytes(gzip.decompress(packed))
    with sqlite3.connect(root / "workspace.sqlite") as db:
        assert db.execute("SELECT max(version) FROM schema_version").fetchone() == (request.param,)
        db.execute("PRAGMA journal_mode=WAL")
    db.close()
    return Workspace.open(root)


def take_counts_back(db: "Database") -> None:
    """Leave the tables of attempts as schema 11 has them."""
    for statement in (
        *("DROP TABLE verdict_of_set", "DROP TABLE verdict_of_run", "DROP INDEX attempt_counted"),
        *("ALTER TABLE attempt DROP COLUMN query", "ALTER TABLE attempt DROP COLUMN counts"),
        "ALTER TABLE run DROP COLUMN newest_attempt",
        "CREATE INDEX attempt_by_agent ON attempt(agent, verdict, created_at)",
        "CREATE INDEX attempt_that_counts ON attempt(run_id, problemset, position, epoch, attempt, verdict)",
        "DELETE FROM schema_version WHERE version > 11",
    ):
        db.execute(statement)


def test_everything_in_an_older_file_is_found_again(older: Workspace) -> None:
    first, second = revisions.select(older, 1)
    assert (first.author, second.author, second.minutes, second.guide_number) == ("Ann", "Bo", 2.5, None)
    assert [revision.id for revision in revisions.accepted(older)] == [second.id]
    assert find_seed(older, "penguins").licence == "CC0-1.0"
    assert find_sketch(older, "penguins-1").items[0].query_idea == "load the table"
    assert [comment.kind for comment in list_comments(older, 1)] == ["ambiguous"]
    assert [decision.by for decision in list_decisions(older, 1)] == ["Cem"]
    assert [job.kind for job in jobs.select(older)] == ["dry_run"]
    assert [run.agent for run in runs.select(older)] == ["oracle"]
    assert [found.problemset_id for found in search_problems(older, "mass")] == [1]
    assert older.integrity() == ()


def test_an_index_that_a_migration_left_behind_is_made_at_the_next_opening(
    older: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with older.write() as db:
        db.execute("DELETE FROM schema_version WHERE version > 2")
        db.execute("DELETE FROM problem_index")

    def killed(_ws: Workspace) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(migrations, "MIGRATIONS", (lambda _db: None,) * SCHEMA_VERSION)
    with monkeypatch.context() as patched:
        patched.setattr(problem_index, "rebuild_index", killed)
        with pytest.raises(KeyboardInterrupt):
            Workspace.open(older.root)
    assert search_problems(older, "mass") == []
    with older.read() as db:
        assert migrations.schema_state(db) == (SCHEMA_VERSION, True)
    reopened = Workspace.open(older.root)
    assert [found.problemset_id for found in search_problems(reopened, "mass")] == [1]
    with reopened.read() as db:
        assert migrations.schema_state(db) == (SCHEMA_VERSION, False)


def test_an_older_file_takes_new_work(older: Workspace) -> None:
    head = revisions.select(older, 1)[-1]
    facts: dict[str, Any] = {"author": "model", "origin": Origin.MODEL, "guide_number": 4}
    saved = revisions.save(older, 1, f"{head.text}# more\n", base_revision_id=head.id, **facts)
    assert (saved.number, saved.guide_number) == (3, 4)
    call: dict[str, Any] = {"purpose": "refine", "subject": "set 1", "digest": "e" * 64, "model": "m", "host": "h"}
    model_calls.insert(older, **call, params={}, messages=[], cost=0.5)
    assert model_calls.select(older, purpose="refine")[0].cost == 0.5
    (comment,) = list_comments(older, 1)
    assert (comment.reply_to, comment.edited_at, comment.mentions, comment.replies) == (None, None, (), ())
    add_reply(older, comment.id, author="Bo", text="so, @Cem", people=["Cem"])
    assert [(each.text, each.mentions) for each in list_comments(older, 1)[0].replies] == [("so, @Cem", ("Cem",))]
    tick_problem(older, 1, "p1", digest="d" * 64, person="Cem")
    assert list_ticks(older, 1, "cem") == {"p1": "d" * 64}


def test_a_set_that_waits_in_an_older_file_has_answered_its_decision(older: Workspace) -> None:
    head = revisions.select(older, 1)[-1]
    record_decision(older, revision_id=head.id, decision="sent_back", by="Cem", reason="no unit")
    with older.write() as db:
        db.execute("UPDATE problemset SET status = 'submitted'")
        db.execute("ALTER TABLE problemset DROP COLUMN answered_decision")
        take_counts_back(db)
        db.execute("DELETE FROM schema_version WHERE version > 10")
    reopened = Workspace.open(older.root)
    assert problemsets.find(reopened, 1).sent_back is None
    record_decision(reopened, revision_id=head.id, decision="sent_back", by="Bo", reason="still none")
    sent_back = problemsets.find(reopened, 1).sent_back
    assert (sent_back and sent_back.by) == "Bo"


def test_attempts_of_an_older_file_are_counted_as_if_just_entered(workspace: Workspace) -> None:
    run = runs.insert(workspace, release="city 1", agent="solver", out_dir="a", summary={})
    tries = [("CRASH", 1, 1), ("CORRECT", 2, 1), ("TIMEOUT", 1, 2)]
    records = [
        {"problemset": name, "index": 1, "verdict": verdict, "attempt": attempt, "epoch": epoch}
        for name in ("trips", "ships")
        for verdict, attempt, epoch in tries
    ]
    runs.index_attempts(workspace, run, records)
    before = kept_counts(workspace)
    assert before == (
        [(run, "CORRECT", "", 2), (run, "TIMEOUT", "", 2)],
        [(run, name, verdict, "", 1) for name in ("ships", "trips") for verdict in ("CORRECT", "TIMEOUT")],
        [(run, 6)],
        [(number % 3 != 1,) for number in range(1, 7)],
    )
    with workspace.write() as db:
        take_counts_back(db)
    assert kept_counts(Workspace.open(workspace.root)) == before


def kept_counts(ws: Workspace) -> tuple[list[tuple[object, ...]], ...]:
    with ws.read() as db:
        return tuple(
            db.execute(sql).fetchall()
            for sql in (
                "SELECT * FROM verdict_of_run ORDER BY verdict",
                "SELECT * FROM verdict_of_set ORDER BY problemset, verdict",
                "SELECT id, newest_attempt FROM run",
                "SELECT counts FROM attempt ORDER BY id",
            )
        )
