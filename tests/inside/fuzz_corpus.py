"""Values of every kind that claims carry, each with others that nobody may take for it."""

import collections
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import re
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp


class Colour(enum.Enum):
    """A class of the code's own: opaque everywhere."""

    RED = 1


TABLE: Final = pd.DataFrame({"city": ["Oslo", "Roma", None], "fare": [1.5, np.nan, 3.25], "seats": [1, 2, 3]})
_DAYS: Final = pd.date_range("2024-01-01", periods=3, freq="D")
_ZONED: Final = _DAYS.tz_localize("Europe/Oslo")

PAIRS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "true": (True, (False, "True", None)),
    "int": (42, (41, "42", [42], None)),
    "large int": (10**40, (10**40 + 10**36, str(10**40))),
    "float": (1.5, (1.6, float("nan"), float("inf"), None)),
    "nan": (float("nan"), (0.0, float("inf"), None)),
    "infinity": (float("inf"), (float("-inf"), float("nan"), 1e308)),
    "complex": (1 + 2j, (1 - 2j, 1.0)),
    "text": ("Oslo", ("oslo", "Osl", "", b"Oslo")),
    "odd text": ("a\x00\ud800é列", ("a\x00é列",)),
    "bytes": (b"\x00\xff", (b"\x00", "\x00\xff")),
    "none": (None, (0, False, "None")),
    "decimal": (decimal.Decimal("1.50"), (decimal.Decimal("1.6"), "1.50")),
    "fraction": (fractions.Fraction(1, 3), (fractions.Fraction(1, 4),)),
    "range": (range(2, 20, 3), (range(2, 20, 2),)),
    "pattern": (re.compile("a+", re.IGNORECASE), (re.compile("a*"), "a+")),
    "path": (pathlib.PurePosixPath("a/b"), (pathlib.PurePosixPath("a/c"),)),
    "date": (dt.date(2024, 2, 29), (dt.date(2024, 2, 28), "2024-02-29")),
    "datetime": (dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC), (dt.datetime(2024, 1, 1, 13, tzinfo=dt.UTC),)),
    "timedelta": (dt.timedelta(days=1, seconds=2), (dt.timedelta(days=1),)),
    "timestamp": (pd.Timestamp("2024-01-01", tz="Europe/Oslo"), (pd.Timestamp("2024-01-01", tz="Asia/Tokyo"),)),
    "list": ([1, 2.5, "x", None], ([1, 2.5, "x"], [None, "x", 2.5, 1], [1, 2.6, "x", None], [])),
    "long list": (list(range(500)), (list(range(499)), [*range(499), 0])),
    "tuple": ((1, (2, 3)), ((1, (2, 4)), (1,))),
    "dict": ({"a": 1, 2: [3]}, ({"a": 1}, {"a": 1, 2: [4]}, {"a": 1, 3: [3]})),
    "set": ({1, "a"}, ({1}, {1, "b"}, set())),
    "frozenset": (frozenset({1, 2}), (frozenset({1}),)),
    "counter": (collections.Counter("aab"), (collections.Counter("abb"),)),
    "array": (np.arange(6.0).reshape(2, 3), (np.arange(6.0), np.arange(6.0).reshape(2, 3) + 1, [])),
    "integers": (np.array([1, 2, 3]), (np.array([1, 2, 4]), np.array([1, 2]))),
    "texts": (np.array(["a", "bb"]), (np.array(["a", "bc"]),)),
    "objects": (np.array([1, "a", None], dtype=object), (np.array([1, "b", None], dtype=object),)),
    "moments": (np.array(["2024-01-01", "NaT"], "M8[s]"), (np.array(["2024-01-02", "NaT"], "M8[s]"),)),
    "structured": (np.array([(1, 2.0)], "i4,f8"), (np.array([(1, 3.0)], "i4,f8"),)),
    "scalar": (np.float32(0.5), (np.float32(0.75),)),
    "index": (pd.Index(["a", "b"], name="k"), (pd.Index(["a", "c"], name="k"),)),
    "multi index": (
        pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]),
        (pd.MultiIndex.from_tuples([(1, "a"), (2, "c")]),),
    ),
    "days": (_DAYS, (_DAYS.shift(1),)),
    "series": (pd.Series([1.0, 2.0], index=["a", "b"], name="s"), (pd.Series([1.0, 3.0], index=["a", "b"], name="s"),)),
    "zoned": (pd.Series(_ZONED), (pd.Series(_ZONED + pd.Timedelta(days=1)),)),
    "categories": (
        pd.Series(["a", "b", "a"], dtype="category"),
        (pd.Series(["a", "b", "b"], dtype="category"),),
    ),
    "nullable": (
        pd.Series([1, None], dtype="Int64"),
        (pd.Series([2, None], dtype="Int64"), pd.Series([1, 0], dtype="Int64")),
    ),
    "table": (
        TABLE,
        (
            TABLE.iloc[::-1].reset_index(drop=True),
            TABLE.rename(columns={"fare": "price"}),
            TABLE.iloc[:-1],
            TABLE.assign(fare=[1.5, np.nan, 3.3]),
            TABLE.assign(fare=[1.5, 2.0, 3.25]),
            TABLE.assign(city=["Oslo", "Roma", "None"]),
            TABLE[["city"]],
            pd.DataFrame(),
        ),
    ),
    "grouped table": (
        TABLE.assign(k=["x", "y", "x"]).set_index(["k", "city"]),
        (TABLE.assign(k=["x", "y", "y"]).set_index(["k", "city"]),),
    ),
    "empty table": (pd.DataFrame(columns=["a"]), (pd.DataFrame({"a": [1]}), pd.DataFrame(columns=["b"]))),
    "sparse": (sp.csr_array(np.eye(3)), (sp.csr_array(np.eye(3) * 2), np.zeros((3, 3)))),
}
"""Name -> value, and values that are wrong where it is expected."""
