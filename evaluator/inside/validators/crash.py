"""The `crash` validator: which exception left the cell (dseal.md, sections 3 and 8)."""

import ast
from collections.abc import Mapping
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ErrorFacts
from evaluator.inside.compare.match_model import Answer, Cause, Rules
from evaluator.inside.compare.value_text import shown
from evaluator.inside.validators.interface import Case, InsideFinding, refuse_options
from evaluator.inside.validators.result import answered_in_source

_CRASH_CAUSES: Final = (  # in this order, where several classes appear in a traceback
    ("ModuleNotFoundError", Cause.MODULE_NOT_FOUND),
    ("KeyError", Cause.KEY_ERROR),
    ("TypeError", Cause.TYPE_ERROR),
    ("ValueError", Cause.VALUE_ERROR),
    ("NameError", Cause.NAME_ERROR),
    ("AttributeError", Cause.ATTRIBUTE_ERROR),
)


def check_crash(case: Case, raw_options: Mapping[str, Any]) -> InsideFinding:
    """Answer no if the cell raised, partial if the answer stands in its source nevertheless."""
    refuse_options("crash", raw_options)
    if case.submission.ending == "ok" and case.submission.error is None:
        return InsideFinding("crash", Answer.YES)
    if not case.has_evidence:
        return InsideFinding("crash", Answer.NO, f"the cell ended as {shown(case.submission.ending, limit=40)!r}")
    if answered_in_source(case):
        return InsideFinding("crash", Answer.PARTIAL, "the cell raised, but the answer stands in it", Cause.NON_CODE)
    error = case.submission.error
    reason = "the cell raised" if error is None else f"{error.name}: {error.message}"
    return InsideFinding("crash", Answer.NO, reason, _crash_cause(case))


def _crash_cause(case: Case) -> Cause | None:
    error = case.submission.error
    may_not_parse = error is None or "SyntaxError" in (error.name, *error.bases)
    if case.rules is Rules.SOUND and may_not_parse and not _parses(case.submission.source):
        return Cause.SYNTAX
    return error_cause(error, case.rules)


def error_cause(error: ErrorFacts | None, rules: Rules) -> Cause | None:
    """Return the cause that an exception's class stands for; None for a class outside the list."""
    if rules is Rules.PUBLISHED:
        return None if error is None else _published_crash_cause(error)
    known = dict(_CRASH_CAUSES)
    names = () if error is None else (error.name, *error.bases)
    return next((known[name] for name in names if name in known), None)


def _published_crash_cause(error: ErrorFacts) -> Cause | None:
    if "SyntaxError:" in error.traceback:
        return Cause.SYNTAX
    lines = error.traceback.splitlines()
    return next((cause for name, cause in _CRASH_CAUSES if any(line.startswith(f"{name}:") for line in lines)), None)


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
