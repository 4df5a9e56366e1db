"""Where a query and its reference code say different things: only what is certain by a reviewed wording."""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from evaluator.language import Problem
from evaluator.running.quality.code_facts import (
    COMPLEMENT,
    FLIPPED,
    calls_of,
    comparisons,
    is_reversed,
    literal,
    option,
    tree_of,
    words_of,
)
from evaluator.running.quality.query_words import (
    Bound,
    Demand,
    bounds_in,
    demands,
    named_ddof,
    named_directions,
    named_statistics,
    numbers_in,
    top_counts,
)
from evaluator.running.quality.warning import ProblemWarning, WarningCode

_FIX: Final = "let the reference code do what the query says, or the other way round"
_SAYS: Final[Mapping[str, frozenset[str]]] = {  # what code that computes a statistic or names a period holds
    "mean": frozenset({"mean", "average", "nanmean", "fmean"}),
    "median": frozenset({"median", "nanmedian"}),
    "max": frozenset({"max", "nanmax", "idxmax", "argmax", "cummax", "maximum", "amax"}),
    "min": frozenset({"min", "nanmin", "idxmin", "argmin", "cummin", "minimum", "amin"}),
    "quarter": frozenset({"quarter", "Q", "QS", "QE", "to_period", "Quarter"}),
    "month": frozenset({"month", "M", "MS", "ME", "month_name", "strftime", "to_period", "months"}),
}
_OTHERWISE: Final[Mapping[str, frozenset[str]]] = {  # further ways to the same statistic
    "median": frozenset({"quantile", "percentile", "describe"}),
    "mean": frozenset({"sum", "describe", "rolling", "ewm", "fit", "accuracy_score", "value_counts", "len"}),
    "max": frozenset({"sort_values", "nlargest", "sorted", "describe", "rank", "tail", "ptp", "clip", "quantile"}),
    "min": frozenset({"sort_values", "nsmallest", "sorted", "describe", "rank", "head", "ptp", "clip", "quantile"}),
    "quarter": frozenset({"cut", "map", "floordiv", "ceil", "apply"}),
    "month": frozenset({"day", "slice"}),
}
_PAIRS: Final = (("mean", "median"), ("min", "max"), ("quarter", "month"))
_STARTS: Final = {"quarter": ("Q", "BQ"), "month": ("M", "BM", "%b", "%B", "%m", "%Y-%m")}


def query_code_mismatches(problem: Problem) -> Iterator[ProblemWarning]:
    """Yield where the query and the reference code name different things."""
    tree = tree_of(problem.code)
    for said in (
        _other_statistic(problem.query, tree),
        _other_ddof(problem.query, tree),
        *_other_bounds(problem.query, tree),
        _other_direction(problem.query, tree),
        _other_count(problem.query, tree),
    ):
        if said:
            yield mismatch(said)


def mismatch(what: str) -> ProblemWarning:
    """Return the warning that query and code differ."""
    return ProblemWarning(WarningCode.QUERY_CODE_MISMATCH, what, _FIX)


def _other_statistic(query: str, tree: ast.AST) -> str:
    """Return that the query names one of a pair and the code computes only the other."""
    named, words = named_statistics(query), words_of(tree)
    for pair in _PAIRS:
        for wanted, other in (pair, pair[::-1]):
            if wanted not in named or other in named:
                continue
            if not _computes(other, words) or _computes(wanted, words) or words & _OTHERWISE[wanted]:
                continue
            if wanted != "quarter" or not any(isinstance(node, ast.BinOp) for node in ast.walk(tree)):
                return f"the query says {wanted}, the code computes the {other}"
    return ""


def _computes(name: str, words: frozenset[str]) -> bool:
    starts = _STARTS.get(name, ())
    return bool(words & _SAYS[name]) or any(len(word) <= 8 and word.startswith(starts) for word in words if starts)


