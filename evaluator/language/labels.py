"""Warns where the labels that a model is scored by are read from `inputs/`, in which submissions can look them up."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from evaluator.errors import ContentError
from evaluator.language.findings import Findings
from evaluator.language.locating import validator_line
from evaluator.language.model import Problem, Problemset
from evaluator.language.python_source import parse_code
from evaluator.language.resolution import probing_validators, resolve_validators

LABELS_IN_INPUTS: Final = "labels-in-inputs"
"""The code of the diagnostic; a waiver of this name answers for it."""
LABELS_FIX: Final = (
    "score by labels that lie nowhere in inputs/, such as some that the reference code holds, or sign for it: "
    f"`waivers: {{{LABELS_IN_INPUTS}: {{by: NAME, reason: WHY}}}}`"
)
_TABLES: Final = (".csv", ".tsv", ".txt")
_DELIMITERS: Final = ",;\t|"
_HEADER_BYTES: Final = 64 * 1024
_MOST_STEPS: Final = 200  # from a name back to what it was made from
_SPLITS: Final = "train_test_split"
_SELECTING: Final = frozenset(  # methods and functions whose values are those that they are given, or some of them
    {"array", "asarray", "astype", "copy", "drop", "dropna", "flatten", "head", "list", "query", "ravel", "reset_index"}
    | {"reshape", "sample", "Series", "sort_index", "sort_values", "squeeze", "tail", "to_list", "to_numpy", "tolist"}
)


def scored_labels(problem: Problem) -> tuple[str, ...]:
    """Return the variables whose values the models of a problem are scored by; none where somebody answers for it."""
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
        tree = parse_code(cell.code if isinstance(cell, Problem) else cell.source).tree
        for node in ast.walk(tree) if tree is not None else ():
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


def _headers(problemset: Problemset, inputs: Path) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the text tables that the code names, each with the words of its first line."""
    text = "\n".join(cell.code if isinstance(cell, Problem) else cell.source for cell in problemset.cells)
    for path in sorted(inputs.rglob("*")):
        if path.suffix.lower() in _TABLES and path.name in text and path.is_file() and not path.is_symlink():
            try:
                with path.open("rb") as file:
                    line = file.readline(_HEADER_BYTES).decode("utf-8-sig", "replace").strip()
            except OSError:
                continue
            delimiter = max(_DELIMITERS, key=line.count)
            words = frozenset(word.strip().strip("\"'") for word in line.split(delimiter))
            yield path.relative_to(inputs).as_posix(), words


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
