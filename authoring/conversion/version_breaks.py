"""What newer pandas and NumPy no longer have: a reviewed table, and where code uses an entry of it."""

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from evaluator.language import parse_code


class VersionBreak(NamedTuple):
    """Something that a release of a library took away."""

    shown: str  # as people know it, such as `DataFrame.append`
    library: str
    removed_in: str  # the first release without it
    instead: str  # what does the same today


def _many(library: str, removed_in: str, pairs: dict[str, str]) -> dict[str, VersionBreak]:
    return {name: VersionBreak(name, library, removed_in, instead) for name, instead in pairs.items()}


MODULE_ATTRIBUTES: Final = {
    **_many("numpy", "1.24", {"np.float": "float", "np.int": "int", "np.object": "object", "np.str": "str"}),
    **_many("numpy", "1.24", {"np.complex": "complex", "np.unicode": "str"}),
    **_many("numpy", "1.23", {"np.asscalar": "the method item()"}),
    **_many("numpy", "1.18", {"np.rank": "np.ndim"}),
    **_many("numpy", "2.0", {"np.product": "np.prod", "np.cumproduct": "np.cumprod", "np.alltrue": "np.all"}),
    **_many("numpy", "2.0", {"np.sometrue": "np.any", "np.round_": "np.round", "np.msort": "np.sort"}),
    **_many("numpy", "2.0", {"np.NaN": "np.nan", "np.NAN": "np.nan", "np.Inf": "np.inf", "np.infty": "np.inf"}),
    **_many("numpy", "2.0", {"np.PINF": "np.inf", "np.NINF": "-np.inf", "np.float_": "np.float64"}),
    **_many("numpy", "2.0", {"np.complex_": "np.complex128", "np.unicode_": "np.str_", "np.string_": "np.bytes_"}),
    **_many("numpy", "2.0", {"np.asfarray": "np.asarray with dtype=float", "np.find_common_type": "np.result_type"}),
    **_many("numpy", "2.0", {"np.cast": "np.asarray with a dtype", "np.mat": "np.asmatrix"}),
    **_many("numpy", "2.4", {"np.in1d": "np.isin", "np.trapz": "np.trapezoid"}),
    **_many("pandas", "0.23", {"pd.rolling_mean": "the method rolling().mean()", "pd.rolling_std": "rolling().std()"}),
    **_many("pandas", "0.23", {"pd.rolling_sum": "rolling().sum()", "pd.ewma": "ewm().mean()"}),
    **_many("pandas", "0.25", {"pd.Panel": "a DataFrame with a MultiIndex", "pd.TimeGrouper": "pd.Grouper"}),
    **_many("pandas", "0.24", {"pd.tools": "pd.plotting, or itertools"}),
    **_many("pandas", "0.25", {"pd.scatter_matrix": "pd.plotting.scatter_matrix"}),
    **_many("pandas", "1.0", {"pd.SparseDataFrame": "a DataFrame with sparse columns"}),
    **_many("pandas", "3.0", {"pd.value_counts": "the method value_counts()"}),
    **_many("pandas", "2.0", {"pd.np": "numpy itself", "pd.datetime": "datetime.datetime"}),
    **_many(
        "pandas", "2.0", {"pd.Int64Index": "pd.Index", "pd.Float64Index": "pd.Index", "pd.UInt64Index": "pd.Index"}
    ),
}
METHODS: Final = {
    **_many("pandas", "0.20", {"order": "sort_values", "iget": "iloc", "irow": "iloc", "icol": "iloc"}),
    **_many("pandas", "1.0", {"ix": "loc or iloc", "as_matrix": "to_numpy", "get_value": "at", "set_value": "at"}),
    **_many("pandas", "1.0", {"from_items": "from_dict", "from_csv": "pd.read_csv", "clip_upper": "clip"}),
    **_many("pandas", "1.0", {"clip_lower": "clip", "reindex_axis": "reindex", "convert_objects": "pd.to_numeric"}),
    **_many("pandas", "1.0", {"get_dtype_counts": "dtypes.value_counts"}),
    **_many("pandas", "2.0", {"iteritems": "items", "lookup": "melt or NumPy indexing", "tshift": "shift with freq"}),
    **_many(
        "pandas", "2.0", {"mad": "(x - x.mean()).abs().mean()", "slice_shift": "shift", "weekofyear": "isocalendar"}
    ),
    **_many("pandas", "2.0", {"is_lexsorted": "is_monotonic_increasing"}),
    **_many("pandas", "2.0", {"is_monotonic": "is_monotonic_increasing", "is_all_dates": "a check of the dtype"}),
    **_many("pandas", "3.0", {"backfill": "bfill", "applymap": "map", "swapaxes": "transpose"}),
    **_many("numpy", "2.0", {"itemset": "item assignment", "newbyteorder": "view with another dtype"}),
    **_many("numpy", "2.3", {"tostring": "tobytes"}),
}
"""By the name after the dot, whatever stands before it: names that nothing else in common use has."""

