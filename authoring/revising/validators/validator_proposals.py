"""Propose validators for a problem from what its reference leaves behind, each with what it would accept.

A fixed set of rewrites of the reference (another index, order, type, rounding, container, nothing but a print; of a
figure other colours, names and data) is executed once; every option then judges the same outcomes, so that a person
sees what each lets through.
"""

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.checks.dry_run.dry_running import readable_text
from authoring.progress import OnEvent, no_progress
from authoring.revising.affected.cell_effects import effects_of
from authoring.revising.validators.answer_trials import PlaceOf, judge_answers, nowhere
from authoring.revising.validators.asked_for import Asked, asked_names, with_kept_settings
from authoring.revising.validators.reference_rewrites import Rewrite, may_draw, rewrites_of
from authoring.store import problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import Problem, Problemset, parse_code, probing_validators, resolve_validators
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell
from evaluator.scoring import Verdict, judge_submission
from evaluator.scoring.grading import displayed_pictures, shown_by
from evaluator.session import Ending, Engine, Outcome

_BARE: Final[Mapping[str, Any]] = {"template": "intact"}
_RESULT_OPTIONS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("the result", {"result": None}),
    ("the result in any order", {"result": {"ignore_order": True}}),
    ("the result with any index", {"result": {"ignore_index": True}}),
    ("the result under any column labels", {"result": {"ignore_names": True}}),
    ("the result with all its names", {"result": {"ignore_names": False}}),
    ("the result in exactly its types", {"result": {"strict_type": True}}),
    ("the result converted to its types, numbers from text too", {"result": {"ignore_dtypes": True}}),
    ("the values of the result in any container", {"result": {"value_only": True}}),
    ("the result within 1 %", {"result": {"rtol": 0.01, "atol": 0.0}}),
)


_FIGURE_OPTIONS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("what the figure shows, whatever it looks like", {"pass_at": 0}),
    (
        "what the figure shows, with its titles, names of axes and legends",
        {"pass_at": 0, "facts": ["data", "scales", "labels"]},
    ),
    ("what the figure shows, and how much it looks like the reference's", {"pass_at": 0.8}),
)
_LONG_TEXT: Final = 12  # words from which on a text may be worded otherwise


@dataclass(frozen=True)
class Verdicts:
    """How one rewrite fares under one option."""

    rewrite: Rewrite
    verdict: str


@dataclass(frozen=True)
class Proposal:
    """A validator setting and what it would accept."""

    number: int  # from 1
    title: str
    validator: Mapping[str, Any]
    reference_passes: bool
    verdicts: tuple[Verdicts, ...]

    def accepted(self) -> list[str]:
        """Return the names of the rewrites that would be CORRECT."""
        return [each.rewrite.name for each in self.verdicts if each.verdict == Verdict.CORRECT]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"number": self.number, "title": self.title, "validator": dict(self.validator)},
            "reference_passes": self.reference_passes,
            "rewrites": {each.rewrite.name: each.verdict for each in self.verdicts},
        }


@dataclass(frozen=True)
class Proposals:
    """What could judge a problem."""

    problemset_name: str
    cell: DocumentCell
    proposals: tuple[Proposal, ...]
    rewrites: tuple[Rewrite, ...]  # those that could be executed
    revision: Revision | None = None  # None: they are for a text that is not saved

    @property
    def label(self) -> str:
        """What they are for."""
        return f"{self.problemset_name}@{self.revision.number}" if self.revision else self.problemset_name

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"problemset": self.problemset_name, "number": self.revision.number if self.revision else None},
            **{"problem": self.cell.number, "problem_id": self.cell.key},
            "proposals": [each.to_json() for each in self.proposals],
            "rewrites": {each.name: each.code for each in self.rewrites},
        }


