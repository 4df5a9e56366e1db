"""Made tables are drawn from a statement: the same one gives the same bytes, and limits hold."""

import csv
import io
import statistics
from pathlib import Path
from typing import Any

import pytest

from authoring.seeds.made.drawing import draw_tables
from authoring.seeds.made.made_seed import make_seed
from authoring.seeds.made.statement import MadeData, drawn_from, parse_statement, write_statement
from authoring.seeds.meanings import seed_semantics
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language import write_yaml
from tests.seeds.read_here import HERE

CUSTOMERS: dict[str, Any] = {
    "file": "customers.csv",
    "rows": 300,
    "row": "customer",
    "row_plural": "customers",
    "fields": [
        {"name": "customer_id", "kind": "id", "prefix": "C", "start": 100},
        {"name": "region", "kind": "category", "values": ["north", "south"], "weights": [3, 1]},
        {"name": "vip", "kind": "flag", "share": 0.2},
    ],
}
ORDERS: dict[str, Any] = {
    "file": "orders.csv",
    "rows": 4000,
    "fields": [
        {"name": "order_no", "kind": "id"},
        {"name": "customer_id", "kind": "key", "to": "customers.csv:customer_id"},
        {"name": "day", "kind": "date", "from": "2024-01-01", "to": "2024-06-30", "order": "ascending"},
        {"name": "kind", "kind": "category", "values": ["a", "b"]},
        {
            **{"name": "price", "kind": "number", "distribution": {"name": "normal", "mean": 20, "sd": 2}, "min": 5},
            "effects": [{"field": "kind", "add": {"b": 10}}],
        },
        {"name": "quantity", "kind": "integer", "distribution": {"name": "poisson", "mean": 3}, "missing": 0.1},
        {"name": "revenue", "kind": "product", "of": ["price", "quantity"]},
        {"name": "age", "kind": "number", "distribution": {"name": "binomial", "n": 80, "p": 0.5}, "decimals": 0},
        {
            **{"name": "score", "kind": "number", "distribution": {"name": "uniform", "low": 0, "high": 1}},
            "effects": [{"field": "age", "slope": 2}],
        },
        {"name": "note", "kind": "text", "words": ["fine", "late", "broken"], "length": [1, 3]},
    ],
}
SHOP: dict[str, Any] = {"title": "A made-up shop", "rng_seed": 3, "tables": [CUSTOMERS, ORDERS]}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def drawn(rows: int, **field: Any) -> list[float]:
    """Return the values of one field, drawn alone."""
    table = {"file": "a.csv", "rows": rows, "fields": [{"name": "x", **field}]}
    data = MadeData.model_validate({"title": "t", "tables": [table]})
    return [float(row["x"]) for row in rows_of(draw_tables(data)["a.csv"])]


def test_what_is_written_lies_in_the_range() -> None:
    ranges: tuple[tuple[dict[str, Any], float, float], ...] = (
        ({"kind": "integer", "min": 0.5, "max": 2.5}, 1, 2),
        ({"kind": "number", "decimals": 0, "min": 0.3}, 1, 100),
        ({"kind": "number", "decimals": 1, "min": -0.55, "max": 0.25}, -0.5, 0.2),
        ({"kind": "number", "decimals": 2, "min": 0.1, "max": 0.3}, 0.1, 0.3),
    )
    for number, least, most in ranges:
        values = drawn(200, distribution={"name": "normal", "mean": 0, "sd": 3}, **number)
        assert (min(values), max(values) <= most) == (least, True)


def test_a_statement_gives_the_same_bytes_and_other_fields_change_nothing() -> None:
    data = MadeData.model_validate(SHOP)
    assert draw_tables(data) == draw_tables(data)
    assert draw_tables(data) != draw_tables(data.model_copy(update={"rng_seed": 4}))
    fewer = {**SHOP, "tables": [CUSTOMERS, {**ORDERS, "fields": ORDERS["fields"][:4]}]}
    whole, part = (rows_of(draw_tables(MadeData.model_validate(one))["orders.csv"]) for one in (SHOP, fewer))
    assert [{key: row[key] for key in part[0]} for row in whole] == part


def test_values_have_the_stated_distributions_and_relations() -> None:
    tables = draw_tables(MadeData.model_validate(SHOP))
    customers, orders = rows_of(tables["customers.csv"]), rows_of(tables["orders.csv"])
    assert (customers[0]["customer_id"], len(customers), len(orders)) == ("C100", 300, 4000)
    assert 0.65 < sum(row["region"] == "north" for row in customers) / 300 < 0.85
    assert {row["customer_id"] for row in orders} <= {row["customer_id"] for row in customers}
    days = [row["day"] for row in orders]
    assert days == sorted(days)
    assert (days[0], days[-1]) == ("2024-01-01", "2024-06-30")
    mean = {kind: statistics.fmean(float(row["price"]) for row in orders if row["kind"] == kind) for kind in "ab"}
    assert mean["a"] == pytest.approx(20, abs=0.3)
    assert mean["b"] == pytest.approx(30, abs=0.3)
    counts = [int(row["quantity"]) for row in orders if row["quantity"]]
    assert 0.87 < len(counts) / 4000 < 0.93
    assert statistics.fmean(counts) == pytest.approx(3, abs=0.15)
    assert statistics.pvariance(counts) == pytest.approx(3, abs=0.3)
    told = [row for row in orders if row["quantity"]]
    assert all(float(row["revenue"]) == round(float(row["price"]) * int(row["quantity"]), 2) for row in told)
    assert statistics.fmean(float(row["age"]) for row in orders) == pytest.approx(40, abs=0.4)
    assert statistics.correlation([float(r["age"]) for r in orders], [float(r["score"]) for r in orders]) > 0.95


