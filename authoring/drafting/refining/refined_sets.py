"""Read and judge refined problems: the answer holds them alone, and the set with them in it is executed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from authoring.checks import NOT_ASKED, PASSED
from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.checked_set import CheckedSet
from authoring.checks.dry_run.evidence_causes import complaint_of
from authoring.checks.dry_run.execution_evidence import ExecutionEvidence, evidence_in, faults_in
from authoring.drafting.model_draft import Assessor, errors_text
from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text
from authoring.prompting.repair_loop import CUT_OFF, Assessment
from authoring.store import dry_runs
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ContentError
from evaluator.language import OwnValidators, Problem, Problemset, parse_problemset, problem_id
from evaluator.language.document import Document
from evaluator.models import Completion

_LABEL = re.compile(r"^\s*problem\s*:?\s*(?P<id>\S+)\s*$", re.IGNORECASE)
_MARKED = re.compile(r"\A# %%[^\n]*")


def read_changes(
    answer: str, chosen: Sequence[str], name: str, own_validators: OwnValidators | None = None
) -> dict[str, str]:
    """Return the new cell of each chosen problem, by its id.

    A cell is told by its marker line, `# %% problem: ID`; where no cell has such a line, by its written `id`, or by the
    order when there are as many cells as chosen problems.

    Raises:
        UnreadableAnswerError: If a chosen problem is missing, or another cell is there; the text says what to change.
    """
    text = read_problemset_text(answer)
    problemset, diagnostics = parse_problemset(text, name=name, own_validators=own_validators)
    if problemset is None:
        listed = "; ".join(f"line {d.line}: {d.what}; fix: {d.fix}" for d in diagnostics[:5])
        raise UnreadableAnswerError(f"the cells cannot be read: {listed}")
    if len(problemset.problems) < len(problemset.cells):
        lines = [str(cell.line) for cell in problemset.cells if not isinstance(cell, Problem)]
        raise UnreadableAnswerError(
            f"the answer may hold the chosen problems only, but the cells on lines {', '.join(lines)} have no query"
        )
    found: dict[str, str] = {}
    for position, problem in enumerate(problemset.problems):
        label = _identity(problem, position, problemset.problems, chosen)
        if label not in chosen:
            raise UnreadableAnswerError(f"problem {label} was not to be changed; answer with {', '.join(chosen)} only")
        if label in found:
            raise UnreadableAnswerError(f"problem {label} stands twice in the answer")
        found[label] = _MARKED.sub("# %%", (problem.raw or "").strip(), count=1)
    missing = [label for label in chosen if label not in found]
    if missing:
        raise UnreadableAnswerError(f"the answer drops problem {', '.join(missing)}; every chosen one is needed")
    return found


def _identity(problem: Problem, position: int, problems: Sequence[Problem], chosen: Sequence[str]) -> str:
    match = _LABEL.match(problem.title)
    if match:
        return match["id"].strip("\"'`")
    written = problem.metadata.get("id")
    if written:
        return str(written)
    unlabelled = all(not _LABEL.match(each.title) and not each.metadata.get("id") for each in problems)
    if unlabelled and len(problems) == len(chosen):
        return chosen[position]
    return f"without a name (cell {position + 1})"


def says_nothing_new(changes: dict[str, str], now: dict[str, str]) -> bool:
    """Return whether no changed cell differs from the present one."""
    return all(_bare(cell) == _bare(now.get(label, "")) for label, cell in changes.items())


def _bare(cell: str) -> str:
    return _MARKED.sub("# %%", cell.replace("\r\n", "\n").strip(), count=1)


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
    evidence: tuple[ExecutionEvidence, ...]  # empty when errors keep it from being executed

    @classmethod
    def begin(cls, assessor: Assessor, text: str, chosen: tuple[str, ...]) -> "Refinement":
        """Read and execute the text as it is.

        Raises:
            ToolkitError: If the engine cannot start or fails.
        """
        problemset, errors = assessor.read(text)
        if problemset is None or errors:
            return cls(assessor, text, chosen, tuple(errors), ())
        executed = _execute(assessor, problemset)
        return cls(assessor, text, chosen, (), evidence_in(executed, problemset, assessor.columns))

    def findings(self, ws: Workspace, base: Revision) -> tuple[str, ...]:
        """Return what speaks against the chosen problems: errors, the execution, and the reference agent's verdict."""
        problemset, _ = self.assessor.read(self.text)
        lines = _lines_of(problemset, self.chosen) if problemset else []
        found = [f"line {e.line}: {e.what}; fix: {e.fix}" for e in self.errors if _within(e.line, lines)]
        found += [str(e) for e in self.evidence if e.problem_id in self.chosen or not e.number]
        stored = dry_runs.latest(ws, base.id)
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
            document = Document.parse(self.text, name=name, own_validators=own)
            if says_nothing_new(changes, document.problem_texts()):
                return Assessment(None, "no cell differs from the present one; change what is asked for")
            text = document.replace(changes).text
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
        executed = _execute(self.assessor, problemset)
        evidence = [
            e
            for e in evidence_in(executed, problemset, self.assessor.columns)
            if e.problem_id in self.chosen or (e.kind, e.problem_id) not in before
        ]
        findings = tuple(e.diagnostic(self.assessor.path) for e in evidence)
        return Assessment(value, complaint_of(evidence, executed, problemset), faults_in(evidence), findings)


def _execute(assessor: Assessor, problemset: Problemset) -> CheckedSet:
    executed = execute_cells(assessor.engine, problemset, assessor.inputs, on_event=assessor.on_event)
    executed.refuse_engine_faults()
    return executed


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
