"""How hard a problem is, by what is hard about it: steps composed, earlier results used, conventions named.

This is not the published number (`syntactic_difficulty`), which counts the nodes of a syntax tree, so that many columns
of one simple step look harder than one step that has to be thought of.
"""

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from evaluator.language.model import Problem, Problemset
from evaluator.language.names import session_dependencies
from evaluator.language.python_source import parse_code

Level = Literal["easy", "medium", "hard"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
MEDIUM_FROM: Final = 5.0  # scores; both bounds are where the labels of problems written by hand part
HARD_FROM: Final = 9.75
LEAST_HARD_STEPS: Final = 3  # statements that compute: a hard problem is never one line, however long
LEAST_SAMPLES: Final = 4  # judged answers, below which a solve rate moves no level
SOLVED_OFTEN, SOLVED_SELDOM = 0.9, 0.3  # rates; from here on a problem is one level easier, or harder, than it looks

_STEP: Final = 0.5  # each statement that computes, beyond the first
_CONVENTION: Final = 1.0
_RESULT: Final = 1.25  # each result of an earlier problem
_WORD: Final = 0.02  # of the query: what has to be kept in mind
_REPEAT: Final = 0.25  # of the weight: an operation that is used again is partly known
_COMPARISON, _ARITHMETIC, _BRANCH, _FUNCTION = 0.5, 0.25, 0.5, 2.0
_MOST_STEPS, _MOST_RESULTS, _MOST_COMPARISONS, _MOST_ARITHMETIC, _MOST_BRANCHES = 8, 3, 3, 6, 3
_MOST_WORDS, _USUAL_WORDS = 110, 50  # the latter where the query is not known
_WEIGHTS: Final[Mapping[str, float]] = {
    name: weight
    for weight, names in (
        # a model is fitted
        (3.0, "fit polyfit lstsq linregress curve_fit fit_predict fit_transform"),
        # rows look at their neighbours, or back at their group
        (2.5, "merge_asof transform rolling ewm expanding shift diff pct_change"),
        (2.5, "cumsum cumprod cummax cummin cumcount"),
        # the rows become other rows
        (
            2.0,
            "groupby pivot pivot_table crosstab merge join melt stack wide_to_long resample interpolate apply explode",
        ),
        # a statistic or a choice that has to be known
        (1.5, "rank unstack quantile percentile qcut corr cov corrwith autocorr where mask select map concat"),
        (1.5, "extract extractall bfill ffill idxmax idxmin combine_first train_test_split"),
        (1.0, "cut nlargest nsmallest value_counts drop_duplicates duplicated head tail sample replace query"),
        # one call that says what the query says
        (0.5, "agg aggregate sort_values dropna fillna isin between str dt nunique std var median mode clip"),
        (0.5, "to_datetime to_numeric"),
    )
    for name in names.split()
}
_SIGN: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_CONVENTIONS: Final = {
    "ddof": re.compile(
        r"\bddof\b|\bsample (?:standard|variance)|\bpopulation (?:standard|variance)|degrees? of freedom"
        r"|样本标准差|总体标准差|样本方差|总体方差|自由度",
        re.I,
    ),
    "ties": re.compile(
        r"\bties?\b|\btied\b|\bequal(?:ly)?\b|\bsame count|\bshare the|并列|相同时|相等时|相同的?则|数量相同", re.I
    ),
    "missing": re.compile(r"\bmissing\b|\bnan\b|\bnulls?\b|\bknown\b|\bwithout an?\b|缺失|空值|为空", re.I),
    "bounds": re.compile(
        r"\binclu(?:ded|ding|sive)\b|\bexclu(?:ded|sive)\b|\bup to and\b|\bat (?:least|most)\b|\bstrictly\b"
        r"|含边界|包含端点|不含|至少|至多|不少于|不超过|严格",
        re.I,
    ),
}


@dataclass(frozen=True)
class MeasuredDifficulty:
    """How hard a problem is, and why."""

    score: float  # from 0; dimensionless
    steps: int  # statements that compute (count)
    operations: tuple[str, ...]  # methods and functions that count, in alphabetical order
    conventions: tuple[str, ...]  # that the query names
    results_used: int  # results of earlier problems, without tables that were only loaded (count)

    @property
    def level(self) -> Level:
        """The level; `hard` only for code of several steps."""
        if self.score < MEDIUM_FROM:
            return "easy"
        return "hard" if self.score >= HARD_FROM and self.steps >= LEAST_HARD_STEPS else "medium"

    def __str__(self) -> str:
        """Return the reasons in words."""
        parts = [f"{self.steps} step" + "s" * (self.steps != 1)]
        parts += [f"operations {', '.join(self.operations)}"] if self.operations else []
        parts += [f"earlier results used: {self.results_used}"] if self.results_used else []
        parts += [f"conventions: {', '.join(self.conventions)}"] if self.conventions else []
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"level": self.level, "score": self.score, "steps": self.steps, "operations": list(self.operations)},
            **{"conventions": list(self.conventions), "results_used": self.results_used},
        }


