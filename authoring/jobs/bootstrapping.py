"""Jobs of the outer loop: a release from seeds in one step, and the steps of a plan in rounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required
from authoring.languages import find_language
from evaluator.models import BudgetLimits


def bootstrap_auto(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Make a release from seeds; a resumed job continues where it stopped.

    Payload: `name`; `version`, `seeds` (names; none: all), `author`, `rng_seed`, `sketches`, `least`, `licence`,
    `model`, `examples`, `language`, `budget` ({tokens, cost, minutes}), `out` (a folder; else one below `releases`).
    Returns the plan's summary with its release, and the release's `id`.
    """
    from authoring.drafting.sketching import find_author
    from authoring.rounds.auto import AutoOrder, release_folder
    from authoring.rounds.auto import bootstrap_auto as make

    name, version = required(payload, "name", str), optional(payload, "version", str, "1.0")
    out = optional(payload, "out", str, "")
    order = AutoOrder(
        name=name,
        version=version,
        out=Path(out) if out else release_folder(context.workspace, name, version),
        seeds=tuple(optional(payload, "seeds", list, [])),
        author=find_author(optional(payload, "author", str, "template")),
        rng_seed=optional(payload, "rng_seed", int, 0),
        sketches=optional(payload, "sketches", int, 2),
        least=optional(payload, "least", int, 5),
        licence=optional(payload, "licence", str, ""),
        model=payload.get("model"),
        examples=optional(payload, "examples", str, "all"),
        language=find_language(optional(payload, "language", str, "en")),
        budget=BudgetLimits.from_json(payload.get("budget")),
        by=optional(payload, "created_by", str, context.job.created_by),
        sandbox=context.sandbox_choice(),
        job_id=context.job.id,
    )
    made = make(context.workspace, order, on_event=context.on_event)
    return {**made.to_json(), "id": made.release.id if made.release else None}


def bootstrap_step(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Do all of a plan in rounds that can be done without a person.

    Payload: `name` of the plan; `workers`, `budget` ({tokens, cost, minutes}). Returns the plan's status.
    """
    from authoring.rounds.rounds import StepOrder, step_rounds

    order = StepOrder(
        budget=BudgetLimits.from_json(payload.get("budget")),
        sandbox=context.sandbox_choice(),
        workers=optional(payload, "workers", int, 1),
        job_id=context.job.id,
    )
    return step_rounds(context.workspace, required(payload, "name", str), order, on_event=context.on_event).to_json()
