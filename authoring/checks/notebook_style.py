"""Rules for sets in the style of a notebook, after CIBench's quality control (arXiv:2407.10499, section 3.1, appendix).

Queries take the user's view, name the files they need, ask for steps of under a minute, and leave one possible output.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import Problem, Problemset, names_read_and_written, parse_code, problem_id

MIN_STEPS: Final = 10
MAX_STEPS: Final = 15
MAX_SECONDS: Final = 60.0
MAX_DATA_BYTES: Final = 50_000_000
_NARRATED: Final = re.compile(
    r"\b(in this (?:step|cell|notebook|tutorial|section|exercise)|the (?:following|above|next) (?:code|cell|step)|"
    r"as (?:shown|seen|done) above|we (?:will|then|now|have|can|are)|let(?:'|’)s|the (?:user|model|agent|assistant))\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(explore|discuss|explain|describe what|interpret|comment on|some (?:rows|values|examples)|a few|roughly|"
    r"approximately|feel free|as you like|appropriate|suitable|etc)\b",
    re.IGNORECASE,
)
_WRITERS: Final = frozenset({"to_csv", "to_excel", "to_json", "to_parquet", "to_pickle", "savefig", "savetxt", "save"})
_FILE: Final = re.compile(r"[\w .()+-]+\.(?:csv|tsv|json|jsonl|xlsx|parquet|txt|png|jpe?g|npy|npz)$", re.IGNORECASE)


_MOVING: Final = frozenset(
    {"id", "time.time", "time.perf_counter", "perf_counter", "datetime.now", "datetime.today", "datetime.datetime.now"}
    | {"date.today", "datetime.date.today", "pd.Timestamp.now", "pd.Timestamp.today", "uuid.uuid4", "os.getpid"}
)


_LIBRARY_DRAWS: Final = frozenset(  # of the standard library's module `random`
    {"random", "uniform", "triangular", "randint", "randrange", "randbytes", "getrandbits", "choice", "choices"}
    | {"sample", "shuffle", "gauss", "normalvariate", "lognormvariate", "expovariate", "gammavariate", "betavariate"}
    | {"paretovariate", "weibullvariate", "vonmisesvariate", "binomialvariate"}
)


class _Fault(NamedTuple):
    code: str
    what: str
    fix: str


def style_diagnostics(problemset: Problemset, path: Path, inputs: Path | None = None) -> tuple[Diagnostic, ...]:
    """Return where a set breaks the rules of notebook style; all of them are warnings."""
    found = [_warning(_count(problemset), path, 1)] if _count(problemset) else []
    told = ""  # all queries up to the problem that is looked at
    before: list[str] = []  # code up to it
    number = 0
    for cell in problemset.cells:
        if not isinstance(cell, Problem):
            before.append(cell.source)
            continue
        number += 1
        told = f"{told}\n{cell.query}"
        before.append(cell.code)
        for fault in (*_of_problem(cell, told), *_of_chance(cell, "\n".join(before))):
            named = fault._replace(what=f"problem {problem_id(problemset, number)}: {fault.what}")
            found.append(_warning(named, path, cell.line))
    size = sum(file.stat().st_size for file in inputs.rglob("*") if file.is_file()) if inputs else 0
    if size > MAX_DATA_BYTES:
        what = f"the data has {size / 1e6:,.0f} MB; at most {MAX_DATA_BYTES / 1e6:,.0f} MB are usual for such sets"
        found.append(_warning(_Fault("style-large-data", what, "keep the rows and columns that matter"), path, 1))
    return tuple(found)


def _count(problemset: Problemset) -> _Fault | None:
    steps = len(problemset.problems)
    if MIN_STEPS <= steps <= MAX_STEPS:
        return None
    what = f"the set has {steps} steps; {MIN_STEPS} to {MAX_STEPS} are usual"
    return _Fault("style-steps", what, "add steps, or make two sets of it")


def _warning(fault: _Fault | None, path: Path, line: int) -> Diagnostic:
    assert fault is not None, "only faults become warnings"
    return Diagnostic(fault.code, Severity.WARNING, path, line, fault.what, fault.fix)


def _of_problem(problem: Problem, told: str) -> Iterator[_Fault]:
    narrated = _NARRATED.search(problem.query)
    if narrated:
        what = f"the query narrates ({narrated.group()!r}) instead of asking as a user does"
        yield _Fault("style-view", what, "say what is wanted, not what the notebook does")
    is_open = _OPEN.search(problem.query)
    if is_open:
        what = f"{is_open.group()!r} leaves open what the answer is"
        yield _Fault("style-open", what, "name the exact values, columns and form of the answer")
    yield from _of_code(problem, told)
    if problem.time_limit_s > MAX_SECONDS:
        what = f"the step may take {problem.time_limit_s:g} s"
        yield _Fault("style-slow", what, "ask for less data or a simpler method: a step stays under a minute")


def _of_code(problem: Problem, told: str) -> Iterator[_Fault]:
    tree = parse_code(problem.code).tree
    if tree is None:
        return
    for name in sorted({Path(text).name for text in _files(tree)}):
        if name not in told:
            what = f"the code reads {name!r}, which no query so far names"
            yield _Fault("style-path", what, "state the path in the query that first needs the file")
    writer = next((call for call in _called(tree) if call in _WRITERS), None)
    if writer:
        yield _Fault("style-writes", f"the code writes a file ({writer})", "return a value or draw a plot instead")
    named = _checked_names(problem)
    missing = sorted(name for name in named if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told))
    if missing:
        what = f"{missing[0]!r} is compared, but no query names it"
        yield _Fault("style-name", what, "name the variable in the query")
    if not named and not _leaves_value(tree) and "stream" not in (problem.validator or {}):
        yield _Fault("style-output", "the step leaves no value, no named variable and no text", "ask for one of them")


def _of_chance(problem: Problem, code_so_far: str) -> Iterator[_Fault]:
    """Yield a fault where the outcome is another one each time: draws without a fixed state, times, addresses."""
    tree = parse_code(problem.code).tree
    calls = [] if tree is None else [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    known = _imported(code_so_far)
    draws = [_full_name(call.func, known) for call in calls if _draws_freely(call, _full_name(call.func, known))]
    drawn = next((name for name in draws if not _is_seeded(name, code_so_far, known)), None)
    if drawn:
        what = f"{drawn} draws without a fixed random state"
        yield _Fault("style-random", what, "fix the random state, and state it in the query")
    moving = next((name for call in calls if (name := ast.unparse(call.func)) in _MOVING), None)
    if moving:
        what = f"{moving}() gives another value each time"
        yield _Fault("style-random", what, "ask for what is the same every time: no times of the clock, no addresses")


def _imported(code: str) -> dict[str, str]:
    """Return the names that imports bind, with what each stands for."""
    tree = parse_code(code).tree
    known: dict[str, str] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            known |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return known


def _full_name(function: ast.expr, known: Mapping[str, str]) -> str:
    first, dot, rest = ast.unparse(function).partition(".")
    return f"{known.get(first, first)}{dot}{rest}"


def _is_seeded(drawn: str, code: str, known: Mapping[str, str]) -> bool:
    """Return whether the code fixes the state that a call draws from; that of the standard library is its own."""
    if not _is_of_library(drawn):
        return bool(re.search(r"\bseed\(\s*\d", code))
    tree = parse_code(code).tree
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    return any(call.args and _full_name(call.func, known) == "random.seed" for call in calls)


def _is_of_library(name: str) -> bool:
    module, _, function = name.rpartition(".")
    return module == "random" and function in _LIBRARY_DRAWS


def _draws_freely(call: ast.Call, name: str) -> bool:
    last = name.rsplit(".", 1)[-1]
    if _is_of_library(name):
        return True
    if last in ("default_rng", "RandomState") or name == "random.Random":
        return not call.args and not call.keywords
    if last in ("sample", "train_test_split"):
        return not any(keyword.arg in ("random_state", "seed") for keyword in call.keywords)
    is_global = name.startswith(("np.random.", "numpy.random.")) and "(" not in name
    return is_global and last not in (
        "seed",
        "Generator",
        "SeedSequence",
        "PCG64",
    )


def _checked_names(problem: Problem) -> set[str]:
    checked = (problem.validator or {}).get("namespace_check")
    names = set(checked) if isinstance(checked, dict) else {checked} if isinstance(checked, str) else set()
    tested = (problem.validator or {}).get("table_test")
    function = tested.get("function_name") if isinstance(tested, dict) else None
    made = names_read_and_written(problem.code).writes
    return {str(name) for name in names if name in made} | ({str(function)} if function else set())


def _leaves_value(tree: ast.Module) -> bool:
    return bool(tree.body) and isinstance(tree.body[-1], ast.Expr)


def _files(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _FILE.search(node.value):
            yield node.value


def _called(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr
