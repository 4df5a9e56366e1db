"""What a profile says about tables, and that nothing but a profile passes for one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from authoring.seeds import ColumnProfile, ColumnRole, Profile, build_profile, find_traps
from authoring.seeds.profile import Link, SumOfParts, TableProfile, parse_profile
from evaluator.errors import ContentError
from evaluator.session import Engine
from tests.seeds.meaning_profiles import profile_of
from tests.seeds.read_here import HERE, files_read_here

RNG = np.random.default_rng(3)


def _profile(folder: Path, files: Mapping[str, str]) -> Profile:
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return build_profile(HERE, [folder / name for name in files])


def _related(folder: Path, **columns: object) -> TableProfile:
    return profile_of(folder, t=pd.DataFrame(columns)).tables[0]


def _column(folder: Path, values: list[object], name: str = "x") -> ColumnProfile:
    found = _related(folder, **{name: values, "other": range(len(values))}).column(name)
    assert found is not None
    return found


DATES: tuple[tuple[list[object], str, bool], ...] = (
    (["2024-01-31", "2024-02-01", "2024-03-09"], "%Y-%m-%d", False),
    (["31.01.2024", "01.02.2024", "09.03.2024"], "%d.%m.%Y", False),
    (["01/31/2024", "02/01/2024", "03/09/2024"], "%m/%d/%Y", False),
    (["01/02/2024", "02/01/2024", "03/09/2024"], "%d/%m/%Y", True),
    (["2024年1月31日", "2024年2月1日", "2024年3月9日"], "%Y年%m月%d日", False),
    (["31 Jan 2024", "1 Feb 2024", "9 Mar 2024"], "%d %b %Y", False),
    (["2024-01-31T10:00:00Z", "2024-02-01T11:30:00Z", "2024-03-09T00:00:00Z"], "%Y-%m-%dT%H:%M:%SZ", False),
)


def test_dates_in_odd_forms_are_found_with_their_format(tmp_path: Path) -> None:
    for values, date_format, unclear in DATES:
        column = _column(tmp_path, values)
        assert (column.role, column.date_format, column.date_unclear) == (ColumnRole.DATE, date_format, unclear)
    no_such_day: list[object] = ["2024-02-30", "2024-01-01", "2024-01-02"]
    assert _column(tmp_path, no_such_day).role is not ColumnRole.DATE
    digits: list[object] = [20240131, 20240201, 20240309]  # dates only under a name that says so
    assert _column(tmp_path, digits, "order date").date_format == "%Y%m%d"
    assert _column(tmp_path, digits, "amount").role is ColumnRole.NUMBER


def test_columns_get_roles_and_numbers_their_range_and_style(tmp_path: Path) -> None:
    column = _column(tmp_path, [1.25, 2.5, None, 4.0, 10.0])
    assert (column.role, column.missing, column.distinct, column.integer) == (ColumnRole.NUMBER, 1, 4, False)
    assert (column.min, column.max, column.decimals) == (1.25, 10.0, 2)
    assert column.quantiles["0.5"] == 4.0  # a value that occurs
    wanted: tuple[tuple[list[object], ColumnRole], ...] = (
        (["a", "b"] * 10, ColumnRole.CATEGORY),
        ([True, False] * 5, ColumnRole.BOOL),
        ([f"u-{i}" for i in range(20)], ColumnRole.ID),
        ([f"some words {i}" for i in range(20)], ColumnRole.TEXT),
        ([None] * 9, ColumnRole.OTHER),
        (list(range(1, 21)), ColumnRole.ID),
    )
    for values, role in wanted:
        assert _column(tmp_path, values).role is role


def test_traps_are_named(tmp_path: Path) -> None:
    lines = ["price, town,empty,same,mixed", *[f'"$1,{i}00", Rome,,s,{i}' for i in range(2, 9)], "$9,Rome ,,s,n/k"]
    profile = _profile(tmp_path, {"t.csv": "\n".join([*lines, lines[1]]).replace("$9,", '"$9,000",') + "\n"})
    assert {(trap.code, trap.column) for trap in find_traps(profile)} >= {
        *{("duplicate-rows", ""), ("numbers-as-text", "price"), ("numbers-as-text", "mixed")},
        *{("padded-name", " town"), ("stray-spaces", " town"), ("all-missing", "empty"), ("constant", "same")},
    }


FORMS: tuple[tuple[list[object], list[tuple[str, int, int]]], ...] = (
    (["2024-01-31", "31.01.2024", " 2024-02-01", "n/k", "2024-02-30"], [("yyyy-mm-dd", 2, 5), ("dd.mm.yyyy", 1, 5)]),
    (["01/02/2024", "31/01/2024", "2024-01-01"], [("dd/mm/yyyy", 2, 3), ("yyyy-mm-dd", 1, 3)]),
    (["01/02/2024", "31/01/2024", "01/31/2024"],
     [("dd/mm/yyyy", 1, 3), ("dd/mm/yyyy or mm/dd/yyyy", 1, 3), ("mm/dd/yyyy", 1, 3)]),
    (["1,234", "12,345.5", "77", "n/k"], [("1,234", 2, 4)]),
    (["1.234,5", "1.234", "-12.345", "n/k"], [("1.234,5", 3, 4)]),
    (["1.234", "12.345", "n/k", "2"], []),
    (["1 234", "12\u00a0345", "n/k"], [("1 234", 2, 3)]),
    (["2024-01-31", "2024-02-01"], []),
    (["2024-01-31", *(f"word {i}" for i in range(20))], []),
)  # fmt: skip


def test_dates_and_grouped_numbers_written_as_text_are_told(tmp_path: Path) -> None:
    for values, forms in FORMS:
        column = _column(tmp_path, values)
        assert [(one.form, one.rows, one.cells) for one in column.text_forms] == forms
        profile = build_profile(HERE, [tmp_path / "t.csv"])
        told = [trap.text for trap in find_traps(profile) if trap.code in ("dates-as-text", "grouped-numbers")]
        assert len(told) == bool(forms)
        assert all(f"{form} ({rows / cells:.0%} of its cells)" in told[0] for form, rows, cells in forms)


def test_delimiters_decimal_commas_and_a_byte_order_mark_are_found(tmp_path: Path) -> None:
    rows = [["name", "note"], ["a", "x, y; z"], ["b", "1|2"], ["c", "plain"]]
    for delimiter in ";\t|,":
        text = "\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows)
        table = _profile(tmp_path, {"t.csv": text}).tables[0]
        assert [column.name for column in table.columns] == ["name", "note"]
        assert table.options.get("sep", ",") == delimiter
    table = _profile(tmp_path, {"t.csv": "\ufeffort;preis\na;1,5\nb;2,25\n"}).tables[0]
    assert [column.name for column in table.columns] == ["ort", "preis"]
    assert table.columns[1].max == 2.25
    assert table.options == {"sep": ";", "decimal": ","}


TABLE = "ort,größe,n\nKöln,1,5\n北京,2,6\n"
RECORDS = '{"ort": "Köln", "n": 5}\n{"ort": "北京", "n": 6}\n'


ENCODED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    *((encoding, "t.csv", TABLE, {}) for encoding in ("utf-16", "utf-32", "utf-16-be", "utf-8")),
    ("utf-16", "t.txt", TABLE.replace(",", "\t"), {"sep": "\t"}),  # what spreadsheet programs call Unicode text
    ("utf-16-be", "t.csv", TABLE.replace(",", ";").replace("1;5", "1,5;5"), {"sep": ";", "decimal": ","}),
    ("utf-8", "t.jsonl", RECORDS, {"lines": True}),
    ("utf-16", "t.json", "[" + RECORDS.replace("}\n{", "}, {") + "]", {}),
)


def test_text_with_the_mark_of_its_encoding_is_read_and_the_call_names_it(tmp_path: Path) -> None:
    for encoding, name, text, options in ENCODED:
        mark = "\ufeff" if encoding in ("utf-16-be", "utf-8") else ""  # the other two write it themselves
        (tmp_path / name).write_bytes((mark + text).encode(encoding))
        table = build_profile(HERE, [tmp_path / name]).tables[0]
        stated = {"utf-16-be": "utf-16", "utf-8": "utf-8-sig" if "json" in name else ""}.get(encoding, encoding)
        assert table.options == ({"encoding": stated} if stated else {}) | options
        frame = getattr(pd, table.reader)(tmp_path / name, **table.options)
        assert list(frame.columns) == [column.name for column in table.columns]
        assert (frame["ort"].tolist(), frame["n"].tolist()) == (["Köln", "北京"], [5, 6])


def test_a_title_above_the_names_is_told_once_and_not_as_names_with_spaces(tmp_path: Path) -> None:
    profile = _profile(tmp_path, {"t.csv": "Orders of May,,\nshop,day,units\nb ,1,3\nB,1,4\nb,2,5\n"})
    told = {(trap.code, trap.column): trap.text for trap in find_traps(profile)}
    assert told["title-line", ""].startswith("its first line names 1 of 3 columns: if it is a title, delete what")
    assert ("spaced-name", "Unnamed: 1") not in told
    assert told["unnamed-column", "Unnamed: 1"] == "a column without a name is read as 'Unnamed: 1'"
    assert told["stray-spaces", "Orders of May"] == "1 value of 'Orders of May' has spaces at an end"
    assert told["case-variants", "Orders of May"] == "'Orders of May' writes 1 value in more than one case"


def test_rows_that_are_too_short_are_counted(tmp_path: Path) -> None:
    profile = _profile(tmp_path, {"t.csv": 'a,größe,c\n1,2,3\n4,5\n\n6\n7,"x\ny",\n'})
    assert (profile.tables[0].rows, profile.tables[0].short_rows) == (4, 2)
    (trap,) = (trap for trap in find_traps(profile) if trap.code == "short-rows")
    assert trap.text.startswith("2 rows have fewer fields than the header")
    assert Profile.from_json(json.loads(json.dumps(profile.to_json()))) == profile


def test_files_that_nothing_joins_are_named(tmp_path: Path) -> None:
    files = {"wine.csv": "grape,ash\nA,1.5\nB,2.5\n", "moons.csv": "moon,radius\nIo,1821\nMimas,198\n"}
    unrelated = [trap.file for trap in find_traps(_profile(tmp_path, files)) if trap.code == "unrelated-table"]
    assert unrelated == ["wine.csv", "moons.csv"]
    assert not [trap for trap in find_traps(_profile(tmp_path, {"wine.csv": files["wine.csv"]})) if not trap.column]


def test_small_and_wide_tables_are_described(tmp_path: Path) -> None:
    wide = ",".join(f"c{n}" for n in range(500)) + "\n" + "1" + "," * 499 + "\n"
    for text, shape, roles in (
        ("a,b\n1,x\n", (1, 2), {"number", "category", "text", "id"}),
        ("a\n1\n2\n2\n", (3, 1), {"number", "category", "id"}),
        ("a,b\nx y,u v\nz w,p q\n", (2, 2), {"text", "id", "category"}),
        ("a,b\n1,\n2,\n", (2, 2), {"number", "id", "other"}),
        (wide, (1, 500), {"number", "id", "other"}),
    ):
        table = _profile(tmp_path, {"t.csv": text}).tables[0]
        assert (table.rows, len(table.columns)) == shape
        assert {column.role.value for column in table.columns} <= roles


def test_foreign_keys_are_found_by_name_and_content(tmp_path: Path) -> None:
    owners = "id,name\n" + "".join(f"{i},owner {i}\n" for i in range(10))
    pets = "pet,owner_id,age\n" + "".join(f"pet {i},{i % 9},{i % 5}\n" for i in range(40))
    profile = _profile(tmp_path, {"owners.csv": owners, "pets.csv": pets})
    assert [(key.table, key.column, key.to_table, key.to_column, key.coverage) for key in profile.foreign_keys] == [
        (1, "owner_id", 0, "id", 1.0)
    ]


def test_a_session_describes_files_as_this_process_does(engine: Engine, tmp_path: Path) -> None:
    pd.DataFrame({"n": [1.25, 2.5, None], "day": ["2024-01-31", "x", "y"]}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"n": range(3), "kind": pd.Categorical(list("aba"))}).to_parquet(tmp_path / "b.parquet")
    files = [tmp_path / "a.csv", tmp_path / "b.parquet"]
    with files_read_here():
        here = build_profile(HERE, files)
    assert build_profile(engine, files) == here


_LINK = {"first": "a", "second": "ghost", "strength": 0.5, "fewest": 0}
_KEY = {"table": 0, "column": "a", "to_table": 0, "to_column": "b", "coverage": 1.0}


def _plain() -> dict[str, Any]:
    column = {"name": "a", "dtype": "int64", "role": "number", "missing": 0, "distinct": 2}
    table = {"file": "a.csv", "reader": "read_csv", "rows": 2, "columns": [column]}
    return {"tables": [table], "foreign_keys": []}


def test_what_is_no_profile_is_refused() -> None:
    assert parse_profile(json.dumps(_plain())).tables[0].rows == 2
    spoilt: tuple[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str], ...] = (  # of file, table and column
        ({}, {"rows": "2"}, {}, "rows"),
        ({}, {"surprise": 1}, {}, "surprise"),
        ({}, {}, {"role": "king"}, "role"),
        ({}, {}, {"name": "x" * 5000}, "name"),
        ({"foreign_keys": [{**_KEY, "to_table": 7}]}, {}, {}, ""),
        ({"version": 99}, {}, {}, ""),
        ({}, {"reader": "eval"}, {}, "a.csv"),
        ({}, {"rows": -1}, {}, "a.csv"),
        ({}, {"columns": _plain()["tables"][0]["columns"] * 2}, {}, "a.csv"),
        ({}, {"links": [_LINK]}, {}, "a.csv"),
        ({}, {"links": [{**_LINK, "second": "a"}]}, {}, "a.csv"),
    )
    for of_file, of_table, of_column, where in spoilt:
        data = _plain() | of_file
        data["tables"][0]["columns"][0] |= of_column
        data["tables"][0] |= of_table
        with pytest.raises(ContentError) as raised:
            parse_profile(json.dumps(data))
        assert where in raised.value.where
    for text in ("", "null", "[" * 100_000, '{"tables": NaN}', "x" * 5_000_000):
        with pytest.raises(ContentError):
            parse_profile(text)


def test_a_link_stronger_than_one_is_refused() -> None:
    data = _plain()
    data["tables"][0]["columns"].append({**data["tables"][0]["columns"][0], "name": "b"})
    data["tables"][0]["links"] = [{**_LINK, "second": "b"}]
    assert parse_profile(json.dumps(data)).tables[0].links[0].strength == 0.5
    for strength in (1e308, -0.5, 1.01):
        data["tables"][0]["links"] = [{**_LINK, "second": "b", "strength": strength}]
        with pytest.raises(ContentError, match="a link of strength"):
            parse_profile(json.dumps(data))


def test_a_name_that_no_query_can_carry_is_a_trap() -> None:
    data = _plain()
    for name in ("line\nbreak", 'qu"ote', "back`tick", "x" * 81, "zero\u200bwidth"):
        data["tables"][0]["columns"][0]["name"] = name
        (trap,) = [one for one in find_traps(parse_profile(json.dumps(data))) if one.code == "unquotable-name"]
        assert "rename it" in trap.text


def test_rows_come_from_the_beginning_the_middle_and_the_end(tmp_path: Path) -> None:
    frame = {"n": range(100), "half": [n / 2 if n else None for n in range(100)], "word": ["a b "] * 100}
    table = _related(tmp_path, **frame)
    assert [row[0] for row in table.sample_rows] == ["0", "1", "2", "50", "99"]
    assert table.sample_rows[0] == ("0", None, "a b ")
    assert table.sample_rows[3] == ("50", "25.0", "a b ")
    for rows in (1, 2, 4):
        table = _related(tmp_path, n=range(rows))
        assert [row[0] for row in table.sample_rows] == [str(place) for place in range(rows)], "each once"
    table = _related(tmp_path, text=["x" * 90, "y"], **{f"c{n}": [n, n] for n in range(60)})
    assert [len(row) for row in table.sample_rows] == [40, 40]
    assert table.sample_rows[0][0] == "x" * 37 + "..."


def test_a_profile_from_before_has_no_rows_and_can_be_read(tmp_path: Path) -> None:
    stored: dict[str, Any] = {**profile_of(tmp_path, t={"n": [1, 2]}).to_json(), "version": 1}
    for key in ("sample_rows", "unique_together", "sums", "decided_by", "links"):
        stored["tables"][0].pop(key, None)
    found = Profile.from_json(stored)
    assert (found.version, found.tables[0].sample_rows, found.tables[0].unique_together) == (1, (), ())
    spoiled = {**stored, "tables": [{**stored["tables"][0], "sample_rows": [["1", 2]]}]}
    spoiled.pop("traps")
    with pytest.raises(ContentError, match="not readable"):
        parse_profile(json.dumps(spoiled))


def test_things_and_times_that_name_each_row_together_are_found(tmp_path: Path) -> None:
    cities, years = ["Rome", "Oslo", "Bern"] * 10, sorted(list(range(2000, 2010)) * 3)
    assert _related(tmp_path, city=cities, year=years, x=RNG.random(30)).unique_together == (("city", "year"),)
    assert _related(tmp_path, city=cities, year=[2000] * 15 + [2001] * 15).unique_together == ()


def test_a_key_that_repeats_only_with_its_whole_row_is_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"no": range(100), "x": RNG.random(100), "y": [1, 2] * 50})
    found = profile_of(tmp_path, t=pd.concat([frame, frame.head(7)])).tables[0]
    assert found.duplicate_rows == 7
    assert [one.name for one in found.columns if one.key_without_repeats] == ["no"]


def test_a_total_and_its_parts_are_found(tmp_path: Path) -> None:
    a, b, c = (RNG.integers(1, 900, 40) for _ in range(3))
    found = _related(tmp_path, a=a, b=b, c=c, total=a + b + c, other=RNG.integers(1, 900, 40))
    assert found.sums == (SumOfParts(total="total", parts=("a", "b", "c")),)


def test_a_country_decides_its_continent_and_not_the_other_way_round(tmp_path: Path) -> None:
    countries = ["Peru", "Chad", "Mali", "Fiji"] * 5
    continents = ["America", "Africa", "Africa", "Oceania"] * 5
    assert _related(tmp_path, country=countries, continent=continents).decided_by == (("country", "continent"),)


def test_sorted_columns_and_all_levels_of_few_values_are_told(tmp_path: Path) -> None:
    found = _related(tmp_path, when=range(40), size=["M", "S", "L", "XL"] * 10, wild=RNG.permutation(40) * 1.5)
    assert [one.sorted for one in found.columns] == [True, False, False]
    assert found.columns[1].levels == ("L", "M", "S", "XL")


def _link(table: TableProfile, first: str, second: str) -> Link:
    (found,) = [one for one in table.links if {one.first, one.second} == {first, second}]
    return found


def test_how_closely_columns_go_together_is_measured_for_each_kind_of_pair(tmp_path: Path) -> None:
    x, noise = RNG.normal(size=300), RNG.normal(size=300)
    kind = np.where(x > 0.5, "b", "a")
    table = _related(tmp_path, x=x, cube=x**3, noise=noise, kind=kind, twin=np.where(kind == "a", "no", "yes"))
    assert _link(table, "x", "cube").strength == 1.0  # ranks, so that a curve counts like a line
    assert _link(table, "x", "noise").strength < 0.2
    assert 0.6 < _link(table, "kind", "x").strength < 0.95
    assert _link(table, "kind", "noise").strength < 0.2
    assert _link(table, "kind", "twin").strength > 0.99
    assert _link(table, "kind", "twin").fewest == 0
    assert _link(table, "kind", "x").fewest == min((kind == "a").sum(), (kind == "b").sum())


def test_links_of_a_wide_table_are_bounded_and_gaps_or_constants_give_none(tmp_path: Path) -> None:
    wide = _related(tmp_path, **{f"c{i}": RNG.normal(size=50) for i in range(60)}, one=[1] * 50, gone=[None] * 50)
    assert 100 < len(wide.links) <= 20 * 19 / 2
    assert not {"one", "gone"} & {name for link in wide.links for name in (link.first, link.second)}


def test_each_pair_of_columns_has_one_link_numbers_of_few_values_included(tmp_path: Path) -> None:
    few, kind = RNG.integers(1, 8, 200), RNG.choice(["a", "b", "c"], 200)
    table = _related(tmp_path, few=few, other=RNG.integers(1, 7, 200), kind=kind, x=RNG.normal(size=200) + few)
    pairs = [frozenset((link.first, link.second)) for link in table.links]
    assert len(pairs) == len(set(pairs)) == 6
    assert _link(table, "few", "x").fewest == min((few == value).sum() for value in range(1, 8))
