"""Variations of reference code: each changes one thing of what it leaves, so that a validator shows what it minds."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.language import parse_code

_FORMS: Final = (
    ("index reset", "{v}.reset_index(drop=True)"),
    ("index as column", "{v}.reset_index()"),
    ("order reversed", "{v}[::-1]"),
    ("as list", "{v}.tolist()"),
    ("as Series", "__import__('pandas').Series({v})"),
    ("as frame", "{v}.to_frame()"),
    ("as array", "__import__('numpy').asarray({v})"),
    ("as float", "{v}.astype(float) if hasattr({v}, 'astype') else float({v})"),
    ("under another name", "{v}.rename('other') if {v}.ndim == 1 else {v}.add_prefix('other ')"),
    ("as text", "str({v})"),
    ("rounded to 2 decimals", "{v}.round(2) if hasattr({v}, 'round') else round({v}, 2)"),
    ("in a list", "[{v}]"),
    ("off by 0.5 %", "{v} * 1.005"),
)
_VALUE: Final = "_rewritten"


@dataclass(frozen=True)
class Rewrite:
    """One variation of reference code."""

    name: str
    code: str


def rewrites_of(code: str, made: Sequence[str]) -> tuple[Rewrite, ...]:
    """Return the variations that code allows: of its figure, its last value or print, else of the variables it makes.

    Args:
        code: Reference code.
        made: Variables that it binds or changes.
    """
    tree = parse_code(code).tree
    if tree is None or not tree.body:
        return ()
    if may_draw(code):
        return tuple(Rewrite(name, f"{code.rstrip()}\n{_GRASP}{change}") for name, change in _CHANGES)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return tuple(_of_variable(code, name, form, text) for name in made for form, text in _FORMS)
    lines = code.split("\n")
    before = "\n".join(lines[: last.lineno - 1])
    printed = _printed(last.value)
    if printed is not None:
        return _of_print(f"{before}\n{_VALUE} = ({printed})\n".lstrip())
    value = (
        f"{before}\n{_VALUE} = ({ast.unparse(last.value)})\n" if before else f"{_VALUE} = ({ast.unparse(last.value)})\n"
    )
    found = [Rewrite(name, f"{value}{form.format(v=_VALUE)}") for name, form in _FORMS]
    return (*found, Rewrite("printed, not returned", f"{value}print({_VALUE})"), Rewrite("assigned only", value))


def _of_variable(code: str, name: str, form: str, text: str) -> Rewrite:
    return Rewrite(f"{name}: {form}", f"{code.rstrip()}\n{name} = {text.format(v=name)}")


_PRINTED: Final = ("as text", "as float", "rounded to 2 decimals", "in a list", "off by 0.5 %")


def _printed(value: ast.expr) -> str | None:
    """Return what a call of `print` prints, if it is one of a single value."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id != "print":
        return None
    is_one = len(value.args) == 1 and not isinstance(value.args[0], ast.Starred)
    return ast.unparse(value.args[0]) if is_one else None


def _of_print(value: str) -> tuple[Rewrite, ...]:
    """Return the variations of code that prints its last value."""
    forms = [Rewrite(name, f"{value}print({form.format(v=_VALUE)})") for name, form in _FORMS if name in _PRINTED]
    words = Rewrite("with words before it", f'{value}print("The answer is", {_VALUE})')
    return (*forms, words, Rewrite("returned, not printed", f"{value}{_VALUE}"), Rewrite("assigned only", value))


_DRAWS: Final = frozenset(
    {
        "plot",
        "hist",
        "hist2d",
        "boxplot",
        "violinplot",
        "bar",
        "barh",
        "scatter",
        "imshow",
        "pie",
        "stem",
        "contour",
        "contourf",
        "fill_between",
        "subplots",
        "figure",
        "errorbar",
        "stackplot",
        "hexbin",
        "heatmap",
        "barplot",
        "histplot",
        "lineplot",
        "scatterplot",
        "countplot",
        "kdeplot",
        "pairplot",
        "relplot",
        "catplot",
        "displot",
    }
)
"""Names of calls that leave a figure of matplotlib, pandas or seaborn."""


def may_draw(code: str) -> bool:
    """Return whether code calls something that draws, as far as its names tell."""
    tree = parse_code(code).tree
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    parts = (part for call in called for part in ast.walk(call))
    return any(
        (isinstance(part, ast.Attribute) and part.attr in _DRAWS)
        or (isinstance(part, ast.Name) and part.id in ("plt", "sns"))
        for part in parts
    )


_GRASP: Final = """import matplotlib.pyplot as _plt
_axes = _plt.gcf().axes
"""
_ALL: Final = "for _one in _axes:\n    for _artist in (*_one.lines, *_one.patches, *_one.collections):\n        "
_CHANGES: Final = (
    ("another size", "_plt.gcf().set_size_inches(11, 3)"),
    ("other colours", f'{_ALL}_artist.set_color("crimson")'),
    ("with a title", 'for _one in _axes:\n    _one.set_title("A title of its own")'),
    ("without names of axes", 'for _one in _axes:\n    _one.set(xlabel="", ylabel="", title="")'),
    ("without a legend", "for _one in _axes:\n    _one.legend().remove()"),
    ("on logarithmic axes", 'for _one in _axes:\n    _one.set_yscale("symlog")'),
    (
        "off by 0.5 %",
        "for _one in _axes:\n"
        "    for _bar in _one.patches:\n"
        '        if hasattr(_bar, "set_height"):\n'
        "            _bar.set(width=_bar.get_width() * 1.005, height=_bar.get_height() * 1.005)\n"
        "    for _line in _one.lines:\n"
        "        _line.set_ydata([_y * 1.005 for _y in _line.get_ydata(orig=False)])\n"
        "    for _dots in _one.collections:\n"
        "        _dots.set_offsets(_dots.get_offsets() * 1.005)",
    ),
    ("something else in its place", "for _one in _axes:\n    _one.clear()\n    _one.plot([1, 2])"),
    ("closed before it is shown", '_plt.close("all")'),
)
