"""Rewrites of reference code: the same answer in another form, for finding out what validators let through."""

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
    """Return the variations that code allows: of its last value where it ends with one, else of the variables it makes.

    Args:
        code: Reference code.
        made: Variables that it binds or changes.
    """
    tree = parse_code(code).tree
    if tree is None or not tree.body:
        return ()
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return tuple(_of_variable(code, name, form, text) for name in made for form, text in _FORMS)
    lines = code.split("\n")
    before = "\n".join(lines[: last.lineno - 1])
    value = (
        f"{before}\n{_VALUE} = ({ast.unparse(last.value)})\n" if before else f"{_VALUE} = ({ast.unparse(last.value)})\n"
    )
    found = [Rewrite(name, f"{value}{form.format(v=_VALUE)}") for name, form in _FORMS]
    return (*found, Rewrite("printed, not returned", f"{value}print({_VALUE})"), Rewrite("assigned only", value))


def _of_variable(code: str, name: str, form: str, text: str) -> Rewrite:
    return Rewrite(f"{name}: {form}", f"{code.rstrip()}\n{name} = {text.format(v=name)}")
