"""The job in which comments are gathered into proposed amendments of the guide."""

from collections.abc import Mapping
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional


def propose(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Propose amendments of the guide.

    Payload: `author` (template or model), `rng_seed`, `model`, `all_times`, `created_by`, `budget` ({tokens, cost,
    minutes} or null). Returns `amendments` (ids), `comments` (how many were considered) and `base_number`.
    """
    from authoring.drafting.guide.amendment_proposals import propose_amendments
    from evaluator.models import BudgetLimits

    found = propose_amendments(
        context.workspace,
        proposed_by=optional(payload, "created_by", str, context.job.created_by),
        author=optional(payload, "author", str, "model"),
        rng_seed=optional(payload, "rng_seed", int, 0),
        model=payload.get("model"),
        all_times=payload.get("all_times") is True,
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    ids = [amendment.id for amendment in found.amendments]
    return {"amendments": ids, "comments": found.comments, "base_number": found.base_number}
