"""The job in which a model refines chosen problems."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import SET_WORKERS, job
from authoring.jobs.payloads import ByModel, ByPerson, Ref


class RefineOrder(ByModel, ByPerson):
    """Problems that a model shall refine."""

    problemset: Ref
    problems: list[Ref]  # ids
    instruction: str = ""
    comments: bool = True  # whether it reads them
    findings: bool = True  # whether it reads them
    suggest: bool = False  # suggestions that a person decides on, in place of a revision
    base_revision_id: int | None = None


@job("refine", title="Refine problems", lane="batch", payload=RefineOrder, roles=SET_WORKERS, asks_model=True)
def refine(context: JobContext, payload: RefineOrder) -> dict[str, Any]:
    """Refine problems, and dry-run the revision that comes of it.

    Returns `revision` or `suggestions`, `problems`, `comments`, `provenance`, and `dry_run` (its id; null for
    suggestions and for a text that cannot be executed).
    """
    from authoring.checks.dry_run.dry_running import dry_run
    from authoring.drafting.refining.refining import RefineOptions
    from authoring.drafting.refining.refining import refine as refine_problems
    from evaluator.errors import ContentError

    made = refine_problems(
        context.workspace,
        payload.problemset,
        [str(problem) for problem in payload.problems],
        engine=context.engine(),
        options=RefineOptions(
            instruction=payload.instruction,
            comments=payload.comments,
            findings=payload.findings,
            suggest=payload.suggest,
            rng_seed=payload.rng_seed,
            model=payload.model,
        ),
        base_revision_id=payload.base_revision_id,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    judged = None
    if made.revision is not None:
        try:
            judged = dry_run(context.workspace, made.revision, engine=context.engine(), on_event=context.on_event).id
        except ContentError as error:  # errors in problems that were not to be changed
            context.report(1, 1, f"not dry-run: {error}")
    return {**made.to_json(), "dry_run": judged}
