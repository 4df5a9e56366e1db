"""What is stated of a seed's columns: read strictly, kept by layer, checked against the data."""

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from authoring.seeds import add_seed, load_shipped_seeds, open_bundle
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.meanings.findings import check_semantics
from authoring.seeds.meanings.statement_text import parse_statement, statement_to_text
from authoring.seeds.meanings.statements import Statement, difference, whole_statement, with_statement
from authoring.seeds.meanings.stored import (
    accept_proposal,
    keep_proposal,
    known_semantics,
    proposed_change,
    reset_semantics,
    seed_semantics,
    state_semantics,
)
from authoring.seeds.profile import Profile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin, Semantics
from authoring.store.drafting.seeds import Seed, delete_seed, find_seed, insert_seed, list_seeds
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError
from tests.seeds.meaning_profiles import column, profile_of
from tests.seeds.read_here import HERE


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """Orders: a number, a city, a size, an amount, a share."""
    orders = {"order_no": range(500, 540), "city": ["Rome", "Oslo"] * 20, "size": ["S", "M", "L", "M"] * 10}
    numbers = {"amount": [index * 1.25 for index in range(40)], "share": [index / 50 for index in range(40)]}
    return profile_of(tmp_path, orders={**orders, **numbers})


@pytest.fixture
def seed(workspace: Workspace, profile: Profile) -> Seed:
    """A stored seed with that profile."""
    return find_seed(workspace, insert_seed(workspace, name="orders", files=(), profile=profile.to_json()))


def _stated(*columns: ColumnMeaning) -> Statement:
    return Statement((replace(Statement().table("orders.csv"), columns=columns),))


def _meaning(semantics: Semantics, name: str) -> ColumnMeaning:
    return column(semantics.tables[0], name)


def _of_person(name: str, meaning: Meaning, **more: Any) -> ColumnMeaning:
    return ColumnMeaning(name=name, meaning=meaning, origin=Origin.PERSON, **more)


def test_shipped_seeds_carry_meanings_of_all_columns_without_a_finding(workspace: Workspace) -> None:
    assert len(load_shipped_seeds(workspace)) >= 6
    for seed in list_seeds(workspace):
        known = known_semantics(workspace, seed)
        assert known.findings == (), seed.name
        columns = [one for table in known.semantics.tables for one in table.columns]
        assert {one.origin for one in columns} == {Origin.PERSON}, seed.name
        assert all(table.row and table.rows for table in known.semantics.tables), seed.name


def test_what_is_not_known_is_refused_with_its_line_and_the_nearest_name(profile: Profile) -> None:
    for line, what in (
        ("citty: {meaning: category}", "line 4: no column is called 'citty'; 'city' is meant?"),
        ("city: {meaning: categry}", "no meaning is called 'categry'; 'category' is meant?"),
        ("city: {meening: category}", "lacks 'meaning'"),
        ("city: {meaning: category, uint: mm}", "'uint' is not known here; 'unit' is meant?"),
        ("share: {meaning: rate, weighted_by: amuont}", "'amount' is meant?"),
        ("city: {meaning: time, granularity: dya}", "'day' is meant?"),
        ("size: {meaning: ordinal, levels: [S, S]}", "each once"),
        ("size: {meaning: ordinal, levels: S}", "no list"),
        ("city: [a]", "lacks 'meaning'"),
    ):
        with pytest.raises(ContentError) as refused:
            parse_statement(f"tables:\n- file: orders.csv\n  columns:\n    {line}\n", profile=profile)
        assert what in refused.value.what
    texts = ("", "[", "a: 1", "tables: 3", "tables: [3]", "tables:\n- file: other.csv", "version: 9\ntables: []", "- 1")
    for text in (*texts, "a: &x [*x]"):
        with pytest.raises(ContentError):
            parse_statement(text, profile=profile)


def test_semantics_come_back_from_text_and_a_bare_yes_answers_what_adds_up(profile: Profile) -> None:
    whole = whole_statement(infer_semantics(profile), origin=Origin.PERSON)
    assert parse_statement(statement_to_text(whole), profile=profile) == whole
    text = "tables:\n- file: orders.csv\n  columns:\n    amount: {meaning: money, adds_up: yes}\n    city: label\n"
    found = parse_statement(text, profile=profile).tables[0].columns
    assert [(one.name, one.adds_up) for one in found] == [("amount", AddsUp.YES), ("city", AddsUp.NO)]


def test_people_go_before_models_and_models_before_rules(workspace: Workspace, seed: Seed) -> None:
    state_semantics(workspace, seed, _stated(_of_person("amount", Meaning.MONEY, unit="EUR")), created_by="Ann")
    model = [ColumnMeaning(name=name, meaning=Meaning.MEASURE, origin=Origin.MODEL) for name in ("amount", "share")]
    keep_proposal(workspace, seed, _stated(*model), provenance={"author": "model"})
    assert _meaning(seed_semantics(workspace, seed), "share").origin is Origin.RULE  # not accepted yet
    assert [one.name for one in proposed_change(workspace, seed).tables[0].columns] == ["share"]
    accept_proposal(workspace, seed, accepted_by="Bo")
    found = seed_semantics(workspace, seed)
    assert (_meaning(found, "amount").unit, _meaning(found, "amount").origin) == ("EUR", Origin.PERSON)
    assert (_meaning(found, "share").meaning, _meaning(found, "share").origin) == (Meaning.MEASURE, Origin.MODEL)
    assert _meaning(found, "city").origin is Origin.RULE
    with pytest.raises(ContentError, match="no model has proposed"):
        accept_proposal(workspace, seed)


