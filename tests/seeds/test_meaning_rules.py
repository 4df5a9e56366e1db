"""What the rules make of tables: restaurants, cars, elections, panels, logs, surveys, and hostile ones."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from authoring.seeds.meanings import infer_semantics
from authoring.seeds.meanings.column_names import ColumnName, plural, singular
from authoring.seeds.meanings.scales import ordered_levels
from authoring.seeds.meanings.unit_words import read_description, unit_of_description, unit_of_name
from authoring.seeds.meanings.wording import semantics_text
from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.semantics import AddsUp, Meaning
from tests.seeds.invented_tables import TABLES
from tests.seeds.meaning_profiles import column, meaning_of, profile_of

ROWS = 60
RNG = np.random.default_rng(7)


def test_tips_have_money_a_party_size_and_days_in_order(tmp_path: Path) -> None:
    columns = {"total_bill": RNG.uniform(5, 50, ROWS).round(2), "tip": RNG.uniform(1, 9, ROWS).round(2)}
    words = {"smoker": ["Yes", "No"], "day": ["Sun", "Sat", "Thur", "Fri"], "time": ["Lunch", "Dinner"]}
    chosen = {name: RNG.choice(values, ROWS) for name, values in words.items()}
    table = meaning_of(tmp_path, "tips", {**columns, **chosen, "size": RNG.integers(1, 7, ROWS)})
    meanings = [one.meaning for one in table.columns]
    assert meanings == [Meaning.MONEY, Meaning.MONEY, Meaning.FLAG, Meaning.ORDINAL, Meaning.CATEGORY, Meaning.COUNT]
    assert column(table, "day").levels == ("Thur", "Fri", "Sat", "Sun")
    assert column(table, "total_bill").adds_up is AddsUp.YES
    assert (table.order, table.repeats_are_errors) == ((), False)


def test_a_panel_has_an_entity_an_order_and_rates_weighed_by_people(tmp_path: Path) -> None:
    countries = ["Chad", "Peru", "Fiji", "Mali", "Oman"] * 12
    world = {"country": sorted(countries), "year": list(range(1990, 2002)) * 5, "pop": RNG.integers(10**5, 10**7, ROWS)}
    world |= {"lifeExp": RNG.uniform(40, 80, ROWS).round(1), "gdpPercap": RNG.uniform(300, 9000, ROWS).round(2)}
    table = meaning_of(tmp_path, "world", world)
    assert (table.entity, table.order, table.row) == (("country",), ("year",), "country-year")
    assert column(table, "pop").adds_up is AddsUp.AT_ONE_TIME
    assert column(table, "lifeExp").weighted_by == column(table, "gdpPercap").weighted_by == "pop"
    assert table.repeats_are_errors


def test_an_order_number_unique_but_for_repeated_rows_is_an_identifier(tmp_path: Path) -> None:
    frame = pd.DataFrame({"order_no": range(7001, 7501), "amount": RNG.uniform(1, 900, 500).round(2)})
    table = meaning_of(tmp_path, "orders", pd.concat([frame, frame.head(49)]))
    assert column(table, "order_no").meaning is Meaning.IDENTIFIER
    assert (table.repeats_are_errors, table.row) == (True, "order")


def test_columns_and_rows_of_tables_never_seen_before_get_their_meaning(tmp_path: Path) -> None:
    for name, make in TABLES.items():
        invented = make()
        table = meaning_of(tmp_path, name, invented.frame, description=invented.description)
        assert {one.name: one.meaning.value for one in table.columns} == invented.meanings, name
        for column_name, wanted in invented.details.items():
            one = column(table, column_name)
            assert {key: getattr(one, key) for key in wanted} == wanted, (name, column_name)
        assert {key: getattr(table, key) for key in invented.table} == invented.table, name


HOSTILE = (
    *("", " ", "(", ")", "%", "per", "id", "Unnamed: 0", "n", "no", "12", "🦆", "\u202eabc"),
    *("a" * 500, "_" * 400, "(" * 300),
)


def test_hostile_names_get_some_meaning_and_are_kept_as_they_are() -> None:
    number: dict[str, Any] = {"dtype": "int64", "role": ColumnRole.NUMBER, "missing": 0, "distinct": 9}
    columns = tuple(ColumnProfile(name=name, min=1, max=9, integer=True, **number) for name in HOSTILE)
    table = TableProfile(file="x.csv", reader="read_csv", rows=9, columns=columns)
    found = infer_semantics(Profile(tables=(table,)), description="(" * 2000 + " in " * 1000)
    assert [one.name for one in found.tables[0].columns] == list(HOSTILE)


def test_columns_that_stand_alone_or_hold_nothing_give_no_order(tmp_path: Path) -> None:
    table = meaning_of(tmp_path, "data", {"value": RNG.uniform(0, 900, ROWS)})
    assert (column(table, "value").meaning, table.row, table.order, table.groups) == (Meaning.MEASURE, "", (), ())
    table = meaning_of(tmp_path, "t", {"a": [None] * ROWS, "b": ["x"] * ROWS, "c": [None] * ROWS})
    assert {one.meaning for one in table.columns} == {Meaning.OTHER}
    assert table.order == table.groups == ()


def test_a_column_found_in_another_file_is_a_key_that_names_it(tmp_path: Path) -> None:
    lines = {"airline": [f"A{i}" for i in range(12)], "name": [f"Air {chr(97 + i)}" for i in range(12)]}
    flights = {"airline": [f"A{i % 12}" for i in range(ROWS)], "delay_min": RNG.uniform(0, 60, ROWS)}
    found = infer_semantics(profile_of(tmp_path, airlines=lines, flights=flights)).tables
    key = column(found[1], "airline")
    assert (key.meaning, key.refers_to) == (Meaning.KEY, "airlines.csv:airline")
    assert column(found[0], "airline").meaning is Meaning.IDENTIFIER


LEVELS: tuple[tuple[list[str], tuple[str, ...]], ...] = (
    (["High", "Low", "Medium"], ("Low", "Medium", "High")),
    (["XL", "S", "M", "L"], ("S", "M", "L", "XL")),
    (["65+", "18-24", "<18", "25-64"], ("<18", "18-24", "25-64", "65+")),
    (["Sunday", "Monday", "Friday"], ("Monday", "Friday", "Sunday")),
    (["PhD", "Bachelor", "High School", "Master"], ("High School", "Bachelor", "Master", "PhD")),
    (["Always", "Never", "Sometimes"], ("Never", "Sometimes", "Always")),
    (["10-20k", "20-30k", ">30k"], ("10-20k", "20-30k", ">30k")),
    *((unordered, ()) for unordered in (["red", "green", "blue"], ["A", "B", "C"], ["1999", "2008"])),
    (["2020-01", "2020-02"], ()),
)


def test_levels_are_ordered_where_everybody_knows_the_order() -> None:
    for values, levels in LEVELS:
        assert ordered_levels(sorted(values)) == levels


DELAYS = "Delays and air times are in minutes, distances in miles."


def test_units_are_read_from_names_and_from_the_description() -> None:
    for name, description, unit in (
        ("body_mass_g", "", "g"),
        ("Length (mm)", "", "mm"),
        ("temp_f", "", "°F"),
        ("temp_min", "", ""),
        ("income_usd", "", "USD"),
        ("mass", "Lengths are in millimetres, body mass in grams.", "g"),
        ("arr_delay", DELAYS, "min"),
        ("distance", DELAYS, "miles"),
        ("pop", "Population and income per head (dollars) of 12 countries", ""),
        ("murder", "Murders per 100,000 inhabitants.", "per 100,000"),
        ("head_l", "", ""),
    ):
        parsed = ColumnName(name)
        assert (unit_of_name(parsed) or unit_of_description(parsed, read_description(description))) == unit, name


def test_nouns_have_a_plural_that_leads_back() -> None:
    nouns = {"flight": "flights", "country": "countries", "person": "people", "box": "boxes", "house": "houses"}
    for single, many in {**nouns, "day": "days"}.items():
        assert (plural(single), singular(many)) == (many, single)


def test_two_unrelated_files_that_number_their_rows_have_nothing_in_common(tmp_path: Path) -> None:
    trees = {"id": range(40), "height_m": RNG.uniform(2, 30, 40)}
    trips = {"id": range(60), "km": RNG.uniform(1, 90, 60)}
    keys = [column(table, "id") for table in infer_semantics(profile_of(tmp_path, trees=trees, trips=trips)).tables]
    assert [(key.meaning, key.refers_to) for key in keys] == [(Meaning.IDENTIFIER, "")] * 2


def test_the_order_of_parts_of_time_goes_from_coarse_to_fine(tmp_path: Path) -> None:
    months = {"month": list(range(1, 13)) * 4, "year": sorted([2001, 2002, 2003, 2004] * 12), "rain_mm": range(48)}
    table = meaning_of(tmp_path, "rain", months)
    assert (table.order, table.entity, table.row) == (("year", "month"), (), "month")


def test_a_row_is_what_the_description_says(tmp_path: Path) -> None:
    values = {"score": RNG.uniform(0, 9, ROWS).round(1)}
    said = {"Each row is a judged dive, with its score.": "judged dive", f"Scores of {ROWS} divers.": "diver"}
    for description, row in said.items():
        assert meaning_of(tmp_path, "data", values, description=description).row == row


SINGLE: tuple[tuple[str, list[object], Meaning], ...] = (
    ("wday", [1, 2, 3, 4, 5, 6, 7], Meaning.ORDINAL),
    ("day_of_year", [1, 100, 200, 300], Meaning.TIME),
    ("time_to_delivery", [1.5, 2.25, 9.75], Meaning.MEASURE),
    ("debt_to_income", [0.15, 0.25, 1.75], Meaning.RATE),
    ("statefips", [1, 2, 4, 5], Meaning.CODE),
    ("stack_loss", [42, 37, 28, 18, 15, 14, 13, 11], Meaning.MEASURE),
    ("losses", [4, 3, 2, 1, 0, 9, 12, 15], Meaning.COUNT),
    ("n_obs", [4, 3, 2, 1, 0, 9, 12, 15], Meaning.COUNT),
    ("yearmonth", [202301, 202302, 202303], Meaning.TIME),
    ("timestamp", [1_700_000_000, 1_700_003_600, 1_700_007_200], Meaning.TIME),
    ("sunshine_share", [0.1, 0.55, 0.92], Meaning.RATE),
    ("result", ["negative", "positive"], Meaning.CATEGORY),
    ("quarter", ["2020 Q1", "2020 Q2", "2020 Q3"], Meaning.TIME),
    ("founded", ["1987 Jan", "1987 Feb", "1988 Mar"], Meaning.TIME),
    ("opening", ["09:30", "10:00", "18:45"], Meaning.TIME),
    ("state", ["NY", "CA", "TX"], Meaning.CATEGORY),
    ("leg_room", [11, 15, 14, 9, 8, 19, 21, 30], Meaning.MEASURE),
    ("weight", [61.5, 70.2, 88.1, 2.5], Meaning.MEASURE),  # of a body, and of no survey
)


def test_single_names_and_values(tmp_path: Path) -> None:
    other = RNG.integers(0, 90_000, ROWS)
    for name, values, meaning in SINGLE:
        table = meaning_of(tmp_path, "t", {name: (values * ROWS)[:ROWS], "other": other})
        assert column(table, name).meaning is meaning, name


def test_a_prompt_is_told_what_must_not_be_asked(tmp_path: Path) -> None:
    shops = {"city": ["Rome", "Oslo", "Bern"] * 20, "temp_c": RNG.uniform(0, 30, ROWS).round(1)}
    semantics = infer_semantics(profile_of(tmp_path, shops=shops))
    text = semantics_text(semantics, semantics.tables[0])
    assert "One row is one shop (plural: shops)." in text
    assert "no order of their own" in text
    assert "- `temp_c`: measure, in °C, does not add up" in text


def test_rows_of_people_who_come_twice_are_not_called_people(tmp_path: Path) -> None:
    ages = [20 + n % 41 for n in range(60)]
    columns = {"age": ages, "sex": ["f", "m", "f"] * 20, "nodes": [n % 9 for n in range(60)]}
    once = meaning_of(tmp_path, "patients_a", {"id": list(range(60)), **columns})
    twice = meaning_of(tmp_path, "patients_b", {"id": [n // 2 for n in range(60)], **columns})
    assert (once.row, twice.row) == ("person", "")