def propose_validators(
    ws: Workspace, ref: str | int, problem: str | int, *, engine: Engine, on_event: OnEvent = no_progress
) -> Proposals:
    """Return validators that fit what the reference of a problem leaves behind, each tried on the rewrites.

    Args:
        ws: The workspace.
        ref: A revision's id, NAME (its head) or NAME@3.
        problem: Id or number of the problem.
        engine: Where reference and rewrites run.
        on_event: Told of each problem up to this one.

    Raises:
        UsageError: If there is no such revision or problem.
        ContentError: If the revision cannot be executed, or the reference fails.
        ToolkitError: If the engine fails.
    """
    revision = revisions.find(ws, ref)
    found = propose_for_text(ws, revision.problemset_id, revision.text, problem, engine=engine, on_event=on_event)
    return replace(found, revision=revision)


def propose_for_text(
    ws: Workspace,
    problemset_id: int,
    text: str,
    problem: str | int,
    *,
    engine: Engine,
    place: PlaceOf = nowhere,
    on_event: OnEvent = no_progress,
) -> Proposals:
    """Do the same for a text of a problemset that need not be saved."""
    name = problemsets.find(ws, problemset_id).name
    problemset = readable_text(text, name, workspace_validators(ws))
    cell = Document.parse(text, name=name).find_problem(problem)
    written = problemset.problems[cell.number - 1]
    made = tuple(sorted(name for name in effects_of(written.code).writes if name.isidentifier()))
    asked = asked_names(written, made)
    rewrites = (Rewrite("the reference again", written.code), *rewrites_of(written.code, asked.names))
    problemset = _with_problem(problemset, cell.number, replace(written, validator=_all_of(written, asked.names)))
    codes = [rewrite.code for rewrite in rewrites]
    last = judge_answers(
        ws, problemset_id, problemset, cell.number, codes, engine=engine, place=place, on_event=on_event
    )
    outcomes = [tried.outcome for tried in last.tries]
    reference = outcomes[0]  # run on a copy, as the rewrites are
    if reference is None or reference.ending is not Ending.OK:
        what = f"the reference of {cell.name} does not run"
        raise ContentError(what, where=name, fix="repair it first: benchwright dry-run")
    ran = [(rewrite, outcome) for rewrite, outcome in zip(rewrites, outcomes, strict=True) if outcome is not None]
    listed: list[Proposal] = []
    for title, validator in _options(written, reference, asked):
        judged = replace(written, validator=validator)
        verdicts = [
            Verdicts(rewrite, judge_submission(engine, reference, outcome, judged).verdict.value)
            for rewrite, outcome in ran
        ]
        passes = verdicts[0].verdict == Verdict.CORRECT
        listed.append(Proposal(len(listed) + 1, title, validator, passes, tuple(verdicts[1:])))
    return Proposals(name, cell, tuple(listed), tuple(rewrite for rewrite, _ in ran[1:]))


def apply_proposal(ws: Workspace, found: Proposals, number: int, *, by: str) -> Revision:
    """Save a new revision in which the problem has the validators of a proposal; no other cell changes.

    Raises:
        UsageError: If there is no such proposal.
        ContentError: If the reference itself does not pass it.
        ConflictError: If a newer revision exists.
    """
    chosen = next((each for each in found.proposals if each.number == number), None)
    if chosen is None:
        raise UsageError(f"there is no proposal {number}", where="--apply", fix=f"use 1 to {len(found.proposals)}")
    if not chosen.reference_passes:
        what = f"the reference of {found.cell.name} does not pass proposal {number}"
        raise ContentError(what, where=found.problemset_name, fix="choose another one")
    revision = found.revision
    assert revision is not None, "only what was proposed for a revision can be saved in the next one"
    text = (
        revision.document(workspace_validators(ws))
        .with_setting(found.cell.key, "validator", dict(chosen.validator))
        .text
    )
    message = f"{found.cell.name} is judged by {chosen.title}"
    return revisions.save(ws, revision.problemset_id, text, base_revision_id=revision.id, author=by, message=message)