def measure_difficulty(
    code: str, query: str = "", *, results_used: int = 0, conventions: Sequence[str] | None = None
) -> MeasuredDifficulty:
    """Measure how hard a problem is.

    Args:
        code: The reference code; what does not parse counts as nothing.
        query: What is asked: its length and the conventions that it names count; empty: it is not known.
        results_used: Results of earlier problems that the code needs (count), without tables that were only loaded.
        conventions: Those that decide the answer; None: those that the query names.
    """
    tree = parse_code(code).tree or ast.Module([], [])
    nodes = list(ast.walk(tree))
    operations = Counter(name for node in nodes if (name := _operation(node)) in _WEIGHTS)
    named = tuple(conventions) if conventions is not None else named_conventions(query)
    steps = sum(map(_computes, nodes))
    score = (
        sum(_WEIGHTS[name] * (1 + _REPEAT * min(count - 1, 2)) for name, count in operations.items())
        + _counted(nodes, _MOST_COMPARISONS, ast.Compare) * _COMPARISON
        + _counted(nodes, _MOST_ARITHMETIC, ast.BinOp) * _ARITHMETIC
        + _counted(nodes, _MOST_BRANCHES, ast.For, ast.While, ast.If, ast.comprehension, ast.Lambda) * _BRANCH
        + _counted(nodes, len(nodes), ast.FunctionDef) * _FUNCTION
        + max(0, min(steps, _MOST_STEPS) - 1) * _STEP
        + len(named) * _CONVENTION
        + min(results_used, _MOST_RESULTS) * _RESULT
        + min(_word_count(query), _MOST_WORDS) * _WORD
    )
    return MeasuredDifficulty(round(score, 3), steps, tuple(sorted(operations)), named, results_used)


def measured_level(
    code: str,
    query: str = "",
    *,
    results_used: int = 0,
    conventions: Sequence[str] | None = None,
    solved: tuple[int, int] | None = None,
) -> Level:
    """Return the level of a problem; arguments as of `measure_difficulty`.

    Args:
        code: The reference code.
        query: What is asked.
        results_used: Results of earlier problems that the code needs.
        conventions: Those that decide the answer.
        solved: Correct and judged answers of a sampled agent (counts), where it was asked several times.
    """
    level = measure_difficulty(code, query, results_used=results_used, conventions=conventions).level
    return level if solved is None else level_with_samples(level, *solved)


def level_with_samples(level: Level, correct: int, judged: int) -> Level:
    """Return a level moved by one where sampled answers say that the problem is easier or harder than it looks."""
    if judged < LEAST_SAMPLES:
        return level
    rate, place = correct / judged, LEVELS.index(level)
    place += (rate <= SOLVED_SELDOM) - (rate >= SOLVED_OFTEN)
    return LEVELS[max(0, min(place, len(LEVELS) - 1))]


def measured_difficulties(problemset: Problemset) -> tuple[MeasuredDifficulty, ...]:
    """Return how hard each problem of a set is."""
    return tuple(
        measure_difficulty(problem.code, problem.query, results_used=len(used))
        for problem, used in zip(problemset.problems, results_used(problemset), strict=True)
    )


def results_used(problemset: Problemset) -> tuple[frozenset[int], ...]:
    """Return, per problem, the numbers of the earlier problems whose results it uses, those that only load left out."""
    dependencies = session_dependencies(problemset)
    loading = {
        number
        for number, (problem, earlier) in enumerate(zip(problemset.problems, dependencies, strict=True), 1)
        if not earlier and _only_loads(problem.code)
    }
    return tuple(earlier - loading for earlier in dependencies)


def stated_level(problem: Problem) -> Level | None:
    """Return the level that a problem states; None where it states none of the three."""
    stated = str(problem.metadata.get("difficulty", "")).strip().lower()
    return next((level for level in LEVELS if level == stated), None)


def levels_apart(one: Level, other: Level) -> int:
    """Return how many levels lie between two (count): 2 between `easy` and `hard`."""
    return abs(LEVELS.index(one) - LEVELS.index(other))


def named_conventions(query: str) -> tuple[str, ...]:
    """Return the conventions that a query names: `ddof`, `ties`, `missing`, `bounds`."""
    return tuple(name for name, pattern in _CONVENTIONS.items() if pattern.search(query))


def _word_count(query: str) -> int:
    """Return how many words a query has; two signs of a script without spaces count as one."""
    signs = len(_SIGN.findall(query))
    return len(_SIGN.sub(" ", query).split()) + signs // 2 if query.strip() else _USUAL_WORDS


def _counted(nodes: Sequence[ast.AST], most: int, *kinds: type[ast.AST]) -> int:
    return min(most, sum(isinstance(node, kinds) for node in nodes))


def _operation(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return node.attr if isinstance(node, ast.Attribute) and node.attr in ("str", "dt") else ""


def _computes(node: ast.AST) -> bool:
    """Return whether a node is a statement that computes: a constant, an import or a bare name is no step."""
    if not isinstance(node, ast.stmt) or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
        return False
    return any(isinstance(part, (ast.Call, ast.BinOp, ast.Compare, ast.Subscript)) for part in ast.walk(node))


def _only_loads(code: str) -> bool:
    tree = parse_code(code).tree or ast.Module([], [])
    return any(
        isinstance(node, ast.Call) and _operation(node).startswith(("read_", "load_")) for node in ast.walk(tree)
    )
