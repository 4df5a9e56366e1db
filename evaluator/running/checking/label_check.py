"""Executes problemsets whose models are scored, to find labels that a submission can look up in `inputs/`."""

import json
from collections.abc import Callable, Iterator
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
from evaluator.language.file_kinds import KIND_OF_SUFFIX
from evaluator.running.execution.reference_session import AuthorError, EngineFailedError, ReferenceSession
from evaluator.session import Engine, Outcome

_LOOK_S: Final = 60.0


class _Found(NamedTuple):
    file: str
    column: str
    how: str


def labels_in_reach(
    engine: Engine, loaded: LoadedSet, *, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Diagnostic, ...]:
    """Return a warning for each problem whose model is scored by values that stand in a table of the inputs folder.

    Setup and reference code run once more, and after each such reference a cell of ours in a copy of its session. A
    problem that was warned of when its text was read is left out. Once `cancelled`, asked between cells, is true, no
    more is executed.
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
            if cancelled():
                break
            session.with_retry(lambda cell=cell: session.advance(cell))
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


MARK: Final = "benchwright-labels:"
"""Begins the line that it prints; what follows is a JSON list of file, column and how it is found, or null."""

_READERS: Final = {
    **{suffix: (kind.reader, dict(kind.options)) for suffix, kind in KIND_OF_SUFFIX.items() if kind.reader},
    ".xls": ("read_excel", {}),  # no seed has it, but a benchmark from elsewhere may
}
_SOURCE: Final = """
def _look_labels_up(labels, inputs, readers):
    import json, os, warnings
    import numpy as np
    import pandas as pd
    warnings.simplefilter("ignore")

    def read(path):
        kind = os.path.splitext(path)[1].lower()
        try:
            if os.path.getsize(path) > 200_000_000:
                return None
            if kind in readers:
                name, options = readers[kind]
                return getattr(pd, name)(path, **options)
        except Exception:
            return None

    def same(one, other):
        return len(one) == len(other) and bool(((one == other) | (pd.isna(one) & pd.isna(other))).all())

    def found_in(column, wanted, index):
        if index is not None and len(index) and 0 <= index.min() and index.max() < len(column):
            if same(column[index], wanted):
                return "row by row, by their index"
        starts = np.flatnonzero(column[: max(0, len(column) - len(wanted) + 1)] == wanted[0])
        if any(same(column[start : start + len(wanted)], wanted) for start in starts[:10_000].tolist()):
            return "row by row, in their order"

    def looked_up(table, name, wanted, inputs):
        keys = [key for key in inputs.columns if key in table.columns and key != name]
        if not keys:
            return None
        known = table[[*keys, name]].drop_duplicates(keys)
        try:
            found = inputs[keys].reset_index(drop=True).merge(known, on=keys, how="left")[name]
        except Exception:
            return None
        share = float((found.astype(object).to_numpy() == wanted).mean()) if len(found) == len(wanted) else 0.0
        return f"{100 * share:.0f} % by {', '.join(map(repr, keys[:5]))}" if share >= 0.95 else None

    if isinstance(labels, pd.DataFrame) and labels.shape[1] == 1:
        labels = labels.iloc[:, 0]
    index = None
    if isinstance(labels, pd.Series) and pd.api.types.is_integer_dtype(labels.index.dtype):
        index = labels.index.to_numpy()
    wanted = pd.Series(np.asarray(labels).ravel()).astype(object).to_numpy()
    if len(wanted) < 2 or pd.Series(wanted).nunique() < 2:
        return None
    features = inputs if isinstance(inputs, pd.DataFrame) and len(inputs) == len(wanted) else None
    for folder, _, names in os.walk("inputs"):
        for name in sorted(names):
            path = os.path.join(folder, name)
            table = read(path)
            for column in table.columns if isinstance(table, pd.DataFrame) and table.columns.is_unique else ():
                how = found_in(table[column].astype(object).to_numpy(), wanted, index)
                if how is None and features is not None:
                    how = looked_up(table, column, wanted, features)
                if how is not None:
                    return [path, str(column), how]
"""


def label_probe(labels: str, inputs: str) -> str:
    """Return the code of a cell that prints where the values of a variable are found, given the model's inputs."""
    call = f"_look_labels_up(globals().get({labels!r}), globals().get({inputs!r}), {_READERS!r})"
    return f"{_SOURCE}\nprint({MARK!r} + __import__('json').dumps({call}))\n"
