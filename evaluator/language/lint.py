"""Checks that need more than one cell: code that parses, names that exist, ids that differ."""

import ast
import builtins
import codecs
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.diagnostics import Findings
from evaluator.errors import ContentError
from evaluator.language.cells import validator_line
from evaluator.language.file_kinds import KIND_OF_SUFFIX
from evaluator.language.model import Problem, Problemset, SetupCell
from evaluator.language.names import names_read_and_written
from evaluator.language.problem_settings import YamlPlace, declared_probes
from evaluator.language.python_source import code_nodes, parse_code
from evaluator.language.validators.resolution import (
    compared_values,
    probing_validators,
    resolve_validators,
    wanted_names,
)
from evaluator.language.validators.schemas import SOUND_OPTIONS

LABELS_IN_INPUTS: Final = "labels-in-inputs"
"""The code of the diagnostic; a waiver of this name settles it."""
LABELS_FIX: Final = (
    "score by labels that lie nowhere in inputs/, such as some that the reference code holds, or sign for it: "
    f"`waivers: {{{LABELS_IN_INPUTS}: {{by: NAME, reason: WHY}}}}`"
)
_FIX_SYNTAX: Final = "correct this line; an open bracket or quote above it is a common cause"
_DELIMITERS: Final = ",;\t|"
_HEADER_BYTES: Final = 64 * 1024
_MOST_STEPS: Final = 200  # from a name back to what it was made from
_SPLITS: Final = "train_test_split"
_SELECTING: Final = frozenset(  # methods and functions whose values are those that they are given, or some of them
    {"array", "asarray", "astype", "copy", "drop", "dropna", "flatten", "head", "list", "query", "ravel", "reset_index"}
    | {"reshape", "sample", "Series", "sort_index", "sort_values", "squeeze", "tail", "to_list", "to_numpy", "tolist"}
)


def scored_labels(problem: Problem) -> tuple[str, ...]:
    """Return the variables whose values the models of a problem are scored by; none where somebody waives it."""
    if LABELS_IN_INPUTS in problem.metadata.get("waivers", {}):
        return ()
    try:
        nodes = probing_validators(resolve_validators(problem))
    except ContentError:
        return ()  # reported when the file was parsed
    names = (node.options.get("labels_name") for node in nodes if node.name == "model")
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def labels_line(problem: Problem) -> int:
    """Return the line of the setting that names the labels."""
    return validator_line(problem, "model.labels_name")


def check_labels(problemset: Problemset, inputs: Path | None, findings: Findings) -> None:
    """Warn of labels that are, by the text of the code, a column of a text table in the inputs folder.

    What is computed, renamed or read from other kinds of files is not seen; executing the problemset tells more.
    """
    if inputs is None or not any(map(scored_labels, problemset.problems)):
        return
    headers = dict(_headers(problemset, inputs))
    made: dict[str, ast.expr] = {}
    for cell in problemset.cells:
        for node in code_nodes(cell.code if isinstance(cell, Problem) else cell.source):
            made.update(_bindings(node))
        if isinstance(cell, Problem):
            for name in scored_labels(cell):
                _check_name(cell, name, made, headers, findings)


def _check_name(
    problem: Problem,
    name: str,
    made: Mapping[str, ast.expr],
    headers: Mapping[str, frozenset[str]],
    findings: Findings,
) -> None:
    for column in _columns(ast.Name(name, ast.Load()), made):
        for file, header in headers.items():
            if column in header:
                what = f"the labels {name!r} are the column {column!r} of inputs/{file}: a model can look them up there"
                findings.warning(LABELS_IN_INPUTS, labels_line(problem), what, LABELS_FIX)
                return


def _has_header(path: Path) -> bool:
    kind = KIND_OF_SUFFIX.get(path.suffix.lower())
    return kind is not None and kind.has_header_line


