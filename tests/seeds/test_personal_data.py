"""Columns that look like data about persons are told, with how to mend them; other columns are not."""

import json
from pathlib import Path

import pandas as pd
import pytest

from authoring.seeds import Profile, build_profile, shipped_seed_names
from authoring.seeds.adding import add_seed
from authoring.seeds.personal_data import PersonalKind, confirm, personal_findings, seed_findings
from authoring.seeds.shipped import SHIPPED_SEEDS_DIR
from authoring.store.drafting.confirmations import Said
from authoring.store.drafting.seeds import SeedFacts, find_seed
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from tests.seeds.read_here import HERE

# ruff: noqa: E501  # tables are read line by line

PEOPLE = ("Anna Schmidt", "Peter Jones", "Maria Rossi", "John O'Hara", "Lucas Weber", "Emma Brown")
MAIL = tuple(f"{name.split()[0].lower()}{number}@mail-post.net" for number, name in enumerate(PEOPLE))
STREETS = ("12 Oak Street", "7 Elm Ave", "128 Lake View Road", "5 High St", "99 Mill Lane", "3 Station Road, Leeds")
PHONES = ("+49 30 1234567", "+44 20 7946 0958", "+1 212 555 7766", "+49 171 9988776", "+33 1 44 55 66 77", "+39 06 698 1234")  # fmt: skip
CARDS = (4111111111111111, 5500005555555559, 340000000000009, 6011000990139424, 4012888888881881, 5105105105105100)
IBANS = ("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606", "AT611904300234573201")
LATITUDES = (52.52001, 52.51234, 52.50012, 52.49871, 52.53219, 52.54321)
N = tuple(range(1, 7))
K = PersonalKind

TABLES: dict[str, tuple[dict[str, tuple[object, ...]], set[tuple[str, PersonalKind]]]] = {
    "customers": (
        {"customer_name": PEOPLE, "E-mail": MAIL, "spent": (1.5, 2.0, 3.5, 4.0, 9.0, 2.5)},
        {("customer_name", K.NAME), ("E-mail", K.EMAIL)},
    ),
    "reviews": (
        {"stars": (1, 2, 3, 4, 5, 5), "text": ("good", "write to anna.s@web.de", "bad", "fine", "so so", "never again")},
        {("text", K.EMAIL)},
    ),
    "members": ({"name": PEOPLE, "phone": PHONES, "since": tuple(range(2001, 2007))}, {("name", K.NAME), ("phone", K.PHONE)}),
    "calls": ({"mobile": (4930123456, 4930123457, 4930123499, 4930123411, 4930123400, 4930123999)}, {("mobile", K.PHONE)}),
    "deliveries": ({"address": STREETS, "weight": N}, {("address", K.STREET)}),
    "payments": ({"card": CARDS, "amount": N}, {("card", K.CARD)}),
    "transfers": ({"account": (*IBANS, None, None), "amount": N}, {("account", K.IBAN)}),
    "taxes": ({"ssn": ("123-45-6789", "219-09-9999", "457-55-5462", "078-05-1120", "321-54-9876")}, {("ssn", K.NATIONAL_ID)}),
    "patients": (
        {
            "surname": ("Schmidt", "Jones", "Rossi", "OHara", "Weber", "Brown"),
            "date_of_birth": ("1980-01-02", "1975-05-06", "1990-07-08", "1966-02-03", "2001-12-30", "1999-09-09"),
        },
        {("surname", K.NAME), ("date_of_birth", K.BIRTH)},
    ),
    "visits": (
        {"ip": ("8.8.8.8", "1.1.1.1", "93.184.216.34", "151.101.1.69", "140.82.112.3", "13.107.42.14"), "n": N},
        {("ip", K.IP)},
    ),
    "rides": (
        {"rider_id": N, "lat": LATITUDES, "lon": (13.40501, 13.41234, 13.40012, 13.39871, 13.43219, 13.44321)},
        {("lat", K.PLACE), ("lon", K.PLACE)},
    ),
    "staff-de": (
        {"Vorname": ("Anna", "Peter", "Maria", "Johann", "Lukas", "Emma"), "Straße": (
            "Lange Straße 5", "Hauptstr. 12", "Bergweg 3", "Am Ufer 9", "Lindenallee 14a", "Marktplatz 1",
        )},
        {("Vorname", K.NAME), ("Straße", K.STREET)},
    ),
    "members-zh": ({"姓名": ("王小明", "李华", "张伟"), "手机": tuple(f"1380013800{n}" for n in range(3))}, {("姓名", K.NAME), ("手机", K.PHONE)}),
    # what only looks like it
    "restaurants": (
        {"restaurant": ("Rose Garden", "Joe Diner", "Blue Lagoon", "Pasta Mia", "Thai House", "Old Mill"),
         "address": STREETS, "phone": PHONES, "lat": LATITUDES},
        set(),
    ),
    "stations": ({"name": ("Central", "North", "South", "East", "West", "Harbour"), "latitude": LATITUDES, "bikes": N}, set()),
    "titanic": ({"Name": PEOPLE, "Age": (22, 38, 26, 35, 35, 54), "Survived": (0, 1, 1, 1, 0, 0)}, set()),
    "orders": (
        {
            "order_no": tuple(range(4000000000000001, 4000000000000007)),
            **{"ordered_on": ("2024-01-05", "2024-01-06", "2024-02-05", "2024-03-05", "2024-03-09", "2024-04-01")},
            **{"sku": ("AB-123-4567", "AB-123-4568", "AB-123-4569", "CD-999-0001", "CD-999-0002", "EF-100-2000")},
        },
        set(),
    ),
    "packages": ({"version": ("1.2.3.4", "1.2.3.5", "2.0.0.1", "2.1.0.0", "3.0.0.1", "3.1.4.1")}, set()),
    "network": ({"host": ("10.0.0.1", "10.0.0.2", "192.168.1.5", "192.168.1.6", "127.0.0.1", "172.16.0.9")}, set()),
    "vendors": ({"mail": ("info@acme.com", "sales@beta.io", "support@gamma.org", "a@example.com", "x@site.test", "help@x.de")}, set()),
    "cities": ({"city": ("San Jose", "St. Paul", "Victoria", "Santa Rosa", "Paris", "Florence"), "population": N}, set()),
    "phones": ({"phones": N, "households": (10, 20, 30, 40, 50, 60)}, set()),
}  # fmt: skip


