"""A model states fields and distributions of made-up tables; what is wrong with the statement goes back to it."""

from dataclasses import dataclass
from typing import Any, Final

from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import block
from authoring.prompting.prompts import PromptBook, PromptRequest
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.seeds.made.statement import MAX_CELLS, MadeData, parse_statement
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, fenced_blocks, without_thought
from evaluator.errors import ContentError, UsageError
from evaluator.models import Budget, BudgetLimits, Completion, ModelSettings

TOKENS: Final = 6_000
TEMPERATURE: Final = 0.6
MAX_TOPIC: Final = 2_000


@dataclass(frozen=True)
class StatedTables:
    """A statement, and how it came about."""

    data: MadeData
    provenance: dict[str, Any]


def state_tables(
    ws: Workspace,
    topic: str,
    *,
    rng_seed: int = 0,
    model: str | None = None,
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> StatedTables:
    """Ask a model for the fields and distributions of tables about a topic; no values and no code of it are used.

    Args:
        ws: The workspace.
        topic: What the tables are about.
        rng_seed: Another number gives another statement; the tables are drawn with it, too.
        model: The model to ask; None: the one that the environment names.
        on_event: Told of each request.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        BudgetSpentError: If the budget ends before there is an answer.
        UsageError: If the topic is empty or too long.
        ContentError: If no answer of the model could be used.
        ToolkitError: If the model cannot be asked.
    """
    if not topic.strip() or len(topic) > MAX_TOPIC:
        what = "the topic is empty" if not topic.strip() else f"the topic has more than {MAX_TOPIC:,} characters"
        raise UsageError(what, fix="say in a sentence or two what the tables are about")
    book = PromptBook(ws.root)
    settings = ModelSettings.from_env(model)
    with open_client(ws, settings, purpose="made tables", subject=topic[:80], budget=budget, job_id=job_id) as client:
        loop = RepairLoop(client, "statement of tables", rng_seed, TOKENS, TEMPERATURE, on_event=on_event, book=book)
        data = loop.ask(made_table_request(book, topic), assess_statement)
    return StatedTables(data.model_copy(update={"rng_seed": rng_seed}), loop.provenance())


def made_table_request(book: PromptBook, topic: str) -> PromptRequest:
    """Return what a model is asked for tables about a topic."""
    return book.request("made_table", {"topic": [block("topic", topic.strip())]}, cells=f"{MAX_CELLS:,}")


def assess_statement(answer: Completion) -> Assessment[MadeData]:
    """Read a statement out of an answer, or say what is wrong with it."""
    text = without_thought(answer.text[:MAX_ANSWER_CHARS])
    blocks = [one for one in fenced_blocks(text) if "tables:" in one]
    stated = blocks[-1] if blocks else text if text.lstrip().startswith(("title:", "tables:")) else ""
    if not stated:
        return Assessment(None, CUT_OFF if answer.cut_off else "there is no YAML block with `tables:` in the answer")
    try:
        return Assessment(parse_statement(stated, where="the statement"))
    except ContentError as error:
        return Assessment(None, CUT_OFF if answer.cut_off else error.what)
