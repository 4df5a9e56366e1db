"""Tables of many shapes are drafted or refused with what they lack; what fits no table is left out, not the draft."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authoring.seeds import Profile, build_profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Meaning, Semantics
from authoring.templates import planning, sketched_thread
from authoring.templates.board import Board
from authoring.templates.families import FAMILIES
from authoring.templates.planning import MAX_PROBLEMS, MIN_PROBLEMS, Plan, proposals_of
from authoring.templates.requirements import GROUPS, NUMBERS, missing_columns
from authoring.templates.sketched_thread import sketch_from_profile
from evaluator.errors import ContentError
from evaluator.session import Engine
from tests.templates.judging import parsed
from tests.templates.rich_tables import films

KINDS = ("amount", "count", "two values", "few words", "many words", "one word", "day", "key", "text", "gaps")
LACKS = "it lacks a column of numbers that measures something"


def _column(kind: str, rows: int, rng: np.random.Generator) -> Any:
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), "D")
    made: dict[str, Callable[[], Any]] = {
        "amount": lambda: rng.gamma(2, 80, rows).round(2),
        "count": lambda: rng.integers(0, 9, rows),
        "two values": lambda: rng.integers(0, 2, rows) * 1.5,
        "few words": lambda: rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "many words": lambda: rng.choice([f"town {n}" for n in range(60)], rows),
        "one word": lambda: np.repeat("same", rows),
        "day": lambda: days.strftime("%Y-%m-%d"),
        "key": lambda: np.arange(10_000, 10_000 + rows),
        "text": lambda: [f"a longer text about the number {n}" for n in rng.integers(0, rows, rows)],
        "gaps": lambda: np.where(np.arange(rows) % 7 > 0, np.nan, rng.normal(9, 2, rows)),
    }
    return made[kind]()


def _table(kinds: list[str], rows: int, repeated: float, rng_seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(rng_seed)
    names = (f"{kind.replace(' ', '_')}_{place}" for place, kind in enumerate(kinds))
    table = pd.DataFrame(dict(zip(names, (_column(kind, rows, rng) for kind in kinds), strict=True)))
    return pd.concat([table, table.sample(int(repeated * rows), replace=True, random_state=rng_seed)])


def _profile(engine: Engine, folder: Path, table: pd.DataFrame) -> Profile:
    table.to_csv(folder / "t.csv", index=False)
    return build_profile(engine, [folder / "t.csv"])


@settings(max_examples=12, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=6),
    rows=st.sampled_from([10, 60, 400, 5000]),
    repeated=st.sampled_from([0.0, 0.0098, 0.4, 1.0]),
    rng_seed=st.integers(0, 99),
)
def test_any_shape_of_table_is_sketched_or_refused_with_what_to_do_about_it(
    engine: Engine,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    kinds: list[str],
    rows: int,
    repeated: float,
    rng_seed: int,
) -> None:
    monkeypatch.setattr(sketched_thread, "PLANS", 6)  # of 80 threads: any of them may meet what does not fit
    profile = _profile(engine, tmp_path_factory.mktemp("shapes"), _table(kinds, rows, repeated, rng_seed))
    board = Board(profile, infer_semantics(profile))
    try:
        items = sketch_from_profile(profile, rng_seed=rng_seed)
    except ContentError as error:
        refusal = error
    else:
        assert MIN_PROBLEMS <= len(items) <= MAX_PROBLEMS
        return
    assert "slot" not in refusal.what
    assert f"{MIN_PROBLEMS} are needed" in refusal.what
    assert "under Meaning, on the seed's page" in refusal.fix
    assert (NUMBERS in refusal.what) is (NUMBERS in missing_columns(board))
    assert (GROUPS in refusal.what) is (GROUPS in missing_columns(board))


@pytest.mark.parametrize("rng_seed", range(2))
def test_repeated_rows_and_one_column_of_numbers_are_drafted(author: Callable[..., Any], rng_seed: int) -> None:
    table = _table(["key", "amount", "few words", "many words"], 5000, 0.0098, rng_seed)
    made = author(lambda folder: table.to_csv(folder / "t.csv", index=False))
    assert len(table) == 5049
    assert len(parsed(made.draft(made.profile(), rng_seed=rng_seed).text).problems) >= MIN_PROBLEMS


def test_repeated_rows_without_a_measure_are_refused_with_the_kind_of_column_that_is_missing(
    author: Callable[..., Any],
) -> None:
    table = _table(["two values", "few words"], 5000, 0.0098, 1)
    made = author(lambda folder: table.to_csv(folder / "t.csv", index=False))
    with pytest.raises(ContentError) as raised:
        made.draft(made.profile())
    assert LACKS in raised.value.what
    assert "add such a column, or say under Meaning" in raised.value.fix
    assert "a measure, a count, money or a rate" in raised.value.fix


def test_numbers_without_anything_to_compare_by_are_refused_with_that(author: Callable[..., Any]) -> None:
    table = _table(["amount", "key"], 300, 0, 1)
    made = author(lambda folder: table.to_csv(folder / "t.csv", index=False))
    with pytest.raises(ContentError, match=f"it lacks {GROUPS}") as raised:
        sketch_from_profile(made.profile(), rng_seed=0)
    assert NUMBERS not in raised.value.what
    assert "a category, a flag or an ordinal" in raised.value.fix


def test_a_family_that_refuses_its_own_choice_is_left_out_and_the_rest_is_sketched(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It proposes a column that is no number, and one that is not there."""

    def propose_words(board: Board, rng: Random) -> Iterator[dict[str, Any]]:
        for frame in board.mains():
            yield {"frame": frame.var, "column": frame.groups()[0].name, "edges": [1.0, 2.0], "new": "class_of"}
            yield {"frame": frame.var, "column": frame.column("no such").name}

    broken = replace(FAMILIES["value_classes"], propose=propose_words)
    profile = _profile(engine, tmp_path, _table(["amount", "few words", "many words", "day"], 500, 0, 3))
    board = Board(profile, infer_semantics(profile))
    loaded = next(proposals_of(FAMILIES["load_tables"], board, Plan(1), Random(0))).task.board.after()
    assert list(proposals_of(broken, loaded, Plan(1), Random(0))) == []
    monkeypatch.setattr(planning, "FAMILIES", {**FAMILIES, broken.name: broken})
    items = sketch_from_profile(profile, rng_seed=0)
    assert len(items) >= MIN_PROBLEMS
    assert broken.name not in {item.family for item in items}


def test_items_about_a_column_that_was_set_aside_since_are_replaced_and_the_rest_is_drafted(
    author: Callable[..., Any],
) -> None:
    made = author(films)
    profile = made.profile()
    items = sketch_from_profile(profile, rng_seed=0)
    known = infer_semantics(profile)
    focus = str(items[0].slots["focus"]["measure"])
    column = known.tables[0].column(focus)
    assert column is not None
    corrected = Semantics(tables=(known.tables[0].with_column(replace(column, meaning=Meaning.CODE)),))
    drafted = made.draft(profile, items=items, semantics=corrected)
    assert len(parsed(drafted.text).problems) >= MIN_PROBLEMS
    assert any(f"cannot be column {focus!r}" in row["reason"] for row in drafted.report["replaced"])
