"""A template becomes a problemset on another seed: filled, executed, without problems that make no sense there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from authoring.checks import Check, CheckFailure
from authoring.checks.dry_run.checked_execution import execute_cells
from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet
from authoring.drafting.draft import free_name
from authoring.generalising.filling import fill_template
from authoring.generalising.making import SeedFacts, make_template
from authoring.generalising.matching import Match, match_seed
from authoring.generalising.template import SetTemplate
from authoring.progress import OnEvent, no_progress
from authoring.rounds.draft_checks import pruned
from authoring.seeds import Profile, materialise_inputs
from authoring.seeds.meanings.stored import seed_semantics
from authoring.seeds.semantics import Semantics
from authoring.store import problemsets, revisions
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError, UsageError
from evaluator.language import (
    OwnValidators,
    Problem,
    Problemset,
    SetupCell,
    names_read_and_written,
    parse_problemset,
    problem_id,
    render_problemset,
    with_language_version,
)
from evaluator.language.benchmark import load_problemset
from evaluator.language.document import Document
from evaluator.running.quality.warning import WarningCode
from evaluator.scoring import Verdict
from evaluator.session import Engine, scratch_folder

MAX_ROUNDS: Final = 6  # of leaving out; each makes the set smaller
_UNDEFINED: Final = re.compile(r"NameError: name '(\w+)' is not defined")
_SHORT_WORDS: Final = frozenset({"", "in", "min", "a", "s", "%"})  # units that are words of any query
SENSELESS: Final = {
    WarningCode.LOW_INFORMATION: "its answer says hardly anything on these data",
}
"""Warnings under which a problem is not asked of other data."""


@dataclass(frozen=True)
class Instance:
    """A problemset that a template gave on a seed."""

    name: str
    text: str
    problems: int
    match: Match
    values: Mapping[str, str | int | float]
    left_out: tuple[tuple[str, str], ...]  # (problem, why)
    notes: tuple[str, ...] = ()  # what a person should look at
    revision: Revision | None = field(default=None)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        stored = self.revision
        return {
            **({"id": stored.problemset_id, "revision": stored.id, "number": stored.number} if stored else {}),
            **{"name": self.name, "problems": self.problems, "columns": self.match.to_json()},
            **{"values": dict(self.values), "notes": list(self.notes)},
            "left_out": [{"problem": problem, "why": why} for problem, why in self.left_out],
        }


def facts_of(ws: Workspace, seed: Seed) -> SeedFacts:
    """Return what is known of a seed.

    Raises:
        ContentError: If it has no profile, or holds no table.
    """
    if not seed.profile:
        raise ContentError(f"seed {seed.name!r} is not profiled", where=f"seed {seed.id}", fix="add it again")
    profile = Profile.from_json(seed.profile)
    if not profile.tables:
        raise ContentError(
            f"seed {seed.name!r} holds no table", where=f"seed {seed.id}", fix="choose a seed with tables"
        )
    return SeedFacts(seed.name, profile, seed_semantics(ws, seed))


def template_of(ws: Workspace, source: str, *, seed_ref: str = "") -> SetTemplate:
    """Return the template of a problemset of the workspace, or of a file.

    Args:
        ws: The workspace.
        source: NAME, NAME@3 or an id of the workspace; or the path of a problemset file.
        seed_ref: Name or id of the seed that it is about; empty: the problemset's own.

    Raises:
        UsageError: If there is no such problemset or seed, or no seed is known.
        ContentError: If it has errors, or nothing in it comes from the seed.
    """
    path = Path(source)
    if path.suffix == ".py" and path.is_file():
        loaded = load_problemset(path)
        text, own = loaded.portable_text, loaded.own_validators
        problemset = Document.parse(text, name=path.stem, own_validators=own).require_valid()
        seed_id = None
    else:
        revision = revisions.find(ws, source)
        problemset = revision.document(workspace_validators(ws)).require_valid()
        seed_id = problemsets.find(ws, revision.problemset_id).seed_id
    if not seed_ref and seed_id is None:
        what = f"it is not known which data {source!r} is about"
        raise UsageError(what, where=source, fix="name its seed with --seed, such as --seed penguins")
    seed = find_seed(ws, seed_ref or int(seed_id or 0))
    return make_template(problemset, facts_of(ws, seed), made_from=path.stem if seed_id is None else source)


def instantiate(
    ws: Workspace,
    template: SetTemplate,
    seed_ref: str | int,
    *,
    engine: Engine,
    chosen: Mapping[str, str] | None = None,
    name: str = "",
    created_by: str = "",
    on_event: OnEvent = no_progress,
) -> Instance:
    """Put a template on a seed, leave out what makes no sense there, and store what is left as a problemset.

    Args:
        ws: The workspace.
        template: The template.
        seed_ref: Name or id of the seed.
        engine: Where the problems are executed.
        chosen: Columns that a person chose: the template's name or placeholder -> the seed's name.
        name: What the problemset is called; empty: after template and seed.
        created_by: Who asked for it.
        on_event: Told of each problem.

    Raises:
        UsageError: If there is no such seed, or a chosen column is not there.
        ContentError: If no problem is left; it says why.
        ToolkitError: If the engine cannot start.
    """
    seed = find_seed(ws, seed_ref)
    facts = facts_of(ws, seed)
    match = match_seed(template, facts.profile, facts.semantics, chosen or {}, where=f"seed {seed.name!r}")
    filled = fill_template(template, match, facts.semantics)
    title = name or free_name(ws, f"{template.name}-{seed.name}")
    problemset, unreadable = _readable(Problemset(title, filled.cells), workspace_validators(ws))
    with scratch_folder() as folder:
        inputs = materialise_inputs(ws, seed.id, folder / "inputs")
        left, gone = _sensible(problemset, inputs, engine, on_event)
    left_out = (*filled.left_out, *unreadable, *_in_words(gone, problemset, filled.makes))
    if not left.problems:
        listed = "; ".join(f"{problem}: {why}" for problem, why in left_out[:50])
        fix = "choose columns, OLD=NEW (in a command: --column OLD=NEW), or another seed"
        raise ContentError(f"no problem of the template makes sense on these data: {listed}", where=seed.name, fix=fix)
    text = with_language_version(render_problemset(left))
    notes = tuple(_notes(left, template, match, facts.semantics))
    provenance = {
        **{"author": "template", "template": template.name, "made_from": template.made_from.model_dump()},
        **{"columns": match.to_json(), "values": dict(filled.values)},
        "left_out": [{"problem": problem, "why": why} for problem, why in left_out],
    }
    revision = problemsets.create(
        ws,
        name=title,
        text=text,
        author=created_by or "template",
        origin=Origin.TEMPLATE,
        seed_id=seed.id,
        message=f"the template {template.name!r} on {seed.name!r}",
        provenance=provenance,
        inputs={file.name: file.digest for file in seed.files},
    )
    return Instance(title, text, len(left.problems), match, filled.values, left_out, notes, revision)


def _sensible(
    problemset: Problemset, inputs: Path, engine: Engine, on_event: OnEvent
) -> tuple[Problemset, list[tuple[str, str]]]:
    """Return the set without problems that fail or say nothing, and those with the reason."""
    gone: list[tuple[str, str]] = []
    for _ in range(MAX_ROUNDS):
        if not problemset.problems:
            return problemset, gone
        executed = execute_cells(engine, problemset, inputs, on_event=on_event)
        executed.refuse_engine_faults()
        problemset = _without_broken_examples(problemset, executed)
        failures = [found for cell in executed.cells for found in _failures(cell)]
        if not failures:
            return problemset, gone
        if setup := executed.failed_setup:
            kept = tuple(cell for place, cell in enumerate(problemset.cells, 1) if place != setup.position)
            gone.append(("a preparing cell", _said(setup)))
            problemset = replace(problemset, cells=kept)
            continue
        rest = pruned(problemset, failures)
        assert rest is not None, "all failures are about problems"
        reasons = {failure.index: failure.what for failure in reversed(failures)}
        gone += [
            (problem_id(problemset, number), reasons.get(number, "it rests on one that is left out"))
            for number in rest.left_out
        ]
        problemset = rest.problemset
    return replace(problemset, cells=()), gone


def _in_words(gone: list[tuple[str, str]], problemset: Problemset, makes: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the reasons with the problem that a missing variable comes from in the place of a NameError.

    Of several that store the variable it is the nearest one before; a problem that changes it itself is no cause.
    """
    left = {name for name, _ in gone}
    order = [problem_id(problemset, number) for number in range(1, len(problemset.problems) + 1)]
    writes = {
        name: names_read_and_written(problem.code).writes
        for name, problem in zip(order, problemset.problems, strict=True)
        if name in left
    }
    told = []
    for name, why in gone:
        found = _UNDEFINED.search(why)
        if found is None:
            told.append((name, why))
            continue
        before = order[: order.index(name)] if name in order else []
        near = next((one for one in reversed(before) if found[1] in writes.get(one, ())), makes.get(found[1], ""))
        maker = f"another {near.removeprefix('a ')}" if near == name else near  # preparing cells have no names
        told.append((name, f"it needs {found[1]!r} of {maker}, which is left out" if maker else why))
    return told


