"""Figures that the template author asks for: other honest ways to draw them are right, and mistakes are not."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
import yaml

from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates.board import Board
from authoring.templates.families.drawing.spreads import Bins
from authoring.templates.planning import FIGURES, TaskCandidate
from authoring.templates.template_draft import problem_of
from evaluator.language import resolve_validators, wants_figures
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import CaptureSpec, CellLimits, Engine, Session
from tests.templates.conftest import profile_here

LIMITS: Final = CellLimits(wall_s=60)
TABLES: Final = """import numpy as np
import pandas as pd

visits = pd.read_csv("inputs/visits.csv")
by_town = (
    visits.groupby("town", as_index=False).agg(n=("cost", "count"), mean=("cost", "mean"), median=("cost", "median"))
    .sort_values("mean", ascending=False, ignore_index=True)
)
spread = visits.groupby("town")["cost"].quantile([0.25, 0.5, 0.75]).unstack().reset_index()
spread.columns = ["town", "q1", "median", "q3"]
spread["iqr"] = spread["q3"] - spread["q1"]
monthly = visits.groupby("month")["cost"].mean().rename("mean_cost").reset_index()
yearly = visits.groupby("year")["cost"].quantile([0.25, 0.75]).unstack().reset_index()
yearly.columns = ["year", "q1", "q3"]
yearly["iqr"] = yearly["q3"] - yearly["q1"]
links = visits[["height_cm", "nights"]].corrwith(visits["weight_kg"]).rename_axis("column").reset_index(name="r")
"""


def visits(folder: Path) -> None:
    """Write a table of visits to four towns over four years."""
    rng = np.random.default_rng(11)
    size = 360
    town = rng.choice(["Alba", "Brook", "Cove", "Dale"], size, p=[0.2, 0.4, 0.1, 0.3])
    months = pd.period_range("2020-01", "2023-12", freq="M").astype(str)
    month = rng.choice(months, size)
    height = rng.normal(170, 9, size).round(1)
    table = pd.DataFrame({"month": month, "year": [int(one[:4]) for one in month], "town": town})
    shift = pd.Series(town).map({"Alba": 20.0, "Brook": 0.0, "Cove": 35.0, "Dale": 9.0})
    table["cost"] = (rng.gamma(9, 9, size) + shift + 5).round(1)
    table["height_cm"], table["weight_kg"] = height, (0.9 * height - 85 + rng.normal(0, 6, size)).round(1)
    table["nights"] = rng.integers(1, 30, size)
    table.loc[[5, 50], "cost"] = [400.5, 380.5]
    table.loc[7::40, "weight_kg"] = np.nan
    table.to_csv(folder / "visits.csv", index=False)


FIGURES_DRAWN: Final = yaml.safe_load((Path(__file__).parent / "figures.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """What is known of a session that holds the tables."""
    folder = tmp_path_factory.mktemp("visits")
    visits(folder)
    profile = profile_here(folder)
    start, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    board = load.build(start, next(iter(load.propose(start, Random(0))))).board.after()
    of_cost: dict[str, Any] = {"frame": "visits", "group": "town", "number": "cost", "typical": 90.0}
    board = board.with_result("by_town", "group table", **of_cost, lead="mean", is_whole=True, groups=4)
    board = board.with_result("spread", "quartiles", **of_cost)
    months: dict[str, Any] = {"column": "month", "value": "mean_cost", "period": "month", "dated": True}
    board = board.with_result("monthly", "period table", **of_cost, **months, count=48, low=5.0)
    board = board.with_result("yearly", "spread over time", time="year", entity="town", number="cost", typical=90.0)
    return board.with_result("links", "links", frame="visits", measure="weight_kg", others=("height_cm", "nights"))


@pytest.fixture(scope="module")
def session(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("visits")
    visits(folder)
    with engine.open(key="figures", inputs=folder) as opened:
        assert opened.execute(TABLES, limits=LIMITS).ending == "ok"
        yield opened


@pytest.mark.parametrize("most", [1, pytest.param(99, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", FIGURES_DRAWN)
def test_honest_figures_are_right_and_others_are_wrong(
    engine: Engine, session: Session, board: Board, name: str, most: int
) -> None:
    """Other libraries' ways, colours and sizes pass; other data, orders, kinds and missing names do not."""
    family, drawn = FAMILIES[name], FIGURES_DRAWN[name]
    assert len(drawn["right"]) >= 5
    assert len(drawn["wrong"]) >= 5
    problem = problem_of(TaskCandidate(family, drawn["slots"], family.build(board, drawn["slots"])), (), board)
    capture = CaptureSpec(infer=True, figures=wants_figures(resolve_validators(problem)))
    reference = session.attempt(problem.code, capture=capture, limits=LIMITS)
    answers = [(code, True) for code in drawn["right"][:most]] + [(code, False) for code in drawn["wrong"][:most]]
    found = []
    for code, is_right in answers:
        outcome = session.attempt(code, capture=capture, limits=LIMITS)
        judged = judge_submission(engine, reference, outcome, problem)
        if (judged.verdict is Verdict.CORRECT) is not is_right or judged.verdict in (Verdict.CRASH, Verdict.NOT_JUDGED):
            found.append((code, judged.verdict, judged.reason))
    assert found == []


def test_every_family_that_draws_is_tried() -> None:
    assert set(FIGURES_DRAWN) == {name for name, one in FAMILIES.items() if one.theme == FIGURES}


def test_bins_hold_every_value_under_one_end() -> None:
    bins = Bins(140.0, 5.0, 13)
    assert (bins.high, bins.code()) == (205.0, "range(140, 206, 5)")
    assert Bins(0.5, 0.25, 8).code() == "np.linspace(0.5, 2.5, 9)"
