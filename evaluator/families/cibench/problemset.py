"""Notebooks as problemsets and back: export(import(n)) == n, and import(export(p)) == p.

What DSEAL has no word for stands under the problem key `family`: the number of the step, its thought, its modules, its
type. The notebook itself is kept beside the problemset, since its outputs are what is expected.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from evaluator.errors import ContentError
from evaluator.families.cibench import FAMILY
from evaluator.families.cibench.notebook import NO_THOUGHT, CibenchNotebook, Step, Tag, stored_outputs
from evaluator.language import ExecutionLimits, Problem, Problemset, SetupCell
from evaluator.language.cells import normal_line_ends
from evaluator.language.parsing import MAX_FILE_CHARS
from evaluator.language.rendering import settings_of
from evaluator.scoring.execution_log import text_of
from evaluator.scoring.grading import expected_of

MAX_TIME_S: Final = 60.0  # of a step: the construction's own rule is under a minute (arXiv:2407.10499, section 3.2)
PLACE: Final = "place"
_OURS: Final = "benchwright"  # the metadata key under which a notebook keeps what it has no place for
_VALIDATORS: Final[Mapping[str, str]] = {
    Tag.NUM: "numeric",
    Tag.GENERAL: "numeric",
    Tag.TEXT: "text",
    Tag.VIS: "visual",
}
_SESSION: Final = SetupCell(
    """import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
if not os.path.exists("data") and os.path.isdir("inputs"):
    os.symlink("inputs", "data")


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")


