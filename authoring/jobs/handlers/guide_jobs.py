"""The job in which comments are gathered into proposed amendments of the guide."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import Asking, ByPerson


class GuideOrder(Asking, ByPerson):
    """Amendments of the guide, of the comments that people wrote."""

    author: str = "model"  # or template
    rng_seed: int = 0
    model: str | None = None
    all_times: bool = False  # comments that were considered before, too

    @property
    def needs_model(self) -> bool:
        """Whether a model proposes them."""
        return self.author == "model"


@job("guide", title="Gather amendments", lane="batch", payload=GuideOrder, asks_model=True)
def propose(context: JobContext, payload: GuideOrder) -> dict[str, Any]:
    """Propose amendments of the guide.

    Returns `amendments` (ids), `comments` (how many were considered) and `base_number`.
    """
    from authoring.drafting.guide.amendment_proposals import propose_amendments

    found = propose_amendments(
        context.workspace,
        proposed_by=payload.person(context.job.created_by),
        author=payload.author,
        rng_seed=payload.rng_seed,
        model=payload.model,
        all_times=payload.all_times,
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    ids = [amendment.id for amendment in found.amendments]
    return {"amendments": ids, "comments": found.comments, "base_number": found.base_number}
