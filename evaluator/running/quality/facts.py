"""What the steps of reference code do to the data: the code is executed once more with notes, in a throw-away trial."""

import ast
import copy
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError
from evaluator.language import Problem, names_read_and_written, resolve_validators, wanted_names
from evaluator.running.quality.code_facts import Comparison, called, comparisons, last_value, tree_of
from evaluator.running.quality.query_words import quoted_names
from evaluator.session import Outcome

_CELL: Final = Path(__file__).parent / "facts_cell.py"
_MISSING: Final = frozenset({"dropna", "fillna", "ffill", "bfill", "interpolate"})
_CALLS: Final = _MISSING | {"drop_duplicates"}
_TOLD: Final = {"compared": ("values", "equal", "coarse", "nearest"), "chosen": ("rows", "kept")}
_ACCESSORS: Final = frozenset({"loc", "iloc"})
_MAX_REPORT: Final = 200_000  # characters
_NOTES: Final = "_bw"
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_REPEATING: Final = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Site:
    """One expression of the code that is noted."""

    kind: str  # compared, chosen, or the method that is called
    node: ast.expr
    number: float = 0.0  # of a comparison
    operator: str = ""


@dataclass(frozen=True)
class ValueFacts:
    """What makes a value worth asking for, or not."""

    values: int  # single values in it (count)
    known: int  # of them, those that are not missing
    distinct: int
    single: bool  # no table, list or mapping
    kind: str  # of a plain single value: bool, int, float or str; else empty
    text: str  # of a plain single value
    largest: float | None  # number by its size
    opaque: bool  # a single value that is not plain, such as a model


@dataclass(frozen=True)
class CodeFacts:
    """What an execution with notes told; nothing of it is certain, since the code may have written it."""

    steps: tuple[tuple[Site, Mapping[str, float]], ...] = ()
    columns: Mapping[str, int] = field(default_factory=dict)  # column that the query names -> missing values
    result: ValueFacts | None = None
    variables: Mapping[str, ValueFacts] = field(default_factory=dict)  # of those that are compared

    def of(self, *kinds: str) -> list[tuple[Site, Mapping[str, float]]]:
        """Return what was noted at sites of some kinds."""
        return [(site, facts) for site, facts in self.steps if site.kind in kinds]

    @property
    def gaps(self) -> int:
        """How many missing values some step dropped or filled."""
        return int(
            sum(max(facts.get("missing", 0), 0) for _, facts in self.of(*_MISSING))
            + sum(facts["before"] - facts["after"] for _, facts in self.of("dropna"))
        )


def facts_source(problem: Problem) -> str:
    """Return the reference code with notes; empty where there is nothing to note."""
    tree = tree_of(problem.code)
    if not tree.body:
        return ""
    copies: dict[int, Any] = {}
    fresh = copy.deepcopy(tree, copies)
    sites = _sites(tree)
    noted = {id(copies[id(site.node)]): (number, site) for number, site in enumerate(sites)}
    fresh = _Noting(noted).visit(fresh)
    assert isinstance(fresh, ast.Module)
    if last_value(tree) is not None:
        last = fresh.body[-1]
        assert isinstance(last, ast.Expr)
        fresh.body[-1] = ast.Expr(_noted("result", last.value))
    code = ast.unparse(ast.fix_missing_locations(fresh))
    read = sorted(names_read_and_written(problem.code).reads)
    head = f"{_NOTES} = {{'session': globals()}}\nexec({_CELL.read_text(encoding='utf-8')!r}, {_NOTES})"
    look = f"{_NOTES}['columns']({read!r}, {sorted(quoted_names(problem.query))!r})"
    return f"{head}\n{look}\n{code}\n{_NOTES}['report']({list(_compared(problem))!r})\n"


def read_facts(problem: Problem, outcome: Outcome) -> CodeFacts | None:
    """Return what an execution of `facts_source` told; None where it did not come to its end."""
    text = "".join(str(one.get("text", "")) for one in outcome.outputs if one.get("name") == "stdout")
    lines = text.strip().splitlines()
    try:
        told = json.loads(lines[-1][:_MAX_REPORT]) if lines else None
        return _facts(_sites(tree_of(problem.code)), told)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def _facts(sites: Sequence[Site], told: Any) -> CodeFacts:
    """Return what was told, if it has the expected form.

    Raises:
        ValueError, KeyError, TypeError, IndexError, AttributeError: If it has another.
    """
    steps = [(sites[int(step["site"])], step) for step in told["steps"][:400]]
    variables = {str(name): _value(facts) for name, facts in told["variables"].items()}
    columns = {str(name): int(count) for name, count in told["columns"].items()}
    result = _value(told["result"]) if told["result"] is not None else None
    return CodeFacts(tuple((site, _numbers(site, step)) for site, step in steps), columns, result, variables)


