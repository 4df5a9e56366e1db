"""A draft by a model: what does not parse or does not run goes back to it with the evidence."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from authoring.drafting.draft_assessment import Assessor
from authoring.drafting.prompt_examples import ExampleStrategy, choose_examples
from authoring.drafting.seed_knowledge import column_names, notebook_section, profile_text
from authoring.progress import OnEvent
from authoring.prompting.language_rule import language_rule, other_languages
from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text
from authoring.prompting.prompts import PromptBook, guide_revision
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop
from authoring.store import Seed, Sketch, Workspace
from evaluator.language import VALIDATOR_SCHEMAS, parse_problemset
from evaluator.models import Completion, ModelClient
from evaluator.session import Engine

DRAFT_TOKENS: Final = 12_000
DRAFT_TEMPERATURE: Final = 0.2


@dataclass
class ModelDraft:
    """One draft on its way."""

    ws: Workspace
    seed: Seed
    sketch: Sketch
    name: str
    inputs: Path
    engine: Engine
    on_event: OnEvent
    examples: str = ExampleStrategy.ALL  # how they are chosen

    def write(self, client: ModelClient, rng_seed: int) -> tuple[str, dict[str, Any]]:
        """Return the DSEAL text and its provenance.

        Raises:
            UsageError: If there is no such way to choose examples.
            ContentError: If no answer could be used.
            ToolkitError: If the model cannot be asked or the engine cannot start.
        """
        points = [point for item in self.sketch.items for point in item.knowledge_points]
        chosen = choose_examples(self.ws, self.examples, seed=self.seed, points=points, rng_seed=rng_seed)
        book, guide = PromptBook(self.ws.root), guide_revision(self.ws)
        request = book.fill(
            "draft",
            language=language_text(book),
            guide=guide.text,
            profile=profile_text(self.seed),
            notebook=notebook_section(self.ws, self.seed),
            examples=chosen.section(),
            sketch=sketch_text(self.sketch),
            query_language=language_rule(book, self.sketch.language),
        )
        dialogue = RepairLoop(
            client,
            "draft",
            rng_seed,
            DRAFT_TOKENS,
            DRAFT_TEMPERATURE,
            on_event=self.on_event,
            book=book,
            guide_number=guide.number,
        )
        text = dialogue.ask(request, self.assess)
        return text, {**dialogue.provenance(), **chosen.provenance()}

    def assess(self, answer: Completion) -> Assessment[str]:
        """Parse a draft and execute it; what is wrong becomes the complaint."""
        try:
            text = read_problemset_text(answer.text)
        except UnreadableAnswerError as error:
            return Assessment(None, CUT_OFF if answer.cut_off else str(error))
        columns = column_names(self.seed)
        assessor = Assessor(self.name, self.inputs, self.engine, columns=columns, on_event=self.on_event)
        return self._with_language(assessor.assess(text, cut_off=answer.cut_off))

    def _with_language(self, assessed: Assessment[str]) -> Assessment[str]:
        """Add the complaint about queries in another language than the sketch's."""
        parsed = parse_problemset(assessed.value or "", name=self.name).problemset
        queries = [problem.query for problem in parsed.problems] if parsed else []
        foreign = other_languages(queries, self.sketch.language)
        if not foreign:
            return assessed
        complaint = "\n\n".join(filter(None, (foreign, assessed.complaint)))
        return replace(assessed, complaint=complaint, faults=assessed.faults + 1)


def language_text(book: PromptBook) -> str:
    """Return the part of a prompt that explains the file format."""
    scored = sorted(name for name, schema in VALIDATOR_SCHEMAS.items() if schema.scored)
    return book.fill("language", validators=", ".join(scored))


def sketch_text(sketch: Sketch) -> str:
    """Return a sketch as a model reads it."""
    lines = []
    for item in sketch.items:
        builds = f"; builds on {', '.join(map(str, item.depends_on))}" if item.depends_on else ""
        points = f"; knowledge points: {', '.join(item.knowledge_points)}" if item.knowledge_points else ""
        lines.append(f"{item.number}. {item.query_idea} ({item.difficulty or 'medium'}{builds}{points})")
    return "\n".join(lines)
