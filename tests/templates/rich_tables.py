"""Small tables on which, taken together, each family of tasks finds something to ask."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

Write = Callable[[Path], object]


def orders(folder: Path, rows: int = 900) -> None:
    """Orders with a repeated row, gaps, stray spaces, numbers as text and zeros for missing; two tables to look up."""
    rng = np.random.default_rng(1)
    customers = pd.DataFrame(
        {
            "customer_id": [f"c{i}" for i in range(40)],
            "branch": rng.choice(["bakery", "office", "school"], 40),
            "region": rng.choice(["north", "south", "west"], 40),
            "contact": [f"person {i}" for i in range(40)],
            "employees": rng.integers(3, 400, 40),
        }
    )
    carriers = pd.DataFrame({"carrier": list("klmnop"), "fleet": [12, 40, 7, 55, 23, 31], "home": list("UBUKBJ")})
    shops = rng.choice(["mill", "harbour", "station", "market"], rows, p=[0.4, 0.3, 0.2, 0.1])
    urgent = rng.random(rows) < np.where(shops == "mill", 0.5, 0.2)
    items = rng.integers(1, 40, rows)
    weight = (3 + 0.6 * items + np.where(urgent, 4, 0) + rng.gamma(2, 1.5, rows)).round(1)
    price = (4 + 2.1 * items + 1.4 * weight + np.where(shops == "market", 25, 0) + rng.gamma(2, 9, rows)).round(2)
    table = pd.DataFrame(
        {
            "order_no": np.arange(70_001, 70_001 + rows),
            "order_date": pd.date_range("2019-01-03", periods=rows, freq="3D").strftime("%Y-%m-%d"),
            "customer_id": rng.choice([*customers["customer_id"][:34], "c98", "c99"], rows),
            "carrier": rng.choice(list("klmnop"), rows),
            "shop": shops,
            "priority": rng.choice(["low", "medium", "high"], rows, p=[0.5, 0.3, 0.2]),
            "urgent": urgent,
            "items": items,
            "defects": rng.binomial(items, 0.12),
            "weight_kg": weight,
            "length_cm": np.where(rng.random(rows) < 0.03, 0, rng.normal(60, 9, rows).round(1)),
            "revenue_eur": price,
            "cost_eur": [f"€{value:,.2f}" for value in price * rng.uniform(5, 9, rows)],
            "satisfaction_rate": rng.beta(5, 2, rows).round(3),
            "payment": rng.choice(["cash", "Cash", "card", " invoice"], rows),
            "note": [f"{word} parcel for the {place}" for word, place in _pairs(rng, rows)],
        }
    )
    table.loc[3::17, "weight_kg"] = np.nan
    table.loc[4::13, "satisfaction_rate"] = np.nan
    table.loc[5::19, "shop"] = None
    table.loc[(table["shop"] == "mill") & (rng.random(rows) < 0.4), "satisfaction_rate"] = np.nan
    pd.concat([table, table.iloc[10:14]]).to_csv(folder / "orders.csv", index=False)
    customers.to_csv(folder / "customers.csv", index=False)
    carriers.to_csv(folder / "carriers.csv", index=False)


def _pairs(rng: np.random.Generator, rows: int) -> list[tuple[str, str]]:
    words, places = ["heavy", "small", "fragile", "large", "cold"], ["kitchen", "garage", "front desk", "second floor"]
    return list(zip(rng.choice(words, rows), rng.choice(places, rows), strict=True))


def nations(folder: Path) -> None:
    """A panel: 36 entities, every second year, several measures that move, and a group that each belongs to."""
    rng = np.random.default_rng(2)
    parts = []
    for number in range(36):
        years = np.arange(1990, 2018, 2)
        growth = rng.normal(0.03, 0.02)
        people = rng.integers(1, 90) * 1e6 * np.exp(np.arange(len(years)) * rng.normal(0.01, 0.008))
        income = rng.gamma(3, 4000) * np.exp(np.arange(len(years)) * growth + rng.normal(0, 0.04, len(years)))
        life = 48 + 3.2 * np.log(income) - 3 + np.arange(len(years)) * 0.3 + rng.normal(0, 1.1, len(years))
        part = pd.DataFrame({"country": f"Land {chr(65 + number % 26)}{number}", "year": years})
        part["continent"] = ["Alba", "Borea", "Ceres", "Dione"][number % 4]
        part["population"], part["income_usd"] = people.round(), income.round(1)
        part["life_expectancy"], part["hospital_beds"] = life.round(1), (people / 4000 * rng.uniform(0.4, 2)).round()
        parts.append(part)
    pd.concat(parts).to_csv(folder / "nations.csv", index=False)


def rainfall(folder: Path) -> None:
    """A series: one row for each day of seven years, with seasons and several measures."""
    rng = np.random.default_rng(3)
    days = pd.date_range("2012-01-01", "2018-12-31")
    season = np.sin(2 * np.pi * (days.day_of_year.to_numpy() - 100) / 365.25)
    heat = 24 + 9 * season + np.arange(len(days)) / 900 + rng.normal(0, 2.5, len(days))
    table = pd.DataFrame({"date": days.strftime("%Y-%m-%d"), "temperature_c": heat.round(1)})
    table["rain_mm"] = (rng.gamma(0.6, 5 - 2 * season, len(days))).round(1)
    table["wind_kmh"] = (14 - 3 * season + rng.gamma(2, 3, len(days))).round(1)
    table["sky"] = np.where(table["rain_mm"] > 4, "rain", np.where(rng.random(len(days)) < 0.5, "sun", "cloud"))
    table.to_csv(folder / "rainfall.csv", index=False)


def films(folder: Path, rows: int = 320) -> None:
    """Rows with names of several words, money that adds up by who holds it, and groups that overlap."""
    rng = np.random.default_rng(4)
    first = _of_falling_share(rng, ["The", "Last", "Silent", "Golden", "Broken", "Lost", "Dark", "Red"], rows)
    second = _of_falling_share(rng, ["river", "garden", "summer", "winter", "letter", "island", "secret"], rows)
    genre = rng.choice(["drama", "comedy", "action"], rows, p=[0.5, 0.3, 0.2])
    budget = rng.gamma(2, 9e6, rows).round(-3) + 400_000
    rating = (5.5 + np.where(genre == "drama", 0.7, 0) + rng.normal(0, 0.9, rows)).clip(1, 10).round(1)
    gross = (budget * rng.lognormal(0.4, 0.7, rows) * (rating / 6)).round(-2)
    table = pd.DataFrame(
        {
            "title": [f"{a} {b} {c}" for a, b, c in zip(first, second, _places(rows), strict=True)],
            "studio": rng.choice([f"Studio {name}" for name in "ABCDEFGHIJKLMN"], rows),
            "genre": genre,
            "mpaa": rng.choice(["G", "PG", "R"], rows, p=[0.2, 0.5, 0.3]),
            "released": pd.date_range("1998-01-02", periods=rows, freq="16D").strftime("%Y-%m-%d"),
            "budget_usd": budget,
            "gross_usd": gross,
            "runtime_min": (85 + budget / 1.2e6 + rng.normal(0, 12, rows)).round(),
            "imdb_rating": rating,
            "votes": (gross / 900 * rng.lognormal(0, 0.5, rows)).round(),
            "sequel": rng.random(rows) < np.where(genre == "action", 0.4, 0.1),
        }
    )
    table.loc[7::23, "imdb_rating"] = np.nan
    table.to_csv(folder / "films.csv", index=False)


def _of_falling_share(rng: np.random.Generator, words: list[str], rows: int) -> list[str]:
    shares = 0.7 ** np.arange(len(words))
    return [words[place] for place in rng.choice(len(words), rows, p=shares / shares.sum())]


def _places(rows: int) -> list[str]:
    return [f"of {'the ' if i % 3 else ''}{chr(97 + i % 26)}{chr(97 + i // 26)}na" for i in range(rows)]


def clinics(folder: Path, rows: int = 240) -> None:
    """Rows of few columns: a measure, and two ways to divide the rows, one of them into two groups."""
    rng = np.random.default_rng(6)
    treatment, sex = rng.choice(["a", "b", "c"], rows), rng.choice(["f", "m"], rows)
    recovery = 20 + 6 * (treatment == "b") + 4 * (sex == "m") + rng.gamma(3, 3, rows)
    table = pd.DataFrame({"treatment": treatment, "sex": sex, "recovery_days": recovery.round(1)})
    table.to_csv(folder / "clinics.csv", index=False)


RICH: Final[Mapping[str, Write]] = {one.__name__: one for one in (orders, nations, rainfall, films, clinics)}
