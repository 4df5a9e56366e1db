"""The boards of CIBench: weights, categories, the leaderboard's mean, what is never left out, and published rows."""

from collections.abc import Sequence

import pytest

from evaluator.families.boards import Score, mean, weighted
from evaluator.families.cibench.board import METRICS, ScoredStep, board_of, leaderboard_row
from evaluator.families.published import correlation, published_boards


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


def test_means_of_nothing_are_null() -> None:
    assert mean([]) == Score(None, 0)
    assert weighted([]) == Score(None, 0)
    assert weighted([(Score(0.5, 2), 0.0)]) == Score(None, 0)


# --- the rows of the published boards, and what follows from them ---

CIBENCH, QWEN = published_boards()["cibench"], published_boards()["qwen"]


def test_all_published_rows_are_there() -> None:
    assert (len(CIBENCH.rows), len(QWEN.rows)) == (24, 10)
    gpt = next(row for row in CIBENCH.rows if row.model == "gpt-4o")
    assert [round(100 * gpt.scores[column], 1) for column in CIBENCH.columns] == [
        *(100.0, 97.2, 74.1, 79.0, 61.1), *(99.2, 94.8, 81.7, 79.7, 71.6), 74.5,
    ]  # fmt: skip
    qwen = next(row for row in QWEN.rows if row.model == "Qwen-72B-Chat")
    assert dict(qwen.scores) == pytest.approx(
        {"math": 0.727, "visualization-hard": 0.417, "visualization-easy": 0.43, "general": 0.828}
    )


def test_the_mean_of_the_leaderboard_is_that_of_its_six_columns() -> None:
    columns = dict(zip(METRICS, ("Tool", "Exe", "Num", "Text", "Vis"), strict=True))
    for row in CIBENCH.rows:
        modes = {
            mode: {metric: Score(row.scores[f"{letter}-{column}"], 1) for metric, column in columns.items()}
            for letter, mode in (("E", "end-to-end"), ("O", "oracle"))
        }
        assert leaderboard_row(modes)["Avg"].value == pytest.approx(row.scores["Avg"], abs=0.00051), row.model
    only_oracle = {name: scores for name, scores in modes.items() if name == "oracle"}  # pyrefly: ignore[unbound-name]
    assert leaderboard_row(only_oracle)["Avg"].value is None


def test_two_boards_are_correlated_over_the_models_that_both_have() -> None:
    columns = [{row.model: row.scores[name] for row in CIBENCH.rows} for name in ("E-Num", "O-Num")]
    found, models = correlation(columns[0], columns[1])
    assert models == 24
    assert found is not None
    assert 0.7 < found < 1
    assert correlation(columns[0], columns[0])[0] == pytest.approx(1.0)
    assert correlation({"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0}) == (None, 2)
    assert correlation({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 2.0, "b": 1.0, "c": 0.0}) == (None, 3)
