"""Small changes of reference code whose verdict tells something: equal rows turned round, `<` in place of `<=`."""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from evaluator.language import Problem
from evaluator.running.quality.code_facts import (
    FLIPPED,
    called,
    calls_of,
    chain,
    comparisons,
    functions_of,
    last_value,
    literal,
    option,
    tree_of,
)
from evaluator.running.quality.query_words import (
    Demand,
    bounds_in,
    demands,
    named_ddof,
    named_directions,
    named_statistics,
)
from evaluator.running.quality.warning import ProblemWarning, WarningCode

MAX_FLIPS: Final = 6  # of one problem: each is a trial of its reference code
_SORTS: Final = ("sort_values", "nlargest", "nsmallest", "idxmax", "idxmin", "value_counts", "sorted", "max", "min")
_STATISTICS: Final = {"mean": "median", "median": "mean"}
_OPERATORS: Final[dict[str, type[ast.cmpop]]] = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE}
_METHODS: Final = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
_TURN: Final = "(lambda it: it.iloc[::-1] if hasattr(it, 'iloc') else it[::-1] if isinstance(it, list) else it)"
_TIE_FIX: Final = "say which of equal ones counts, or have them all, or let the validator ignore the order"
_EXERCISE_FIX: Final = "ask for what the data can show, choose other values, or drop the demand"
Change = Callable[[ast.expr], ast.expr]


@dataclass(frozen=True)
class Flip:
    """Changed reference code, and what is said when its verdict is the telling one."""

    code: str
    tells_when_correct: bool  # else when it runs and is wrong
    warning: ProblemWarning


def flips_of(problem: Problem) -> tuple[Flip, ...]:
    """Return the changes worth trying, those that tell most first; at most `MAX_FLIPS`."""
    tree = tree_of(problem.code)
    makers = (_ties, _hidden_keys, _ranks, _tested_functions, _ddof, _statistic, _direction, _unmatched)
    found = (flip for make in makers for flip in make(problem, tree))
    unlike: dict[str, Flip] = {}
    for flip in found:
        unlike.setdefault(flip.code, flip)
    return tuple(unlike.values())[:MAX_FLIPS]


def changed(tree: ast.Module, node: ast.expr, change: Change) -> str:
    """Return code in which `change` was applied to a copy of one expression of `tree`."""
    copies: dict[int, ast.expr] = {}
    fresh = copy.deepcopy(tree, copies)
    swap = _Swap(copies[id(node)], change)
    return ast.unparse(ast.fix_missing_locations(swap.visit(fresh)))


class _Swap(ast.NodeTransformer):
    def __init__(self, target: ast.expr, change: Change) -> None:
        self._target = target
        self._change = change

    def visit(self, node: ast.AST) -> ast.AST:
        """Change the one node and leave all others."""
        if node is self._target:
            return self._change(self._target)
        return self.generic_visit(node)


def _doubt(problem: Problem) -> bool:
    return not demands(problem.query, Demand.TIES)


