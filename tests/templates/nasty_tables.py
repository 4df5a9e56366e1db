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
    frame = pd.DataFrame({"index": range(rows), "count": rng.integers(1, 500, rows), "None": rng.integers(0, 9, rows)})
    for name in ("df", "size", "mean", "average"):
        frame[name] = rng.normal(50, 5, rows).round(2)
    for name in ("class", "for", "rows", "pd"):
        frame[name] = rng.choice(["a", "b", "c"], rows)
    _csv(frame, folder, "class.csv")


def hostile_names(folder: Path) -> None:
    """Names that could break out of the file format, of formatting or of code."""
    rng, rows = np.random.default_rng(3), 60
    names = ['say """hi"""', "back\\slash", "tick`s", "{braces}", "# %%", "line\nbreak", "'; import os #"]
    names += ["x" * 300, "q: - [yaml]", "plain", "%s %d"]
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


_ALL = (umlauts, keywords, hostile_names, hostile_values, all_text, like_names, zoned_parquet, workbook, two_tables)
NASTY: dict[str, Write] = {one.__name__: one for one in _ALL}
