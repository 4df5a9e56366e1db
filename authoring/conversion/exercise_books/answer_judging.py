"""Which validators fit what an answer leaves behind and its question asks for, and which lines only show something."""

import ast
import re
from dataclasses import dataclass, field
from typing import Any, Final

from authoring.conversion.comparable import draws as draws_in
from authoring.conversion.comparable import is_comparable, root_of
from authoring.conversion.signature_probes import judged_by_signature, signature_probes
from evaluator.language import names_read_and_written, parse_code

_SHOWS: Final = re.compile(
    r"\b(?:show|display|print|see|look at|view|output|preview|inspect|first|last|head|tail|top|bottom|rows?|entries"
    r"|observations|what|which|how|who|where|when|return|list|present|describe|check|verify)\b|\?|显示|输出|查看",
    re.IGNORECASE,
)
_ASKS_FOR_FUNCTION: Final = re.compile(r"\b(?:function|method|def)\b|\w\(\w*\)|函数", re.IGNORECASE)
_PEEKS: Final = frozenset({"head", "tail", "sample", "info"})
_PRINTS: Final = frozenset({"print", "pprint", "display"})
_MODULES: Final = frozenset({"np", "pd", "plt", "sns", "numpy", "pandas", "random", "math", "scipy", "sklearn"})
"""Names that code only seems to change: `np.sort(x)` sorts nothing in place."""
_CALLED: Final = (
    r"(?:called|named|variables?|data ?frame|series|list|array|dict(?:ionary)?|(?:name|call) (?:it|them)"
    r"|as|it|to|into|in|=)"
)
_MUTATORS: Final = frozenset(
    {"append", "extend", "insert", "remove", "clear", "update", "sort", "reverse", "fill", "add"}
)


@dataclass(frozen=True)
class FittedAnswer:
    """An answer with the validators that fit it."""

    code: str
    validator: dict[str, Any] | None
    doubts: tuple[tuple[str, str, str], ...] = ()  # code, what, fix of each
    only_draws: bool = False  # nothing is left that a validator could compare
    probes: dict[str, str] = field(default_factory=dict)  # values that validators need beside


def fitted_answer(query: str, code: str, *, draws: bool = False) -> FittedAnswer:
    """Return an answer that parses with its validators.

    Variables that the question names are compared; the last value where it is asked for. A last line that only shows a
    variable (`df.head()`) is dropped where the question asks for the variable. A value that is printed becomes the
    value, unless the question asks to print. What a picture leaves is not compared.

    Args:
        query: The question.
        code: The answer.
        draws: An output of the cell is a picture.
    """
    code = _joined_prints(query, _without_checks(query, code))
    tree = parse_code(code).tree
    assert tree is not None, "an answer that cannot be read is left out before"
    tested = _tested_function(query, code, tree)
    if tested is not None:
        return tested
    last = tree.body[-1] if tree.body else None
    stored = [name for name in _stored(tree) if not _incomparable(tree, name)]
    named = [name for name in stored if _is_named(query, name)]
    if not isinstance(last, ast.Expr):
        return _without_result(query, code, tree, stored, named, draws=draws)
    shown = _shown_variable(last.value)
    asks = bool(_SHOWS.search(re.sub(r"`[^`]*`", "", query)))
    is_change = shown in names_read_and_written(code).reads and not _has_arguments(last.value)
    is_whole = isinstance(last.value, ast.Name) or _is_print(last.value)
    is_told = _is_mentioned(query, shown) or not is_whole  # else nobody knows what to call it
    by_name = shown in named or (not asks and is_told) or is_change
    if shown in stored and by_name and not _asks_to_peek(query, last.value):
        return _by_variables(query, _without_last(code, last), stored, named or [shown])
    if _is_print(last.value):
        return _printed(query, code, last, named)
    if _prints_facts(last.value):
        return _by_text(code)
    is_of_picture = _is_drawn(tree, root_of(last.value)) or (draws and not _is_value(last.value))
    if draws_in(last.value) or not is_comparable(last.value) or is_of_picture:
        return _without_result(query, _as_statement(code, last), tree, stored, named, draws=True)
    if _changes_in_place(last.value, stored):
        return _without_result(query, code, tree, stored, named, draws=draws)
    return FittedAnswer(code, _by_result(tree, named))