def _readable(problemset: Problemset, own: OwnValidators | None) -> tuple[Problemset, list[tuple[str, str]]]:
    """Return the set as it reads back from its text, without cells that cannot be read, such as code that is none."""
    gone = []
    cells = []
    for number, cell in enumerate(problemset.cells, 1):
        if why := _unreadable(replace(problemset, cells=(cell,)), own):
            named = str(cell.metadata.get("id", number)) if isinstance(cell, Problem) else "a preparing cell"
            gone.append((named, why))
        else:
            cells.append(cell)
    if not any(isinstance(cell, Problem) for cell in cells):
        return replace(problemset, cells=()), gone
    text = with_language_version(render_problemset(replace(problemset, cells=tuple(cells))))
    whole = parse_problemset(text, name=problemset.name, own_validators=own).problemset
    assert whole is not None, "each of its cells can be read"
    return whole, gone


def _unreadable(alone: Problemset, own: OwnValidators | None) -> str:
    """Return why a set of one cell cannot be written down and read; empty when it can."""
    try:
        text = render_problemset(alone)
    except (ContentError, ValueError) as error:
        return str(error)
    found, diagnostics = parse_problemset(text, name=alone.name, own_validators=own)
    errors = [each for each in diagnostics if each.severity is Severity.ERROR]
    if found is None or (errors and found.problems):
        return errors[0].what if errors else "it cannot be read"
    return ""


