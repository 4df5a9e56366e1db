"""What a prompt tells of a seed: columns with counts, meanings, a few rows, traps; wide data are cut fairly."""

from dataclasses import replace
from typing import Any

from authoring.drafting.seed_knowledge import data_blocks, profile_text
from authoring.prompting.blocks import BLOCKS, Block
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Semantics, TableMeaning
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.workspace import Workspace
from tests.drafting.conftest import PROFILE, column

TABLE: dict[str, Any] = {
    "file": "trips.csv",
    "reader": "read_csv",
    "rows": 60,
    "sample_rows": [["1", None, "work"], ["2", "3.0", " visit"], ["60", "90.0", "a, b"]],
    "columns": [
        column("Trip id", "id", "int64", 60),
        {
            **column("Länge km", "number", "float64", 52),
            **{"min": 1.5, "max": 90.0, "mean": 45.75, "missing": 8, "samples": [1.5, 3.0]},
            "quantiles": {"0.05": 3.0, "0.25": 23.0, "0.5": 45.0, "0.75": 68.0},
        },
        {**column("Purpose", "category", "str", 14), "top": [["work", 30], ["leisure", 20]]},
        {**column("note", "text", "str", 60), "samples": ["late", "rain"], "stray_spaces": 3},
    ],
}


def seed_with(ws: Workspace, *tables: dict[str, Any]) -> Seed:
    return replace(find_seed(ws, "trips"), profile={**PROFILE, "tables": list(tables)})


def named(blocks: tuple[Block, ...]) -> dict[str, Block]:
    return {each.name: each for each in blocks}


def test_columns_are_told_with_range_quartiles_and_counts_per_category(ws: Workspace) -> None:
    data = named(data_blocks(seed_with(ws, TABLE)))["data"].text
    assert "File `inputs/trips.csv`: 60 rows, 4 columns; read by pd.read_csv('inputs/trips.csv')" in data
    length = "float64, number; 52 distinct; 8 missing; from 1.5 to 90; mean 45.75; quartiles 23, 45, 68"
    assert f"- `Länge km`: {length}\n" in data
    assert "- `Purpose`: str, category; 14 distinct; 'work' (30 rows), 'leisure' (20 rows) and 12 others\n" in data
    assert "- `note`: str, text; 60 distinct; such as 'late', 'rain'" in data


def test_a_few_rows_are_shown_as_a_file_would_write_them(ws: Workspace) -> None:
    samples = named(data_blocks(seed_with(ws, TABLE)))["samples"].text
    assert samples.splitlines()[-4:] == ["Trip id,Länge km,Purpose", "1,,work", '2,3.0," visit"', '60,90.0,"a, b"']
    assert "the first 3 of 4 columns" in samples


def test_a_profile_without_rows_leaves_the_block_out(ws: Workspace) -> None:
    found = named(data_blocks(find_seed(ws, "trips")))
    assert (found["samples"].text, found["meanings"].text) == ("", "")


def test_traps_are_told_apart_from_the_columns(ws: Workspace) -> None:
    found = named(data_blocks(seed_with(ws, TABLE)))
    assert found["traps"].text.startswith("\n\n## Traps\n- trips.csv: the name 'Trip id' holds spaces\n")
    assert found["traps"].text.endswith("\n- trips.csv: 3 values of 'note' have spaces at an end")
    assert "Traps" not in found["data"].text


def test_meanings_say_what_adds_up_what_a_row_is_and_whether_rows_have_an_order(ws: Workspace) -> None:
    km = ColumnMeaning(name="Länge km", meaning=Meaning.MEASURE, unit="km", adds_up=AddsUp.YES)
    level = ColumnMeaning(name="comfort", meaning=Meaning.ORDINAL, levels=("low", "high"))
    rate = ColumnMeaning(name="load", meaning=Meaning.RATE, unit="%", weighted_by="seats")
    month = ColumnMeaning(name="month", meaning=Meaning.TIME, granularity="month", is_part=True)
    key = ColumnMeaning(name="city", meaning=Meaning.KEY, refers_to="cities.csv:id")
    trips = TableMeaning(
        file="trips.csv", row="trip", order=("day",), entity=("car",), groups=("Purpose",), columns=(km, level, rate)
    )
    months = TableMeaning(file="months.csv", repeats_are_errors=True, columns=(month, key))
    shown = named(data_blocks(seed_with(ws, TABLE), Semantics(tables=(trips, months))))["meanings"]
    assert shown.text.startswith("\n\n## What rows and columns mean\nOne row of `trips.csv` is one trip")
    assert "have an order within each `car`: by `day`." in shown.text
    assert "- `Länge km`: measure, in km, adds up\n- `comfort`: ordinal, levels low < high\n" in shown.text
    assert "Two equal rows of `months.csv` are a mistake." in shown.text


def test_of_a_very_wide_table_the_first_columns_are_told_and_a_small_one_beside_it_is_whole(ws: Workspace) -> None:
    wide = {**TABLE, "file": "wide.csv", "columns": [column(f"c{n}", "number", "float64", 9) for n in range(3_000)]}
    wide["sample_rows"] = [["123456.78"] * 40] * 5
    found = named(data_blocks(seed_with(ws, wide, TABLE)))
    assert found["data"].is_cut
    assert all(each.tokens <= BLOCKS[name].tokens for name, each in found.items())
    assert "- `c0`" in found["data"].text
    assert "more lines left out" in found["data"].text
    assert "- `note`: str, text" in found["data"].text
    assert "60,90.0," in found["samples"].text


def test_people_read_the_same_facts(ws: Workspace) -> None:
    text = profile_text(seed_with(ws, TABLE))
    assert text.startswith("Trips Trips of one month.\n\nFile `inputs/trips.csv`")
    assert "Traps:\n- trips.csv: the name 'Trip id' holds spaces" in text