def _all_of(problem: Problem, made: tuple[str, ...]) -> dict[str, Any]:
    """Return validators that ask for everything that any option looks at."""
    wide: dict[str, Any] = {**(problem.validator or {}), "result": None, "stream": None}
    if may_draw(problem.code):
        wide.setdefault("visual", {"pass_at": 0})
    wide["namespace_check"] = {**dict.fromkeys(made), **dict(wide.get("namespace_check") or {})}
    if not _probes(problem):
        cases = {name: found for name in made if (found := _literal_calls(problem.code, name))}
        for name, found in list(cases.items())[:1]:
            wide["table_test"] = {"function_name": name, "test_cases": found}
    return wide


def _options(problem: Problem, reference: Outcome, asked: Asked) -> list[tuple[str, Mapping[str, Any]]]:
    """Return what is written now and the options that fit what the reference left, each once."""
    options: list[tuple[str, Mapping[str, Any]]] = []
    if problem.validator:
        options.append(("what is written now", problem.validator))
    for title, fitting in _fitting(problem, reference, asked):
        validator = with_kept_settings(problem, fitting)
        if validator not in [known for _, known in options]:
            options.append((title, validator))
    return options


def _fitting(problem: Problem, reference: Outcome, asked: Asked) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the options for what the reference left: a result, variables, printed text, a function."""
    options: list[tuple[str, Mapping[str, Any]]] = []
    shown = {output.get("output_type") for output in reference.outputs}
    figures = displayed_pictures(reference.outputs)
    options += [(title, {**_BARE, "visual": visual}) for title, visual in _FIGURE_OPTIONS if figures]
    if "execute_result" in shown and not figures:
        options += list(_RESULT_OPTIONS)
    kinds = {view.name: view.type for view in reference.variables}
    functions = [name for name in asked.names if kinds.get(name) == "function"]
    values = [name for name in asked.names if name in kinds and kinds[name] not in ("function", "module", "type")]
    if values:
        options.append((asked.title, {"namespace_check": dict.fromkeys(values)}))
        loose = {name: {"ignore_order": True, "ignore_index": True} for name in values}
        options.append((f"{asked.title}, in any order, with any index", {"namespace_check": loose}))
    options += _of_text(reference, is_printed="stream" in shown) if not figures else ()
    for name in functions:
        cases = _literal_calls(problem.code, name)
        if cases and not _probes(problem):
            table = {"function_name": name, "test_cases": cases}
            options.append((f"unit tests of `{name}` with the calls in the code", {**_BARE, "table_test": table}))
            break  # one table: the answers of several would have to be told apart
    return options


def _of_text(reference: Outcome, *, is_printed: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the options for what is shown as text: the text itself, its numbers, most of its words."""
    if is_printed:
        yield "the printed text", {**_BARE, "stream": None}
    told = shown_by(reference, sound=True)
    if told.value is not None and _NUMBER.search(told.value) and (is_printed or _PLAIN_NUMBER.fullmatch(told.value)):
        yield "the numbers that are shown, printed or as the last value", {**_BARE, "numeric": None}
    words = re.findall(r"[^\W\d_]{2,}", told.text or "")
    if len(words) >= _LONG_TEXT and len(words) >= len(_NUMBER.findall(told.text or "")):
        yield "nine tenths of the words that are shown", {**_BARE, "text": {"pass_at": 0.9}}


_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_PLAIN_NUMBER: Final = re.compile(r"\s*(?:np\.\w+\()?[-+]?[\d.]+(?:e[-+]?\d+)?\)?\s*")


def _literal_calls(code: str, name: str) -> list[list[Any]]:
    """Return the arguments of the calls of a function whose arguments are all written out: cases for unit tests."""
    found: list[list[Any]] = []
    tree = parse_code(code).tree
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name and node.args:
            with contextlib.suppress(ValueError, TypeError, SyntaxError):
                arguments = [ast.literal_eval(argument) for argument in node.args]
                if not node.keywords and json.loads(json.dumps(arguments)) == arguments:
                    found.append(arguments)
    return found


def _probes(problem: Problem) -> bool:
    return bool(probing_validators(resolve_validators(problem)))


def _with_problem(problemset: Problemset, number: int, problem: Problem) -> Problemset:
    target = problemset.problems[number - 1]
    return replace(problemset, cells=tuple(problem if cell is target else cell for cell in problemset.cells))
