"""What an exercise gives to start from: data in the code of its text, and at the top of the cell that answers it."""

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from authoring.conversion.exercise_books.questions import STARTING_WORDS
from evaluator.language import names_read_and_written, parse_code

_FENCED: Final = re.compile(r"```[ \t]{0,20}(?:i?python3?|py)?[ \t]{0,20}\n(.*?)```", re.DOTALL | re.IGNORECASE)
_MAKES: Final = (
    r"(?:creat\w*|mak(?:e|ing)|defin\w*|generat\w*|build\w*|construct\w*|initiali[sz]\w*|declar\w*|assign\w*"
    r"|stor(?:e|ing)|writ(?:e|ing)|convert\w*|instantiat\w*|load\w*|import\w*|read\w*|set|let|draw\w*|simulat\w*"
    r"|sampl\w*|reshap\w*|produc\w*|roll\w*|throw\w*|form|take)"
)
_SHOWS: Final = frozenset({"print", "display", "len", "sum", "type", "repr", "str"})
_ASKS_TO_MAKE: Final = re.compile(rf"\b{_MAKES}\b", re.IGNORECASE)
_FROM: Final = r"\b(?:of|from|in|on|with|using|for|as)\b"  # what follows is what a question starts from
_PROVIDES: Final = re.compile(r"\b(?:given|below|following|provided)\b", re.IGNORECASE)
_KINDS: Final = (
    r"(?:called|named|array|list|matrix|series|data ?frame|dict(?:ionary)?|variables?|vector|tuple|set|string)"
)
_ABOUT_CODE: Final = re.compile(
    r"\b(?:predict|guess|explain|what (?:does|do|is|are|will|would)|output|results?|prints?)\b.{0,60}"
    r"\b(?:following|these|this) (?:\w+ )?(?:code|program|snippet|expressions?|statements?|lines?)\b",
    re.IGNORECASE,
)
_STARTS_FROM: Final = re.compile(rf"\b(?:{STARTING_WORDS}|have|has|say|use|following|example)\b", re.IGNORECASE)
MAX_SHOWN: Final = 600  # characters of code that a query repeats
LONGEST: Final = 20_000  # characters of a question or an answer that are searched for what is given
USUAL_IMPORTS: Final[Mapping[str, str]] = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
}
"""What notebooks forget that were written in a session which had it."""
_HOLDERS: Final = frozenset(
    {"array", "asarray", "arange", "eye", "identity", "zeros", "ones", "full", "linspace", "diag", "matrix", "mat"}
    | {"reshape", "astype", "copy", "DataFrame", "Series", "Index", "MultiIndex", "from_product", "from_arrays"}
    | {"from_tuples", "date_range", "period_range", "bdate_range", "Timestamp", "Categorical", "range", "list", "dict"}
    | {"set", "tuple", "float", "int", "str", "choice", "randint", "rand", "randn", "random", "normal", "uniform"}
    | {"permutation", "RandomState", "default_rng", "integers", "standard_normal", "random_sample", "StringIO"}
)
_WORKED_OUT: Final = (ast.Lambda, ast.Await, ast.NamedExpr, ast.Compare, ast.Subscript, ast.comprehension)
_PLAIN: Final = frozenset(
    {"np", "pd", "numpy", "pandas", "random", "io", "StringIO", "range", "list", "dict", "set", "tuple", "float", "int"}
    | {"str"}
)


def made_in_text(texts: Iterable[str], code: str, made: Collection[str]) -> tuple[str, str]:
    """Return the code of a text that makes what an answer starts from, and that text; empty: no text does.

    Code that reads what the session holds is no data: it hints at an answer, or shows one. What the session holds
    already is made again only where the text says that the question starts from it.
    """
    needed = unmade_names(code, ())
    for text in texts:
        parts = _FENCED.split(text[:LONGEST])
        blocks = [(parts[n - 1], parts[n].strip("\n")) for n in range(1, len(parts), 2)]
        given = [each for each in blocks if parse_code(each[1]).tree is not None and not _reads_session(each[1])]
        wanted = [block for told, block in given if _gives(told, block, needed, made)]
        if wanted:
            reads = set().union(*(names_read_and_written(block).reads for block in wanted))
            kept = [b for _, b in given if b in wanted or names_read_and_written(b).writes & reads]
            return "\n\n".join(kept), text
    return "", ""


