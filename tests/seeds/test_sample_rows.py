"""A profile holds a few rows of each table, spread over it, as text."""

import json
from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds import Profile, build_profile
from authoring.seeds.profile import parse_profile
from evaluator.errors import ContentError
from evaluator.session import Engine


def profiled(engine: Engine, folder: Path, frame: pd.DataFrame) -> Profile:
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return build_profile(engine, [path])


def test_rows_come_from_the_beginning_the_middle_and_the_end(engine: Engine, tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": range(100), "half": [n / 2 if n else None for n in range(100)], "word": ["a b "] * 100})
    (table,) = profiled(engine, tmp_path, frame).tables
    assert [row[0] for row in table.sample_rows] == ["0", "1", "2", "50", "99"]
    assert table.sample_rows[0] == ("0", None, "a b ")
    assert table.sample_rows[3] == ("50", "25.0", "a b ")


@pytest.mark.parametrize(("rows", "places"), [(1, ["0"]), (2, ["0", "1"]), (4, ["0", "1", "2", "3"])])
def test_a_short_table_is_shown_once(engine: Engine, tmp_path: Path, rows: int, places: list[str]) -> None:
    (table,) = profiled(engine, tmp_path, pd.DataFrame({"n": range(rows)})).tables
    assert [row[0] for row in table.sample_rows] == places


def test_long_cells_and_wide_tables_are_clipped(engine: Engine, tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["x" * 90, "y"]} | {f"c{n}": [n, n] for n in range(60)})
    (table,) = profiled(engine, tmp_path, frame).tables
    assert [len(row) for row in table.sample_rows] == [40, 40]
    assert table.sample_rows[0][0] == "x" * 37 + "..."


def test_a_profile_from_before_has_no_rows_and_can_be_read(engine: Engine, tmp_path: Path) -> None:
    stored = profiled(engine, tmp_path, pd.DataFrame({"n": [1, 2]})).to_json()
    del stored["tables"][0]["sample_rows"]
    assert Profile.from_json(stored).tables[0].sample_rows == ()
    spoiled = {**stored, "tables": [{**stored["tables"][0], "sample_rows": [["1", 2]]}]}
    spoiled.pop("traps")
    with pytest.raises(ContentError, match="not readable"):
        parse_profile(json.dumps(spoiled))
