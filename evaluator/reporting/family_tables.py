"""The boards of the other systems as tables for a terminal."""

from collections.abc import Mapping
from typing import Any

from evaluator.reporting.text_tables import percent, text_table


def board_text(board: Mapping[str, Any]) -> str:
    """Return a board, as `to_json` gives it, as tables: CIBench by module, set, category and leaderboard; Qwen by tag.

    A cell is a percentage with its denominator; a dash stands where nothing was counted or not all could be graded.
    """
    if "tags" in board:
        return _tags_text(board)
    rows = {**board["modules"], **{f"set {name}": scores for name, scores in board["sets"].items()}}
    every = {**rows, "all": board["all"]}
    metrics = [metric for metric in board["all"] if any(scores.get(metric, {}).get("n") for scores in every.values())]
    table = text_table(
        [f"{board['family']}, {board['mode']}, {board['rules']}", *metrics],
        [[name, *(_cell(scores.get(metric)) for metric in metrics)] for name, scores in every.items()],
    )
    categories = [[name, _cell(score)] for name, score in board["categories"].items() if score["n"]]
    row = [[name, _cell(score)] for name, score in board["leaderboard"].items() if score["value"] is not None]
    parts = [table, text_table(["category", "score"], categories) if categories else ""]
    return "\n\n".join(filter(None, [*parts, text_table(["leaderboard column", "score"], row) if row else ""]))


def _tags_text(board: Mapping[str, Any]) -> str:
    rows = {**board["tags"], **{f"all {name}": scores for name, scores in board["pooled"].items()}}
    metrics = list(next(iter(rows.values())))
    shown = {name: scores for name, scores in rows.items() if any(score["n"] for score in scores.values())}
    return text_table(
        [f"{board['family']}, {board['mode']}, {board['rules']}", *metrics],
        [[name, *(_cell(scores.get(metric)) for metric in metrics)] for name, scores in shown.items()],
    )


def _cell(score: Mapping[str, Any] | None) -> str:
    if not score or not score["n"]:
        return "-"
    return f"{percent(score['value'])} ({score['n']})"
