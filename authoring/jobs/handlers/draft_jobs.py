"""Jobs on the way from data files to a judged draft."""

from pathlib import Path
from typing import Any

from authoring.jobs.context import JobContext, reading_input
from authoring.jobs.declaring import SET_WORKERS, job
from authoring.jobs.payloads import Asking, ByPerson, Payload, Ref, StoredFile
from authoring.store.drafting.seeds import FACTS
from authoring.store.workspace import Workspace


class NewSeed(ByPerson):
    """Data files that were put into the store before, and what is known about them."""

    name: str
    files: list[StoredFile]  # one may be a `.zip` of the data
    notebook: StoredFile | None = None
    description: str = ""
    source_url: str = ""
    licence: str = ""
    title: str = ""
    published_on: str = ""
    popularity: str = ""
    synthetic: bool = False
    encoding: str = ""  # of text files that are not UTF-8: they are stored as UTF-8; empty: such files are refused


class Authored(Asking, ByPerson):
    """Something that the template author or a model writes."""

    author: str = "template"
    model: str | None = None
    name: str | None = None
    examples: str = "all"

    @property
    def needs_model(self) -> bool:
        """Whether a model writes it."""
        return self.author == "model"


class NewSketch(Authored):
    """A sketch of a seed."""

    seed: Ref
    difficulty: str = "mix"
    mix: str = ""  # problems of each difficulty, as in easy=3,hard=4
    rng_seed: int = 0
    language: str = "en"


class NewDraft(Authored):
    """A draft of a sketch."""

    sketch: Ref
    rng_seed: int | None = None  # None: the sketch's


class DryRunOrder(Payload):
    """A dry run of a revision."""

    revision_id: Ref


class AgentDryRun(DryRunOrder):
    """A dry run with the reference agent."""

    samples: int = 1  # how often each problem is asked


@job("seed_add", title="Add seed", lane="batch", payload=NewSeed)
def seed_add(context: JobContext, payload: NewSeed) -> dict[str, Any]:
    """Check, profile and store data files; return the seed's `id`."""
    from authoring.seeds import add_seed, open_bundle
    from authoring.seeds.text_encodings import write_as_utf8
    from evaluator.session import scratch_folder

    with scratch_folder() as folder, reading_input():
        files = [_placed(context.workspace, file, folder / "files") for file in payload.files]
        for file in files if payload.encoding else ():
            write_as_utf8(file, payload.encoding)
        (folder / "unpacked").mkdir()
        chosen = _placed(context.workspace, payload.notebook, folder / "notebook") if payload.notebook else None
        bundle = open_bundle(files, folder / "unpacked", notebook=chosen)
        context.progress(0, 2, "reading the files in the sandbox")
        facts = bundle.card.with_facts(**payload.model_dump(include=set(FACTS)))
        seed_id = add_seed(
            context.workspace,
            bundle.files,
            name=payload.name,
            engine=context.engine(),
            notebook=bundle.notebook,
            semantics=bundle.semantics,
            facts=facts,
            created_by=payload.person(context.job.created_by),
        )
    context.report(2, 2, f"seed {seed_id} added")
    return {"id": seed_id}


@job("sketch", title="Sketch", lane="batch", payload=NewSketch, asks_model=True)
def sketch(context: JobContext, payload: NewSketch) -> dict[str, Any]:
    """Sketch a problemset and return the `id`."""
    from authoring.drafting.sketching import make_sketch, read_mix

    sketch_id = make_sketch(
        context.workspace,
        payload.seed,
        author=payload.author,
        difficulty=payload.difficulty,
        rng_seed=payload.rng_seed,
        model=payload.model,
        name=payload.name,
        examples=payload.examples,
        mix=read_mix(payload.mix) if payload.mix else None,
        language=payload.language,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    return {"id": sketch_id}


@job("draft", title="Draft", lane="batch", payload=NewDraft, asks_model=True)
def draft(context: JobContext, payload: NewDraft) -> dict[str, Any]:
    """Draft a problemset and dry-run it, so that it comes to people with its outputs and verdicts.

    Returns `id`, `problemset`, `revision`, `name`, `problems`, `provenance` and `dry_run` (its id; null for a model's
    draft that still has errors, which a person repairs).
    """
    from authoring.checks.dry_run.dry_running import dry_run
    from authoring.drafting.draft import make_draft
    from evaluator.diagnostics import Severity

    made = make_draft(
        context.workspace,
        payload.sketch,
        engine=context.engine(),
        author=payload.author,
        rng_seed=payload.rng_seed,
        model=payload.model,
        name=payload.name,
        examples=payload.examples,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    if any(finding.severity is Severity.ERROR for finding in made.left_over):
        context.report(1, 1, "not dry-run: the draft has errors")
        return {**made.to_json(), "dry_run": None}
    judged = dry_run(context.workspace, made.revision, engine=context.engine(), on_event=context.on_event)
    _order_agent(context, made.revision)
    return {**made.to_json(), "dry_run": judged.id}


@job("dry_run", title="Dry run", lane="interactive", payload=DryRunOrder, roles=SET_WORKERS)
def dry_run(context: JobContext, payload: DryRunOrder) -> dict[str, Any]:
    """Execute and judge a revision; where a model is configured, order the reference agent's dry run behind it.

    Returns the dry run without outputs: `id`, `passed`, `problems`, `failures`, ...
    """
    from authoring.checks.dry_run.dry_running import dry_run as run_dry

    judged = run_dry(context.workspace, payload.revision_id, engine=context.engine(), on_event=context.on_event)
    _order_agent(context, judged.revision.id)
    return judged.to_json()


@job(
    "dry_run_agent",
    title="Dry run with an agent",
    lane="batch",
    payload=AgentDryRun,
    roles=SET_WORKERS,
    asks_model=True,
)
def dry_run_agent(context: JobContext, payload: AgentDryRun) -> dict[str, Any]:
    """Do the dry run once more with the reference agent, which takes minutes: a job of its own in the other lane."""
    from authoring.checks.dry_run.dry_running import dry_run as run_dry
    from evaluator.models import configured_model

    judged = run_dry(
        context.workspace,
        payload.revision_id,
        engine=context.engine(),
        model=configured_model(),
        samples=payload.samples,
        on_event=context.on_event,
    )
    return judged.to_json()


def _order_agent(context: JobContext, revision_id: int) -> None:
    from evaluator.models import configured_model

    if configured_model() is not None:
        dry_run_agent.order(
            context.workspace,
            {"revision_id": revision_id},
            key=f"dry_run_agent:{revision_id}",
            created_by=context.job.created_by,
        )


def _placed(workspace: Workspace, file: StoredFile, folder: Path) -> Path:
    """Bring a stored file to a folder under the name it was uploaded with."""
    from authoring.seeds import materialise_inputs

    name = Path(file.name).name
    return materialise_inputs(workspace, {name: file.digest}, folder) / name