def write_table(path: Path, columns: dict[str, tuple[object, ...]]) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_what_is_found_in_a_table(tmp_path: Path) -> None:
    for name, (columns, expected) in TABLES.items():
        found = personal_findings(build_profile(HERE, [write_table(tmp_path / f"{name}.csv", columns)]))
        assert {(one.column, one.kind) for one in found} == expected, name
        told = json.dumps([one.to_json() for one in found], ensure_ascii=False)
        texts = {str(value) for each in columns.values() for value in each if isinstance(value, str)}
        assert not [value for value in texts if len(value) > 3 and value in told], name
        assert all(one.rows > 0 and "drop" in one.fix and "confirm" in one.fix for one in found)


def test_the_rows_are_counted_and_only_the_shape_of_a_value_is_told(tmp_path: Path) -> None:
    path = write_table(tmp_path / "t.csv", {"text": ("see anna.s@web.de", "see anna.s@web.de", "no")})
    (found,) = personal_findings(build_profile(HERE, [path]))
    assert (found.rows, found.shape) == (2, "a***.*@***.**")
    assert found.what == "column 'text' of t.csv seems to hold e-mail addresses (2 rows)"


def test_columns_of_every_kind_are_looked_at(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "mail": pd.Categorical(["a.b@web.de"] * 6),
            "phone": pd.array([4930123456, None, 4930123458, 4930123459, 4930123460, 4930123461], dtype="Int64"),
            "seen": pd.to_datetime(["2024-01-01"] * 6),
            "took": pd.to_timedelta(range(6), unit="h"),
            "yes": [True, False] * 3,
            "share": [0.25, None, 0.5, 1.5, 2.25, 3.0],
            "mixed": [1, "x", None, 2.5, "y", "z"],
        }
    )
    frame.drop(columns=["mixed", "took"]).to_parquet(tmp_path / "t.parquet")
    frame.drop(columns=["seen", "took"]).to_json(tmp_path / "t2.json", orient="records")
    found = personal_findings(build_profile(HERE, [tmp_path / "t.parquet", tmp_path / "t2.json"]))
    wanted = [(file, *column) for file in ("t.parquet", "t2.json") for column in (("mail", 6), ("phone", 5))]
    assert [(one.file, one.column, one.rows) for one in found] == wanted


def test_shipped_seeds_are_silent() -> None:
    for name in shipped_seed_names():
        kept = json.loads((SHIPPED_SEEDS_DIR / name / "profile.json").read_text(encoding="utf-8"))
        assert personal_findings(Profile.from_json(kept["profile"])) == (), name


def test_a_person_confirms_a_column_and_withdraws_it(tmp_path: Path, workspace: Workspace) -> None:
    path = write_table(tmp_path / "t.csv", {"name": PEOPLE, "mail": MAIL})
    seed = find_seed(workspace, add_seed(workspace, [path], name="people", engine=HERE))
    assert [one.confirmed for one in seed_findings(workspace, seed)] == [None, None]
    confirm(workspace, seed, "mail", Said.PUBLIC, reason="printed in the yearbook", by="Ada")
    signed = {one.column: one.confirmed for one in seed_findings(workspace, seed)}
    assert {name: said and (said.said, said.created_by) for name, said in signed.items()} == {
        "name": None, "mail": (Said.PUBLIC, "Ada"),
    }  # fmt: skip
    confirm(workspace, seed, "mail", None)
    assert [one.confirmed for one in seed_findings(workspace, seed)] == [None, None]
    with pytest.raises(UsageError, match="nothing was found about a column 'maill'") as raised:
        confirm(workspace, seed, "maill", Said.PUBLIC)
    assert raised.value.fix == "confirm mail"


def test_a_seed_that_is_marked_synthetic_needs_no_confirmation(tmp_path: Path, workspace: Workspace) -> None:
    path = write_table(tmp_path / "t.csv", {"mail": MAIL})
    added = add_seed(workspace, [path], name="made", engine=HERE, facts=SeedFacts(synthetic=True))
    (found,) = seed_findings(workspace, find_seed(workspace, added))
    assert found.confirmed
    assert found.confirmed.said is Said.SYNTHETIC
