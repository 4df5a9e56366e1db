"""Rows that somebody published, to stand beside an experiment's own; data, not measured here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.errors import UsageError
from evaluator.experiments.experiment_file import Experiment
from evaluator.families.published import PublishedBoard, published_boards
from evaluator.families.published import PublishedRow as BoardRow
from evaluator.registry import nearest_name

PUBLISHED_FILE: Final = Path(__file__).with_name("published.yaml")
_RATES: Final = ("correct", "without_intact", "without_presentation", "without_both")


@dataclass(frozen=True)
class PublishedRow:
    """What somebody published of one agent; data, not measured here."""

    agent: str  # as an experiment's label, or its `published`, names it
    benchmark: str  # as an experiment's label names it; of a board: what the whole of it is called
    policy: str  # empty: any
    correct: float | None  # fraction; None: a board has no such column
    source: str
    rates: Mapping[str, float] = field(default_factory=dict)  # other rates of DSEval's kind, fractions
    scores: Mapping[str, float] = field(default_factory=dict)  # columns of a board, fractions
    problems: int | None = None  # that it is of (count)
    tokens: tuple[float, float] | None = None  # of prompts and answers, a problem (mean)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; rates are fractions."""
        told = {"agent": self.agent, "benchmark": self.benchmark, "policy": self.policy, "correct": self.correct}
        return {
            **told,
            "rates": dict(self.rates),
            "scores": dict(self.scores),
            "problems": self.problems,
            "tokens": None if self.tokens is None else {"prompt": self.tokens[0], "completion": self.tokens[1]},
            "source": self.source,
        }


def published_rows(name: str) -> tuple[PublishedRow, ...]:
    """Return the published rows that an experiment names: DSEval's, or those of a family's board.

    Raises:
        UsageError: If there are none of that name.
    """
    import yaml

    blocks = yaml.safe_load(PUBLISHED_FILE.read_text(encoding="utf-8"))
    boards = published_boards()
    if name in boards:
        board = boards[name]
        return tuple(_row_of_board(board, row) for row in board.rows)
    if name not in blocks:
        known = [*blocks, *boards]
        near = nearest_name(name, known)
        fix = f"use {near!r}" if near else f"use one of {', '.join(known)}"
        raise UsageError(f"there are no published rows called {name!r}", where="published", fix=fix)
    return tuple(_row(row, str(blocks[name]["source"])) for row in blocks[name]["rows"])


def rows_beside(experiment: Experiment) -> tuple[PublishedRow, ...]:
    """Return the published rows that stand beside those of an experiment; none where it names none.

    Raises:
        UsageError: If there are none of that name, or an agent's `published` is none of them.
    """
    rows = published_rows(experiment.published) if experiment.published else ()
    known = list(dict.fromkeys(row.agent for row in rows))
    for entry in experiment.agents:
        if entry.published and entry.published not in known:
            near = nearest_name(entry.published, known)
            fix = f"use {near!r}" if near else f"use one of {', '.join(known)}"
            fix = fix if rows else "name the rows: published: dseval, cibench or qwen, at the end of the file"
            what = f"no published row is called {entry.published!r}"
            raise UsageError(what, where=f"agents: {entry.title}", fix=fix)
    return rows


def _row(row: Mapping[str, Any], source: str) -> PublishedRow:
    rates = {name: round(float(row[name]) / 100, 6) for name in _RATES if name in row}
    place = (str(row["agent"]), str(row["benchmark"]), str(row.get("policy", "")))
    prompt, answer = row.get("tokens", (None, None))
    tokens = None if prompt is None else (float(prompt), float(answer))
    return PublishedRow(*place, rates["correct"], source, rates, problems=int(row["problems"]), tokens=tokens)


def _row_of_board(board: PublishedBoard, row: BoardRow) -> PublishedRow:
    return PublishedRow(row.model, board.benchmark, "", None, board.source, scores=dict(row.scores))
