"""Judge the text of a draft as a model gave it: parse it, execute it, and say what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from authoring.checks.dry_run.execution import execute_cells
from authoring.checks.dry_run.execution_evidence import MAX_LISTED, complaint_of, evidence_in
from authoring.progress import OnEvent, no_progress
from authoring.prompting.repair_loop import CUT_OFF, Assessment
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import (
    OwnValidators,
    Problemset,
    parse_problemset,
    render_problemset,
    support_diagnostics,
)
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
