"""The boards of the other systems as tables for a terminal."""

from collections.abc import Mapping
from typing import Any, Final

from evaluator.families.leaderboard import own_score
from evaluator.reporting.text_tables import percent, text_table

_ONLY_RUNS: Final = "math and general: CORRECT says that the code ran; nothing compares what it shows"


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
        [_title(board), *metrics],
        [[name, *(_cell(scores.get(metric)) for metric in metrics)] for name, scores in every.items()],
    )
    categories = [[name, _cell(score)] for name, score in board["categories"].items() if score["n"]]
    row = [[name, _cell(score)] for name, score in board["leaderboard"].items() if score["value"] is not None]
    parts = [table, text_table(["category", "score"], categories) if categories else ""]
    return "\n\n".join(filter(None, (*parts, text_table(["leaderboard column", "score"], row) if row else "")))


def analyses_text(analyses: Mapping[str, Any]) -> str:
    """Return what was read out of a run beside its scores as tables; empty where there is nothing."""
    parts = [
        _scores_table(title, analyses.get(key) or {})
        for key, title in (
            ("difficulty", "difficulty (problems that a step rests on)"),
            ("debugging", "rounds (logs cut there)"),
            ("languages", "language"),
            ("paired_languages", "language (steps in both)"),
        )
    ]
    modes = [[name, _cell(score)] for name, score in (analyses.get("error_modes") or {}).items()]
    parts.append(text_table(["error mode (by rules)", "share of failures"], modes) if modes else "")
    told = analyses.get("error_modes_by_model")
    if told:
        rows = [[name, _cell(score)] for name, score in told["modes"].items()]
        title = f"error mode (by {told['model']}, {told['not_told']} not placed)"
        parts.append(text_table([title, "share of failures"], rows))
    both = analyses.get("likeness_and_judge")
    if both:
        agreement = "-" if both["correlation"] is None else f"{both['correlation']:.2f}"
        row = [str(both["figures"]), percent(both["likeness"]), percent(both["opinion"]), agreement]
        parts.append(text_table(["figures", "likeness", "judge", "correlation"], [row], numbers_from=0))
    return "\n\n".join(filter(None, parts))


def _scores_table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    metrics = list(dict.fromkeys(metric for scores in rows.values() for metric in scores))
    metrics = [metric for metric in metrics if any(scores.get(metric, {}).get("n") for scores in rows.values())]
    return text_table(
        [title, *metrics], [[name, *(_cell(scores.get(metric)) for metric in metrics)] for name, scores in rows.items()]
    )


def published_text(published: Mapping[str, Any], board: Mapping[str, Any]) -> str:
    """Return published rows as a table, with the run's own row below them."""
    columns = list(published["columns"])
    rows = [
        [row["model"], "published", *(percent(row["scores"][column]) for column in columns)]
        for row in published["rows"]
    ]
    own = [percent(own_score(board, column)) for column in columns]
    table = text_table(["model", "source", *columns], [*rows, ["this run", "here", *own]], numbers_from=2)
    return (
        f"{table}\n\nPublished rows are of the published sets under published rules; this run: {board['rules']} rules."
    )


def leaderboard_text(found: Mapping[str, Any]) -> str:
    """Return a leaderboard, as `to_json` gives it, as tables: its rows, means by size of model, correlations."""
    columns = list(found["columns"])
    rows = [
        [row["model"], "published" if row["published"] else "here", *(percent(row["scores"][name]) for name in columns)]
        for row in found["rows"]
    ]
    sizes = [[size, *(percent(scores[name]) for name in columns)] for size, scores in found["by_size"].items()]
    parts = [text_table(["model", "source", *columns], rows, numbers_from=2)]
    if any(row["published"] for row in found["rows"]):
        parts.append("Published rows are of the published sets; rows from here are of the benchmark that was run.")
    if found["family"] == "qwen":
        parts.append("math is the accuracy of word problems (gsm8k), general the share of code that ran.")
    if len(found["rows"]) > 1:
        parts.append(text_table(["mean by size", *columns], sizes))
    correlations = found.get("correlations") or {}
    others = list(next(iter(correlations.values()), {}))
    if others:
        shown = [[name, *(_correlation(each[other]) for other in others)] for name, each in correlations.items()]
        parts.append(text_table(["correlation (models)", *others], shown))
    return "\n\n".join(parts)


def _correlation(found: Mapping[str, Any]) -> str:
    value = found["value"]
    return f"{'-' if value is None else f'{value:.2f}'} ({found['n']})"


def _tags_text(board: Mapping[str, Any]) -> str:
    rows = {**board["tags"], **{f"all {name}": scores for name, scores in board["pooled"].items()}}
    metrics = list(next(iter(rows.values())))
    shown = {name: scores for name, scores in rows.items() if any(score["n"] for score in scores.values())}
    table = text_table(
        [_title(board), *metrics],
        [[name, *(_cell(scores.get(metric)) for metric in metrics)] for name, scores in shown.items()],
    )
    return f"{table}\n\n{_ONLY_RUNS}" if {"math", "general"} & set(shown) else table


def _title(board: Mapping[str, Any]) -> str:
    named: tuple[str, ...] = (board["family"], board["mode"], board["rules"])
    return ", ".join(filter(None, named))


def _cell(score: Mapping[str, Any] | None) -> str:
    if not score or not score["n"]:
        return "-"
    return f"{percent(score['value'])} ({score['n']})"