def test_every_distribution_has_its_mean() -> None:
    means: tuple[tuple[dict[str, Any], float], ...] = (
        ({"name": "lognormal", "mean": 0, "sd": 0.5}, 1.133),
        ({"name": "exponential", "mean": 4}, 4),
        ({"name": "gamma", "shape": 2, "scale": 3}, 6),
        ({"name": "beta", "a": 2, "b": 2}, 0.5),
        ({"name": "poisson", "mean": 400}, 400),
        ({"name": "binomial", "n": 10, "p": 1}, 10),
    )
    for distribution, mean in means:
        values = drawn(10_000, kind="number", decimals=6, distribution=distribution)
        assert statistics.fmean(values) == pytest.approx(mean, rel=0.04), distribution


def changed(**fields: Any) -> dict[str, Any]:
    return {**SHOP, "tables": [CUSTOMERS, {**ORDERS, **fields}]}


def one_field(**field: Any) -> dict[str, Any]:
    return changed(fields=[{"name": "kind", "kind": "category", "values": ["a", "b"]}, {"name": "x", **field}])


def normal(**field: Any) -> dict[str, Any]:
    return one_field(**{"kind": "number", "distribution": {"name": "normal", "mean": 0, "sd": 1}, **field})


def test_a_bad_statement_is_refused_with_its_place() -> None:
    for statement, what in (
        ({**SHOP, "title": ""}, "title"),
        ({**SHOP, "code": "import os"}, "code"),
        (changed(rows=150_000), "1,500,900 cells; at most 1,000,000"),
        (changed(rows=10**9), "rows"),
        (changed(file="../x.csv"), "file"),
        (changed(file="customers.csv"), "two tables have the same file"),
        (one_field(kind="number", distribution={"name": "cauchy"}), "distribution"),
        (normal(distribution={"name": "normal", "mean": 0, "sd": -1}), "sd"),
        (normal(effects=[{"field": "no", "slope": 1}]), "no field that stands above"),
        (normal(effects=[{"field": "kind", "slope": 1}]), "is no number, state add"),
        (normal(effects=[{"field": "kind", "add": {"c": 1}}]), "'c' is no value"),
        (normal(effects=[{"field": "kind"}]), "either slope"),
        (normal(min=3, max=2), "max must be above min"),
        (normal(kind="integer", min=0.3, max=0.6), "x: no whole number lies between min 0.3 and max 0.6"),
        (one_field(kind="product", of=["kind", "y"]), "is no number that stands above"),
        (one_field(kind="key", to="orders.csv:x"), "is no id of a table above"),
        (one_field(kind="category", values=["a", "a"]), "stands twice"),
        (one_field(kind="category", values=["a"], weights=[0]), "weights"),
        (one_field(kind="date", **{"from": "2024-02-01", "to": "2024-01-01"}), "must not be before"),
        (one_field(kind="text", words=["a", "b"], length=[3, 1]), "length"),
        (one_field(kind="formula"), "kind"),
        (changed(fields=[{"name": "a", "kind": "id"}, {"name": "a", "kind": "id"}]), "stands twice"),
        (changed(fields=[{"name": "a`b", "kind": "id"}]), "name"),
    ):
        with pytest.raises(ContentError) as raised:
            parse_statement(write_yaml(statement), where="f.yaml")
        assert what in raised.value.what
        assert raised.value.fix


def test_a_statement_reads_back_and_is_told_in_lines() -> None:
    data = MadeData.model_validate(SHOP)
    assert parse_statement(write_statement(data), where="f") == data
    lines = drawn_from(write_statement(data))
    assert lines[0] == "drawn with rng_seed 3"
    assert "orders.csv, price: number, normal (mean 20, sd 2); moved by kind" in lines
    assert drawn_from("tables: 3") == drawn_from("") == []


def test_a_made_seed_is_marked_and_keeps_its_statement(tmp_path: Path, workspace: Workspace) -> None:
    data = MadeData.model_validate(SHOP)
    seed = make_seed(workspace, data, name="made", engine=HERE, created_by="Ada")
    assert (seed.synthetic, seed.licence, seed.title) == (True, "CC0-1.0", "A made-up shop")
    assert parse_statement(seed.statement, where="f") == data
    assert seed_semantics(workspace, seed).tables[0].rows == "customers"
    with pytest.raises(ContentError, match="holds the same data"):
        make_seed(workspace, data, name="again", engine=HERE)
