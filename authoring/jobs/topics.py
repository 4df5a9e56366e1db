"""Jobs that go from modules to topics to problemsets."""

from collections.abc import Mapping
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.payloads import optional, required


def propose(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Propose topics and add them to the workspace's file; those that it holds are not repeated.

    Payload: `modules` (a list), `count`, `rng_seed`, `model`, `budget` ({tokens, cost, minutes} or null). Returns
    `topics` and `left_out`.
    """
    from authoring.drafting.topics.topic import keep_topics, known_topics
    from authoring.drafting.topics.topic_draft import propose_topics
    from evaluator.models import BudgetLimits

    found = propose_topics(
        context.workspace,
        required(payload, "modules", list),
        count=optional(payload, "count", int, 20),
        taken=known_topics(context.workspace),
        rng_seed=optional(payload, "rng_seed", int, 0),
        model=payload.get("model"),
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    keep_topics(context.workspace, found.topics)
    topics = [{"title": topic.title, "modules": list(topic.modules)} for topic in found.topics]
    return {"topics": topics, "left_out": found.left_out}


def draft(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Draft a problemset on a topic.

    Payload: `title`, `modules`, `description`, `seed`, `name`, `rng_seed`, `model`, `budget`, `created_by`.
    Returns what `draft` jobs return, without a dry run.
    """
    from authoring.drafting.topics.topic import Topic
    from authoring.drafting.topics.topic_draft import make_topic_draft
    from evaluator.models import BudgetLimits

    topic = Topic(
        required(payload, "title", str),
        tuple(required(payload, "modules", list)),
        optional(payload, "description", str, ""),
    )
    made = make_topic_draft(
        context.workspace,
        topic,
        engine=context.engine(),
        seed=payload.get("seed"),
        name=payload.get("name"),
        rng_seed=optional(payload, "rng_seed", int, 0),
        model=payload.get("model"),
        created_by=optional(payload, "created_by", str, context.job.created_by),
        on_event=context.on_event,
        budget=BudgetLimits.from_json(payload.get("budget")),
        job_id=context.job.id,
    )
    return made.to_json()
