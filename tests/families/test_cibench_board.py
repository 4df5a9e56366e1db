"""The boards of CIBench: published weights, categories, the leaderboard's mean, and what is never left out."""

from collections.abc import Sequence

import pytest

from evaluator.families.boards import Score, mean, weighted
from evaluator.families.cibench.board import ScoredStep, board_of, leaderboard_row


def steps(
    set_name: str, module: str, tag: str, scores: Sequence[float | None], language: str = "en"
) -> list[ScoredStep]:
    metric = {"num": "numeric", "text": "text", "vis": "visual", "general": "general"}.get(tag)
    always: dict[str, float | None] = {"tool": 1.0, "executable": 1.0}
    every = [{**always, metric: score} if metric else always for score in scores]
    return [ScoredStep(set_name, module, tag, each, language) for each in every]


def shares(right: int, of: int) -> list[float]:
    return [1.0] * right + [0.0] * (of - right)


def generation_num() -> list[ScoredStep]:
    """Numeric 80, 50, 60 and 40 percent; the other modules have no numeric steps, but are there."""
    found = steps("generation", "pandas", "num", shares(4, 5)) + steps("generation", "matplotlib", "num", shares(1, 2))
    found += steps("generation", "scipy", "num", shares(3, 5)) + steps("generation", "opencv", "num", shares(2, 5))
    return found + steps("generation", "pytorch", "exec", [None]) + steps("generation", "seaborn", "exec", [None])


def test_published_weights_bring_modules_together() -> None:
    board = board_of(generation_num(), mode="end-to-end", rules="published", published_weights=True)
    numeric = board.sets["generation"]["numeric"]
    assert numeric.value == pytest.approx(101.80 / 162, abs=1e-12)
    assert 100 * (numeric.value or 0) == pytest.approx(62.8395, abs=5e-5)
    assert numeric.n == 162


def test_counted_weights_pool_all_steps() -> None:
    board = board_of(generation_num(), mode="end-to-end", rules="published")
    assert board.sets["generation"]["numeric"] == Score(10 / 17, 17)


def test_a_missing_module_makes_the_number_of_its_set_missing() -> None:
    found = [step for step in generation_num() if step.module != "scipy"]
    board = board_of(found, mode="end-to-end", rules="published", published_weights=True)
    assert board.sets["generation"]["numeric"].value is None
    assert board.sets["generation"]["tool"].value is None
    counted = board_of(found, mode="end-to-end", rules="published")
    assert counted.sets["generation"]["numeric"].value is not None


def test_a_module_of_weight_zero_is_skipped() -> None:
    found = [step for step in generation_num() if step.module != "pytorch"]
    board = board_of(found, mode="end-to-end", rules="published", published_weights=True)
    assert board.sets["generation"]["numeric"].value == pytest.approx(101.80 / 162, abs=1e-12)
    assert board.sets["generation"]["text"].value is None  # of which pytorch has eight


def test_a_category_pools_numbers_texts_and_figures_by_weight() -> None:
    found = steps("generation", "pandas", "num", shares(4, 5)) + steps("generation", "pandas", "text", [0.7])
    found += steps("generation", "pandas", "vis", [0.6])
    found += steps("template", "pandas", "num", shares(9, 10)) + steps("template", "pandas", "vis", [0.5])
    board = board_of(found, mode="end-to-end", rules="published", published_weights=True)
    category = board.categories["data manipulation"]
    assert category.value == pytest.approx(131.30 / 178, abs=1e-12)
    assert 100 * (category.value or 0) == pytest.approx(73.7640, abs=5e-5)
    assert board.categories["NLP"] == Score(None, 0)


def test_chinese_steps_stay_out_of_categories_and_leaderboard() -> None:
    found = steps("template", "pandas", "num", shares(1, 2))
    found += steps("template_cn", "pandas", "num", shares(0, 2), language="zh")
    board = board_of(found, mode="end-to-end", rules="published")
    assert board.every["numeric"] == Score(0.25, 4)
    assert board.categories["data manipulation"] == Score(0.5, 2)
    assert board.leaderboard["E-Num"] == Score(0.5, 2)
    assert set(board.modules) == {"template/pandas", "template_cn/pandas"}


def test_what_could_not_be_graded_is_told_and_shrinks_no_denominator() -> None:
    found = steps("template", "pandas", "num", [1.0, None])
    board = board_of(found, mode="end-to-end", rules="published")
    assert board.every["numeric"] == Score(None, 2, 1)
    assert board.every["numeric"].to_json() == {"value": None, "n": 2, "not_graded": 1}
    assert board.every["visual"].to_json() == {"value": None, "n": 0}


def test_a_notebook_without_step_types_has_a_general_score() -> None:
    board = board_of(steps("own", "own", "general", [1.0, 0.0]), mode="oracle", rules="published")
    assert board.every["general"] == Score(0.5, 2)
    assert board.leaderboard["O-Tool"] == Score(1.0, 2)


@pytest.mark.parametrize(
    ("end_to_end", "oracle", "average"),
    [((74.1, 79.0, 61.1), (81.7, 79.7, 71.6), 74.5), ((18.9, 33.0, 29.3), (28.2, 52.0, 34.2), 32.6)],
)
def test_the_leaderboards_mean_is_that_of_six_columns(
    end_to_end: tuple[float, ...], oracle: tuple[float, ...], average: float
) -> None:
    def scores(values: tuple[float, ...]) -> dict[str, Score]:
        every = zip(("numeric", "text", "visual"), values, strict=True)
        return {
            "tool": Score(1, 1),
            "executable": Score(1, 1),
            **{name: Score(value / 100, 1) for name, value in every},
        }

    row = leaderboard_row({"end-to-end": scores(end_to_end), "oracle": scores(oracle)})
    assert round(100 * (row["Avg"].value or 0), 1) == average
    assert leaderboard_row({"oracle": scores(oracle)})["Avg"].value is None


def test_means_of_nothing_are_null() -> None:
    assert mean([]) == Score(None, 0)
    assert weighted([]) == Score(None, 0)
    assert weighted([(Score(0.5, 2), 0.0)]) == Score(None, 0)
