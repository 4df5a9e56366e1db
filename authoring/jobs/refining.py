"""The job in which a model refines chosen problems."""

from collections.abc import Mapping
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required


def refine(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Refine problems, and dry-run the revision that comes of it.

    Payload: `problemset`, `problems` (ids), `instruction`, `comments`, `findings`, `suggest`, `rng_seed`, `model`,
    `base_revision_id`, `created_by`, `budget` ({tokens, cost, minutes} or null). Returns `revision` or `suggestions`,
    `problems`, `comments`, `provenance`, and `dry_run` (its id; null for suggestions and for a text that cannot be
    executed).
    """
    from authoring.checks.dry_run.dry_running import dry_run
    from authoring.drafting.refining.refining import RefineOptions
    from authoring.drafting.refining.refining import refine as refine_problems
    from evaluator.errors import ContentError
    from evaluator.models import BudgetLimits

    ref = payload.get("problemset")
    made = refine_problems(
        context.workspace,
        ref if isinstance(ref, str) and ref else required(payload, "problemset", int),
        [str(problem) for problem in required(payload, "problems", list)],
        engine=context.engine(),
        options=RefineOptions(
            instruction=optional(payload, "instruction", str, ""),
            comments=optional(payload, "comments", bool, True),
            findings=optional(payload, "findings", bool, True),
            suggest=optional(payload, "suggest", bool, False),
            rng_seed=optional(payload, "rng_seed", int, 0),
            model=payload.get("model"),
        ),
        base_revision_id=payload.get("base_revision_id"),
        created_by=optional(payload, "created_by", str, context.job.created_by),
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    judged = None
    if made.revision is not None:
        try:
            judged = dry_run(context.workspace, made.revision, engine=context.engine(), on_event=context.on_event).id
        except ContentError as error:  # errors in problems that were not to be changed
            context.report(1, 1, f"not dry-run: {error}")
    return {**made.to_json(), "dry_run": judged}
