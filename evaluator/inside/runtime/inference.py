"""What a cell without a last value would have shown: values it printed, else the object it assigned last."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import Inferred

FORMAT: Final = "format"
"""Kind of a value that only says how another one is written, such as a width; the sound rules do not take it."""
DISPLAY: Final = "display"
"""Kind of a value that the cell gave to `display`; the published rules know only `print`."""
ASSIGNMENT: Final = "assignment"
_MAX_VALUES: Final = 50


@dataclass(frozen=True)
class Inference:
    """Inferred values, or the fact that evaluating one of them raised."""

    values: tuple[Inferred, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class _Candidate:
    node: ast.expr
    kind: str


def shown_expressions(source: str, *, with_displays: bool = True) -> tuple[_Candidate, ...]:
    """Return the expressions that a cell printed, else the target of its last assignment.

    Args:
        source: Of the cell.
        with_displays: And what it gave to `display`; the published rules do not look at that.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):  # the last: a thread left parsing
        return ()
    shown = (list(_printed(body)) or list(_assigned(body)))[:_MAX_VALUES]
    return (*shown, *list(_displayed(body))[:_MAX_VALUES]) if with_displays else tuple(shown)


def are_names(candidates: tuple[_Candidate, ...]) -> bool:
    """Return whether evaluating the expressions runs no code of the cell's."""
    return all(isinstance(candidate.node, ast.Name) for candidate in candidates)


def infer_outputs(candidates: tuple[_Candidate, ...], namespace: dict[str, Any]) -> Inference:
    """Evaluate expressions; all but names run the cell's own code again, so that is done in a fork of a trial."""
    found = []
    for candidate in candidates:
        try:
            code = compile(ast.Expression(candidate.node), "<inferred>", "eval")
            value = eval(code, namespace)
            found.append(Inferred(ast.unparse(candidate.node)[:1000], value, kind=candidate.kind))
        except BaseException:  # noqa: BLE001  # whatever the cell's own code raises
            if candidate.kind != DISPLAY:
                return Inference(failed=True)
    return Inference(tuple(found))


def _printed(body: list[ast.stmt]) -> Iterator[_Candidate]:
    for call in _calls_of(body, "print"):
        for argument in call.args:
            yield from _shown(argument)


def _displayed(body: list[ast.stmt]) -> Iterator[_Candidate]:
    for call in _calls_of(body, "display"):
        for argument in call.args:
            if not isinstance(argument, ast.Constant | ast.Starred):
                yield _Candidate(argument, DISPLAY)


def _calls_of(body: list[ast.stmt], name: str) -> Iterator[ast.Call]:
    """Yield the statements at top level that do nothing but call a function."""
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if isinstance(call.func, ast.Name) and call.func.id == name:
                yield call


def _shown(node: ast.expr) -> Iterator[_Candidate]:
    """Yield what one argument of `print` shows, looking into f-strings; `*values` cannot be evaluated alone."""
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _shown(part.value)
                yield from (_Candidate(width.node, FORMAT) for width in _shown(part.format_spec or ast.Constant("")))
    elif not isinstance(node, ast.Constant):
        yield _Candidate(node, "print")


def _assigned(body: list[ast.stmt]) -> Iterator[_Candidate]:
    for statement in reversed(body):
        target: ast.expr | None = None
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
        elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
            target = statement.target
        if target is not None:
            if isinstance(target, ast.Attribute | ast.Subscript):
                target = target.value  # exactly one level up
            loaded = ast.parse(ast.unparse(target), mode="eval").body
            yield _Candidate(loaded, ASSIGNMENT)
            return