APPEND: Final = VersionBreak("DataFrame.append", "pandas", "2.0", "pd.concat")
FROM_STRING: Final = VersionBreak("np.fromstring of bytes", "numpy", "2.3", "np.frombuffer")
TEXT_PATTERN: Final = VersionBreak("str.replace with a pattern", "pandas", "2.0", "regex=True beside the pattern")
TUPLE_OF_COLUMNS: Final = VersionBreak("groupby(...)['a', 'b']", "pandas", "2.0", "a list of columns: [['a', 'b']]")
FIRST_OFFSET: Final = VersionBreak("first('3D') and last('3D')", "pandas", "3.0", "a comparison with the first day")
WEEK: Final = VersionBreak("Series.dt.week", "pandas", "2.0", "dt.isocalendar().week")
POSITIONAL_AXIS: Final = VersionBreak("drop(labels, axis) with a bare axis", "pandas", "2.0", "axis= by name")
CHAINED: Final = VersionBreak(
    "a change of a selected part, such as df['a'].fillna(..., inplace=True)",
    "pandas",
    "3.0",
    "an assignment to df['a']",
)
FREQUENCY: Final = VersionBreak(
    "frequencies M, Q, Y, A, BM, H, T, S", "pandas", "3.0", "ME, QE, YE, YE, BME, h, min, s"
)
KEYWORDS: Final = {
    ("fillna", "method"): VersionBreak("fillna(method=)", "pandas", "3.0", "ffill() or bfill()"),
    ("groupby", "axis"): VersionBreak("groupby(axis=)", "pandas", "3.0", "a transposed table"),
    ("sort_index", "by"): VersionBreak("sort_index(by=)", "pandas", "0.23", "sort_values"),
    ("resample", "how"): VersionBreak("resample(how=)", "pandas", "0.25", "a method after it, such as mean()"),
    ("resample", "loffset"): VersionBreak("resample(loffset=)", "pandas", "2.0", "an offset added to the index"),
    ("resample", "base"): VersionBreak("resample(base=)", "pandas", "2.0", "offset= or origin="),
    ("set_axis", "inplace"): VersionBreak("set_axis(inplace=)", "pandas", "2.0", "an assignment"),
    ("concat", "join_axes"): VersionBreak("concat(join_axes=)", "pandas", "1.0", "reindex after it"),
    ("read_csv", "error_bad_lines"): VersionBreak("read_csv(error_bad_lines=)", "pandas", "2.0", "on_bad_lines="),
    ("read_csv", "squeeze"): VersionBreak("read_csv(squeeze=)", "pandas", "2.0", "the method squeeze()"),
    ("read_csv", "delim_whitespace"): VersionBreak("read_csv(delim_whitespace=)", "pandas", "3.0", r"sep='\s+'"),
    ("read_csv", "date_parser"): VersionBreak("read_csv(date_parser=)", "pandas", "3.0", "pd.to_datetime"),
    ("read_excel", "sheetname"): VersionBreak("read_excel(sheetname=)", "pandas", "0.25", "sheet_name="),
    ("read_csv", "infer_datetime_format"): VersionBreak(
        "infer_datetime_format=", "pandas", "3.0", "nothing: formats are inferred anyway"
    ),
    ("to_datetime", "infer_datetime_format"): VersionBreak(
        "infer_datetime_format=", "pandas", "3.0", "nothing: formats are inferred anyway"
    ),
    ("to_csv", "line_terminator"): VersionBreak("to_csv(line_terminator=)", "pandas", "2.0", "lineterminator="),
    **{
        (name, "level"): VersionBreak(f"{name}(level=)", "pandas", "2.0", f"groupby(level=).{name}()")
        for name in ("sum", "mean", "min", "max", "std", "var", "count", "median", "prod")
    },
}
_OLD_FREQUENCIES: Final = frozenset({"M", "Q", "Y", "A", "BM", "BQ", "BA", "H", "T", "S", "L", "U", "N"})
_TAKES_FREQUENCY: Final = frozenset({"resample", "date_range", "Grouper", "asfreq", "bdate_range"})
_PATTERN: Final = re.compile(r"[\\^$*+?\[\]|(){}]")
_INDEX_NAME: Final = re.compile(r"(?:^|_)(?:idx|index|indices|columns|cols)$")


