"""Completion-style records (prompt, canonical solution, test) become problems that ask for a function."""

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from authoring.conversion.converted import ConversionFinding, Converted, convert
from evaluator.errors import ContentError, UsageError
from evaluator.language import Problem, SetupCell, parse_code

MAX_BYTES: Final = 50_000_000
MAX_RECORDS: Final = 5_000
MAX_CASES: Final = 60
_FIELDS: Final = {
    "prompt": ("prompt", "question", "instruction"),
    "solution": ("canonical_solution", "solution", "reference_code", "completion"),
    "test": ("test", "tests", "test_list"),
    "entry": ("entry_point", "function_name"),
    "key": ("task_id", "id", "name"),
}


def problemset_from_completions(path: Path, *, name: str | None = None) -> Converted:
    """Make a problemset of a file of records: JSON Lines, or one JSON list; nothing is executed.

    A record's prompt gives the query (the docstring of its last function, else its text) and the signature, prompt and
    canonical solution together the reference code, and the assertions of its test the arguments of `table_test`. The
    reference says what each case gives: a value that a test states otherwise is a finding after a dry run, not here.

    Raises:
        UsageError: If there is no such file.
        ContentError: If it is too large, holds no records, or none of them becomes a problem.
    """
    reader = _Records()
    for number, record in enumerate(_records(path), start=1):
        reader.take(number, record)
    return convert(name or path.stem, reader.cells(), reader.findings, source=str(path))


@dataclass
class _Records:
    """The records read so far."""

    problems: list[Problem] = field(default_factory=list)
    findings: list[ConversionFinding] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def cells(self) -> list[SetupCell | Problem]:
        return list(self.problems)

    def take(self, number: int, record: Mapping[str, Any]) -> None:
        key = self._id(_field(record, "key"), number)
        where = f"record {number}"
        prompt, solution = _field(record, "prompt"), _field(record, "solution")
        if not prompt.strip() or not solution.strip():
            what = "the record has no prompt or no solution"
            self._find("incomplete", where, key, what, "add `prompt` and `canonical_solution`")
            return
        code = _joined(prompt, solution)
        tree = None if code is None else parse_code(code).tree
        if code is None or tree is None:
            what = "prompt and solution together are no Python"
            self._find("unreadable-answer", where, key, what, "correct the record")
            return
        wanted = _field(record, "entry") or _last_function(tree)
        if not wanted or wanted not in _functions(tree):
            what = f"the code defines no function {wanted!r}" if wanted else "the code defines no function"
            self._find("no-function", where, key, what, "name the function in `entry_point`")
            return
        self._problem(where, key, code, tree, wanted, _test_text(record))

    def _problem(self, where: str, key: str, code: str, tree: ast.Module, wanted: str, test: str) -> None:
        function = _functions(tree)[wanted]
        cases, left = _cases(test, wanted)
        if not cases:
            self._find("no-cases", where, key, "no test case could be read from the test", "write `test_cases`")
        if left:
            what = f"{left} statements of the test are no plain assertion about {wanted!r} and were left out"
            self._find("test-left-out", where, key, what, "add what they check to `test_cases` or to a checker")
        validator: dict[str, Any] = {"template": "intact"}
        if cases:
            validator["table_test"] = {"function_name": wanted, "test_cases": cases[:MAX_CASES]}
        metadata = {"id": key, "tags": ["imported"], "knowledge_points": ["functions"]}
        query = _query(function)
        self.problems.append(Problem(query=query, code=code, validator=validator, metadata=metadata))

    def _id(self, wanted: str, number: int) -> str:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", wanted).strip("-")[:60] or f"p{number}"
        key = plain if plain not in self.ids else f"{plain}-{number}"
        self.ids.add(key)
        return key

    def _find(self, code: str, source: str, problem: str, what: str, fix: str) -> None:
        self.findings.append(ConversionFinding(code, source, problem, what, fix))


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            what = f"{path.name!r} is larger than {MAX_BYTES / 1e6:,.0f} MB"
            raise ContentError(what, where=str(path), fix="split it")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what = f"{path.name!r} cannot be read: {error.strerror}"
        raise UsageError(what, where=str(path), fix="check the path") from error
    except UnicodeDecodeError:
        raise ContentError(f"{path.name!r} is not UTF-8", where=str(path), fix="save it as UTF-8") from None
    rows = _parsed(text, path)
    if len(rows) > MAX_RECORDS:
        raise ContentError(f"{len(rows):,} records are too many for one set", where=str(path), fix="split the file")
    yield from rows


