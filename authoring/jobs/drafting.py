"""Jobs on the way from data files to a judged draft."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from authoring.store import Workspace, enqueue


def seed_add(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Check, profile and store data files that were put into the store before.

    Payload: `name`, `files` ([{name, digest}]), `notebook` ({name, digest} or null), `description`, `source_url`,
    `licence`, `title`, `published_on`, `popularity`, `synthetic`, `created_by`. One file may be a `.zip` of the data.
    Returns the seed's `id`.
    """
    from authoring.seeds import add_seed, open_bundle
    from evaluator.session import scratch_folder

    notebook = payload.get("notebook")
    with scratch_folder() as folder:
        files = [_placed(context.workspace, file, folder / "files") for file in required(payload, "files", list)]
        (folder / "unpacked").mkdir()
        chosen = _placed(context.workspace, notebook, folder / "notebook") if notebook else None
        bundle = open_bundle(files, folder / "unpacked", notebook=chosen)
        context.progress(0, 2, "reading the files in the sandbox")
        texts = ("description", "source_url", "licence", "title", "published_on", "popularity")
        given = {key: optional(payload, key, str, "") for key in texts}
        card = bundle.card.with_texts(synthetic=payload.get("synthetic") is True, **given)
        seed_id = add_seed(
            context.workspace,
            bundle.files,
            name=required(payload, "name", str),
            engine=context.engine(),
            notebook=bundle.notebook,
            card=card,
            created_by=_person(context, payload),
        )
    context.report(2, 2, f"seed {seed_id} added")
    return {"id": seed_id}


def sketch(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Sketch a problemset.

    Payload: `seed`, `author`, `difficulty`, `rng_seed`, `model`, `name`, `examples`, `mix` (as in easy=3,hard=4),
    `language`, `created_by`, `budget` ({tokens, cost, minutes} or null). Returns the `id`.
    """
    from authoring.drafting.sketching import make_sketch, read_mix
    from evaluator.models import BudgetLimits

    mix = optional(payload, "mix", str, "")
    sketch_id = make_sketch(
        context.workspace,
        _ref(payload, "seed"),
        author=optional(payload, "author", str, "template"),
        difficulty=optional(payload, "difficulty", str, "mix"),
        rng_seed=optional(payload, "rng_seed", int, 0),
        model=payload.get("model"),
        name=payload.get("name"),
        examples=optional(payload, "examples", str, "all"),
        mix=read_mix(mix) if mix else None,
        language=optional(payload, "language", str, "en"),
        created_by=_person(context, payload),
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    return {"id": sketch_id}


def draft(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Draft a problemset and dry-run it, so that it comes to people with its outputs and verdicts.

    Payload: `sketch`, `author`, `rng_seed`, `model`, `name`, `examples`, `created_by`,
    `budget` ({tokens, cost, minutes} or null). Returns `id`, `problemset`, `revision`, `name`, `problems`,
    `provenance` and `dry_run` (its id; null for a model's draft that still has errors, which a person repairs).
    """
    from authoring.checks.dry_run.dry_running import dry_run
    from authoring.drafting.draft import make_draft
    from evaluator.diagnostics import Severity
    from evaluator.models import BudgetLimits

    made = make_draft(
        context.workspace,
        _ref(payload, "sketch"),
        engine=context.engine(),
        author=optional(payload, "author", str, "template"),
        rng_seed=payload.get("rng_seed"),
        model=payload.get("model"),
        name=payload.get("name"),
        examples=optional(payload, "examples", str, "all"),
        created_by=_person(context, payload),
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    if any(finding.severity is Severity.ERROR for finding in made.left_over):
        context.report(1, 1, "not dry-run: the draft has errors")
        return {**made.to_json(), "dry_run": None}
    judged = dry_run(context.workspace, made.revision, engine=context.engine(), on_event=context.on_event)
    _order_agent(context, made.revision)
    return {**made.to_json(), "dry_run": judged.id}


def dry_run(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Execute and judge a revision; where a model is configured, order the reference agent's dry run behind it.

    Payload: `revision_id`. Returns the dry run without outputs: `id`, `passed`, `problems`, `failures`, ...
    """
    from authoring.checks.dry_run.dry_running import dry_run as run_dry

    revision = _ref(payload, "revision_id")
    judged = run_dry(context.workspace, revision, engine=context.engine(), on_event=context.on_event)
    _order_agent(context, judged.revision.id)
    return judged.to_json()


def dry_run_agent(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Do the dry run once more with the reference agent, which takes minutes: a job of its own in the other lane.

    Payload: `revision_id`, `samples` (how often each problem is asked; null: once).
    """
    from authoring.checks.dry_run.dry_running import dry_run as run_dry
    from evaluator.models import configured_model

    judged = run_dry(
        context.workspace,
        _ref(payload, "revision_id"),
        engine=context.engine(),
        model=configured_model(),
        samples=optional(payload, "samples", int, 1),
        on_event=context.on_event,
    )
    return judged.to_json()


def _order_agent(context: JobContext, revision_id: int) -> None:
    from evaluator.models import configured_model

    if configured_model() is not None:
        enqueue(
            context.workspace,
            kind="dry_run_agent",
            payload={"revision_id": revision_id},
            key=f"dry_run_agent:{revision_id}",
            created_by=context.job.created_by,
        )


def _placed(workspace: Workspace, file: Mapping[str, str], folder: Path) -> Path:
    """Bring a stored file to a folder under the name it was uploaded with."""
    from authoring.seeds import materialise_inputs

    name = Path(file["name"]).name
    return materialise_inputs(workspace, {name: file["digest"]}, folder) / name


def _ref(payload: Mapping[str, Any], name: str) -> str | int:
    value = payload.get(name)
    return value if isinstance(value, str) and value else required(payload, name, int)


def _person(context: JobContext, payload: Mapping[str, Any]) -> str:
    return optional(payload, "created_by", str, context.job.created_by)