get_ipython().system = lambda *command: print("The package is assumed to be here: shell commands are disabled")""",
    title="The session of CIBench: data/ is inputs/, no GPU, no input, no shell",
)
"""What every session of the family begins with; a notebook has no such cell."""


def problemset_of(notebook: CibenchNotebook, name: str) -> Problemset:
    """Return the problemset that a notebook makes.

    Raises:
        ContentError: If its own settings, which an export wrote into it, cannot be read, or its cells are longer than a
            problemset may be.
    """
    length = sum(len(step.query) + len(step.code) for step in notebook.steps)
    if length > MAX_FILE_CHARS:  # before it is written down and read again, which takes minutes
        what = f"its cells have {length:,} characters, and a problemset at most {MAX_FILE_CHARS:,}"
        raise ContentError(what, where=str(notebook.path), fix="put data into files, or split the notebook")
    ours = _own(notebook.raw)
    try:
        cells: list[SetupCell | Problem] = [_problem_of(notebook, step) for step in notebook.steps]
        setups = ours.get("setup")
        if not isinstance(setups, list):
            return Problemset(name, (_SESSION, *cells), str(ours.get("preamble", "")))
        for entry in reversed(setups):
            before = int(entry["before"])
            if not 0 <= before <= len(notebook.steps):
                raise ValueError("a setup cell stands before no step")
            cells.insert(before, SetupCell(str(entry["source"]), str(entry.get("title", ""))))
        return Problemset(name, tuple(cells), str(ours.get("preamble", "")))
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        what = f"what an export wrote into its metadata under {_OURS!r} is damaged ({type(error).__name__})"
        raise ContentError(what, where=str(notebook.path), fix=f"remove {_OURS!r} from the metadata") from error


def _problem_of(notebook: CibenchNotebook, step: Step) -> Problem:
    usual = usual_problem(step)
    cells: Sequence[Any] = notebook.raw["cells"]
    own = _own(cells[step.code_cell - 1])
    if not own:
        return usual
    settings: Mapping[str, Any] = own.get("settings") or {}
    metadata = {key: value for key, value in settings.items() if key not in ("validator", "execution", "data")}
    limits = settings.get("execution") or {}
    return replace(
        usual,
        title=str(own.get("title", "")),
        validator=settings.get("validator"),
        execution=ExecutionLimits(
            limits.get("max_time"), limits.get("max_memory"), tuple(limits.get("forbid_names") or ())
        ),
        data=settings.get("data") or {},
        metadata=metadata,
    )


def usual_problem(step: Step) -> Problem:
    """Return the problem that a step makes: validators by its tag, and what only the family knows."""
    family: dict[str, Any] = {"step": step.number}
    if step.thought != NO_THOUGHT:
        family["thought"] = step.thought
    if step.modules:
        family["modules"] = step.modules
    if step.step_type:
        family["step_type"] = step.step_type
    return Problem(
        query=normal_line_ends(step.query),
        code=normal_line_ends(step.code).strip(),
        validator=usual_validator(step.tag),
        execution=ExecutionLimits(max_time_s=MAX_TIME_S),
        metadata={"id": f"step{step.number}", "family": {FAMILY: family}},
    )


def usual_validator(tag: str) -> dict[str, Any]:
    """Return the validators by which a step of a tag is judged: that it runs, and its graded one where it has one."""
    graded = _VALIDATORS.get(tag)
    return {"template": "basic"} | ({} if graded is None else {graded: None})


def family_of(problem: Problem) -> Mapping[str, Any]:
    """Return what CIBench knows of a problem; empty for a problem of another family."""
    written = problem.metadata.get("family")
    family = written.get(FAMILY) if isinstance(written, Mapping) else None
    return family if isinstance(family, Mapping) else {}


PAIR: Final = "pair"  # the key under `family` that names the problem that this one is a translation of


def named_pair(problem: Problem) -> str:
    """Return the problem that this one is a translation of, as `problemset/number`; empty when it is none."""
    written = problem.metadata.get("family")
    named = written.get(PAIR) if isinstance(written, Mapping) else None
    return named if isinstance(named, str) else ""


def notebook_of(
    problemset: Problemset,
    recorded: Mapping[str, Any] | None = None,
    outputs: Mapping[int, Sequence[Mapping[str, Any]]] | None = None,
    place: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a problemset as a notebook (nbformat 4).

    Args:
        problemset: Of any family; settings that a notebook has no place for go into its metadata.
        recorded: The notebook that it was made of: cells that still say the same are kept as they are, outputs too.
        outputs: Number of a problem, from 1 -> what its code showed; for cells that have no outputs else.
        place: Its set, module and language, where it was made of no notebook, in whose folder they would stand.
    """
    book = copy.deepcopy(dict(recorded)) if recorded is not None else _empty_book()
    pairs = _pairs(book)
    problems = problemset.problems
    steps = [step_number(problem) for problem in problems]
    made = [
        _cells_of(problem, pairs.get(step), number, (outputs or {}).get(number, ()))
        for number, (problem, step) in enumerate(zip(problems, steps, strict=True), start=1)
    ]
    if steps == list(range(1, len(pairs) + 1)):
        new = dict(zip([id(cell) for pair in pairs.values() for cell in pair], _flat(made), strict=True))
        book["cells"] = [new.get(id(cell), cell) for cell in book["cells"]]
    else:  # steps were added, removed or moved
        book["cells"] = _flat(made)
    _write_metadata(book, problems)
    _keep_setup(book, problemset, _own(book).get(PLACE) if recorded is not None else place)
    return book


