"""Second part of the profile cell: describes one column by what a task author needs to know."""

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:  # in the session this name stands already: the parts run one after the other
    from authoring.seeds.profile_cell.text_forms import text_forms  # noqa: TC004

SAMPLE = 500  # distinct values looked at before all are
CUT = 80  # characters of a sample
MAX_GROUPS = 50  # distinct values up to which a column may serve as a category
MAX_LEVELS = 24  # distinct values up to which all are told
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DATE_FORMATS = (
    (r"\d{4}-\d\d?-\d\d?", ("%Y-%m-%d",)),
    (r"\d{4}/\d\d?/\d\d?", ("%Y/%m/%d",)),
    (r"\d{4}\.\d\d?\.\d\d?", ("%Y.%m.%d",)),
    (r"\d\d?/\d\d?/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d\d?-\d\d?-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"\d\d?\.\d\d?\.\d{4}", ("%d.%m.%Y",)),
    (r"\d\d?/\d\d?/\d\d", ("%d/%m/%y", "%m/%d/%y")),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", ("%Y-%m-%d %H:%M",)),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", ("%Y-%m-%d %H:%M:%S",)),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+", ("%Y-%m-%d %H:%M:%S.%f",)),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", ("%Y-%m-%dT%H:%M:%S",)),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+", ("%Y-%m-%dT%H:%M:%S.%f",)),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", ("%Y-%m-%dT%H:%M:%SZ",)),
    (r"\d\d?/\d\d?/\d{4} \d\d?:\d\d", ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")),
    (r"\d\d?\.\d\d?\.\d{4} \d\d?:\d\d", ("%d.%m.%Y %H:%M",)),
    (r"\d\d? [A-Z][a-z]{2} \d{4}", ("%d %b %Y",)),
    (r"\d\d?-[A-Z][a-z]{2}-\d{4}", ("%d-%b-%Y",)),
    (r"\d\d?-[A-Z][a-z]{2}-\d\d", ("%d-%b-%y",)),
    (r"\d\d? [A-Z][a-z]{3,8} \d{4}", ("%d %B %Y",)),
    (r"[A-Z][a-z]{2} \d\d?,? \d{4}", ("%b %d, %Y", "%b %d %Y")),
    (r"[A-Z][a-z]{3,8} \d\d?, \d{4}", ("%B %d, %Y",)),
    (r"\d{4}年\d\d?月\d\d?日", ("%Y年%m月%d日",)),
)
ID_NAME = re.compile(r"(^|[\W_])(id|key|uuid|guid|nr|no|number|index|rowid|code)$|^unnamed: \d+$|[a-z]Id$|ID$", re.I)
DATE_NAME = re.compile(r"date|day|time|datum|fecha|日", re.I)
SYMBOLS = re.compile(r"[$€£¥%\s,]")


def plain(value: Any) -> Any:
    """Return a JSON value: finite numbers, booleans, text cut to `CUT` characters, dates as ISO text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    return str(value)[:CUT].encode("utf-8", "replace").decode("utf-8")


def digit_dates(name: str, values: pd.Series, facts: dict[str, Any]) -> bool:
    """Return whether whole numbers such as 20240131 are dates; their column's name must say so too."""
    if not facts.get("integer") or not 1800_01_01 <= facts["min"] <= facts["max"] <= 2200_12_31:
        return False
    if not DATE_NAME.search(name) or not pd.api.types.is_integer_dtype(values.dtype):
        return False
    dates = pd.to_datetime(values.astype("int64").astype(str), format="%Y%m%d", errors="coerce")
    if dates.isna().any():
        return False
    for key in ("mean", "quantiles", "decimals", "infinite", "integer"):
        facts.pop(key)
    facts["date_format"] = "%Y%m%d"
    facts.update(describe_dates(dates))
    return True


