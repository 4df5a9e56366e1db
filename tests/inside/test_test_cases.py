"""Cases of a table: lists, mappings, expressions, blocks and repetitions."""

import random

import numpy as np
import pytest

from evaluator.inside.validators.test_cases import BadCaseError, build_case

DRAW = "```\ndef _generate():\n    return [random.random(), np.random.rand()]\n```"


def test_a_case_gives_its_arguments() -> None:
    for case, arguments in (
        *(
            ([1, "a"], [1, "a"]),
            ({"a": 1, "b": "`2`"}, {"a": 1, "b": "`2`"}),
            (["`[1] * 2`", "it`s"], [[1, 1], "it`s"]),
        ),
        *(("`(1, 2)`", [1, 2]), ("`{'a': 1}`", {"a": 1}), ("```\n_test_case = [3]\n```", [3])),
        *(("```python\n_test_case = {'x': 3}\n```\n", {"x": 3}), (["```\n_test_case = 4\n```"], [4])),
    ):
        assert build_case([case], 0) == arguments, case


def test_both_generators_are_seeded_with_the_number_of_the_case() -> None:
    for number in (0, 1, 2):
        random.seed(number)
        np.random.seed(number)
        expected = [random.random(), np.random.rand()]
        assert build_case([DRAW, "//", "//"], number) == expected
    assert build_case([DRAW, "//"], 0) != build_case([DRAW, "//"], 1)


def test_what_gives_no_arguments_is_refused() -> None:
    for cases in (["//"], ["`3`"], ["```\nx = 1\n```"], [7], ["text"], [{1: 2}]):
        with pytest.raises(BadCaseError):
            build_case(cases, 0)
