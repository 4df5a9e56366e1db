"""Invented tables that resemble what people upload, with the meaning of each column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

ROWS: Final = 120
_MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
Values = Any


@dataclass(frozen=True)
class Invented:
    """One table: column -> (values, meaning); more that must hold of single columns and of the table."""

    columns: Mapping[str, tuple[Values, str]]
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    table: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""

    @property
    def frame(self) -> pd.DataFrame:
        """The data."""
        return pd.DataFrame({name: values for name, (values, _) in self.columns.items()})


def _rng(*of: object) -> np.random.Generator:
    """Return a generator that columns of other values do not share: else all would rise and fall together."""
    return np.random.default_rng([12, *repr(of).encode()] if of else 12)


def _real(low: float, high: float, decimals: int = 2, rows: int = ROWS) -> Values:
    return _rng(low, high).uniform(low, high, rows).round(decimals)


def _whole(low: int, high: int, rows: int = ROWS) -> Values:
    return _rng(low, high).integers(low, high + 1, rows)


def _one_of(*values: object, rows: int = ROWS) -> Values:
    return _rng(*values).choice(np.array(values, dtype=object), rows)


def _days(rows: int = ROWS, freq: str = "D") -> list[str]:
    return [str(day.date()) for day in pd.date_range("2021-01-01", periods=rows, freq=freq)]


def _names(stem: str, rows: int = ROWS) -> list[str]:
    return [f"{stem} {''.join(chr(97 + int(c)) for c in str(i + 100))}" for i in range(rows)]


def _election() -> Invented:
    parts = {name: _rng().integers(50, 900, ROWS) + shift for shift, name in enumerate(("Adams", "Brook", "Clark"))}
    total = sum(parts.values())
    return Invented(
        columns={
            "district": (_names("Ward"), "label"),
            **{f"{name}_votes": (votes, "count") for name, votes in parts.items()},
            "total_votes": (total, "count"),
            "winner": (_one_of("Adams", "Brook", "Clark"), "category"),
            "turnout": (_real(0.3, 0.8, 3), "rate"),
        },
        details={"total_votes": {"adds_up": "yes"}},
        table={"order": (), "row": "district"},
    )


def _stocks() -> Invented:
    symbols = ("AAA", "BBB", "CCC")
    return Invented(
        columns={
            "symbol": ([s for s in symbols for _ in range(40)], "category"),
            "date": (_days(40, "B") * 3, "time"),
            "open": (_real(10, 90), "money"),
            "high": (_real(12, 95), "money"),
            "low": (_real(8, 85), "money"),
            "close": (_real(11, 91), "money"),
            "volume": (_whole(10_000, 900_000), "measure"),
        },
        details={"close": {"adds_up": "no"}, "volume": {"adds_up": "yes"}, "date": {"granularity": "day"}},
        table={"order": ("date",), "entity": ("symbol",), "repeats_are_errors": True},
    )


TABLES: Final[Mapping[str, Callable[[], Invented]]] = {
    "election": _election,
    "stocks": _stocks,
    "cars": lambda: Invented(
        columns={
            "model": (_names("Car", 40), "label"),
            "mpg": (_real(10, 35, 1, 40), "measure"),
            "cyl": (_one_of(4, 6, 8, rows=40), "ordinal"),
            "hp": (_whole(50, 330, 40), "measure"),
            "wt": (_real(1.5, 5.5, 3, 40), "measure"),
            "am": (_one_of(0, 1, rows=40), "flag"),
            "gear": (_one_of(3, 4, 5, rows=40), "ordinal"),
        },
        details={"mpg": {"unit": "mpg", "adds_up": "no"}, "cyl": {"levels": (4, 6, 8)}},
        table={"row": "car", "rows": "cars", "order": ()},
    ),
    "winequality": lambda: Invented(
        columns={
            "fixed acidity": (_real(4, 14, 1), "measure"),
            "citric acid": (_real(0, 1), "measure"),
            "alcohol": (_real(8, 14, 1), "measure"),
            "pH": (_real(2.8, 3.9), "measure"),
            "quality": (_whole(3, 8), "ordinal"),
        },
        details={"quality": {"levels": (3, 4, 5, 6, 7, 8)}},
        table={"row": "", "order": (), "repeats_are_errors": False},
    ),
    "salaries": lambda: Invented(
        columns={
            "rank": (_one_of("Prof", "AsstProf", "AssocProf"), "ordinal"),
            "yrs.service": (_whole(0, 45), "measure"),
            "sex": (_one_of("Male", "Female"), "category"),
            "salary": (_whole(50_000, 200_000), "money"),
        },
        details={"rank": {"levels": ("AsstProf", "AssocProf", "Prof")}, "yrs.service": {"unit": "years"}},
        table={"row": "person"},
    ),
    "diamonds": lambda: Invented(
        columns={
            "carat": (_real(0.2, 3), "measure"),
            "cut": (_one_of("Ideal", "Premium", "Very Good", "Good", "Fair"), "ordinal"),
            "color": (_one_of("D", "E", "F", "G"), "category"),
            "price": (_whole(300, 19_000), "money"),
        },
        details={
            "cut": {"levels": ("Fair", "Good", "Very Good", "Premium", "Ideal")},
            "price": {"adds_up": "no"},
            "carat": {"unit": "carat"},
        },
        table={"row": "diamond", "repeats_are_errors": False},
    ),
    "titanic": lambda: Invented(
        columns={
            "PassengerId": (range(1, ROWS + 1), "identifier"),
            "Survived": (_one_of(0, 1), "flag"),
            "Pclass": (_whole(1, 3), "ordinal"),
            "Name": (_names("Braund, Mr. Owen"), "label"),
            "Sex": (_one_of("male", "female"), "category"),
            "Age": (_real(1, 80, 1), "measure"),
            "SibSp": (_whole(0, 5), "count"),
            "Fare": (_real(7, 500), "money"),
            "Cabin": ([None if i % 3 else f"C{i}" for i in range(ROWS)], "code"),
            "Embarked": (_one_of("S", "C", "Q"), "category"),
        },
        details={"Age": {"unit": "years"}},
        table={"row": "passenger", "rows": "passengers", "repeats_are_errors": True},
    ),
    "crime_rates": lambda: Invented(
        columns={
            "state": (_names("State", 50), "label"),
            "violent_crime_rate": (_real(100, 900, 1, 50), "rate"),
            "poverty_pct": (_real(5, 25, 1, 50), "rate"),
            "population": (_whole(500_000, 9_000_000, 50), "count"),
        },
        details={"poverty_pct": {"unit": "%", "weighted_by": "population"}, "population": {"adds_up": "at one time"}},
        table={"row": "state", "order": ()},
    ),
    "weather": lambda: Invented(
        columns={
            "date": (_days(), "time"),
            "temp_max_c": (_real(-5, 35, 1), "measure"),
            "precipitation_mm": (_real(0, 40, 1), "measure"),
            "humidity": (_whole(20, 100), "measure"),
            "weather": (_one_of("rain", "sun", "fog"), "category"),
        },
        details={"temp_max_c": {"unit": "°C", "adds_up": "no"}, "precipitation_mm": {"unit": "mm", "adds_up": "yes"}},
        table={"order": ("date",), "entity": (), "row": "day", "repeats_are_errors": True},
    ),
    "co2_monthly": lambda: Invented(
        columns={"month": (_days(freq="MS"), "time"), "co2": (_real(310, 420), "measure")},
        details={"month": {"granularity": "month"}, "co2": {"unit": "ppm"}},
        table={"order": ("month",), "row": "month"},
        description="Concentration of carbon dioxide in parts per million.",
    ),
    "movies": lambda: Invented(
        columns={
            "title": (_names("The Film"), "label"),
            "release_date": (_days(freq="9D"), "time"),
            "budget": (_whole(100_000, 90_000_000), "money"),
            "runtime_minutes": (_whole(70, 200), "measure"),
            "imdb_rating": (_real(1, 10, 1), "measure"),
            "votes": (_whole(100, 90_000), "count"),
            "mpaa": (_one_of("G", "PG", "PG-13", "R"), "ordinal"),
        },
        details={"runtime_minutes": {"unit": "min"}, "votes": {"adds_up": "yes"}},
        table={"row": "movie", "order": ()},
    ),
    "airline_passengers": lambda: Invented(
        columns={
            "year": ([1949 + i // 12 for i in range(ROWS)], "time"),
            "month": (_MONTHS * 10, "ordinal"),
            "passengers": (_whole(100, 600), "count"),
        },
        details={"month": {"levels": tuple(_MONTHS)}},
    ),
    "housing": lambda: Invented(
        columns={
            "id": (range(7_129_300, 7_129_300 + ROWS), "identifier"),
            "price": (_whole(80_000, 900_000), "money"),
            "bedrooms": (_whole(1, 6), "count"),
            "bathrooms": (_one_of(1.0, 1.5, 2.0, 2.25), "count"),
            "sqft_living": (_whole(500, 5000), "measure"),
            "waterfront": (_one_of(0, 1), "flag"),
            "condition": (_whole(1, 5), "ordinal"),
            "yr_built": (_whole(1900, 2015), "time"),
            "zipcode": (_whole(98_001, 98_199), "code"),
            "lat": (_real(47, 48, 4), "place"),
            "long": (_real(-122.5, -121, 3), "place"),
        },
        details={"sqft_living": {"unit": "sq ft"}, "yr_built": {"granularity": "year"}},
        table={"order": ()},
    ),
    "students_grades": lambda: Invented(
        columns={
            "student_id": ([f"S{i:04d}" for i in range(ROWS)], "identifier"),
            "gender": (_one_of("F", "M"), "category"),
            "parental_education": (
                _one_of("high school", "bachelor's degree", "master's degree", "some college"),
                "ordinal",
            ),
            "math_score": (_whole(0, 100), "measure"),
            "absences": (_whole(0, 30), "count"),
            "grade": (_one_of("A", "B", "C", "D", "F"), "ordinal"),
            "passed": (_one_of("yes", "no"), "flag"),
        },
        details={
            "grade": {"levels": ("F", "D", "C", "B", "A")},
            "parental_education": {"levels": ("high school", "some college", "bachelor's degree", "master's degree")},
        },
        table={"row": "student", "repeats_are_errors": True},
    ),
    "sales_orders": lambda: Invented(
        columns={
            "order_no": (range(10_001, 10_001 + ROWS), "identifier"),
            "order_date": ([_days()[i // 4] for i in range(ROWS)], "time"),
            "customer_id": (_whole(501, 530), "code"),
            "product": (_one_of("desk", "lamp", "chair"), "category"),
            "quantity": (_whole(1, 9), "count"),
            "unit_price": (_real(5, 90), "money"),
            "discount_pct": (_one_of(0, 5, 10), "rate"),
            "revenue_usd": (_real(5, 900), "money"),
            "status": (_one_of("shipped", "cancelled", "open"), "category"),
        },
        details={
            "unit_price": {"adds_up": "no"},
            "revenue_usd": {"adds_up": "yes", "unit": "USD"},
            "discount_pct": {"unit": "%"},
        },
        table={"row": "order", "order": (), "repeats_are_errors": True},
    ),
    "hospital_visits": lambda: Invented(
        columns={
            "visit_id": (range(1, ROWS + 1), "identifier"),
            "patient_id": ([f"P{i % 37:03d}" for i in range(ROWS)], "code"),
            "admitted_at": ([f"2023-03-{1 + i % 28:02d} {i % 24:02d}:15:00" for i in range(ROWS)], "time"),
            "department": (_one_of("surgery", "cardiology", "oncology"), "category"),
            "length_of_stay_days": (_whole(1, 20), "measure"),
            "severity": (_one_of("mild", "moderate", "severe"), "ordinal"),
            "age_group": (_one_of("0-17", "18-64", "65+"), "ordinal"),
            "cost_eur": (_real(90, 9000), "money"),
            "notes": (
                ["Patient was seen and sent home after a short talk with the nurse."] * 59
                + _names("seen again in", 61),
                "text",
            ),
        },
        details={
            "severity": {"levels": ("mild", "moderate", "severe")},
            "age_group": {"levels": ("0-17", "18-64", "65+")},
            "length_of_stay_days": {"unit": "days"},
            "admitted_at": {"granularity": "minute"},
        },
        table={"row": "visit"},
    ),
    "clickstream": lambda: Invented(
        columns={
            "user_id": ([1000 + i % 15 for i in range(ROWS)], "code"),
            "timestamp": ([str(t) for t in pd.date_range("2024-05-01", periods=ROWS, freq="7min")], "time"),
            "page": (_one_of("/home", "/cart", "/pay"), "category"),
            "duration_seconds": (_whole(1, 600), "measure"),
            "converted": ([True, False] * 60, "flag"),
        },
        details={"duration_seconds": {"unit": "s", "adds_up": "yes"}},
        table={"order": ("timestamp",)},
    ),
    "survey": lambda: Invented(
        columns={
            "respondent": (range(1, ROWS + 1), "identifier"),
            "q1": (_whole(1, 5), "ordinal"),
            "q2": (_whole(1, 5), "ordinal"),
            "q3": (_whole(1, 5), "ordinal"),
            "satisfaction": (_one_of("Agree", "Strongly agree", "Neutral", "Disagree", "Strongly disagree"), "ordinal"),
            "age": (_one_of("18-24", "25-34", "35-44", "<18", "65+"), "ordinal"),
            "survey_weight": (_real(0.2, 4, 3), "weight"),
            "comments": (_names("I think that all of it went rather well and would like to"), "text"),
        },
        details={
            "satisfaction": {"levels": ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")},
            "age": {"levels": ("<18", "18-24", "25-34", "35-44", "65+")},
            "q1": {"levels": (1, 2, 3, 4, 5)},
        },
    ),
    "sensor_log": lambda: Invented(
        columns={
            "sensor": (["north", "south", "east"] * 40, "category"),
            "time": ([f"2024-01-{1 + i // 3 // 24:02d} {i // 3 % 24:02d}:00:00" for i in range(ROWS)], "time"),
            "temperature (°C)": (_real(-4, 30, 1), "measure"),
            "voltage": (_real(3, 4.2), "measure"),
            "battery_pct": (_whole(0, 100), "rate"),
        },
        details={"temperature (°C)": {"unit": "°C"}, "time": {"granularity": "hour"}},
        table={"order": ("time",), "entity": ("sensor",)},
    ),
    "flights": lambda: Invented(
        columns={
            "carrier": (_one_of("AA", "UA", "DL"), "category"),
            "flight_number": (_whole(100, 999), "code"),
            "tailnum": ([f"N{i % 70 + 100}" for i in range(ROWS)], "code"),
            "origin": (_one_of("JFK", "LGA"), "category"),
            "dep_delay": (_whole(-10, 200), "measure"),
            "distance": (_whole(90, 2500), "measure"),
            "month": (_whole(1, 12), "time"),
            "day": (_whole(1, 31), "time"),
        },
        details={
            "dep_delay": {"unit": "min"},
            "distance": {"unit": "miles", "adds_up": "yes"},
            "month": {"is_part": True, "granularity": "month"},
        },
        table={"row": "flight", "order": ()},
        description="Flights from New York. Delays are in minutes, distances in miles.",
    ),
    "iris": lambda: Invented(
        columns={
            "sepal length (cm)": (_real(4, 8, 1), "measure"),
            "petal width (cm)": (_real(0.1, 2.5, 1), "measure"),
            "target": (_whole(0, 2), "category"),
        },
        details={"sepal length (cm)": {"unit": "cm"}},
        table={"groups": ("target",), "order": (), "row": ""},
    ),
    "sleep": lambda: Invented(
        columns={
            "name": (_names("Animal", 80), "label"),
            "vore": (_one_of("carni", "herbi", "omni", rows=80), "category"),
            "sleep_total": (_real(2, 20, 1, 80), "measure"),
            "bodywt": (_real(0.01, 6000, 3, 80), "measure"),
        },
        details={"bodywt": {"adds_up": "no"}},
        table={"order": (), "groups": ("vore",)},
    ),
    "umsatz": lambda: Invented(
        columns={
            "Datum": ([f"{1 + i % 28:02d}.{1 + i // 28:02d}.2023" for i in range(ROWS)], "time"),
            "Bestellnummer": (range(9001, 9001 + ROWS), "identifier"),
            "Produkt": (_one_of("Stuhl", "Tisch"), "category"),
            "Anzahl": (_whole(1, 12), "count"),
            "Umsatz (EUR)": (_real(10, 900), "money"),
            "Anteil": (_real(0, 1, 3), "rate"),
            "Wochentag": (_one_of("Montag", "Freitag", "Mittwoch"), "ordinal"),
        },
        details={"Umsatz (EUR)": {"unit": "EUR"}, "Wochentag": {"levels": ("Montag", "Mittwoch", "Freitag")}},
    ),
    "销售": lambda: Invented(
        columns={
            "日期": (_days(), "time"),
            "订单编号": ([f"A{i:05d}" for i in range(ROWS)], "identifier"),
            "城市": (_one_of("北京", "上海", "广州"), "category"),
            "数量": (_whole(1, 50), "count"),
            "金额": (_real(10, 900), "money"),
            "单价": (_real(1, 90), "money"),
            "占比": (_real(0, 1, 3), "rate"),
            "是否退货": (_one_of("是", "否"), "flag"),
        },
        details={"单价": {"adds_up": "no"}, "金额": {"adds_up": "yes"}},
        table={"row": ""},
    ),
    "midwest": lambda: Invented(
        columns={
            "county": (_names("County"), "label"),
            "poptotal": (_whole(1000, 90_000), "count"),
            "popdensity": (_real(10, 3000), "rate"),
            "percollege": (_real(5, 50), "rate"),
            "inmetro": (_one_of(0, 1), "flag"),
        },
        details={"poptotal": {"adds_up": "at one time"}, "percollege": {"weighted_by": "poptotal"}},
    ),
    "prices_as_text": lambda: Invented(
        columns={
            "item": (_names("Thing"), "label"),
            "price": ([f"${i + 1},{i % 900:03d}.50" for i in range(ROWS)], "money"),
            "growth": ([f"{i % 40}%" for i in range(ROWS)], "rate"),
            "installs": ([f"{i + 1},000" for i in range(ROWS)], "count"),
        },
        details={"growth": {"unit": "%"}},
    ),
    "experiment": lambda: Invented(
        columns={
            "subject": ([s for s in range(300, 312) for _ in range(10)], "code"),
            "days": (list(range(10)) * 12, "time"),
            "reaction_ms": (_real(200, 450), "measure"),
            "dose": (_one_of("low", "medium", "high"), "ordinal"),
            "group": (_one_of("control", "treatment"), "category"),
        },
        details={"reaction_ms": {"unit": "ms"}, "dose": {"levels": ("low", "medium", "high")}},
        table={"order": ("days",), "entity": ("subject",), "repeats_are_errors": True},
    ),
    "employees": lambda: Invented(
        columns={
            "employee_id": (range(1, ROWS + 1), "identifier"),
            "hire_date": (_days(freq="11D"), "time"),
            "job_level": (_whole(1, 5), "ordinal"),
            "t_shirt": (_one_of("S", "M", "L", "XL"), "ordinal"),
            "hourly_wage": (_real(10, 70), "money"),
            "email": ([f"p{i}@example.org" for i in range(ROWS)], "identifier"),
            "phone": (_whole(100_000, 999_999), "code"),
        },
        details={"hourly_wage": {"adds_up": "no"}, "t_shirt": {"levels": ("S", "M", "L", "XL")}},
        table={"row": "employee", "order": ()},
    ),
}
