"""From a seed to a sketch: the list of problems that it can carry, by the template author or by a model."""

from typing import Any, Final, NamedTuple

from authoring.pipeline.answers import UnreadableAnswerError, read_sketch
from authoring.pipeline.authors import Author, find_author
from authoring.pipeline.dialogue import CUT_OFF, Assessment, Dialogue, open_client
from authoring.pipeline.knowledge import (
    accepted_examples,
    covered_points,
    covered_section,
    examples_section,
    notebook_section,
    profile_text,
    seed_profile,
)
from authoring.pipeline.progress import OnEvent, PipelineEvent, unheard
from authoring.pipeline.prompts import fill, prompt_text
from authoring.store import Seed, SketchItem, Workspace, find_seed, insert_sketch
from evaluator.models import Completion, ModelSettings

SKETCH_TOKENS: Final = 4_000
SKETCH_TEMPERATURE: Final = 0.4


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
    on_event: OnEvent = unheard,
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
        on_event: Told of each step.

    Raises:
        UsageError: If there is no such seed.
        ContentError: If the data carries no problemset, or no answer of the model could be used.
        ToolkitError: If the model cannot be asked.
    """
    seed = find_seed(ws, seed_ref)
    if find_author(author) is Author.MODEL:
        written = _by_model(ws, seed, ModelSettings.from_env(model), rng_seed, on_event)
    else:
        written = _by_template(ws, seed, rng_seed, on_event)
    return insert_sketch(
        ws,
        seed_id=seed.id,
        author=str(author),
        rng_seed=rng_seed,
        items=written.items,
        provenance=written.provenance,
        name=name,
        created_by=created_by,
    )


def _by_template(ws: Workspace, seed: Seed, rng_seed: int, on_event: OnEvent) -> WrittenSketch:
    from authoring.templates import sketch_from_profile

    on_event(PipelineEvent(0, 1, "choosing task families"))
    items = sketch_from_profile(seed_profile(seed), rng_seed=rng_seed, covered=covered_points(ws))
    on_event(PipelineEvent(1, 1, f"{len(items)} problems sketched"))
    return WrittenSketch(tuple(items), {"author": "template", "params": {"rng_seed": rng_seed}})


def _by_model(ws: Workspace, seed: Seed, settings: ModelSettings, rng_seed: int, on_event: OnEvent) -> WrittenSketch:
    examples = accepted_examples(ws)
    request = fill(
        "sketch",
        guide=prompt_text("guide"),
        profile=profile_text(seed),
        notebook=notebook_section(ws, seed),
        examples=examples_section(examples),
        covered=covered_section(covered_points(ws)),
    )
    with open_client(ws, settings, purpose="sketch", subject=f"seed {seed.id}") as client:
        dialogue = Dialogue(client, "sketch", rng_seed, SKETCH_TOKENS, SKETCH_TEMPERATURE, on_event=on_event)
        items = dialogue.ask(request, assess_sketch)
    return WrittenSketch(items, {**dialogue.provenance(), "examples": [example.revision_id for example in examples]})


def assess_sketch(answer: Completion) -> Assessment[tuple[SketchItem, ...]]:
    """Read a sketch out of an answer, or say what the model should change."""
    try:
        return Assessment(read_sketch(answer.text))
    except UnreadableAnswerError as error:
        return Assessment(None, CUT_OFF if answer.cut_off else str(error))
