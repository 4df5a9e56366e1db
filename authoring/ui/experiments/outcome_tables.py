"""An experiment's table as rows for the screen: percentages with intervals, all names escaped. No Streamlit here."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from authoring.ui.runs.boards.board_tables import MAX_COLUMNS, NOTHING, percent
from authoring.ui.wording import Chip, label

MAX_ROWS: Final = 500
STATES: Final[Mapping[str, Chip]] = {
    "broken": Chip("cannot be read", ":material/broken_image:", "red"),
    "another run": Chip("another run", ":material/swap_horiz:", "red"),
    "waiting": Chip("waiting", ":material/schedule:", "gray"),
    "under way": Chip("partly judged", ":material/timelapse:", "blue"),
    "not judged": Chip("not all judged", ":material/help:", "orange"),
    "done": Chip("done", ":material/check_circle:", "green"),
}
_FORGIVING: Final = {
    "without_intact": "Side effects forgiven",
    "without_presentation": "Form forgiven",
    "without_both": "Both forgiven",
}

Row = dict[str, str]
Body = Mapping[str, Any]


def run_names(runs: Sequence[Body]) -> list[str]:
    """Return what tells the runs of an experiment apart: agent, then policy and benchmark where there are several."""
    parts = [part for part in ("agent", "policy", "benchmark") if part == "agent" or _differ(runs, part)]
    return [", ".join(str(run[part]) for part in parts) for run in runs]


def _differ(runs: Sequence[Body], part: str) -> bool:
    return len({str(run[part]) for run in runs}) > 1


def main_table(runs: Sequence[Body]) -> list[Row]:
    """Return one row for each run: what it is, how far, its rate with interval, what it took, what is published."""
    shown = runs[:MAX_ROWS]
    metrics = list(dict.fromkeys(name for run in runs for name in run.get("scores") or {}))[:MAX_COLUMNS]
    has_tokens = any(run.get("tokens") for run in runs)
    has_cost = any(run.get("cost") is not None for run in runs)
    has_published = any(run.get("published") is not None for run in runs)
    rows = []
    for run in shown:
        row = _place(runs, run) | {"Judged": _judged(run), "Correct": rate_words(run)}
        row |= {label(name, limit=40): percent((run.get("scores") or {}).get(name)) for name in metrics}
        row |= {"Tokens a problem": tokens_words(run)} if has_tokens else {}
        row |= {"Cost": _money(run.get("cost"))} if has_cost else {}
        row |= {"Published": percent(run.get("published"))} if has_published else {}
        rows.append(row)
    return rows


def forgiving_table(runs: Sequence[Body]) -> list[Row]:
    """Return the rates that forgive side effects and form, a row for each run."""
    return [
        _place(runs, run)
        | {"Correct": percent(run.get("pass_rate"))}
        | {title: percent(run.get(name)) for name, title in _FORGIVING.items()}
        for run in runs[:MAX_ROWS]
    ]


def published_table(rows: Sequence[Body]) -> list[Row]:
    """Return published rows that no run of ours repeats."""
    return [
        {
            "Benchmark": label(str(row.get("benchmark") or NOTHING), limit=60),
            "Agent": label(str(row["agent"]), limit=80),
            "Published": percent(row.get("correct")),
        }
        for row in rows[:MAX_ROWS]
    ]


def board_table(board: Body) -> list[Row]:
    """Return the rows of a board, ours and the published ones, each with its source."""
    columns = list(board["columns"])[:MAX_COLUMNS]
    return [
        {
            "Model": label(str(row["model"]), limit=80),
            "Source": "published" if row["published"] else "here",
            **{label(str(column), limit=40): percent(row["scores"].get(column)) for column in columns},
        }
        for row in board["rows"][:MAX_ROWS]
    ]


def _place(runs: Sequence[Body], run: Body) -> Row:
    parts = {"Benchmark": "benchmark", "Agent": "agent", "Policy": "policy"}
    return {
        title: label(str(run[part]), limit=80)
        for title, part in parts.items()
        if part == "agent" or _differ(runs, part)
    }


def _judged(run: Body) -> str:
    if run.get("state") in ("broken", "another run"):
        return STATES[str(run["state"])].word
    judged, problems = int(run.get("judged") or 0), int(run.get("problems") or 0)
    return f"{problems:,}" if run.get("state") == "done" else f"{judged:,} of {problems:,}"


def rate_words(run: Body) -> str:
    """Return `62.5 (40.1 to 80.2)`, in percent; a dash before all of a run is judged."""
    interval = run.get("interval")
    behind = f" ({percent(interval[0])} to {percent(interval[1])})" if interval else ""
    return f"{percent(run.get('pass_rate'))}{behind}"


def tokens_words(run: Body) -> str:
    """Return prompt and answer tokens a problem, `1,200 + 80`."""
    tokens = run.get("tokens")
    return NOTHING if not tokens else f"{tokens['prompt']:,.0f} + {tokens['completion']:,.0f}"


def _money(cost: Any) -> str:
    return f"{cost:,.2f}" if isinstance(cost, int | float) else NOTHING
