"""What a model would be asked, without asking it; and how large prompts are."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.guide.amendment_proposals import MAX_COMMENTS, amend_request
from authoring.drafting.model_draft import draft_request
from authoring.drafting.prompt_examples import choose_examples
from authoring.drafting.seed_knowledge import seed_profile
from authoring.drafting.sketching import DifficultyMix, SketchRequest
from authoring.languages import Language
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision
from authoring.prompting.tokens import estimate_tokens
from authoring.store import model_calls
from authoring.store.drafting.guide import comments_for_guide
from authoring.store.drafting.seeds import Seed, find_seed, list_seeds
from authoring.store.drafting.sketches import Sketch, find_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError

TOKENS_PER_MESSAGE: Final = 4  # that a message costs beside its text


def sketch_preview(
    ws: Workspace,
    seed_ref: str | int,
    *,
    rng_seed: int = 0,
    examples: str = ExampleStrategy.ALL,
    mix: DifficultyMix | None = None,
    language: Language = Language.ENGLISH,
) -> PromptRequest:
    """Return what a model would be asked for a sketch.

    Raises:
        UsageError: If there is no such seed or way to choose examples.
        ContentError: If the seed has no profile, or a prompt of the workspace's own cannot be used.
    """
    seed = find_seed(ws, seed_ref)
    chosen = choose_examples(ws, examples, seed=seed, rng_seed=rng_seed)
    request = SketchRequest(ws, seed, chosen, mix or DifficultyMix(), rng_seed, language)
    return request.prompt(PromptBook(ws.root))


def draft_preview(
    ws: Workspace, sketch_ref: str | int, *, rng_seed: int | None = None, examples: str = ExampleStrategy.ALL
) -> PromptRequest:
    """Return what a model would be asked for a draft of a sketch.

    Raises:
        UsageError: If there is no such sketch or way to choose examples.
        ContentError: If the seed has no profile, or a prompt of the workspace's own cannot be used.
    """
    sketch = find_sketch(ws, sketch_ref)
    return _draft(ws, find_seed(ws, sketch.seed_id), sketch, examples, rng_seed)


def amend_preview(ws: Workspace, *, all_times: bool = False) -> PromptRequest:
    """Return what a model would be asked for amendments of the guide.

    Raises:
        ContentError: If a prompt of the workspace's own cannot be used.
    """
    comments = comments_for_guide(ws, all_times=all_times)[-MAX_COMMENTS:]
    return amend_request(ws, guide_revision(ws), comments, PromptBook(ws.root))


@dataclass(frozen=True)
class PromptSize:
    """How large one prompt of a seed is."""

    seed: str
    request: PromptRequest

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"seed": self.seed, "prompt": self.request.name, **self.request.to_json()}


@dataclass(frozen=True)
class EstimateCheck:
    """How the estimate compares with what endpoints counted."""

    calls: int  # with a reported number of prompt tokens (count)
    ratios: tuple[float, ...]  # estimated / reported, sorted

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; without calls there are no ratios."""
        known = {"least": self.ratios[0], "median": median(self.ratios), "most": self.ratios[-1]} if self.ratios else {}
        return {"calls": self.calls, **{name: round(ratio, 3) for name, ratio in known.items()}}


def measure_prompts(ws: Workspace) -> tuple[PromptSize, ...]:
    """Return the size of the prompts for a sketch and for a draft of it, for each seed with a table.

    The sketch is one by the template author, as it would be made for the seed; nothing is stored.
    """
    sizes = []
    for seed in list_seeds(ws):
        sizes.append(PromptSize(seed.name, sketch_preview(ws, seed.id)))
        sketch = _typical_sketch(seed)
        if sketch is not None:
            sizes.append(PromptSize(seed.name, _draft(ws, seed, sketch, ExampleStrategy.ALL, None)))
    return tuple(sizes)


def check_estimates(ws: Workspace) -> EstimateCheck:
    """Compare the estimate with the prompt tokens that endpoints reported for the calls of a workspace."""
    ratios = []
    for call in model_calls.select(ws):
        if call.prompt_tokens > 0:
            estimated = sum(TOKENS_PER_MESSAGE + estimate_tokens(message["content"]) for message in call.messages)
            ratios.append(estimated / call.prompt_tokens)
    return EstimateCheck(len(ratios), tuple(sorted(ratios)))


def sizes_text(sizes: Sequence[PromptSize]) -> str:
    """Return sizes as a table for people: a row for each prompt, a column for each block that occurs."""
    names = list(dict.fromkeys(block.name for size in sizes for block in size.request.blocks if block.text))
    rows = [["seed", "prompt", "tokens", *names]]
    for size in sizes:
        blocks = {block.name: block for block in size.request.blocks if block.text}
        shown = [f"{blocks[n].tokens:,}{'*' if blocks[n].is_cut else ''}" if n in blocks else "-" for n in names]
        rows.append([size.seed, size.request.name, f"{size.request.tokens:,}", *shown])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "* cut at its budget"] if any("*" in line for line in lines) else lines)


def _draft(ws: Workspace, seed: Seed, sketch: Sketch, examples: str, rng_seed: int | None) -> PromptRequest:
    points = [point for item in sketch.items for point in item.knowledge_points]
    number = sketch.rng_seed if rng_seed is None else rng_seed
    chosen = choose_examples(ws, examples, seed=seed, points=points, rng_seed=number)
    return draft_request(ws, seed, sketch, chosen, PromptBook(ws.root))


def _typical_sketch(seed: Seed) -> Sketch | None:
    """Return what the template author would sketch; None where the data carry nothing for it."""
    from authoring.templates import sketch_from_profile

    try:
        items = tuple(sketch_from_profile(seed_profile(seed), rng_seed=0))
    except ContentError:
        return None
    return Sketch(0, seed.name, seed.id, "template", 0, items, {}, "")
