"""Which of an author's comparisons leave nothing behind, so that one fork may run them on many values.

What is told here is no matter of safety: an author's code runs in a fork with limits in either case. It is told by what
the code may use at all; whatever stands in no list below is taken for code that may change a library.
"""

import ast
import builtins
from functools import lru_cache
from typing import Final

_SYNTAX: Final = (
    ast.Module, ast.Import, ast.FunctionDef, ast.arguments, ast.arg, ast.Lambda, ast.Return, ast.Assign, ast.AugAssign,
    ast.If, ast.For, ast.Try, ast.ExceptHandler, ast.Assert, ast.Expr, ast.Pass, ast.Continue, ast.Break, ast.Raise,
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.keyword, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.Dict, ast.Set, ast.List, ast.Tuple,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.Attribute, ast.Subscript, ast.Slice, ast.Name,
    ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_BUILTINS: Final = """
    abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max min pow range
    reversed round set slice sorted str sum tuple zip AssertionError AttributeError Exception IndexError KeyError
    TypeError ValueError
"""
_PLAIN: Final = frozenset(_BUILTINS.split())
_LIBRARIES: Final = {"pd": "pandas", "np": "numpy", "math": "math"}
_TABLE_ATTRIBUTES: Final = """
    DataFrame Index Series T abs add agg aggregate all any apply applymap assign astype at between cat ceil clip
    columns combine_first copy corr count cumsum day diff div drop drop_duplicates dropna dt dtype dtypes duplicated
    empty eq equals explode fillna first floor ge get groupby gt head hour iat idxmax idxmin iloc index
    infer_objects is_monotonic_increasing is_unique isin isna isnull items iterrows itertuples keys last le loc lt
    map mask max mean median melt merge min minute mode month mul name names ndim ne nlargest notna notnull
    nsmallest nunique pivot pivot_table pow quantile rank reindex rename rename_axis replace reset_index round
    sample second select_dtypes set_axis set_index shape shift size sort_index sort_values squeeze stack std str sub
    sum tail to_dict to_frame to_list to_numpy to_period tolist transpose unique unstack value_counts values var
    where xs year
"""
_LIBRARY_ATTRIBUTES: Final = """
    allclose array array_equal array_equiv assert_frame_equal assert_index_equal assert_series_equal ceil concat
    cross float32 float64 floating int32 int64 integer isclose isfinite isinf isnan isreal nan ndarray ravel rint
    sign sort sqrt testing to_datetime to_numeric to_timedelta vstack zeros_like
"""
_TEXT_ATTRIBUTES: Final = """
    append count difference endswith extend flatten format get index intersection issubset issuperset items join
    keys lower lstrip rstrip split startswith strip symmetric_difference union upper values
"""
_ATTRIBUTES: Final = frozenset(f"{_TABLE_ATTRIBUTES} {_LIBRARY_ATTRIBUTES} {_TEXT_ATTRIBUTES}".split())


@lru_cache(maxsize=64)
def leaves_nothing(code: str) -> bool:
    """Return whether functions can be called again and again in one process as if each call were the first.

    Args:
        code: Defines them. That it is of this kind means: it holds nothing but functions, and these use nothing but
            their arguments, plain Python, and methods of tables and arrays that change no more than what they return.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(isinstance(part, (ast.FunctionDef, ast.Import)) for part in tree.body) and _are_plain(tree)


def _are_plain(tree: ast.Module) -> bool:
    bases = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return all(_is_plain(node, is_base=id(node) in bases) for node in ast.walk(tree))


def _is_plain(node: ast.AST, *, is_base: bool) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _ATTRIBUTES and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Name):
        is_load = isinstance(node.ctx, ast.Load)
        if node.id in _LIBRARIES:
            return is_load and is_base  # or the library could be stored to under another name
        return not node.id.startswith("__") and (node.id in _PLAIN or not hasattr(builtins, node.id))
    if isinstance(node, ast.Constant):  # `agg` and its like take names of attributes
        return not (isinstance(node.value, str) and node.value.strip().startswith("_"))
    if isinstance(node, ast.alias):
        return _LIBRARIES.get(node.asname or node.name) == node.name
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        return False
    if isinstance(node, ast.arguments):
        return all(isinstance(each, ast.Constant) for each in (*node.defaults, *filter(None, node.kw_defaults)))
    return isinstance(node, _SYNTAX)
