"""One leaderboard over several runs: a row for each agent, both modes side by side, published rows beside them.

The columns are those of the published boards; `Avg` of CIBench is the plain mean of its columns for numbers, texts and
pictures in both modes (arXiv:2407.10499).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from evaluator.errors import UsageError
from evaluator.families.cibench import FAMILY as CIBENCH
from evaluator.families.published import correlation, published_boards, size_of

AVERAGE: Final = "Avg"
_LETTER: Final = {"end-to-end": "E-", "oracle": "O-", "oracle-as-run": "O-", "oracle-from-truth": "O-"}
_OUTPUTS: Final = ("Num", "Text", "Vis")


@dataclass(frozen=True)
class RunBoard:
    """The board of one run."""

    where: str  # for messages
    agent: str
    benchmark: str  # with its version
    board: Mapping[str, Any]  # as `family_board` gives it


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
        """Return the mean of every column by size of model, as names tell it; None where a row lacks a score."""
        groups: dict[str, list[BoardRow]] = {}
        for row in self.rows:
            groups.setdefault(size_of(row.model), []).append(row)
        return {size: {name: _mean(rows, name) for name in self.columns} for size, rows in sorted(groups.items())}

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


def leaderboard(runs: Sequence[RunBoard], *, family: str = "", with_published: bool = False) -> Leaderboard:
    """Bring boards together.

    Args:
        runs: Of one family, by the same rules, on the same benchmark.
        family: cibench | qwen; only needed without runs.
        with_published: Add the published rows.

    Raises:
        UsageError: If runs do not fit one another, or two of them fill the same columns of the same agent.
    """
    families = {run.board["family"] for run in runs} | ({family} if family else set())
    if len(families) != 1:
        what = "runs of two families have no common board" if families else "no run is named"
        raise UsageError(what, where=", ".join(run.where for run in runs), fix="name runs of one family")
    (name,) = families
    _refuse_mixed(runs, "rules", [str(run.board["rules"]) for run in runs])
    _refuse_mixed(runs, "benchmark", [run.benchmark for run in runs])
    published = published_boards()[name]
    rows = [_row(agent, runs, published.columns) for agent in dict.fromkeys(run.agent for run in runs)]
    if with_published:
        rows += [BoardRow(row.model, dict(row.scores), True, row.is_open) for row in published.rows]
    rules = str(runs[0].board["rules"]) if runs else ""
    return Leaderboard(name, rules, published.columns, tuple(rows))


def _refuse_mixed(runs: Sequence[RunBoard], what: str, values: Sequence[str]) -> None:
    if len(set(values)) > 1:
        other = next(place for place, value in enumerate(values) if value != values[0])
        told = (
            f"its {what} {'are' if what == 'rules' else 'is'} {values[other]!r}, and of {runs[0].where} {values[0]!r}"
        )
        raise UsageError(told, where=runs[other].where, fix=f"name runs of the same {what}")


def _row(agent: str, runs: Sequence[RunBoard], columns: Sequence[str]) -> BoardRow:
    scores: dict[str, float | None] = dict.fromkeys(columns)
    taken: dict[str, str] = {}  # what a run fills -> that run
    for run in runs:
        if run.agent != agent:
            continue
        filled = _LETTER.get(str(run.board["mode"]), "") if run.board["family"] == CIBENCH else "tags"
        if not filled:
            what = f"the run has the mode {run.board['mode']!r}, which the board has no column for"
            raise UsageError(what, where=run.where, fix="run the agent with --mode end-to-end, or oracle")
        if filled in taken:
            what = f"{taken[filled]} fills the same columns for {agent!r}"
            raise UsageError(what, where=run.where, fix="leave out one of the two")
        taken[filled] = run.where
        own = [column for column in columns if filled == "tags" or column.startswith(filled)]
        scores |= {column: own_score(run.board, column) for column in own}
    if AVERAGE in columns:
        parts = [scores[letter + output] for letter in ("E-", "O-") for output in _OUTPUTS]
        known = [part for part in parts if part is not None]
        scores[AVERAGE] = fmean(known) if len(known) == len(parts) else None
    return BoardRow(agent, scores, is_published=False)


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
