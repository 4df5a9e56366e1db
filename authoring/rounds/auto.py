"""From seeds to a release with nobody in between: sketch, draft, every check, acceptance by rule, release."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from authoring.checks import RULE_AUTHOR, known_fingerprints
from authoring.checks.acceptance import accept
from authoring.checks.dry_run.dry_running import readable_problemset
from authoring.drafting.example_strategy import ExampleStrategy, find_strategy
from authoring.drafting.sketching import Author
from authoring.languages import Language
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.release import VERSION, check_destination, create_release
from authoring.rounds.draft_checks import CHECKS, CheckedDraft, check_draft
from authoring.rounds.draft_executor import DraftExecutor, LocalDraftExecutor
from authoring.rounds.parallel_engines import run_parallel
from authoring.rounds.plan_draft import Writing, choose_seeds, derived_rng_seed, identities_of, write_item
from authoring.rounds.plan_summary import AutoSummary, summarise
from authoring.rounds.rounds import alone_on
from authoring.store import problemsets, revisions
from authoring.store.database.names import check_name
from authoring.store.drafting.bootstrap import (
    Bootstrap,
    BootstrapItem,
    PlannedItem,
    insert_bootstrap,
    list_bootstrap_items,
    list_bootstraps,
    save_bootstrap_item,
)
from authoring.store.drafting.seeds import find_seed
from authoring.store.settings import workspace_validators
from authoring.store.statuses import BootstrapState
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.models import Budget, BudgetLimits
from evaluator.running import Executor
from evaluator.running.config import refuse_many_processes, refuse_odd_scheduler
from evaluator.session import Engine, SandboxChoice

T = TypeVar("T")

KIND: Final = "auto"
WORKERS: Final = 2  # seeds that are worked on at a time
DEFAULT_SKETCHES: Final = 2  # of each seed
DEFAULT_LEAST: Final = 5  # problems that a set must keep


@dataclass(frozen=True, kw_only=True)
class AutoOrder:
    """What is asked for."""

    name: str  # of the plan and of the release
    out: Path
    version: str = "1.0"
    seeds: tuple[str, ...] = ()  # names; none: those of the plan if it exists, else all of the workspace
    author: Author = Author.TEMPLATE
    rng_seed: int = 0
    sketches: int = DEFAULT_SKETCHES  # of each seed (count, >= 1)
    least: int = DEFAULT_LEAST
    licence: str = ""
    model: str | None = None
    examples: str = ExampleStrategy.ALL  # how the accepted sets that a model is shown are chosen
    language: Language = Language.ENGLISH  # of the queries
    budget: BudgetLimits | None = None
    by: str = ""
    sandbox: SandboxChoice = SandboxChoice.AUTO
    workers: int | None = (
        None  # seeds that are worked on at a time; of a cluster of our own: its processes; None: WORKERS
    )
    executor: Executor = Executor.LOCAL
    scheduler: str = ""  # address of a cluster's; empty: one is started on this machine
    job_id: int | None = None


def release_folder(ws: Workspace, name: str, version: str) -> Path:
    """Return where a release is written that is given no folder: inside the workspace.

    Raises:
        UsageError: If a name or a version cannot be like that.
    """
    check_name(name, kind="release")
    if not VERSION.fullmatch(version):
        raise UsageError(f"{version!r} cannot be a version", where="version", fix="use a version such as 1.0")
    return ws.root / "releases" / f"{name}-{version}"


def bootstrap_auto(ws: Workspace, order: AutoOrder, *, on_event: OnEvent = no_progress) -> AutoSummary:
    """Make a release from seeds; the same order again resumes where it stopped and repeats nothing.

    Args:
        ws: The workspace.
        order: What is asked for.
        on_event: Told of each step, one worker at a time; what it raises stops the work.

    Raises:
        UsageError: If a seed does not exist, the plan exists with other settings, or the folder is not free.
        ContentError: If no problemset passed every check; the plan keeps the reasons.
        ToolkitError: If an engine or the model fails; the same order resumes there.
    """
    _refuse_odd_cluster(order)
    if not (order.out / "checksums.txt").is_file():  # else it may be this very release; that is known at the end
        check_destination(order.out)
    plan = _plan(ws, order, on_event)
    purse = Budget(order.budget) if order.budget else None
    by, examples = order.by or RULE_AUTHOR, order.examples
    writing = Writing(plan, order.author, order.model, purse, order.job_id, by, examples)
    with alone_on(ws, plan, on_event):
        items = list_bootstrap_items(ws, plan.id)
        seeds = list(dict.fromkeys(item.seed_id for item in items))
        tasks = [[item for item in items if item.seed_id == seed] for seed in seeds]
        open_tasks = [task for task in tasks if any(item.is_open for item in task)]
        if open_tasks:
            board = _Board(ws, order, writing, len(items), on_event)
            _work_off(board, open_tasks)
        return _finish(ws, order, plan)


def _work_off(board: "_Board", tasks: Sequence[Sequence[BootstrapItem]]) -> None:
    """Take the items of all seeds through their steps, on engines of this process or on a cluster."""
    order = board.order
    if order.executor is Executor.LOCAL:
        run_parallel(
            tasks, board.work, workers=order.workers or WORKERS, sandbox=order.sandbox, on_event=board.note_event
        )
        return
    from authoring.rounds.cluster_draft_executor import open_draft_executor  # late: few plans are on a cluster

    seeds = [find_seed(board.ws, task[0].seed_id) for task in tasks]
    processes = min(order.workers or WORKERS, len(tasks))
    with open_draft_executor(
        board.ws, seeds, scheduler=order.scheduler, workers=processes, sandbox=order.sandbox
    ) as shop:
        board.draft_executor = shop
        none: tuple[int, ...] = ()  # engines here
        workers, tell = shop.threads, board.note_event
        run_parallel(tasks, board.work, workers=workers, sandbox=order.sandbox, on_event=tell, hash_seeds=none)


def _refuse_odd_cluster(order: AutoOrder) -> None:
    """Refuse what is not done on a cluster, a scheduler that nobody asks, and workers that nobody starts.

    Raises:
        UsageError: If there is something.
    """
    if order.executor == Executor.DASK and order.author is not Author.TEMPLATE:
        fix = "leave out --executor: what takes long there is the model"
        raise UsageError("a model drafts on one machine, not over a cluster", where="--author model", fix=fix)
    refuse_odd_scheduler(order.executor, order.scheduler, are_workers_counted=order.workers is not None)
    if order.executor == Executor.DASK and order.workers is not None:
        refuse_many_processes(order.workers)


def _plan(ws: Workspace, order: AutoOrder, on_event: OnEvent) -> Bootstrap:
    known = next((one for one in list_bootstraps(ws) if one.name.casefold() == order.name.casefold()), None)
    wanted = order.seeds or tuple(known.plan.get("seeds", ()) if known else ())
    seeds = choose_seeds(ws, wanted, on_event)
    if not 1 <= order.sketches <= 50:
        raise UsageError(f"{order.sketches} sketches of a seed cannot be made", fix="use a number from 1 to 50")
    plan = {
        "kind": KIND,
        "author": order.author.value,
        "rng_seed": order.rng_seed,
        "seeds": [seed.name for seed in seeds],
        "sketches": order.sketches,
        "least": order.least,
        "model": order.model,
        "examples": find_strategy(order.examples).value,
        "language": order.language.value,
    }
    numbered = [(seed, number) for seed in seeds for number in range(1, order.sketches + 1)]
    items = [
        PlannedItem(position, seed.id, derived_rng_seed(order.rng_seed, 1, number))
        for position, (seed, number) in enumerate(numbered, 1)
    ]
    return insert_bootstrap(ws, name=order.name, plan=plan, items=items, created_by=order.by)


@dataclass
class _Board:
    """Takes the items of one seed through their steps, in order, and tells how far all of them are."""

    ws: Workspace
    order: AutoOrder
    writing: Writing
    total: int
    on_event: OnEvent
    draft_executor: DraftExecutor | None = None  # on a cluster; None: each thread has engines of its own
    finished: set[int] = field(default_factory=set)  # positions

    def note_event(self, event: PipelineEvent) -> None:
        """Tell how many sets are finished, whatever step is under way."""
        self.on_event(PipelineEvent(len(self.finished), self.total, event.text))

    def work(self, items: Sequence[BootstrapItem], engines: tuple[Engine, ...], on_event: OnEvent) -> None:
        """Work off the items of one seed: a later one repeats no problem of an earlier one."""
        done: list[BootstrapItem] = []
        known: dict[str, str] = {}
        draft_executor = self.draft_executor or LocalDraftExecutor(engines)
        for number, item in enumerate(items, 1):
            name = f"{find_seed(self.ws, item.seed_id).name}-{number}"
            if item.is_open:
                item = self._advance(item, name, draft_executor, known, done, on_event)
            self.finished.add(item.position)
            on_event(PipelineEvent(0, 0, f"{name}: {_told(item)}"))
            done.append(item)
            if item.state != BootstrapState.DROPPED and item.problemset_id is not None:
                revision = revisions.find(self.ws, problemsets.find(self.ws, item.problemset_id).head_revision_id)
                own = workspace_validators(self.ws)
                known = {**known_fingerprints(readable_problemset(revision, own)), **known}

    def _advance(
        self,
        item: BootstrapItem,
        name: str,
        draft_executor: DraftExecutor,
        known: dict[str, str],
        done: Sequence[BootstrapItem],
        on_event: OnEvent,
    ) -> BootstrapItem:
        started = time.monotonic()

        def tell(event: PipelineEvent) -> None:
            on_event(PipelineEvent(0, 0, f"{name}: {event.text}"))

        try:
            avoid = identities_of(self.ws, done)
            written = draft_executor.write_template
            item = write_item(self.ws, item, self.writing, name=name, engine=draft_executor.engine, avoid=avoid,
                on_event=tell, write_template=written)  # fmt: skip
        except ContentError as error:
            current = _stored(self.ws, item)
            dropped = replace(
                current, state=BootstrapState.DROPPED, reason=error.what, report={"seconds": _since(started)}
            )
            return save_bootstrap_item(self.ws, dropped)
        tell(PipelineEvent(0, 0, "checking"))
        least, pid = self.order.least, item.problemset_id or 0
        checked = _again_after_a_fault(
            lambda: check_draft(self.ws, pid, draft_executor=draft_executor, known=known, least=least, on_event=tell)
        )
        return save_bootstrap_item(self.ws, _with_report(item, checked, _since(started)))


def _again_after_a_fault(work: Callable[[], T]) -> T:
    """Do something once more when the machine failed on it: with many processes on it, one may be lost."""
    try:
        return work()
    except ToolkitError as error:
        if error.exit_code != ToolkitError.exit_code:
            raise
        return work()


def _stored(ws: Workspace, item: BootstrapItem) -> BootstrapItem:
    """Return an item as it is in the store by now: a step before the failing one may have succeeded."""
    items = list_bootstrap_items(ws, item.bootstrap_id)
    return next(each for each in items if (each.round, each.position) == (item.round, item.position))


def _since(started: float) -> float:
    return round(time.monotonic() - started, 2)


def _with_report(item: BootstrapItem, checked: CheckedDraft, seconds: float) -> BootstrapItem:
    report: dict[str, Any] = {**checked.to_json(), "seconds": seconds}
    if checked.refusal:
        return replace(item, state=BootstrapState.DROPPED, reason=checked.refusal, report=report)
    return replace(item, report=report)


def _told(item: BootstrapItem) -> str:
    if item.state == BootstrapState.DROPPED:
        return f"dropped: {item.reason}"
    gone = len(item.report.get("left_out", ()))
    return f"{item.report.get('problems', 0)} problems pass every check" + (f", {gone} left out" if gone else "")


def _finish(ws: Workspace, order: AutoOrder, plan: Bootstrap) -> AutoSummary:
    """Accept what passed, in the order of the plan, and write the release."""
    for item in list_bootstrap_items(ws, plan.id):
        if item.state == BootstrapState.DRAFTED:
            revision_id = int(item.report["revision"])
            try:
                accept(ws, revision_id, by=RULE_AUTHOR, reason=f"passes every check: {CHECKS}")
            except ContentError as error:  # somebody changed the set, or its data, since it was checked
                save_bootstrap_item(ws, replace(item, state=BootstrapState.DROPPED, reason=error.what))
            else:
                save_bootstrap_item(ws, replace(item, state=BootstrapState.ACCEPTED))
    items = list_bootstrap_items(ws, plan.id)
    chosen = [str(item.report["revision"]) for item in items if item.state == BootstrapState.ACCEPTED]
    summary = summarise(ws, plan, items)
    if not chosen:
        what = f"nothing passed every check: {summary.reasons()}"
        raise ContentError(what, where=f"bootstrap plan {plan.name!r}", fix="add larger seeds, or another --rng-seed")
    release = create_release(
        ws,
        plan.name,
        order.version,
        out=order.out,
        chosen=chosen,
        licence=order.licence,
        created_by=order.by or RULE_AUTHOR,
    )
    return replace(summary, release=release)
