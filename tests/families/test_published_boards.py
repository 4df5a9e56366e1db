"""The rows of the published boards, and what follows from them."""

import pytest

from evaluator.families.boards import Score
from evaluator.families.cibench.board import METRICS, leaderboard_row
from evaluator.families.published import SIZES, PublishedRow, by_size, correlation, published_boards, size_of

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


@pytest.mark.parametrize("row", CIBENCH.rows, ids=lambda row: row.model)
def test_the_mean_of_the_leaderboard_is_that_of_its_six_columns(row: PublishedRow) -> None:
    columns = dict(zip(METRICS, ("Tool", "Exe", "Num", "Text", "Vis"), strict=True))
    modes = {
        mode: {metric: Score(row.scores[f"{letter}-{column}"], 1) for metric, column in columns.items()}
        for letter, mode in (("E", "end-to-end"), ("O", "oracle"))
    }
    average = leaderboard_row(modes)["Avg"].value
    assert average == pytest.approx(row.scores["Avg"], abs=0.00051)


def test_models_are_grouped_by_the_size_in_their_names() -> None:
    assert [size_of(name) for name in ("Llama-2-7B-Chat", "Qwen-14B", "Llama-3-70B-Instruct", "gpt-4o")] == list(SIZES)
    assert size_of("Mixtral-8x7B-Instruct") == SIZES[2]
    groups = by_size(CIBENCH.rows)
    assert list(groups) == [size for size in SIZES if size in groups]
    assert len(groups) >= 3
    assert groups[SIZES[0]]["Avg"] < groups[SIZES[2]]["Avg"]


def test_two_boards_are_correlated_over_the_models_that_both_have() -> None:
    columns = [{row.model: row.scores[name] for row in CIBENCH.rows} for name in ("E-Num", "O-Num")]
    found, models = correlation(columns[0], columns[1])
    assert models == 24
    assert found is not None
    assert 0.7 < found < 1
    assert correlation(columns[0], columns[0])[0] == pytest.approx(1.0)
    assert correlation({"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0}) == (None, 2)
    assert correlation({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 2.0, "b": 1.0, "c": 0.0}) == (None, 3)
