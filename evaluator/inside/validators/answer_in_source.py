"""Whether a submission's source says the answer in words: one answer, said where a reader would look for it.

Said is what the cell prints as constants, else what it ends with or assigns last as a constant; of a source that is no
Python, all of it. A comment says nothing, nor does a constant that stands for itself before the end, nor the fixed
words around a computed value. A text with several values of the answer's kind is no answer but a list of guesses.
"""

import ast
import math
import numbers
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

_MAX_SOURCE: Final = 200_000
_MAX_TEXT: Final = 4_000  # said in all
_MAX_DEPTH: Final = 20
_MAX_BITS: Final = 10_000  # of an integer that is a text, too
_MAX_NUMBERS: Final = 2  # beside the expected one: "of 12 fares in 2024 the highest is 9.25"
_MAX_NAMES: Final = 2  # beside an expected word in upper case: others in upper case
_MAX_WORDS: Final = 10  # beside any other expected text
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?(?!\w)")
_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
_SIGNS: Final = re.compile(r"[^\w\s]+")
_TRUTH: Final = re.compile(r"(?<!\w)(?:true|false)(?!\w)", re.IGNORECASE)
_SHELL: Final = re.compile(r"=\s?[%!]")  # such as `files = !ls`


def says(source: str, expected: Any) -> bool:
    """Return whether a source says the expected value, and no more values of its kind than a sentence would.

    Args:
        source: A submission's code, or its prose; hostile.
        expected: What the reference's last expression gave.
    """
    text = _said(source) if len(source) <= _MAX_SOURCE else ""
    if not text or len(text) > _MAX_TEXT:
        return False
    if isinstance(expected, (bool, np.bool_)):
        return set(_TRUTH.findall(text)) == {str(bool(expected))}
    written = str(expected)
    found: list[Any] = _NUMBER.findall(text)
    if _is_number(expected) or _NUMBER.fullmatch(written):
        if len(found) > 1 and len(_LETTERS.findall(text)) < len(found):
            return False  # nothing but numbers is no sentence
        if _is_number(expected):
            return _is_one_of_few(Decimal(written), [Decimal(number) for number in found])
        return _is_one_of_few(written, found)
    return _says_text(text, written)


def _is_number(expected: Any) -> bool:
    """Return whether a value is written as a number; fractions are not, and those that are not finite are words."""
    if isinstance(expected, Decimal):
        return expected.is_finite()
    if isinstance(expected, (float, np.floating)):
        return math.isfinite(expected)
    return isinstance(expected, numbers.Integral)


def _is_one_of_few(expected: Any, found: list[Any]) -> bool:
    return expected in found and len(found) - found.count(expected) <= _MAX_NUMBERS


def _says_text(text: str, expected: str) -> bool:
    if not expected.strip():
        return False  # it stands everywhere
    rest, count = re.subn(rf"(?<!\w){re.escape(expected)}(?!\w)", " ", text)
    words, parts = _WORD.findall(rest), _WORD.findall(expected)
    if not parts:  # a sign, such as <=
        return count > 0 and len(_SIGNS.findall(rest)) <= _MAX_NAMES and len(words) <= _MAX_WORDS
    if not all(map(_is_capital, parts)):
        return count > 0 and len(words) <= _MAX_WORDS
    is_alike = str.isupper if expected.isupper() else _is_capital
    first = _WORD.search(text)
    begins = first is not None and first[0] != parts[0] and is_alike(first[0])  # as any sentence does
    return count > 0 and sum(map(is_alike, words)) - begins <= _MAX_NAMES


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _said(source: str) -> str:
    """Return the text that a source says."""
    body = _parsed(source)
    if body is None:
        return "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("#"))
    printed = [_texts(call.args) for call in _prints(body)]
    return " ".join(text for text in printed if text) or _last(body)


def _parsed(source: str) -> Sequence[ast.stmt] | None:
    """Return the statements of a source, without the lines that only IPython understands; None: it is no Python."""
    plain = "\n".join("pass" if _is_shell(line) else line for line in source.splitlines())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for code in (source, plain):
            try:
                return ast.parse(code).body
            except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
                continue
    return None


def _is_shell(line: str) -> bool:
    line = line.strip()
    return line.startswith(("%", "!", "?")) or line.endswith("?") or _SHELL.search(line) is not None


def _prints(body: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print":
            yield call


def _last(body: Sequence[ast.stmt]) -> str:
    """Return the constant that a cell ends with, else the one that its last assignment gives to a name."""
    if body and isinstance(body[-1], ast.Expr):
        text = _text(body[-1].value)
        if text:
            return text
    for statement in reversed(body):
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            is_named = statement.value is not None and all(isinstance(target, ast.Name) for target in targets)
            return (_text(statement.value) or "") if is_named and statement.value is not None else ""
    return ""


def _text(node: ast.expr, depth: int = 0) -> str | None:
    """Return what a constant, a formatted one or a literal of them says; None where something is computed."""
    if depth > _MAX_DEPTH:
        return None
    match node:
        case ast.Constant(value=value):
            is_long = isinstance(value, int) and value.bit_length() > _MAX_BITS
            return None if is_long else str(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float()) as operand):
            text = _text(operand, depth + 1)
            return None if text is None else f"-{text}"
        case ast.JoinedStr(values=parts):
            return _texts(parts, depth, between="")
        case ast.FormattedValue(value=part):
            return _text(part, depth + 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right) if _is_text(left) or _is_text(right):
            return _texts((left, right), depth)
        case ast.Call(func=ast.Attribute(value=template, attr="format"), args=parts) if _is_text(template):
            return _texts((template, *parts), depth)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return _texts(parts, depth)
    return None


def _texts(nodes: Iterable[ast.expr], depth: int = 0, *, between: str = " ") -> str | None:
    texts = [_text(node, depth + 1) for node in nodes]
    return None if None in texts else between.join(text for text in texts if text is not None)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
