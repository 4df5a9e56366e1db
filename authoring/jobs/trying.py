"""Jobs on one problem of a text, saved or not: judge an answer to it, propose validators for it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from authoring.jobs.context import JobContext
from authoring.jobs.execution import cap_outputs, text_of
from authoring.jobs.payloads import required
from authoring.store import find_problemset


def try_code(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Judge code as a submission to a problem, and the examples that the problem keeps beside it.

    Payload: `problemset_id`, `text` or `revision_id` as for `execute`; `problem` (its id or number), `code`.
    Returns `verdict`, `reason`, `validation`, `outputs`, `error`, `seconds`, `reference`, `examples`.
    """
    from authoring.revising.validators.answer_trials import try_on_text

    row = find_problemset(context.workspace, required(payload, "problemset_id", int))
    tried = try_on_text(
        context.workspace,
        row.id,
        text_of(context, payload, row.head_revision_id),
        _problem(payload),
        required(payload, "code", str),
        engine=context.engine(),
        place=partial(context.place, row.id),
        on_event=context.on_event,
    )
    found = tried.to_json()
    cap_outputs({"cells": [{"outcome": found}]})
    return found


def validators(context: JobContext, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Propose validators for a problem, each tried on rewrites of its reference.

    Payload as for `try` without `code`. Returns `proposals` and `rewrites`.
    """
    from authoring.revising.validators.validator_proposals import propose_for_text

    row = find_problemset(context.workspace, required(payload, "problemset_id", int))
    text = text_of(context, payload, row.head_revision_id)
    return propose_for_text(
        context.workspace,
        row.id,
        text,
        _problem(payload),
        engine=context.engine(),
        place=partial(context.place, row.id),
        on_event=context.on_event,
    ).to_json()


def _problem(payload: Mapping[str, Any]) -> str | int:
    problem = payload.get("problem")
    return problem if isinstance(problem, str) and problem else required(payload, "problem", int)
