"""Cases of a table: lists, mappings, expressions, blocks and repetitions."""

import random
from typing import Any

import numpy as np
import pytest

from evaluator.inside.validators.test_cases import BadCaseError, build_case

DRAW = "```\ndef _generate():\n    return [random.random(), np.random.rand()]\n```"


@pytest.mark.parametrize(
    ("case", "arguments"),
    [
        ([1, "a"], [1, "a"]),
        ({"a": 1, "b": "`2`"}, {"a": 1, "b": "`2`"}),
        (["`[1] * 2`", "it`s"], [[1, 1], "it`s"]),
        ("`(1, 2)`", [1, 2]),
        ("`{'a': 1}`", {"a": 1}),
        ("```\n_test_case = [3]\n```", [3]),
        ("```python\n_test_case = {'x': 3}\n```\n", {"x": 3}),
        (["```\n_test_case = 4\n```"], [4]),
    ],
)
def test_a_case_gives_its_arguments(case: Any, arguments: Any) -> None:
    assert build_case([case], 0) == arguments


def test_both_generators_are_seeded_with_the_number_of_the_case() -> None:
    for number in (0, 1, 2):
        random.seed(number)
        np.random.seed(number)
        expected = [random.random(), np.random.rand()]
        assert build_case([DRAW, "//", "//"], number) == expected


def test_a_repeated_case_draws_other_numbers() -> None:
    assert build_case([DRAW, "//"], 0) != build_case([DRAW, "//"], 1)


@pytest.mark.parametrize("cases", [["//"], ["`3`"], ["```\nx = 1\n```"], [7], ["text"], [{1: 2}]])
def test_what_gives_no_arguments_is_refused(cases: list[Any]) -> None:
    with pytest.raises(BadCaseError):
        build_case(cases, 0)
