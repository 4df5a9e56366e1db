"""Boards as rows of tables: percentages with their denominators, all names escaped. No Streamlit here."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authoring.ui.wording import label
from evaluator.families.cibench.board import column_of
from evaluator.families.leaderboard import own_score

MAX_ROWS: Final = 200
MAX_COLUMNS: Final = 20  # there are no more metrics; records of strangers may name some
NOTHING: Final = "–"

Row = dict[str, str]


def cell(score: Any) -> str:
    """Return `72.2 (18)`; a dash where nothing was counted, and why where not all could be graded."""
    if not isinstance(score, Mapping) or not score.get("n"):
        return NOTHING
    not_graded = score.get("not_graded")
    if score.get("value") is None:
        return f"withheld: {not_graded} of {score['n']} not graded" if not_graded else NOTHING
    return f"{percent(score['value'])} ({score['n']:g})"


def percent(value: Any) -> str:
    """Return a fraction as a percentage; a dash for None."""
    return f"{100 * value:.1f}" if isinstance(value, int | float) else NOTHING


def scores_table(rows: Mapping[str, Mapping[str, Any]], title: str, *, mode: str = "") -> list[Row]:
    """Return rows of scores by name; metrics that are counted nowhere are left out.

    Args:
        rows: Name -> metric -> score.
        title: Of the first column.
        mode: Names the columns as the leaderboard of CIBench does; empty: by their metrics.
    """
    metrics = list(dict.fromkeys(metric for scores in rows.values() for metric in scores))
    metrics = [metric for metric in metrics if any(scores.get(metric, {}).get("n") for scores in rows.values())]
    metrics = metrics[:MAX_COLUMNS]
    return [
        {title: label(name, limit=80)} | {_column(metric, mode): cell(scores.get(metric)) for metric in metrics}
        for name, scores in list(rows.items())[:MAX_ROWS]
    ]


def _column(metric: str, mode: str) -> str:
    return label(column_of(metric, mode) if mode else metric, limit=40)


def board_rows(board: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the rows of a board: all, sets and modules of CIBench, or tags and their pools of Qwen's."""
    if "tags" in board:
        every = {**board["tags"], **{f"all {name}": scores for name, scores in board["pooled"].items()}}
        return {name: scores for name, scores in every.items() if any(score["n"] for score in scores.values())}
    return {
        "all": board["all"],
        **{f"set {name}": scores for name, scores in board["sets"].items()},
        **{f"module {name}": scores for name, scores in board["modules"].items()},
    }


def category_rows(board: Mapping[str, Any]) -> list[Row]:
    """Return the categories of CIBench that the run has problems of."""
    found: Mapping[str, Any] = board.get("categories") or {}
    return [{"Category": label(name), "Score": cell(score)} for name, score in found.items() if score["n"]]


def own_row(board: Mapping[str, Any], columns: Sequence[str]) -> dict[str, float | None]:
    """Return the run's own values in the columns of the published board, each a fraction or None."""
    return {column: own_score(board, column) for column in columns}


def published_table(published: Mapping[str, Any], own: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Row]:
    """Return the run's rows and then the published ones, each with its source.

    Args:
        published: As `PublishedBoard.to_json` gives it.
        own: Names of agents, hostile, with their values by column.
    """
    columns = list(published["columns"])
    rows = [(name, "this workspace", scores) for name, scores in own]
    rows += [(row["model"], "published", row["scores"]) for row in published["rows"]]
    return [
        {"Model": label(name, limit=60), "Source": source} | {each: percent(scores.get(each)) for each in columns}
        for name, source, scores in rows
    ]


def error_mode_table(counts: Mapping[str, tuple[int, int]]) -> list[Row]:
    """Return error modes with how often rules propose and people confirmed them, each of all failures."""
    proposed = sum(one for one, _ in counts.values())
    confirmed = sum(other for _, other in counts.values())
    return [
        {
            "Error mode": name,
            "Proposed by rules": _share(one, proposed),
            "Confirmed by people": _share(other, confirmed),
        }
        for name, (one, other) in counts.items()
    ]


def _share(number: int, of: int) -> str:
    return f"{number} ({100 * number / of:.1f} %)" if of else NOTHING
