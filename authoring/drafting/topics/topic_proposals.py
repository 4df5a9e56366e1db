"""Ask a model for topics of chosen modules; what repeats a known topic is left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from authoring.drafting.topics.topic import Topic, checked_modules
from authoring.progress import OnEvent, no_progress
from authoring.prompting.model_answers import UnreadableAnswerError, read_rows
from authoring.prompting.prompts import PromptBook, section
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.store import Workspace
from evaluator.errors import UsageError
from evaluator.models import Budget, BudgetLimits, Completion, ModelSettings

TOPIC_TOKENS: Final = 8_000
TOPIC_TEMPERATURE: Final = 0.5
MAX_COUNT: Final = 50  # of one request, as in the published process
_TITLES: Final = ("title", "topic", "name", "query_idea")


@dataclass(frozen=True)
class ProposedTopics:
    """Topics and how they came about."""

    topics: tuple[Topic, ...]
    left_out: int  # that repeat another or need other modules (count)
    provenance: dict[str, Any] = field(default_factory=dict)


def propose_topics(
    ws: Workspace,
    modules: Sequence[str],
    *,
    count: int = 20,
    taken: Sequence[Topic] = (),
    rng_seed: int = 0,
    model: str | None = None,
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> ProposedTopics:
    """Ask for at most `count` topics that use `modules` and differ from those that are `taken`.

    Raises:
        BudgetSpentError: If the budget ends before there is an answer.
        UsageError: If a name is no module's, or the count is not between 1 and 50.
        ContentError: If no answer of the model could be used.
        ToolkitError: If the model cannot be asked.
    """
    names = checked_modules(modules)
    if not 1 <= count <= MAX_COUNT:
        raise UsageError(f"{count} topics cannot be asked for", fix=f"use 1 to {MAX_COUNT}")
    book = PromptBook(ws.root)
    shown = "\n".join(f"- {topic.title}" for topic in taken)
    request = book.fill(
        "topics", modules=", ".join(names), count=str(count), taken=section("Topics that exist already", shown)
    )
    settings = ModelSettings.from_env(model)
    subject = f"modules {', '.join(names)}"
    with open_client(ws, settings, purpose="topics", subject=subject, budget=budget, job_id=job_id) as client:
        dialogue = RepairLoop(client, "list of topics", rng_seed, TOPIC_TOKENS, TOPIC_TEMPERATURE, on_event=on_event)
        dialogue.book = book
        found = dialogue.ask(request, lambda answer: _assess(answer, names, count, taken))
    return ProposedTopics(found.topics, found.left_out, dialogue.provenance())


def _assess(
    answer: Completion, modules: Sequence[str], count: int, taken: Sequence[Topic]
) -> Assessment[ProposedTopics]:
    try:
        rows = read_rows(answer.text)
    except UnreadableAnswerError as error:
        return Assessment(None, CUT_OFF if answer.cut_off else str(error))
    seen = {topic.key for topic in taken}
    topics: list[Topic] = []
    for row in rows:
        topic = _topic(row, modules)
        if topic is not None and topic.key and topic.key not in seen and len(topics) < count:
            seen.add(topic.key)
            topics.append(topic)
    if not topics:
        return Assessment(None, f"no topic with a `title` uses one of {', '.join(modules)} and is new")
    return Assessment(ProposedTopics(tuple(topics), len(rows) - len(topics)))


def _topic(row: Mapping[str, Any], modules: Sequence[str]) -> Topic | None:
    title = next((" ".join(row[key].split())[:300] for key in _TITLES if isinstance(row.get(key), str)), "")
    wanted = row.get("modules")
    named = [wanted] if isinstance(wanted, str) else wanted if isinstance(wanted, list) else list(modules)
    used = tuple(name for name in modules if name in named)
    if not title or not used:
        return None
    points = row.get("knowledge_points")
    listed = [str(point)[:80] for point in points[:12]] if isinstance(points, list) else []
    description = row.get("description")
    return Topic(title, used, description[:2000] if isinstance(description, str) else "", tuple(listed))
