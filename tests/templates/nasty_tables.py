"""Awkward tables as functions that write files into a folder; each is something a stranger could upload."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

Write = Callable[[Path], object]


def _csv(frame: pd.DataFrame, folder: Path, name: str = "table.csv", **options: object) -> None:
    frame.to_csv(folder / name, index=False, **options)


def _pick(rng: np.random.Generator, values: list[str | None] | list[bool | None], rows: int) -> list[object]:
    return [values[place] for place in rng.integers(0, len(values), rows)]


def umlauts(folder: Path, rows: int = 120) -> None:
    """Spaces and non-ASCII names, odd dates, stray spaces, missing values, repeated rows."""
    rng = np.random.default_rng(1)
    size = rng.normal(170, 9, rows).round(1)
    size[::17] = np.nan
    frame = pd.DataFrame(
        {
            "Größe in cm": size,
            "Datum der Messung": pd.date_range("2019-01-03", periods=rows, freq="5D").strftime("%d.%m.%Y"),
            " Stadt": _pick(rng, ["Köln", " München", "Berlin ", None], rows),
            "Anzahl Käufe": rng.integers(0, 900, rows),
            "评分": rng.choice(["好", "差", "中"], rows),
        }
    )
    _csv(pd.concat([frame, frame.head(7)]), folder, "kunden liste.csv")


def keywords(folder: Path) -> None:
    """Names that mean something to Python or pandas."""
    rng, rows = np.random.default_rng(2), 90
    frame = pd.DataFrame(
        {
            "index": range(rows),
            "df": rng.normal(size=rows).round(3),
            "count": rng.integers(1, 500, rows),
            "class": rng.choice(["a", "b", "c"], rows),
            "for": rng.choice(["x", "y"], rows),
            "size": rng.gamma(3, 10, rows).round(2),
            "mean": rng.normal(50, 5, rows).round(2),
            "rows": rng.choice(["r1", "r2"], rows),
            "average": rng.normal(size=rows).round(2),
            "pd": rng.choice(["p", "q"], rows),
            "None": rng.integers(0, 9, rows),
        }
    )
    _csv(frame, folder, "class.csv")


def hostile_names(folder: Path) -> None:
    """Names that could break out of the file format, of formatting or of code."""
    rng, rows = np.random.default_rng(3), 60
    names = [
        'say """hi"""',
        "back\\slash",
        "tick`s",
        "{braces}",
        "# %%",
        "line\nbreak",
        "'; import os #",
        "x" * 300,
        "q: - [yaml]",
        "plain",
        "%s %d",
    ]
    _csv(pd.DataFrame({name: rng.normal(20, 4, rows).round(2) for name in names}), folder)


def hostile_values(folder: Path) -> None:
    """Category values that could break out of queries or code."""
    rng, rows = np.random.default_rng(4), 80
    values = ['"""', "# %%", "a\\", "`b`", "{c}", "two\nlines", "=1+1", "<b>x</b>", "plain", "100%"]
    frame = pd.DataFrame({"kind": rng.choice(values, rows), "n": rng.normal(size=rows), "m": rng.gamma(2, 3, rows)})
    _csv(frame, folder)


def all_text(folder: Path) -> None:
    """No number anywhere."""
    rng, rows = np.random.default_rng(5), 70
    frame = pd.DataFrame(
        {
            "name": [f"person {i} {rng.choice(['Smith', 'Jones', 'Lee'])}" for i in range(rows)],
            "town": rng.choice(["Oslo", "Bergen", "Tromsø"], rows),
            "note": rng.choice(["paid in cash", "paid late", "open invoice", "sent back twice"], rows),
        }
    )
    _csv(frame, folder)


