"""A workspace of many attempts, made through the store: runs of 10,000 problems each, with their folders of records."""

import json
import os
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from authoring.store import jobs, problemsets
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.records import Record, json_line
from evaluator.running import MANIFEST, RECORDS
from tests.speed.large import WORDS

PROBLEMS: Final = 10  # of each problemset
PATTERNS: Final = 10  # different columns of verdicts: run n has that of n modulo 10
RELEASES: Final = ("bench 1.0", "bench 1.0", "bench 1.0", "bench 1.0", "bench 2.0")
VERDICTS: Final = (  # with what is behind them
    *[("CORRECT", "UNCATEGORIZED")] * 12,
    *[("WRONG_OUTPUT", "UNCATEGORIZED")] * 4,
    *[("WRONG_OUTPUT", "WRONG_TYPE"), ("CRASH", "NameError"), ("CRASH", "KeyError"), ("TIMEOUT", "UNCATEGORIZED")],
)
CODE: Final = "trips.groupby('borough')['fare'].mean().sort_values()\n" * 3


class Filled(NamedTuple):
    """What a filled workspace holds that pages and commands are opened with."""

    runs: tuple[int, ...]  # ids, in order
    family_run: int  # one of CIBench, with as many problems
    folders: tuple[Path, ...]  # of the runs, in their order
    attempts: int


def fill_attempts(ws: Workspace, *, runs: int, problems: int = 10_000) -> Filled:
    """Put runs of so many problems into a workspace, and write their folders; the same each time.

    Record files of runs with the same verdicts are one file under several names: they are read, never written.
    """
    set_setting(ws, "shipped_seeds", "loaded")
    set_setting(ws, "plain_editors", {"mei": True})
    sets = problems // PROBLEMS
    benchmark = _write_benchmark(ws, sets)
    for number in range(sets):
        problemsets.create(ws, name=_name(number), text=_text(number), author="template", origin=Origin.TEMPLATE)
    made, folders = [], []
    for number in range(runs):
        agent = "cheat" if number == 7 else f"agent {number % 40}"
        folder = _write_run(ws, number, benchmark, agent, sets)
        made.append(_enter_run(ws, number, folder, agent, sets))
        folders.append(folder)
    return Filled(tuple(made), _enter_family_run(ws, sets), tuple(folders), (runs + 1) * sets * PROBLEMS)


def records_of(pattern: int, sets: int) -> Iterator[dict[str, Any]]:
    """Yield the records of a run, which are those of its column of verdicts."""
    rng = random.Random(pattern)
    template = asdict(_record())
    for number in range(sets):
        for index in range(1, PROBLEMS + 1):
            verdict, subverdict = rng.choice(VERDICTS)
            yield template | {
                "problemset": _name(number),
                "index": index,
                "verdict": verdict,
                "subverdict": subverdict,
                "question": _query(number, index),
                "code": f"{CODE}# {rng.random()}\n",
                "seconds": round(rng.random(), 3),
            }


def _record() -> Record:
    return Record(
        benchmark="bench",
        version="1.0",
        problemset="",
        index=1,
        attempt=1,
        verdict="CORRECT",
        subverdict="",
        extended_verdict="the result is compared with that of the reference code",
        question="",
        validation={"correct": "yes", "category": "result", "reason": "the values are the same"},
        agent_stats={"calls": 1, "prompt_tokens": 812, "completion_tokens": 97, "seconds": 1.3, "model": "a-model"},
        environment="default",
        sandbox="bwrap",
        engine="fork",
        ending="ok",
        scoring_version=7,
    )


def _write_benchmark(ws: Workspace, sets: int) -> Path:
    folder = ws.root / "bench"
    folder.mkdir()
    (folder / "_manifest.yaml").write_text('name: bench\nversion: "1.0"\n')
    for number in range(sets):
        (folder / f"{_name(number)}.py").write_text(_text(number))
    return folder


def _write_run(ws: Workspace, number: int, benchmark: Path, agent: str, sets: int) -> Path:
    folder = ws.root / "runs" / f"r{number}"
    folder.mkdir(parents=True)
    if number >= PATTERNS:
        os.link(ws.root / "runs" / f"r{number % PATTERNS}" / RECORDS, folder / RECORDS)
    else:
        with (folder / RECORDS).open("wb") as file:
            file.writelines(map(json_line, records_of(number, sets)))
    manifest = {"benchmark": "bench", "version": "1.0", "agent": agent, "source": str(benchmark), "epochs": 1}
    told = {"rules": "sound", "scoring_version": "7", "policies": {"state": "reference", "history": "reference"}}
    (folder / MANIFEST).write_text(json.dumps(manifest | told))
    return folder


def _enter_run(ws: Workspace, number: int, folder: Path, agent: str, sets: int) -> int:
    job = jobs.enqueue(ws, kind="run", payload={"benchmark": "bench", "agent": agent}, created_by="mei")
    summary = {"total": sets * PROBLEMS, "job": job.id, "asked": {"agent": agent, "benchmark": "bench"}}
    release = RELEASES[number % len(RELEASES)]
    run = insert_run(ws, release=release, agent=agent, out_dir=str(folder), summary=summary)
    index_attempts(ws, run, records_of(number % PATTERNS, sets))
    claimed = jobs.claim(ws, owner="filler", kinds=["run"])
    assert claimed is not None
    jobs.finish(ws, job.id, "filler", result={"run": run})
    return run


def _enter_family_run(ws: Workspace, sets: int) -> int:
    folder = ws.root / "runs" / "family"
    folder.mkdir()
    run = insert_run(ws, release="cibench 1.0", agent="agent 0", out_dir=str(folder), summary={})
    index_attempts(ws, run, map(_of_family, records_of(0, sets)))
    return run


def _of_family(record: Mapping[str, Any]) -> dict[str, Any]:
    number = int(str(record["problemset"])[4:])
    module, tag = ("pandas", "scipy", "matplotlib")[number % 3], ("num", "text", "vis", "general")[record["index"] % 4]
    correct = float(record["verdict"] == "CORRECT")
    scores = {"tool": correct, "executable": 1.0, "numeric" if tag == "num" else "text": correct}
    place = {"family": "cibench", "set": "cibench_generation", "module": module, "tag": tag, "language": "en"}
    return {**record, "family": place | {"scores": scores}}


def _name(number: int) -> str:
    return f"set-{number:04}"


@cache
def _query(number: int, index: int) -> str:
    return f"What is the {' '.join(random.Random(number * PROBLEMS + index).choices(WORDS, k=8))}?"


def _text(number: int) -> str:
    cells = ["# %%\nimport pandas as pd\n"]
    cells += [f'# %%\n"""\nquery: {_query(number, i)}\n"""\n{i} + {number}\n' for i in range(1, PROBLEMS + 1)]
    return "\n".join(cells)
