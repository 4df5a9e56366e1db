"""From a seed to a sketch: the list of problems that it can carry, by the template author or by a model."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple

from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.prompt_examples import ChosenExamples, choose_examples
from authoring.drafting.seed_knowledge import covered_block, covered_points, data_blocks, notebook_block, seed_profile
from authoring.languages import Language, find_language
from authoring.progress import OnEvent, PipelineEvent, no_progress
from authoring.prompting.blocks import block
from authoring.prompting.model_answers import UnreadableAnswerError, read_sketch, sketch_schema
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision, language_rule, other_languages
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop, open_client
from authoring.prompting.sketch_fields import LEVELS
from authoring.seeds.meanings import seed_semantics
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.drafting.sketches import SketchItem, insert_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.models import AnswerSchema, Budget, BudgetLimits, Completion, ModelClient, ModelSettings


class Author(StrEnum):
    """The two authors: tasks from templates, with no model at all, or a language model."""

    TEMPLATE = "template"
    MODEL = "model"


def find_author(name: str) -> Author:
    """Return the author called `name`.

    Raises:
        UsageError: If there is none.
    """
    try:
        return Author(name)
    except ValueError:
        raise UsageError(f"there is no author {name!r}", fix=f"use one of {', '.join(Author)}") from None


MAX_PROBLEMS: Final = 40
WORTH_ASKING: Final = 10  # a sketch of fewer items is judged by other things first


@dataclass(frozen=True)
class DifficultyMix:
    """Counts of problems by difficulty."""

    easy: int = 3
    medium: int = 6
    hard: int = 4

    def __str__(self) -> str:
        """Return the mix as a model reads it."""
        return ", ".join(f"{getattr(self, level)} {level}" for level in LEVELS)

    def to_json(self) -> dict[str, int]:
        """Return the counts as plain JSON values."""
        return {level: int(getattr(self, level)) for level in LEVELS}

    def missing(self, items: Sequence[SketchItem]) -> tuple[str, ...]:
        """Return the levels that were asked for and have no item; a short sketch is not asked about it."""
        counts = Counter(item.difficulty for item in items)
        if len(items) < WORTH_ASKING:
            return ()
        return tuple(level for level in LEVELS if getattr(self, level) > 0 and not counts[level])


def read_mix(text: str) -> DifficultyMix:
    """Return the mix that `easy=3,medium=6,hard=4` says; a level that is left out is asked for 0 times.

    Raises:
        UsageError: If it says something else, nothing, or too much.
    """
    counts: dict[str, int] = {}
    for part in text.split(","):
        level, _, number = (piece.strip() for piece in part.partition("="))
        if level not in LEVELS or level in counts or not (number.isascii() and number.isdigit() and len(number) < 4):
            what = f"{part.strip()!r} is no part of a mix of difficulties"
            raise UsageError(what, where="--mix", fix="write it as easy=3,medium=6,hard=4")
        counts[level] = int(number)
    if not 1 <= sum(counts.values()) <= MAX_PROBLEMS:
        what = f"the mix asks for {sum(counts.values())} problems"
        raise UsageError(what, where="--mix", fix=f"ask for 1 to {MAX_PROBLEMS}")
    return DifficultyMix(**{level: counts.get(level, 0) for level in LEVELS})


SKETCH_TOKENS: Final = 4_000
SKETCH_TEMPERATURE: Final = 0.4
SKETCH_SCHEMA: Final = AnswerSchema("sketch", sketch_schema())


class WrittenSketch(NamedTuple):
    """Items and how they came about."""

    items: tuple[SketchItem, ...]
    provenance: dict[str, Any]


def make_sketch(
    ws: Workspace,
    seed_ref: str | int,
    *,
    author: str = Author.TEMPLATE,
    rng_seed: int = 0,
    model: str | None = None,
    created_by: str = "",
    name: str | None = None,
    avoid: Collection[str] = (),
    examples: str = ExampleStrategy.ALL,
    mix: DifficultyMix | None = None,
    difficulty: str = "mix",
    language: str = Language.ENGLISH,
    on_event: OnEvent = no_progress,
    budget: BudgetLimits | Budget | None = None,
    job_id: int | None = None,
) -> int:
    """Sketch a problemset for a seed, store the sketch and return its id.

    Args:
        ws: The workspace.
        seed_ref: Name or id of the seed.
        author: `template` or `model`.
        rng_seed: Another number gives another sketch.
        model: The model to ask; None: the one that the environment names.
        created_by: Who asked for it.
        name: What the sketch is called; None: after the seed, numbered.
        avoid: Identities of problems that the template author must not choose (`sketch_identities` of other sketches).
        examples: How the accepted sets that a model is shown are chosen: `none`, `all`, `random` or `nearest`.
        mix: How many problems of which difficulty a model is asked for; None: the default mix.
        difficulty: Which measured difficulty the template author favours: `easy`, `medium`, `hard`, or a `mix` of all.
        language: What the queries are written in: `en` or `zh`; drafts of the sketch follow it.
        on_event: Told of each step.
        budget: What the model may cost.
        job_id: The job that this is done for.

    Raises:
        BudgetSpentError: If the budget ends before there is a sketch.
        UsageError: If there is no such seed, author, difficulty, language or way to choose examples.
        ContentError: If the data carries no problemset, or no answer of the model could be used.
        ToolkitError: If the model cannot be asked.
    """
    seed, tongue = find_seed(ws, seed_ref), find_language(language)
    if find_author(author) is Author.MODEL:
        chosen = choose_examples(ws, examples, seed=seed, rng_seed=rng_seed)
        request = SketchRequest(ws, seed, chosen, mix or DifficultyMix(), rng_seed, tongue)
        settings, subject = ModelSettings.from_env(model), f"seed {seed.id}"
        with open_client(ws, settings, purpose="sketch", subject=subject, budget=budget, job_id=job_id) as client:
            written = request.ask(client, on_event)
    else:
        written = _by_template(ws, seed, rng_seed, avoid, difficulty, tongue, on_event)
    return insert_sketch(
        ws,
        seed_id=seed.id,
        author=str(author),
        rng_seed=rng_seed,
        items=written.items,
        provenance={**written.provenance, "language": tongue.value},
        name=name,
        created_by=created_by,
        language=tongue,
    )


def _by_template(
    ws: Workspace,
    seed: Seed,
    rng_seed: int,
    avoid: Collection[str],
    difficulty: str,
    language: Language,
    on_event: OnEvent,
) -> WrittenSketch:
    from authoring.templates import check_wish, sketch_from_profile

    wish = check_wish(difficulty)
    on_event(PipelineEvent(0, 1, "planning an analysis"))
    profile, covered = seed_profile(seed), covered_points(ws)
    items = sketch_from_profile(
        profile,
        rng_seed=rng_seed,
        semantics=seed_semantics(ws, seed),
        covered=covered,
        avoid=avoid,
        difficulty=wish,
        language=language,
    )
    on_event(PipelineEvent(1, 1, f"{len(items)} problems sketched"))
    provenance = {
        "author": "template",
        "params": {"rng_seed": rng_seed, "difficulty": wish},
        "guide_revision": guide_revision(ws).number,  # not read, but effects are compared by it
    }
    return WrittenSketch(tuple(items), provenance)


@dataclass(frozen=True)
class SketchRequest:
    """What a model is asked for."""

    ws: Workspace
    seed: Seed
    examples: ChosenExamples
    mix: DifficultyMix
    rng_seed: int
    language: Language = Language.ENGLISH

    def ask(self, client: ModelClient, on_event: OnEvent) -> WrittenSketch:
        """Return the model's sketch.

        Raises:
            ContentError: If no answer could be used.
            ToolkitError: If the model cannot be asked.
        """
        book, guide = PromptBook(self.ws.root), guide_revision(self.ws)
        dialogue = RepairLoop(
            client,
            "sketch",
            self.rng_seed,
            SKETCH_TOKENS,
            SKETCH_TEMPERATURE,
            on_event=on_event,
            book=book,
            guide_number=guide.number,
            schema=SKETCH_SCHEMA,
        )
        items = dialogue.ask(self.prompt(book), partial(assess_sketch, mix=self.mix, language=self.language))
        shown = self.examples.provenance()
        return WrittenSketch(items, {**dialogue.provenance(), **shown, "mix": self.mix.to_json()})

    def prompt(self, book: PromptBook) -> PromptRequest:
        """Return what the model is asked.

        Raises:
            ContentError: If the seed has no profile, or a prompt of the workspace's own cannot be used.
        """
        return book.request(
            "sketch",
            {
                "guide": [block("guide", guide_revision(self.ws).text)],
                "profile": data_blocks(self.seed, seed_semantics(self.ws, self.seed)),
                "notebook": [notebook_block(self.ws, self.seed)],
                "examples": self.examples.blocks(whole=False),
                "covered": [covered_block(covered_points(self.ws))],
                "query_language": [language_rule(book, self.language)],
            },
            mix=str(self.mix),
        )


def assess_sketch(
    answer: Completion, mix: DifficultyMix, language: Language = Language.ENGLISH
) -> Assessment[tuple[SketchItem, ...]]:
    """Read a sketch out of an answer, or say what the model should change."""
    try:
        items = read_sketch(answer.text)
    except UnreadableAnswerError as error:
        return Assessment(None, CUT_OFF if answer.cut_off else str(error))
    missing, thread = mix.missing(items), thread_complaint(items)
    lacking = f"no item is {' or '.join(missing)}; asked for were {mix}" if missing else ""
    foreign = other_languages([item.query_idea for item in items], language)
    complaint = "\n".join(filter(None, (lacking, thread, foreign)))
    return Assessment(items, complaint, len(missing) + bool(thread) + bool(foreign))


def thread_complaint(items: Sequence[SketchItem]) -> str:
    """Return what a model is told of a sketch whose items hardly use each other's results; empty for a short one.

    An item uses a result when it builds on one that itself builds on another: loading a file gives no result yet.
    """
    order: dict[int, int] = {}  # number of the item -> how many steps it lies above what is loaded
    for item in items:
        order[item.number] = max((order.get(number, 0) + 1 for number in item.depends_on), default=0)
    using, second = (sum(steps >= least for steps in order.values()) for least in (2, 3))
    if len(items) < WORTH_ASKING or (2 * using >= len(items) and 4 * second >= len(items)):
        return ""
    return (
        f"the items hardly build on each other: {using} of {len(items)} use a result of an earlier one and {second} one"
        " that rests on a result itself. At least half and a quarter are asked for; `depends_on` must say so"
    )