def test_a_second_correction_keeps_the_first(workspace: Workspace, seed: Seed) -> None:
    for name in ("city", "size"):
        state_semantics(workspace, seed, _stated(_of_person(name, Meaning.LABEL)))
    found = seed_semantics(workspace, seed)
    assert {_meaning(found, name).meaning for name in ("city", "size")} == {Meaning.LABEL}
    reset_semantics(workspace, seed)
    assert seed_semantics(workspace, seed) == infer_semantics(Profile.from_json(seed.profile or {}))


def test_a_text_called_a_measure_is_refused_an_identifier_kept_and_named(workspace: Workspace, seed: Seed) -> None:
    with pytest.raises(ContentError, match="'city' holds texts, so it cannot be a measure"):
        state_semantics(workspace, seed, _stated(_of_person("city", Meaning.MEASURE)))
    assert _meaning(seed_semantics(workspace, seed), "city").meaning is Meaning.CATEGORY
    (finding,) = state_semantics(workspace, seed, _stated(_of_person("order_no", Meaning.MEASURE)))
    assert (finding.code, finding.severity, finding.column) == ("identifier-as-quantity", Severity.WARNING, "order_no")
    assert known_semantics(workspace, seed).findings == (finding,)


SLIPS = (
    (_of_person("size", Meaning.ORDINAL, levels=("S", "M", "XL")), "level-is-no-value", "error"),
    (_of_person("size", Meaning.ORDINAL, levels=("S", "M")), "level-missing", "warning"),
    (_of_person("share", Meaning.RATE, weighted_by="people"), "weight-missing", "error"),
    (_of_person("share", Meaning.RATE, weighted_by="city"), "weight-is-no-number", "error"),
    (_of_person("share", Meaning.RATE, adds_up=AddsUp.YES), "adds-up", "warning"),
    (_of_person("city", Meaning.IDENTIFIER), "identifier-repeats", "warning"),
    (_of_person("size", Meaning.FLAG), "flag-of-many-values", "error"),
    (_of_person("towns", Meaning.CATEGORY), "unknown-column", "error"),
)


def test_slips_of_a_column_are_named(profile: Profile) -> None:
    semantics = infer_semantics(profile)
    for stated, code, severity in SLIPS:
        table = semantics.tables[0].with_column(stated)
        found = check_semantics(replace(semantics, tables=(table,)), profile)
        assert [(one.code, one.severity.value) for one in found] == [(code, severity)]
    table = replace(semantics.tables[0], order=("size",))  # in which many rows tie
    found = check_semantics(replace(semantics, tables=(table,)), profile)
    assert [one.code for one in found] == ["order-with-ties"]
    assert check_semantics(semantics, profile) == ()


def test_only_what_differs_is_stated(profile: Profile) -> None:
    before = infer_semantics(profile)
    table = before.tables[0].with_column(replace(_meaning(before, "amount"), unit="EUR"))
    after = replace(before, tables=(replace(table, row="purchase"),))
    stated = difference(before, after)
    assert (stated.tables[0].row, [one.name for one in stated.tables[0].columns]) == ("purchase", ["amount"])
    assert with_statement(before, stated).tables[0].row == "purchase"
    assert difference(before, before).is_empty


def test_a_bundle_brings_what_its_columns_mean(workspace: Workspace, tmp_path: Path) -> None:
    archive = tmp_path / "b.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("t.csv", "a,b\n1,x\n2,y\n3,x\n4,z\n")
        packed.writestr("semantics.yaml", "tables:\n- file: t.csv\n  row: thing\n  columns:\n    a: {meaning: code}\n")
        packed.writestr("notes.md", "no data")
    (tmp_path / "scratch").mkdir()
    bundle = open_bundle([archive], tmp_path / "scratch")
    assert bundle.left_out == ("notes.md",)
    added = add_seed(workspace, bundle.files, name="t", engine=HERE, semantics=bundle.semantics)
    found = seed_semantics(workspace, find_seed(workspace, added))
    assert (found.tables[0].row, _meaning(found, "a").meaning) == ("thing", Meaning.CODE)
    wrong = bundle.semantics.replace("a: {meaning: code}", "b: {meaning: measure}")
    data = tmp_path / "u.csv"
    data.write_text("a,b\n1,x\n2,y\n3,x\n5,z\n", encoding="utf-8")
    with pytest.raises(ContentError, match="cannot be a measure"):
        add_seed(workspace, [data], name="u", engine=HERE, semantics=wrong.replace("t.csv", "u.csv"))
    assert [one.name for one in list_seeds(workspace)] == ["t"]


def test_what_is_stated_goes_with_its_seed(workspace: Workspace, seed: Seed) -> None:
    state_semantics(workspace, seed, _stated(ColumnMeaning(name="city", meaning=Meaning.LABEL)))
    delete_seed(workspace, seed.id)
    with workspace.read() as db:
        assert db.execute("SELECT count(*) FROM seed_semantics").fetchone() == (0,)


def test_a_shipped_seed_added_before_meanings_came_has_them(workspace: Workspace) -> None:
    load_shipped_seeds(workspace, only=["us-employment"])
    with workspace.write() as db:
        db.execute("DELETE FROM seed_semantics")
    found = seed_semantics(workspace, find_seed(workspace, "us-employment"))
    assert _meaning(found, "construction").unit == "thousand"
