"""A draft: a revision with that person's unsaved text over it, cell by cell. Pure: no Streamlit.

Composing puts the edited cells back into the document; cells that were not edited keep their bytes.
"""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from authoring.store.autosaves import Autosave
from authoring.ui.wording import numbered
from evaluator.diagnostics import Diagnostic, has_errors
from evaluator.errors import ContentError
from evaluator.language import (
    PROBLEM_KEYS,
    VALIDATOR_SCHEMAS,
    OwnValidators,
    Problem,
    SetupCell,
    changed_settings,
    language_version_of,
    names_read_and_written,
    parse_problemset,
    problem_from_parts,
)
from evaluator.language.document import Document
from evaluator.language.document_cells import DocumentCell

WHOLE: Final = ("", "text")  # identity of the field that holds the whole text
SETTING_WORDS: Final = tuple(
    sorted(
        {*PROBLEM_KEYS[2:], *VALIDATOR_SCHEMAS, *(name for each in VALIDATOR_SCHEMAS.values() for name in each.options)}
    )
)

MAX_NUMBERS: Final = 3  # of problems that one line names
KEPT_DOCUMENTS: Final = 16  # read texts of all tabs: each interaction needs that of its tab again

FieldKey = tuple[str, str]  # cell key, field name


@dataclass(frozen=True)
class Composed:
    """What the draft's text would be as a revision."""

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

    document: Document  # the revision
    revision_id: int
    edits: Mapping[FieldKey, str]  # only those that differ from the revision

    @property
    def cells(self) -> tuple[DocumentCell, ...]:
        """The cells of the revision; none when it does not parse."""
        return self.document.cells if self.document.parses else ()

    def value(self, cell: DocumentCell, field_name: str) -> str:
        """Return the text of a field as the person left it."""
        return self.edits.get((cell.key, field_name), cell.texts[field_name])

    def is_edited(self, cell: DocumentCell) -> bool:
        """Return whether any text of the cell differs from the revision."""
        return any((cell.key, name) in self.edits for name in cell.texts)

    @property
    def has_edits(self) -> bool:
        """Return whether saving would make a difference."""
        return bool(self.edits)

    def find(self, key: str | None) -> DocumentCell | None:
        """Return the cell of that key."""
        return next((cell for cell in self.cells if cell.key == key), None)

    @property
    def problems(self) -> tuple[DocumentCell, ...]:
        """The cells that are asked."""
        return self.document.problems


@dataclass(frozen=True)
class _Source:
    """What a document is read from; own validators are told apart by their digest."""

    text: str
    name: str
    own_digest: str | None
    own: OwnValidators | None = field(compare=False)


def read_document(text: str, name: str, own: OwnValidators | None) -> Document:
    """Read a text, or return what was read of the same text lately: documents do not change."""
    return _read(_Source(text, name, own.digest if own else None, own))


@functools.lru_cache(maxsize=KEPT_DOCUMENTS)
def _read(source: _Source) -> Document:
    return Document.parse(source.text, name=source.name, own_validators=source.own)


def open_draft(
    name: str, revision_id: int, text: str, autosaves: Sequence[Autosave] = (), own: OwnValidators | None = None
) -> DraftView:
    """Lay a person's autosaves over a revision's text."""
    document = read_document(text, name, own)
    cells = document.cells if document.parses else ()
    originals = {(cell.key, field_name): value for cell in cells for field_name, value in cell.texts.items()}
    originals[WHOLE] = text
    edits = {}
    for saved in autosaves:
        key = (saved.problem, saved.field)
        if key in originals and saved.text != originals[key]:
            edits[key] = saved.text
    return DraftView(document, revision_id, edits)


def edited_words(draft: DraftView, *, most: int = MAX_NUMBERS) -> str:
    """Return where unsaved text is: `problem 1`, `setup 1, problems 1, 3 and 2 more`, `the whole text`.

    Args:
        draft: The draft.
        most: How many problems are named.
    """
    edited = [cell for cell in draft.cells if draft.is_edited(cell)]
    if not edited:
        return "the whole text"
    numbers = [cell.number for cell in edited if cell.is_problem]
    problems = [numbered(numbers, most=most)] if numbers else []
    return ", ".join([*(cell.label.lower() for cell in edited if not cell.is_problem), *problems])


