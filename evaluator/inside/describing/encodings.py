"""Variables as agents are shown them: the forms of CoML (arXiv:2402.17168, section 4) and of LIDA (arXiv:2303.02927).

Unlike the short descriptions for people, these call the methods of values, so they run in a fork that ends after it.
"""

import re
import types
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.describing.variable_views import MAX_VIEWS, type_name

MAX_TEXT: Final = 200_000  # characters of one variable
MAX_TEXTS: Final = 2_000_000  # of all together
_CUT: Final = 300  # of the text of a value of another type
_REPR: Final = 1_000
_CATEGORY: Final = 0.5  # distinct values per row, below which text is a category
_RNG_SEED: Final = 42
_SHELL: Final = frozenset(
    ("_ih", "In", "_i", "_ii", "_iii", "_oh", "_dh", "Out", "get_ipython", "exit", "quit", "_", "__", "___")
)
_INPUT: Final = re.compile(r"_i\d+")


@dataclass(frozen=True)
class Form:
    """How variables are written."""

    name: str  # coml | lida | names | repr
    columns: int = 10  # of a table
    width: int = 20  # of a column (characters)
    rows: int = 10  # of a table; of LIDA: sample values of a column
    items: int = 30  # of a list or a dict
    has_quirks: bool = True  # of LIDA's published program


_DEFAULT: Final = Form("coml")


def encode_variables(values: Mapping[str, Any], form: Form, names: list[str] | None) -> list[dict[str, str]]:
    """Return name, type and text of the variables that an agent is shown, in the order of binding.

    Args:
        values: The user's names and what they are bound to.
        form: How they are written.
        names: Which; None: all.
    """
    room = MAX_TEXTS
    found: list[dict[str, str]] = []
    for name, value in values.items():
        if names is not None and name not in names:
            continue
        if not _is_shown(name, value) or len(found) >= MAX_VIEWS:
            continue
        text = "" if form.name == "names" else _encoded(value, form)[: min(MAX_TEXT, room)]
        room -= len(text)
        found.append({"name": name[:MAX_TEXT], "type": type_name(value), "text": text})
    return found


def _is_shown(name: str, value: Any) -> bool:
    """Return whether a name is the user's data; classes, other callables, and names with one underscore are."""
    if isinstance(value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType):
        return False
    return not name.startswith("__") and name not in _SHELL and not _INPUT.match(name)


def _encoded(value: Any, form: Form) -> str:
    try:
        if form.name == "repr":
            text = repr(value)
            return text if len(text) <= _REPR else f"{text[:_REPR]}..."
        return describe(value, form)
    except Exception as error:  # noqa: BLE001 - methods of values may raise anything
        return f"({type_name(value)}; describing it raised {type_name(error)})"


def describe(value: Any, form: Form = _DEFAULT) -> str:
    """Return a value as CoML writes it; what lies inside of it is written by the defaults, whatever the form says."""
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray(shape={value.shape}, dtype={value.dtype})"
    if isinstance(value, pd.DataFrame):
        return _table(value, form)
    if isinstance(value, pd.Series):
        return f"pandas.Series(shape={value.shape})"
    if isinstance(value, list):
        shown = [describe(each) for each in value[: form.items]]
        return f"[{', '.join(shown)}{', ...' if len(value) > form.items else ''}]"
    if isinstance(value, dict):
        pairs = [f"{key}: {describe(each)}" for key, each in list(value.items())[: form.items]]
        return f"{{{', '.join(pairs)}{', ...' if len(value) > form.items else ''}}}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool | int | float) or value is None:
        return str(value)
    text = str(value)
    return text if len(text) <= _CUT else f"{text[:_CUT]}..."


def _table(table: pd.DataFrame, form: Form) -> str:
    if form.name == "lida":
        return f"pandas.DataFrame(shape={table.shape}, columns={_columns(table, form)})"
    shown = table.to_string(max_cols=form.columns, max_colwidth=form.width, max_rows=form.rows).rstrip()
    indented = "".join(f"    {line}" for line in shown.splitlines(keepends=True))
    return f"pandas.DataFrame(shape={table.shape}, columns={describe(table.columns.tolist())})\n{indented}"


def _columns(table: pd.DataFrame, form: Form) -> list[dict[str, Any]]:
    """Return what LIDA tells of each column; by its quirk a column of few values leaves fewer samples to the others."""
    most, told = form.rows, []
    for place, name in enumerate(table.columns):
        if not isinstance(table[name], pd.Series):  # several columns have this name
            told.append({"column": name, "properties": {"dtype": "unknown"}})
            if form.has_quirks:
                continue
        column = table.iloc[:, place]
        properties = _properties(column, form)
        distinct = column[column.notnull()].unique()
        samples = min(most, len(distinct))
        if form.has_quirks:
            most = samples
        properties["samples"] = pd.Series(distinct).sample(samples, random_state=_RNG_SEED).tolist()
        properties["num_unique_values"] = column.nunique()
        told.append({"column": name, "properties": properties})
    return told


def _properties(column: "pd.Series[Any]", form: Form) -> dict[str, Any]:
    kind = column.dtype
    if kind in (int, float, complex):
        numbers = {"std": column.std(), "min": column.min(), "max": column.max()}
        return {"dtype": "number", **{name: _plain(kind, each, form, name) for name, each in numbers.items()}}
    if kind == np.dtype(bool):
        return {"dtype": "boolean"}
    told = _kind(column)
    if told != "date":
        return {"dtype": told}
    try:
        return {"dtype": told, "min": column.min(), "max": column.max()}
    except TypeError:
        dates = pd.to_datetime(column, errors="coerce")
        return {"dtype": told, "min": dates.min(), "max": dates.max()}


def _plain(kind: Any, value: Any, form: Form, name: str) -> Any:
    """Return a number as Python's own; by a quirk the deviation of whole numbers is cut to a whole number."""
    if "float" in str(kind) or (name == "std" and not form.has_quirks):
        return float(value)
    return int(value) if "int" in str(kind) and value == value else value


def _kind(column: "pd.Series[Any]") -> str:
    kind = column.dtype
    if kind == np.dtype(object) or isinstance(kind, pd.StringDtype):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                pd.to_datetime(column, errors="raise")
            except (ValueError, TypeError, OverflowError):
                return "category" if column.nunique() / max(len(column), 1) < _CATEGORY else "string"
        return "date"
    if isinstance(kind, pd.CategoricalDtype):
        return "category"
    return "date" if pd.api.types.is_datetime64_any_dtype(column) else str(kind)
