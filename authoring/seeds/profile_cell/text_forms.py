"""Part of the profile cell: finds dates and grouped numbers that a column writes as text, in one form or in several."""

import datetime
import re
from typing import Any, NamedTuple

import pandas as pd

LEAST_SHARE = 0.1  # of a column's cells that dates, or grouped numbers, must fill together to be told
MOST_FORMS = 5
EXAMPLE_CHARS = 40
CLOCK = r"(?:[ T]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?Z?)?"
DAY, MONTH = r"(?P<d>\d\d?)", r"(?P<m>\d\d?)"
DATES = (
    ("yyyy-mm-dd", rf"(?P<y>\d{{4}})-{MONTH}-{DAY}{CLOCK}"),
    ("yyyy/mm/dd", rf"(?P<y>\d{{4}})/{MONTH}/{DAY}{CLOCK}"),
    ("dd.mm.yyyy", rf"{DAY}\.{MONTH}\.(?P<y>\d{{4}}){CLOCK}"),
    ("dd/mm/yyyy", rf"{DAY}/{MONTH}/(?P<y>\d{{4}}){CLOCK}"),
    ("mm/dd/yyyy", rf"{MONTH}/{DAY}/(?P<y>\d{{4}}){CLOCK}"),
)
EITHER = "dd/mm/yyyy or mm/dd/yyyy"
SIGN = r"[-+−]?[$€£¥]?[-+−]?"
NUMBERS = (
    ("1,234", rf"{SIGN}[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d+)?"),
    ("1.234,5", rf"{SIGN}[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d+)?"),
    ("1 234", rf"{SIGN}[1-9]\d{{0,2}}(?:[ \u00a0\u202f]\d{{3}})+(?:[.,]\d+)?"),
    ("1'234", rf"{SIGN}[1-9]\d{{0,2}}(?:['\u2019]\d{{3}})+(?:[.,]\d+)?"),
)
CANDIDATE = (
    rf"{SIGN}\d{{1,4}}(?:[-/.]\d\d?[-/.]\d{{1,4}}(?:[ T][\d:.]+Z?)?|(?:\D\d{{3}})+(?:[.,]\d+)?)"  # all forms, and more
)
FEW = 2_000  # cells looked at before all are
SURE_DOTS = re.compile(r".*(?:\.\d{3}.*,\d|\.\d{3}\.)")  # 1.234 alone may be a little more than one


class FormCount(NamedTuple):
    """One way of writing, how many cells use it, and one of them."""

    form: str
    rows: int
    example: str


def text_forms(values: pd.Series) -> list[dict[str, Any]]:
    """Return the forms in which cells of text write dates or grouped numbers, the most frequent first.

    Args:
        values: Of one column, none missing; what is no text fits no form.
    """
    texts = values[values.map(lambda value: isinstance(value, str))].astype(object).str.strip()
    sample = texts.iloc[:: max(len(texts) // FEW, 1)]
    if not len(sample) or sample.str.fullmatch(CANDIDATE).mean() < LEAST_SHARE / 4:
        return []
    counts = texts[texts.str.fullmatch(CANDIDATE)].value_counts()
    found: list[dict[str, Any]] = []
    for kind, forms in (("date", date_forms(counts)), ("number", number_forms(counts))):
        if sum(one.rows for one in forms) >= LEAST_SHARE * len(values):
            ordered = sorted(forms, key=lambda one: (-one.rows, one.form))[:MOST_FORMS]
            found += [{"kind": kind, "cells": len(values), **one._asdict()} for one in ordered]
    return found


def counted(form: str, counts: pd.Series) -> list[FormCount]:
    """Return a form with its cells; nothing where no cell uses it."""
    if not len(counts):
        return []
    example = min(counts.index, key=lambda text: (-counts[text], text)) if len(counts) < 1000 else min(counts.index)
    return [FormCount(form, int(counts.sum()), str(example)[:EXAMPLE_CHARS])]


def date_forms(counts: pd.Series) -> list[FormCount]:
    """Return the forms of dates; of 01/02/2024 both orders are told unless other cells show one of them only."""
    chosen = {form: counts[real_dates(counts.index, pattern)] for form, pattern in DATES}
    day_first, month_first = chosen.pop("dd/mm/yyyy"), chosen.pop("mm/dd/yyyy")
    both = day_first[day_first.index.isin(month_first.index)]
    sure_day = day_first[~day_first.index.isin(both.index)]
    sure_month = month_first[~month_first.index.isin(both.index)]
    if len(sure_day) and not len(sure_month):
        chosen["dd/mm/yyyy"] = day_first
    elif len(sure_month) and not len(sure_day):
        chosen["mm/dd/yyyy"] = month_first
    else:
        chosen |= {"dd/mm/yyyy": sure_day, "mm/dd/yyyy": sure_month, EITHER: both}
    return [one for form, texts in chosen.items() for one in counted(form, texts)]


def real_dates(texts: pd.Index, pattern: str) -> list[bool]:
    """Return which texts have the form of a pattern and name a day that there is."""
    compiled = re.compile(pattern, re.ASCII)
    return [is_day(compiled.fullmatch(text)) for text in texts]


def is_day(match: re.Match[str] | None) -> bool:
    """Return whether year, month and day of a match exist."""
    if match is None:
        return False
    try:
        datetime.date(*(int(match[part]) for part in "ymd"))
    except ValueError:
        return False
    return True


def number_forms(counts: pd.Series) -> list[FormCount]:
    """Return the forms of grouped numbers; dots group only where some cell cannot be meant otherwise."""
    found = []
    for form, pattern in NUMBERS:
        compiled = re.compile(pattern, re.ASCII)
        chosen = counts[[compiled.fullmatch(text) is not None for text in counts.index]]
        if form == "1.234,5" and not any(SURE_DOTS.match(text) for text in chosen.index):
            continue
        found += counted(form, chosen)
    return found