def _flat(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> list[dict[str, Any]]:
    return [cell for pair in pairs for cell in pair]


def _empty_book() -> dict[str, Any]:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": [], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _pairs(book: Mapping[str, Any]) -> dict[int, tuple[dict[str, Any], dict[str, Any]]]:
    counted = [cell for cell in book["cells"] if cell.get("cell_type") in ("markdown", "code")]
    return dict(enumerate(zip(counted[::2], counted[1::2], strict=True), start=1))


def step_number(problem: Problem) -> int:
    """Return which step of its notebook a problem was made of, from 1; 0: of none."""
    number = family_of(problem).get("step")
    return number if isinstance(number, int) and not isinstance(number, bool) else 0


def _cells_of(
    problem: Problem,
    pair: tuple[dict[str, Any], dict[str, Any]] | None,
    number: int,
    outputs: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    family = family_of(problem)
    thought = str(family.get("thought", NO_THOUGHT))
    asked = problem.query if thought == NO_THOUGHT else f"{problem.query}\n\nThought: {thought}"
    query, code = copy.deepcopy(pair) if pair is not None else _new_cells(number)
    if normal_line_ends(text_of(query["source"])).strip() != asked.strip():
        query["source"] = asked
    if normal_line_ends(text_of(code["source"])).strip() != problem.code:
        code |= {"source": problem.code, "outputs": [], "execution_count": None}  # they were those of other code
    if outputs and not code.get("outputs"):
        code |= {"outputs": [_as_output_of(number, each) for each in outputs], "execution_count": number}
    kept: Mapping[str, Any] = code.get("metadata", {})
    metadata = {key: value for key, value in kept.items() if key != _OURS or not isinstance(value, dict)}
    own = _beyond_usual(problem, number, code)
    if own:
        metadata[_OURS] = own
    if metadata or "metadata" in code:
        code["metadata"] = metadata
    return query, code


def _as_output_of(number: int, output: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output as the cell's own: a value bears the cell's number."""
    return {**output, **({"execution_count": number} if output.get("output_type") == "execute_result" else {})}


def _new_cells(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    query: dict[str, Any] = {"cell_type": "markdown", "id": f"query-{number}", "metadata": {}, "source": ""}
    code: dict[str, Any] = {"cell_type": "code", "id": f"code-{number}", "metadata": {}, "source": ""}
    code |= {"execution_count": None, "outputs": []}
    return query, code


def _beyond_usual(problem: Problem, number: int, code: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a problem an import of its cells would not make; empty when it is all as usual."""
    family = family_of(problem)
    settings = settings_of(problem)
    usual = usual_problem(
        Step(
            number=number,
            query=problem.query,
            code=problem.code,
            expected=expected_of(stored_outputs(code)),
            thought=str(family.get("thought", NO_THOUGHT)),
            modules=str(family.get("modules", "")),
            step_type=str(family.get("step_type", "")),
        )
    )
    if settings == settings_of(usual) and not problem.title:
        return {}
    return {"settings": json.loads(json.dumps(settings)), **({"title": problem.title} if problem.title else {})}


def _write_metadata(book: dict[str, Any], problems: Sequence[Problem]) -> None:
    """Bring the two lists of the notebook's metadata up to date; a notebook without them gets none."""
    metadata = book.get("metadata", {})
    for key, field_name in (("modules", "modules"), ("step_types", "step_type")):
        values = [str(family_of(problem).get(field_name, "")) for problem in problems]
        if any(values):
            book["metadata"] = metadata = {**metadata, key: values}
        elif metadata.get(key) not in (None, values):
            del metadata[key]


def stated_place(book: Mapping[str, Any]) -> Mapping[str, str]:
    """Return set, module and language as an export wrote them into a notebook; empty where it did not."""
    found = _own(book).get(PLACE)
    told = found if isinstance(found, Mapping) else {}
    return {name: told[name] for name in ("set", "module", "language") if isinstance(told.get(name), str)}


def _keep_setup(book: dict[str, Any], problemset: Problemset, place: Any) -> None:
    setups = list(_setups(problemset.cells))
    usual = [{"before": 0, "source": _SESSION.source, "title": _SESSION.title}]
    own: dict[str, Any] = {PLACE: place} if place else {}
    if setups != usual:
        own["setup"] = setups
    if problemset.preamble:
        own["preamble"] = problemset.preamble
    metadata = book.get("metadata", {})
    if own:
        book["metadata"] = {**metadata, _OURS: own}
    elif isinstance(metadata.get(_OURS), dict):
        del metadata[_OURS]


def _setups(cells: Sequence[SetupCell | Problem]) -> Iterator[dict[str, Any]]:
    problems = 0
    for cell in cells:
        if isinstance(cell, Problem):
            problems += 1
        else:
            yield {"before": problems, "source": cell.source, "title": cell.title}


def _own(holder: Any) -> Mapping[str, Any]:
    metadata = holder.get("metadata") if isinstance(holder, Mapping) else None
    own = metadata.get(_OURS) if isinstance(metadata, Mapping) else None
    return own if isinstance(own, Mapping) else {}
