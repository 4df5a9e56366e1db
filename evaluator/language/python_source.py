"""Looks at Python code without running it; lines of IPython (`%magic`, `!shell`, `name?`) are let through."""

import ast
import re
import threading
import warnings
from functools import lru_cache
from typing import Final, NamedTuple

MAX_CODE_CHARS = 200_000
_CELL_MAGIC = re.compile(r"\s*%%")
_LINE_MAGIC = re.compile(r"(?P<indent>\s*)(?:[%!?]|[\w.]+\s*=\s*[%!]|[^#'\"]*\?\s*$)")
_BREAKS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_ONE_AT_A_TIME = threading.RLock()
_TRIES: Final = 20


class CodeFault(NamedTuple):
    """Why code does not parse; `line` counts from 1 within the code, `column` from 1 within the line."""

    line: int
    message: str
    column: int | None = None  # None: the fault has no place within the line

    @property
    def words(self) -> str:
        """What is wrong, with the column; the line is told by whoever knows where the code begins."""
        return self.message if self.column is None else f"{self.message}, column {self.column}"


class ParsedCode(NamedTuple):
    """The syntax tree of a cell, or why there is none."""

    tree: ast.Module | None
    fault: CodeFault | None
    has_magics: bool  # some lines were let through unread


def syntax_tree(code: str) -> ast.Module:
    """Return a tree of the caller's own, as `ast.parse` does and with its errors, safely beside other threads.

    Interpreters before 3.11.8 and 3.12.2 count the depth of recursion for all threads together and raise SystemError
    when two build trees at once (CPython, gh-106905): ours wait for each other, and a library's is met by trying again.
    """
    with _ONE_AT_A_TIME:
        for _ in range(_TRIES - 1):
            try:
                return ast.parse(code)
            except SystemError:
                continue
        return ast.parse(code)


@lru_cache(maxsize=256)
def parse_code(code: str) -> ParsedCode:
    """Parse a cell's code; a cell magic (`%%name`) leaves an empty tree, since its body need not be Python.

    Several checks look at the same cell, so trees are kept for a while: nobody may change them.
    """
    if len(code) > MAX_CODE_CHARS:
        return ParsedCode(None, CodeFault(1, f"the code is longer than {MAX_CODE_CHARS} characters"), False)
    lines = code.split("\n")
    has_magics = False
    for _ in range(len(lines) + 1):
        try:
            return ParsedCode(_compile("\n".join(lines)), None, has_magics)
        except _BREAKS as error:
            fault = _fault(error)
        if _CELL_MAGIC.match(code):
            return ParsedCode(ast.Module([], []), None, True)
        magic = _LINE_MAGIC.match(lines[fault.line - 1]) if fault.line <= len(lines) else None
        if magic is None:
            break
        has_magics = True
        _blank_out(lines, fault.line - 1, magic["indent"])
    return ParsedCode(None, fault, has_magics)  # pyrefly: ignore[unbound-name]  # there is a line


@lru_cache(maxsize=256)
def code_nodes(code: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a cell's tree, in the order of `ast.walk`; none when it does not parse."""
    tree = parse_code(code).tree
    found: list[ast.AST] = [] if tree is None else [tree]
    for node in found:  # which grows meanwhile; `ast.walk` takes three times as long
        for name in node._fields:
            below = getattr(node, name, None)
            if isinstance(below, ast.AST):
                found.append(below)
            elif isinstance(below, list):
                found += [each for each in below if isinstance(each, ast.AST)]
    return tuple(found)


def _compile(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = syntax_tree(code)
        compile(code, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return tree


def _blank_out(lines: list[str], index: int, indent: str) -> None:
    continued = lines[index].endswith("\\")
    lines[index] = f"{indent}pass"
    while continued and index + 1 < len(lines):
        index += 1
        continued = lines[index].endswith("\\")
        lines[index] = ""


def _fault(error: BaseException) -> CodeFault:
    if isinstance(error, SyntaxError):
        column = error.offset if error.offset and error.offset > 0 else None
        return CodeFault(max(error.lineno or 1, 1), error.msg or "invalid syntax", column)
    if isinstance(error, ValueError):
        return CodeFault(1, str(error))
    return CodeFault(1, "the code nests too deeply to be read")


_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith)


def syntactic_difficulty(code: str) -> int:
    """Sum the weights of all nodes of the code's syntax tree.

    for, while, if, with 3; any other statement 1; call 3; attribute or subscript 4; constant or name 0; any other
    expression 1; function argument 1.

    Returns:
        A count (>= 0); 0 for code that does not parse.

    Source: Zhang et al. 2024, arXiv:2402.17168, appendix B.
    """
    return sum(map(_weight, code_nodes(code)))


def _weight(node: ast.AST) -> int:
    if isinstance(node, ast.stmt):
        return 3 if isinstance(node, _BLOCKS) else 1
    if isinstance(node, ast.Call):
        return 3
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return 4
    if isinstance(node, (ast.Constant, ast.Name)):
        return 0
    return 1 if isinstance(node, (ast.expr, ast.arg)) else 0
