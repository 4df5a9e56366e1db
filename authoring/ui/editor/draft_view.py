"""One person's desk: a revision with that person's unsaved text over it, cell by cell. Pure: no Streamlit.

A cell is a problem or a setup cell; its fields are the texts that the editor shows. Composing puts the edited cells
back into the problemset; cells that were not edited keep their bytes.
"""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from authoring.store.autosaves import Autosave
from evaluator.diagnostics import Diagnostic, has_errors
from evaluator.errors import ContentError
from evaluator.language import (
    PROBLEM_KEYS,
    VALIDATOR_SCHEMAS,
    OwnValidators,
    Problem,
    Problemset,
    SetupCell,
    changed_settings,
    names_read_and_written,
    parse_problemset,
    problem_from_parts,
    problem_id,
    problem_settings_yaml,
    render_problemset,
)

WHOLE: Final = ("", "text")  # identity of the field that holds the whole text
SETTING_WORDS: Final = tuple(
    sorted(
        {*PROBLEM_KEYS[2:], *VALIDATOR_SCHEMAS, *(name for each in VALIDATOR_SCHEMAS.values() for name in each.options)}
    )
)

FieldKey = tuple[str, str]  # cell key, field name


@dataclass(frozen=True)
class Cell:
    """One cell of a revision, taken apart into the texts that a person edits."""

    key: str  # the problem's id, or `setup1`: names the cell in addresses, autosaves and comments
    position: int  # among all cells, from 0
    number: int  # among the problems, from 1; 0 for a setup cell
    title: str
    texts: Mapping[str, str]  # field name -> text in the revision
    line: int  # of the cell in the revision's text

    @property
    def is_problem(self) -> bool:
        """Tell a problem from a setup cell."""
        return self.number > 0

    @property
    def name(self) -> str:
        """What lists call the cell."""
        return f"Problem {self.number}" if self.is_problem else f"Setup {self.key.removeprefix('setup')}"


@dataclass(frozen=True)
class Composed:
    """What the desk's text would be as a revision."""

    text: str | None  # None: a cell cannot be put together; `faults` says why
    faults: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)  # cell key -> what is wrong there
    remarks: tuple[Diagnostic, ...] = ()  # about the composed text as a whole

    @property
    def is_sound(self) -> bool:
        """Return whether the text parses without errors."""
        return self.text is not None and not has_errors(self.remarks)


@dataclass(frozen=True)
class DraftView:
    """A revision and the texts over it."""

    name: str  # of the problemset
    revision_id: int
    text: str
    problemset: Problemset | None  # None: the revision itself does not parse
    cells: tuple[Cell, ...]
    edits: Mapping[FieldKey, str]  # only those that differ from the revision
    diagnostics: tuple[Diagnostic, ...] = ()  # of the revision
    own_validators: OwnValidators | None = None  # of the workspace

    def value(self, cell: Cell, field_name: str) -> str:
        """Return the text of a field as the person left it."""
        return self.edits.get((cell.key, field_name), cell.texts[field_name])

    def is_edited(self, cell: Cell) -> bool:
        """Return whether any text of the cell differs from the revision."""
        return any((cell.key, name) in self.edits for name in cell.texts)

    @property
    def has_edits(self) -> bool:
        """Return whether saving would make a difference."""
        return bool(self.edits)

    def find(self, key: str | None) -> Cell | None:
        """Return the cell of that key."""
        return next((cell for cell in self.cells if cell.key == key), None)

    @property
    def problems(self) -> tuple[Cell, ...]:
        """The cells that are asked."""
        return tuple(cell for cell in self.cells if cell.is_problem)


def open_draft(
    name: str, revision_id: int, text: str, autosaves: Sequence[Autosave] = (), own: OwnValidators | None = None
) -> DraftView:
    """Lay a person's autosaves over a revision's text."""
    parsed = parse_problemset(text, name=name, path=Path(f"{name}.py"), own_validators=own)
    cells = _cells(parsed.problemset) if parsed.problemset is not None else ()
    originals = {(cell.key, field_name): value for cell in cells for field_name, value in cell.texts.items()}
    originals[WHOLE] = text
    edits = {}
    for saved in autosaves:
        key = (saved.problem, saved.field)
        if key in originals and saved.text != originals[key]:
            edits[key] = saved.text
    return DraftView(name, revision_id, text, parsed.problemset, cells, edits, parsed.diagnostics, own)


def compose(draft: DraftView) -> Composed:
    """Return the revision's text with the edited cells in their places."""
    if WHOLE in draft.edits:
        text = draft.edits[WHOLE]
        return Composed(text, {}, _remarks(draft, text))
    if draft.problemset is None or not draft.edits:
        return Composed(draft.text, {}, draft.diagnostics)
    cells = list(draft.problemset.cells)
    faults: dict[str, tuple[Diagnostic, ...]] = {}
    for cell in draft.cells:
        if draft.is_edited(cell):
            made, diagnostics = _make(draft, cell, cells[cell.position])
            if made is None or has_errors(diagnostics):
                faults[cell.key] = diagnostics
            else:
                cells[cell.position] = made
    if faults:
        return Composed(None, faults)
    text = render_problemset(dataclasses.replace(draft.problemset, cells=tuple(cells)))
    return Composed(text, {}, _remarks(draft, text))


