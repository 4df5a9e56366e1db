"""Builds what a new demo workspace shows: a draft with a fault to repair, an accepted problemset, a scored run.

Everything is made by the program itself, from shipped seeds: the code that runs is our own, so it needs no consent
where there is no sandbox. Each step looks first whether it is done, so a stopped build resumes where it stopped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from authoring.checks import DEMO_AUTHOR
from authoring.checks.acceptance import accept
from authoring.checks.dry_run.dry_running import dry_run
from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import make_sketch
from authoring.release import create_release
from authoring.release.release_runs import run_in_workspace
from authoring.store import dry_runs, problemsets, releases, revisions
from authoring.store.drafting.sketches import list_sketches
from authoring.store.reviewing.reviews import add_comment, list_comments
from authoring.store.revisions import Revision
from authoring.store.runs import select as list_runs
from authoring.store.statuses import Origin, ProblemsetStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.running import RunConfig
from evaluator.session import DRAWING, Engine, SandboxChoice

BUILDER: Final = DEMO_AUTHOR  # whom the demo names as author and reviewer
WAITING: Final = "seattle-weather"  # the seed of the draft that waits
ACCEPTED: Final = "penguins"  # the seed of the problemset that is accepted and released
FAULTY: Final = "variance-explained"  # the problem of that draft whose reference code crashes
AMBIGUOUS: Final = "trailing-mean"  # the problem of that draft whose query has two readings
FAULTS: Final = (  # what the draft says rightly, and what it says instead, to be repaired
    ('(by_month["mean"] - _known.mean())', '(by_month["average"] - _known.mean())'),
    (" in order of `date`, the current one included; it is missing for the first 6.", " in order of `date`."),
)
COLLEAGUE: Final = "Ada"  # who asks about the query
QUESTION: Final = (
    "Do “the last 7 days” include the current one, and what stands in the first 6 rows, which have fewer? "
    "The query should say both."
)
RELEASE: Final = ("demo", "1.0")
AGENTS: Final = ("oracle", "empty")
STEPS: Final = 5 + len(AGENTS)

Progress = Callable[[int, int, str], None]  # done, total, one line of text


@dataclass
class _Steps:
    """Counts the steps for the progress bar."""

    progress: Progress
    done: int = 0

    def finish(self, text: str) -> None:
        self.done += 1
        self.progress(self.done, STEPS, text)


def build_demo(ws: Workspace, progress: Progress) -> dict[str, Any]:
    """Fill a workspace that holds the shipped seeds; what is there already stays as it is.

    Args:
        ws: The workspace.
        progress: Told of each step.

    Returns:
        Names and ids of what was made.

    Raises:
        ContentError: If a shipped seed no longer gives a passing problemset.
        ToolkitError: If the engine cannot start or the disk refuses.
    """
    steps = _Steps(progress)
    with Engine(trusted=True, preload=DRAWING) as engine:
        waiting = _faulty(ws, _drafted(ws, engine, WAITING))
        _judge_once(ws, waiting, engine)
        steps.finish(f"{waiting.problemset_name} waits in the queue, with a fault to repair")  # for people to begin
        accepted = _drafted(ws, engine, ACCEPTED)
        steps.finish(f"drafted {accepted.problemset_name} from the seed {ACCEPTED}")
        if problemsets.find(ws, accepted.problemset_id).status != ProblemsetStatus.ACCEPTED:
            _judge_once(ws, accepted, engine)
            accept(ws, accepted.id, by=BUILDER, reason="the dry run passes", engine=engine)
        steps.finish(f"accepted {accepted.problemset_name}")
    runs = _scored(ws, steps)
    return {"waiting": waiting.problemset_name, "accepted": accepted.problemset_name, "runs": runs}


def _drafted(ws: Workspace, engine: Engine, seed: str) -> Revision:
    """Sketch and draft one problemset, or return the one that an earlier build made."""
    try:
        revision = revisions.find(ws, seed)
    except UsageError:
        sketches = [sketch for sketch in list_sketches(ws) if sketch.name == seed]
        sketch = sketches[0].id if sketches else make_sketch(ws, seed, rng_seed=1, created_by=BUILDER, name=seed)
        made = make_draft(ws, sketch, engine=engine, created_by=BUILDER, name=seed)
        revision = revisions.find(ws, made.revision)
    return revision


def _faulty(ws: Workspace, drafted: Revision) -> Revision:
    """Return the draft with a wrong column name, a query of two readings, and a colleague's open question about it.

    What was revised before, by an earlier build or by a person, stays as it is.

    Raises:
        ContentError: If the draft no longer holds the words that are made faulty.
    """
    revision = drafted
    if drafted.parent_id is None:
        text = drafted.text
        for right, wrong in FAULTS:
            if text.count(right) != 1:
                fix = "name words of the draft that occur once in FAULTS of authoring/demo.py"
                raise ContentError(f"the draft does not hold {right!r} once", where=drafted.problemset_name, fix=fix)
            text = text.replace(right, wrong)
        revision = revisions.save(
            ws,
            drafted.problemset_id,
            text,
            base_revision_id=drafted.id,
            author=BUILDER,
            origin=Origin.TEMPLATE,
            message="a fault to repair and a question to answer",
        )
    if not list_comments(ws, revision.problemset_id):
        add_comment(ws, revision_id=revision.id, author=COLLEAGUE, text=QUESTION, problem=AMBIGUOUS)
    return revision


def _judge_once(ws: Workspace, revision: Revision, engine: Engine) -> None:
    if dry_runs.latest(ws, revision.id) is None:
        dry_run(ws, revision.id, engine=engine)


def _scored(ws: Workspace, steps: _Steps) -> list[int]:
    """Release the accepted problemset and run the built-in agents on it."""
    name, version = RELEASE
    out = ws.root / "releases" / f"{name}-{version}"
    if not any((release.name, release.version) == RELEASE for release in releases.select(ws)):
        out.parent.mkdir(exist_ok=True)
        create_release(ws, name, version, out=out, authors=("Benchwright",), created_by=BUILDER)
    steps.finish(f"released {name} {version}")
    (ws.root / "runs").mkdir(exist_ok=True)
    label = f"{name} {version}"
    for agent in AGENTS:
        folder = ws.root / "runs" / f"{BUILDER}-{agent}"
        config = RunConfig(benchmark=out, agent=agent, out=folder, sandbox=SandboxChoice.AUTO)
        run_in_workspace(ws, config, label=label, trusted=True)
        steps.finish(f"scored the agent {agent}")
    return sorted(run.id for run in list_runs(ws) if run.release == label)
