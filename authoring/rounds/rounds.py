"""The outer loop in rounds: draft all, people revise a few, draft the rest anew with what was accepted and learnt."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from authoring.checks.dry_run.dry_running import current_dry_run, dry_run
from authoring.drafting.example_strategy import find_strategy
from authoring.drafting.sketching import Author
from authoring.languages import Language
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.rounds.parallel_engines import run_parallel
from authoring.rounds.plan_draft import Writing, choose_seeds, derived_rng_seed, write_item
from authoring.rounds.plan_progress import RoundsStatus, is_accepted, rounds_status
from authoring.store import problemsets, revisions
from authoring.store.drafting.bootstrap import (
    Bootstrap,
    BootstrapItem,
    PlannedItem,
    add_bootstrap_round,
    find_bootstrap,
    insert_bootstrap,
    list_bootstrap_items,
    save_bootstrap_item,
)
from authoring.store.drafting.guide import list_amendments
from authoring.store.drafting.seeds import find_seed
from authoring.store.statuses import AmendmentStatus, BootstrapState
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.models import Budget, BudgetLimits
from evaluator.session import Engine, SandboxChoice

POLL_S = 0.5


@contextlib.contextmanager
def alone_on(ws: Workspace, plan: Bootstrap, on_event: OnEvent) -> Iterator[None]:
    """Wait until no other process works on the plan, then keep them out; `on_event` may end the waiting."""
    folder = ws.root / "locks"
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / f"bootstrap-{plan.id}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while not _taken(descriptor):
            on_event(PipelineEvent(0, 0, f"another process works on {plan.name}; waiting for it"))
            time.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


KIND: Final = "rounds"


@dataclass(frozen=True, kw_only=True)
class RoundsOrder:
    """The settings of a plan in rounds."""

    name: str
    seeds: tuple[str, ...] = ()  # none: all of the workspace
    rounds: int = 3
    revise: int = 1  # sets that people revise before the next round (count)
    author: Author = Author.TEMPLATE
    rng_seed: int = 0
    model: str | None = None
    examples: str = "nearest"
    language: Language = Language.ENGLISH  # of the queries
    by: str = ""


@dataclass(frozen=True, kw_only=True)
class StepOrder:
    """Under which conditions a step is done."""

    budget: BudgetLimits | None = None
    sandbox: SandboxChoice = SandboxChoice.AUTO
    workers: int = 1  # one: prompts come in the order of the plan
    job_id: int | None = None


def plan_rounds(ws: Workspace, order: RoundsOrder) -> Bootstrap:
    """Store a plan with the drafts of its first round; the same plan again changes nothing.

    Raises:
        UsageError: If a seed does not exist, a number does not fit, or another plan has the name.
    """
    if order.rounds < 1 or order.revise < 1:
        raise UsageError("rounds and revised sets are counted from 1", fix="use --rounds 3 --revise 1")
    seeds = choose_seeds(ws, order.seeds)
    plan = {
        "kind": KIND,
        "author": order.author.value,
        "rng_seed": order.rng_seed,
        "seeds": [seed.name for seed in seeds],
        "rounds": order.rounds,
        "revise": order.revise,
        "model": order.model,
        "examples": find_strategy(order.examples).value,
        "language": order.language.value,
    }
    items = _items(order.rng_seed, 1, [seed.id for seed in seeds])
    return insert_bootstrap(ws, name=order.name, plan=plan, items=items, created_by=order.by)


def _items(rng_seed: int, number: int, seeds: Sequence[int]) -> list[PlannedItem]:
    return [PlannedItem(position, seed, derived_rng_seed(rng_seed, number)) for position, seed in enumerate(seeds, 1)]


def find_rounds(ws: Workspace, name: str) -> Bootstrap:
    """Return a plan in rounds.

    Raises:
        UsageError: If there is none of that name, or it has no rounds.
    """
    plan = find_bootstrap(ws, name)
    if plan.plan.get("kind") != KIND:
        fix = f"repeat 'benchwright bootstrap auto --name {plan.name}' instead"
        raise UsageError(f"the plan {plan.name!r} has no rounds", where=f"bootstrap plan {plan.name!r}", fix=fix)
    return plan


def step_rounds(ws: Workspace, name: str, order: StepOrder, *, on_event: OnEvent = no_progress) -> RoundsStatus:
    """Do all that can be done without a person, and say what waits for whom; again, nothing is done twice.

    Args:
        ws: The workspace.
        name: Of the plan.
        order: Budget, sandbox, workers.
        on_event: Told of each step; what it raises stops the work.

    Raises:
        UsageError: If there is no such plan.
        BudgetSpentError: If the budget ends; what was drafted is kept, and a step with a larger one resumes.
        ToolkitError: If the model or an engine fails; the next step resumes there.
    """
    plan = find_rounds(ws, name)
    with alone_on(ws, plan, on_event):
        while True:
            items = list_bootstrap_items(ws, plan.id)
            current = [item for item in items if item.round == max(each.round for each in items)]
            if any(item.is_open for item in current):
                _draft(ws, plan, current, order, on_event)
                continue
            _take_in_acceptances(ws, current)
            if not _open_next_round(ws, plan):
                return rounds_status(ws, plan)


def _draft(ws: Workspace, plan: Bootstrap, items: Sequence[BootstrapItem], order: StepOrder, on_event: OnEvent) -> None:
    """Sketch, draft and dry-run whatever the round lacks."""
    settings, purse = plan.plan, Budget(order.budget) if order.budget else None
    author = Author(settings["author"])
    writing = Writing(
        plan, author, settings["model"], purse, order.job_id, plan.created_by or plan.name, settings["examples"]
    )
    waiting = [item for item in items if item.is_open]
    before = len(items) - len(waiting)

    def work(item: BootstrapItem, engines: tuple[Engine, ...], tell: OnEvent) -> None:
        seed = find_seed(ws, item.seed_id).name
        name = f"{plan.name}-{seed}-{item.round}"[:50]

        def told(event: PipelineEvent) -> None:
            tell(PipelineEvent(before, len(items), f"round {item.round}, {seed}: {event.text}"))

        _draft_one(ws, item, writing, name, engines[0], told)

    run_parallel(waiting, work, workers=order.workers, sandbox=order.sandbox, on_event=on_event, hash_seeds=(0,))


def _draft_one(
    ws: Workspace, item: BootstrapItem, writing: Writing, name: str, engine: Engine, on_event: OnEvent
) -> None:
    started = time.monotonic()
    try:
        item = write_item(ws, item, writing, name=name, engine=engine, avoid=(), on_event=on_event)
        row = problemsets.find(ws, item.problemset_id or 0)
        revision = revisions.find(ws, row.head_revision_id)
        result = current_dry_run(ws, revision, engine.environment_id)
        if result is None:
            result = dry_run(ws, revision.id, engine=engine, on_event=on_event)
    except ContentError as error:
        save_bootstrap_item(ws, replace(item, state=BootstrapState.DROPPED, reason=error.what, report={"seconds": 0.0}))
        return
    report = {
        "problems": row.problem_count,
        "failures": [failure.to_json() for failure in result.failures],
        "seconds": round(time.monotonic() - started, 2),
        "guide": revision.guide_number,
    }
    save_bootstrap_item(ws, replace(item, report=report))


def _take_in_acceptances(ws: Workspace, items: Sequence[BootstrapItem]) -> None:
    for item in items:
        if item.state == BootstrapState.DRAFTED and is_accepted(ws, item):
            save_bootstrap_item(ws, replace(item, state=BootstrapState.ACCEPTED))


def _open_next_round(ws: Workspace, plan: Bootstrap) -> bool:
    """Begin the next round when people have done their part; False: something waits, or all is done."""
    items = list_bootstrap_items(ws, plan.id)
    number = max(item.round for item in items)
    current = [item for item in items if item.round == number]
    rest = [item for item in current if item.state != BootstrapState.ACCEPTED]
    wanted = min(
        int(plan.plan["revise"]),
        sum(item.state in (BootstrapState.ACCEPTED, BootstrapState.DRAFTED) for item in current),
    )
    enough = sum(item.state == BootstrapState.ACCEPTED for item in current) >= wanted
    if (
        number >= int(plan.plan["rounds"])
        or not rest
        or not enough
        or list_amendments(ws, status=AmendmentStatus.PROPOSED)
    ):
        return False
    following = _items(int(plan.plan["rng_seed"]), number + 1, [item.seed_id for item in rest])
    add_bootstrap_round(ws, plan.id, number + 1, following)
    for item in rest:
        if item.state == BootstrapState.DRAFTED:
            save_bootstrap_item(
                ws, replace(item, state=BootstrapState.KEPT, reason=f"drafted anew in round {number + 1}")
            )
    return True
