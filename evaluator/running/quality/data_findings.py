"""What executed facts say against a problem: requirements that the data never exercise, and answers that say little."""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from evaluator.language import Problem, compared_values, resolve_validators, wants_figures
from evaluator.running.quality.code_facts import comparisons
from evaluator.running.quality.facts import CodeFacts, Site, ValueFacts
from evaluator.running.quality.query_words import (
    Demand,
    bounds_in,
    demands,
    missing_names,
    numbers_in,
    quoted_names,
)
from evaluator.running.quality.warning import ProblemWarning, WarningCode

TINY: Final = 9  # whole numbers up to this can be hit by chance
SHARE_KNOWN: Final = 0.2  # of an answer's values, at least
_LEAST_VALUES: Final = 3  # from so many on, equal ones are no answer
_EXERCISE: Final = "ask for what the data can show, choose a value that occurs, or drop the demand"
_INFORMATION: Final = "ask for more: a table, a name with its number, or a number that cannot be guessed"


def unexercised(problem: Problem, facts: CodeFacts) -> Iterator[ProblemWarning]:
    """Yield what the query demands and the data never exercise."""
    for said in (
        _no_gaps(problem, facts),
        _no_duplicates(problem, facts),
        *_idle_bounds(problem, facts),
        *_idle_filters(problem, facts),
    ):
        if said:
            yield ProblemWarning(WarningCode.NOT_EXERCISED, said, _EXERCISE)


def _no_gaps(problem: Problem, facts: CodeFacts) -> str:
    """Return that the query says what becomes of missing values, and there are none."""
    named = missing_names(problem.query) & set(facts.columns)
    if not demands(problem.query, Demand.MISSING) or facts.gaps or not named:
        return ""
    if any(facts.columns[name] for name in named):
        return ""
    columns = ", ".join(map(repr, sorted(named)))
    return f"the query says what becomes of missing values, and {columns} has none"


def _no_duplicates(problem: Problem, facts: CodeFacts) -> str:
    found = facts.of("drop_duplicates")
    if not found or not demands(problem.query, Demand.DUPLICATES):
        return ""
    if any(noted["before"] != noted["after"] for _, noted in found):
        return ""
    return "the query wants duplicates gone, and there are none"


def _idle_bounds(problem: Problem, facts: CodeFacts) -> Iterator[str]:
    """Yield the bounds at which `<` and `<=` choose the same rows, of values that could lie there."""
    noted: dict[float, list[Mapping[str, float]]] = {}
    for site, found in facts.of("compared"):
        noted.setdefault(site.number, []).append(found)
    for bound in bounds_in(problem.query):
        at_bound = noted.get(bound.number, [])
        if not at_bound or any(each["equal"] for each in at_bound) or not all(map(_is_coarse, at_bound)):
            continue
        nearest = min((each["nearest"] for each in at_bound), key=lambda value: abs(value - bound.number))
        yield (
            f"no value is {bound.number:g} (the nearest is {nearest:g}), so that a bound that is included "
            "and one that is not choose the same"
        )


def _is_coarse(noted: Mapping[str, float]) -> bool:
    return bool(noted["coarse"]) and noted["values"] > 1


def _idle_filters(problem: Problem, facts: CodeFacts) -> Iterator[str]:
    """Yield the filters that keep every row although the query names their value, and those that keep none."""
    by_site: dict[int, list[Mapping[str, float]]] = {}
    sites: dict[int, Site] = {}
    for site, noted in facts.of("chosen"):
        by_site.setdefault(id(site.node), []).append(noted)
        sites[id(site.node)] = site
    for key, found in by_site.items():
        shown = ast.unparse(sites[key].node)[:80]
        if not any(noted["rows"] > 1 for noted in found):
            continue
        if all(noted["kept"] == 0 for noted in found):
            yield f"`{shown}` keeps no row"
        elif all(noted["kept"] == noted["rows"] for noted in found) and _is_asked(problem, sites[key].node):
            yield f"`{shown}` keeps every row"


def _is_asked(problem: Problem, node: ast.AST) -> bool:
    """Return whether a filter compares with a value that the query names."""
    if any(found.number in numbers_in(problem.query) for found in comparisons(node)):
        return True
    texts = {
        part.value
        for found in ast.walk(node)
        if isinstance(found, ast.Compare)
        for part in found.comparators
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    return any(text in quoted_names(problem.query) for text in texts)


def little_information(problem: Problem, facts: CodeFacts, *, guesses: bool = True) -> Iterator[ProblemWarning]:
    """Yield that there is nothing in the answer or, with `guesses`, that it could be guessed."""
    for name, value in facts.variables.items():
        if said := _emptiness(value):
            yield _little(f"the variable {name!r} {said}")
    result = facts.result
    if _is_drawn(problem):  # what the last call of a figure returns is nobody's answer
        return
    if result is None or (demands(problem.query, Demand.EMPTY) and not result.values):
        return
    said = _emptiness(result) or _uniform(result)
    if guesses and not said and not facts.variables:
        said = _guess(problem, result)
    if said:
        yield _little(f"the result {said}")


def _is_drawn(problem: Problem) -> bool:
    validators = resolve_validators(problem)
    return wants_figures(validators) and not any(place == "result" for place, _ in compared_values(validators))


def _little(what: str) -> ProblemWarning:
    return ProblemWarning(WarningCode.LOW_INFORMATION, what, _INFORMATION)


def _emptiness(value: ValueFacts) -> str:
    if value.opaque or (value.single and value.kind):
        return ""
    if not value.values:
        return "is empty"
    if value.known < SHARE_KNOWN * value.values:
        if value.values == 1:
            return "is one value, which is missing"
        return f"has {value.values} values, of which {value.known or 'none'} {'is' if value.known < 2 else 'are'} known"
    return ""


def _uniform(value: ValueFacts) -> str:
    if value.single or value.known < _LEAST_VALUES or value.distinct != 1:
        return ""
    return f"has {value.known} values, all of them equal"


def _guess(problem: Problem, value: ValueFacts) -> str:
    """Return that a single value can be guessed, or stands in the query."""
    if value.kind == "bool":
        return "is true or false"
    number = _number(value.text)
    if value.kind == "int" and number is not None and abs(number) <= TINY:
        return f"is the small number {value.text}"
    if value.kind in ("int", "float") and number in numbers_in(problem.query):
        return f"is {value.text}, which stands in the query"
    if value.kind == "str" and len(value.text) > 1 and value.text in quoted_names(problem.query):
        return f"is {value.text!r}, which stands in the query"
    return ""


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
