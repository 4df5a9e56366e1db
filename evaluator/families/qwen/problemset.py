"""Records of the Qwen benchmark as problemsets of one problem, and back: export(import(r)) == r, and the other way.

What DSEAL has no word for stands under the problem key `family`: tags, language, files, the given first action, and
every field that is not known. Except for word problems there are no reference answers.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from evaluator.diagnostics import has_errors
from evaluator.errors import ContentError
from evaluator.families.qwen import FAMILY
from evaluator.families.qwen.records import QwenRecord
from evaluator.families.qwen.transcript import action_inputs, code_of
from evaluator.language import ExecutionLimits, Problem, Problemset, SetupCell, parse_problemset
from evaluator.language.cells import normal_line_ends
from evaluator.language.parsing import MAX_FILE_CHARS

MAX_TIME_S: Final = 30.0  # of one execution
GIVEN: Final = "Given: the first action"
"""The title of the setup cell that holds it."""
NO_REFERENCE: Final = "pass  # there is no reference answer: what runs without an error is executable"
_OURS: Final = "benchwright"  # the field under which a record keeps a problemset that its other fields do not make
_MARK: Final = "####"
_ENDS_PLAINLY: Final = re.compile(r"#### ?-?(?:0|[1-9][0-9,]*)(?:\.[0-9]+)?")
_SESSION: Final = SetupCell(
    """import json
import math
import os
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

try:
    import seaborn as sns

    sns.set_theme()
except ImportError:
    pass
try:
    from sympy import Eq, solve, symbols
except ImportError:
    pass

plt.rcParams["axes.unicode_minus"] = False
if os.path.isdir("inputs"):
    for name in os.listdir("inputs"):
        if not os.path.lexists(name):
            os.symlink(os.path.join("inputs", name), name)


def input(*args, **kwargs):
    raise NotImplementedError("input() is disabled here")""",
    title="The session of the Qwen benchmark: its imports, its files by their names, no input",
)
"""What every session of the family begins with."""


def problemset_of(record: QwenRecord, name: str) -> Problemset:
    """Return the problemset that a record makes.

    Raises:
        ContentError: If the problemset that an export wrote into it cannot be read.
    """
    written = record.fields.get(_OURS)
    if isinstance(written, str):
        problemset, diagnostics = parse_problemset(written, name=name)
        if problemset is None or has_errors(diagnostics):
            what = f"the problemset under {_OURS!r} cannot be read"
            raise ContentError(what, where=f"line {record.line}", fix=f"remove {_OURS!r} from the record")
        return problemset
    return usual_problemset(record, name)


def usual_problemset(record: QwenRecord, name: str) -> Problemset:
    """Return what the fields of a record make.

    Raises:
        ContentError: If its query is longer than a problemset may be.
    """
    if len(record.asked) > MAX_FILE_CHARS:  # before it is written down and read again, which takes minutes
        what = f"what the record asks has {len(record.asked):,} characters, and a problemset at most {MAX_FILE_CHARS:,}"
        raise ContentError(what, where=f"line {record.line}", fix="put data into a file of 'input_file_path'")
    cells: list[SetupCell | Problem] = [_SESSION]
    given = action_inputs(record.prefill, first_only=True)
    if given:
        cells.append(SetupCell(normal_line_ends(code_of(given[0])).strip() or "pass", title=GIVEN))
    known = "question" if record.is_word_problem else "query"
    family: dict[str, Any] = {"fields": {key: value for key, value in record.fields.items() if key != known}}
    if record.prefill:
        family["prefill"] = record.prefill
    answer = expected_answer(record)
    validator: dict[str, Any] = {"template": "basic"}
    if record.is_word_problem:
        validator["final_answer"] = {"expected": answer}
    elif any(tag.startswith("visualization") for tag in record.task_tags):
        validator["judge"] = {"scale": "right_wrong", "counts": True}
    problem = Problem(
        query=normal_line_ends(record.query).strip(),
        code=repr(answer) if record.is_word_problem else NO_REFERENCE,
        validator=validator,
        execution=ExecutionLimits(max_time_s=MAX_TIME_S),
        metadata={"tags": list(record.task_tags), "family": {FAMILY: family}},
    )
    return Problemset(name, (*cells, problem))


def expected_answer(record: QwenRecord) -> str:
    """Return what a word problem's closing answer is compared with: `#### n`, else the whole answer."""
    whole = str(record.fields.get("answer", ""))
    short = whole[whole.rfind(_MARK) :].strip() if _MARK in whole else whole
    return short if _ENDS_PLAINLY.fullmatch(short) else whole


def family_of(problem: Problem) -> Mapping[str, Any]:
    """Return what the family knows of a problem; empty for a problem of another one."""
    written = problem.metadata.get("family")
    family = written.get(FAMILY) if isinstance(written, Mapping) else None
    return family if isinstance(family, Mapping) else {}


def record_of(problemset: Problemset, line: int, recorded: QwenRecord | None = None) -> QwenRecord:
    """Return a problemset of one problem as a record.

    Args:
        problemset: Of any family; what a record has no place for goes under `benchwright`.
        line: Where it will stand.
        recorded: The record that it was made of: kept as it is where it still says the same.

    Raises:
        ContentError: If the problemset has not exactly one problem.
    """
    if len(problemset.problems) != 1:
        what = f"{problemset.name} has {len(problemset.problems)} problems, and a record asks one query"
        raise ContentError(what, where=problemset.name, fix="split it into problemsets of one problem each")
    if recorded is not None and _is_made_of(problemset, recorded):
        return recorded
    (problem,) = problemset.problems
    record = usual_record(problem, line)
    if _is_made_of(problemset, record):
        return record
    return QwenRecord(line, {**record.fields, _OURS: problemset.render()})


def usual_record(problem: Problem, line: int = 1) -> QwenRecord:
    """Return a problem as a record, as far as a record has fields for it; one of no family is tagged general."""
    family = family_of(problem)
    fields = family.get("fields")
    known: dict[str, Any] = dict(fields) if isinstance(fields, Mapping) else {"tags": "all_ci,general"}
    known.pop(_OURS, None)
    key = "question" if "answer" in known and "tags" not in known else "query"
    return QwenRecord(line, {key: problem.query + str(family.get("prefill", "")), **known})


def _is_made_of(problemset: Problemset, record: QwenRecord) -> bool:
    try:
        return problemset_of(record, problemset.name).cells == problemset.cells
    except ContentError:
        return False
