"""A draft by a model: what does not parse or does not run goes back to it with the evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.evidence_causes import complaint_of
from authoring.checks.dry_run.execution_evidence import FAILURE_WEIGHT, MAX_LISTED, evidence_in, faults_in
from authoring.drafting.example_strategy import ExampleStrategy
from authoring.drafting.prompt_examples import ChosenExamples, choose_examples
from authoring.drafting.seed_knowledge import column_names, data_blocks, notebook_block
from authoring.drafting.sketch_items import items_complaint, items_findings, left_out_items, without_item_tags
from authoring.progress import OnEvent, no_progress
from authoring.prompting.blocks import Block, block
from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text
from authoring.prompting.prompts import PromptBook, PromptRequest, guide_revision, language_rule, other_languages
from authoring.prompting.repair_loop import CUT_OFF, Assessment, RepairLoop
from authoring.prompting.validator_syntax import syntax_text
from authoring.seeds.meanings.stored import seed_semantics
from authoring.store.drafting.seeds import Seed
from authoring.store.drafting.sketches import Sketch
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import (
    LANGUAGE_VERSION,
    UNSTATED_VERSION,
    OwnValidators,
    Problemset,
    parse_problemset,
    render_problemset,
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
    language_version: int = UNSTATED_VERSION  # of a text that does not state it

    @property
    def path(self) -> Path:
        """Where diagnostics say that the text stands."""
        return Path(f"{self.name}.py")

    def read(self, text: str) -> tuple[Problemset | None, list[Diagnostic]]:
        """Parse a text and return its problemset and its errors."""
        problemset, diagnostics = parse_problemset(
            text,
            name=self.name,
            path=self.path,
            language_version=self.language_version,
            own_validators=self.own_validators,
        )
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
        complaint, faults = complaint_of(evidence, executed, problemset), faults_in(evidence)
        if cut_off:  # it may well have been meant to go on
            complaint, faults = f"{CUT_OFF}\n\n{complaint}".rstrip(), faults + 1
        findings = tuple(one.diagnostic(self.path) for one in evidence)
        return Assessment(render_problemset(problemset), complaint, faults, findings)


def _mostly_sound(problemset: Problemset, errors: list[Diagnostic]) -> bool:
    starts = [problem.line for problem in problemset.problems]
    broken = {sum(start <= error.line for start in starts) for error in errors}
    return 2 * len(broken) < len(starts)


def errors_text(errors: Sequence[Diagnostic], text: str) -> str:
    """Return the errors of a text as a model is told them, each kind of error once with all of its lines."""
    if not errors:
        return "there is no problem in the answer: no cell opens with a string that holds a `query`"
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for error in errors:
        groups.setdefault((error.code, error.what), []).append(error)
    lines = text.splitlines()
    listed = list(groups.values())
    shown = [f"- {_places(group, lines)}: {group[0].what}; fix: {group[0].fix}" for group in listed[:MAX_LISTED]]
    more = f"\n- and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return "The problemset has errors:\n" + "\n".join(shown) + more


def _places(errors: Sequence[Diagnostic], lines: Sequence[str]) -> str:
    first = errors[0].line
    source = lines[first - 1].strip()[:160] if 0 < first <= len(lines) else ""
    more = f", and the same on line {', '.join(str(error.line) for error in errors[1:])}" if len(errors) > 1 else ""
    return f"line {first} ({source!r}){more}"


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
        chosen, book, guide = self.chosen_examples(rng_seed), PromptBook(self.ws.root), guide_revision(self.ws)
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
        text = dialogue.ask(draft_request(self.ws, self.seed, self.sketch, chosen, book), self.assess)
        return text, {**dialogue.provenance(), **chosen.provenance()}

    def chosen_examples(self, rng_seed: int) -> ChosenExamples:
        """Return what the prompt shows of other sets."""
        points = [point for item in self.sketch.items for point in item.knowledge_points]
        return choose_examples(self.ws, self.examples, seed=self.seed, points=points, rng_seed=rng_seed)

    def assess(self, answer: Completion) -> Assessment[str]:
        """Parse a draft and execute it; what is wrong becomes the complaint."""
        try:
            text = read_problemset_text(answer.text)
        except UnreadableAnswerError as error:
            return Assessment(None, CUT_OFF if answer.cut_off else str(error))
        columns = column_names(self.seed)
        assessor = Assessor(
            self.name,
            self.inputs,
            self.engine,
            columns=columns,
            on_event=self.on_event,
            language_version=LANGUAGE_VERSION,
        )
        found = assessor.assess(without_item_tags(text, self.name), cut_off=answer.cut_off)
        return self._with_items(self._with_language(found), text)

    def _with_items(self, assessed: Assessment[str], tagged: str) -> Assessment[str]:
        """Add the complaint about items of the sketch that have no problem in the text as the model wrote it."""
        problemset = parse_problemset(tagged, name=self.name).problemset
        if problemset is None or not problemset.problems:
            return assessed
        items = self.sketch.items
        missing, complaint = left_out_items(items, problemset), items_complaint(items, problemset)
        if not complaint:
            return assessed
        few = len(items) - len(problemset.problems)
        return replace(
            assessed,
            complaint="\n\n".join(filter(None, (complaint, assessed.complaint))),
            faults=assessed.faults + FAILURE_WEIGHT * max(len(missing), few),
            findings=(*assessed.findings, *items_findings(items, problemset, Path(f"{self.name}.py"))),
        )

    def _with_language(self, assessed: Assessment[str]) -> Assessment[str]:
        """Add the complaint about queries in another language than the sketch's."""
        parsed = parse_problemset(assessed.value or "", name=self.name).problemset
        queries = [problem.query for problem in parsed.problems] if parsed else []
        foreign = other_languages(queries, self.sketch.language)
        if not foreign:
            return assessed
        complaint = "\n\n".join(filter(None, (foreign, assessed.complaint)))
        return replace(assessed, complaint=complaint, faults=assessed.faults + 1)


def draft_request(ws: Workspace, seed: Seed, sketch: Sketch, chosen: ChosenExamples, book: PromptBook) -> PromptRequest:
    """Return what a model is asked for a draft.

    Raises:
        ContentError: If the seed has no profile, or a prompt of the workspace's own cannot be used.
    """
    return book.request(
        "draft",
        {
            "language": [language_block(book)],
            "guide": [block("guide", guide_revision(ws).text)],
            "profile": data_blocks(seed, seed_semantics(ws, seed)),
            "notebook": [notebook_block(ws, seed)],
            "examples": chosen.blocks(whole=True),
            "sketch": [block("sketch", sketch_text(sketch))],
            "query_language": [language_rule(book, sketch.language)],
        },
    )


def language_block(book: PromptBook) -> Block:
    """Return the part of a prompt that explains the file format, with every validator and option."""
    return block("format", book.fill("language", validators=syntax_text()))


def sketch_text(sketch: Sketch) -> str:
    """Return a sketch as a model reads it."""
    lines = []
    for item in sketch.items:
        builds = f"; builds on {', '.join(map(str, item.depends_on))}" if item.depends_on else ""
        points = f"; knowledge points: {', '.join(item.knowledge_points)}" if item.knowledge_points else ""
        lines.append(f"{item.number}. {item.query_idea} ({item.difficulty or 'medium'}{builds}{points})")
    return "\n".join(lines)
