"""What a profile tells of the columns of one table together."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from authoring.seeds.profile import Profile, SumOfParts, TableProfile
from tests.seeds.meaning_profiles import profile_of

RNG = np.random.default_rng(3)


def _table(folder: Path, **columns: object) -> TableProfile:
    return profile_of(folder, t=pd.DataFrame(columns)).tables[0]


def test_things_and_times_that_name_each_row_together_are_found(tmp_path: Path) -> None:
    cities, years = ["Rome", "Oslo", "Bern"] * 10, sorted(list(range(2000, 2010)) * 3)
    assert _table(tmp_path, city=cities, year=years, x=RNG.random(30)).unique_together == (("city", "year"),)
    assert _table(tmp_path, city=cities, year=[2000] * 15 + [2001] * 15).unique_together == ()


def test_a_key_that_repeats_only_with_its_whole_row_is_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"no": range(100), "x": RNG.random(100), "y": [1, 2] * 50})
    found = profile_of(tmp_path, t=pd.concat([frame, frame.head(7)])).tables[0]
    assert found.duplicate_rows == 7
    assert [one.name for one in found.columns if one.key_without_repeats] == ["no"]


def test_a_total_and_its_parts_are_found(tmp_path: Path) -> None:
    a, b, c = (RNG.integers(1, 900, 40) for _ in range(3))
    found = _table(tmp_path, a=a, b=b, c=c, total=a + b + c, other=RNG.integers(1, 900, 40))
    assert found.sums == (SumOfParts(total="total", parts=("a", "b", "c")),)


def test_a_country_decides_its_continent_and_not_the_other_way_round(tmp_path: Path) -> None:
    countries = ["Peru", "Chad", "Mali", "Fiji"] * 5
    continents = ["America", "Africa", "Africa", "Oceania"] * 5
    assert _table(tmp_path, country=countries, continent=continents).decided_by == (("country", "continent"),)


def test_sorted_columns_and_all_levels_of_few_values_are_told(tmp_path: Path) -> None:
    found = _table(tmp_path, when=range(40), size=["M", "S", "L", "XL"] * 10, wild=RNG.permutation(40) * 1.5)
    assert [one.sorted for one in found.columns] == [True, False, False]
    assert found.columns[1].levels == ("L", "M", "S", "XL")


def test_profiles_of_the_version_before_are_read_without_what_they_lack(tmp_path: Path) -> None:
    data = profile_of(tmp_path, t=pd.DataFrame({"a": range(9), "b": list("xyzxyzxyz")})).to_json()
    data["version"] = 1
    for table in data["tables"]:
        for key in ("unique_together", "sums", "decided_by", "links"):
            table.pop(key, None)
    found = Profile.from_json(json.loads(json.dumps(data)))
    assert (found.version, found.tables[0].unique_together) == (1, ())


def _strength(table: TableProfile, first: str, second: str) -> float:
    (found,) = [one.strength for one in table.links if {one.first, one.second} == {first, second}]
    return found


def test_how_closely_columns_go_together_is_measured_for_each_kind_of_pair(tmp_path: Path) -> None:
    x, noise = RNG.normal(size=300), RNG.normal(size=300)
    kind = np.where(x > 0.5, "b", "a")
    table = _table(tmp_path, x=x, cube=x**3, noise=noise, kind=kind, twin=np.where(kind == "a", "no", "yes"))
    assert _strength(table, "x", "cube") == 1.0  # ranks, so that a curve counts like a line
    assert _strength(table, "x", "noise") < 0.2
    assert 0.6 < _strength(table, "kind", "x") < 0.95
    assert _strength(table, "kind", "noise") < 0.2
    assert _strength(table, "kind", "twin") > 0.99
    (cells,) = [one.fewest for one in table.links if {one.first, one.second} == {"kind", "twin"}]
    assert cells == 0
    (fewest,) = [one.fewest for one in table.links if {one.first, one.second} == {"kind", "x"}]
    assert fewest == min((kind == "a").sum(), (kind == "b").sum())


def test_links_of_a_wide_table_are_bounded_and_gaps_or_constants_give_none(tmp_path: Path) -> None:
    wide = _table(tmp_path, **{f"c{i}": RNG.normal(size=50) for i in range(60)}, one=[1] * 50, gone=[None] * 50)
    assert 100 < len(wide.links) <= 20 * 19 / 2
    assert not {"one", "gone"} & {name for link in wide.links for name in (link.first, link.second)}


def test_each_pair_of_columns_has_one_link_numbers_of_few_values_included(tmp_path: Path) -> None:
    few, kind = RNG.integers(1, 8, 200), RNG.choice(["a", "b", "c"], 200)
    table = _table(tmp_path, few=few, other=RNG.integers(1, 7, 200), kind=kind, x=RNG.normal(size=200) + few)
    pairs = [frozenset((link.first, link.second)) for link in table.links]
    assert len(pairs) == len(set(pairs)) == 6
    (fewest,) = [one.fewest for one in table.links if {one.first, one.second} == {"few", "x"}]
    assert fewest == min((few == value).sum() for value in range(1, 8))
