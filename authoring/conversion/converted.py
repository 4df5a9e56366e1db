"""What a conversion gives, the text of a problemset and what in it needs a person, and how it is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from authoring.seeds.intake import check_input_name
from authoring.store import problemsets
from authoring.store.drafting.seeds import find_seed
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Diagnostic, has_errors
from evaluator.errors import ContentError, by_place
from evaluator.language import (
    Problem,
    Problemset,
    SetupCell,
    error_of_diagnostics,
    parse_problemset,
    refused_links,
    render_problemset,
    with_language_version,
)


@dataclass(frozen=True)
class ConversionFinding:
    """One thing that a rule could not settle."""

    code: str  # stable and searchable, such as "no-answer"
    source: str  # where it stands in the material, such as "cell 4"
    problem: str  # id of the problem it concerns; empty: none came of it
    what: str
    fix: str

    def __str__(self) -> str:
        """Return the two lines that a terminal shows."""
        about = f" ({self.problem})" if self.problem else ""
        return f"{self.source}{about}: {self.what} [{self.code}]\n  fix: {self.fix}"

    def to_json(self) -> dict[str, str]:
        """Return the fields as plain JSON values."""
        named = {"code": self.code, "source": self.source, "problem": self.problem}
        return {**named, "what": self.what, "fix": self.fix}


@dataclass(frozen=True)
class Converted:
    """A problemset made of other material."""

    name: str
    text: str
    problems: int
    findings: tuple[ConversionFinding, ...]
    was_problemset: bool = False  # before it became the material: then errors refuse it as they do a file

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, the text left out."""
        findings = [finding.to_json() for finding in self.findings]
        return {"name": self.name, "problems": self.problems, "findings": findings}


def convert(
    name: str,
    cells: Sequence[SetupCell | Problem],
    findings: Sequence[ConversionFinding],
    *,
    source: str,
    preamble: str | None = None,
) -> Converted:
    """Write the cells as DSEAL and read the text again.

    Args:
        name: What the problemset is called.
        cells: In order; empty ones are left out.
        findings: What needs a person.
        source: What the cells were made of, for messages.
        preamble: Of the problemset that the material was written from; None: it is a new one.

    Raises:
        ContentError: If no problem came of the material, or the text would not read back.
    """
    problemset = Problemset(name, tuple(cell for cell in cells if not _is_empty(cell)), preamble or "")
    if not problemset.problems:
        said = f": {findings[0].what}" if findings else ""
        fix = "give material with questions and the code that answers them"
        raise ContentError(f"no problem could be made of it{said}", where=source, fix=fix)
    text = render_problemset(problemset)
    text = with_language_version(text) if preamble is None else text
    parsed = parse_problemset(text, name=name)
    if parsed.problemset is None:
        raise error_of_diagnostics(name, parsed.diagnostics, is_readable=False)
    return Converted(name, text, len(problemset.problems), tuple(findings), was_problemset=preamble is not None)


def nothing_stored(error: ContentError, diagnostics: Sequence[Diagnostic] = ()) -> ContentError:
    """Return an error that refuses an import, with what became of it; validators may yet come to the workspace."""
    told = ContentError(error.what, where=error.where, fix=f"{error.fix}; then import it again: nothing was stored")
    return by_place(told) if any(each.code == "unknown-validator" for each in diagnostics) else told


def _is_empty(cell: SetupCell | Problem) -> bool:
    return isinstance(cell, SetupCell) and not cell.source.strip()


_PLACE: Final = "place"  # the key of a first revision's provenance under which its place in a family is kept
MAX_INPUT_FILES: Final = 200
MAX_INPUT_BYTES: Final = 200_000_000


def import_problemset(
    ws: Workspace,
    text: str,
    *,
    name: str,
    inputs: Path | None = None,
    seed: str | None = None,
    author: str = "",
    message: str = "imported",
    place: Mapping[str, Any] = MappingProxyType({}),
) -> Revision:
    """Store a text as a new problemset of origin `import`; the text may be broken.

    Args:
        ws: The workspace.
        text: The DSEAL text.
        name: What the problemset is called.
        inputs: A folder whose files the session shows as `inputs/`; None: those of the seed, if one is named.
        seed: Name or id of the seed that it is about.
        author: Who imports it.
        message: What the first revision is.
        place: What the manifest of its benchmark says about its place in a family, plain JSON; releases say it again.

    Raises:
        UsageError: If the name is taken or cannot be a name, or there is no such seed.
        ContentError: If the inputs are too many or too large, oddly named, or links that lead elsewhere.
    """
    found = find_seed(ws, seed) if seed else None
    files = {file.name: file.digest for file in found.files} if found else {}
    if inputs is not None:
        files |= {path.name: ws.put_blob(path) for path in _files(inputs)}
    return problemsets.create(
        ws,
        name=name,
        text=text,
        author=author or "import",
        origin=Origin.IMPORT,
        seed_id=found.id if found else None,
        message=message,
        provenance={"author": "import", **({_PLACE: dict(place)} if place else {})},
        inputs=files,
    )


def kept_place(first: Revision) -> Mapping[str, Any]:
    """Return the place in a family that a problemset was imported with; empty where it has none."""
    place = first.provenance.get(_PLACE)
    return place if isinstance(place, Mapping) else {}


def import_converted(
    ws: Workspace, made: Converted, *, name: str, seed: str | None = None, author: str = "", message: str = "converted"
) -> Revision:
    """Store what came of a conversion; arguments and errors are those of `import_problemset`.

    Raises:
        ContentError: If it was a problemset before, and has errors; they are judged with the workspace's validators.
    """
    found = parse_problemset(made.text, name=made.name, own_validators=workspace_validators(ws)).diagnostics
    if made.was_problemset and has_errors(found):
        raise nothing_stored(error_of_diagnostics(made.name, found), found)
    return import_problemset(ws, made.text, name=name, seed=seed, author=author, message=message)


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    for link in refused_links(folder):
        what = f"{link.path.name!r} is a link that {link.what}"
        raise ContentError(what, where=str(link.path), fix="put a copy of the file in its place")
    for path in files:
        check_input_name(path)
    if len(files) > MAX_INPUT_FILES:
        fix = "give the set a folder of its own: _inputs/NAME"
        raise ContentError(f"the folder has {len(files):,} files", where=str(folder), fix=fix)
    large = next((path for path in files if path.stat().st_size > MAX_INPUT_BYTES), None)
    if large is not None:
        what = f"{large.name!r} is larger than {MAX_INPUT_BYTES / 1e6:,.0f} MB"
        raise ContentError(what, where=str(large), fix="keep the rows and columns that matter")
    return files
