"""Judge refined problems: the answer holds them alone, and the set with them in it is executed."""

from collections.abc import Sequence
from dataclasses import dataclass

from authoring.checks import NOT_ASKED, PASSED
from authoring.checks.dry_run.execution import execute_cells
from authoring.checks.dry_run.execution_evidence import Evidence, complaint_of, evidence_in
from authoring.document.splicing import cell_texts, replace_problems
from authoring.drafting.draft_assessment import Assessor, errors_text
from authoring.drafting.refining.refined_answers import read_changes, says_nothing_new
from authoring.prompting.model_answers import UnreadableAnswerError
from authoring.prompting.repair_loop import CUT_OFF, Assessment
from authoring.store import Revision, Workspace, latest_dry_run
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError
from evaluator.language import Problem, Problemset, problem_id
from evaluator.models import Completion

MAX_LINES = 10**9
BROKEN = 1_000  # faults of a text that cannot be executed


@dataclass(frozen=True)
class Changed:
    """A whole text and the problems that differ in it."""

    text: str
    cells: tuple[str, ...]  # ids


@dataclass(frozen=True)
class Refinement:
    """The problemset before the change, with what is wrong with it."""

    assessor: Assessor
    text: str
    chosen: tuple[str, ...]
    errors: tuple[Diagnostic, ...]
    evidence: tuple[Evidence, ...]  # empty when errors keep it from being executed

    @classmethod
    def begin(cls, assessor: Assessor, text: str, chosen: tuple[str, ...]) -> "Refinement":
        """Read and execute the text as it is.

        Raises:
            ToolkitError: If the engine cannot start or fails.
        """
        problemset, errors = assessor.read(text)
        evidence = _execute(assessor, problemset) if problemset is not None and not errors else ()
        return cls(assessor, text, chosen, tuple(errors), evidence)

    def findings(self, ws: Workspace, base: Revision) -> tuple[str, ...]:
        """Return what speaks against the chosen problems: errors, the execution, and the reference agent's verdict."""
        problemset, _ = self.assessor.read(self.text)
        lines = _lines_of(problemset, self.chosen) if problemset else []
        found = [f"line {e.line}: {e.what}; fix: {e.fix}" for e in self.errors if _within(e.line, lines)]
        found += [str(e) for e in self.evidence if e.problem_id in self.chosen or not e.number]
        stored = latest_dry_run(ws, base.id)
        for problem in stored.problems if stored else ():
            if problem.problem_id in self.chosen and problem.agent_verdict not in (NOT_ASKED, PASSED):
                reason = " ".join(str(problem.reasons.get("agent") or "").split())[:300]
                verdict = f"{problem.agent_verdict} ({reason})" if reason else problem.agent_verdict
                found.append(f"Problem {problem.index}: the reference agent's answer was judged {verdict}")
        return tuple(found)

    def assess(self, answer: Completion) -> Assessment[Changed]:
        """Put the answer's cells into the text and execute it; what is wrong becomes the complaint."""
        name, own = self.assessor.name, self.assessor.own_validators
        if answer.cut_off:
            return Assessment(None, CUT_OFF)
        try:
            changes = read_changes(answer.text, self.chosen, name, own)
            if says_nothing_new(changes, cell_texts(self.text, name, own)):
                return Assessment(None, "no cell differs from the present one; change what is asked for")
            text = replace_problems(self.text, changes, name, own)
        except UnreadableAnswerError as error:
            return Assessment(None, str(error))
        except ContentError as error:
            return Assessment(None, f"{error.what}; fix: {error.fix}")
        return self._executed(text)

    def _executed(self, text: str) -> Assessment[Changed]:
        value = Changed(text, self.chosen)
        problemset, errors = self.assessor.read(text)
        assert problemset is not None, "a text that was put together reads"
        known = {(error.code, error.what) for error in self.errors}
        lines = _lines_of(problemset, self.chosen)
        new = [e for e in errors if _within(e.line, lines) or (e.code, e.what) not in known]
        if new:
            return Assessment(None, errors_text(new, text), BROKEN + len(new), tuple(new))
        if errors:  # in problems that the model may not touch: nothing can be executed
            return Assessment(value, findings=tuple(errors))
        before = {(e.kind, e.problem_id) for e in self.evidence if e.problem_id not in self.chosen}
        evidence = [
            e
            for e in _execute(self.assessor, problemset)
            if e.problem_id in self.chosen or (e.kind, e.problem_id) not in before
        ]
        findings = tuple(e.diagnostic(self.assessor.path) for e in evidence)
        return Assessment(value, complaint_of(evidence), len(evidence), findings)


def _execute(assessor: Assessor, problemset: Problemset) -> tuple[Evidence, ...]:
    executed = execute_cells(assessor.engine, problemset, assessor.inputs, on_event=assessor.on_event)
    executed.refuse_engine_faults()
    return evidence_in(executed, problemset, assessor.columns)


def _lines_of(problemset: Problemset, chosen: Sequence[str]) -> list[range]:
    """Return the lines of the chosen problems' cells."""
    ends = [cell.line for cell in problemset.cells[1:]] + [MAX_LINES]
    number, ranges = 0, []
    for cell, end in zip(problemset.cells, ends, strict=True):
        number += isinstance(cell, Problem)
        if isinstance(cell, Problem) and problem_id(problemset, number) in chosen:
            ranges.append(range(cell.line, end))
    return ranges


def _within(line: int, ranges: Sequence[range]) -> bool:
    return any(line in lines for lines in ranges)