def version_breaks(code: str) -> list[VersionBreak]:
    """Return what code uses that a release took away, each once, in order; nothing of code that cannot be read."""
    tree = parse_code(code).tree
    if tree is None:
        return []
    aliases = _aliases(tree)
    as_values = _used_as_values(tree)
    found = (each for node in ast.walk(tree) for each in _breaks_of(node, aliases, as_values))
    return list(dict.fromkeys(found))


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Return which names stand for pandas and NumPy; the usual ones where the code imports neither."""
    names = {"pd": "pd", "np": "np", "pandas": "pd", "numpy": "np"}
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name in ("pandas", "numpy"):
                names[alias.asname or alias.name] = {"pandas": "pd", "numpy": "np"}[alias.name]
    return names


def _used_as_values(tree: ast.Module) -> set[int]:
    """Return calls whose value is used: a list's `append` has none worth using."""
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return {id(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in statements}


def _breaks_of(node: ast.AST, aliases: dict[str, str], as_values: set[int]) -> Iterator[VersionBreak]:
    if isinstance(node, ast.Attribute):
        yield from _of_attribute(node, aliases)
    elif isinstance(node, ast.Call):
        yield from _of_call(node, as_values)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and _calls(node.value, "groupby"):
        yield TUPLE_OF_COLUMNS
    elif isinstance(node, ast.Assign):
        yield from (CHAINED for target in node.targets if _is_chained(target))


def _of_attribute(node: ast.Attribute, aliases: dict[str, str]) -> Iterator[VersionBreak]:
    owner = aliases.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if owner is not None:
        entry = MODULE_ATTRIBUTES.get(f"{owner}.{node.attr}")
        if entry is not None:
            yield entry
    elif node.attr in METHODS:
        yield METHODS[node.attr]._replace(shown=f".{node.attr}")
    elif node.attr == "week" and isinstance(node.value, ast.Attribute) and node.value.attr == "dt":
        yield WEEK


def _of_call(node: ast.Call, as_values: set[int]) -> Iterator[VersionBreak]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name == "append" and id(node) in as_values and not _is_index(node.func):
        yield APPEND
    yield from _by_first_argument(node, name)
    if name == "drop" and len(node.args) == 2:
        yield POSITIONAL_AXIS
    yield from (KEYWORDS[name, k.arg] for k in node.keywords if k.arg and (name, k.arg) in KEYWORDS)
    if name in _TAKES_FREQUENCY and any(map(_is_old_frequency, [*node.args, *(k.value for k in node.keywords)])):
        yield FREQUENCY
    is_in_place = any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)
    if is_in_place and isinstance(node.func, ast.Attribute) and _is_selection(node.func.value):
        yield CHAINED


def _by_first_argument(node: ast.Call, name: str) -> Iterator[VersionBreak]:
    given = node.args[0] if node.args else None
    text = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    keywords = {k.arg for k in node.keywords}
    if name == "replace" and isinstance(owner, ast.Attribute) and owner.attr == "str":
        if "regex" not in keywords and _PATTERN.search(text):
            yield TEXT_PATTERN
    elif name == "fromstring" and "sep" not in keywords and len(node.args) < 4:
        yield FROM_STRING
    elif name in ("first", "last") and re.fullmatch(r"\d*[A-Za-z]{1,2}", text):
        yield FIRST_OFFSET


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _is_index(func: ast.expr) -> bool:
    """Return whether a method is called on what is named like an index, which still has `append`."""
    owner = func.value if isinstance(func, ast.Attribute) else func
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return bool(_INDEX_NAME.search(name))


def _is_old_frequency(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return re.sub(r"^\d+", "", text).partition("-")[0] in _OLD_FREQUENCIES


def _is_selection(node: ast.expr) -> bool:
    """Return whether an expression is `df['a']`, `df.a` or `df.loc[...]`."""
    if isinstance(node, ast.Subscript):
        return True
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and not node.attr.startswith("_")


def _is_chained(target: ast.expr) -> bool:
    """Return whether an assignment goes to a part of a part: `df['a'][0] = 1`, `df.loc[0].b = 1`."""
    if isinstance(target, ast.Subscript):
        inner = target.value
        return isinstance(inner, ast.Subscript) and _is_label(inner.slice)
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Subscript)


def _is_label(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def told(found: VersionBreak) -> tuple[str, str]:
    """Return what is said of a break and what to do about it."""
    what = f"{found.shown} works up to {found.library} before {found.removed_in}, which took it away"
    fix = f"run in an environment with {found.library} < {found.removed_in}, or write {found.instead}"
    return what, fix