def date_formats(values: pd.Series) -> list[str]:
    """Return the formats under which every value of a text column is a date; two when day and month are unclear."""
    head = values.head(30)
    for pattern, formats in DATE_FORMATS:
        if not head.str.fullmatch(pattern).all() or not values.str.fullmatch(pattern).all():
            continue
        return [one for one in formats if pd.to_datetime(values, format=one, errors="coerce").notna().all()]
    return []


def describe_dates(values: pd.Series) -> dict[str, Any]:
    """Return the range of a datetime column."""
    days = values.dt.normalize()
    return {
        "min": plain(values.min()),
        "max": plain(values.max()),
        "span_days": int((values.max() - values.min()).days),
        "days": int(days.nunique()),
        "months": int((values.dt.year * 12 + values.dt.month).nunique()),
        "timed": bool((days != values).any()),
        "sorted": bool(values.is_monotonic_increasing),
    }


def describe_numbers(values: pd.Series) -> dict[str, Any]:
    """Return range, quantiles and writing style of a numeric column."""
    finite = values[np.isfinite(values.astype(float))]
    if finite.empty:
        return {"infinite": len(values)}
    head = finite.head(500)
    decimals = next((d for d in range(6) if np.allclose(head, head.round(d), rtol=0, atol=1e-9)), 6)
    return {
        "min": plain(finite.min()),
        "max": plain(finite.max()),
        "mean": plain(float(finite.mean())),
        "quantiles": {str(q): plain(float(finite.quantile(q, interpolation="nearest"))) for q in QUANTILES},
        "integer": bool((finite % 1 == 0).all()),
        "decimals": decimals,
        "infinite": int(len(values) - len(finite)),
    }


