"""A draft by a model: what does not parse or does not run goes back to it with the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.execution_evidence import MAX_LISTED, complaint_of, evidence_in
from authoring.drafting.prompt_examples import ExampleStrategy, choose_examples
from authoring.drafting.seed_knowledge import column_names, notebook_section, profile_text
from authoring.progress import OnEvent, no_progress
from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text
from authoring.prompting.prompts import PromptBook, guide_revision, language_rule, other_languages
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop
from authoring.store.drafting.seeds import Seed
from authoring.store.drafting.sketches import Sketch
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import (
    VALIDATOR_SCHEMAS,
    OwnValidators,
    Problemset,
    parse_problemset,
    render_problemset,
    support_diagnostics,
)
from evaluator.models import Completion, ModelClient
from evaluator.session import Engine

BROKEN: Final = 1_000  # faults of a text with errors: any text that can be executed is better


@dataclass(frozen=True)
class Assessor:
    """Where and how the drafts of one problemset are judged."""

    name: str
    inputs: Path
    engine: Engine
    columns: tuple[str, ...] = ()  # of the data
    own_validators: OwnValidators | None = None
    on_event: OnEvent = no_progress

    @property
    def path(self) -> Path:
        """Where diagnostics say that the text stands."""
        return Path(f"{self.name}.py")

    def read(self, text: str) -> tuple[Problemset | None, list[Diagnostic]]:
        """Parse a text and return its problemset and its errors."""
        parsed = parse_problemset(text, name=self.name, path=self.path, own_validators=self.own_validators)
        problemset, diagnostics = parsed
        if problemset is not None:
            diagnostics += support_diagnostics(problemset, self.path)
        return problemset, [d for d in diagnostics if d.severity is Severity.ERROR]

    def assess(self, text: str, *, cut_off: bool = False) -> Assessment[str]:
        """Parse a text and execute it; what is wrong becomes the complaint.

        A text with errors can still be used when most of its problems are sound: a person repairs the others.

        Raises:
            ToolkitError: If the engine cannot start or fails.
        """
        problemset, errors = self.read(text)
        if problemset is None or errors or not problemset.problems:
            cut = f"{CUT_OFF}\n\n" if cut_off else ""
            complaint = cut + errors_text(errors, text)
            usable = problemset is not None and not cut_off and _mostly_sound(problemset, errors)
            return Assessment(text if usable else None, complaint, BROKEN + len(errors), tuple(errors))
        executed = execute_cells(self.engine, problemset, self.inputs, on_event=self.on_event)
        executed.refuse_engine_faults()
        evidence = evidence_in(executed, problemset, self.columns)
        complaint, faults = complaint_of(evidence), len(evidence)
        if cut_off:  # it may well have been meant to go on
            complaint, faults = f"{CUT_OFF}\n\n{complaint}".rstrip(), faults + 1
        findings = tuple(one.diagnostic(self.path) for one in evidence)
        return Assessment(render_problemset(problemset), complaint, faults, findings)


def _mostly_sound(problemset: Problemset, errors: list[Diagnostic]) -> bool:
    starts = [problem.line for problem in problemset.problems]
    broken = {sum(start <= error.line for start in starts) for error in errors}
    return 2 * len(broken) < len(starts)


def errors_text(errors: Sequence[Diagnostic], text: str) -> str:
    """Return the errors of a text as a model is told them."""
    if not errors:
        return "there is no problem in the answer: no cell opens with a string that holds a `query`"
    lines = text.splitlines()
    shown = []
    for error in errors[:MAX_LISTED]:
        source = lines[error.line - 1].strip()[:160] if 0 < error.line <= len(lines) else ""
        shown.append(f"- line {error.line} ({source!r}): {error.what}; fix: {error.fix}")
    more = f"\n- and {len(errors) - MAX_LISTED} more" if len(errors) > MAX_LISTED else ""
    return "The problemset has errors:\n" + "\n".join(shown) + more


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