def _failures(cell: CheckedCell) -> list[CheckFailure]:
    """Return why a problem is not asked; a setup cell that fails counts as the set's own."""
    if cell.problem is None:
        return [CheckFailure(Check.SETUP, 0, "", _said(cell), "")] if cell.failed else []
    number, name = cell.problem, cell.problem_id

    def failure(check: Check, what: str) -> list[CheckFailure]:
        return [CheckFailure(check, number, name, what, "")]

    if cell.failed:
        return failure(Check.GOLD, _said(cell))
    if cell.reference is None or cell.reference.verdict is not Verdict.CORRECT:
        reason = cell.reference.reason if cell.reference else "it was not judged"
        return failure(Check.GOLD, f"the reference does not pass its own validators: {reason}")
    if cell.empty is not None and cell.empty.verdict is Verdict.CORRECT:
        return failure(Check.NOTHING, "an empty answer passes")
    for warning in cell.warnings:
        if warning.code in SENSELESS:
            return failure(Check.GUESS, f"{SENSELESS[warning.code]}: {warning.what}")
    return []


def _said(cell: CheckedCell) -> str:
    error = cell.outcome.error
    return f"{error.name}: {error.message[:200]}" if error is not None else f"the code {cell.outcome.ending}"


def _without_broken_examples(problemset: Problemset, executed: CheckedSet) -> Problemset:
    """Drop the kept answers of problems where one of them no longer gets its verdict."""
    broken = {cell.problem for cell in executed.problems if not all(kept.holds for kept in cell.examples)}
    number = 0
    cells: list[SetupCell | Problem] = []
    for cell in problemset.cells:
        number += isinstance(cell, Problem)
        if isinstance(cell, Problem) and number in broken:
            kept = {key: value for key, value in cell.metadata.items() if key != "examples"}
            cells.append(replace(cell, metadata=kept, raw=None))
        else:
            cells.append(cell)
    return replace(problemset, cells=tuple(cells))


def _notes(problemset: Problemset, template: SetTemplate, match: Match, semantics: Semantics) -> list[str]:
    """Return what a person should look at: nouns and units of the old data that queries still hold."""
    tables = template.tables.values()
    words = {word for table in tables for word in (table.row, table.rows)}
    words |= {
        template.columns[key].unit
        for key, found in match.columns.items()
        if template.columns[key].unit != found.meaning.unit
    }
    words -= {word for table in semantics.tables for word in (table.row, table.rows)} | _SHORT_WORDS
    notes = []
    for number, problem in enumerate(problemset.problems, 1):
        said = [
            word
            for word in sorted(words)
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", problem.query, re.IGNORECASE)
        ]
        if said:
            notes.append(f"{problem_id(problemset, number)}: the query says {', '.join(map(repr, said))}")
    return notes
