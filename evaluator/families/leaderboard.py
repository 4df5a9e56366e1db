"""One leaderboard over several runs: a row for each agent, both modes side by side, published rows beside them.

The columns are those of the published boards; `Avg` of CIBench is the plain mean of its columns for numbers, texts and
pictures in both modes (arXiv:2407.10499).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from evaluator.errors import UsageError
from evaluator.families.cibench.board import rows_together
from evaluator.families.published import SIZES, correlation, published_boards, size_of


@dataclass(frozen=True)
class RunBoard:
    """The board of one run."""

    where: str  # for messages
    agent: str
    board: Mapping[str, Any]  # as `family_board` gives it
    conditions: Mapping[str, str] = field(default_factory=dict)  # what runs of one board must agree in
    lacking: int = 0  # problems that it asked and has no record of (count)
    refused: Sequence[str] = ()  # problemsets that were not judged to their end, by their author's fault


@dataclass(frozen=True)
class BoardRow:
    """One model or agent."""

    model: str
    scores: Mapping[str, float | None]  # column -> fraction; None: not run, or not all of it graded
    is_published: bool
    is_open: bool | None = None  # whether its weights are public; None: not known

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        scores = {name: None if score is None else round(score, 6) for name, score in self.scores.items()}
        return {"model": self.model, "scores": scores, "published": self.is_published, "open": self.is_open}


@dataclass(frozen=True)
class Leaderboard:
    """Rows of one family's board."""

    family: str
    rules: str
    columns: tuple[str, ...]
    rows: tuple[BoardRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; scores are fractions."""
        return {
            "family": self.family,
            "rules": self.rules,
            "columns": list(self.columns),
            "rows": [row.to_json() for row in self.rows],
            "by_size": self.by_size(),
        }

    def by_size(self) -> dict[str, dict[str, float | None]]:
        """Return the mean of every column by size of model, as names tell it; None where a row lacks a score.

        Published rows and those of runs are of other problems: where there are both, only the published ones count.
        """
        groups: dict[str, list[BoardRow]] = {}
        has_published = any(row.is_published for row in self.rows)
        for row in self.rows:
            if row.is_published or not has_published:
                groups.setdefault(size_of(row.model), []).append(row)
        return {size: {name: _mean(groups[size], name) for name in self.columns} for size in SIZES if size in groups}

    def correlations(self, other: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, dict[str, Any]]]:
        """Return Pearson's correlation of every column with every column of another board, over common models.

        Args:
            other: Column -> model -> score.
        """
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for name in self.columns:
            ours = {row.model: score for row in self.rows if (score := row.scores.get(name)) is not None}
            pairs = {column: correlation(ours, scores) for column, scores in other.items()}
            found[name] = {column: {"value": value, "n": models} for column, (value, models) in pairs.items()}
        return found


def leaderboard(runs: Sequence[RunBoard], *, with_published: bool = False) -> Leaderboard:
    """Bring boards together.

    Args:
        runs: At least one; of one family, on the same problems, judged alike.
        with_published: Add the published rows.

    Raises:
        UsageError: If runs do not fit one another, one is not at its end, or two fill the same columns of an agent.
    """
    first = runs[0]
    for run in runs:
        _refuse_unfit(run, first)
    name = str(first.board["family"])
    published = published_boards()[name]
    rows = [_row(agent, runs, published.columns) for agent in dict.fromkeys(run.agent for run in runs)]
    if with_published:
        rows += [BoardRow(row.model, dict(row.scores), True, row.is_open) for row in published.rows]
    return Leaderboard(name, str(first.board["rules"]), published.columns, tuple(rows))


def _refuse_unfit(run: RunBoard, first: RunBoard) -> None:
    if run.refused:
        what = f"the run refused {', '.join(run.refused[:5])}{' and others' if len(run.refused) > 5 else ''}"
        fix = "mend these problemsets and run again: without them its scores would be of fewer problems"
        raise UsageError(what, where=run.where, fix=fix)
    if run.lacking:
        what = f"{run.lacking} of the problems that the run asks have no result"
        raise UsageError(what, where=run.where, fix="repeat the run's command, which goes on where it stopped")
    ours = {"family": str(run.board["family"]), "rules": str(run.board["rules"]), **run.conditions}
    theirs = {"family": str(first.board["family"]), "rules": str(first.board["rules"]), **first.conditions}
    for what, value in ours.items():
        if value != theirs.get(what, ""):
            told = f"it has the {what} {value!r}, and {first.where} has {theirs.get(what, '')!r}"
            raise UsageError(told, where=run.where, fix=f"name runs of the same {what}")


def _row(agent: str, runs: Sequence[RunBoard], columns: Sequence[str]) -> BoardRow:
    own = [run for run in runs if run.agent == agent]
    scores: dict[str, float | None] = {column: own_score(own[0].board, column) for column in columns}
    if len(own) > 1:
        boards = [run.board for run in own]
        both = rows_together(*(board["leaderboard"] for board in boards)) if _are_two_modes(boards) else None
        if both is None:
            what = f"{own[0].where} fills the same columns for {agent!r}"
            raise UsageError(what, where=own[-1].where, fix="leave out one of the two")
        scores = {column: both[column]["value"] for column in columns}
    return BoardRow(agent, scores, is_published=False)


def _are_two_modes(boards: Sequence[Mapping[str, Any]]) -> bool:
    return len(boards) == 2 and all("leaderboard" in board for board in boards)


def own_score(board: Mapping[str, Any], column: str) -> float | None:
    """Return a run's own value in a column of the published table; None: it has none."""
    if "leaderboard" in board:
        value = board["leaderboard"].get(column, {}).get("value")
    elif column == "general":
        value = board["tags"]["general"]["executable"]["value"]
    else:
        value = board["tags"]["gsm8k" if column == "math" else column]["accuracy"]["value"]
    return float(value) if isinstance(value, int | float) else None


def _mean(rows: Sequence[BoardRow], column: str) -> float | None:
    values = [score for row in rows if (score := row.scores.get(column)) is not None]
    return fmean(values) if len(values) == len(rows) else None
