"""The cases of a `table_test` (dseal.md, section 3.3): from what the author wrote to arguments of a function."""

import random
import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

REPEAT: Final = "//"
_FENCED: Final = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)```", re.DOTALL)


class BadCaseError(Exception):
    """A case that gives no arguments."""


def build_case(cases: Sequence[Any], number: int) -> list[Any] | dict[str, Any]:
    """Return the arguments of case `number` (from 0), with both random generators seeded by it.

    Args:
        cases: All cases as written.
        number: Which one; one that repeats the one before is built like that one, from other random numbers.

    Raises:
        BadCaseError: If the case gives neither a list nor a mapping of arguments.
        Exception: Whatever the case's own code raises.
    """
    written = number
    while written > 0 and _is_repeat(cases[written]):
        written -= 1
    if _is_repeat(cases[written]):
        raise BadCaseError("there is no case before it to repeat")
    seed(number)
    return _arguments(cases[written])


def seed(number: int) -> None:
    """Seed both random generators as for case `number`."""
    random.seed(number)
    np.random.seed(number)  # the global generator is what code under test uses


def scope() -> dict[str, Any]:
    """Return the names that code in a problem's settings may use."""
    return {"pd": pd, "np": np, "random": random}


def _is_repeat(case: Any) -> bool:
    return isinstance(case, str) and case.strip() == REPEAT


def _arguments(case: Any) -> list[Any] | dict[str, Any]:
    if isinstance(case, list):
        names = scope()
        return [_made(item, names) for item in case]
    made = _made(case, scope())
    if isinstance(made, (list, tuple)):
        return list(made)
    if isinstance(made, dict) and all(isinstance(name, str) for name in made):
        return dict(made)
    raise BadCaseError(f"a case is a list or a mapping of arguments, not {type(made).__name__}")


def _made(item: Any, names: dict[str, Any]) -> Any:
    """Evaluate an expression in backticks or a fenced block; anything else stands for itself."""
    if not isinstance(item, str):
        return item
    text = item.strip()
    fenced = _FENCED.fullmatch(text)
    if fenced:
        return _from_block(fenced[1])
    if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]:
        return eval(compile(text[1:-1].strip(), "<test case>", "eval"), names)
    return item


def _from_block(code: str) -> Any:
    names = scope()
    exec(compile(code, "<test case>", "exec"), names)
    if "_test_case" in names:
        return names["_test_case"]
    if callable(names.get("_generate")):
        return names["_generate"]()
    raise BadCaseError("its code defines neither '_test_case' nor '_generate'")