def compose(draft: DraftView) -> Composed:
    """Return the revision's text with the edited cells in their places."""
    if WHOLE in draft.edits:
        document = draft.document
        whole = read_document(draft.edits[WHOLE], document.name, document.own_validators)
        return Composed(draft.edits[WHOLE], {}, whole.diagnostics)
    if not draft.edits:
        return Composed(draft.document.text, {}, draft.document.diagnostics)
    made: dict[str, Problem | SetupCell] = {}
    faults: dict[str, tuple[Diagnostic, ...]] = {}
    for cell in draft.cells:
        if draft.is_edited(cell):
            new, diagnostics = _make(draft, cell)
            if new is None or has_errors(diagnostics):
                faults[cell.key] = diagnostics
            else:
                made[cell.key] = new
    if faults:
        return Composed(None, faults)
    document = draft.document.put(made)
    return Composed(document.text, {}, document.diagnostics)


def diagnostics_by_field(draft: DraftView, cell: DocumentCell) -> dict[str, tuple[Diagnostic, ...]]:
    """Return what is wrong with each text of a cell as it stands; lines count within the text."""
    found = _make(draft, cell)[1] if cell.is_problem else _of_setup(draft, cell)
    return {name: tuple(each for each in found if each.path.name == name) for name in cell.texts}


def with_settings(draft: DraftView, cell: DocumentCell, settings: str) -> tuple[Diagnostic, ...]:
    """Return what would be wrong with a problem if its settings were others."""
    return _problem_from(draft, cell, settings)[1]


def _of_setup(draft: DraftView, cell: DocumentCell) -> tuple[Diagnostic, ...]:
    text = f"# %%\n{draft.value(cell, 'code')}\n"
    found = parse_problemset(text, name=draft.document.name, path=Path("code")).diagnostics
    return tuple(dataclasses.replace(each, line=max(1, each.line - 1)) for each in found if each.code != "no-problems")


def known_words(draft: DraftView, cell: DocumentCell) -> dict[str, tuple[str, ...]]:
    """Return what completion offers in each text of a cell: variables of earlier cells; keys and validators."""
    earlier = (draft.value(other, "code") for other in draft.cells if other.position < cell.position)
    names = {name for code in earlier for name in names_read_and_written(code).writes if not name.startswith("_")}
    own = draft.document.own_validators.validators if draft.document.own_validators is not None else ()
    return {"code": tuple(sorted(names)), "settings": tuple(sorted({*SETTING_WORDS, *own}))}


def digests(draft: DraftView, *, environment: str = "") -> dict[str, str]:
    """Return, for each cell, a digest of everything its outcome rests on: all code up to it, and its settings."""
    version = language_version_of(draft.document.preamble)  # decides how long a problem may take that does not say it
    running = hashlib.sha256(f"{environment}\0{version}".encode())
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


def problem_on(draft: DraftView, cell: DocumentCell) -> Problem | None:
    """Return a problem as the person left it; None where it cannot be put together, or is a setup cell."""
    if not isinstance(cell.cell, Problem):
        return None
    return _problem_from(draft, cell)[0] if draft.is_edited(cell) else cell.cell


def cells_of(name: str, text: str) -> tuple[DocumentCell, ...]:
    """Return the cells of a revision's text; none when it does not parse."""
    document = Document.parse(text, name=name)
    return document.cells if document.parses else ()


def _make(draft: DraftView, cell: DocumentCell) -> tuple[Problem | SetupCell | None, tuple[Diagnostic, ...]]:
    if cell.is_problem:
        return _problem_from(draft, cell)
    return SetupCell(draft.value(cell, "code"), title=cell.title), ()


def _problem_from(
    draft: DraftView, cell: DocumentCell, settings: str | None = None
) -> tuple[Problem | None, tuple[Diagnostic, ...]]:
    return problem_from_parts(
        draft.value(cell, "query"),
        draft.value(cell, "settings") if settings is None else settings,
        draft.value(cell, "code"),
        path=Path(f"{draft.document.name}.py"),
        title=cell.title,
        own_validators=draft.document.own_validators,
    )
