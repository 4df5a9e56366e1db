"""What a set is about: which numbers, groups and ratios a table offers to it, and which only say the same again."""

from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest

from authoring.seeds.meanings import infer_semantics
from authoring.templates import FAMILIES
from authoring.templates.board import Board, Frame
from authoring.templates.families.measures import ratios
from authoring.templates.focus import choose_focus
from tests.seeds.meaning_profiles import profile_of

ROWS = 240


def _loaded(folder: Path, **columns: object) -> Board:
    profile = profile_of(folder, records=pd.DataFrame(columns))
    board = Board(profile, infer_semantics(profile))
    opening = FAMILIES["load_tables"]
    return opening.build(board, next(iter(opening.propose(board, Random(0))))).board.after()


def _frame(folder: Path, **columns: object) -> Frame:
    board = _loaded(folder, **columns)
    return board.frames[board.main]


@pytest.fixture
def draws() -> np.random.Generator:
    return np.random.default_rng(11)


def test_logarithms_and_squares_of_a_column_are_no_numbers_of_their_own(
    tmp_path: Path, draws: np.random.Generator
) -> None:
    wage, tenure = draws.gamma(3, 4, ROWS).round(2) + 1, draws.integers(0, 40, ROWS)
    other = draws.normal(100, 15, ROWS).round(1)
    frame = _frame(tmp_path, wage=wage, lwage=np.log(wage), tenure=tenure, tenursq=tenure**2, score=other)
    assert {c.name for c in frame.numbers()} == {"wage", "tenure", "score"}


def test_numbers_that_grow_together_over_time_do_not_restate_one_another(tmp_path: Path) -> None:
    years = np.arange(1960, 2020)
    grown = 1.03 ** np.arange(60)
    frame = _frame(tmp_path, year=years, output=(100 * grown).round(2), wages=(7 * grown**1.2).round(2))
    assert {"output", "wages"} <= {c.name for c in frame.numbers()}


@pytest.mark.parametrize(
    ("first", "second", "twins"),
    [
        ("price", "rprice", True),
        ("readscr", "mathscr", True),
        ("weight", "height", False),
        ("income", "spending", False),
    ],
)
def test_columns_named_alike_say_the_same_sooner(
    tmp_path: Path, draws: np.random.Generator, first: str, second: str, twins: bool
) -> None:
    base = draws.normal(60, 10, ROWS)
    near = {first: base.round(1), second: (2 * base + draws.normal(0, 9, ROWS)).round(1)}
    frame = _frame(tmp_path, **near, score=draws.normal(5, 1, ROWS).round(2))
    assert 0.8 <= (frame.strength(frame.column(first), frame.column(second)) or 0) < 0.93
    assert frame.are_twins(frame.column(first), frame.column(second)) is twins


def test_groups_of_many_values_are_compared_where_a_table_has_no_others(
    tmp_path: Path, draws: np.random.Generator
) -> None:
    branch = draws.choice([f"branch {letter}" for letter in "abcdefghijklmnopqrst"], 800)
    sales = draws.gamma(2, 50, 800).round(2)
    assert [g.name for g in _frame(tmp_path, branch=branch, sales=sales).groups()] == ["branch"]
    kind = draws.choice(["shop", "web"], 800)
    assert [g.name for g in _frame(tmp_path, branch=branch, sales=sales, kind=kind).groups()] == ["kind"]


def test_what_happens_is_told_per_those_it_may_happen_to(tmp_path: Path, draws: np.random.Generator) -> None:
    holders = draws.integers(20, 900, ROWS)
    claims = draws.binomial(holders, 0.15)
    frame = _frame(tmp_path, district=draws.choice(["n", "s", "w"], ROWS), holders=holders, claims=claims)
    assert [(r.kind, r.upper.name, r.lower.name) for r in ratios(frame)] == [("rate", "claims", "holders")]


def test_money_told_in_classes_is_not_spread_over_a_town(tmp_path: Path, draws: np.random.Generator) -> None:
    income, population = draws.choice([2500, 7500, 15000, 35000], ROWS), draws.choice([3750, 25000, 250000], ROWS)
    frame = _frame(tmp_path, income=income, population=population, sex=draws.choice(["f", "m"], ROWS))
    assert list(ratios(frame)) == []


def test_a_place_in_an_order_is_not_what_a_set_is_about(tmp_path: Path, draws: np.random.Generator) -> None:
    height = draws.normal(66, 3, ROWS).round(1)
    board = _loaded(
        tmp_path,
        childNum=draws.integers(1, 12, ROWS),
        childHeight=height,
        father=(0.4 * height + draws.normal(42, 2, ROWS)).round(1),
        gender=draws.choice(["female", "male"], ROWS),
    )
    measures = [choose_focus(board, Random(seed))[0].measure for seed in range(30)]
    assert measures.count("childHeight") > 20 > 3 > measures.count("childNum")
