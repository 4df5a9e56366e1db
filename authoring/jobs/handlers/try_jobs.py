"""Jobs on one cell of a text, saved or not: judge an answer to it, propose validators for it, show a variable."""

from functools import partial
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.declaring import SET_WORKERS, job
from authoring.jobs.handlers.execution_jobs import OfText, cap_outputs, text_of
from authoring.jobs.payloads import Ref, Text
from authoring.store import problemsets


class OfProblem(OfText):
    """One problem of a text."""

    problem: Ref  # its number, or its id
    digest: str = ""  # of its cell, for the screen that ordered it


class TryOrder(OfProblem):
    """Code to judge as a submission to a problem."""

    code: Text


@job("try", title="Try an answer", lane="interactive", payload=TryOrder, roles=SET_WORKERS)
def try_code(context: JobContext, payload: TryOrder) -> dict[str, Any]:
    """Judge code as a submission to a problem, and the examples that the problem keeps beside it.

    Returns `verdict`, `reason`, `validation`, `outputs`, `error`, `seconds`, `reference`, `examples`.
    """
    from authoring.revising.validators.answer_trials import try_on_text

    row = problemsets.find(context.workspace, payload.problemset_id)
    tried = try_on_text(
        context.workspace,
        row.id,
        text_of(context, payload, row.head_revision_id),
        payload.problem,
        payload.code,
        engine=context.engine(),
        place=partial(context.place, row.id),
        on_event=context.on_event,
    )
    found = tried.to_json()
    cap_outputs({"cells": [{"outcome": found}]})
    return found


@job("validators", title="Propose validators", lane="interactive", payload=OfProblem, roles=SET_WORKERS)
def validators(context: JobContext, payload: OfProblem) -> dict[str, Any]:
    """Propose validators for a problem, each tried on rewrites of its reference; return `proposals` and `rewrites`."""
    from authoring.revising.validators.validator_proposals import propose_for_text

    row = problemsets.find(context.workspace, payload.problemset_id)
    text = text_of(context, payload, row.head_revision_id)
    return propose_for_text(
        context.workspace,
        row.id,
        text,
        payload.problem,
        engine=context.engine(),
        place=partial(context.place, row.id),
        on_event=context.on_event,
    ).to_json()


class VariableOrder(OfText):
    """A page of a variable after a cell."""

    position: int  # of the cell among all cells, from 1
    name: Text
    offset: int = 0  # rows before the page
    columns_from: int = 0  # columns before the page
    changed_only: bool = False
    digest: str = ""  # of the cell, for the screen that ordered it


@job("variable_rows", title="Show a variable", lane="interactive", payload=VariableOrder, roles=SET_WORKERS)
def variable_rows(context: JobContext, payload: VariableOrder) -> dict[str, Any]:
    """Execute a text up to a cell and read a page of a variable; return the fields of `VariablePage` and `stopped`."""
    from authoring.checks.variables.variable_reading import AskedPage, read_variable

    row = problemsets.find(context.workspace, payload.problemset_id)
    asked = AskedPage(
        name=str(payload.name),
        offset=max(payload.offset, 0),
        columns_from=max(payload.columns_from, 0),
        changed_only=payload.changed_only,
    )
    return read_variable(
        context.workspace,
        row.id,
        text_of(context, payload, row.head_revision_id),
        payload.position,
        asked,
        engine=context.engine(),
        place=partial(context.place, row.id),
        on_event=context.on_event,
    )
