"""Which problems of a set rest on which."""

from evaluator.language import Problem, Problemset, SetupCell, longest_chain, session_dependencies


def test_a_problem_depends_on_the_last_one_that_wrote_what_it_reads() -> None:
    cells = (
        SetupCell("import pandas as pd\nbase = 1"),
        Problem("a", "x = base"),
        Problem("b", "y = x + 1"),
        Problem("c", "x = 7"),
        Problem("d", "x * y"),
        SetupCell("x = 0"),
        Problem("e", "x"),
    )
    found = session_dependencies(Problemset("s", cells))
    assert [set(numbers) for numbers in found] == [set(), {1}, set(), {2, 3}, set()]
    assert longest_chain(found) == 3


def test_no_problem_has_no_chain() -> None:
    assert longest_chain(()) == 0
