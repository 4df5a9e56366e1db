"""From a sketch to a draft: a problemset that parses and whose references were executed."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.model_draft import ModelDraft
from authoring.drafting.replaced_items import replaced_items
from authoring.drafting.seed_knowledge import seed_profile
from authoring.drafting.sketching import Author, find_author
from authoring.drafting.template_order import TemplateOrder, WriteTemplate
from authoring.progress import OnEvent, no_progress
from authoring.prompting.prompts import guide_revision
from authoring.prompting.repair_loop import left_over_findings, open_client
from authoring.seeds import materialise_inputs
from authoring.seeds.meanings import seed_semantics
from authoring.store import problemsets
from authoring.store.database.names import MAX_NAME_LENGTH
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.drafting.sketches import Sketch, find_sketch
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError
from evaluator.language import parse_problemset, with_language_version
from evaluator.models import Budget, BudgetLimits, ModelSettings
from evaluator.session import Engine, scratch_folder


@dataclass(frozen=True)
class DraftResult:
    """A new problemset with its first revision."""

    problemset: int
    revision: int  # its id
    number: int  # of the revision, within the problemset
    name: str
    problems: int  # in the draft (count)
    provenance: dict[str, Any]

    @property
    def left_over(self) -> tuple[Diagnostic, ...]:
        """What is still wrong with it, and the model could not repair."""
        return left_over_findings(self.provenance)

    @property
    def replacements(self) -> tuple[str, ...]:
        """Which items of the sketch the template author could not ask as they are, why, and what it asks instead."""
        return replaced_items(self.provenance)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; `id` is the problemset's."""
        return {
            "id": self.problemset,
            "problemset": self.problemset,
            "revision": self.revision,
            "number": self.number,
            "name": self.name,
            "problems": self.problems,
            "provenance": self.provenance,
        }


class WrittenDraft(NamedTuple):
    """DSEAL text and how it came about."""

    text: str
    provenance: dict[str, Any]


def make_draft(
    ws: Workspace,
    sketch_ref: str | int,
    *,
    engine: Engine | None,
    author: str | None = None,
    rng_seed: int | None = None,
    model: str | None = None,
    created_by: str = "",
    name: str | None = None,
    examples: str = ExampleStrategy.ALL,
    avoid: Collection[str] = (),
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
    write_template: WriteTemplate | None = None,
) -> DraftResult:
    """Write the problemset that a sketch plans, execute it, and store it with its first revision.

    Args:
        ws: The workspace.
        sketch_ref: Name or id of the sketch; its newest version counts.
        engine: Where references are executed before a person sees them; None only with `write_template`, by template.
        author: `template` or `model`; None: who wrote the sketch.
        rng_seed: Another number gives another draft; None: the sketch's own.
        model: The model to ask; None: the one that the environment names.
        created_by: Who asked for it.
        name: What the problemset is called; None: as the sketch, numbered if that is taken.
        examples: How the accepted sets that a model is shown are chosen: `none`, `all`, `random` or `nearest`.
        avoid: Identities of problems that must not stand in for one of the sketch; for the template author.
        on_event: Told of each step.
        budget: What the model may cost.
        job_id: The job that this is done for.
        write_template: Writes what the template author writes; None: this process does.

    Raises:
        BudgetSpentError: If the budget ends before there is a draft.
        UsageError: If there is no such sketch.
        ContentError: If no draft could be made of it; diagnostics say why.
        ToolkitError: If the model cannot be asked or the engine cannot start.
    """
    sketch = find_sketch(ws, sketch_ref)
    seed = find_seed(ws, sketch.seed_id)
    chosen = sketch.rng_seed if rng_seed is None else rng_seed
    author = find_author(author or (sketch.author if sketch.author in list(Author) else Author.TEMPLATE))
    by_model = author is Author.MODEL
    settings = ModelSettings.from_env(model) if by_model else None
    title = name or free_name(ws, sketch.name)
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, seed.id, folder / "inputs")
        if settings:
            subject = f"sketch {sketch.id}"
            with open_client(ws, settings, purpose="draft", subject=subject, budget=budget, job_id=job_id) as client:
                assert engine is not None, "what models draft is executed here"
                draft = ModelDraft(ws, seed, sketch, title, inputs, engine, on_event, examples)
                written = WrittenDraft(*draft.write(client, chosen))
        else:
            order = _template_order(ws, seed, sketch, title, chosen, avoid)
            if write_template is not None:
                drafted = write_template(order, on_event)
            else:
                assert engine is not None
                drafted = order.write(engine, inputs, on_event)
            written = WrittenDraft(
                drafted.text, {"author": "template", "params": {"rng_seed": chosen}, "report": drafted.report}
            )
            written.provenance["guide_revision"] = guide_revision(ws).number  # effects are compared by it
    text = with_language_version(written.text)
    provenance = {**written.provenance, "sketch": {"id": sketch.id, "number": sketch.head_number}}
    provenance["language"] = sketch.language.value
    revision = problemsets.create(
        ws,
        name=title,
        text=text,
        author=created_by or str(author),
        origin=Origin(str(author)),
        seed_id=seed.id,
        sketch_id=sketch.id,
        message=f"drafted from sketch {sketch.name}, version {sketch.head_number}",
        provenance=provenance,
        inputs={file.name: file.digest for file in seed.files},
        guide_number=written.provenance["guide_revision"],
    )
    parsed = parse_problemset(text, name=title).problemset
    count = len(parsed.problems) if parsed else 0
    return DraftResult(revision.problemset_id, revision.id, revision.number, title, count, provenance)


def free_name(ws: Workspace, wanted: str) -> str:
    """Return a name for a problemset that no other has, as near to `wanted` as can be."""
    taken = {row.name.lower() for row in problemsets.select(ws, limit=1_000_000)}
    stem = wanted.lstrip("_")[: MAX_NAME_LENGTH - 6] or "set"  # a file that begins with _ is not a problemset
    candidates = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 3))
    return next(name for name in candidates if name.lower() not in taken and not name.isdigit())


def _template_order(
    ws: Workspace, seed: Seed, sketch: Sketch, name: str, rng_seed: int, avoid: Collection[str]
) -> TemplateOrder:
    if not all(item.family for item in sketch.items):
        what = f"sketch {sketch.name!r} names no task families, so the template author cannot follow it"
        raise ContentError(
            what, where=f"sketch {sketch.id}", fix="use --author model, or sketch with --author template"
        )
    return TemplateOrder(
        name,
        sketch.items,
        seed_profile(seed),
        seed_semantics(ws, seed),
        rng_seed,
        tuple(sorted(avoid)),
        sketch.language,
        {file.name: file.digest for file in seed.files},
    )
