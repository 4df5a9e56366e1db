"""Which values of an answer nobody can compare, by what makes them: functions, groups, models, iterators, axes."""

import ast
from typing import Final

_ITERATORS: Final = frozenset({"zip", "map", "filter", "iter", "enumerate", "open", "reversed"})
_UNFINISHED: Final = frozenset(
    {"groupby", "rolling", "resample", "expanding", "ewm", "fit", "fit_resample", "iterrows", "itertuples"}
)
_CONVERTS: Final = frozenset(
    {"to_datetime", "to_numeric", "to_timedelta", "to_period", "to_frame", "to_dict", "to_numpy", "to_list"}
)
_DATA_CLASSES: Final = frozenset(
    {"DataFrame", "Series", "Index", "MultiIndex", "DatetimeIndex", "RangeIndex", "Categorical", "CategoricalIndex"}
    | {
        "Timestamp",
        "Timedelta",
        "Period",
        "Interval",
        "Counter",
        "OrderedDict",
        "Decimal",
        "Fraction",
        "Path",
        "Grouper",
    }
)
_DRAWS: Final = frozenset(
    {"plot", "hist", "scatter", "bar", "barh", "pie", "boxplot", "figure", "subplots", "show", "imshow", "heatmap"}
    | {"countplot", "pairplot", "jointplot", "distplot", "histplot", "lineplot", "barplot", "scatterplot", "lmplot"}
    | {"violinplot", "swarmplot", "stripplot", "catplot", "relplot", "displot", "kdeplot", "regplot", "factorplot"}
    | {"FacetGrid", "PairGrid", "title", "xlabel", "ylabel", "legend", "set_title", "set_xlabel", "set_ylabel"}
    | {"xticks", "yticks", "xlim", "ylim", "savefig", "tight_layout", "suptitle", "plot_date", "stackplot", "axhline"}
    | {"radviz", "andrews_curves", "parallel_coordinates", "scatter_matrix", "line", "area", "kde", "density", "hexbin"}
)
_COMMON_WORDS: Final = frozenset({"line", "area", "title", "show", "bar", "density", "legend", "figure", "scatter"})
_PLOTTERS: Final = frozenset(
    {"plt", "sns", "px", "pyplot", "seaborn", "ax", "axes", "fig", "alt", "go", "g", "matplotlib"}
)


def draws(value: ast.expr) -> bool:
    """Return whether an expression draws: a call of a plotting library, or of `.plot` and its like."""
    node: ast.AST = value
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr == "plot":
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            is_plotter = isinstance(node.func, ast.Attribute) and _root(node.func) in _PLOTTERS
            gives_data = name.startswith(("load", "get")) or name in ("color_palette", "data", "tips")
            if (is_plotter and not gives_data) or (name in _DRAWS and name not in _COMMON_WORDS):
                return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def root_of(value: ast.expr) -> str:
    """Return the variable that an expression begins with: `ax` of `ax.set(...)`; empty: it begins with none."""
    return _root(value) if not isinstance(value, ast.Name) else ""


def is_comparable(value: ast.expr) -> bool:
    """Return whether what an expression gives can be compared, as far as its last step tells."""
    if isinstance(value, ast.Lambda | ast.GeneratorExp) or draws(value):
        return False
    if not isinstance(value, ast.Call):
        return True
    name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    if isinstance(value.func, ast.Name) and name in _ITERATORS:
        return False
    if isinstance(value.func, ast.Attribute) and name in _UNFINISHED:
        return False
    if name.startswith("to_") and (value.args or any(k.arg and "path" in k.arg for k in value.keywords)):
        return name in _CONVERTS
    is_class = name[:1].isupper() and not name.isupper()
    return not is_class or name in _DATA_CLASSES
