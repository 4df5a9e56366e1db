"""Executing the source of one cell: parsed by IPython, run by us, so that nothing runs between its code and ours."""

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import dataclass
from inspect import CO_COROUTINE
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from IPython.core.async_helpers import get_asyncio_loop
from IPython.core.interactiveshell import ExecutionResult

from evaluator.inside.codec.decode.decoded import ABSENT

if TYPE_CHECKING:
    from evaluator.inside.runtime.cell_shell import CellShell

# Functions defined below look builtins up here, where no cell can replace them.
__builtins__ = dict(vars(builtins))  # a dict does as well as the module

_AWAIT: Final = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


@dataclass(frozen=True)
class CellResult:
    """What is known about a cell that has ended."""

    value: Any = ABSENT  # of the last expression statement; ABSENT: there is none
    error: BaseException | None = None


@dataclass(frozen=True)
class _Code:
    body: CodeType | None
    last: CodeType | None


def shows_before_value(source: str) -> bool:
    """Return whether a cell calls `show`, as figures are shown, in a statement before its last expression.

    Figures are drawn when the cell has ended, and so after its value; this tells that they belong before it.
    """
    if "show" not in source:
        return False
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # magics, or what running it will tell
        return False
    if len(body) < 2 or not isinstance(body[-1], ast.Expr):
        return False
    calls = (node.func for part in body[:-1] for node in ast.walk(part) if isinstance(node, ast.Call))
    return any((func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) == "show" for func in calls)


def execute(shell: "CellShell", source: str, *, settle: Callable[[], None], magics: bool = True) -> CellResult:
    """Run a cell.

    Args:
        shell: Where it runs.
        source: The cell's text.
        settle: Called at once when code of the cell has ended, however it ended.
        magics: Whether it may hold IPython's magics, shell lines and awaits outside functions.
    """
    hook, display_hook = sys.excepthook, sys.displayhook
    sys.displayhook = shell.displayhook
    try:
        code = _compile(shell, source, magics)
    except BaseException as unreadable:  # noqa: BLE001  # which is the cell's own fault
        return CellResult(error=unreadable)
    value, error = _run(shell, code, settle)
    for event in ("post_execute", "post_run_cell"):
        _trigger(shell, event, settle)
    sys.excepthook, sys.displayhook = hook, display_hook
    return CellResult(ABSENT if error is not None else value, error)


def _compile(shell: "CellShell", source: str, magics: bool) -> _Code:
    text = shell.transform_cell(source) if magics else source
    name = shell.compile.cache(text, shell.execution_count, raw_code=source)
    tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with shell.compile.extra_flags(_AWAIT if magics else 0):
        body = shell.compile(tree, name, "exec") if tree.body else None
        value = None if last is None else shell.compile(ast.Expression(last.value), name, "eval")
    return _Code(body, value)


def _run(shell: "CellShell", code: _Code, settle: Callable[[], None]) -> tuple[Any, BaseException | None]:
    value: Any = ABSENT
    failure: BaseException | None = None
    try:
        for event in ("pre_execute", "pre_run_cell"):
            _trigger(shell, event, None)
        if code.body is not None:
            _evaluate(code.body, shell.user_ns)
        if code.last is not None:
            value = _evaluate(code.last, shell.user_ns)
            shell.displayhook(value)
    except BaseException as error:  # noqa: BLE001  # whatever leaves the cell is data
        failure = error
    try:
        settle()
    except BaseException:  # noqa: BLE001  # an exception that the cell timed to arrive here
        settle()
    return value, failure


def _evaluate(code: CodeType, namespace: dict[str, Any]) -> Any:
    result = eval(code, namespace)
    if code.co_flags & CO_COROUTINE:
        return get_asyncio_loop().run_until_complete(result)
    return result


def _trigger(shell: "CellShell", event: str, settle: Callable[[], None] | None) -> None:
    """Call the callbacks that cells have registered; IPython reports their errors as text."""
    if not shell.events.callbacks.get(event):
        return
    if event == "pre_run_cell":
        shell.events.trigger(event, None)
    elif event == "post_run_cell":
        shell.events.trigger(event, ExecutionResult(None))
    else:
        shell.events.trigger(event)
    if settle is not None:
        settle()