def _numbers(site: Site, told: Mapping[str, Any]) -> Mapping[str, float]:
    found = {name: float(told[name]) for name in _TOLD.get(site.kind, ("before", "after", "missing"))}
    if not all(map(math.isfinite, found.values())):
        raise ValueError("a count that is no number")
    return found


def _value(told: Mapping[str, Any]) -> ValueFacts:
    largest = None if told["largest"] is None else float(told["largest"])
    if largest is not None and not math.isfinite(largest):
        raise ValueError("a number that is none")
    return ValueFacts(
        values=int(told["values"]),
        known=int(told["known"]),
        distinct=int(told["distinct"]),
        single=bool(told["single"]),
        kind=str(told["kind"])[:20],
        text=str(told["text"])[:200],
        largest=largest,
        opaque=bool(told["opaque"]),
    )


def _compared(problem: Problem) -> tuple[str, ...]:
    """Return the variables that validators compare and that the code makes."""
    try:
        names = wanted_names(resolve_validators(problem))
    except ContentError:
        return ()
    written = names_read_and_written(problem.code).writes
    return tuple(name for name in names if name in written)


def _sites(tree: ast.Module) -> list[Site]:
    """Return what is noted: outside of functions and loops, where one note is one step."""
    compared = {id(found.node): found for found in comparisons(tree)}
    found: list[Site] = []
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, *_REPEATING)):
            continue
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))
        if isinstance(node, ast.expr):
            found += _site(node, compared.get(id(node)))
    return found


def _site(node: ast.expr, comparison: Comparison | None) -> list[Site]:
    if comparison is not None:
        return [Site("compared", node, comparison.number, comparison.operator)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) in _CALLS:
        return [Site(called(node), node)]
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and _may_choose(_mask(node)):
        return [Site("chosen", node)]
    return []


def _mask(node: ast.Subscript) -> ast.expr:
    """Return what chooses the rows: of `.loc[rows, columns]` the first part."""
    is_location = isinstance(node.value, ast.Attribute) and node.value.attr in _ACCESSORS
    return node.slice.elts[0] if is_location and isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice


def _may_choose(mask: ast.expr) -> bool:
    return isinstance(mask, (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.BoolOp))


class _Noting(ast.NodeTransformer):
    """Puts notes around what is noted, from the inside out."""

    def __init__(self, noted: Mapping[int, tuple[int, Site]]) -> None:
        self._noted = noted

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit what is below a node, then the node."""
        found = self._noted.get(id(node))
        visited = self.generic_visit(node)
        return visited if found is None else _with_note(visited, *found)


def _with_note(node: ast.AST, number: int, site: Site) -> ast.AST:
    place = ast.Constant(number)
    if isinstance(node, ast.Subscript):
        mask = _mask(node)
        noted = _noted("chosen", place, mask)
        if mask is node.slice:
            node.slice = noted
        else:
            assert isinstance(node.slice, ast.Tuple)
            node.slice.elts[0] = noted
        return node
    if site.kind == "compared":
        return _with_noted_value(node, place, site.number)
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    arguments = [place, node.func.value, ast.Constant(node.func.attr), *node.args]
    return ast.Call(_function("called"), arguments, node.keywords)


def _with_noted_value(node: ast.AST, place: ast.Constant, number: float) -> ast.AST:
    decimals = ast.Constant(len(f"{number:.6f}".rstrip("0").partition(".")[2]))
    if isinstance(node, ast.Compare):
        right = isinstance(node.left, (ast.Constant, ast.UnaryOp)) and not isinstance(
            node.comparators[0], (ast.Constant, ast.UnaryOp)
        )
        value = node.comparators[0] if right else node.left
        noted = _noted("compared", place, value, ast.Constant(number), decimals)
        if right:
            node.comparators = [noted]
        else:
            node.left = noted
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node.func.value = _noted("compared", place, node.func.value, ast.Constant(number), decimals)
    return node


def _function(name: str) -> ast.expr:
    return ast.Subscript(ast.Name(_NOTES, ast.Load()), ast.Constant(name), ast.Load())


def _noted(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_function(function), list(arguments), [])