def diagnostics_by_field(draft: DraftView, cell: Cell) -> dict[str, tuple[Diagnostic, ...]]:
    """Return what is wrong with each text of a cell as it stands; lines count within the text."""
    if cell.is_problem and draft.problemset is not None:
        found = _make(draft, cell, draft.problemset.cells[cell.position])[1]
    else:
        found = _of_setup(draft, cell)
    return {name: tuple(each for each in found if each.path.name == name) for name in cell.texts}


def with_settings(draft: DraftView, cell: Cell, settings: str) -> tuple[Diagnostic, ...]:
    """Return what would be wrong with a problem if its settings were others."""
    query, code = draft.value(cell, "query"), draft.value(cell, "code")
    path, own = Path(f"{draft.name}.py"), draft.own_validators
    return problem_from_parts(query, settings, code, path=path, title=cell.title, own_validators=own)[1]


def _of_setup(draft: DraftView, cell: Cell) -> tuple[Diagnostic, ...]:
    path = Path("code")
    found = parse_problemset(f"# %%\n{draft.value(cell, 'code')}\n", name=draft.name, path=path).diagnostics
    return tuple(dataclasses.replace(each, line=max(1, each.line - 1)) for each in found if each.code != "no-problems")


def known_words(draft: DraftView, cell: Cell) -> dict[str, tuple[str, ...]]:
    """Return what completion offers in each text of a cell: variables of earlier cells; keys and validators."""
    earlier = (draft.value(other, "code") for other in draft.cells if other.position < cell.position)
    names = {name for code in earlier for name in names_read_and_written(code).writes if not name.startswith("_")}
    own = draft.own_validators.validators if draft.own_validators is not None else ()
    return {"code": tuple(sorted(names)), "settings": tuple(sorted({*SETTING_WORDS, *own}))}


def _remarks(draft: DraftView, text: str) -> tuple[Diagnostic, ...]:
    path = Path(f"{draft.name}.py")
    return parse_problemset(text, name=draft.name, path=path, own_validators=draft.own_validators).diagnostics


def digests(draft: DraftView, *, environment: str = "") -> dict[str, str]:
    """Return, for each cell, a digest of everything its outcome rests on: all code up to it, and its settings."""
    running = hashlib.sha256(environment.encode())
    result = {}
    for cell in draft.cells:
        running.update(f"\0{cell.is_problem}\0{draft.value(cell, 'code')}".encode())
        own = running.copy()
        if cell.is_problem:
            own.update(f"\0{_without_examples(draft.value(cell, 'settings'))}".encode())
        result[cell.key] = own.hexdigest()
    return result


def _without_examples(settings: str) -> str:
    """Return settings without the answers that are kept: the problem's outcome does not rest on them."""
    if "examples:" not in settings:
        return settings
    try:
        return changed_settings(settings, "examples", None)
    except ContentError:
        return settings


def problem_on(draft: DraftView, cell: Cell) -> Problem | None:
    """Return a problem as the person left it; None where it cannot be put together, or is a setup cell."""
    original = draft.problemset.cells[cell.position] if draft.problemset is not None else None
    if not isinstance(original, Problem):
        return None
    made, _ = _make(draft, cell, original) if draft.is_edited(cell) else (original, ())
    return made if isinstance(made, Problem) else None


def cells_of(name: str, text: str) -> tuple[Cell, ...]:
    """Return the cells of a revision's text; none when it does not parse."""
    problemset = parse_problemset(text, name=name, path=Path(f"{name}.py")).problemset
    return _cells(problemset) if problemset is not None else ()


def _cells(problemset: Problemset) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    taken: set[str] = set()
    number = setups = 0
    for position, cell in enumerate(problemset.cells):
        if isinstance(cell, Problem):
            number += 1
            key = problem_id(problemset, number)
            key = f"p{number}" if key in taken or key.startswith("setup") else key
            texts = {"query": cell.query, "code": cell.code, "settings": problem_settings_yaml(cell)}
        else:
            setups += 1
            key, texts = f"setup{setups}", {"code": cell.source}
        taken.add(key)
        cells.append(Cell(key, position, number if isinstance(cell, Problem) else 0, cell.title, texts, cell.line))
    return tuple(cells)


def _make(
    draft: DraftView, cell: Cell, original: Problem | SetupCell
) -> tuple[Problem | SetupCell | None, tuple[Diagnostic, ...]]:
    if isinstance(original, SetupCell):
        return SetupCell(draft.value(cell, "code"), title=original.title), ()
    return problem_from_parts(
        draft.value(cell, "query"),
        draft.value(cell, "settings"),
        draft.value(cell, "code"),
        path=Path(f"{draft.name}.py"),
        title=original.title,
        own_validators=draft.own_validators,
    )
