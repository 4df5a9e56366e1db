"""A large workspace, made through the store: problemsets with dry runs, runs of several agents, one long discussion."""

import random
from typing import Any, NamedTuple

from authoring.store import dry_runs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace

PROBLEMS = 10  # of each problemset
AGENTS = 5
WORDS = ("mean", "median", "fare", "tip", "borough", "rain", "wind", "island", "delay", "count", "share", "month")
VERDICTS = ("CORRECT", "CORRECT", "CORRECT", "WRONG_OUTPUT", "CRASH", "TIMEOUT")
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "a line of output\n" * 20}


class Large(NamedTuple):
    """What a large workspace holds that pages are opened with."""

    talked: Revision  # the head of the problemset with the comments, all of them on its first problem
    runs: tuple[int, ...]
    attempts: int


def fill(ws: Workspace, *, sets: int, runs: int, comments: int) -> Large:
    """Put `sets` problemsets of 10 problems into a workspace, `runs` runs over all of them, and comments on one set."""
    rng = random.Random(0)
    set_setting(ws, "shipped_seeds", "loaded")
    heads = [_add_set(ws, number, rng) for number in range(1, sets + 1)]
    for number in range(comments):
        text = f"remark {number}: {_words(rng, 12)}"
        add_comment(ws, revision_id=heads[0].id, author="lee", text=text, problem="p1" if number % 2 else None)
    queries = {head.problemset_name: [_words(rng, 8) for _ in range(PROBLEMS)] for head in heads}
    made = []
    for number in range(runs):
        agent = f"agent {number % AGENTS}"
        run = insert_run(
            ws, release=f"bench {number // AGENTS + 1}.0", agent=agent, out_dir=f"/r{number}", summary=_summary(number)
        )
        records = (
            {
                "problemset": name,
                "index": index,
                "attempt": 1,
                "question": f"What is the {query}?",
                "verdict": rng.choice(VERDICTS),
                "code": "trips.groupby('borough')['fare'].mean()\n" * 5,
            }
            for name, asked in queries.items()
            for index, query in enumerate(asked, 1)
        )
        index_attempts(ws, run, records)
        made.append(run)
    return Large(heads[0], tuple(made), runs * sets * PROBLEMS)


def _summary(number: int) -> dict[str, Any]:
    """Return what the workspace keeps of a run that the app started."""
    return {"total": 10, "job": number + 1, "started_by": "mei", "asked": {"agent": f"agent {number}", "release": 1}}


def _add_set(ws: Workspace, number: int, rng: random.Random) -> Revision:
    cells = ["# %%\nimport pandas as pd\n"]
    cells += [
        f'# %%\n"""\nquery: What is the {_words(rng, 8)}?\n"""\n{index} + {number}\n' for index in range(PROBLEMS)
    ]
    text = "\n".join(cells)
    revision = problemsets.create(ws, name=f"set-{number:05}", text=text, author="template", origin=Origin.TEMPLATE)
    problems = [
        DryRunProblem(index, f"p{index}", 0.01, rng.choice(VERDICTS), "WRONG_OUTPUT", outputs=[OUTPUT])
        for index in range(1, PROBLEMS + 1)
    ]
    dry_runs.save(ws, revision_id=revision.id, environment="e", sandbox="bwrap", problems=problems, summary={})
    return revision


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))
