"""Problems that ask for what another problem on the same data asks for already."""

import ast
from collections.abc import Mapping

from authoring.checks.gates import Check, CheckFailure
from evaluator.language import Problem, Problemset, problem_id, syntax_tree


def fingerprints(problem: Problem) -> tuple[str, ...]:
    """Return what two problems have in common when they are the same to a reader: the words, or the code's sense."""
    words = " ".join(problem.query.casefold().split())
    try:
        code = ast.dump(syntax_tree(problem.code))  # without comments, line breaks and kinds of quotes
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = problem.code
    return f"query {words}", f"code {code}"


def known_fingerprints(problemset: Problemset) -> dict[str, str]:
    """Return fingerprint -> the problem that has it, such as "penguins-1, problem 3"."""
    found: dict[str, str] = {}
    for number, problem in enumerate(problemset.problems, 1):
        for mark in fingerprints(problem):
            found.setdefault(mark, f"{problemset.name}, problem {number}")
    return found


def find_repeats(problemset: Problemset, known: Mapping[str, str]) -> tuple[CheckFailure, ...]:
    """Return the problems of a set that repeat an earlier one of it or one of `known` (fingerprint -> label)."""
    seen, failures = dict(known), []
    for number, problem in enumerate(problemset.problems, 1):
        marks = fingerprints(problem)
        twin = next((seen[mark] for mark in marks if mark in seen), None)
        if twin is not None:
            what, fix = f"it repeats {twin}", "ask for something else, or leave it out"
            failures.append(CheckFailure(Check.REPEAT, number, problem_id(problemset, number), what, fix))
        for mark in marks:
            seen.setdefault(mark, f"{problemset.name}, problem {number}")
    return tuple(failures)