def _headers(problemset: Problemset, inputs: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the text tables that the code names, each with the words of its first line."""
    text = "\n".join(cell.code if isinstance(cell, Problem) else cell.source for cell in problemset.cells)
    for path in sorted(inputs.rglob("*")):
        if _has_header(path) and path.name in text and path.is_file() and not path.is_symlink():
            try:
                with path.open("rb") as file:
                    line = _header_line(file.read(_HEADER_BYTES))
            except OSError:
                continue
            delimiter = max(_DELIMITERS, key=line.count)
            words = frozenset(word.strip().strip("\"'") for word in line.split(delimiter))
            yield path.relative_to(inputs).as_posix(), words


def _header_line(head: bytes) -> str:
    encoding = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    return next(iter(head.decode(encoding, "replace").splitlines()), "").strip()


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that an assignment binds, with what each is made from."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = _parts(node.value, len(target.elts))
            for part, value in zip(target.elts, values, strict=False):
                if isinstance(part, ast.Name):
                    yield part.id, value


def _parts(value: ast.expr, count: int) -> list[ast.expr]:
    """Return what each of so many targets gets: of a tuple its items, of a split two parts of every argument."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return list(value.elts)
    if isinstance(value, ast.Call) and _called(value) == _SPLITS:
        return [argument for argument in value.args for _ in range(2)]
    return [value] * count


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _columns(expression: ast.expr, made: Mapping[str, ast.expr]) -> Iterator[str]:
    """Yield the columns that a value may be, nearest first, going back through selections, methods and names."""
    waiting, seen = [expression], set[str]()
    for _ in range(_MOST_STEPS):
        if not waiting:
            return
        node = waiting.pop(0)
        if isinstance(node, ast.Name):
            if node.id in made and node.id not in seen:
                seen.add(node.id)
                waiting.append(made[node.id])
        elif isinstance(node, ast.Subscript):
            chosen = _chosen(node.slice)
            if chosen is not None:
                yield chosen
            else:
                waiting.append(node.value)
        elif isinstance(node, ast.Attribute):
            yield node.attr
            waiting.append(node.value)
        elif isinstance(node, ast.Call):
            first = node.args[0] if node.args else None
            if _called(node) in ("pop", "get") and isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value
            elif _called(node) in _SELECTING:
                waiting += [node.func.value] if isinstance(node.func, ast.Attribute) else []
                waiting += node.args[:1]


def _chosen(index: ast.expr) -> str | None:
    """Return the one column that a subscript chooses by its name: `["a"]`, `[["a"]]`, `.loc[rows, "a"]`."""
    if isinstance(index, ast.Tuple) and index.elts:
        index = index.elts[-1]
    if isinstance(index, ast.List) and len(index.elts) == 1:
        index = index.elts[0]
    return index.value if isinstance(index, ast.Constant) and isinstance(index.value, str) else None


_SESSION_NAMES = frozenset(
    {
        "display",
        "get_ipython",
        "exit",
        "quit",
        "In",
        "Out",
        "_",
        "__",
        "___",
        "__name__",
        "__builtins__",
        "_i",
        "_ih",
        "_oh",
    }
)


@dataclass(frozen=True)
class ReadCell:
    """A cell as read, with what tells the lines of its parts."""

    cell: SetupCell | Problem
    code_line: int  # of the first line of its code
    place: YamlPlace | None = None  # of a problem's settings

    def line(self, *path: str | int) -> int:
        """Return the line of the setting at `path`, or of the cell."""
        return self.place.line(*path) if self.place is not None else self.cell.line

    @property
    def code(self) -> str:
        """The code that runs."""
        return self.cell.code if isinstance(self.cell, Problem) else self.cell.source


def check_cells(cells: Sequence[ReadCell], preamble: str, findings: Findings) -> None:
    """Report what is wrong with the cells together."""
    _check_count(cells, preamble, findings)
    _check_ids(cells, findings)
    for cell in cells:
        check_syntax(cell, findings)
        if isinstance(cell.cell, Problem):
            _check_probes(cell, cell.cell, findings)
    if not findings.broken:  # an unreadable cell may make any name
        _check_names(cells, findings)


def check_published_options(problemset: Problemset, findings: Findings) -> None:
    """Report matcher options that the published rules do not know."""
    for problem in problemset.problems:
        try:
            compared = compared_values(resolve_validators(problem))
        except ContentError:
            continue  # reported when the file was parsed
        for where, options in compared:
            for name in sorted(SOUND_OPTIONS & set(options)):
                what = f"{where!r} has the option {name!r}, which only the sound rules know"
                fix = "remove it, or write 'rules: sound' into the manifest"
                line = validator_line(problem, where if "." in where else f"{where}.{name}")
                findings.error("option-of-other-rules", line, what, fix)


def _check_count(cells: Sequence[ReadCell], preamble: str, findings: Findings) -> None:
    if findings.broken or any(isinstance(cell.cell, Problem) for cell in cells):
        return
    if cells:
        what, fix = (
            "the file has cells but no problem",
            'open a cell with """, "query: ..." and """, then its reference code',
        )
    elif preamble.strip():
        what, fix = "the file has no line that starts with '# %%', so it has no cells", "write '# %%' before each cell"
    else:
        what, fix = (
            "the file is empty",
            "write at least one problem: a line '# %%', settings with a query, reference code",
        )
    findings.error("no-problems", cells[0].cell.line if cells else 1, what, fix)


def _check_ids(cells: Sequence[ReadCell], findings: Findings) -> None:
    first: dict[str, int] = {}
    index = 0
    for cell in cells:
        if not isinstance(cell.cell, Problem):
            continue
        index += 1
        written = cell.cell.metadata.get("id")
        name = str(written) if written else f"p{index}"
        line = cell.line("id")
        if name in first:
            what = f"the id {name!r} is already that of the problem on line {first[name]}"
            findings.error("duplicate-id", line, what, "give each problem an id of its own")
        first.setdefault(name, line)


def check_syntax(cell: ReadCell, findings: Findings) -> None:
    """Report code that does not parse."""
    fault = parse_code(cell.code).fault
    if fault is not None:
        line = cell.code_line + fault.line - 1
        findings.error("python-syntax", line, f"the code does not parse: {fault.words}", _FIX_SYNTAX)


def _check_names(cells: Sequence[ReadCell], findings: Findings) -> None:
    """Warn of names that no cell makes; stay silent once something may make names unseen."""
    known = set(dir(builtins)) | _SESSION_NAMES
    for cell in cells:
        parsed = parse_code(cell.code)
        if parsed.tree is None or parsed.has_magics or _makes_names_unseen(cell.code):
            return
        used = names_read_and_written(cell.code)
        missing = sorted(used.reads - known)
        for name in missing:
            line = cell.code_line + _first_line(cell.code, name) - 1
            what = f"no earlier cell makes {name!r}"
            findings.warning(
                "name-not-made", line, what, "make it in a setup cell or an earlier problem, or correct the name"
            )
        if isinstance(cell.cell, Problem):
            _check_forbidden(cell, cell.cell, known, findings)
        known |= used.writes | set(missing)
        if isinstance(cell.cell, Problem):
            probes = {probe.name for probe in declared_probes(cell.cell)}
            _check_wanted(cell, cell.cell, known | probes, findings)


def _check_forbidden(cell: ReadCell, problem: Problem, known: Iterable[str], findings: Findings) -> None:
    for name in problem.execution.forbid_names:
        if name not in known:
            what = f"'forbid_names' hides {name!r}, which no earlier cell makes"
            findings.warning(
                "name-not-made", cell.line("execution", "forbid_names"), what, "correct or remove the name"
            )


def _check_wanted(cell: ReadCell, problem: Problem, known: Iterable[str], findings: Findings) -> None:
    try:
        wanted = wanted_names(resolve_validators(problem))
    except ContentError:
        return
    for name in wanted:
        if name not in known and name.isidentifier():
            what = f"the validator compares {name!r}, which neither the reference code nor an earlier cell makes"
            line = cell.line("validator", "namespace_check", name)
            findings.warning(
                "variable-not-made", line, what, "correct the name, or make the variable in the reference code"
            )


def _check_probes(cell: ReadCell, problem: Problem, findings: Findings) -> None:
    """Warn of probes that no validator compares, and of names that the reference code makes itself."""
    try:
        wanted = wanted_names(resolve_validators(problem))
    except ContentError:
        return
    made = names_read_and_written(problem.code).writes
    for probe in declared_probes(problem):
        line = cell.line("probes", probe.name)
        if probe.name not in wanted:
            what = f"no validator compares the probe {probe.name!r}"
            findings.warning("probe-not-compared", line, what, f"name {probe.name!r} under 'namespace_check'")
        elif probe.name in made:
            what = f"the probe {probe.name!r} bears the name of a variable, which is not compared then"
            findings.warning("probe-hides-variable", line, what, "give the probe a name of its own")


def _makes_names_unseen(code: str) -> bool:
    for node in code_nodes(code):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("exec", "globals", "locals")
        ):
            return True
    return False


def _first_line(code: str, name: str) -> int:
    lines = [node.lineno for node in code_nodes(code) if isinstance(node, ast.Name) and node.id == name]
    return min(lines, default=1)
