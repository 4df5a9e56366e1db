"""What a query asks for that no validator looks at, and what the reference shows that nobody asked for."""

import ast
from collections.abc import Iterator
from typing import Final

from evaluator.errors import ContentError
from evaluator.language import Problem, ValidatorSpec, names_read_and_written, resolve_validators, wanted_names
from evaluator.running.quality.code_facts import (
    called,
    calls_of,
    functions_of,
    last_value,
    literal,
    tree_of,
    written_before,
)
from evaluator.running.quality.query_words import Demand, demands, numbers_in, promised_names, quoted_names
from evaluator.running.quality.warning import ProblemWarning, WarningCode

_EXCERPTS: Final = frozenset({"head", "tail", "sample"})


def unchecked_demands(problem: Problem) -> Iterator[ProblemWarning]:
    """Yield what the query asks for and no validator compares."""
    try:
        spec = resolve_validators(problem)
    except ContentError:
        return  # reported when the file was parsed
    if _has_own(spec):
        return  # what an author's own validator looks at is not known
    for what, fix in (
        *_variables(problem, spec),
        *_functions(problem, spec),
        *_results(problem, spec),
        *_prints(problem, spec),
    ):
        yield ProblemWarning(WarningCode.UNCHECKED_DEMAND, what, fix)


def _nodes(spec: ValidatorSpec) -> Iterator[ValidatorSpec]:
    yield spec
    for child in spec.children:
        yield from _nodes(child)


def _has_own(spec: ValidatorSpec) -> bool:
    return any(node.code for node in _nodes(spec))


def _uses(spec: ValidatorSpec, name: str) -> bool:
    return any(node.name == name for node in _nodes(spec))


def _variables(problem: Problem, spec: ValidatorSpec) -> Iterator[tuple[str, str]]:
    """Yield the variables that the query names and the code makes or changes, and that no validator compares."""
    functions = {function.name for function in functions_of(tree_of(problem.code))}
    written = names_read_and_written(problem.code).writes - functions
    if not demands(problem.query, Demand.CHANGE):
        written -= written_before(problem)  # that they change at all is another matter
    named = (quoted_names(problem.query) | set(promised_names(problem.query))) & written
    for name in sorted(named - set(wanted_names(spec))):
        what = f"the query asks for {name!r}, which no validator compares"
        yield what, f"add `namespace_check: {{{name}: }}`, or do not name the variable"


def _functions(problem: Problem, spec: ValidatorSpec) -> Iterator[tuple[str, str]]:
    """Yield the functions that the query asks for and no unit test calls."""
    if not demands(problem.query, Demand.FUNCTION):
        return
    tested = {
        str(node.options.get("function_name", "")).partition(".")[0]
        for node in _nodes(spec)
        if node.name == "table_test"
    }
    for function in functions_of(tree_of(problem.code)):
        if function.name in tested or function.name not in problem.query:
            continue
        what = f"the query asks for a function {function.name!r}, which no unit test calls"
        yield what, f"add `table_test` with `function_name: {function.name}` and cases that usual mistakes fail"


def _results(problem: Problem, spec: ValidatorSpec) -> Iterator[tuple[str, str]]:
    """Yield that the query asks for a value and the code gives none, or no validator compares it."""
    tree = tree_of(problem.code)
    asks = demands(problem.query, Demand.RETURN) and not demands(problem.query, Demand.FUNCTION)
    if not asks or not tree.body:
        return
    if last_value(tree) is None:
        if not calls_of(tree, "print", "display"):
            yield "the query asks to return something, the last line of the code has no value", "end with the answer"
    elif not _uses(spec, "result"):
        what = "the query asks to return something, and no validator compares the result"
        yield what, "add `result:` to the validators"


def _prints(problem: Problem, spec: ValidatorSpec) -> Iterator[tuple[str, str]]:
    asks = demands(problem.query, Demand.PRINT) and not demands(problem.query, Demand.FUNCTION)
    if (
        asks
        and calls_of(tree_of(problem.code), "print")
        and not any(_uses(spec, name) for name in ("stream", "numeric", "text", "final_answer"))
    ):
        what = "the query asks to print something, and no validator compares what is printed"
        yield what, "add `stream:` to the validators"


def unasked_outputs(problem: Problem) -> Iterator[ProblemWarning]:
    """Yield an excerpt or a display at the end of the code that the query does not ask for."""
    said = _excerpt(problem) or _display(problem) or _shown_variable(problem)
    if said:
        fix = "end the code without it: whatever the last line shows is compared with what a submission returns"
        yield ProblemWarning(WarningCode.UNASKED_OUTPUT, said, fix)


def _excerpt(problem: Problem) -> str:
    """Return that the last value is an excerpt, such as `.head()`, which no word of the query explains."""
    value = last_value(tree_of(problem.code))
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or called(value) not in _EXCERPTS:
        return ""
    name, given = called(value), literal(value.args[0]) if value.args else 5
    if not isinstance(given, (int, float)) or _is_explained(problem.query, name, float(given)):
        return ""
    return f"the code ends with `.{name}()`, which the query does not ask for"


def _is_explained(query: str, name: str, rows: float) -> bool:
    """Return whether a query asks for an excerpt: it names the number of rows, or wants one that stands out."""
    if name == "sample":
        return demands(query, Demand.SAMPLE)
    if rows in numbers_in(query) or demands(query, Demand.PREVIEW):
        return True
    return rows == 1 and demands(query, Demand.EXCERPT)


def _display(problem: Problem) -> str:
    tree = tree_of(problem.code)
    last = tree.body[-1] if tree.body else None
    shows = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and called(last.value) == "display"
    if not shows or demands(problem.query, Demand.ANSWER):
        return ""
    return "the code ends with `display(...)`, which the query does not ask for"


def _shown_variable(problem: Problem) -> str:
    """Return that the last value is a variable which the query only asks to make, so that showing it is compared."""
    value = last_value(tree_of(problem.code))
    try:
        spec = resolve_validators(problem)
    except ContentError:
        return ""
    names = wanted_names(spec)
    if value is None or demands(problem.query, Demand.ANSWER) or not _uses(spec, "result"):
        return ""
    root = next((node.id for node in ast.walk(value) if isinstance(node, ast.Name)), "")
    if root not in names and root not in promised_names(problem.query):
        return ""
    return f"the code ends with a value of {root!r}, and the query only asks to make it"
