"""Reads the text of a problemset into objects, with all diagnostics at once."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from evaluator.diagnostics import Diagnostic, Findings, Severity
from evaluator.errors import ContentError
from evaluator.language.cells import (
    CellText,
    OpeningString,
    cut,
    is_unclosed,
    opening_string,
    skip_blank,
)
from evaluator.language.lint import ReadCell, check_cells
from evaluator.language.model import Problem, Problemset, SetupCell, problem_id
from evaluator.language.problem_settings import PROBLEM_KEYS, QUERY_KEYS, YamlPlace, read_settings
from evaluator.language.validators.own_validators import OwnValidators
from evaluator.language.validators.validator_lint import check_validators
from evaluator.language.versions import LANGUAGE_VERSION, UNSTATED_VERSION, version_line
from evaluator.language.yaml_text.reader import YamlDocument, read_yaml
from evaluator.registry import nearest_name

MAX_FILE_CHARS = 5_000_000
MAX_CELLS = 2_000
MAX_LISTED = 5  # errors in one message
_LOOKS_LIKE_SETTINGS = re.compile(rf"^\s*(?:{'|'.join(PROBLEM_KEYS)})\s*:", re.MULTILINE)
_MISPLACED = re.compile(r"^\s*(?:'''|[A-Za-z]{0,2}\"\"\")\s*\n?\s*(?:query|question)\s*:", re.MULTILINE)


class ParsedProblemset(NamedTuple):
    """What a text holds; no problemset when an error keeps it from becoming objects."""

    problemset: Problemset | None
    diagnostics: tuple[Diagnostic, ...]


def parse_problemset(
    text: str,
    *,
    name: str,
    path: Path | None = None,
    language_version: int = UNSTATED_VERSION,
    own_validators: OwnValidators | None = None,
) -> ParsedProblemset:
    """Read a problemset and check it; runs nothing.

    Args:
        text: The file's text, any line ends.
        name: The problemset's name (the file's stem).
        path: Where diagnostics say the text stands; `<name>.py` if not given.
        language_version: Of the benchmark that it belongs to; a text that states its own version has that one.
            1 splits cells at bare marker lines only, as published files need it.
        own_validators: Those of the benchmark that the problemset belongs to.

    Returns:
        The problemset and its diagnostics. Code that does not parse, unknown validators and the like are errors, but
        the objects are there; unreadable settings, control bytes and excess size leave no objects.
    """
    findings = Findings(path or Path(f"{name}.py"))
    if not _is_text(text, findings):
        return ParsedProblemset(None, findings.in_order())
    preamble, cell_texts = cut(text, language_version=language_version)
    if len(cell_texts) > MAX_CELLS:
        what = f"the file has {len(cell_texts)} cells, more than {MAX_CELLS}"
        findings.fatal("too-many-cells", cell_texts[MAX_CELLS].line, what, "split it into several problemsets")
        return ParsedProblemset(None, findings.in_order())
    every = (read_cell(cell_text, findings, own_validators) for cell_text in cell_texts)
    read = [cell for cell in every if cell is not None]
    check_cells(read, preamble, findings)
    _check_version(text, findings)
    if findings.broken:
        return ParsedProblemset(None, findings.in_order())
    problemset = Problemset(name, tuple(cell.cell for cell in read), preamble, benchmark_version=language_version)
    return ParsedProblemset(problemset, tuple(_naming_problem(each, problemset) for each in findings.in_order()))


def error_of_diagnostics(
    name: str, diagnostics: Sequence[Diagnostic], *, is_readable: bool = True, path: Path | None = None
) -> ContentError:
    """Return the error that refuses a text: what the first errors in it are, with their lines, and the remedy.

    Args:
        name: What the problemset is called.
        diagnostics: With at least one error.
        is_readable: Whether objects came of the text all the same.
        path: Of its file, if it was read from one.
    """
    errors = [each for each in diagnostics if each.severity is Severity.ERROR]
    first = errors[0]
    listed = "; ".join(f"line {each.line}: {each.what}" for each in errors[:MAX_LISTED])
    more = f"; and {len(errors) - MAX_LISTED} more" if len(errors) > MAX_LISTED else ""
    count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
    what = f"{name!r} has {count}" if is_readable else f"{name!r} cannot be read"
    return ContentError(f"{what}: {listed}{more}", where=f"{path or name}, line {first.line}", fix=first.fix)


def _naming_problem(diagnostic: Diagnostic, problemset: Problemset) -> Diagnostic:
    """Return an error in the settings of a problem with the problem's number and id in it."""
    around = [index for index, each in enumerate(problemset.problems, 1) if each.line <= diagnostic.line]
    if diagnostic.severity is not Severity.ERROR or not around:
        return diagnostic
    index = around[-1]
    if diagnostic.line >= problemset.problems[index - 1].code_line:
        return diagnostic
    return replace(diagnostic, what=f"problem {index} ({problem_id(problemset, index)}): {diagnostic.what}")