def _tested_function(query: str, code: str, tree: ast.Module) -> FittedAnswer | None:
    """Return a function that is asked for, the calls below it as its test cases, if they write out what they pass."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1 or not _ASKS_FOR_FUNCTION.search(query):
        return None
    function = functions[0]
    below = tree.body[tree.body.index(function) + 1 :]
    calls = [_call_of(function.name, node) for node in below]
    if not calls or None in calls or not _returns(function):
        return None
    cases = [[ast.literal_eval(value) for value in call.args] for call in calls if call is not None]
    kept = "\n".join(code.split("\n")[: function.end_lineno])
    told = f"the function is judged by {len(cases)} call{'s' if len(cases) > 1 else ''} that the answer shows"
    validator = {"template": "intact", "table_test": {"function_name": function.name, "test_cases": cases}}
    return FittedAnswer(kept, validator, (("validator", told, "add cases that usual mistakes fail"),))


def _call_of(name: str, node: ast.stmt) -> ast.Call | None:
    """Return a line that calls a function, or prints one call of it, with written values; None: it does not."""
    value = node.value if isinstance(node, ast.Expr) else None
    if value is not None and _is_print(value):
        assert isinstance(value, ast.Call)
        value = value.args[0] if len(value.args) == 1 else None
    if not isinstance(value, ast.Call) or value.keywords or getattr(value.func, "id", "") != name or not value.args:
        return None
    try:
        for each in value.args:
            ast.literal_eval(each)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None
    return value


def _returns(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))


def _without_checks(query: str, code: str) -> str:
    """Return an answer without the assertions at its end, which check it; what they check is the result then."""
    tree = parse_code(code).tree
    assert tree is not None
    body = list(tree.body)
    while len(body) > 1 and isinstance(body[-1], ast.Assert):
        body.pop()
    if len(body) == len(tree.body) or isinstance(body[-1], ast.Assert):
        return code
    kept = "\n".join(code.split("\n")[: body[-1].end_lineno])
    checked = next((each.id for each in _names(tree.body[len(body)]) if each.id in _stored(tree)), "")
    is_told = isinstance(body[-1], ast.Expr) or any(_is_mentioned(query, name) for name in _stored(tree))
    return kept if is_told or not checked else f"{kept}\n{checked}"


def _joined_prints(query: str, code: str) -> str:
    """Return an answer whose last lines print several values as one that gives them together, unless print is asked."""
    tree = parse_code(code).tree
    assert tree is not None
    shown: list[ast.Expr] = []
    for node in reversed(tree.body):
        if not (isinstance(node, ast.Expr) and (_is_print(node.value) or not shown)) or _shown_only(node.value):
            break
        shown.insert(0, node)
    if not any(_is_print(node.value) for node in shown) or re.search(r"\bprint", query, re.IGNORECASE):
        return code
    values = [value for node in shown for value in _told_values(node.value)]
    if len(values) < 2 or not all(map(_is_told, values)):
        return code
    if all(isinstance(value, ast.Name) and _is_named(query, value.id) for value in values):
        return code  # the variables themselves are compared
    first = shown[0]
    if any(node.lineno == first.lineno for node in tree.body if node not in shown):
        return code
    kept = "\n".join(code.split("\n")[: first.lineno - 1]).rstrip()
    together = f"({', '.join(ast.unparse(value) for value in values)})"
    return f"{kept}\n{together}".strip("\n")


def _is_told(value: ast.expr) -> bool:
    """Return whether a printed expression is a value: no ruler, no starred list, no change, nothing drawn."""
    if isinstance(value, ast.Starred) or draws_in(value) or not is_comparable(value):
        return False
    if isinstance(value, ast.BinOp) and any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(value)
    ):
        return False
    name = value.func.attr if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else ""
    return name not in _MUTATORS | {"close", "show", "seed", "write", "shuffle"}


def _shown_only(value: ast.expr) -> bool:
    """Return whether a line shows a few rows of a variable, or prints facts, and gives no value."""
    is_peek = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _PEEKS
    return is_peek or _prints_facts(value)


def _told_values(value: ast.expr) -> list[ast.expr]:
    if not _is_print(value):
        return [value]
    assert isinstance(value, ast.Call)
    return [part for argument in value.args for part in _values_in(argument)]


def _by_result(tree: ast.Module, named: list[str]) -> dict[str, Any] | None:
    """Return the validators of a result, and of variables that the question wants beside it."""
    made = [name for name in named if any(_assigns(node, name) for node in ast.walk(tree))]
    return {"template": "comparison", "namespace_check": dict.fromkeys(made)} if made else None


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Assign) and any(_binds(target, name) for target in node.targets)


def _without_result(
    query: str, code: str, tree: ast.Module, stored: list[str], named: list[str], *, draws: bool
) -> FittedAnswer:
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if stored or named:
        return _by_variables(query, code, stored, named)
    if functions:
        names = ", ".join(functions)
        what = f"functions are not compared as they are: {names} needs test cases (table_test)"
        probes = signature_probes(functions)
        validator = judged_by_signature(probes)
        return FittedAnswer(code, validator, (("validator", what, "write `test_cases` for it"),), probes=probes)
    if draws or any(draws_in(node) for node in ast.walk(tree) if isinstance(node, ast.expr)):
        return FittedAnswer(code, None, only_draws=True)
    return _by_variables(query, code, stored, named)


def is_drawing(code: str) -> bool:
    """Return whether code draws."""
    tree = parse_code(code).tree
    return tree is not None and any(draws_in(node) for node in ast.walk(tree) if isinstance(node, ast.expr))


def _by_variables(query: str, code: str, stored: list[str], named: list[str]) -> FittedAnswer:
    chosen = [name for name in named if name in stored] or [n for n in stored if _is_mentioned(query, n)] or stored
    if not chosen and re.search(r"\bprint\(|\.info\(", code):
        return _by_text(code)
    if not chosen:
        what = "it leaves neither a value nor a variable: an empty answer would pass"
        fix = "name what counts in the query, or choose another validator"
        return FittedAnswer(code, {"template": "intact"}, (("validator", what, fix),))
    validator = {"template": "intact", "namespace_check": dict.fromkeys(chosen)}
    unnamed = [name for name in chosen if not _is_mentioned(query, name)]
    doubts = []
    if unnamed and not _changes_only(code, unnamed):
        names = ", ".join(f"`{name}`" for name in unnamed)
        doubts.append(
            ("unnamed-variable", f"the query does not name {names}, which the answer stores", "name it in the query")
        )
    return FittedAnswer(code, validator, tuple(doubts))


def _printed(query: str, code: str, last: ast.Expr, named: list[str]) -> FittedAnswer:
    """Return an answer that ends with a print: of one value, which is then the result, or of a text."""
    call = last.value
    assert isinstance(call, ast.Call)
    is_asked = bool(re.search(r"\bprint", query, re.IGNORECASE))
    told = [part for argument in call.args for part in _values_in(argument)]
    if len(told) == 1 and not is_asked and not isinstance(told[0], ast.Starred):
        code = f"{_without_last(code, last)}\n{ast.unparse(told[0])}".strip("\n")
        tree = parse_code(code).tree
        return FittedAnswer(code, _by_result(tree, named) if tree is not None else None)
    if named:
        return FittedAnswer(code, {"template": "intact", "namespace_check": dict.fromkeys(named)})
    return _by_text(code)


def _by_text(code: str) -> FittedAnswer:
    what = "it prints its answer, so the printed text is compared"
    doubt = ("validator", what, "name what counts in the query, or choose another validator")
    return FittedAnswer(code, {"template": "intact", "stream": None}, (doubt,))


def _prints_facts(value: ast.expr) -> bool:
    """Return whether an expression prints and gives nothing: `df.info()`, `help(x)`."""
    name = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return name.endswith(".info") or name == "help"


def _values_in(value: ast.expr) -> list[ast.expr]:
    """Return what a text made for reading tells: `'Mean: ' + str(x)`, `f'{x} visitors'`, `'{}'.format(x)`."""
    if isinstance(value, ast.Constant):
        return []
    if isinstance(value, ast.JoinedStr):
        return [part.value for part in value.values if isinstance(part, ast.FormattedValue)]
    if isinstance(value, ast.BinOp) and _holds_text(value):
        sides = [value.left, value.right] if isinstance(value.op, ast.Add) else [value.right]
        return [part for side in sides for part in _values_in(side)]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format":
        return [*value.args, *(k.value for k in value.keywords)]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str" and value.args:
        return _values_in(value.args[0])
    return list(value.elts) if isinstance(value, ast.Tuple) else [value]


def _holds_text(value: ast.expr) -> bool:
    """Return whether a sum has a written text in it."""
    if isinstance(value, ast.BinOp):
        return _holds_text(value.left) or _holds_text(value.right)
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def _stored(tree: ast.Module) -> list[str]:
    """Return the variables that code makes or changes, in order; modules, functions and loop variables left out."""
    found: dict[str, None] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        loops = {each.id for part in ast.walk(node) if isinstance(part, ast.For) for each in _names(part.target)}
        writes = names_read_and_written(ast.unparse(node)).writes - loops - _MODULES
        found |= {name: None for name in sorted(writes) if not name.startswith("_")}
    return list(found)


def _names(node: ast.AST) -> list[ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


def _is_named(query: str, name: str) -> bool:
    """Return whether a question names a variable, and does not only use a word that is spelled like it."""
    escaped = re.escape(name)
    if re.search(rf"[`'\"*]{escaped}[`'\"*]", query):
        return True
    if re.search(r"[_\d]|[a-z][A-Z]", name):
        return _is_mentioned(query, name)
    return bool(
        re.search(rf"\b{_CALLED}\s*[:=]?\s*(?:the\s+)?{escaped}(?!\w)", query, re.IGNORECASE)
        and _is_mentioned(query, name)
    )


def _is_mentioned(query: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", query))


def _shown_variable(value: ast.expr) -> str:
    """Return the variable that an expression only shows: `df`, `df.head(3)`, `df.info()`; empty: it gives more."""
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in _PRINTS
        and len(value.args) == 1
    ):
        return _shown_variable(value.args[0])
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _PEEKS:
        value = value.func.value
    return value.id if isinstance(value, ast.Name) else ""


def _asks_to_peek(query: str, value: ast.expr) -> bool:
    """Return whether a question asks for the very rows that a last line shows."""
    is_peek = isinstance(value, ast.Call)
    return is_peek and bool(
        re.search(
            r"\b(?:first|last|head|tail|top|bottom)\b.{0,20}\b(?:\d+|rows?|entries|records|lines|five|ten)\b|\binfo\b|前\d*行",
            query,
            re.IGNORECASE,
        )
    )


def _is_print(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _PRINTS


def _is_value(value: ast.expr) -> bool:
    """Return whether an expression gives a value of its own, and not a text made for reading."""
    return not isinstance(value, ast.Constant | ast.JoinedStr)


def _incomparable(tree: ast.Module, name: str) -> bool:
    """Return whether a variable holds what cannot be compared: axes, a function, groups, a model."""
    makers = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_binds(target, name) for target in node.targets)
    ]
    return bool(makers) and not is_comparable(makers[-1])


def _is_drawn(tree: ast.Module, name: str) -> bool:
    """Return whether a variable holds a figure or the axes of one."""
    makers = (node for node in ast.walk(tree) if name and _assigns(node, name))
    return any(isinstance(node, ast.Assign) and draws_in(node.value) for node in makers)


def _has_arguments(value: ast.expr) -> bool:
    """Return whether a last line chooses how much it shows: `df.head(1)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):  # print, display
        return any(_has_arguments(each) for each in value.args)
    return isinstance(value, ast.Call) and bool(value.args or value.keywords)


def _binds(target: ast.expr, name: str) -> bool:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def _changes_in_place(value: ast.expr, stored: list[str]) -> bool:
    """Return whether an expression stands for what it changes: `df.drop(..., inplace=True)`, `items.append(1)`."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    inplace = any(k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value for k in value.keywords)
    mutates = value.func.attr in _MUTATORS and isinstance(value.func.value, ast.Name) and value.func.value.id in stored
    return bool(inplace) or mutates


def _changes_only(code: str, names: list[str]) -> bool:
    """Return whether code only changes variables that were there before, which a question need not name."""
    return set(names) <= names_read_and_written(code).reads


def _without_last(code: str, last: ast.Expr) -> str:
    lines = code.split("\n")
    kept = lines[: last.lineno - 1]
    before = lines[last.lineno - 1].encode()[: last.col_offset].decode()
    return (
        "\n".join([*kept, before.rstrip().rstrip(";")]).rstrip("\n").rstrip()
        if before.strip()
        else "\n".join(kept).rstrip()
    )


def _as_statement(code: str, last: ast.Expr) -> str:
    """Return code whose last expression is a statement, so that nobody compares the axes that it gives."""
    return f"{_without_last(code, last)}\n_ = {ast.unparse(last.value)}".strip("\n")
