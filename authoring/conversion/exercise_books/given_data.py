"""What an exercise gives to start from: data in the code of its text, and at the top of the cell that answers it."""

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from evaluator.language import names_read_and_written, parse_code

_FENCED: Final = re.compile(r"```[ \t]*(?:i?python3?|py)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_MAKES: Final = (
    r"(?:creat\w*|mak(?:e|ing)|defin\w*|generat\w*|build\w*|construct\w*|initiali[sz]\w*|declar\w*|assign\w*|stor(?:e|ing)"
    r"|writ(?:e|ing)|convert\w*|instantiat\w*|load\w*|import\w*|read\w*)"
)
_ASKS_TO_MAKE: Final = re.compile(rf"\b{_MAKES}\b", re.IGNORECASE)
_KINDS: Final = (
    r"(?:called|named|array|list|matrix|series|data ?frame|dict(?:ionary)?|variables?|vector|tuple|set|string)"
)
_FOLLOWING_CODE: Final = re.compile(
    r"\b(?:following|this|below|these) (?:\w+ )?(?:code|program|snippet|expressions?|statements?|lines?)\b"
    r"|\bcode (?:below|cell)\b",
    re.IGNORECASE,
)


USUAL_IMPORTS: Final[Mapping[str, str]] = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
}
"""What notebooks forget that were written in a session which had it."""


def made_in_text(texts: Iterable[str], code: str) -> tuple[str, str]:
    """Return the code of a text that makes what an answer starts from, and that text; empty: no text does.

    Code of a text that reads what the session holds is no data: it hints at an answer, or shows one.
    """
    needed = unmade_names(code, ())
    for text in texts:
        blocks = [block.strip("\n") for block in _FENCED.findall(text)]
        given = [block for block in blocks if parse_code(block).tree is not None and not _reads_session(block)]
        if any(needed & names_read_and_written(block).writes for block in given):
            return "\n\n".join(given), text
    return "", ""


def _reads_session(block: str) -> bool:
    return bool(unmade_names(block, {*USUAL_IMPORTS, "random", "datetime"}))


def unmade_names(code: str, made: Collection[str]) -> set[str]:
    """Return the names that code reads before it, or anything before it, makes them."""
    return {name for name in names_read_and_written(code).reads if name not in made and not hasattr(builtins, name)}


def split_given(query: str, code: str) -> tuple[str, str, list[str]]:
    """Split what the top of an answer gives from what answers: `x = np.arange(4)` above the determinant of x.

    Written values are given that the answer uses, unless the question asks to make them.

    Returns:
        Code that gives, code that answers, and the names that are given; the first is empty where nothing is.
    """
    tree = parse_code(code).tree
    if tree is None:
        return "", code, []
    given: list[str] = []
    used = 0
    for count, node in enumerate(tree.body[:-1], start=1):
        names = _given_names(node, given)
        if names is None or not all(_is_given(query, name) for name in names):
            break
        rest = "\n".join(ast.unparse(each) for each in tree.body[count:])
        given += names
        if set(given) & names_read_and_written(rest).reads:
            used = count
    names = [name for node in tree.body[:used] for name in _given_names(node, given) or []]
    if not names or not _answers(tree.body[used:]):
        return "", code, []
    lines = code.split("\n")
    last = tree.body[used - 1].end_lineno or 0
    return "\n".join(lines[:last]).strip("\n"), "\n".join(lines[last:]).strip("\n"), names


def _answers(nodes: list[ast.stmt]) -> bool:
    """Return whether statements do more than show something."""
    shown = [node.value for node in nodes if isinstance(node, ast.Expr)]
    return len(shown) < len(nodes) or not all(isinstance(value, ast.Name) for value in shown)


def _given_names(node: ast.stmt, given: Collection[str]) -> list[str] | None:
    """Return the names to which a statement gives written values; none for an import; None: it does something else."""
    if isinstance(node, ast.Import | ast.ImportFrom) or _seeds(node):
        return []
    if not isinstance(node, ast.Assign) or not all(isinstance(each, ast.Name) for each in node.targets):
        return None
    if not _is_written(node.value, given):
        return None
    return [each.id for each in node.targets if isinstance(each, ast.Name)]