def _parsed(text: str, path: Path) -> list[Mapping[str, Any]]:
    fix = "write one JSON object a line, with `prompt` and `canonical_solution`"
    number = 0
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = []
            for number, line in enumerate(text.split("\n"), 1):  # noqa: B007 - told below
                rows += [json.loads(line)] if line.strip() else []
    except (ValueError, RecursionError) as error:
        where = f"{path}:{number}" if number else str(path)
        raise ContentError(f"{path.name!r} is no JSON: {str(error)[:200]}", where=where, fix=fix) from None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise ContentError(f"{path.name!r} holds no records", where=str(path), fix=fix)
    return rows


def _field(record: Mapping[str, Any], kind: str) -> str:
    found = (record.get(key) for key in _FIELDS[kind])
    return next((str(value) for value in found if isinstance(value, str | int)), "")


def _test_text(record: Mapping[str, Any]) -> str:
    for key in _FIELDS["test"]:
        value = record.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "\n".join(str(line) for line in value)
    return ""


def _joined(prompt: str, solution: str) -> str | None:
    """Return prompt and solution as one piece of code: a completion goes on, a whole function stands alone."""
    for code in (f"{prompt}{solution}", f"{prompt.rstrip()}\n{solution}", f"{prompt.rstrip()}\n{_indented(solution)}"):
        tree = parse_code(code).tree
        if tree is not None and _functions(tree):
            return textwrap.dedent(code).strip()
    tree = parse_code(solution).tree
    if tree is None or not _functions(tree):
        return None
    name = _last_function(tree)
    function = _functions(tree)[name]
    if ast.get_docstring(function) is None:  # the prompt is prose: it becomes the query by way of the docstring
        function.body.insert(0, ast.Expr(ast.Constant(prompt.strip())))
        return ast.unparse(ast.fix_missing_locations(tree))
    return solution.strip()


def _indented(solution: str) -> str:
    return textwrap.indent(textwrap.dedent(solution), "    ")


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _last_function(tree: ast.Module) -> str:
    return next(reversed(_functions(tree)), "")


def _query(function: ast.FunctionDef) -> str:
    signature = f"{function.name}({ast.unparse(function.args)})"
    told = (ast.get_docstring(function) or "").strip()
    return f"Write a function `{signature}`.\n\n{told}".strip() + "\n"


def _cases(test: str, wanted: str) -> tuple[list[Any], int]:
    """Return the arguments of the calls that the assertions are about, and how many statements are of another kind."""
    tree = parse_code(test).tree
    if tree is None:
        return [], 1 if test.strip() else 0
    cases: list[Any] = []
    left = 0
    for statement in _statements(tree):
        if not isinstance(statement, ast.Assert):
            left += not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.Pass)
            continue
        calls = [node for node in ast.walk(statement.test) if _calls(node, wanted)]
        case = _case(calls[0]) if len(calls) == 1 and isinstance(calls[0], ast.Call) else None
        if case is None:
            left += not isinstance(statement.test, ast.Constant)
        elif case not in cases:
            cases.append(case)
    return cases, left


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield from (one for one in node.body if not _is_docstring(one))
        else:
            yield node


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _calls(node: ast.AST, wanted: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"candidate", wanted}


def _case(call: ast.Call) -> list[Any] | None:
    """Return the arguments as a case: plain values as they are, other expressions as code in backquotes."""
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    return [_argument(argument) for argument in call.args]


def _argument(argument: ast.expr) -> Any:
    try:
        value = ast.literal_eval(argument)
    except (ValueError, RecursionError, MemoryError):
        return f"`{ast.unparse(argument)}`"
    return value if _is_plain(value) else f"`{ast.unparse(argument)}`"


def _is_plain(value: Any) -> bool:
    """Return whether YAML keeps the value and its type."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return value is None or (isinstance(value, bool | int | float) and value == value) or _is_plain_text(value)


def _is_plain_text(value: Any) -> bool:
    return isinstance(value, str) and "`" not in value and value.strip() != "//"