def read_cell(cell: CellText, findings: Findings, own_validators: OwnValidators | None = None) -> ReadCell | None:
    """Turn the text of one cell into a problem or a setup cell; None if its settings cannot be read."""
    opening = opening_string(cell)
    if opening is None:
        return _setup(cell) if _has_sound_shape(cell, findings) else None
    document = read_yaml(opening.text)
    if not document.is_readable:
        return _unreadable(cell, opening, document, findings)
    if not isinstance(document.value, dict):
        return _setup(cell)
    if not any(key in document.value for key in QUERY_KEYS):
        _check_without_query(cell, opening, document, findings)
        return _setup(cell)
    return _problem(cell, opening, YamlPlace(document, opening.line, findings), own_validators)


def _is_text(text: str, findings: Findings) -> bool:
    if len(text) > MAX_FILE_CHARS:
        what = f"the file is {len(text)} characters long, more than {MAX_FILE_CHARS}"
        findings.fatal("file-too-large", 1, what, "move data into input files")
    elif "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        findings.fatal("nul-byte", line, "the file holds a NUL byte", "remove it; a problemset is a UTF-8 text file")
    return not findings.broken


def _check_version(text: str, findings: Findings) -> None:
    stated = version_line(text)
    if stated is None:
        return
    if stated.version is None:
        what = f"{stated.written[:40]!r} is no language version that a file can state"
        fix = f"write '# language_version: {LANGUAGE_VERSION}', or leave the line out"
        findings.error("bad-language-version", stated.line, what, fix)
    elif stated.version > LANGUAGE_VERSION:
        what = f"the file is written in language version {stated.version}, newer than {LANGUAGE_VERSION}"
        findings.error("newer-language", stated.line, what, "use a newer Benchwright")


def _setup(cell: CellText) -> ReadCell:
    source, skipped = skip_blank(cell.body)
    return ReadCell(SetupCell(source, cell.title, cell.raw, cell.line), cell.body_line + skipped)


def _problem(
    cell: CellText, opening: OpeningString, place: YamlPlace, own_validators: OwnValidators | None
) -> ReadCell:
    _report_faults(place.document, opening, place.findings)
    settings = read_settings(place)
    if settings.validator is not None:
        check_validators(place, settings.validator, own_validators)
    if not opening.code:
        what = "the problem has a query but no reference code"
        place.findings.error(
            "query-without-code", place.line(), what, "write the code that answers it below the settings"
        )
    problem = Problem(
        query=settings.query,
        code=opening.code,
        title=cell.title,
        validator=settings.validator,
        execution=settings.execution,
        data=settings.data,
        metadata=settings.metadata,
        raw=cell.raw,
        line=cell.line,
        code_line=opening.code_line,
        spelling=settings.spelling,
        own_validators=own_validators,
    )
    return ReadCell(problem, opening.code_line, place)


def _report_faults(document: YamlDocument, opening: OpeningString, findings: Findings) -> None:
    for fault in document.faults:
        findings.fatal(fault.code, opening.line + fault.line - 1, fault.what, fault.fix)


def _unreadable(cell: CellText, opening: OpeningString, document: YamlDocument, findings: Findings) -> ReadCell | None:
    if _LOOKS_LIKE_SETTINGS.search(opening.text) or opening.text.lstrip()[:1] in ("{", "["):
        _report_faults(document, opening, findings)
        return None
    what = "the cell opens with text that is not YAML, so it is taken for a setup cell"
    fix = "write a comment with '#' instead, or 'query:' if this is a problem"
    findings.warning("opening-text", opening.line, what, fix)
    return _setup(cell)


def _check_without_query(cell: CellText, opening: OpeningString, document: YamlDocument, findings: Findings) -> None:
    place = YamlPlace(document, opening.line, findings)
    for key in document.value:
        if isinstance(key, str) and key not in PROBLEM_KEYS and nearest_name(key, list(QUERY_KEYS)):
            near = nearest_name(key, list(QUERY_KEYS))
            findings.fatal("unknown-key", place.line(key), f"no key is called {key!r}", f"use {near!r}")
            return
    known = [key for key in document.value if key in PROBLEM_KEYS]
    if known:
        what = f"the cell has settings ({', '.join(known)}) but no query, so it is a setup cell and they have no effect"
        findings.warning("settings-without-query", cell.line, what, "add 'query:', or remove the settings")


def _has_sound_shape(cell: CellText, findings: Findings) -> bool:
    """Report settings that are there but not read as such."""
    body, skipped = skip_blank(cell.body)
    line = cell.body_line + skipped
    if is_unclosed(cell):
        what = 'the settings open with """ but do not close in this cell'
        findings.fatal("settings-not-closed", line, what, 'write """ on a line of its own after the settings')
        return False
    found = _MISPLACED.search(body)
    if found is not None:
        at = line + body.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip()))
        what = "these settings are not read, so the cell is not a problem"
        fix = 'open the cell with the settings, between """ and """, with nothing but the code after them'
        findings.error("settings-not-read", at, what, fix)
    return True
