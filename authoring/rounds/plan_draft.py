"""One draft of a plan: its material, sketched, drafted, stored step by step, so that a killed process repeats none."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from authoring.drafting.draft import make_draft
from authoring.drafting.sketching import Author, make_sketch
from authoring.drafting.template_order import WriteTemplate
from authoring.languages import Language
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.seeds import load_shipped_seeds, shipped_seed_names
from authoring.store import problemsets
from authoring.store.database.names import MAX_NAME_LENGTH
from authoring.store.drafting.bootstrap import Bootstrap, BootstrapItem, save_bootstrap_item
from authoring.store.drafting.seeds import Seed, find_seed, list_seeds
from authoring.store.drafting.sketches import Sketch, find_sketch, list_sketches
from authoring.store.problemsets import ProblemsetRow
from authoring.store.statuses import BootstrapState
from authoring.store.workspace import Workspace
from authoring.templates import sketch_identities
from evaluator.errors import UsageError
from evaluator.models import Budget
from evaluator.session import Engine


def choose_seeds(ws: Workspace, names: Sequence[str], on_event: OnEvent = no_progress) -> tuple[Seed, ...]:
    """Return the named seeds, else all of the workspace; shipped ones that it lacks are added when they are wanted.

    `on_event` is told which are added.

    Raises:
        UsageError: If a name is neither a seed of the workspace nor a shipped one.
    """
    if not names:
        return tuple(list_seeds(ws) or _all_shipped(ws, on_event))
    present = {seed.name for seed in list_seeds(ws)}
    lacking = [name for name in names if name not in present and name in shipped_seed_names()]
    if lacking:
        on_event(PipelineEvent(0, 0, f"adding the shipped seeds {', '.join(lacking)}"))
        load_shipped_seeds(ws, only=lacking)
    found = {seed.id: seed for seed in (find_seed(ws, name) for name in names)}
    return tuple(found.values())


def _all_shipped(ws: Workspace, on_event: OnEvent) -> list[Seed]:
    on_event(PipelineEvent(0, 0, "the workspace has no seeds: the shipped ones are used"))
    load_shipped_seeds(ws)
    seeds = list_seeds(ws)
    if not seeds:
        raise UsageError("there is no seed", where=str(ws.root), fix="add one: benchwright seed add FILE --name NAME")
    return seeds


def derived_rng_seed(rng_seed: int, *numbers: int) -> int:
    """Return the random seed of one draft of a plan: 0..2**32 - 1, the same for the same numbers."""
    text = " ".join(map(str, (rng_seed, *numbers)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


@dataclass(frozen=True)
class Writing:
    """How all drafts of a plan are written."""

    plan: Bootstrap
    author: Author
    model: str | None = None
    purse: Budget | None = None  # what all drafts may cost together
    job_id: int | None = None
    by: str = ""
    examples: str = "all"  # how the accepted sets that a model is shown are chosen


def write_item(
    ws: Workspace,
    item: BootstrapItem,
    writing: Writing,
    *,
    name: str,
    engine: Engine | None,
    avoid: Collection[str],
    on_event: OnEvent,
    write_template: WriteTemplate | None = None,
) -> BootstrapItem:
    """Sketch and draft an item that is planned or sketched; what is there already is taken over.

    Args:
        ws: The workspace.
        item: The item.
        writing: How it is written.
        name: What the sketch and the problemset are called.
        engine: Executes references; None only with `write_template`, by template.
        avoid: Identities of problems that the template author must not choose.
        on_event: Told of each step.
        write_template: Writes what the template author writes; None: the engine here executes it.

    Raises:
        ContentError: If no sketch or draft can be made of the seed.
        ToolkitError: If the model cannot be asked, its budget is spent, or the engine fails.
    """
    if item.state == BootstrapState.PLANNED:
        item = save_bootstrap_item(ws, _sketched(ws, item, writing, name, avoid, on_event))
    if item.state == BootstrapState.SKETCHED:
        drafted = _drafted(ws, item, writing, name, engine, avoid, on_event, write_template)
        item = save_bootstrap_item(ws, drafted)
    return item


def _sketched(
    ws: Workspace, item: BootstrapItem, writing: Writing, name: str, avoid: Collection[str], on_event: OnEvent
) -> BootstrapItem:
    label = f"{writing.plan.name}-{name}-{item.round}"[:MAX_NAME_LENGTH]
    known = [one for one in list_sketches(ws, item.seed_id) if one.name == label and one.rng_seed == item.rng_seed]
    if known:  # made by a process that was killed before it could say so
        return replace(item, state=BootstrapState.SKETCHED, sketch_id=known[0].id)
    sketch_id = make_sketch(
        ws,
        item.seed_id,
        author=writing.author,
        rng_seed=item.rng_seed,
        model=writing.model,
        created_by=writing.by,
        name=label,
        avoid=avoid,
        examples=writing.examples,
        language=writing.plan.plan.get("language", Language.ENGLISH),
        on_event=on_event,
        budget=writing.purse,
        job_id=writing.job_id,
    )
    return replace(item, state=BootstrapState.SKETCHED, sketch_id=sketch_id)


def _drafted(
    ws: Workspace,
    item: BootstrapItem,
    writing: Writing,
    name: str,
    engine: Engine | None,
    avoid: Collection[str],
    on_event: OnEvent,
    write_template: WriteTemplate | None,
) -> BootstrapItem:
    known = _problemset_of(ws, item.sketch_id)
    if known is not None:
        return replace(item, state=BootstrapState.DRAFTED, problemset_id=known.id)
    made = make_draft(
        ws,
        item.sketch_id or 0,
        engine=engine,
        author=writing.author,
        rng_seed=item.rng_seed,
        model=writing.model,
        created_by=writing.by,
        name=free_name(ws, name, writing.plan.name),
        avoid=avoid,
        examples=writing.examples,
        on_event=on_event,
        budget=writing.purse,
        job_id=writing.job_id,
        write_template=write_template,
    )
    return replace(item, state=BootstrapState.DRAFTED, problemset_id=made.problemset)


def _problemset_of(ws: Workspace, sketch_id: int | None) -> ProblemsetRow | None:
    rows = problemsets.select(ws, limit=1_000_000)
    return next((row for row in rows if row.sketch_id == sketch_id), None)


def free_name(ws: Workspace, wanted: str, prefix: str) -> str:
    """Return the wanted name, else with the plan's name before it, if another problemset has it."""
    taken = {row.name.casefold() for row in problemsets.select(ws, limit=1_000_000)}
    if wanted.casefold() not in taken:
        return wanted
    stem = f"{prefix}-{wanted}"[: MAX_NAME_LENGTH - 6]
    candidates = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 3))
    return next(name for name in candidates if name.casefold() not in taken)


def identities_of(ws: Workspace, items: Sequence[BootstrapItem]) -> frozenset[str]:
    """Return the identities of all problems that were sketched for some items, or stand in for one of them."""
    found: set[str] = set()
    for item in items:
        if item.sketch_id is not None:
            found |= set(sketch_identities(sketch_of(ws, item).items))
        if item.problemset_id is not None:
            found |= set(_stand_ins(ws, item.problemset_id))
    return frozenset(found)


def sketch_of(ws: Workspace, item: BootstrapItem) -> Sketch:
    """Return the sketch of an item that has one."""
    return find_sketch(ws, item.sketch_id or 0)


def _stand_ins(ws: Workspace, problemset_id: int) -> Sequence[str]:
    from authoring.store import revisions

    first = revisions.select(ws, problemsets.find(ws, problemset_id).id)[0]
    report = first.provenance.get("report")
    return report.get("identities", ()) if isinstance(report, dict) else ()
