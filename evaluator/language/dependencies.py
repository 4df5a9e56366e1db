"""Which problems rest on which: a variable that an earlier problem made is used by a later one."""

from collections.abc import Sequence

from evaluator.language.model import Problem, Problemset
from evaluator.language.names import names_read_and_written


def session_dependencies(problemset: Problemset) -> tuple[frozenset[int], ...]:
    """Return, per problem, the numbers (from 1) of the problems that last wrote a variable it reads."""
    writer: dict[str, int] = {}
    found = []
    number = 0
    for cell in problemset.cells:
        is_problem = isinstance(cell, Problem)
        used = names_read_and_written(cell.code if isinstance(cell, Problem) else cell.source)
        number += is_problem
        if is_problem:
            found.append(frozenset(writer[name] for name in used.reads if name in writer))
        for name in used.writes:
            if is_problem:
                writer[name] = number
            else:
                writer.pop(name, None)
    return tuple(found)


def longest_chain(dependencies: Sequence[frozenset[int]]) -> int:
    """Return how many problems the longest chain has; 0 when there is no problem."""
    lengths: list[int] = []
    for earlier in dependencies:
        lengths.append(1 + max((lengths[number - 1] for number in earlier), default=0))
    return max(lengths, default=0)
