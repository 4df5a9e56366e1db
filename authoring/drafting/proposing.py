"""A model proposes what the columns and rows of a seed mean; it counts once a person accepts it."""

from dataclasses import replace
from functools import partial
from typing import Final

from authoring.drafting.seed_knowledge import data_blocks, seed_profile
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import block
from authoring.prompting.prompts import PromptBook, PromptRequest
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.seeds.meanings.findings import check_semantics
from authoring.seeds.meanings.statement_text import read_statement, statement_to_text
from authoring.seeds.meanings.statements import Statement, whole_statement, with_statement
from authoring.seeds.meanings.stored import keep_proposal, proposed_change, seed_semantics
from authoring.seeds.meanings.wording import MEANINGS_IN_WORDS
from authoring.seeds.profile import Profile
from authoring.seeds.semantics import Origin, Semantics
from authoring.store.drafting.seeds import Seed
from authoring.store.workspace import Workspace
from evaluator.agents.model_agents.replies import MAX_ANSWER_CHARS, fenced_blocks, without_thought
from evaluator.diagnostics import Severity
from evaluator.models import Budget, BudgetLimits, Completion, ModelClient, ModelSettings

TOKENS: Final = 6_000
TEMPERATURE: Final = 0.1
MAX_FAULTS: Final = 30  # told to the model at once


def propose_semantics(
    ws: Workspace,
    seed: Seed,
    *,
    rng_seed: int = 0,
    model: str | None = None,
    created_by: str = "",
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> int:
    """Ask a model what a seed's columns mean, keep its proposal, and return how many columns it would change.

    Args:
        ws: The workspace.
        seed: The seed.
        rng_seed: Another number asks again.
        model: The model to ask; None: the one that the environment names.
        created_by: Who asked for it.
        on_event: Told of each request.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        ContentError: If the seed has no profile, or no answer could be used.
        ToolkitError: If the model cannot be asked.
    """
    settings, subject = ModelSettings.from_env(model), f"seed {seed.id}"
    with open_client(ws, settings, purpose="semantics", subject=subject, budget=budget, job_id=job_id) as client:
        statement, loop = _ask(ws, seed, client, rng_seed, on_event)
    keep_proposal(ws, seed, statement, provenance=loop.provenance(), created_by=created_by)
    return sum(len(table.columns) for table in proposed_change(ws, seed).tables)


def _ask(
    ws: Workspace, seed: Seed, client: ModelClient, rng_seed: int, on_event: OnEvent
) -> tuple[Statement, RepairLoop]:
    profile, known = seed_profile(seed), seed_semantics(ws, seed)
    book = PromptBook(ws.root)
    request = semantics_request(seed, known, book)
    loop = RepairLoop(client, "semantics", rng_seed, TOKENS, TEMPERATURE, on_event=on_event, book=book)
    return loop.ask(request, partial(assess_semantics, known=known, profile=profile)), loop


def semantics_request(seed: Seed, known: Semantics, book: PromptBook) -> PromptRequest:
    """Return what a model is asked about the meanings of a seed's columns.

    Raises:
        ContentError: If the seed has no profile, or a prompt of the workspace's own cannot be used.
    """
    return book.request(
        "semantics",
        {"profile": data_blocks(seed), "semantics": [block("statement", _shown(known))]},
        meanings="\n".join(f"- `{meaning.value}`: {words}" for meaning, words in MEANINGS_IN_WORDS.items()),
    )


def _shown(known: Semantics) -> str:
    """Return what is known as the model is asked to write it, without reasons and origins."""
    whole = whole_statement(known, origin=Origin.RULE)
    return statement_to_text(whole).rstrip("\n")


def assess_semantics(answer: Completion, *, known: Semantics, profile: Profile) -> Assessment[Statement]:
    """Read a proposal out of an answer, or say what the model should change.

    Columns of which something cannot be, such as a text that is called a measure, are left out of the value.
    """
    text = _yaml_in(answer.text)
    if not text:
        return Assessment(None, CUT_OFF if answer.cut_off else "there is no YAML block with 'tables:' in the answer")
    statement, faults = read_statement(text, profile=profile, origin=Origin.MODEL)
    statement = _as_model(statement)
    findings = check_semantics(with_statement(known, statement), profile)
    wrong = [finding for finding in findings if finding.severity is Severity.ERROR]
    bad = {(finding.file, finding.column) for finding in wrong}
    complaint = "\n".join([*faults, *(f"{one.file}: {one.what}; {one.fix}" for one in wrong)][:MAX_FAULTS])
    kept = tuple(
        replace(table, columns=tuple(column for column in table.columns if (table.file, column.name) not in bad))
        for table in statement.tables
    )
    if all(table.is_empty for table in kept) and complaint:
        return Assessment(None, CUT_OFF if answer.cut_off else complaint)
    return Assessment(Statement(kept), complaint, len(faults) + len(wrong))


def _yaml_in(answer: str) -> str:
    """Return the block, or the whole answer, that states something of tables."""
    text = without_thought(answer[:MAX_ANSWER_CHARS])
    blocks = [block for block in fenced_blocks(text) if "tables:" in block]
    return blocks[-1] if blocks else text if text.lstrip().startswith(("tables:", "version:")) else ""


def _as_model(statement: Statement) -> Statement:
    """Mark all columns as the model's, whatever it says of itself."""
    tables = (
        replace(one, columns=tuple(replace(column, origin=Origin.MODEL) for column in one.columns))
        for one in statement.tables
    )
    return Statement(tuple(tables))