def _other_ddof(query: str, tree: ast.AST) -> str:
    """Return that the query names a ddof and every standard deviation or variance has the other."""
    wanted = named_ddof(query)
    calls = calls_of(tree, "std", "var", "nanstd", "nanvar")
    found = {_ddof(call) for call in calls}
    if wanted is None or not calls or found != {1 - wanted}:
        return ""
    kind = "population" if wanted == 0 else "sample"
    return f"the query asks for the {kind} statistic (ddof={wanted}), the code takes ddof={1 - wanted}"


def _ddof(call: ast.Call) -> int | None:
    """Return the ddof of a call; None where it is not plain."""
    given = option(call, "ddof")
    if given is not None:
        value = literal(given)
        return value if isinstance(value, int) else None
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(owner, ast.Name) and owner.id in ("np", "numpy"):
        return 0
    methods = {node.attr for node in ast.walk(call) if isinstance(node, ast.Attribute)}
    return None if methods & {"to_numpy", "values", "array"} else 1


def _other_bounds(query: str, tree: ast.AST) -> Iterator[str]:
    """Yield the bounds of the query whose number the code compares with the wrong sign, wherever it does."""
    found = list(comparisons(tree))
    for bound in bounds_in(query):
        operators = {each.operator for each in found if each.number == bound.number}
        right = {bound.operator, COMPLEMENT[bound.operator]}
        if operators and not operators & right and operators <= {FLIPPED[operator] for operator in right}:
            yield f"the query says {_in_words(bound)}, the code compares with {' and '.join(sorted(operators))}"


def _in_words(bound: Bound) -> str:
    words = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}
    return f"{words[bound.operator]} {bound.number:g}"


def _other_direction(query: str, tree: ast.AST) -> str:
    """Return that the query wants one direction and the only sort of the code goes the other way."""
    directions, sorts = named_directions(query), calls_of(tree, "sort_values", "sort_index", "sorted", "sort")
    if len(directions) != 1 or len(sorts) != 1 or is_reversed(tree):
        return ""
    if calls_of(tree, "nlargest", "nsmallest", "rank", "value_counts", "argsort", "most_common"):
        return ""
    given = option(sorts[0], "ascending")
    goes = {None: "ascending", True: "ascending", False: "descending"}
    direction = goes.get(literal(given)) if given is None or isinstance(literal(given), bool) else None  # pyrefly: ignore[bad-argument-type]  # only these three get there
    wanted = next(iter(directions))
    if direction is None or direction == wanted or _is_of_keys(sorts[0]):
        return ""
    return f"the query wants {wanted} order, the code sorts {direction}"


def _is_of_keys(sort: ast.Call) -> bool:
    """Return whether a sort brings groups into the order of their names and may serve another purpose."""
    return isinstance(sort.func, ast.Attribute) and sort.func.attr == "sort_index"


def _other_count(query: str, tree: ast.AST) -> str:
    """Return that the query asks for the top so many and the code takes another number of rows."""
    wanted = top_counts(query)
    taken = set()
    for call in calls_of(tree, "head", "tail", "nlargest", "nsmallest", "most_common"):
        value = literal(call.args[0] if call.args else option(call, "n"))
        taken.add(value if isinstance(value, int) else 5 if not call.args and not call.keywords else None)
    if len(wanted) != 1 or len(taken) != 1 or None in taken:
        return ""
    number = next(iter(taken))
    if number in wanted or number == 1 or float(number or 0) in numbers_in(query):
        return ""
    return f"the query asks for {next(iter(wanted))}, the code takes {number}"


def percent_mismatch(problem: Problem, largest: float | None) -> ProblemWarning | None:
    """Return that a query wants percentages and the answer is a fraction.

    Args:
        problem: What is asked.
        largest: The largest number of the answer by its size; None: it has none.
    """
    if largest is None or not 0 < largest <= 1 or demands(problem.query, Demand.SHARE):
        return None
    if not demands(problem.query, Demand.PERCENT) or 100.0 in _numbers(problem.code):
        return None
    return mismatch(f"the query asks for a percentage, the code gives a fraction (at most {largest:.3g})")


def _numbers(code: str) -> frozenset[float]:
    constants = (node.value for node in ast.walk(tree_of(code)) if isinstance(node, ast.Constant))
    return frozenset(float(value) for value in constants if isinstance(value, (int, float)))
