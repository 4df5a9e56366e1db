"""A draft by a model: what does not parse or does not run goes back to it with the evidence."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from authoring.pipeline.answers import UnreadableAnswerError, read_problemset_text
from authoring.pipeline.dialogue import CUT_OFF, Assessment, Dialogue, open_client
from authoring.pipeline.execution import ExecutedCell, execute_cells
from authoring.pipeline.knowledge import (
    accepted_examples,
    examples_section,
    notebook_section,
    profile_text,
)
from authoring.pipeline.progress import OnEvent
from authoring.pipeline.prompts import clipped, fill, prompt_text
from authoring.store import Seed, Sketch, Workspace
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import (
    VALIDATOR_SCHEMAS,
    Problemset,
    parse_problemset,
    render_problemset,
    support_diagnostics,
)
from evaluator.models import Completion, ModelSettings
from evaluator.scoring import Verdict
from evaluator.session import Ending, Engine

DRAFT_TOKENS: Final = 12_000
DRAFT_TEMPERATURE: Final = 0.2
MAX_LISTED: Final = 12  # diagnostics or failing problems in one complaint
MAX_EVIDENCE_CHARS: Final = 700  # of one failing problem


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

    def write(self, settings: ModelSettings, rng_seed: int) -> tuple[str, dict[str, Any]]:
        """Return the DSEAL text and its provenance.

        Raises:
            ContentError: If no answer could be used.
            ToolkitError: If the model cannot be asked or the engine cannot start.
        """
        examples = accepted_examples(self.ws)
        request = fill(
            "draft",
            language=fill("language", validators=", ".join(_scored_validators())),
            guide=prompt_text("guide"),
            profile=profile_text(self.seed),
            notebook=notebook_section(self.ws, self.seed),
            examples=examples_section(examples),
            sketch=sketch_text(self.sketch),
        )
        with open_client(self.ws, settings, purpose="draft", subject=f"sketch {self.sketch.id}") as client:
            dialogue = Dialogue(client, "draft", rng_seed, DRAFT_TOKENS, DRAFT_TEMPERATURE, on_event=self.on_event)
            text = dialogue.ask(request, self.assess)
        return text, {**dialogue.provenance(), "examples": [example.revision_id for example in examples]}

    def assess(self, answer: Completion) -> Assessment[str]:
        """Parse a draft and execute it; what is wrong becomes the complaint."""
        try:
            text = read_problemset_text(answer.text)
        except UnreadableAnswerError as error:
            return Assessment(None, CUT_OFF if answer.cut_off else str(error))
        path = Path(f"{self.name}.py")
        problemset, diagnostics = parse_problemset(text, name=self.name, path=path)
        if problemset is not None:
            diagnostics += support_diagnostics(problemset, path)
        errors = [d for d in diagnostics if d.severity is Severity.ERROR]
        if problemset is None or errors:
            cut = f"{CUT_OFF}\n\n" if answer.cut_off else ""
            return Assessment(None, cut + _diagnostics_text(errors, text))
        return self._executed(problemset)

    def _executed(self, problemset: Problemset) -> Assessment[str]:
        executed = execute_cells(self.engine, problemset, self.inputs, on_event=self.on_event)
        executed.refuse_engine_faults()
        evidence = [found for cell in executed.cells if (found := evidence_against(cell))]
        return Assessment(render_problemset(problemset), _evidence_text(evidence), len(evidence))


def sketch_text(sketch: Sketch) -> str:
    """Return a sketch as a model reads it."""
    lines = []
    for item in sketch.items:
        builds = f"; builds on {', '.join(map(str, item.depends_on))}" if item.depends_on else ""
        points = f"; knowledge points: {', '.join(item.knowledge_points)}" if item.knowledge_points else ""
        lines.append(f"{item.number}. {item.query_idea} ({item.difficulty or 'medium'}{builds}{points})")
    return "\n".join(lines)


def evidence_against(cell: ExecutedCell) -> str:
    """Return why an executed cell cannot stay as it is; empty when it can."""
    who = f"Problem {cell.problem}" if cell.problem else f"The setup cell on line {cell.line}"
    if cell.failed:
        said = cell.outcome.error.traceback if cell.outcome.error else cell.outcome.ending.value
        if cell.outcome.ending is Ending.ENGINE_ERROR:
            return ""  # it was never executed: an earlier cell ended the session
        introduction = f"{who}: the code fails:\n"  # the end of a traceback says what went wrong
        return f"{introduction}{said.rstrip()[len(introduction) - MAX_EVIDENCE_CHARS :]}"
    if cell.reference is not None and cell.reference.verdict is not Verdict.CORRECT:
        verdict, reason = cell.reference.verdict.value, cell.reference.reason
        advice = "give it one possible answer, or more time" if verdict != "NOT_JUDGED" else "repair its validators"
        return f"{who}: the reference, run again, does not pass its own validators ({verdict}: {reason}); {advice}"
    if cell.empty is not None and cell.empty.verdict is Verdict.CORRECT:
        return f"{who}: an empty answer passes; let the last expression be the answer, or compare a variable"
    return ""


def _scored_validators() -> list[str]:
    return sorted(name for name, schema in VALIDATOR_SCHEMAS.items() if schema.scored)


def _diagnostics_text(errors: list[Diagnostic], text: str) -> str:
    lines = text.splitlines()
    shown = []
    for error in errors[:MAX_LISTED]:
        source = lines[error.line - 1].strip()[:160] if 0 < error.line <= len(lines) else ""
        shown.append(f"- line {error.line} ({source!r}): {error.what}; fix: {error.fix}")
    more = f"\n- and {len(errors) - MAX_LISTED} more" if len(errors) > MAX_LISTED else ""
    return "The problemset has errors:\n" + "\n".join(shown) + more


def _evidence_text(evidence: list[str]) -> str:
    if not evidence:
        return ""
    return "The problemset was executed:\n" + "\n".join(
        f"- {clipped(found, MAX_EVIDENCE_CHARS)}" for found in evidence[:MAX_LISTED]
    )