def _ties(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code with rows turned round before a sort: whatever changes stood there by chance."""
    if not _doubt(problem):
        return
    names_first = demands(problem.query, Demand.FIRST)
    for call in [call for call in calls_of(tree, *_SORTS) if _looks_for_order(call)][-3:]:
        if names_first and called(call) in ("idxmax", "idxmin"):
            continue  # the query says which place it wants
        what = f"the answer depends on which of equal rows comes first where `{called(call)}` looks{_keys(call)}"
        warning = ProblemWarning(WarningCode.TIES, what, _TIE_FIX)
        yield Flip(changed(tree, call, _turned_round), tells_when_correct=False, warning=warning)
    for call in calls_of(tree, "mode")[-1:]:
        if isinstance(call.func, ast.Attribute) and not call.args:
            what = "several values are equally frequent, and the answer takes the first that `mode` gives"
            warning = ProblemWarning(WarningCode.TIES, what, _TIE_FIX)
            yield Flip(changed(tree, call, _last_mode), tells_when_correct=False, warning=warning)


def _looks_for_order(call: ast.Call) -> bool:
    """Return whether equal values can make a difference to a call."""
    if called(call) in ("max", "min"):
        return isinstance(call.func, ast.Name) and option(call, "key") is not None and len(call.args) == 1
    if called(call) == "value_counts":
        return option(call, "sort") is None
    return isinstance(call.func, ast.Attribute) or called(call) == "sorted"


def _keys(call: ast.Call) -> str:
    """Return by what a call sorts, in words, where it says so."""
    names = sort_keys(call)
    return f" by {', '.join(map(repr, names))}" if names else ""


def sort_keys(call: ast.Call) -> tuple[str, ...]:
    """Return the names by which a call sorts a table; none where it does not say so plainly."""
    given = option(call, "by") or option(call, "columns")
    position = 1 if called(call) in ("nlargest", "nsmallest") else 0
    value = literal(given or (call.args[position] if len(call.args) > position else None))
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        return ()
    return tuple(map(str, names))


def _turned_round(node: ast.expr) -> ast.expr:
    """Turn round what a call sorts or looks through, and keep the order of equal ones after that."""
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute):
        owner = _owner(node.func)
        owner.value = _call(_TURN, owner.value)
    else:
        node.args[0] = _call(_TURN, ast.Call(ast.Name("list", ast.Load()), [node.args[0]], []))
    if called(node) == "sort_values" and option(node, "kind") is None:
        node.keywords.append(ast.keyword("kind", ast.Constant("stable")))
    return node


def _owner(method: ast.Attribute) -> ast.Attribute:
    """Return the attribute whose value holds the rows: of groups, the table that is grouped."""
    for node in chain(method.value):
        if isinstance(node, ast.Call):
            grouped = called(node) == "groupby" and isinstance(node.func, ast.Attribute)
            return node.func if grouped and isinstance(node.func, ast.Attribute) else method
    return method


def _call(function: str, argument: ast.expr) -> ast.Call:
    return ast.Call(ast.parse(function, mode="eval").body, [argument], [])


def _last_mode(node: ast.expr) -> ast.expr:
    return _call("(lambda it: it.iloc[::-1].reset_index(drop=True) if hasattr(it, 'iloc') else it)", node)


def _hidden_keys(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code without the further keys of a sort that the query does not speak of."""
    if not _doubt(problem):
        return
    for call in calls_of(tree, "sort_values", "nlargest", "nsmallest")[-2:]:
        keys = sort_keys(call)
        if len(keys) < 2 or any(_is_sort_key(problem.query, key) for key in keys[1:]):
            continue
        named = ", ".join(map(repr, keys[1:]))
        what = f"rows are equal by {keys[0]!r}; the code then goes by {named}, which the query does not say"
        fix = "name the second key in the query, or let the validator ignore the order"
        warning = ProblemWarning(WarningCode.TIES, what, fix)
        for change in (_first_key_only, _first_key_turned_round):
            yield Flip(changed(tree, call, change), tells_when_correct=False, warning=warning)


def _is_sort_key(query: str, key: str) -> bool:
    """Return whether a name stands behind a word that speaks of an order, in one sentence."""
    order = r"(?:sort|order|rank|first|arrang|within|then|\bby\b|\bin\b|按|排|序)"
    return re.search(rf"{order}[^.。]*?(?<!\w){re.escape(key)}(?!\w)", query, re.I) is not None


def _first_key_only(node: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Call)
    position = 1 if called(node) in ("nlargest", "nsmallest") else 0
    for keyword in node.keywords:
        if keyword.arg in ("by", "columns", "ascending") and isinstance(keyword.value, (ast.List, ast.Tuple)):
            keyword.value = keyword.value.elts[0]
    if len(node.args) > position and isinstance(given := node.args[position], (ast.List, ast.Tuple)):
        node.args[position] = given.elts[0]
    return node


def _first_key_turned_round(node: ast.expr) -> ast.expr:
    return _turned_round(_first_key_only(node))


def _ranks(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code with another rule for equal ranks, where query and code name none."""
    if not _doubt(problem) or demands(problem.query, Demand.RANK_CORRELATION):
        return
    for call in calls_of(tree, "rank")[-1:]:
        if isinstance(call.func, ast.Attribute) and option(call, "method") is None and not call.args:
            what = "some values share a rank, and the query does not say which they get (the code: their average)"
            fix = "say which rank equal values get, and give `method=` in the code"
            code = changed(tree, call, partial(_with_option, name="method", value="min"))
            yield Flip(code, tells_when_correct=False, warning=ProblemWarning(WarningCode.TIES, what, fix))


def _with_option(node: ast.expr, name: str, value: object) -> ast.expr:
    assert isinstance(node, ast.Call)
    kept = [keyword for keyword in node.keywords if keyword.arg != name]
    node.keywords = [*kept, ast.keyword(name, ast.Constant(value))]  # pyrefly: ignore[bad-argument-type]  # plain values only
    return node


def _unexercised(what: str, fix: str = _EXERCISE_FIX) -> ProblemWarning:
    return ProblemWarning(WarningCode.NOT_EXERCISED, what, fix)


def _tested_functions(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield mistakes in a function that its unit tests should find, where the query names the point."""
    fix = "add a test case that tells the two apart"
    numbers = {bound.number for bound in bounds_in(problem.query)}
    for function in functions_of(tree):
        for found in comparisons(function):
            if found.number in numbers:
                what = f"no test case has a value of {found.number:g}: `{FLIPPED[found.operator]}` passes as well"
                yield Flip(changed(tree, found.node, _flipped), True, _unexercised(what, fix))
        dropping = calls_of(function, "dropna", "fillna") if demands(problem.query, Demand.MISSING) else []
        for call in dropping:
            what = f"no test case has a missing value that matters: the code passes without `{called(call)}` as well"
            yield Flip(changed(tree, call, _without), True, _unexercised(what, fix))


def _flipped(node: ast.expr) -> ast.expr:
    """Let a comparison include its bound, or leave it out."""
    if isinstance(node, ast.Compare):
        operator = next(name for name, kind in _OPERATORS.items() if type(node.ops[0]) is kind)
        node.ops = [_OPERATORS[FLIPPED[operator]]()]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node.func.attr = _METHODS[node.func.attr]
    return node


def _without(node: ast.expr) -> ast.expr:
    """Leave out a method: what it was called on stands in its place."""
    assert isinstance(node, ast.Call)
    return node.func.value if isinstance(node.func, ast.Attribute) else node


def _ddof(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code with the other ddof, where the query names one."""
    wanted = named_ddof(problem.query)
    for call in calls_of(tree, "std", "var")[-1:] if wanted is not None else ():
        code = changed(tree, call, partial(_with_option, name="ddof", value=1 - (wanted or 0)))
        what = f"the query names ddof={wanted}, and ddof={1 - (wanted or 0)} passes as well"
        yield Flip(code, True, _unexercised(what, "let the validator be strict enough to tell the two apart"))


def _statistic(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code with the median in place of the mean, and the other way round, where the query names one."""
    end = last_value(tree)
    for name in named_statistics(problem.query) & set(_STATISTICS) if end is not None else ():
        for call in calls_of(end or tree, name)[-1:]:  # elsewhere it may be a means that the answer does not depend on
            if isinstance(call.func, ast.Attribute) and not call.args and not call.keywords:
                what = f"the query says {name}, and the {_STATISTICS[name]} passes as well"
                code = changed(tree, call, _other_statistic)
                yield Flip(code, True, _unexercised(what))


def _other_statistic(node: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    node.func.attr = _STATISTICS[node.func.attr]
    return node


def _direction(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code with its last sort the other way, where the query names a direction and the sort ends the code."""
    end = last_value(tree)
    if not named_directions(problem.query) or end is None or demands(problem.query, Demand.EXCERPT):
        return
    sorts = [node for node in chain(end) if isinstance(node, ast.Call) and called(node) == "sort_values"]
    for call in sorts[:1]:
        ascending = literal(option(call, "ascending"))
        if ascending is None or isinstance(ascending, bool):
            what = "the query names an order, and the rows pass the other way round as well"
            fix = "let the validator mind the order (no `ignore_order`), or do not ask for one"
            code = changed(tree, call, partial(_with_option, name="ascending", value=ascending is False))
            yield Flip(code, True, ProblemWarning(WarningCode.UNCHECKED_DEMAND, what, fix))


def _unmatched(problem: Problem, tree: ast.Module) -> Iterator[Flip]:
    """Yield the code without rows that match nothing, where the query says that they stay."""
    if not demands(problem.query, Demand.UNMATCHED):
        return
    for call in calls_of(tree, "merge", "join")[-1:]:
        if literal(option(call, "how")) == "left":
            what = "the query says what becomes of rows without a match, and every row has one"
            yield Flip(changed(tree, call, partial(_with_option, name="how", value="inner")), True, _unexercised(what))