def number_text(stripped: pd.Series, names: pd.Series, facts: dict[str, Any]) -> None:
    """Note text that is numbers; a sample of the distinct values decides whether all are looked at."""
    sample = names.iloc[:: max(len(names) // SAMPLE, 1)]
    if sample.str.fullmatch(r"0\d+").any():  # 00501 is a code, not a number
        return
    if pd.to_numeric(sample, errors="coerce").notna().mean() >= 0.5:
        numbers = int(pd.to_numeric(stripped, errors="coerce").notna().sum())
        if numbers >= 0.8 * len(stripped):
            facts["number_text"], facts["not_numbers"] = "plain", len(stripped) - numbers
    elif is_bare_number(sample) and is_bare_number(stripped):
        facts["number_text"] = "symbols"


def is_bare_number(values: pd.Series) -> bool:
    """Return whether all values are numbers once currency signs, per cents, spaces and commas are gone."""
    return bool(pd.to_numeric(values.str.replace(SYMBOLS, "", regex=True), errors="coerce").notna().all())


def text_traps(values: pd.Series, facts: dict[str, Any]) -> None:
    """Note stray spaces, spellings that differ by case only, and numbers written as text."""
    stripped = values.str.strip()
    facts["stray_spaces"] = int((stripped != values).sum())
    names = stripped.drop_duplicates()
    facts["case_variants"] = int(len(names) - names.str.lower().nunique())
    if not facts.get("date_format"):
        number_text(stripped, names, facts)
    lengths = values.str.len()
    facts["min_length"], facts["max_length"] = int(lengths.min()), int(lengths.max())
    facts["spaced"] = round(float(stripped.str.contains(" ", regex=False).mean()), 3)


def text_role(name: str, values: pd.Series, facts: dict[str, Any]) -> str:
    """Return category, id or text."""
    distinct, count = facts["distinct"], len(values)
    if 1 <= distinct <= MAX_GROUPS and distinct <= max(count / 2, 1):
        return "category"
    if distinct == count and (ID_NAME.search(name) or (facts["spaced"] == 0 and facts["max_length"] <= 40)):
        return "id"
    return "text"


def number_role(name: str, values: pd.Series, facts: dict[str, Any], rows: int) -> str:
    """Return number, or id for whole numbers that count the rows."""
    unique = facts["distinct"] == rows == len(values)
    if facts.get("integer") and unique and rows > 1:
        counting = values.is_monotonic_increasing and facts["max"] - facts["min"] == rows - 1
        if counting or ID_NAME.search(name):
            return "id"
    return "number" if "min" in facts else "other"


def describe_text(name: str, values: pd.Series, facts: dict[str, Any]) -> str:
    """Fill `facts` for a text column and return its role."""
    formats = date_formats(values)
    if formats:
        facts["date_format"], facts["date_unclear"] = formats[0], len(formats) > 1
        facts.update(describe_dates(pd.to_datetime(values, format=formats[0])))
    text_traps(values, facts)
    if formats:
        return "date"
    facts["text_forms"] = text_forms(values)
    return text_role(name, values, facts)


def describe_mixed(values: pd.Series, kinds: list[str], facts: dict[str, Any]) -> str:
    """Fill `facts` for a column of several Python types and return its role."""
    facts["kinds"] = kinds[:6]
    facts["text_forms"] = text_forms(values)
    if "str" in kinds and set(kinds) <= {"int", "float", "str"}:
        numbers = pd.to_numeric(values, errors="coerce").notna().sum()
        if numbers >= 0.8 * len(values):
            facts["number_text"], facts["not_numbers"] = "plain", int(len(values) - numbers)
    return "other"


def describe_values(name: str, values: pd.Series, facts: dict[str, Any], rows: int) -> str:
    """Fill `facts` by the kind of the values and return the column's role."""
    kinds = sorted({type(value).__name__ for value in values}) if values.dtype == object else []
    if kinds == ["bool"] or pd.api.types.is_bool_dtype(values.dtype):
        return "bool"
    if kinds not in ([], ["str"]):
        return describe_mixed(values, kinds, facts)
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(values.dtype):
        facts.update(describe_numbers(values))
        return "date" if digit_dates(name, values, facts) else number_role(name, values, facts, rows)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        facts.update(describe_dates(values))
        return "date"
    return describe_text(name, values, facts) if pd.api.types.is_string_dtype(values.dtype) else "other"


def frequent_values(values: pd.Series) -> list[list[Any]]:
    """Return the most frequent values with their counts, ties in the order of their text."""
    counts = values.value_counts()
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    return [[plain(value), int(count)] for value, count in ordered[:12] if len(str(value)) <= CUT]


def describe_column(name: str, column: pd.Series) -> dict[str, Any]:
    """Return everything known about one column as plain JSON values."""
    values = column.dropna()
    facts: dict[str, Any] = {"name": name, "dtype": str(column.dtype), "missing": int(column.isna().sum())}
    facts["distinct"] = 0
    if values.empty:
        return {**facts, "role": "other", "empty": True}
    if isinstance(column.dtype, pd.CategoricalDtype):
        values, facts["fixed_categories"] = values.astype(column.dtype.categories.dtype), True
    try:
        facts["distinct"] = int(values.nunique())
    except TypeError:
        return {**facts, "role": "other", "nested": True}
    role = describe_values(name, values, facts, len(column))
    facts["samples"] = [plain(value) for value in values.drop_duplicates().head(5)]
    if facts["distinct"] <= MAX_GROUPS and role not in {"date", "other"}:
        facts["top"] = frequent_values(values)
    if role in {"category", "number", "text"} and facts["distinct"] <= MAX_LEVELS:
        facts["levels"] = all_levels(values)
    if role in {"number", "id"} and pd.api.types.is_numeric_dtype(values.dtype):
        facts["sorted"] = bool(values.is_monotonic_increasing)
    return {**facts, "role": role}


def all_levels(values: pd.Series) -> list[Any]:
    """Return every distinct value in sorted order; nothing when some are too long to be levels."""
    found = [plain(value) for value in sorted(values.unique())]
    return found if all(len(str(value)) < CUT for value in found) else []
