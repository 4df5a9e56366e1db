"""From modules to topics that a model proposes, and from a topic to a draft in notebook style."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from authoring.checks import style_diagnostics
from authoring.drafting.draft import DraftResult, free_name
from authoring.drafting.model_draft import Assessor, language_block
from authoring.drafting.seed_knowledge import column_names, data_blocks
from authoring.drafting.topics.topic import Topic, checked_modules
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import Block, block
from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text, read_rows
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.prompting.style_examples import mending_text, style_examples_text
from authoring.seeds import materialise_inputs
from authoring.seeds.meanings.stored import seed_semantics
from authoring.store import problemsets
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.language import LANGUAGE_VERSION, parse_problemset, with_language_version
from evaluator.models import Budget, BudgetLimits, Completion, ModelSettings
from evaluator.session import Engine, scratch_folder

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
    request = topics_request(book, names, count, taken)
    settings = ModelSettings.from_env(model)
    subject = f"modules {', '.join(names)}"
    with open_client(ws, settings, purpose="topics", subject=subject, budget=budget, job_id=job_id) as client:
        dialogue = RepairLoop(client, "list of topics", rng_seed, TOPIC_TOKENS, TOPIC_TEMPERATURE, on_event=on_event)
        dialogue.book = book
        found = dialogue.ask(request, lambda answer: _assess(answer, names, count, taken))
    return ProposedTopics(found.topics, found.left_out, dialogue.provenance())


def topics_request(book: PromptBook, modules: Sequence[str], count: int, taken: Sequence[Topic]) -> PromptRequest:
    """Return what a model is asked for topics."""
    shown = "\n".join(f"- {topic.title}" for topic in taken)
    known = block("topic", shown, title="# Topics that exist already")
    return book.request("topics", {"taken": [known]}, modules=", ".join(modules), count=str(count))


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


DRAFT_TOKENS: Final = 12_000
DRAFT_TEMPERATURE: Final = 0.3
MAX_STYLE_FAULTS: Final = 12


@dataclass(frozen=True)
class _TopicAssessor:
    """Judges a draft like any other, and by the style of a notebook."""

    inner: Assessor

    def assess(self, answer: Completion) -> Assessment[str]:
        try:
            text = read_problemset_text(answer.text)
        except UnreadableAnswerError as error:
            return Assessment(None, CUT_OFF if answer.cut_off else str(error))
        found = self.inner.assess(text, cut_off=answer.cut_off)
        problemset = parse_problemset(found.value or "", name=self.inner.name).problemset
        if found.value is None or problemset is None:
            return found
        faults = style_diagnostics(problemset, self.inner.path, self.inner.inputs)
        if not faults:
            return found
        listed = "\n".join(f"- {fault.what}; fix: {fault.fix}" for fault in faults[:MAX_STYLE_FAULTS])
        mended = mending_text(fault.code for fault in faults)
        complaint = f"{found.complaint}\n\nThe style is not kept to:\n{listed}\n\n{mended}".strip()
        return replace(
            found, complaint=complaint, faults=found.faults + len(faults), findings=(*found.findings, *faults)
        )


def make_topic_draft(
    ws: Workspace,
    topic: Topic,
    *,
    engine: Engine,
    seed: str | int | None = None,
    name: str | None = None,
    rng_seed: int = 0,
    model: str | None = None,
    created_by: str = "",
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> DraftResult:
    """Write a problemset about a topic and store it with its first revision.

    Args:
        ws: The workspace.
        topic: What it is about.
        engine: Where references are executed before a person sees them.
        seed: Name or id of the data that it works on; None: data that the code makes.
        name: What the problemset is called; None: after the topic, numbered if that is taken.
        rng_seed: Another number gives another draft.
        model: The model to ask; None: the one that the environment names.
        created_by: Who asked for it.
        on_event: Told of each step.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        BudgetSpentError: If the budget ends before there is a draft.
        UsageError: If there is no such seed.
        ContentError: If no answer of the model could be used.
        ToolkitError: If the model cannot be asked or the engine cannot start.
    """
    found = None if seed is None else find_seed(ws, seed)
    title = name or free_name(ws, _file_name(topic.title))
    book, guide = PromptBook(ws.root), guide_revision(ws)
    request = topic_draft_request(ws, topic, found, book)
    settings = ModelSettings.from_env(model)
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, found.id, folder / "inputs") if found else _empty(folder / "inputs")
        inner = Assessor(title, inputs, engine, columns=column_names(found), on_event=on_event)
        assessor = _TopicAssessor(replace(inner, language_version=LANGUAGE_VERSION))
        subject = f"topic {topic.title}"
        with open_client(ws, settings, purpose="draft", subject=subject, budget=budget, job_id=job_id) as client:
            dialogue = RepairLoop(client, "draft", rng_seed, DRAFT_TOKENS, DRAFT_TEMPERATURE, on_event=on_event)
            dialogue.book, dialogue.guide_number = book, guide.number
            text = with_language_version(dialogue.ask(request, assessor.assess))
    provenance: dict[str, Any] = {**dialogue.provenance(), "topic": topic.title, "modules": list(topic.modules)}
    revision = problemsets.create(
        ws,
        name=title,
        text=text,
        author=created_by or "model",
        origin=Origin.MODEL,
        seed_id=found.id if found else None,
        message=f"drafted on the topic {topic.title!r}",
        provenance=provenance,
        inputs={file.name: file.digest for file in found.files} if found else {},
        guide_number=guide.number,
    )
    parsed = parse_problemset(text, name=title).problemset
    count = len(parsed.problems) if parsed else 0
    return DraftResult(revision.problemset_id, revision.id, revision.number, title, count, provenance)


def topic_draft_request(ws: Workspace, topic: Topic, seed: Seed | None, book: PromptBook) -> PromptRequest:
    """Return what a model is asked for a set about a topic."""
    return book.request(
        "topic_draft",
        {
            "language": [language_block(book)],
            "topic": [block("topic", _topic_text(topic))],
            "examples": [block("mended steps", style_examples_text())],
            "guide": [block("guide", guide_revision(ws).text)],
            "data": _data_blocks(ws, seed),
        },
    )


def _topic_text(topic: Topic) -> str:
    points = f"\nKnowledge points: {', '.join(topic.knowledge_points)}." if topic.knowledge_points else ""
    return f"{topic.title}. {topic.description}\nModules: {', '.join(topic.modules)}.{points}"


def _data_blocks(ws: Workspace, seed: Seed | None) -> Sequence[Block]:
    title = "# The data"
    if seed is None:
        return [block("data", "There is no file: the code makes it.", title=title)]
    return data_blocks(seed, seed_semantics(ws, seed), title=title)


def _file_name(title: str) -> str:
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in title.lower())
    return "-".join(part for part in plain.split("-") if part)[:40] or "topic"


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder
