"""The parts of a problem that an editor shows: query, settings, code; and back."""

import textwrap
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from evaluator.diagnostics import Diagnostic, Findings
from evaluator.language.cells import cut, is_marker, normal_line_ends, opening_string
from evaluator.language.lint import check_syntax
from evaluator.language.model import Problem
from evaluator.language.parsing import read_cell
from evaluator.language.problem_settings import QUERY_KEYS
from evaluator.language.rendering import assemble, says_the_same, settings_of
from evaluator.language.validators.own_validators import OwnValidators
from evaluator.language.yaml_text.reader import read_yaml, write_yaml


def problem_settings_yaml(problem: Problem) -> str:
    """Return everything but query, title and code as YAML text; with the author's comments and order where possible."""
    written = _written_settings(problem)
    return write_yaml(settings_of(problem)) if written is None else written


def problem_from_parts(
    query: str,
    settings_yaml: str,
    code: str,
    *,
    path: Path | None = None,
    title: str = "",
    own_validators: OwnValidators | None = None,
) -> tuple[Problem | None, tuple[Diagnostic, ...]]:
    """Build a problem from the parts that an editor shows; the settings keep their comments and order.

    Returns:
        The problem, or None where the settings cannot be read, and the diagnostics. Their path is `path` followed by
        `query`, `settings` or `code`; their lines count within that part.
    """
    folder = path or Path()
    query = normal_line_ends(query)
    settings_yaml = normal_line_ends(settings_yaml).rstrip() + "\n" if settings_yaml.strip() else ""
    code = normal_line_ends(code)
    refused = (*_refused_settings(settings_yaml, folder / "settings"), *_markers(settings_yaml, code, folder))
    if refused:
        return None, refused
    query_yaml = write_yaml({"query": query})
    raw = assemble(Problem(query=query, code=code, title=" ".join(title.split())), query_yaml + settings_yaml)
    cell = cut(raw).cells[0]
    findings = Findings(folder)
    read = read_cell(cell, findings, own_validators)
    if read is not None:
        check_syntax(read, findings)
    opening = opening_string(cell)
    assert opening is not None, "assembled settings open the cell"
    settings_line = opening.line + 1 + query_yaml.count("\n")
    skipped = len(code) - len(code.lstrip())
    code_line = opening.code_line - code[:skipped].count("\n")
    found = tuple(_in_part(d, settings_line, code_line, has_code=bool(code.strip())) for d in findings.in_order())
    if read is None or not isinstance(read.cell, Problem) or findings.broken:
        return None, found
    return read.cell, found


def _in_part(diagnostic: Diagnostic, settings_line: int, code_line: int, *, has_code: bool) -> Diagnostic:
    if diagnostic.code == "query-without-code":
        part, first = "code", diagnostic.line
    elif has_code and diagnostic.line >= code_line:
        part, first = "code", code_line
    elif diagnostic.line >= settings_line:
        part, first = "settings", settings_line
    else:
        part, first = "query", diagnostic.line
    return replace(diagnostic, path=diagnostic.path / part, line=max(diagnostic.line - first + 1, 1))


def _refused_settings(settings_yaml: str, path: Path) -> tuple[Diagnostic, ...]:
    findings = Findings(path)
    document = read_yaml(settings_yaml)
    for fault in document.faults:
        findings.error(fault.code, fault.line, fault.what, fault.fix)
    if '"""' in settings_yaml:
        line = settings_yaml.count("\n", 0, settings_yaml.index('"""')) + 1
        findings.error(
            "quotes-in-settings", line, 'the settings hold """, which ends them in the file', "use ''' instead"
        )
    if document.is_readable and document.value is not None:
        if not isinstance(document.value, dict):
            findings.error("wrong-type", 1, "the settings are not a mapping", "write lines of the form 'key: value'")
        else:
            for key in QUERY_KEYS:
                if key in document.value:
                    what = f"the settings hold {key!r}, which has a field of its own"
                    findings.error("query-twice", document.line(key), what, "move its text there")
    return findings.in_order()


def _markers(settings_yaml: str, code: str, folder: Path) -> Iterable[Diagnostic]:
    what, fix = "a line starts with '# %%', which opens a new cell in the file", "indent or reword that line"
    for part, text in (("settings", settings_yaml), ("code", code)):
        findings = Findings(folder / part)
        for number, line in enumerate(text.split("\n"), start=1):
            if is_marker(line):
                findings.error("marker-in-cell", number, what, fix)
        yield from findings.in_order()


def _written_settings(problem: Problem) -> str | None:
    """Return the settings as they stand in the text that the problem was read from, without the query."""
    if problem.raw is None or not says_the_same(replace(problem)):
        return None
    opening = opening_string(cut(problem.raw).cells[0])
    if opening is None:
        return None
    document = read_yaml(opening.text)
    starts = sorted(line for path, line in document.key_lines.items() if len(path) == 1)
    key = next(key for key in QUERY_KEYS if key in document.value)
    start = document.key_lines[(key,)]
    end = min((line for line in starts if line > start), default=len(opening.text.split("\n")) + 1)
    lines = opening.text.split("\n")
    while end - 1 > start and lines[end - 2].startswith("#"):
        end -= 1
    text = textwrap.dedent("\n".join([*lines[: start - 1], *lines[end - 1 :]])).strip("\n").rstrip()
    rest = {name: value for name, value in document.value.items() if name != key}
    reread = read_yaml(f"{text}\n")  # without its line end, a block at the end would say something else
    if not reread.is_readable or (reread.value or {}) != rest:
        return None
    return f"{text}\n" if text else ""
