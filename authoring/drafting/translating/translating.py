"""Translates the queries of a problemset by a model, and checks that nothing but the language changes."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from authoring.drafting.translating.texts import NAMES, Text, is_in, numbered, wrong_with
from authoring.languages import Language
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import block
from authoring.prompting.model_answers import UnreadableAnswerError, read_rows
from authoring.prompting.prompts import PromptBook, PromptRequest
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.families.cibench import FAMILY
from evaluator.families.cibench.problemset import PAIR, family_of
from evaluator.language import Problem, Problemset, names_read_and_written
from evaluator.language.document import Document
from evaluator.models import Budget, BudgetLimits, Completion, ModelClient, ModelSettings

TOKENS: Final = 8_000
TEMPERATURE: Final = 0.2
BATCH_CHARS: Final = 6_000  # of texts in one request
BATCH: Final = 12  # texts in one request
ENGLISH_RULE: Final = "Write natural English, as a colleague would ask, not as a translation."
THOUGHT: Final = "thought"  # the key of a CIBench step for what its author says beside the code


@dataclass(frozen=True)
class TranslatedSet:
    """A problemset in another language."""

    document: Document
    texts: int  # that were translated (count)
    provenance: dict[str, Any] = field(default_factory=dict)


def translate_set(
    ws: Workspace,
    document: Document,
    language: Language,
    *,
    pair_name: str = "",
    rng_seed: int = 0,
    model: str | None = None,
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> TranslatedSet:
    """Return a problemset with all queries, and thoughts of CIBench's steps, in another language.

    Code, validators and ids stay. Each problem names its original, as `family: {pair: SET/NUMBER}`.

    Args:
        ws: The workspace, which keeps prompts and the model's answers.
        document: The problemset.
        language: To translate into.
        pair_name: What the original is called; empty: as the document.
        rng_seed: Another number asks anew.
        model: The model to ask; None: the one that the environment names.
        on_event: Told of each request.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        BudgetSpentError: If the budget ends before all is translated.
        ContentError: If the set has errors, is in that language already, or a text could not be translated.
        ToolkitError: If the model cannot be asked.
    """
    problemset = document.require_valid()
    texts = texts_of(problemset)
    if not texts or all(is_in(text.source, language) for text in texts):
        what = f"{problemset.name!r} is in {NAMES[language]} already" if texts else f"{problemset.name!r} asks nothing"
        raise ContentError(what, where=problemset.name, fix="choose the other language, or another problemset")
    settings, subject = ModelSettings.from_env(model), f"set {problemset.name}"
    with open_client(ws, settings, purpose="translate", subject=subject, budget=budget, job_id=job_id) as client:
        found, provenance = _ask_all(PromptBook(ws.root), texts, language, client, rng_seed, on_event)
    made = _with_texts(document, problemset, texts, found, language, pair_name or problemset.name)
    return TranslatedSet(
        made, len(found), {**provenance, "language": language.value, "translation_of": problemset.name}
    )


def texts_of(problemset: Problemset) -> tuple[Text, ...]:
    """Return the texts of a problemset that users and agents read, in order."""
    texts: list[Text] = []
    for number, problem in enumerate(problemset.problems, 1):
        names = names_read_and_written(problem.code)
        kept = tuple(sorted(name for name in names.writes if _is_no_word(name)))
        texts.append(Text(len(texts) + 1, f"problem {number}", problem.query, kept))
        thought = family_of(problem).get(THOUGHT)
        if isinstance(thought, str) and thought.strip():
            texts.append(Text(len(texts) + 1, f"thought of problem {number}", thought, kept))
    return tuple(texts)


def _is_no_word(name: str) -> bool:
    """Return whether a name can be no English word: one letter, or a sign that words do not have."""
    return not name.isalpha() or (len(name) == 1 and name not in "aAI")


def _batches(texts: Sequence[Text]) -> list[list[Text]]:
    batches: list[list[Text]] = []
    size = 0
    for text in texts:
        if not batches or len(batches[-1]) >= BATCH or size + len(text.source) > BATCH_CHARS:
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text.source)
    return batches


def _ask_all(
    book: PromptBook, texts: Sequence[Text], language: Language, client: ModelClient, rng_seed: int, on_event: OnEvent
) -> tuple[dict[int, str], dict[str, Any]]:
    """Return the translations by number, and how they came about."""
    found: dict[int, str] = {}
    provenance: dict[str, Any] = {}
    for batch in _batches(texts):
        loop = RepairLoop(client, "translation", rng_seed, TOKENS, TEMPERATURE, on_event=on_event, book=book)
        done: dict[int, str] = {}  # what is right stays, whatever the next answer says
        loop.ask(translate_request(book, batch, language), partial(_assess, batch=batch, language=language, done=done))
        lacking = [text.place for text in batch if text.number not in done]
        if lacking:
            what = f"the model did not translate {', '.join(lacking[:5])}: {loop.left_over[:600]}"
            raise ContentError(what, where=client.settings.model, fix="repeat with another --rng-seed or --model")
        found |= done
        provenance = _added(provenance, loop.provenance())
    return found, provenance


def _added(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of several requests as one: counts and costs are added up."""
    counts = ("requests", "repairs", "prompt_tokens", "completion_tokens", "seconds", "recalled", "cost")
    sums = {key: round(before.get(key, 0) + more[key], 6) for key in counts if key in more}
    return {**more, **sums}


