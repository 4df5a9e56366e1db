"""Jobs about what the columns and rows of a seed mean."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import ByModel, ByPerson, Ref


class SemanticsOrder(ByModel, ByPerson):
    """A proposal by a model."""

    seed: Ref


@job("propose_semantics", title="Propose meanings", lane="batch", payload=SemanticsOrder, asks_model=True)
def propose(context: JobContext, payload: SemanticsOrder) -> dict[str, Any]:
    """Ask a model what a seed's columns mean, and keep its proposal until a person accepts it.

    Returns the `id` of the seed, and in `columns` how many the proposal would change.
    """
    from authoring.drafting.proposing import propose_semantics
    from authoring.store.drafting.seeds import find_seed

    seed = find_seed(context.workspace, payload.seed)
    columns = propose_semantics(
        context.workspace,
        seed,
        rng_seed=payload.rng_seed,
        model=payload.model,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    return {"id": seed.id, "columns": columns}
