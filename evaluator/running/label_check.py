"""Executes problemsets whose models are scored, to find labels that a submission can look up in `inputs/`."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.language import (
    LABELS_FIX,
    LABELS_IN_INPUTS,
    ExecutionLimits,
    LoadedSet,
    Problem,
    labels_line,
    probing_validators,
    resolve_validators,
    scored_labels,
)
from evaluator.running.label_probe import MARK, label_probe
from evaluator.running.reference_session import AuthorError, EngineFailedError, ReferenceSession
from evaluator.session import Engine, Outcome

_LOOK_S: Final = 60.0


class _Found(NamedTuple):
    file: str
    column: str
    how: str


def labels_in_reach(engine: Engine, loaded: LoadedSet) -> tuple[Diagnostic, ...]:
    """Return a warning for each problem whose model is scored by values that stand in a table of the inputs folder.

    Setup and reference code run once more, and after each such reference a cell of ours in a copy of its session. A
    problem that was warned of when its text was read is left out.
    """
    problemset = loaded.problemset
    if problemset is None or loaded.inputs is None:
        return ()
    warned = {each.line for each in loaded.diagnostics if each.code == LABELS_IN_INPUTS}
    asked = [each for each in problemset.problems if scored_labels(each) and labels_line(each) not in warned]
    if not asked:
        return ()
    session = ReferenceSession(engine, loaded.name, loaded.path, loaded.inputs, problemset)
    found: list[Diagnostic] = []
    try:
        for cell in problemset.cells:
            session.with_retry(lambda cell=cell: session.advance(cell))  # type: ignore[misc]  # a default binds it
            if any(cell is each for each in asked):
                assert isinstance(cell, Problem)
                found += _warnings(session, loaded, cell)
            if cell is asked[-1]:
                break
    except (AuthorError, EngineFailedError):
        return tuple(found)  # the problemset is refused for it elsewhere
    finally:
        session.close()
    return tuple(found)


def _warnings(session: ReferenceSession, loaded: LoadedSet, problem: Problem) -> Iterator[Diagnostic]:
    patient = replace(problem, execution=ExecutionLimits(max_time_s=_LOOK_S))
    for node in probing_validators(resolve_validators(problem)):
        if node.name != "model":
            continue
        labels, inputs = node.options["labels_name"], node.options["inputs_name"]
        try:
            outcome = session.attempt(label_probe(labels, inputs), patient, names=())
        except ToolkitError:
            return
        place = _place(outcome)
        if place is not None:
            where = f"the column {place.column!r} of {place.file} ({place.how})"
            what = f"the labels {labels!r} are found in {where}: a model can look them up there"
            yield Diagnostic(LABELS_IN_INPUTS, Severity.WARNING, loaded.path, labels_line(problem), what, LABELS_FIX)


def _place(outcome: Outcome) -> _Found | None:
    """Return what the cell has printed; the author's own code ran before it and may have bent everything."""
    texts = (str(each.get("text", "")) for each in outcome.outputs if each.get("output_type") == "stream")
    for line in "".join(texts).splitlines():
        if line.startswith(MARK):
            try:
                parts = json.loads(line.removeprefix(MARK))
            except (ValueError, RecursionError):
                return None
            if isinstance(parts, list) and len(parts) == 3 and all(isinstance(part, str) for part in parts):
                return _Found(*(part[:200] for part in parts))
    return None