def _gives(told: str, block: str, needed: Collection[str], made: Collection[str]) -> bool:
    """Return whether code of a text makes what an answer needs, as what stands above it says."""
    names = set(needed) & names_read_and_written(block).writes
    return bool(names - set(made)) or (bool(names) and bool(_STARTS_FROM.search(told[-300:])))


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
    if tree is None or len(code) > LONGEST or len(query) > LONGEST:
        return "", code, []
    given: list[list[str]] = []
    for node in tree.body[:-1]:
        names = _given_names(node, [name for each in given for name in each])
        if names is None or not all(_is_given(query, name) for name in names):
            break
        given.append(names)
    used = _last_used(tree.body, given)
    names = [name for each in given[:used] for name in each]
    if not names or not _answers(tree.body[used:], names):
        return "", code, []
    lines = code.split("\n")
    last = tree.body[used - 1].end_lineno or 0
    return "\n".join(lines[:last]).strip("\n"), "\n".join(lines[last:]).strip("\n"), names


def _last_used(body: list[ast.stmt], given: list[list[str]]) -> int:
    """Return how many statements to take as given: up to the last whose names the rest reads."""
    rest = set().union(*(names_read_and_written(ast.unparse(node)).reads for node in body[len(given) :]))
    for count in range(len(given), 0, -1):
        if rest & set(given[count - 1]):
            return count
        rest |= names_read_and_written(ast.unparse(body[count - 1])).reads
    return 0


def _answers(nodes: list[ast.stmt], given: Collection[str]) -> bool:
    """Return whether statements do more than show what is given, or its length."""
    for node in nodes:
        value = node.value if isinstance(node, ast.Expr) else None
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _SHOWS:
            value = value.args[0] if value.args else None
        if not (isinstance(node, ast.Expr) and (value is None or (isinstance(value, ast.Name) and value.id in given))):
            return True
    return False


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
        elif isinstance(node, _WORKED_OUT) or (isinstance(node, ast.BinOp) and not isinstance(node.left, ast.List)):
            return False  # a list may be repeated: [1, 2] * 3
    roots = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)} - _PLAIN
    is_table = isinstance(value, ast.Call) and ast.unparse(value.func).endswith(("DataFrame", "Series"))
    return not roots - (set(given) if is_table else set())


def _seeds(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).endswith("seed")


def _is_given(query: str, name: str) -> bool:
    """Return whether a question starts from a variable, and does not ask to make it."""
    is_word = len(name) > 2 and name.isalpha()  # "create an array of numbers" speaks of no variable
    marks = "[`'\"]" if is_word and _ASKS_TO_MAKE.search(query) else ""
    is_mentioned = bool(re.search(rf"(?<!\w){marks}{re.escape(name)}{marks}(?!\w)", query))
    if not is_mentioned:
        return not _ASKS_TO_MAKE.search(query) or bool(_PROVIDES.search(query))
    makes_it = rf"\b{_MAKES}\b[^.\n]{{0,120}}\b{_KINDS}\s+(?:the\s+)?[`'\"*]*{re.escape(name)}(?!\w)"
    named = rf"[`'\"*]*{re.escape(name)}(?!\w)"
    keeps_it = rf"\b(?:assign|stor|sav|call|nam)\w*\b[^.\n]{{0,120}}\b(?:as|to|in|into|it|them)\s+{named}"
    begins_it = rf"\b(?:creat|mak|defin|generat|build|set|let|draw|simulat)\w*\b(?:(?!{_FROM})[^.\n]){{0,60}}?\s{named}"
    return not any(re.search(each, query, re.IGNORECASE) for each in (makes_it, keeps_it, begins_it))


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


def only_repeats(query: str, code: str) -> bool:
    """Return whether code is what the question shows itself, so that nothing answers it."""
    shown = {_plain(block) for block in _FENCED.findall(query)}
    return bool(shown) and _plain(code) in shown


def _plain(code: str) -> str:
    tree = parse_code(code).tree
    return ast.unparse(tree) if tree is not None else code.strip()


def asks_about_code(query: str) -> bool:
    """Return whether a question is about code that stands below it and not in it: what does the following print?"""
    return bool(_ABOUT_CODE.search(query[:LONGEST])) and not _FENCED.search(query)
