"""Checks the test cases of a `table_test`: their form, and the code in them."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from evaluator.language.names import names_read_and_written
from evaluator.language.python_source import parse_code
from evaluator.language.settings import Place
from evaluator.language.yaml_reader import KeyPath

_FENCED = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)```", re.DOTALL)


def makes_name(code: str, name: str) -> bool:
    """Tell whether code makes a name."""
    return name in names_read_and_written(code).writes


def wrong_type(place: Place, path: KeyPath, wanted: str, value: Any, fix: str = "") -> None:
    """Report that the value at `path` is not what it must be."""
    shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
    what = f"{path[-1]!r} must be {wanted}, not {shown}"
    place.findings.error("wrong-type", place.line(*path), what, fix or f"write {wanted} after '{path[-1]}:'")


def check_cases(place: Place, path: KeyPath, cases: Any) -> None:
    """Report cases of a wrong form and code in them that cannot run."""
    if not isinstance(cases, list) or not cases:
        wrong_type(place, path, "a list of test cases, at least one", cases)
        return
    if isinstance(cases[0], str) and cases[0].strip() == "//":
        what = "the first test case repeats a case, but there is none before it"
        place.findings.error("nothing-to-repeat", place.line(*path, 0), what, "write a case before '//'")
    for number, case in enumerate(cases):
        if not isinstance(case, (list, Mapping)) and not _is_code_case(case):
            wanted = (
                "a list of arguments, a mapping of arguments, code between ``` lines, an expression in `...`, or '//'"
            )
            wrong_type(place, (*path, number), wanted, case)
        _check_case_code(place, (*path, number), case)
        for position, item in enumerate(case if isinstance(case, list) else ()):
            _check_case_code(place, (*path, number, position), item)


def _is_code_case(case: Any) -> bool:
    if not isinstance(case, str):
        return False
    return case.strip() == "//" or _fenced_code(case) is not None or _expression(case) is not None


def _fenced_code(text: str) -> str | None:
    found = _FENCED.fullmatch(text.strip())
    return None if found is None else found[1]


def _expression(text: str) -> str | None:
    text = text.strip()
    is_quoted = len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]
    return text[1:-1].strip() if is_quoted else None


def _check_case_code(place: Place, path: KeyPath, text: Any) -> None:
    """Report code of a case that cannot run; a mapping's values are taken as they are."""
    if not isinstance(text, str):
        return
    code, expression = _fenced_code(text), _expression(text)
    first = place.first_line + place.document.text_lines.get(path, place.document.line(*path)) - 1
    source = code if code is not None else expression
    if source is None:
        return
    parsed = parse_code(source)
    if parsed.tree is None and parsed.fault is not None:
        what = f"the code of a test case does not parse: {parsed.fault.message}"
        offset = parsed.fault.line if code is not None else 0
        place.findings.error("python-syntax", first + offset, what, "correct the code")
    elif code is not None and not (makes_name(code, "_test_case") or makes_name(code, "_generate")):
        what = "the code of a test case defines neither '_test_case' nor '_generate'"
        place.findings.error("code-without-function", first, what, "write '_test_case = [...]' in it")
    elif expression is not None and parsed.tree is not None and not _is_expression(parsed.tree):
        what = f"the test case {text.strip()!r} is no expression"
        place.findings.error("python-syntax", first, what, "write one expression, or a block between ``` lines")


def _is_expression(tree: ast.Module) -> bool:
    return len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
