"""In which language code is written that is no Python of today, by marks that others do not have."""

import ast
import re
from typing import Final

from evaluator.language import parse_code

_MARKS: Final = (
    (
        "Python 2",
        re.compile(r"^\s*print\s+[^\s(=.]|^\s*except\s+\w+\s*,\s*\w+\s*:|\bxrange\(.{0,200}\bprint\s+\w", re.MULTILINE),
    ),
    (
        "SQL",
        re.compile(
            r"^\s*(?:select\b[\s\S]*\bfrom\b|insert\s+into|update\s+\w+\s+set|create\s+(?:table|view)|with\s+\w+\s+as\s*\()",
            re.IGNORECASE,
        ),
    ),
    ("Java", re.compile(r"\bpublic\s+(?:static|class|int|void|final)\b|\bSystem\.out\b|\bimport\s+java\.")),
    ("C#", re.compile(r"^\s*using\s+System\b|\bConsole\.Write", re.MULTILINE)),
    ("C or C++", re.compile(r"^\s*#\s*include\b|\bstd::|\bint\s+main\s*\(|\bprintf\s*\(\"", re.MULTILINE)),
    ("Go", re.compile(r"^\s*package\s+\w+\s*$|\bfunc\s+\w*\([^()]{0,300}\)[^:{]{0,100}\{|\bfmt\.Print", re.MULTILINE)),
    ("Rust", re.compile(r"\bfn\s+\w+\s*\([^()]{0,300}\)[^{]{0,100}\{|\blet\s+mut\b|\bprintln!")),
    ("TypeScript", re.compile(r"\b(?:const|let)\s+\w+\s*:\s*\w+\s*=|\binterface\s+\w+\s*\{")),
    (
        "JavaScript",
        re.compile(r"\bfunction\b[^\n{]{0,300}\{|=>|\bconsole\.log\(|^\s*(?:const|let|var)\s+[\w{[]", re.MULTILINE),
    ),
    ("R", re.compile(r"^\s*[\w.]+\s*<-|%>%|\blibrary\(\w+\)|\bfunction\s*\([^()]{0,300}\)\s*\{?", re.MULTILINE)),
    ("Julia", re.compile(r"^\s*using\s+\w+|^\s*end\s*$", re.MULTILINE)),
    ("shell", re.compile(r"\A#!.*\b(?:ba|z)?sh\b|^\s*(?:echo|sudo|apt-get|cd)\s", re.MULTILINE)),
)
_NAMES: Final = {"py": "", "python": "", "python3": "", "python 3": "", "ipython": "", "js": "JavaScript", "cpp": "C++"}


def declared_language(name: str) -> str:
    """Return the language that material names; empty: Python, or it names none."""
    return _NAMES.get(name.strip().lower(), name.strip())


def other_language(code: str) -> str:
    """Return in which other language code seems to be written; empty: it is Python, or nothing is known."""
    tree = parse_code(code).tree
    if tree is not None:
        return "R" if any(map(_is_arrow, tree.body)) else ""
    return next((name for name, marks in _MARKS if marks.search(code)), "")


def _is_arrow(node: ast.stmt) -> bool:
    """Return whether a statement is R's `x <- 1`, which Python reads as a comparison that nobody looks at."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Compare):
        return False
    compared = node.value
    is_less = isinstance(compared.left, ast.Name) and isinstance(compared.ops[0], ast.Lt)
    last = compared.comparators[0]
    while isinstance(last, ast.BinOp):
        last = last.left
    return is_less and isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.USub)
