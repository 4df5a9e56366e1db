"""Jobs that go from modules to topics to problemsets."""

from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import job
from authoring.jobs.payloads import ByModel, ByPerson, Ref


class TopicsOrder(ByModel):
    """Topics about modules."""

    modules: list[str]
    count: int = 20


class TopicDraft(ByModel, ByPerson):
    """A problemset on a topic."""

    title: str
    modules: list[str]
    description: str = ""
    seed: Ref | None = None
    name: str | None = None


@job("topics", title="Propose topics", lane="batch", payload=TopicsOrder, asks_model=True)
def propose(context: JobContext, payload: TopicsOrder) -> dict[str, Any]:
    """Propose topics and add them to the workspace's file; those that it holds are not repeated.

    Returns `topics` and `left_out`.
    """
    from authoring.drafting.topics.topic import keep_topics, known_topics
    from authoring.drafting.topics.topic_draft import propose_topics

    found = propose_topics(
        context.workspace,
        payload.modules,
        count=payload.count,
        taken=known_topics(context.workspace),
        rng_seed=payload.rng_seed,
        model=payload.model,
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    keep_topics(context.workspace, found.topics)
    topics = [{"title": topic.title, "modules": list(topic.modules)} for topic in found.topics]
    return {"topics": topics, "left_out": found.left_out}


@job("topic_draft", title="Draft on a topic", lane="batch", payload=TopicDraft, asks_model=True)
def draft(context: JobContext, payload: TopicDraft) -> dict[str, Any]:
    """Draft a problemset on a topic; return what `draft` jobs return, without a dry run."""
    from authoring.drafting.topics.topic import Topic
    from authoring.drafting.topics.topic_draft import make_topic_draft

    topic = Topic(payload.title, tuple(payload.modules), payload.description)
    made = make_topic_draft(
        context.workspace,
        topic,
        engine=context.engine(),
        seed=payload.seed,
        name=payload.name,
        rng_seed=payload.rng_seed,
        model=payload.model,
        created_by=payload.person(context.job.created_by),
        on_event=context.on_event,
        budget=payload.limits(),
        job_id=context.job.id,
    )
    return made.to_json()
