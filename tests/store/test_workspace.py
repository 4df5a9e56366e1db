import contextlib
import multiprocessing
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import pytest

from authoring.store.database import migrations
from authoring.store.database.connections import explained
from authoring.store.database.migrations import SCHEMA_VERSION
from authoring.store.drafting.seeds import list_seeds
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.waiting import eventually

SPAWN = multiprocessing.get_context("spawn")
PROCESSES = 4
ROUNDS = 20


def open_and_count_up(root: Path, start: float) -> None:
    time.sleep(max(0.0, start - time.time()))
    workspace = Workspace.open(root)
    list_seeds(workspace)
    with workspace.write() as db:
        db.execute("INSERT OR IGNORE INTO counter VALUES ('n', 0)")
    for _ in range(ROUNDS):
        with workspace.write() as db:
            seen = db.execute("SELECT value FROM counter WHERE name = 'n'").fetchone()[0]
            time.sleep(0.001)
            db.execute("UPDATE counter SET value = ? WHERE name = 'n'", [seen + 1])


def write_without_end(root: Path) -> None:
    workspace = Workspace.open(root)
    number = 0
    while True:
        number += 1
        workspace.put_bytes(b"x" * 5000 + str(number).encode())
        set_setting(workspace, f"key-{number % 50}", "x" * 5000)


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False])
def test_four_processes_make_or_migrate_a_workspace_and_lose_nothing(tmp_path: Path, is_new: bool) -> None:
    root = tmp_path / "ws" if is_new else older_workspace(tmp_path)
    start = time.time() + 1.5
    processes = [SPAWN.Process(target=open_and_count_up, args=(root, start)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(180)
    assert [process.exitcode for process in processes] == [0] * PROCESSES
    workspace = Workspace.open(root, create=False)
    assert workspace.integrity() == ()
    assert asked(workspace.database_path, "SELECT value FROM counter") == PROCESSES * ROUNDS
    assert [path.name for path in workspace.root.iterdir() if path.name.startswith(".new")] == []
    assert is_new or len(list(workspace.backups.iterdir())) == 1


@pytest.mark.slow
def test_a_process_killed_while_it_writes_leaves_a_sound_workspace(workspace: Workspace) -> None:
    for number in (1, 2):
        process = SPAWN.Process(target=write_without_end, args=(workspace.root,))
        process.start()
        assert eventually(lambda: get_setting(workspace, f"key-{number}"), within_s=60)  # noqa: B023 - called at once
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert workspace.integrity() == ()
        set_setting(workspace, "key-2", None)  # until the next process is at it
    for blob in workspace.blobs.glob("??/*"):
        assert len(blob.read_bytes()) > 5000
    set_setting(workspace, "after", 1)
    assert get_setting(workspace, "after") == 1


def asked(database: Path, *statements: str) -> object:
    """Return the first value that the last statement gives, without our program between."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as db:
        rows = [db.execute(statement).fetchone() for statement in statements]
    return rows[-1] and rows[-1][0]


def older_workspace(tmp_path: Path) -> Path:
    """A workspace of schema 0: ours by its header, but without our tables."""
    root = tmp_path / "ws"
    root.mkdir()
    asked(
        root / "workspace.sqlite",
        *("PRAGMA journal_mode=WAL", f"PRAGMA application_id={migrations.APPLICATION_ID}"),
        "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)",
        "INSERT INTO schema_version VALUES (0, '')",
        *("CREATE TABLE keepsake (word TEXT)", "INSERT INTO keepsake VALUES ('kept')"),
    )
    return root


def test_an_older_workspace_is_migrated_after_a_backup(tmp_path: Path) -> None:
    root = older_workspace(tmp_path)
    workspace = Workspace.open(root)
    with workspace.read() as db:
        assert migrations.schema_version(db) == SCHEMA_VERSION
        assert db.execute("SELECT word FROM keepsake").fetchone()[0] == "kept"
    (backup,) = workspace.backups.iterdir()
    assert asked(backup, "SELECT max(version) FROM schema_version") == 0


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(db: object) -> None:
        db.execute("CREATE TABLE half (x)")  # pyrefly: ignore[missing-attribute]  # a sqlite_utils.Database
        raise ToolkitError("the migration broke")

    root = older_workspace(tmp_path)
    monkeypatch.setattr(migrations, "MIGRATIONS", (broken,))
    with pytest.raises(ToolkitError, match="broke"):
        Workspace.open(root)
    assert asked(root / "workspace.sqlite", "SELECT count(*) FROM sqlite_master WHERE name = 'half'") == 0
    assert asked(root / "workspace.sqlite", "SELECT max(version) FROM schema_version") == 0


def test_a_workspace_of_a_newer_schema_is_refused_naming_both(workspace: Workspace) -> None:
    with workspace.write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    with pytest.raises(ToolkitError, match=f"schema 99, this program knows schema {SCHEMA_VERSION}") as caught:
        Workspace.open(workspace.root)
    assert caught.value.exit_code == 3
    assert "newer Benchwright" in caught.value.fix


def test_a_reader_cannot_write_and_a_failing_write_changes_nothing(workspace: Workspace) -> None:
    with pytest.raises(ToolkitError, match="cannot be written"), workspace.read() as db:
        db.execute("INSERT INTO setting VALUES ('a', '1')")
    with pytest.raises(ContentError, match="broken character"), workspace.write() as db:
        db.execute("INSERT INTO setting VALUES ('a', ?)", ["\ud800"])

    def write_and_fail() -> None:
        with workspace.write() as db:
            db.table("setting").insert({"key": "a", "value": "1"})
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()
    assert get_setting(workspace, "a") is None


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("hello")
    with pytest.raises(UsageError, match=r"notes\.txt.* is a file, not a workspace folder"):
        Workspace.open(place)
    with pytest.raises(ToolkitError):
        Workspace.open(place / "ws")
    assert place.read_text() == "hello"
    with pytest.raises(ToolkitError) as caught:  # that cannot be written
        Workspace.open(Path("/proc/benchwright-workspace"))
    assert caught.value.fix


def test_a_missing_workspace_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no workspace"):
        Workspace.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    odd = Workspace.open(tmp_path / "a b?c#d%41 é")
    set_setting(odd, "a", 1)
    assert get_setting(Workspace.open(odd.root, create=False), "a") == 1


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    asked(tmp_path / "workspace.sqlite", "CREATE TABLE theirs (x)")
    before = (tmp_path / "workspace.sqlite").read_bytes()
    with pytest.raises(UsageError, match="not a Benchwright workspace"):
        Workspace.open(tmp_path)
    assert (tmp_path / "workspace.sqlite").read_bytes() == before


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    for content in (b"this is not a database, just text. " * 40, b"PNG"):
        (tmp_path / "workspace.sqlite").write_bytes(content)
        with pytest.raises(ToolkitError, match="not a database") as caught:
            Workspace.open(tmp_path)
        assert "backups" in caught.value.fix


def test_a_damaged_file_is_told(workspace: Workspace) -> None:
    for number in range(200):
        set_setting(workspace, f"key-{number}", "x" * 2000)
    pages = asked(workspace.database_path, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA page_count")
    assert isinstance(pages, int)
    with workspace.database_path.open("r+b") as stream:
        for page in range(2, pages):
            stream.seek(page * 4096)
            stream.write(b"\xff" * 4096)
    with pytest.raises(ToolkitError, match="damaged"):
        [get_setting(workspace, f"key-{number}") for number in range(200)]


def test_a_locked_workspace_is_told_after_patience(workspace: Workspace) -> None:
    with (
        workspace.write(),
        pytest.raises(ToolkitError, match=r"stayed locked by another process for 0\.05 s"),
        Workspace(workspace.root, patience_s=0.05).write(),
    ):
        pass


@pytest.mark.deep
def test_a_write_waits_for_a_lock_that_is_held_for_over_five_seconds(workspace: Workspace) -> None:
    holding = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        " c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(6)"
    )
    command = [sys.executable, "-c", holding, str(workspace.database_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        set_setting(workspace, "late", 1)
    assert get_setting(workspace, "late") == 1


def test_a_full_disk_is_told_and_nothing_is_half_written(workspace: Workspace) -> None:
    set_setting(workspace, "before", 1)

    def fill() -> None:
        with workspace.write() as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count={pages + 2}")
            for number in range(100):
                db.execute("INSERT INTO setting VALUES (?, ?)", [str(number), '"' + "x" * 4000 + '"'])

    with pytest.raises(ToolkitError, match="disk is full") as caught:
        fill()
    assert "free some space" in caught.value.fix
    assert get_setting(workspace, "before") == 1
    assert get_setting(workspace, "1") is None
    assert workspace.integrity() == ()


def test_a_workspace_that_finds_no_room_to_open_says_so(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    for free_bytes, said in ((0, "disk is full"), (1_000_000_000, "disk failed")):
        usage = shutil.disk_usage("/")._replace(free=free_bytes)
        monkeypatch.setattr("authoring.store.database.connections.shutil.disk_usage", lambda _, usage=usage: usage)
        with pytest.raises(ToolkitError, match=said), explained(workspace.root / "workspace.sqlite"):
            raise error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_blob_that_does_not_fit_on_the_disk_leaves_nothing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_full_device(handle: int, mode: str) -> BinaryIO:
        os.close(handle)
        return Path("/dev/full").open(mode)  # pyrefly: ignore[bad-return]  # "wb"

    monkeypatch.setattr("authoring.store.database.blobs.os.fdopen", on_full_device)
    source = tmp_path / "data.csv"
    source.write_bytes(b"a,b\n" * 10_000)
    with pytest.raises(ToolkitError, match="disk is full"):
        workspace.put_blob(source)
    assert list(workspace.blobs.rglob("*")) == []


def test_blobs_are_named_by_their_content_and_stored_once(workspace: Workspace, tmp_path: Path) -> None:
    source = tmp_path / "data.csv"
    source.write_bytes(b"a,b\n1,2\n")
    digest = workspace.put_blob(source)
    assert workspace.put_bytes(b"a,b\n1,2\n") == digest
    assert workspace.blob_path(digest).read_bytes() == b"a,b\n1,2\n"
    assert len([path for path in workspace.blobs.rglob("*") if path.is_file()]) == 1


def test_a_saved_file_is_complete_without_the_log_beside_it(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.read():  # leaves an idle connection behind
        pass
    set_setting(workspace, "colour", "green")
    copy = Workspace.open(tmp_path / "copy")
    shutil.copyfile(workspace.database_path, copy.database_path)
    assert get_setting(copy, "colour") == "green"


def test_readers_at_the_same_time_have_connections_to_themselves(workspace: Workspace) -> None:
    with workspace.read() as first:
        pass
    with workspace.read() as second, workspace.read() as third:
        assert second is first
        assert third is not second


def test_what_is_raised_leaves_no_lock_and_no_old_state(workspace: Workspace) -> None:
    for block in (workspace.read, workspace.write):
        with pytest.raises(sqlite3.OperationalError), block() as db:
            db.conn.execute("SELECT * FROM no_table")
        set_setting(workspace, "colour", block.__name__)
        assert get_setting(workspace, "colour") == block.__name__


def test_a_deleted_workspace_does_not_come_back_empty(workspace: Workspace) -> None:
    workspace.database_path.unlink()
    with pytest.raises(ToolkitError, match="no such file"):
        get_setting(workspace, "a")
    assert not workspace.database_path.exists()


def test_a_process_that_is_killed_while_it_backs_up_leaves_no_backup(workspace: Workspace) -> None:
    code = """
import os, pathlib, signal, sys
from authoring.store.workspace import Workspace
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Workspace.open(pathlib.Path(sys.argv[1]), create=False).back_up()
"""
    ended = subprocess.run([sys.executable, "-c", code, str(workspace.root)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert [each.suffix for each in workspace.backups.iterdir()] == [".unfinished"]
    set_setting(workspace, "a", [1, 2])
    backup = workspace.back_up()
    assert [backup] == list(workspace.backups.glob("*.sqlite"))
    assert asked(backup, "SELECT value FROM setting WHERE key = 'a'") == "[1, 2]"


def test_settings_are_plain_values_and_none_forgets(workspace: Workspace) -> None:
    set_setting(workspace, "names", ["Ann", "Bo"])
    assert get_setting(workspace, "names") == ["Ann", "Bo"]
    set_setting(workspace, "names", None)
    assert get_setting(workspace, "names", "nobody") == "nobody"


def test_the_store_does_without_pandas_and_hides_it_from_nobody_else() -> None:
    program = """
import importlib, sys, threading
import authoring.store.workspace
assert not {"pandas", "numpy"} & set(sys.modules), "a second for every command"
assert not [finder for finder in sys.meta_path if "store" in type(finder).__module__]
from authoring.store.database.connections import _Withheld
sys.meta_path.insert(0, _Withheld())
other = threading.Thread(target=importlib.import_module, args=["numpy"])
other.start(), other.join()
assert "numpy" in sys.modules, "another thread imports what it likes"
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_watch_sees_what_others_write_and_nothing_else(workspace: Workspace) -> None:
    watch = workspace.watch()
    before = watch.version()
    get_setting(workspace, "any")
    assert watch.version() == before
    set_setting(workspace, "any", 1)
    written = watch.version()
    assert written != before
    assert watch.version() == written
    workspace.database_path.unlink()
    with pytest.raises(ToolkitError):
        watch.version()
    watch.close()
