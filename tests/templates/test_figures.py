"""Figures that the template author asks for: other honest ways to draw them are right, and mistakes are not."""

import contextlib
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
from tests.templates.bench_here import Names, answer, fork, run
from tests.templates.conftest import profile_here

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
def tables(tmp_path_factory: pytest.TempPathFactory) -> Names:
    (folder := tmp_path_factory.mktemp("visits") / "inputs").mkdir()
    visits(folder)
    names: Names = {}
    with contextlib.chdir(folder.parent):
        exec(TABLES, names)
    return names


@pytest.mark.parametrize("most", [1, pytest.param(99, marks=pytest.mark.deep)])
def test_honest_figures_are_right_and_others_are_wrong(tables: Names, board: Board, most: int) -> None:
    """Other libraries' ways, colours and sizes pass; other data, orders, kinds and missing names do not."""
    assert set(FIGURES_DRAWN) == {name for name, one in FAMILIES.items() if one.theme == FIGURES}
    for name, drawn in FIGURES_DRAWN.items():
        family = FAMILIES[name]
        problem = problem_of(TaskCandidate(family, drawn["slots"], family.build(board, drawn["slots"])), (), board)
        reference = run(problem.code, problem, fork(tables))
        for kind in ("right", "wrong"):
            assert len(drawn[kind]) >= 5
            for code in drawn[kind][:most]:
                found, why = answer(problem, reference, run(code, problem, fork(tables)))
                assert found == "yes" if kind == "right" else found in ("no", "partial"), (name, code, why)


def test_bins_hold_every_value_under_one_end() -> None:
    bins = Bins(140.0, 5.0, 13)
    assert (bins.high, bins.code()) == (205.0, "range(140, 206, 5)")
    assert Bins(0.5, 0.25, 8).code() == "np.linspace(0.5, 2.5, 9)"