def _is_written(value: ast.expr, given: Collection[str]) -> bool:
    """Return whether a value is written out, or drawn, and not worked out: constants, and calls that hold them."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _HOLDERS:
                return False
        elif isinstance(node, ast.Lambda | ast.Await | ast.NamedExpr | ast.Compare):
            return False
    roots = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)} - _PLAIN
    loops = {
        each.target.id
        for each in ast.walk(value)
        if isinstance(each, ast.comprehension) and isinstance(each.target, ast.Name)
    }
    is_table = isinstance(value, ast.Call) and ast.unparse(value.func).endswith(("DataFrame", "Series"))
    return not roots - loops - (set(given) if is_table else set())


_HOLDERS: Final = frozenset(
    {"array", "asarray", "arange", "eye", "identity", "zeros", "ones", "full", "linspace", "diag", "matrix", "mat"}
    | {"reshape", "astype", "copy", "DataFrame", "Series", "Index", "MultiIndex", "from_product", "from_arrays"}
    | {"from_tuples", "date_range", "period_range", "bdate_range", "Timestamp", "Categorical", "range", "list", "dict"}
    | {"set", "tuple", "float", "int", "str", "choice", "randint", "rand", "randn", "random", "normal", "uniform"}
    | {"permutation", "RandomState", "default_rng", "integers", "standard_normal", "random_sample", "StringIO"}
)
_PLAIN: Final = frozenset(
    {"np", "pd", "numpy", "pandas", "random", "io", "StringIO", "range", "list", "dict", "set", "tuple", "float", "int"}
    | {"str"}
)


def _seeds(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith("seed")


def _is_given(query: str, name: str) -> bool:
    """Return whether a question starts from a variable, and does not ask to make it."""
    is_word = len(name) > 2 and name.isalpha()  # "create an array of numbers" speaks of no variable
    marks = "[`'\"]" if is_word and _ASKS_TO_MAKE.search(query) else ""
    is_mentioned = bool(re.search(rf"(?<!\w){marks}{re.escape(name)}{marks}(?!\w)", query))
    if not is_mentioned:
        return not _ASKS_TO_MAKE.search(query)
    makes_it = rf"\b{_MAKES}\b[^.\n]*\b{_KINDS}\s+(?:the\s+)?[`'\"*]*{re.escape(name)}(?!\w)"
    keeps_it = (
        rf"\b(?:assign|stor|sav|call|nam)\w*\b[^.\n]*\b(?:as|to|in|into|it|them)\s+[`'\"*]*{re.escape(name)}(?!\w)"
    )
    return not (re.search(makes_it, query, re.IGNORECASE) or re.search(keeps_it, query, re.IGNORECASE))


def with_given(query: str, code: str, names: Collection[str]) -> str:
    """Return a query that says what is given to start from; what its own code shows is not said again."""
    shown = "\n".join(_FENCED.findall(query))
    told = [name for name in dict.fromkeys(names) if not re.search(rf"\b{re.escape(name)}\b\s*=", shown)]
    if not told:
        return query
    listed = ", ".join(f"`{name}`" for name in told)
    if len(code) <= MAX_SHOWN:
        return f"{query}\n\nGiven:\n```python\n{code}\n```"
    return f"{query}\n\n{listed} {'is' if len(told) == 1 else 'are'} in the session already."


MAX_SHOWN: Final = 600  # characters of code that a query repeats


def only_repeats(query: str, code: str) -> bool:
    """Return whether code is what the question shows itself, so that nothing answers it."""
    shown = {_plain(block) for block in _FENCED.findall(query)}
    return bool(shown) and _plain(code) in shown


def _plain(code: str) -> str:
    tree = parse_code(code).tree
    return ast.unparse(tree) if tree is not None else code.strip()


def asks_about_code(query: str) -> bool:
    """Return whether a question is about code that stands below it and not in it: what does the following print?"""
    return bool(_FOLLOWING_CODE.search(query)) and not _FENCED.search(query)