def all_numeric(folder: Path) -> None:
    """Numbers only, some of them negative or huge."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(100, 5)), columns=list("abcde"))
    frame["huge"] = rng.normal(size=100) * 1e15
    frame["tiny"] = rng.normal(size=100) * 1e-9
    _csv(frame, folder)


def constants_and_gaps(folder: Path) -> None:
    """Constant and all-missing columns between useful ones."""
    rng, rows = np.random.default_rng(9), 60
    frame = pd.DataFrame(
        {
            "always": ["same"] * rows,
            "never": [None] * rows,
            "zero": [0] * rows,
            "mostly": [1.5 if i % 20 == 0 else None for i in range(rows)],
            "value": rng.normal(size=rows).round(3),
            "kind": rng.choice(["u", "v", "w"], rows),
        }
    )
    _csv(frame, folder)


def booleans_and_ids(folder: Path) -> None:
    """True and False, with gaps in one, and identifiers."""
    rng, rows = np.random.default_rng(10), 90
    frame = pd.DataFrame(
        {
            "id": [f"A-{i:04d}" for i in range(rows)],
            "customer_id": rng.integers(1000, 1020, rows),
            "zip": [f"0{rng.integers(1000, 9999)}" for _ in range(rows)],
            "is_member": rng.random(rows) < 0.4,
            "answered": _pick(rng, [True, False, None], rows),
            "score": rng.integers(0, 100, rows),
        }
    )
    _csv(frame, folder)


def mixed_types(folder: Path) -> None:
    """Numbers stored as text, with words and symbols between."""
    rng, rows = np.random.default_rng(11), 100
    price = [f"${value:,.2f}" for value in rng.gamma(3, 700, rows)]
    amount = [str(value) if value % 9 else "n/k" for value in rng.integers(1, 500, rows)]
    frame = pd.DataFrame({"price": price, "amount": amount, "Kind": rng.choice(["a", "A", "b"], rows)})
    frame["weight"] = [*rng.normal(80, 9, rows - 2).round(1), "unknown", "?"]
    _csv(frame, folder)


def like_names(folder: Path) -> None:
    """Names that are equal but for spaces or case."""
    rng, rows = np.random.default_rng(12), 60
    frame = pd.DataFrame(rng.normal(size=(rows, 4)).round(3), columns=["a", " a", "A", "a "])
    frame["g"] = rng.choice(["x", "y"], rows)
    _csv(frame, folder)


def zoned_parquet(folder: Path) -> None:
    """Timestamps with a time zone, integers with gaps, categories, dates as objects, lists."""
    rng, rows = np.random.default_rng(15), 150
    frame = pd.DataFrame(
        {
            "at": pd.date_range("2021-03-01", periods=rows, freq="31h", tz="Europe/Oslo"),
            "units": pd.array([None if i % 11 == 0 else int(i * 7 % 83) for i in range(rows)], dtype="Int64"),
            "grade": pd.Categorical(rng.choice(["low", "mid", "top"], rows), categories=["low", "mid", "top", "none"]),
            "day": pd.date_range("2021-03-01", periods=rows).date,
            "tags": [["a", "b"]] * rows,
            "load": rng.gamma(2, 3, rows),
        },
        index=pd.Index(range(100, 100 + rows), name="ticket"),
    )
    frame.to_parquet(folder / "events.parquet")


def workbook(folder: Path) -> None:
    """Two sheets, one with years as column names."""
    rng = np.random.default_rng(18)
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        wide = pd.DataFrame({"region": [f"region {i}" for i in range(25)]})
        for year in (2019, 2020, 2021):
            wide[year] = rng.gamma(4, 50, 25).round(1)
        wide.to_excel(book, sheet_name="by year", index=False)
        other = pd.DataFrame({"shop": rng.choice(["a", "b"], 40), "sold": rng.integers(1, 90, 40)})
        other.to_excel(book, sheet_name="shops", index=False)


def two_tables(folder: Path) -> None:
    """Orders that point to customers; two of them to nobody."""
    rng, rows = np.random.default_rng(19), 150
    customers = pd.DataFrame(
        {
            "customer_id": [f"c{i}" for i in range(30)],
            "segment": rng.choice(["retail", "trade", "public"], 30),
            "since": rng.integers(1990, 2020, 30),
            "credit": rng.gamma(3, 1000, 30).round(0),
        }
    )
    orders = pd.DataFrame(
        {
            "order": range(1, rows + 1),
            "customer_id": rng.choice([*customers["customer_id"], "c98", "c99"], rows),
            "amount": rng.gamma(2, 80, rows).round(2),
            "ordered on": pd.date_range("2022-01-01", periods=rows, freq="2D").strftime("%m/%d/%Y"),
        }
    )
    _csv(customers, folder, "customers.csv")
    _csv(orders, folder, "orders.csv")


def infinities(folder: Path) -> None:
    """A column with infinite values and one with missing ones everywhere but a few rows."""
    rng, rows = np.random.default_rng(21), 60
    frame = pd.DataFrame(rng.normal(size=(rows, 3)).round(3), columns=["a", "b", "c"])
    frame.loc[::9, "a"] = np.inf
    frame.loc[5:, "b"] = np.nan
    _csv(frame, folder)


def large(folder: Path, rows: int = 200_000) -> None:
    """Two hundred thousand rows of text, dates, categories and numbers."""
    rng = np.random.default_rng(23)
    frame = pd.DataFrame(
        {
            "messung": rng.normal(170, 10, rows).round(2),
            "zeitpunkt": pd.date_range("2015-01-01", periods=rows, freq="7min").strftime("%Y-%m-%d %H:%M:%S"),
            "stadt name": _pick(rng, ["Köln", " München", "Berlin", None], rows),
            "käufe": rng.integers(0, 5000, rows),
            "note": [f"note {i} text" for i in rng.integers(0, 150_000, rows)],
            "id": range(rows),
        }
    )
    _csv(frame, folder, "large.csv")


NASTY: dict[str, Write] = {
    one.__name__: one
    for one in (
        umlauts,
        keywords,
        hostile_names,
        hostile_values,
        all_text,
        all_numeric,
        constants_and_gaps,
        booleans_and_ids,
        mixed_types,
        like_names,
        zoned_parquet,
        workbook,
        two_tables,
        infinities,
    )
}
