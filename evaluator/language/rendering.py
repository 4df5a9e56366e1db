"""Writes problemsets as text: unedited cells byte for byte as they were read, the others in one canonical form."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.diagnostics import Findings
from evaluator.errors import ContentError
from evaluator.language.cells import cut, is_marker, normal_line_ends
from evaluator.language.model import Problem, Problemset, SetupCell
from evaluator.language.parsing import read_cell
from evaluator.language.yaml_text.reader import YamlDocument, plain_values, read_yaml, write_yaml


def render_problemset(problemset: Problemset) -> str:
    """Return the text of a problemset; a cell whose `raw` still says the same keeps it, byte for byte.

    Raises:
        ContentError: If a cell cannot be written, such as code with a line that opens a cell.
    """
    text = problemset.preamble
    kept = [_kept(cell) for cell in problemset.cells]
    uses_crlf = any("\r\n" in raw for raw in kept if raw is not None)
    line_end = "\r\n" if uses_crlf else "\n"
    was_canonical = False
    for cell, raw in zip(problemset.cells, kept, strict=True):
        piece = render_cell(cell).replace("\n", line_end) if raw is None else raw
        if text.removeprefix("\ufeff") and not text.endswith(("\n", "\r")):
            text += line_end
        is_first = text == problemset.preamble
        if not is_first and (raw is None or was_canonical) and not text.endswith(line_end * 2):
            text += line_end
        text += piece
        was_canonical = raw is None
    return text


def render_cell(cell: SetupCell | Problem) -> str:
    """Return one cell in canonical form, marker line included, ending with one line end; empty for an empty cell."""
    return render_problem(cell) if isinstance(cell, Problem) else _render_setup(cell)


def render_problem(problem: Problem) -> str:
    """Return a problem in canonical form: marker, settings, reference code."""
    settings = write_yaml({"query": problem.query, **settings_of(problem)})
    text = assemble(problem, settings)
    _check_written(text, problem, f"the problem {problem.query.strip()[:40]!r}")
    return text


def settings_of(problem: Problem) -> dict[str, Any]:
    """Return everything but the query as the mapping that stands in the file; defaults are left out."""
    settings: dict[str, Any] = dict(problem.metadata)
    if problem.validator is not None:
        settings["validator"] = problem.validator
    limits = problem.execution
    execution: dict[str, Any] = {}
    if limits.max_time_s is not None:
        execution["max_time"] = _short(limits.max_time_s)
    if limits.max_memory_mb is not None:
        execution["max_memory"] = _short(limits.max_memory_mb)
    if limits.forbid_names:
        execution["forbid_names"] = list(limits.forbid_names)
    if execution:
        settings["execution"] = execution
    if problem.data:
        settings["data"] = problem.data
    return settings


def assemble(problem: Problem, settings: str) -> str:
    """Return the text of a problem whose settings (query included) are given as YAML text."""
    quotes = 'r"""' if "\\" in settings else '"""'
    code = normal_line_ends(problem.code).strip()
    return f'{_marker(problem.title)}\n{quotes}\n{settings}"""\n' + (f"\n{code}\n" if code else "")


def reread(text: str) -> tuple[tuple[SetupCell | Problem, ...], Findings]:
    """Read the text of one cell again, without the checks that need other cells."""
    findings = Findings(Path())
    preamble, cells = cut(text)
    read = [read_cell(cell, findings) for cell in cells]
    if preamble or findings.broken:
        return (), findings
    return tuple(cell.cell for cell in read if cell is not None), findings


def says_the_same(cell: SetupCell | Problem) -> bool:
    """Return whether the text that a cell was read from still says what the cell says."""
    return cell.raw is not None and reread(cell.raw)[0] == (cell,)


def _kept(cell: SetupCell | Problem) -> str | None:
    return cell.raw if says_the_same(cell) else None


def _short(number: float) -> float | int:
    return int(number) if number == int(number) else number


def _marker(title: str) -> str:
    if "\n" in title or "\r" in title:
        raise ContentError(f"the cell title {title!r} has more than one line", fix="write it on one line")
    return f"# %% {title.strip()}".rstrip()


def _render_setup(cell: SetupCell) -> str:
    source = normal_line_ends(cell.source).strip()
    if not source:
        return ""
    text = f"{_marker(cell.title)}\n{source}\n"
    _check_written(text, cell, "the setup cell")
    return text


def _check_written(text: str, cell: SetupCell | Problem, what: str) -> None:
    """Make sure that the text reads back as the cell: a file must never hold something else than was meant."""
    cells, findings = reread(text)
    if cells == (_normal(cell),):
        return
    code = cell.code if isinstance(cell, Problem) else cell.source
    if any(is_marker(line) for line in normal_line_ends(code).split("\n")):
        why, fix = "its code holds a line that starts with '# %%', which opens a cell", "indent or reword that line"
    elif findings.in_order():
        first = findings.in_order()[0]
        why, fix = first.what, first.fix
    else:
        why, fix = "its text would read back as something else", "use plain text, numbers, lists and mappings"
    raise ContentError(f"{what} cannot be written: {why}", fix=fix)


def _normal(cell: SetupCell | Problem) -> SetupCell | Problem:
    title = cell.title.strip()
    if isinstance(cell, SetupCell):
        return replace(cell, source=normal_line_ends(cell.source).strip(), title=title)
    validator: Mapping[str, Any] | None = None if cell.validator is None else plain_values(cell.validator)
    return replace(
        cell,
        title=title,
        code=normal_line_ends(cell.code).strip(),
        validator=validator,
        data=plain_values(cell.data),
        metadata=plain_values(cell.metadata),
    )


