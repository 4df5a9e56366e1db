"""Prints how fast the store is on a large workspace: `python tests/speed/store_speed.py [PROBLEMSETS]`.

The goals: a page of the queue of 10,000 problemsets with 50,000 revisions, or a search in it, under 200 ms; a page of
100,000 attempts, any of them, under 50 ms.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from authoring.store import jobs, revisions, runs
from authoring.store.database.connections import timestamp
from authoring.store.database.migrations import SCHEMA_VERSION
from authoring.store.jobs import enqueue
from authoring.store.problem_index import list_problems, rebuild_index, search_problems
from authoring.store.problemsets import count as count_problemsets
from authoring.store.problemsets import count_by_status
from authoring.store.problemsets import find as find_problemset
from authoring.store.problemsets import select as list_problemsets
from authoring.store.runs import count_attempts, index_attempts, list_attempts
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace

REPEATS = 20
REVISIONS = 5  # of each problemset
WORDS = ("mean", "median", "fare", "tip", "borough", "rain", "wind", "island", "delay", "count", "share", "month")
VERDICTS = ("CORRECT", "WRONG_OUTPUT", "CRASH", "TIMEOUT")


def query(rng: random.Random) -> str:
    return f"What is the {' '.join(rng.choices(WORDS, k=8))}?"


def text_of(rng: random.Random) -> str:
    return f'# %%\n"""\nquery: {query(rng)}\nvalidator:\n  result:\n"""\n1\n'


def fill(ws: Workspace, problemsets: int) -> None:
    """Insert rows directly: a hundred times faster than one call per problemset."""
    rng = random.Random(0)
    now = timestamp()
    with ws.write() as db:
        for number in range(1, problemsets + 1):
            head = number * REVISIONS
            status = rng.choice(("draft", "submitted", "accepted", "sent_back"))
            db.execute(
                "INSERT INTO problemset (id, name, status, head_revision_id, head_number, problem_count, created_at,"
                " updated_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
                [number, f"set-{number}", status, head, REVISIONS, now, timestamp(shift_s=-rng.random() * 1e6)],
            )
            for saved in range(1, REVISIONS + 1):
                db.execute(
                    "INSERT INTO revision (id, problemset_id, number, text, digest, author, origin, created_at)"
                    " VALUES (?, ?, ?, ?, '', 'Ann', 'template', ?)",
                    [head - REVISIONS + saved, number, saved, text_of(rng), now],
                )
            db.execute(
                "INSERT INTO problem_index (problemset_id, revision_id, position, problem_id, query)"
                " VALUES (?, ?, 1, 'p1', ?)",
                [number, head, query(rng)],
            )
            if number % 7 == 0:
                db.execute(
                    "INSERT INTO comment (problemset_id, revision_id, kind, text, author, created_at)"
                    " VALUES (?, ?, 'other', ?, 'Bo', ?)",
                    [number, head, query(rng), now],
                )
    run = runs.insert(ws, release="bench 1", agent="oracle", out_dir="out", summary={})
    index_attempts(
        ws,
        run,
        (
            {"problemset": f"set-{n // 10}", "index": n % 10 + 1, "verdict": rng.choice(VERDICTS), "code": "x" * 200}
            for n in range(10 * problemsets)
        ),
    )


def measure(name: str, action: Callable[[], object]) -> None:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1000)
    print(f"{name:<48} median {statistics.median(times):8.2f} ms   worst {max(times):8.2f} ms")


def main() -> None:
    problemsets = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        ws = Workspace.open(Path(folder) / "ws")
        start = time.perf_counter()
        fill(ws, problemsets)
        size_mb = ws.database_path.stat().st_size / 1e6
        print(f"schema {SCHEMA_VERSION}, {problemsets} problemsets, {10 * problemsets} attempts, {size_mb:.0f} MB,")
        print(f"filled in {time.perf_counter() - start:.1f} s\n")
        deep = problemsets - 50
        measure("open the workspace", lambda: Workspace.open(ws.root))
        measure("first page of the queue", lambda: list_problemsets(ws))
        measure("last page of the queue", lambda: list_problemsets(ws, offset=deep))
        measure("page of one status", lambda: list_problemsets(ws, status="submitted", offset=500))
        measure("page of a search", lambda: list_problemsets(ws, search="fare tip rain"))
        measure("counts by status", lambda: count_by_status(ws))
        measure("count of a search", lambda: count_problemsets(ws, search="fare tip rain"))
        measure("page of problems, the last", lambda: list_problems(ws, offset=deep))
        measure("search in queries", lambda: search_problems(ws, "fare tip"))
        measure("one problemset", lambda: find_problemset(ws, problemsets // 2))
        measure("first page of attempts", lambda: list_attempts(ws, 1))
        measure("last page of attempts", lambda: list_attempts(ws, 1, offset=10 * problemsets - 50))
        measure("page of attempts of a verdict", lambda: list_attempts(ws, 1, verdict="CRASH", offset=5000))
        measure("counts of attempts by verdict", lambda: count_attempts(ws, 1))
        measure("a small write", lambda: set_setting(ws, "a", 1))
        measure("queue a job", lambda: enqueue(ws, kind="run", payload={}))
        measure("list jobs", lambda: jobs.select(ws))
        measure("save a revision", lambda: save_again(ws))
        start = time.perf_counter()
        rebuild_index(ws)
        print(f"rebuild the index: {time.perf_counter() - start:.1f} s")


def save_again(ws: Workspace) -> None:
    row = find_problemset(ws, 5)
    text = text_of(random.Random(row.head_number))
    revisions.save(ws, 5, text, base_revision_id=row.head_revision_id, author="Ann")


if __name__ == "__main__":
    main()
