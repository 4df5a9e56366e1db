"""The measured difficulty of template problems, and what sets are made of."""

from statistics import mean

import pytest

from authoring.templates import FAMILIES, Wish, check_wish, sketch_from_profile
from authoring.templates.board import Board
from authoring.templates.levels import level_of
from authoring.templates.planning import Plan, TaskCandidate
from evaluator.errors import UsageError
from evaluator.language import measure_difficulty
from tests.templates.test_identities import SEEDS, shipped_profile


def measured(name: str, wish: Wish) -> tuple[list[float], Plan]:
    """Return the difficulty of each problem of a sketch, and the plan that counts what rests on what."""
    profile, semantics = shipped_profile(name)
    board, values, plan = Board(profile, semantics), list[float](), Plan(0)
    for item in sketch_from_profile(profile, rng_seed=1, semantics=semantics, difficulty=wish):
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        used = plan.results_used(task, board)
        assert item.difficulty == level_of(task.code, family.query(task, item.slots), results_used=len(used))
        values.append(measure_difficulty(task.code).score)
        plan.note(TaskCandidate(family, item.slots, task), board)
        board = task.board.after()
    return values, plan


def test_a_hard_set_measures_above_an_easy_one_and_every_set_is_a_thread() -> None:
    scores: dict[Wish, list[float]] = {"easy": [], "hard": []}
    deeps: list[float] = []
    for name in SEEDS:
        for wish, found in scores.items():
            values, plan = measured(name, wish)
            linked, deep = plan.shares()
            assert linked >= 0.5, (name, wish)
            assert deep >= 0.15, (name, wish)
            deeps.append(deep)
            found.append(mean(values))
    assert mean(scores["easy"]) < mean(scores["hard"])
    assert mean(deeps) >= 0.25


def test_results_that_are_used_make_a_problem_harder() -> None:
    code = 'table = df.groupby("a")["b"].mean()\ntop = table.idxmax()\ndf[df["a"] == top]["b"].median()'
    order = ["easy", "medium", "hard"]
    assert order.index(level_of(code)) <= order.index(level_of(code, results_used=3))
    assert level_of("df.shape") == "easy"


def test_a_difficulty_that_does_not_exist_is_refused_in_plain_words() -> None:
    with pytest.raises(UsageError, match="there is no difficulty 'brutal'") as raised:
        check_wish("brutal")
    assert raised.value.fix == "use one of easy, medium, hard, mix"