def translate_request(book: PromptBook, texts: Sequence[Text], language: Language) -> PromptRequest:
    """Return what a model is asked for some texts."""
    rule = ENGLISH_RULE if language is Language.ENGLISH else book.text(f"queries_{language.value}")
    shown = block("texts", numbered(texts))
    return book.request("translate", {"texts": [shown]}, language=NAMES[language], rule=rule)


def _assess(
    answer: Completion, *, batch: Sequence[Text], language: Language, done: dict[int, str]
) -> Assessment[dict[int, str]]:
    try:
        rows = read_rows(answer.text)
    except UnreadableAnswerError as error:
        return Assessment(done or None, CUT_OFF if answer.cut_off else str(error), len(batch) - len(done))
    given = {
        row["number"]: row["text"] for row in rows if isinstance(row.get("text"), str) and _is_number(row.get("number"))
    }
    faults = []
    for text in batch:
        if text.number in done:
            continue
        translated = given.get(text.number)
        wrong = "it is missing" if translated is None else wrong_with(text, translated, language)
        if translated is not None and not wrong:
            done[text.number] = translated.strip()
        else:
            faults.append(f"- text {text.number}: {wrong}")
    return Assessment(done or None, "\n".join(faults), len(faults))


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _with_texts(
    document: Document,
    problemset: Problemset,
    texts: Sequence[Text],
    found: Mapping[int, str],
    language: Language,
    pair_name: str,
) -> Document:
    by_place = {text.place: found[text.number] for text in texts}
    cells: dict[str, Problem] = {}
    for number, (cell, problem) in enumerate(zip(document.problems, problemset.problems, strict=True), 1):
        query = by_place[f"problem {number}"]
        thought = by_place.get(f"thought of problem {number}")
        metadata = _metadata(problem, language, f"{pair_name}/{number}", thought)
        cells[cell.key] = replace(problem, query=f"{query}\n", metadata=metadata, raw=None)
    made = document.put(cells)
    same = [
        before.code == after.code
        for before, after in zip(problemset.problems, made.require_valid().problems, strict=True)
    ]
    assert all(same), "a translation changes no code"
    return made


def _metadata(problem: Problem, language: Language, pair: str, thought: str | None) -> dict[str, Any]:
    metadata = deepcopy(dict(problem.metadata))
    written = metadata.get("family")
    family = dict(written) if isinstance(written, Mapping) else {}
    if thought is not None:
        family[FAMILY] = {**family_of(problem), THOUGHT: thought}
    metadata["family"] = {PAIR: pair, **{key: value for key, value in family.items() if key != PAIR}}
    tags = metadata.get("tags")
    kept = [tag for tag in ([tags] if isinstance(tags, str) else list(tags or [])) if tag not in {*Language}]
    if language is not Language.ENGLISH:
        kept.append(language.value)
    metadata.pop("tags", None)
    return {**metadata, **({"tags": kept} if kept else {})}
