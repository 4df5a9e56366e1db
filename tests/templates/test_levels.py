"""The measured difficulty of template problems, and what sets are made of."""

from statistics import mean

import pytest

from authoring.templates import FAMILIES, Wish, check_wish, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.levels import level_of
from authoring.templates.planning import TaskCandidate, next_board
from evaluator.errors import UsageError
from evaluator.language import syntactic_difficulty
from tests.templates.test_identities import SEEDS, shipped_profile


def measured(name: str, wish: Wish) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the difficulty of each problem of a sketch, and what it rests on beside loading."""
    profile = shipped_profile(name)
    board, values, needed = Board(profile), list[int](), list[tuple[int, ...]]()
    items = sketch_from_profile(profile, rng_seed=1, difficulty=wish)
    loads = {item.number for item in items if item.family == "load_table"}
    for item in items:
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        assert item.difficulty == level_of(task.code)
        values.append(syntactic_difficulty(task.code))
        needed.append(tuple(number for number in item.depends_on if number not in loads))
        board = next_board(TaskCandidate(family, item.slots, task), board)
    return values, needed


@pytest.mark.parametrize("name", SEEDS)
def test_a_hard_set_measures_far_above_an_easy_one_and_both_hold_chains(name: str) -> None:
    easy, hard = measured(name, "easy"), measured(name, "hard")
    assert mean(easy[0]) + 10 < mean(hard[0])
    for _, needed in (easy, hard):
        assert sum(map(bool, needed)) >= 0.2 * len(needed)
        depths: list[int] = []
        for numbers in needed:
            depths.append(1 + max((depths[number - 1] for number in numbers), default=1))  # loading stands below all
        assert max(depths) >= 3


def test_the_levels_are_the_bounds_of_the_measure() -> None:
    assert [level_of(code) for code in ("df.shape", "df.a.b.c(d).e", "\n".join(["df.a(x.y)"] * 9))] == [
        "easy",
        "medium",
        "hard",
    ]


def test_a_difficulty_that_does_not_exist_is_refused_in_plain_words() -> None:
    with pytest.raises(UsageError, match="there is no difficulty 'brutal'") as raised:
        check_wish("brutal")
    assert raised.value.fix == "use one of easy, medium, hard, mix"