def changed_settings(written: str, key: str, value: Any, *, keep_comments: bool = False) -> str:
    """Return settings (YAML) with one key changed, added, or taken out where `value` is None.

    The other keys keep their comments and order; a key that is replaced keeps its place.

    Raises:
        ContentError: If the settings cannot be read as they are, or would lose a comment that `keep_comments` asks for.
    """
    document = _readable(written)
    wanted = _with(_mapping(document.value), key, value, drop=value is None)
    made = _in_place(written, (key,), value, wanted, drop=value is None)
    if made is not None:
        return _checked(written, made, (key,), drop=True) if value is None and keep_comments else made
    made = _spliced(written, document, (key,), {} if value is None else {key: value}, 0)
    made = made if _says(made, wanted) else write_yaml(wanted)
    return _checked(written, made, (key,), drop=value is None) if keep_comments else made


def changed_part(
    written: str, parent: str, key: str, value: Any, *, drop: bool = False, keep_comments: bool = False
) -> str:
    """Return settings (YAML) with one key below `parent` changed or added, or taken out where `drop` says so.

    The other keys keep their comments and order; a parent that is left with nothing is taken out too.

    Raises:
        ContentError: If the settings cannot be read as they are, or would lose a comment that `keep_comments` asks for.
    """
    document = _readable(written)
    settings = _mapping(document.value)
    below = _with(_mapping(settings.get(parent)), key, value, drop=drop)
    made = _in_place(written, (parent, key), value, {**settings, parent: below}, drop=drop) if below else None
    if made is not None:
        return _checked(written, made, (parent, key), drop=True) if drop and keep_comments else made
    siblings = [line for path, line in document.key_lines.items() if len(path) == 2 and path[0] == parent]
    if not below or not siblings:
        return changed_settings(written, parent, below or None, keep_comments=keep_comments)
    first = written.split("\n")[min(siblings) - 1]
    indent = len(first) - len(first.lstrip())
    made = _spliced(written, document, (parent, key), {} if drop else {key: value}, indent)
    if not _says(made, {**settings, parent: below}):
        return changed_settings(written, parent, below, keep_comments=keep_comments)
    return _checked(written, made, (parent, key), drop=drop) if keep_comments else made


def _checked(written: str, made: str, path: tuple[str, ...], *, drop: bool) -> str:
    """Return changed settings (YAML) if no comment was lost but those of what was dropped."""
    from evaluator.language.yaml_text.edits import lost_comments  # loads the package `yaml`

    if lost := lost_comments(written, made, path if drop else ()):
        what = f"changing {path[-1]!r} here would lose the comment {lost[0][:60]!r} of the settings"
        raise ContentError(what, where="settings (YAML)", fix=f"change {path[-1]!r} in the YAML itself")
    return made


def _in_place(written: str, path: tuple[str, ...], value: Any, wanted: Mapping[str, Any], *, drop: bool) -> str | None:
    """Return settings with one simple value changed where it stands; None where that does not do."""
    from evaluator.language.yaml_text.edits import edited_in_place  # loads the package `yaml`

    if not (drop or _is_simple(value)):
        return None
    made = edited_in_place(written, path, value, drop=drop)
    return made if made is not None and '"""' not in made and _says(made, wanted) else None


def _is_simple(value: Any) -> bool:
    """Return whether a value fits into a line: a number, a word, or a list of them."""
    if isinstance(value, list):
        return all(_is_simple(each) and not isinstance(each, list) for each in value)
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and "\n" not in value)


def _readable(written: str) -> YamlDocument:
    document = read_yaml(written)
    if not document.is_readable or document.faults:
        line = document.faults[0].line if document.faults else 1
        raise ContentError("the settings cannot be read", where=f"settings, line {line}", fix="mend them first")
    return document


def _mapping(value: Any) -> dict[Any, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _with(mapping: Mapping[Any, Any], key: str, value: Any, *, drop: bool) -> dict[Any, Any]:
    if drop:
        return {name: each for name, each in mapping.items() if name != key}
    return {**mapping, key: value}


def _says(made: str, wanted: Mapping[Any, Any]) -> bool:
    reread = read_yaml(made)
    return reread.is_readable and not reread.faults and (reread.value or {}) == wanted


def _spliced(written: str, document: YamlDocument, path: tuple[str, ...], new: Mapping[str, Any], indent: int) -> str:
    """Return the text with `new` in the place of the lines of a key, or behind its siblings."""
    lines = written.rstrip("\n").split("\n") if written.strip() else []
    last = len(lines) + 1
    if len(path) == 2:
        parent = document.key_lines[path[:1]]
        last = min(
            (line for other, line in document.key_lines.items() if len(other) == 1 and line > parent), default=last
        )
    first = document.key_lines.get(path, last)
    siblings = (
        line for other, line in document.key_lines.items() if other[:-1] == path[:-1] and len(other) == len(path)
    )
    end = min((line for line in siblings if line > first), default=last)
    while end - 1 > first and lines[end - 2].lstrip()[:1] in ("", "#"):
        end -= 1  # what is said above the next key stays with it, and blank lines around that
    if path not in document.key_lines:
        while first - 1 > 0 and first <= len(lines) and lines[first - 2].startswith("#"):
            first -= 1
        end = first
    text = write_yaml(new).rstrip("\n").split("\n") if new else []
    made = "\n".join(
        [*lines[: first - 1], *(" " * indent + line if line else line for line in text), *lines[end - 1 :]]
    )
    return f"{made}\n" if made.strip() else ""
